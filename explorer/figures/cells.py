"""Grids of labelled cells: tokens with their ids, and memory with its addresses."""

import plotly.graph_objects as go
from torch import Tensor

from explorer.figures.matrix import foot, row_pixels
from explorer.figures.panel import Axis, Canvas, Panel, Scale, escape
from explorer.figures.theme import Theme, figure, flat

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
    outline: tuple[int, int, int, int] | None = None,
) -> go.Figure:
    """A grid (rows × columns) of texts; `groups` (float) says which of the `fills` each cell gets.

    A group past the last fill starts over, NaN leaves the cell out. `hover` says of each cell what
    the text leaves out.
    """
    n, lines = len(rows.labels), max(text.count("\n") + 1 for row in texts for text in row)
    height = TITLE + max(row_pixels(n), 22 * lines) * n + foot(columns)
    canvas = Canvas(Scale(fills, -0.5, len(fills) - 0.5), colors, False, height)
    panel = Panel("", groups % len(fills), rows, columns, title, outline)
    canvas.put(panel, (0, 1), (TITLE, height - foot(columns)))
    canvas.data[0] |= {
        "colorscale": flat(fills),
        "showscale": False,
        "text": [[_lines(text) for text in row] for row in texts],
        "texttemplate": "%{text}" if len(columns.labels) <= ROOM else None,
        "customdata": [[_lines(text) for text in row] for row in hover],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    return figure(canvas.data, canvas.layout, colors)


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")
