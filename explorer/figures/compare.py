"""Two figures of one kind on the same ranges, so that they can be compared."""

import math
from copy import deepcopy
from dataclasses import dataclass

from torch import Tensor

from explorer.figures.canvas import OWN, colorbar, ends
from explorer.figures.panel import Scale
from explorer.figures.theme import Figure, Theme, colorscale, untyped

HEADING = 26  # pixels


@dataclass(frozen=True)
class Heat:
    """A panel: its trace, its values with −∞ where masked, its title if that tells its scale."""

    trace: dict
    values: Tensor
    title: dict | None

    def rescale(self, scale: Scale, colors: Theme) -> None:
        """Draw it on another scale, and tell so."""
        ranged = {"zmin": scale.low, "zmax": scale.high, "colorbar": colorbar(scale, colors)}
        self.trace.update(ranged, colorscale=colorscale(scale.colors))
        if self.title:
            self.title["text"] = self.title["text"].partition(OWN)[0] + OWN + ends(scale)


def on_one_range(first: Figure, second: Figure, colors: Theme) -> tuple[Figure, Figure]:
    """Both figures with every colour scale and every axis of values as wide as the wider one."""
    both = [deepcopy(figure.to_dict()) for figure in (first, second)]
    heats = [heats_of(spec) for spec in both]
    for group in groups(*heats):
        low = min(heat.trace["zmin"] for heat in group)
        high = max(heat.trace["zmax"] for heat in group)
        scale = Scale(tuple(color for _, color in group[0].trace["colorscale"]), low, high)
        for heat in group:
            heat.rescale(scale, colors)
    if not heats[0]:
        _widen_axes(both)
    return Figure(**both[0]), Figure(**both[1])


def heats_of(spec: dict) -> list[Heat]:
    """The panels of a figure that draw values, not groups: those whose hover tells a number."""
    titles = {
        note["name"]: note for note in spec["layout"].get("annotations", ()) if "name" in note
    }
    grounded = any(shape.get("layer") == "below" for shape in spec["layout"].get("shapes", ()))
    found: dict[str, Heat] = {}
    for trace in spec["data"]:
        place = trace.get("xaxis", "") + trace.get("yaxis", "")
        word = word_of(trace)
        if word == "":
            values = untyped(trace["z"])
            if grounded:  # a masked cell shows it, without a trace of its own
                values = values.nan_to_num(-math.inf)
            found[place] = Heat(trace, values, titles.get(place))
        elif place in found and word == "−∞":
            found[place].values[~untyped(trace["z"]).isnan()] = -math.inf
    return list(found.values())


def word_of(trace: dict) -> str | None:
    """What stands in the cells of a heatmap instead of numbers: nothing, −∞; None for groups."""
    if trace.get("meta"):
        return trace["meta"].get("word")
    hover = trace.get("hovertemplate", "")
    return "" if "%{z" in hover else "−∞" if "−∞" in hover else None


def of_another_run(figure: Figure, tokens: tuple[tuple[str, ...], ...]) -> None:
    """Tell the browser that the elements of a figure are not of the run shown, but of `tokens`."""
    for trace in figure.to_dict()["data"]:
        if trace.get("meta"):
            trace["meta"] = trace["meta"] | {"tokens": tokens}


def headed(figure: Figure, heading: str) -> Figure:
    """The figure with a heading above it, which a saved picture of it has too."""
    spec = deepcopy(figure.to_dict())
    layout, font = spec["layout"], {"size": 14, "weight": 700}
    layout["margin"]["t"] += HEADING
    layout["height"] += HEADING
    layout["title"] = {"text": heading, "x": 0, "y": 1, "yanchor": "top", "font": font}
    layout["title"]["pad"] = {"t": 4, "l": 4}
    return Figure(**spec)


def groups(*figures: list[Heat]) -> list[list[Heat]]:
    """The panels of one scale: those on the scale of the bar; each that has its own, apart."""
    shared = [heat for heats in figures for heat in heats if not heat.title]
    own = ([heat for heat in heats if heat.title] for heats in figures)
    return [group for group in (shared, *map(list, zip(*own, strict=True))) if group]


def _widen_axes(both: list[dict]) -> None:
    """Bars get the widest range that one of them has; curves one that holds all their points."""
    kind = both[0]["data"][0]["type"]
    for letter in "xy":
        axes = [
            axis
            for spec in both
            for name, axis in spec["layout"].items()
            if name[:5] == letter + "axis"
        ]
        ranged = [axis for axis in axes if "range" in axis]
        if kind == "bar":
            _set_range(ranged, [end for axis in ranged for end in axis["range"]])
        elif kind == "scatter" and not ranged:
            lines = [untyped(line[letter]) for spec in both for line in spec["data"]]
            _set_range(
                axes, [float(end) for line in lines for end in (line.min(), line.max())], 0.04
            )


def _set_range(axes: list[dict], ends_: list[float], margin: float = 0) -> None:
    low, high = min(ends_, default=0), max(ends_, default=0)
    for axis in axes:
        axis["range"] = [low - margin * (high - low), high + margin * (high - low)]
