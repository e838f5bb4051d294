"""A measurement over many points, with its progress shown."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from explorer.text import Text
from explorer.turns import others_first

Point = TypeVar("Point")
Found = TypeVar("Found")

PROGRESS = Text(en="{done} of {all} measured", zh="已测 {done} / {all}")


def sweep(points: Sequence[Point], measure: Callable[[Point], Found], lang: str) -> list[Found]:
    """What `measure`, which is to be a cached function, finds at every point.

    Any change of an input stops it between two points; what was measured by then stays cached.
    """
    found: list[Found] = []
    bar = st.progress(0.0)
    for point in points:
        others_first()
        found.append(measure(point))
        words = PROGRESS(lang, done=len(found), all=len(points))
        bar.progress(len(found) / len(points), words)
    bar.empty()
    return found
