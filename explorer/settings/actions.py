"""A row of choices each of which does something at once: one element for any number of buttons."""

from collections.abc import Callable

import streamlit as st


def actions(key: str, label: str, words: dict[str, str], act: Callable[[str], None]) -> None:
    """Show what can be pressed; `act` gets the key in `words` of what was, and none stays pressed.

    Buttons of their own would cost every viewer of a class 0.3 ms each, on every page.
    """
    st.pills(
        label,
        list(words),
        format_func=words.__getitem__,
        key=f"act-{key}",
        on_change=_pressed,
        args=(f"act-{key}", act),
    )


def _pressed(key: str, act: Callable[[str], None]) -> None:
    pressed = st.session_state[key]
    st.session_state[key] = None
    if pressed is not None:  # a second press before the answer takes the first one back
        act(pressed)
