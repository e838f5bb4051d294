"""What only the browser can do: the page's language, keys, clipboard, pictures, theme, type."""

from pathlib import Path

import streamlit as st

from explorer.settings import state
from explorer.text import Text

COPY = Text(en="Copy link", zh="复制链接")
COPIED = Text(en="Copied", zh="已复制")
PICTURES = Text(en="Save pictures", zh="保存图片")
SAVED = Text(en="{n} saved", zh="已保存 {n} 张")


def browser(page: str) -> None:
    """Show what copies the link of a page and saves its figures; ask all else of the browser."""
    lang = state.read("lang")
    _component()(
        key="browser",
        data={
            "lang": "zh-CN" if lang == "zh" else "en",
            "link": state.link(page),
            "copy": COPY(lang),
            "copied": COPIED(lang),
            "pictures": PICTURES(lang),
            "saved": SAVED(lang, n="{n}"),
            "large": state.read("present"),
        },
        on_theme_change=lambda: None,
        width="content",
    )


@st.cache_resource
def _component():
    return st.components.v2.component(
        "browser",
        html="<button class=copy></button> <button class=pictures></button>",
        css=_beside("style.css"),
        js=_beside("browser.js"),
        isolate_styles=False,
    )


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
