"""Points on two logarithmic axes, with straight lines of equal product or ratio behind them."""

from dataclasses import dataclass

from explorer.figures.curves import value_axis
from explorer.figures.panel import escape
from explorer.figures.theme import Figure, Theme, figure


@dataclass(frozen=True)
class Point:
    """A point: where it lies, what its hover says, and a `label` beside it where it is singled out.

    `size` is how many things lie there.
    """

    x: float
    y: float
    hover: str
    size: int = 1
    label: str = ""


@dataclass(frozen=True)
class Guide:
    """A straight line from (x, y) to (x, y), named at its end."""

    start: tuple[float, float]
    end: tuple[float, float]
    name: str


def points(
    marks: list[Point],
    guides: list[Guide],
    x_name: str,
    y_name: str,
    ticks: tuple[tuple[int, ...], tuple[int, ...]],
    colors: Theme,
) -> Figure:
    """Points over `ticks` of both axes; those with a label are drawn as diamonds, larger."""
    data = [
        {
            "type": "scatter",
            "mode": "lines+text",
            "x": [guide.start[0], guide.end[0]],
            "y": [guide.start[1], guide.end[1]],
            "text": ["", escape(guide.name)],
            "textposition": "top left",
            "textfont": {"size": 11, "color": colors.muted},
            "line": {"color": colors.grid, "width": 1.5},
            "hoverinfo": "skip",
        }
        for guide in guides
    ]
    data.append(
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [point.x for point in marks],
            "y": [point.y for point in marks],
            "text": [f"<b>{escape(point.label)}</b>" if point.label else "" for point in marks],
            "textposition": "bottom right",
            "textfont": {"size": 13, "color": colors.ink},
            "marker": {
                "size": [16 if point.label else 8 + 2 * min(point.size, 5) for point in marks],
                "symbol": ["diamond" if point.label else "circle" for point in marks],
                "color": [colors.lines[1 if point.label else 0] for point in marks],
                "line": {"color": colors.surface, "width": 1},
                "opacity": 1,
            },
            "customdata": [escape(point.hover).replace("\n", "<br>") for point in marks],
            "hovertemplate": "%{customdata}<extra></extra>",
        }
    )
    layout = {"height": 420, "margin": {"l": 8, "r": 8, "t": 8, "b": 44}}
    for name, words, at in (("xaxis", x_name, ticks[0]), ("yaxis", y_name, ticks[1])):
        layout[name] = value_axis(words, colors) | {
            "type": "log",
            "tickvals": at,
            "ticktext": [f"{tick:,}" for tick in at],
            "showgrid": False,
            "automargin": True,
        }
    return figure(data, layout, colors)
