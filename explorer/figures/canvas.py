"""Panels in a figure: cells, masked cells, axes, titles, head bands, all on shared scales."""

import math

from explorer.figures.marks import band, ground, lights, outline, row_name, title
from explorer.figures.panel import Axis, Panel, Scale, escape, label_pixels
from explorer.figures.theme import Theme, colorscale, typed

WRITTEN = 12  # up to this many columns side by side, a cell has room for its number
HALF = 440  # pixels of a figure in one of two columns
LINE = 6.5  # pixels that a small label needs; with less, every second or third is written
COUNTED = 16  # of labels that only count up, this many are enough
OWN = " · "  # after the title of a panel with a scale of its own; then the ends of that
BAND = 16  # pixels of the head bands above a matrix


class Canvas:
    """Panels put into one figure of `height` pixels; positions are pixels from its top.

    Its `width` in pixels is what labels are thinned and turned for; the reader's screen may differ.
    """

    def __init__(
        self, scale: Scale, colors: Theme, written: bool, height: int, width: int = HALF
    ) -> None:
        self.scale, self.colors, self.written = scale, colors, written
        self.height, self.width = height, width
        self.data: list[dict] = []
        margin = {"l": 54, "r": 12, "t": 0, "b": 0}
        self.layout: dict = {"height": height, "margin": margin, "annotations": [], "shapes": []}

    def put(
        self,
        panel: Panel,
        x: tuple[float, float],
        y: tuple[int, int],
        share_x: str = "",
        share_y: str = "",
        row_labels: bool = True,
    ) -> str:
        """Draw a panel between the fractions `x` and the pixels `y`; return the number of its axes.

        With `share_x` or `share_y` it moves on the axis of an earlier panel, so that a crosshair
        runs through both.
        """
        number = str(len(self.data) + 1)
        x_axis, y_axis = share_x or number, share_y or number
        self._cells(panel, x_axis, y_axis)
        top, bottom = self._paper(y[0]), self._paper(y[1])
        if not share_x:
            pixels = (x[1] - x[0]) * self.width
            axis = self._axis(panel.columns, x, pixels, True)
            if max(map(label_pixels, panel.columns.labels)) * len(panel.columns.labels) > pixels:
                axis["tickangle"] = 90
            name = {"text": f"{escape(panel.columns.name)} →", "font": {"size": 12}, "standoff": 4}
            self.layout[f"xaxis{x_axis}"] = axis | {"anchor": f"y{y_axis}", "title": name}
        if not share_y:
            axis = self._axis(panel.rows, (bottom, top), y[1] - y[0], row_labels)
            axis["range"] = axis["range"][::-1]  # row 0 on top
            self.layout[f"yaxis{y_axis}"] = axis | {"anchor": f"x{x_axis}", "automargin": "left"}
        if row_labels and not share_y:
            self.layout["annotations"] += row_name(panel.rows.name, x[0], top, self.colors)
        shapes, place = self.layout["shapes"], (f"x{x_axis}", f"y{y_axis}")
        shapes += [
            band(each, place[0], self._paper(y[0] - 2), self._paper(y[0] - BAND), self.colors)
            for each in panel.bands
        ]
        if panel.title:
            above = self._paper(y[0] - BAND * bool(panel.bands))
            note = title(panel.title, x[0], above)
            if panel.scale:  # the bar tells only the figure's
                note |= {"text": panel.title + OWN + ends(panel.scale), "name": "".join(place)}
            self.layout["annotations"].append(note)
        if panel.outline:
            shapes.append(outline(panel.outline, place, {"color": self.colors.ink, "width": 2}))
        shapes += lights(panel.lit, place, self.colors)
        return number

    def _paper(self, pixel: float) -> float:
        return 1 - pixel / self.height

    def _cells(self, panel: Panel, x_axis: str, y_axis: str) -> None:
        values = panel.values.detach().cpu().float()
        masked, scale = values.isneginf(), panel.scale or self.scale
        gap = 1 if max(values.shape) <= 32 else 0
        place = {
            "type": "heatmap",
            "xaxis": f"x{x_axis}",
            "yaxis": f"y{y_axis}",
            "xgap": gap,
            "ygap": gap,
            "textfont": {"color": self.colors.ink},
            "showscale": False,
        }
        self.data.append(
            place
            | {
                "z": typed(values.masked_fill(masked, math.nan)),
                "zmin": scale.low,
                "zmax": scale.high,
                "colorscale": colorscale(scale.colors),
                **_hover(panel),
                "texttemplate": "%{z:.2f}" if self.written else None,
                "showscale": panel.scale is None and not any(d["showscale"] for d in self.data),
                "colorbar": colorbar(scale, self.colors),
            }
        )
        nan = values.isnan() & (not panel.gaps)
        if panel.elements and not gap and not nan.any():  # a ground is all that so many cells need
            if masked.any():
                self.layout["shapes"].append(ground(values.shape, place, self.colors.masked))
            return
        nowhere = {"−∞": (masked, self.colors.masked), "NaN": (nan, self.colors.signed[0])}
        for word, (there, fill) in nowhere.items():
            if there.any():
                words = [[word if cell else "" for cell in row] for row in there.tolist()]
                self.data.append(
                    place
                    | {
                        "z": typed(there.float().masked_fill(~there, math.nan)),
                        "colorscale": colorscale((fill, fill)),
                        **_hover(panel, word),
                        **({"text": words, "texttemplate": "%{text}"} if self.written else {}),
                    }
                )

    def _axis(self, axis: Axis, domain: tuple[float, float], pixels: float, labelled: bool) -> dict:
        n = len(axis.labels)
        every = math.ceil(n / COUNTED if axis.counted else n * LINE / pixels)
        return {
            "domain": domain,
            "range": [-0.5, n - 0.5],
            "tickvals": list(range(0, n, every)),
            "ticktext": [escape(label) for label in axis.labels[::every]],
            "tickfont": {"size": 12 if n <= 16 else 9 if n <= 40 else 8},
            "color": self.colors.muted,
            "showticklabels": labelled,
            "ticks": "",
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        }


def _hover(panel: Panel, word: str = "") -> dict:
    """What a cell says of itself: an element is named by the browser, which hears of the hover."""
    if panel.elements:
        return {"hoverinfo": "none", "meta": panel.elements.meta(word=word)}
    at = f"{escape(panel.name)}[{panel.rows.name} %{{y}}, {panel.columns.name} %{{x}}]"
    return {"hovertemplate": f"{at} = {word or '%{z:.4f}'}<extra></extra>"}


def ends(scale: Scale) -> str:
    """Both ends of a scale, as a title tells them."""
    if scale.low == -scale.high:
        return f"±{scale.high:.2g}"
    return f"{scale.low:.2g} … {scale.high:.2g}"


def colorbar(scale: Scale, colors: Theme) -> dict:
    """The bar of a scale, lying above the panels."""
    ticks = (scale.low, (scale.low + scale.high) / 2, scale.high)
    return {
        "tickvals": ticks,
        "ticktext": [f"{tick:.3g}".replace("-", "−") for tick in ticks],
        "orientation": "h",
        "x": 1,
        "xanchor": "right",
        "y": 1,
        "yanchor": "top",
        "len": 140,
        "lenmode": "pixels",
        "thickness": 8,
        "xpad": 10,
        "ypad": 2,
        "outlinewidth": 0,
        "tickfont": {"size": 11, "color": colors.muted},
    }
