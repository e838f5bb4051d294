"""What only the browser can do: the page's language, the keys, the clipboard, the theme."""

from pathlib import Path

import streamlit as st

from explorer.settings import state
from explorer.text import Text

COPY = Text(en="Copy link", zh="复制链接")
COPIED = Text(en="Copied", zh="已复制")


def browser(page: str) -> None:
    """Show the button that copies the link of a page, and ask all else of the browser."""
    lang = state.read("lang")
    _component()(
        key="browser",
        data={
            "lang": "zh-CN" if lang == "zh" else "en",
            "link": state.link(page),
            "copy": COPY(lang),
            "copied": COPIED(lang),
        },
        on_theme_change=lambda: None,
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
