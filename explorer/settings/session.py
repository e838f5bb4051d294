"""What a session keeps between its runs."""

from collections import Counter
from contextvars import ContextVar
from dataclasses import dataclass, field

import streamlit as st


@dataclass
class Session:
    """What a session keeps: the text of every parameter, and what its widgets and its URL are at.

    `versions` counts how often each widget was made anew, `words` are those last shown on it; a
    widget is known by its parameter, and by its part where several show one. `values` are what was
    last known of each of their keys. `written` is the URL as it was last written, `repeated` what
    stood in it more than once.
    """

    raw: dict[str, str] = field(default_factory=dict)
    versions: Counter[str] = field(default_factory=Counter)
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)
    values: dict[str, object] = field(default_factory=dict)
    written: dict[str, str] | None = None
    repeated: dict[str, list[str]] = field(default_factory=dict)


_current: ContextVar[Session] = ContextVar("session")


def session() -> Session:
    """What this session keeps, looked up once a run: Streamlit's own look-up takes locks."""
    try:
        return _current.get()
    except LookupError:
        found = st.session_state.setdefault("session", Session())
        _current.set(found)
        return found
