"""The page script: settings → run → the chosen page."""

from pathlib import Path

import streamlit as st

from explorer import frame, notices, runs
from explorer.core import Config, NoTokens
from explorer.figures.theme import theme
from explorer.page import Page
from explorer.scene import Scene
from explorer.settings import state
from explorer.settings.focus import focus_bar
from explorer.settings.sidebar import sidebar
from explorer.steps import STEPS
from explorer.text import Text

TITLE = Text(en="Attention, number by number", zh="注意力，一个数一个数地看")
ICON = Path(__file__).with_name("icon.svg")


def main() -> None:
    """One run of the script: from the URL to the page, and back into the URL."""
    state.load()
    st.set_page_config(TITLE(state.read("lang")), ICON, layout="wide")
    sidebar()
    page = frame.choose(STEPS)
    try:
        run = runs.run(Config(**state.config_values()))
    except NoTokens:
        run = None
    frame.header(STEPS, page, run)
    notices.say_problems(page.slug)
    if run is None:
        notices.say_no_tokens()
    else:
        notices.say_of_run(run)
        _show(page, run)
    state.write()


def _show(page: Page, run: runs.Run) -> None:
    lang = state.read("lang")
    st.header(page.title(lang), anchor=False)
    focus = focus_bar(run.trace, frame.widest(page, run))
    scene = Scene(run.trace, focus, lang, theme(st.context.theme.type == "dark"))
    frame.show(STEPS, page, scene, run)


if __name__ == "__main__":
    main()
