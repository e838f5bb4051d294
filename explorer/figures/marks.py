"""What is drawn on and around a panel: head bands, titles, outlines of what is looked at or lit."""

import numpy as np

from explorer.figures.elements import rectangles
from explorer.figures.panel import Band, escape
from explorer.figures.theme import Theme

ABOVE = {"xref": "paper", "yref": "paper", "yanchor": "bottom", "yshift": 2, "showarrow": False}
# What was picked, what it is made from, what it feeds: told apart by the line, not by colour.
LINES = {
    "made": {"width": 2.5, "dash": "dash"},
    "feeds": {"width": 2.5, "dash": "dot"},
    "picked": {"width": 4, "dash": "solid"},
}


def band(each: Band, x_axis: str, bottom: float, top: float, colors: Theme) -> dict:
    """The colour and number of a head above its columns."""
    return {
        "type": "rect",
        "xref": x_axis,
        "yref": "paper",
        "x0": each.start - 0.5,
        "x1": each.stop - 0.5,
        "y0": bottom,
        "y1": top,
        "fillcolor": colors.heads[each.head % len(colors.heads)],
        "line": {"width": 0},
        "label": {"text": str(each.head), "font": {"size": 11, "color": colors.ink}},
    }


def title(words: str, x: float, y: float) -> dict:
    """The title of a panel, in Plotly's HTML."""
    return ABOVE | {"text": words, "x": x, "y": y, "xanchor": "left", "font": {"size": 13}}


def row_name(name: str, x: float, y: float, colors: Theme) -> list[dict]:
    """What the rows are, above their labels: beside them, it would lie on long ones."""
    if not name:
        return []
    font = {"size": 12, "color": colors.muted}
    words = {"text": f"{escape(name)} ↓", "x": x, "y": y, "xanchor": "right", "font": font}
    return [ABOVE | words | {"xshift": -4}]


def ground(shape: tuple[int, int], trace: dict, fill: str) -> dict:
    """What is seen behind the cells of a heatmap that have no number."""
    frame = outline((0, 0, *shape), (trace["xaxis"], trace["yaxis"]), {"width": 0})
    return frame | {"layer": "below", "fillcolor": fill}


def outline(box: tuple[int, int, int, int], axes: tuple[str, str], line: dict) -> dict:
    """A frame around cells: (first row, first column, rows, columns)."""
    row, column, rows, columns = box
    return {
        "type": "rect",
        "xref": axes[0],
        "yref": axes[1],
        "x0": column - 0.5,
        "x1": column + columns - 0.5,
        "y0": row - 0.5,
        "y1": row + rows - 0.5,
        "line": line,
    }


def lights(lit: dict[str, np.ndarray], axes: tuple[str, str], colors: Theme) -> list[dict]:
    """The frames around what is lit, each kind in a line of its own."""
    return [
        outline(box, axes, {"color": colors.lit, **line})
        for kind, line in LINES.items()
        if kind in lit
        for box in rectangles(lit[kind])
    ]
