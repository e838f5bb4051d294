"""The page script: settings → run → the chosen page."""

from pathlib import Path

import streamlit as st

from explorer import frame, header, notices, pinned, runs
from explorer.core import Config, NoTokens
from explorer.elements import picked
from explorer.figures.theme import theme
from explorer.labs import LABS
from explorer.page import Page
from explorer.scene import Scene
from explorer.settings import state
from explorer.settings.focus import focus_bar, focus_of
from explorer.settings.sidebar import sidebar
from explorer.steps import STEPS
from explorer.text import Text
from explorer.turns import turn

TITLE = Text(en="Attention, number by number", zh="注意力，一个数一个数地看")
PAGES = STEPS + LABS
ICON = Path(__file__).with_name("icon.svg")


def main() -> None:
    """One run of the script: from the URL to the page, and back into the URL."""
    state.load()
    start = "collapsed" if state.read("present") else "auto"
    title = TITLE(state.read("lang"))
    st.set_page_config(title, ICON, layout="wide", initial_sidebar_state=start)
    page = header.choose(PAGES)
    try:
        _run(page)
    except Exception as error:  # Streamlit tells the host only, traceback and note
        error.add_note(f"The page was {state.link(page.slug)}")
        notices.say_failed()
        raise
    state.write()


def _run(page: Page) -> None:
    sidebar()
    config = Config(**state.config_values())
    pinned.button(config)
    try:
        run = runs.run(config)
    except NoTokens:
        run = None
    header.header(PAGES, page, run)
    notices.say_problems(page.slug)
    if run is None:
        notices.say_no_tokens()
    else:
        notices.say_of_run(run)
        _show(page, run)


def _show(page: Page, run: runs.Run) -> None:
    lang = state.read("lang")
    st.header(page.title(lang), anchor=False)
    focus = focus_of(run.trace)
    if page.has_focus:
        focus_bar(run.trace, focus, frame.widest(page, run))
    colors = theme(st.context.theme.type == "dark")
    number = picked(run.trace, state.read("pick"))
    scene = Scene(run.trace, focus, lang, colors, page.slug, number)
    frame.show(PAGES, page, scene if page.steps else pinned.beside_pinned(scene), run)


if __name__ == "__main__":
    with turn:
        main()
