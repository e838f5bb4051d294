"""What only the browser can do: language, keys, clipboard, pictures, theme, type, hovers."""

from pathlib import Path

import streamlit as st

from explorer.core.tokens import visible
from explorer.settings import state
from explorer.settings.pick import clicked
from explorer.text import Text, shorten

COPY = Text(en="Copy link", zh="复制链接")
COPIED = Text(en="Copied", zh="已复制")
ADDRESS = Text(en="address", zh="地址")
CLICK = Text(en="click: where it comes from", zh="点击：它从哪里来")
PICTURES = Text(en="Save pictures", zh="保存图片")
SAVED = Text(en="{n} saved", zh="已保存 {n} 张")
SCRIPTS = ("keys.js", "actions.js", "text.js", "numbers.js", "pictures.js", "page.js")
SAID = 24  # characters of a token that a hover names


def browser(page: str, tokens: tuple[tuple[str, ...], ...]) -> None:
    """Show what copies the link of a page and saves its figures; ask all else of the browser.

    `tokens` (B × T) are what a hover calls the positions of a sentence.
    """
    lang = state.read("lang")
    _component()(
        key="browser",
        data={
            "lang": "zh-CN" if lang == "zh" else "en",
            "page": page,
            "link": state.link(page),
            "copy": COPY(lang),
            "copied": COPIED(lang),
            "tokens": [[shorten(visible(token), SAID) for token in row] for row in tokens],
            "address": ADDRESS(lang),
            "click": CLICK(lang),
            "pictures": PICTURES(lang),
            "saved": SAVED(lang, n="{n}"),
            "large": state.read("present"),
        },
        on_theme_change=lambda: None,
        on_pick_change=clicked,
        width="content",
    )


@st.cache_resource
def _component():
    return st.components.v2.component(
        "browser",
        html="<button class=copy></button> <button class=pictures></button>",
        css=_front("style.css"),
        js="\n".join(map(_front, SCRIPTS)),
        isolate_styles=False,
    )


def _front(name: str) -> str:
    return (Path(__file__).parent / "front" / name).read_text(encoding="utf-8")
