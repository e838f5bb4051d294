"""Curves and bars: sinusoids over position, addresses in reading order, attention of one query."""

from dataclasses import dataclass

from torch import Tensor

from explorer.figures.elements import Elements
from explorer.figures.panel import Axis, escape
from explorer.figures.theme import Figure, Theme, figure, typed


@dataclass(frozen=True)
class Curve:
    """One line: its points, what its hover adds, and how it differs from the others.

    The first of its points may be `elements` of a tensor.
    """

    name: str
    x: Tensor
    y: Tensor
    hover: str = ""
    color: int = 0
    dash: str = "solid"
    markers: bool = False
    elements: Elements | None = None


def curves(
    lines: list[Curve],
    x_name: str,
    y_name: str,
    colors: Theme,
    span: tuple[float, float] | None = None,
    log: str = "",
) -> Figure:
    """Lines over a common axis, told apart by colour and dash; `span` of the axis is shaded.

    The axes named in `log` ("x", "y" or "xy") are logarithmic.
    """
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers" if line.markers else "lines",
            "name": escape(line.name),
            "x": typed(line.x),
            "y": typed(line.y),
            "line": {
                "color": colors.lines[line.color % len(colors.lines)],
                "dash": line.dash,
                "width": 2,
            },
            "marker": {"size": 5},
            "meta": line.elements and line.elements.meta(),
            "hovertemplate": f"{escape(line.name)}{escape(line.hover)}<br>"
            f"{escape(x_name)} %{{x}}: %{{y:.6g}}<extra></extra>",
        }
        for line in lines
    ]
    layout = {
        "height": 280,
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1.02,
            "yanchor": "bottom",
            "font": {"size": 12},
        },
        "xaxis": value_axis(x_name, colors) | {"showgrid": False},
        "yaxis": value_axis(y_name, colors) | {"automargin": True, "nticks": 5},
        "margin": {"l": 8, "r": 8, "t": 8, "b": 44},
    }
    for axis in log:
        layout[f"{axis}axis"] |= {"type": "log", "exponentformat": "power"}
    if span:
        shade = {"type": "rect", "yref": "paper", "y0": 0, "y1": 1, "x0": span[0], "x1": span[1]}
        fill = {"fillcolor": colors.grid, "opacity": 0.5, "line": {"width": 0}, "layer": "below"}
        layout["shapes"] = [shade | fill]
    return figure(data, layout, colors)


def bars(
    values: Tensor,
    names: tuple[str, ...],
    fills: list[str],
    keys: Axis,
    elements: list[Elements],
    colors: Theme,
) -> Figure:
    """One strip of bars a row of `values` (rows × keys), each under its name, on one height.

    The height is 1, or a round part of it where all bars are small. `elements` are those of each
    strip.
    """
    highest = next((step for step in (0.1, 0.25, 0.5) if values.max() <= step), 1)
    n, strip, foot = len(names), 88, 56
    height = n * strip + foot
    data, layout = [], {"height": height, "margin": {"l": 8, "r": 8, "t": 0, "b": 0}}
    layout["bargap"] = 0.25
    layout["annotations"] = []
    written = len(keys.labels) <= 12
    for i, name in enumerate(names):
        number = str(i + 1)
        top = 1 - (i * strip + 34) / height
        data.append(
            {
                "type": "bar",
                "x": list(range(len(keys.labels))),
                "y": typed(values[i]),
                "yaxis": f"y{number}",
                "marker": {"color": fills[i]},
                "hoverinfo": "none",
                "meta": elements[i].meta(),
                "texttemplate": "%{y:.2f}" if written else None,
                "textposition": "outside",
                "cliponaxis": False,
                "textfont": {"size": 11, "color": colors.ink},
            }
        )
        layout[f"yaxis{number}"] = value_axis("", colors) | {
            "domain": [1 - ((i + 1) * strip - 6) / height, top],
            "range": [0, highest],
            "tickvals": [0, highest],
            "tickfont": {"size": 10},
            "automargin": True,
        }
        layout["annotations"].append(
            {
                "text": escape(name),
                "x": 0,
                "y": top,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "bottom",
                "yshift": 14,
                "showarrow": False,
                "font": {"size": 12},
            }
        )
    layout["xaxis"] = value_axis(keys.name, colors) | {
        "anchor": f"y{n}",
        "showgrid": False,
        "tickvals": list(range(len(keys.labels))),
        "ticktext": [escape(label) for label in keys.labels],
        "tickfont": {"size": 12 if len(keys.labels) <= 16 else 9},
    }
    return figure(data, layout, colors)


def value_axis(name: str, colors: Theme) -> dict:
    """An axis of values: its name, calm lines, no dragging."""
    return {
        "title": {"text": escape(name), "font": {"size": 12}, "standoff": 6},
        "color": colors.muted,
        "gridcolor": colors.grid,
        "zeroline": False,
        "fixedrange": True,
    }
