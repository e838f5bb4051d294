"""Grids of labelled cells: tokens with their ids, and memory with its addresses."""

from collections.abc import Callable
from itertools import groupby

from torch import Tensor

from explorer.figures.canvas import Canvas
from explorer.figures.matrix import foot, row_pixels
from explorer.figures.panel import Axis, Panel, Scale, escape
from explorer.figures.theme import Figure, Theme, figure, flat

TITLE = 26
ROOM = 16  # up to this many columns, the texts are written into the cells


def cells(
    texts: list[list[str]],
    hover: list[list[str]],
    groups: Tensor,
    fills: tuple[str, ...],
    rows: Axis,
    columns: Axis,
    title: str,
    colors: Theme,
    names: Callable[[int], str] = str,
    outline: tuple[int, int, int, int] | None = None,
) -> Figure:
    """A grid (rows × columns) of texts; `groups` (float) says which of the `fills` each cell gets.

    A group past the last fill starts over, NaN leaves the cell out. Where cells are too many for
    their texts, each block of one group carries its name instead. `hover` says of each cell what
    is not written; `outline` is (first row, first column, rows, columns) of what is looked at.
    """
    n, lines = len(rows.labels), max(text.count("\n") + 1 for row in texts for text in row)
    height = TITLE + max(row_pixels(n), 22 * lines) * n + foot(columns)
    canvas = Canvas(Scale(fills, -0.5, len(fills) - 0.5), colors, False, height)
    panel = Panel("", groups % len(fills), rows, columns, title, outline, gaps=True)
    canvas.put(panel, (0, 1), (TITLE, height - foot(columns)))
    room = len(columns.labels) <= ROOM
    marks = [] if room else _block_names(groups, names)
    canvas.data[0] |= {
        "colorscale": flat(fills),
        "showscale": False,
        "text": [[_lines(text) for text in row] for row in (texts if room else marks)],
        "texttemplate": "%{text}",
        "textfont": {"color": colors.ink} | ({} if room else {"size": 11}),
        "customdata": [[_lines(text) for text in row] for row in hover],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    return figure(canvas.data, canvas.layout, colors)


def _block_names(groups: Tensor, names: Callable[[int], str]) -> list[list[str]]:
    """The name of each block in the middle of its first row, all other texts empty."""
    marks = [["" for _ in row] for row in groups]
    for r, row in enumerate(groups.tolist()):
        start = 0
        for group, run in groupby(row):
            stop = start + len(list(run))
            above = groups[r - 1, start:stop].tolist() if r else []
            if above != [group] * (stop - start):
                marks[r][(start + stop) // 2] = names(int(group))
            start = stop
    return marks


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")
