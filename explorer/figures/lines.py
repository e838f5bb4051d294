"""Attention as lines from a column of queries to a column of keys."""

from dataclasses import dataclass

import torch
from torch import Tensor

from explorer.figures.elements import Elements
from explorer.figures.marks import ABOVE
from explorer.figures.panel import Axis, escape
from explorer.figures.theme import Figure, Theme, figure, typed

MOST = 250  # lines of the other queries; of more, none could be followed
THRESHOLDS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)
STOPS = 7  # points of a line at which a hover finds it
THICK = 10  # pixels of a line that carries all the weight of its query
FAINT = 0.22


@dataclass(frozen=True)
class Lines:
    """Which weights (query, key) are drawn: all of one query, and the larger ones of the others.

    Of the others, `left_out` are below the `threshold`, and carry so much `weight` together.
    """

    drawn: Tensor
    threshold: float
    left_out: int
    weight: float


def choose(weights: Tensor, query: int) -> Lines:
    """The lowest threshold with which what is drawn can be read; a weight of 0 is no line.

    Where none is high enough the last is taken: no query has three weights of a half.
    """
    others = weights.clone()
    others[query] = 0
    few = (t for t in THRESHOLDS if int((others > 0).logical_and(others >= t).sum()) <= MOST)
    threshold = next(few, THRESHOLDS[-1])
    left_out = (others > 0) & (others < threshold)
    drawn = (weights > 0) & ~left_out
    return Lines(drawn, threshold, int(left_out.sum()), float(weights[left_out].sum()))


def lines(
    weights: Tensor,
    chosen: Lines,
    queries: Axis,
    keys: Axis,
    query: int,
    elements: Elements,
    color: str,
    colors: Theme,
) -> Figure:
    """The chosen weights as lines, thick as they are large; those of `query` at full strength.

    The weights (query, key) are `elements` of a tensor.
    """
    T = len(queries.labels)
    bundles: dict[tuple[bool, float], list[tuple[int, int]]] = {}
    for start, end in chosen.drawn.nonzero().tolist():
        width = max(0.5, round(2 * THICK * float(weights[start, end])) / 2)
        bundles.setdefault((start == query, width), []).append((start, end))
    layout = {
        "height": T * max(13, min(44, 520 // T)) + 30,
        "margin": {"l": 8, "r": 8, "t": 26, "b": 4},
        "xaxis": {"range": [-0.01, 1.01], "visible": False, "fixedrange": True},
        "yaxis": _tokens(queries, query, colors),
        "yaxis2": _tokens(keys, -1, colors) | {"overlaying": "y", "side": "right"},
        "annotations": [
            ABOVE | {"text": f"{escape(axis.name)} ↓", "x": x, "y": 1, "xanchor": anchor}
            for axis, x, anchor in ((queries, 0, "left"), (keys, 1, "right"))
        ],
        "hovermode": "closest",
    }
    data = [
        _bundle(pairs, weights)
        | {
            "meta": elements.meta(),
            "yaxis": "y2" if strong else "y",
            "line": {"color": color, "width": width},
            "opacity": 1 if strong else FAINT,
        }
        for (strong, width), pairs in sorted(bundles.items())
    ]
    return figure(data, layout, colors)


def _bundle(pairs: list[tuple[int, int]], weights: Tensor) -> dict:
    """Lines of one look as one trace, with a gap after each; its points know query, key, weight."""
    start, end = torch.tensor(pairs, dtype=torch.float32).T[..., None]
    x = torch.cat([torch.linspace(0, 1, STOPS), torch.tensor([torch.nan])])
    known = torch.tensor([(q, k, weights[q, k]) for q, k in pairs])
    return {
        "type": "scatter",
        "mode": "lines",
        "x": typed(x.repeat(len(pairs))),
        "y": typed((start + (end - start) * x).flatten()),
        "customdata": typed(known.repeat_interleave(STOPS + 1, 0)),
        "hoverinfo": "none",
    }


def _tokens(axis: Axis, bold: int, colors: Theme) -> dict:
    labels = [escape(label) for label in axis.labels]
    T = len(labels)
    return {
        "range": [T - 0.5, -0.5],
        "tickvals": list(range(T)),
        "ticktext": [f"<b>{label}</b>" if i == bold else label for i, label in enumerate(labels)],
        "tickfont": {"size": 12 if T <= 32 else 10},
        "color": colors.ink,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "fixedrange": True,
        "automargin": True,
    }
