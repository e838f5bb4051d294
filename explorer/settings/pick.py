"""Picking a number: by a button, a select box, or a click in a figure; the focus goes along."""

import streamlit as st

from explorer.core import Config, IndivisibleHeads
from explorer.core.config import head_size
from explorer.core.trace import axes
from explorer.settings import state
from explorer.settings.parameters import WINDOW


def pick(text: str) -> None:
    """Pick the number that a text like scores:0,0,3,1 names; none for an empty one."""
    state.change(pick=text)
    follow()


def clicked() -> None:
    """Pick the number that was clicked in a figure, as the browser names it."""
    pick(st.session_state.browser.pick or "")


def follow() -> None:
    """Move the focus to the batch item, the head and the columns of the picked number.

    Query and key stay: all of them are in sight.
    """
    picked = state.read("pick")
    if not picked:
        return
    name, index = picked
    at = dict(zip(axes(name), index, strict=True))
    moved = {"item": at.get("batch"), "head": at.get("head")}
    if "h·d_k" in at:
        moved["head"] = at["h·d_k"] // _d_k()
    if axes(name)[-1] in ("d_model", "h·d_k", "d_k"):
        moved["window"] = index[-1] // WINDOW
    state.change(**{name: i for name, i in moved.items() if i is not None})


def text(name: str, index: tuple[int, ...]) -> str:
    """An element as it stands in a link.

    >>> text("scores", (0, 0, 3, 1))
    'scores:0,0,3,1'
    """
    return f"{name}:{','.join(map(str, index))}"


def _d_k() -> int:
    config = Config(**state.config_values())
    try:
        return head_size(config)
    except IndivisibleHeads:  # a run without heads shows no column of one
        return config.d_model
