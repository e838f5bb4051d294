"""A row of words of which one is chosen: the value of a parameter."""

from collections.abc import Mapping

import streamlit as st

from explorer.settings import state


def choose(name: str, label: str, words: Mapping[str, str]) -> None:
    """Let the reader choose a value of the parameter `name`, by the words for it."""
    st.segmented_control(
        label,
        list(words),
        format_func=words.__getitem__,
        required=True,
        **state.widget(name, state.read(name)),
    )
