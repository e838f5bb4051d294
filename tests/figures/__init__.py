"""Figures read back: as the JSON that a browser gets, checked by Plotly."""

import json
from base64 import b64decode

import numpy as np
import plotly.graph_objects as go

# Labels that Plotly would merge, read as numbers or dates, or take for markup.
LABELS = {
    "repeated": ("the", "cat", "saw", "the", "dog"),
    "numbers": ("3", "10", "2", "1e400", "007"),
    "prices": ("$5", "50%", "1,000", "−1", "+2"),
    "dates": ("2024-01-01", "2024", "12:30", "1/2", "NaN"),
    "markup": ("<s>", "<b>bold</b>", "a<br>b", "<a href='x'>k</a>", "&lt;b&gt;"),
    "entities": ("&amp;", '"', "'", "%{y}", "$x$"),
}


def read(figure) -> tuple[list[dict], dict]:
    """The traces and the layout of a figure; Plotly raises where it knows a property not."""
    spec = json.loads(json.dumps(figure.to_dict(), allow_nan=False))
    go.Figure(spec)
    return spec["data"], spec["layout"]


def numbers(sent: dict | list) -> np.ndarray:
    """The numbers of a trace: Plotly sends an array as base64 with its type and shape."""
    if not isinstance(sent, dict):
        return np.array(sent)
    values = np.frombuffer(b64decode(sent["bdata"]), sent["dtype"])
    return values.reshape([int(n) for n in sent["shape"].split(",")] if "shape" in sent else -1)


def axis(layout: dict, of: dict, which: str) -> dict:
    """The x or y axis that a trace is drawn on: x2 is xaxis2, x and x1 are xaxis or xaxis1."""
    number = of.get(f"{which}axis", which)[1:]
    if number in ("", "1"):
        return layout.get(f"{which}axis1") or layout[f"{which}axis"]
    return layout[f"{which}axis{number}"]


def luminance(color: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2)."""
    channels = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    """From 1, the same colour, to 21; words need 4.5, lines 3 (WCAG 2.2)."""
    darker, lighter = sorted((luminance(a), luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)
