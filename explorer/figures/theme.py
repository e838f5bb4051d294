"""Colours and the common frame of every figure, in a light and a dark version."""

from base64 import b64decode, b64encode
from dataclasses import dataclass

import numpy as np
import torch
from plotly.basedatatypes import BaseFigure
from torch import Tensor

FONT = "Source Sans, Noto Sans CJK SC, PingFang SC, Microsoft YaHei, sans-serif"


@dataclass(frozen=True)
class Theme:
    """One version of every colour.

    Scales stop at tones on which `ink` keeps a contrast of 4.5, so that a number can be written
    into any cell. `heads` follows Paul Tol's bright palette, toned for the same reason.
    """

    ink: str
    muted: str
    grid: str
    surface: str
    signed: tuple[str, ...]  # −limit … 0 … +limit
    share: tuple[str, ...]  # 0 … 1
    masked: str
    lit: str  # the frame around a picked number, what it is made from and what it feeds
    heads: tuple[str, ...]  # fills
    lines: tuple[str, ...]  # the same hues, strong enough for a line
    sizes: dict[str, str]  # B, T, d_model, h, d_k
    roles: dict[str, str]  # x, q, k, v, output, and the rest


LIGHT = Theme(
    ink="#1b2430",
    muted="#5b6673",
    grid="#d9dee5",
    surface="#ffffff",
    signed=("#e2806f", "#f3c3b8", "#fbfbfb", "#b9d3ec", "#6ea3d8"),
    share=("#fdfdfd", "#cfe8e0", "#8fcdbb", "#4fae98"),
    masked="#e3e6ea",
    lit="#b0480c",
    heads=("#8fb3d6", "#f4a3ae", "#8fc79a", "#e3d68a", "#a5def2", "#d29abc", "#c9ccd1", "#d9b48f"),
    lines=("#33679b", "#c8384f", "#1c7a33", "#8a7b12", "#1f7f9c", "#8f2a64", "#666b73", "#8a5a24"),
    sizes={
        "B": "#686255",
        "T": "#9b4519",
        "d_model": "#6f33b8",
        "h": "#244fb4",
        "d_k": "#0c5a44",
    },
    roles={
        "x": "#e6dcf5",
        "q": "#d3e3f4",
        "k": "#fadadd",
        "v": "#d5ecd9",
        "scores": "#f2ecc9",
        "output": "#d6eff7",
        "ids": "#e8eaed",
    },
)
DARK = Theme(
    ink="#f1f4f8",
    muted="#aab4c0",
    grid="#2d3540",
    surface="#12161c",
    signed=("#a8483c", "#5f332f", "#1b212a", "#2b4766", "#3a72ad"),
    share=("#171d24", "#1c403b", "#205f54", "#1f7566"),
    masked="#343c47",
    lit="#ffb066",
    heads=("#35618d", "#9c4150", "#2d6b3b", "#6b6018", "#2b6b80", "#7d3a62", "#565d67", "#7a552c"),
    lines=("#8fb8e0", "#f48c9b", "#7fd092", "#e0d27a", "#8ad7ef", "#dd93c0", "#c3c8cf", "#dfb384"),
    sizes={
        "B": "#b8b3a8",
        "T": "#f2a56d",
        "d_model": "#bf8ef7",
        "h": "#85b8f8",
        "d_k": "#7ed5b0",
    },
    roles={
        "x": "#3b2e54",
        "q": "#1d3249",
        "k": "#552f36",
        "v": "#1d3a24",
        "scores": "#4a451f",
        "output": "#193944",
        "ids": "#333a44",
    },
)


def theme(dark: bool) -> Theme:
    """The colours for a dark or a light page."""
    return DARK if dark else LIGHT


def colorscale(colors: tuple[str, ...]) -> list[list]:
    """Colours at even distances, as Plotly's colorscale."""
    return [[i / (len(colors) - 1), color] for i, color in enumerate(colors)]


def flat(colors: tuple[str, ...]) -> list[list]:
    """A colorscale of flat steps: group i of n takes colour i, repeating past the last."""
    n = len(colors)
    return [[edge / n, color] for i, color in enumerate(colors) for edge in (i, i + 1)]


class Figure(BaseFigure):
    """A Plotly figure kept as the dict that it is: {"data": [...], "layout": {...}}.

    go.Figure would check every property of it again for every viewer, 7 ms a figure and two thirds
    of what a page costs. The tests do that instead: go.Figure(figure.to_dict()).
    """

    def __init__(self, data: list[dict], layout: dict) -> None:
        self._spec = {"data": data, "layout": layout}

    def to_dict(self) -> dict:
        """The figure as Plotly's JSON, which is all that Streamlit asks of one."""
        return self._spec


def typed(values: Tensor) -> dict:
    """A tensor as Plotly's typed array: its bytes in base64, a third of the size of numbers.

    Plotly reads no 64-bit integers, so whole numbers (addresses, positions) go as 32-bit ones.
    """
    values = values.detach().cpu()
    array = np.ascontiguousarray(values if values.is_floating_point() else values.int())
    return {
        "dtype": f"{array.dtype.kind}{array.dtype.itemsize}",
        "bdata": b64encode(array.tobytes()).decode(),
        "shape": ", ".join(map(str, array.shape)),
    }


def untyped(sent: dict) -> Tensor:
    """The tensor that `typed` wrote.

    >>> untyped(typed(torch.eye(2)))
    tensor([[1., 0.],
            [0., 1.]])
    """
    values = np.frombuffer(bytearray(b64decode(sent["bdata"])), sent["dtype"])
    return torch.from_numpy(values).view([int(n) for n in sent["shape"].split(",")])


def figure(data: list[dict], layout: dict, colors: Theme) -> Figure:
    """Traces and a layout in the common frame."""
    return Figure(
        data,
        {
            "template": {},
            "paper_bgcolor": colors.surface,  # a saved picture has it too,
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": FONT, "size": 13, "color": colors.ink},
            "hoverlabel": {"bgcolor": colors.surface, "font": {"color": colors.ink}},
            "modebar": {
                "bgcolor": "rgba(0,0,0,0)",
                "color": colors.muted,
                "activecolor": colors.ink,
            },
            "margin": {"l": 8, "r": 8, "t": 30, "b": 8},
            "showlegend": False,
            "dragmode": False,
            **layout,
        },
    )


def hidden_axis(range_: list[float]) -> dict:
    """An axis over a range that is not drawn, and cannot be dragged."""
    return {"range": range_, "visible": False, "fixedrange": True}
