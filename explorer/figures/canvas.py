"""Panels in a figure: cells, masked cells, axes, titles, head bands, all on shared scales."""

import math

from explorer.figures.panel import Axis, Band, Panel, Scale, escape, label_pixels
from explorer.figures.theme import Theme, colorscale, typed

WRITTEN = 12  # up to this many columns side by side, a cell has room for its number
HALF = 440  # pixels of a figure in one of two columns
LINE = 6.5  # pixels that a small label needs; with less, every second or third is written
COUNTED = 16  # of labels that only count up, this many are enough
OWN = " · "  # after the title of a panel with a scale of its own; then the ends of that
BAND = 16  # pixels of the head bands above a matrix
ABOVE = {"xref": "paper", "yref": "paper", "yanchor": "bottom", "yshift": 2, "showarrow": False}


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
            self._row_name(panel.rows.name, x[0], top)
        if panel.bands:
            self._bands(panel.bands, x_axis, y[0])
        if panel.title:
            self._title(panel, x[0], self._paper(y[0] - BAND * bool(panel.bands)))
        if panel.outline:
            self._outline(panel.outline, x_axis, y_axis)
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
        at = ", ".join((*panel.chosen, f"{panel.rows.name} %{{y}}", f"{panel.columns.name} %{{x}}"))
        at = f"{escape(panel.name)}[{at}]"
        self.data.append(
            place
            | {
                "z": typed(values.masked_fill(masked, math.nan)),
                "zmin": scale.low,
                "zmax": scale.high,
                "colorscale": colorscale(scale.colors),
                "hovertemplate": f"{at} = %{{z:.4f}}<extra></extra>",
                "texttemplate": "%{z:.2f}" if self.written else None,
                "showscale": panel.scale is None and not any(d["showscale"] for d in self.data),
                "colorbar": colorbar(scale, self.colors),
            }
        )
        nan = values.isnan() & (not panel.gaps)
        nowhere = {"−∞": (masked, self.colors.masked), "NaN": (nan, self.colors.signed[0])}
        for word, (there, fill) in nowhere.items():
            if there.any():
                self.data.append(
                    place
                    | {
                        "z": typed(there.float().masked_fill(~there, math.nan)),
                        "colorscale": colorscale((fill, fill)),
                        "hovertemplate": f"{at} = {word}<extra></extra>",
                        "text": [[word if cell else "" for cell in row] for row in there.tolist()],
                        "texttemplate": "%{text}" if self.written else None,
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

    def _bands(self, bands: tuple[Band, ...], x_axis: str, top: int) -> None:
        fills = self.colors.heads
        for band in bands:
            self.layout["shapes"].append(
                {
                    "type": "rect",
                    "xref": f"x{x_axis}",
                    "yref": "paper",
                    "x0": band.start - 0.5,
                    "x1": band.stop - 0.5,
                    "y0": self._paper(top - 2),
                    "y1": self._paper(top - BAND),
                    "fillcolor": fills[band.head % len(fills)],
                    "line": {"width": 0},
                    "label": {
                        "text": str(band.head),
                        "font": {"size": 11, "color": self.colors.ink},
                    },
                }
            )

    def _title(self, panel: Panel, x: float, y: float) -> None:
        words = {"text": panel.title, "x": x, "y": y, "xanchor": "left", "font": {"size": 13}}
        if panel.scale:  # the bar tells only the figure's
            words["text"] += f"{OWN}{ends(panel.scale)}"
            words["name"] = self.data[-1]["xaxis"] + self.data[-1]["yaxis"]
        self.layout["annotations"].append(ABOVE | words)

    def _row_name(self, name: str, x: float, y: float) -> None:
        """What the rows are, above their labels: beside them, it would lie on long ones."""
        font = {"size": 12, "color": self.colors.muted}
        words = {"text": f"{escape(name)} ↓", "x": x, "y": y, "xanchor": "right", "font": font}
        if name:
            self.layout["annotations"].append(ABOVE | words | {"xshift": -4})

    def _outline(self, outline: tuple[int, int, int, int], x_axis: str, y_axis: str) -> None:
        row, column, rows, columns = outline
        self.layout["shapes"].append(
            {
                "type": "rect",
                "xref": f"x{x_axis}",
                "yref": f"y{y_axis}",
                "x0": column - 0.5,
                "x1": column + columns - 0.5,
                "y0": row - 0.5,
                "y1": row + rows - 0.5,
                "line": {"color": self.colors.ink, "width": 2},
            }
        )


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
