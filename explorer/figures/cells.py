"""Grids of labelled cells: tokens with their ids, and memory with its addresses."""

from collections.abc import Callable
from itertools import groupby

import numpy as np
from torch import Tensor

from explorer.figures.canvas import Canvas
from explorer.figures.elements import Elements
from explorer.figures.matrix import foot, row_pixels
from explorer.figures.panel import Axis, Panel, Scale, escape
from explorer.figures.theme import Figure, Theme, figure, flat, typed

TITLE = 26
ROOM = 16  # up to this many columns, the texts are written into the cells


def cells(
    texts: list[list[str]],
    hover: list[list[str]] | tuple[Elements, Tensor],
    groups: Tensor,
    fills: tuple[str, ...],
    rows: Axis,
    columns: Axis,
    title: str,
    colors: Theme,
    names: Callable[[int], str] = str,
    outline: tuple[int, int, int, int] | None = None,
    lit: dict[str, np.ndarray] | None = None,
) -> Figure:
    """A grid (rows × columns) of texts; `groups` (float) says which of the `fills` each cell gets.

    A group past the last fill starts over, NaN leaves the cell out. Where cells are too many for
    their texts, each block of one group carries its name instead. `hover` says of each cell what
    is not written, or which element of a tensor it is, and its value; `outline` is (first row,
    first column, rows, columns) of what is looked at, `lit` as in Panel.
    """
    n, lines = len(rows.labels), max(text.count("\n") + 1 for row in texts for text in row)
    height = TITLE + max(row_pixels(n), 22 * lines) * n + foot(columns)
    canvas = Canvas(Scale(fills, -0.5, len(fills) - 0.5), colors, False, height)
    values = groups % len(fills)
    panel = Panel("", values, rows, columns, title, outline, lit=lit or {}, gaps=True)
    canvas.put(panel, (0, 1), (TITLE, height - foot(columns)))
    room = len(columns.labels) <= ROOM
    marks = [] if room else _block_names(groups, names)
    canvas.data[0] |= {
        "colorscale": flat(fills),
        "showscale": False,
        "text": [[text and _lines(text) for text in row] for row in (texts if room else marks)],
        "texttemplate": "%{text}",
        "textfont": {"color": colors.ink} | ({} if room else {"size": 11}),
        **_hover(hover),
    }
    return figure(canvas.data, canvas.layout, colors)


def _hover(hover: list[list[str]] | tuple[Elements, Tensor]) -> dict:
    if isinstance(hover, tuple):
        elements, values = hover
        return {"hovertemplate": None, "hoverinfo": "none", "meta": elements.meta()} | {
            "customdata": typed(values)
        }
    texts = [[_lines(text) for text in row] for row in hover]
    return {"customdata": texts, "hovertemplate": "%{customdata}<extra></extra>"}


def _block_names(groups: Tensor, names: Callable[[int], str]) -> list[list[str]]:
    """The name of each block in the middle of its first row, all other texts empty."""
    rows = groups.tolist()
    marks = [[""] * len(row) for row in rows]
    for r, row in enumerate(rows):
        start = 0
        for group, run in groupby(row):
            stop = start + len(list(run))
            above = rows[r - 1][start:stop] if r else []
            if above != [group] * (stop - start):
                marks[r][(start + stop) // 2] = names(int(group))
            start = stop
    return marks


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")
