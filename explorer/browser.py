"""What only the browser can do: language, keys, clipboard, theme, numbers under the mouse."""

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
SAID = 24  # characters of a token that a hover names


def browser(page: str, tokens: tuple[tuple[str, ...], ...]) -> None:
    """Show the button that copies the link of a page, and ask all else of the browser.

    `tokens` (B × T) are what a hover calls the positions of a sentence.
    """
    lang = state.read("lang")
    _component()(
        key="browser",
        data={
            "lang": "zh-CN" if lang == "zh" else "en",
            "link": state.link(page),
            "copy": COPY(lang),
            "copied": COPIED(lang),
            "tokens": [[shorten(visible(token), SAID) for token in row] for row in tokens],
            "address": ADDRESS(lang),
            "click": CLICK(lang),
        },
        on_theme_change=lambda: None,
        on_pick_change=clicked,
        width="content",
    )


@st.cache_resource
def _component():
    return st.components.v2.component(
        "browser",
        html="<button></button>",
        css=_beside("style.css"),
        js=_beside("browser.js"),
        isolate_styles=False,
    )


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
