"""A figure for few pixels: with fewer labels, and smaller words in its cells and titles."""

import math
import re
from copy import deepcopy

from explorer.figures.canvas import LINE
from explorer.figures.panel import label_pixels
from explorer.figures.theme import Figure

NUMBER = "−0.12"  # as wide as a number that is written into a cell
LABELS = 60  # pixels that the labels of the rows take
LEAST = 8  # pixels: words that would have to be smaller are left out of a cell


def fit(figure: Figure, pixels: int) -> Figure:
    """The same figure for so few pixels; what is left out of a cell is still in its hover."""
    spec, room = deepcopy(figure.to_dict()), pixels - LABELS
    layout = spec["layout"]
    for trace in spec["data"]:
        if trace["type"] == "heatmap" and trace.get("texttemplate"):
            _fit_cells(trace, layout[f"xaxis{trace['xaxis'][1:]}"], room)
    for name, axis in layout.items():
        if name.startswith("xaxis") and "ticktext" in axis:
            every = math.ceil(_long(axis["ticktext"]) / (_part(axis) * room))
            axis.update({key: axis[key][::every] for key in ("tickvals", "ticktext")})
    for note in layout.get("annotations", ()):
        if note.get("xref") == "paper" and note["xanchor"] == "left":
            note["font"] = _fitted(note.get("font", {}), [note["text"]], (1 - note["x"]) * room)
    return Figure(**spec)


def _long(labels: list[str]) -> float:
    """The pixels that labels beside each other need: numbers lie flat, tokens can stand upright."""
    flat = all(label.isdecimal() for label in labels)
    return len(labels) * (max(map(label_pixels, labels)) if flat else LINE)


def _fit_cells(trace: dict, axis: dict, room: float) -> None:
    number = "%{z" in trace["texttemplate"]
    texts = [NUMBER] if number else [text for row in trace["text"] for text in row]
    cell = _part(axis) * room / (axis["range"][1] - axis["range"][0])
    trace["textfont"] = _fitted(trace["textfont"], texts, cell)
    if trace["textfont"]["size"] < LEAST:
        trace["texttemplate"] = None


def _part(axis: dict) -> float:
    """The part of the figure's width that an axis takes."""
    low, high = axis.get("domain", (0, 1))
    return high - low


def _fitted(font: dict, texts: list[str], room: float) -> dict:
    """A font in which the widest line of the texts has room."""
    plain = (re.sub("<(?!br).*?>", "", text) for text in texts)
    widest = max(label_pixels(line) for text in plain for line in text.split("<br>"))
    size = font.get("size", 12)
    return font | {"size": min(size, size * room / (widest or 1))}
