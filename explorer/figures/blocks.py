"""Sizes drawn to scale: a width cut into heads, two widths, and matrices beside each other."""

from dataclasses import dataclass

from explorer.figures.panel import escape
from explorer.figures.theme import Figure, Theme, figure, hidden_axis

ROOM = 32  # up to this many heads have room for their number
STRIPES = 64  # more heads than this could not be told apart


@dataclass(frozen=True)
class Block:
    """A matrix to scale: its name, its size, and which of its sides is cut into the heads."""

    name: str
    rows: int
    columns: int
    heads_on_rows: bool


def ledger(h: int, d_k: int, texts: tuple[str, ...], total: str, colors: Theme) -> Figure:
    """The width h·d_k as one bar, cut into h pieces of d_k; `texts` are written into them."""
    heads = range(h)
    pieces = [
        (0, head * d_k, d_k, colors.heads[head % len(colors.heads)], text)
        for head, text in zip(heads, texts, strict=True)
    ]
    hover = {
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
        "yaxis": hidden_axis([-0.5, 0.5]),
    }
    return figure([_bar(pieces, h, colors) | hover], layout, colors)


def widths(d_model: int, h: int, d_k: int, names: tuple[str, str], colors: Theme) -> Figure:
    """d_model as one bar, and below it, on the same scale, h pieces of d_k."""
    pieces = [(1, 0, d_model, colors.roles["x"], "")]
    pieces += [
        (0, head * d_k, d_k, colors.heads[head % len(colors.heads)], str(head)) for head in range(h)
    ]
    layout = {
        "height": 132,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 4},
        "barmode": "overlay",
        "xaxis": hidden_axis([0, max(d_model, h * d_k)]),
        "yaxis": hidden_axis([-0.4, 1.75]),
        "annotations": [
            _words(name, 0, line + 0.31, colors) | {"xanchor": "left", "yanchor": "bottom"}
            for name, line in zip(names, (1, 0), strict=True)
        ],
    }
    bar = _bar(pieces, h, colors) | {"width": 0.6, "hoverinfo": "skip"}
    return figure([bar], layout, colors)


def _bar(pieces: list[tuple[int, int, int, str, str]], h: int, colors: Theme) -> dict:
    """Pieces (line, start, length, fill, text) of bars; without texts where h are too many."""
    y, base, length, fill, text = map(list, zip(*pieces, strict=True))
    edge = {"color": colors.surface, "width": 2 if h <= STRIPES else 0}
    return {
        "type": "bar",
        "orientation": "h",
        "y": y,
        "base": base,
        "x": length,
        "marker": {"color": fill, "line": edge},
        "text": text if h <= ROOM else None,
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": colors.ink, "size": 13},
    }


def blocks(matrices: list[Block], h: int, colors: Theme) -> Figure:
    """Matrices beside each other, rows and columns on one scale, the heads as stripes."""
    tallest = max(block.rows for block in matrices)
    gap = 0.25 * max(max(block.rows, block.columns) for block in matrices)
    shapes, words, left = [], [], 0.0
    for block in matrices:
        shapes += _stripes(block, left, h, colors)
        middle = left + block.columns / 2
        words.append(_words(f"<b>{escape(block.name)}</b>", middle, 0, colors) | {"yshift": 14})
        size = f"{block.rows:,} × {block.columns:,}"
        words.append(_words(size, middle, block.rows, colors) | {"yshift": -14})
        left += block.columns + gap
    layout = {
        "height": 340,
        "margin": {"l": 8, "r": 8, "t": 30, "b": 30},
        "shapes": shapes,
        "annotations": words,
        "xaxis": hidden_axis([0, left - gap]) | {"constrain": "domain"},
        "yaxis": hidden_axis([tallest, 0]) | {"scaleanchor": "x", "constrain": "domain"},
    }
    nothing = {"type": "scatter", "x": [0], "y": [0], "mode": "markers", "opacity": 0}
    return figure([nothing | {"hoverinfo": "skip"}], layout, colors)


def _stripes(block: Block, left: float, h: int, colors: Theme) -> list[dict]:
    """The rectangle of a matrix, cut into h stripes (one, where they are too many to be seen)."""
    stripes, h = [], h if h <= STRIPES else 1
    for head in range(h):
        start, stop = head / h, (head + 1) / h
        x, y = ((0, 1), (start, stop)) if block.heads_on_rows else ((start, stop), (0, 1))
        stripes.append(
            {
                "type": "rect",
                "x0": left + x[0] * block.columns,
                "x1": left + x[1] * block.columns,
                "y0": y[0] * block.rows,
                "y1": y[1] * block.rows,
                "fillcolor": colors.heads[head % len(colors.heads)],
                "line": {"color": colors.surface, "width": 1 if h <= ROOM else 0},
            }
        )
    return stripes


def _words(text: str, x: float, y: float, colors: Theme) -> dict:
    font = {"size": 13, "color": colors.ink}
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": font}
