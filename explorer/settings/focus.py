"""The focus: what every page looks at, and the bar that moves it."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from explorer.core import Embedded, Trace
from explorer.core.tokens import visible
from explorer.settings import state
from explorer.text import Text, shorten

WINDOW = 64  # columns of a tensor shown at once

ITEM = Text(en="batch item", zh="批次中的句子")
HEAD = Text(en="head", zh="头")
QUERY = Text(en="query token", zh="查询词元")
KEY = Text(en="key token", zh="键词元")
WINDOW_LABEL = Text(en="columns shown", zh="显示的列")


@dataclass(frozen=True)
class Focus:
    """Which batch item, head, query and key are looked at, and which window of wide tensors."""

    item: int
    head: int
    query: int
    key: int
    window: int

    def columns(self, size: int) -> slice:
        """The columns of an axis of `size` that are shown: all, or the window of 64 chosen."""
        start = min(self.window * WINDOW, (size - 1) // WINDOW * WINDOW)
        return slice(start, min(start + WINDOW, size))


def focus_bar(run: Embedded, widest: int) -> Focus:
    """Show the bar and return the focus, moved to the nearest that this run has.

    `widest` is the longest axis on the page; past 64 a window over it can be chosen.
    """
    lang, (B, T) = state.read("lang"), run.ids.shape
    h = run.config.h if isinstance(run, Trace) else 1
    with st.container(horizontal=True, gap="small", key="focus"):
        item = _select("item", ITEM(lang), B, lambda i: f"{i} · {_sentence(run, i)}")
        head = _select("head", HEAD(lang), h, str)
        tokens = run.tokens[item]
        query, key = (
            _select(name, label(lang), T, lambda i: f"{i} · {shorten(visible(tokens[i]), 12)}")
            for name, label in (("query", QUERY), ("key", KEY))
        )
        window = 0
        if widest > WINDOW:
            windows = (widest - 1) // WINDOW + 1
            window = _select("window", WINDOW_LABEL(lang), windows, lambda i: _span(i, widest))
    return Focus(item, head, query, key, window)


def _select(name: str, label: str, count: int, words: Callable[[int], str]) -> int:
    value = min(state.read(name), count - 1)
    labels = [words(i) for i in range(count)]
    return st.selectbox(
        label,
        range(count),
        format_func=labels.__getitem__,
        width=170,
        filter_mode=None,
        **state.widget(name, value, labels),
    )


def _sentence(run: Embedded, item: int) -> str:
    return shorten(" ".join(map(visible, run.tokens[item])), 13)


def _span(window: int, widest: int) -> str:
    return f"{window * WINDOW}–{min((window + 1) * WINDOW, widest) - 1}"
