"""The focus: what every page looks at, and the bar that moves it."""

from dataclasses import dataclass

import streamlit as st

from explorer.core import Embedded, Trace
from explorer.core.tokens import visible
from explorer.settings import state
from explorer.settings.parameters import WINDOW
from explorer.text import Text, shorten

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


def focus_of(run: Embedded) -> Focus:
    """The focus of the link, moved to the nearest that this run has."""
    B, T = run.ids.shape
    counts = {"item": B, "head": _heads(run), "query": T, "key": T}
    nearest = {name: min(state.read(name), count - 1) for name, count in counts.items()}
    return Focus(**nearest, window=state.read("window"))


def focus_bar(run: Embedded, focus: Focus, widest: int) -> None:
    """Show the bar that moves the focus, as far as there is anything to choose.

    `widest` is the longest axis on the page; past 64 a window over it can be chosen.
    """
    lang, (B, T), tokens = state.read("lang"), run.ids.shape, run.tokens[focus.item]
    words = [f"{i} · {shorten(visible(tokens[i]), 12)}" for i in range(T)]
    controls = {
        "item": (ITEM, [f"{i} · {_sentence(run, i)}" for i in range(B)]),
        "head": (HEAD, list(map(str, range(_heads(run))))),
        "query": (QUERY, words),
        "key": (KEY, words),
    }
    if widest > WINDOW:
        windows = range((widest - 1) // WINDOW + 1)
        controls["window"] = (WINDOW_LABEL, [_span(i, widest) for i in windows])
    hidden = state.read("hide")
    shown = [name for name in controls if name not in hidden and len(controls[name][1]) > 1]
    if shown:
        with st.container(horizontal=True, gap="small", key="focus"):
            for name in shown:
                label, words = controls[name]
                _select(name, min(getattr(focus, name), len(words) - 1), label(lang), words)


def _heads(run: Embedded) -> int:
    return run.config.h if isinstance(run, Trace) else 1


def _select(name: str, value: int, label: str, words: list[str]) -> None:
    st.selectbox(
        label,
        range(len(words)),
        format_func=words.__getitem__,
        width=170,
        filter_mode=None,
        **state.widget(name, value, words),
    )


def _sentence(run: Embedded, item: int) -> str:
    return shorten(" ".join(map(visible, run.tokens[item])), 13)


def _span(window: int, widest: int) -> str:
    return f"{window * WINDOW}–{min((window + 1) * WINDOW, widest) - 1}"
