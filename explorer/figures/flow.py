"""How shapes flow: a box for every tensor, an arrow from every operand; and the ledger bar."""

from dataclasses import dataclass

import plotly.graph_objects as go

from explorer.figures.panel import escape
from explorer.figures.theme import Theme, figure

ROW = 62  # pixels from one row of boxes to the next
BOX = 40  # pixels of a box


@dataclass(frozen=True)
class Box:
    """A tensor in the picture: where it stands (column of 0 … 2, row), its role and its words."""

    name: str
    column: float
    row: int
    role: str
    shape: tuple[tuple[str, int], ...]  # (which size it is, how large) for every axis
    hover: str


def flow(boxes: list[Box], arrows: list[tuple[str, str]], colors: Theme) -> go.Figure:
    """Boxes in rows from top to bottom; `arrows` lead from the name of one box to another's."""
    rows = max(box.row for box in boxes) + 1
    place = {box.name: box for box in boxes}
    half = BOX / ROW / 2
    shapes = [
        {
            "type": "rect",
            "x0": box.column - 0.44,
            "x1": box.column + 0.44,
            "y0": box.row - half,
            "y1": box.row + half,
            "fillcolor": colors.roles[box.role],
            "line": {"width": 0},
        }
        for box in boxes
    ]
    words = [
        {
            "x": box.column,
            "y": box.row,
            "text": f"<b>{escape(box.name)}</b><br>{_shape(box, colors)}",
            "showarrow": False,
            "font": {"size": 12},
        }
        for box in boxes
    ]
    lines = [
        {
            "x": place[end].column,
            "y": place[end].row - half,
            "ax": place[start].column,
            "ay": place[start].row + half,
            "xref": "x",
            "yref": "y",
            "axref": "x",
            "ayref": "y",
            "text": "",
            "arrowhead": 2,
            "arrowsize": 0.9,
            "arrowwidth": 1.2,
            "arrowcolor": colors.muted,
        }
        for start, end in arrows
    ]
    hover = {
        "type": "scatter",
        "mode": "markers",
        "x": [box.column for box in boxes],
        "y": [box.row for box in boxes],
        "marker": {"size": BOX, "opacity": 0, "symbol": "square"},
        "customdata": [escape(box.hover) for box in boxes],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    layout = {
        "height": rows * ROW,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "shapes": shapes,
        "annotations": lines + words,
        "xaxis": _hidden([-0.5, 2.5]),
        "yaxis": _hidden([rows - 0.5, -0.5]),
    }
    return figure([hover], layout, colors)


def ledger(h: int, d_k: int, texts: tuple[str, ...], total: str, colors: Theme) -> go.Figure:
    """The width h·d_k as one bar, cut into h pieces of d_k; `texts` are written into them."""
    heads = range(h)
    bar = {
        "type": "bar",
        "orientation": "h",
        "x": [d_k] * h,
        "y": [0] * h,
        "base": [head * d_k for head in heads],
        "marker": {
            "color": [colors.heads[head % len(colors.heads)] for head in heads],
            "line": {"color": colors.surface, "width": 2 if h <= 64 else 0},
        },
        "text": texts if h <= 32 else None,
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": colors.ink, "size": 13},
        "customdata": [f"{head * d_k} … {(head + 1) * d_k - 1}" for head in heads],
        "hovertext": texts,
        "hovertemplate": "%{hovertext}: %{customdata}<extra></extra>",
    }
    layout = {
        "height": 96,
        "barmode": "overlay",
        "margin": {"l": 0, "r": 0, "t": 0, "b": 24},
        "xaxis": {
            "range": [0, h * d_k],
            "tickvals": [0, h * d_k],
            "ticktext": ["0", total],
            "color": colors.muted,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": _hidden([-0.5, 0.5]),
    }
    return figure([bar], layout, colors)


def _hidden(range_: list[float]) -> dict:
    return {"range": range_, "visible": False, "fixedrange": True}


def _shape(box: Box, colors: Theme) -> str:
    sizes = (
        f'<span style="color:{colors.sizes[size]}">{n}</span>' if size in colors.sizes else str(n)
        for size, n in box.shape
    )
    return f"({', '.join(sizes)})"
