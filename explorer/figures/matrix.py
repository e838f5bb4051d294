"""Heatmaps of tensors: a wall of panels on one scale, and a product with its crosshair."""

from explorer.figures.canvas import BAND, HALF, WRITTEN, Canvas
from explorer.figures.panel import Axis, Panel, Scale, label_pixels
from explorer.figures.theme import Figure, Theme, figure

BAR = 30  # pixels of the colour bar, on top
TITLE = 22  # pixels of a title above a panel


def row_pixels(rows: int) -> int:
    """The height of a row of cells: generous for few rows, thin for many."""
    return max(9, min(34, 400 // rows))


def foot(axis: Axis) -> int:
    """Pixels below a panel for the labels of its columns (upright where they are long)."""
    if axis.counted:
        return 40
    longest = max(map(label_pixels, axis.labels))
    return 26 + min(max(longest, 14), 90)


def wall(
    panels: list[Panel], per_row: int, scale: Scale, colors: Theme, bar: bool = True
) -> Figure:
    """Panels of equal height in rows of `per_row`, on one scale, cells equally wide.

    The colour `bar` is left out where all values are one.
    """
    lines = [panels[i : i + per_row] for i in range(0, len(panels), per_row)]
    widest = max(sum(panel.values.shape[1] for panel in line) for line in lines)
    rows = panels[0].values.shape[0]
    cells, below = row_pixels(rows) * rows, max(foot(panel.columns) for panel in panels)
    above = TITLE + BAND * any(panel.bands for panel in panels)
    block = above + cells + below
    canvas = Canvas(scale, colors, widest <= WRITTEN, BAR + block * len(lines))
    gap = 0.05 if per_row > 1 else 0
    room = 1 - gap * (per_row - 1)
    for i, line in enumerate(lines):
        top = BAR + i * block + above
        left = 0.0
        for j, panel in enumerate(line):
            right = left + room * panel.values.shape[1] / widest
            canvas.put(panel, (left, right), (top, top + cells), row_labels=j == 0)
            left = right + gap
    canvas.data[0]["showscale"] &= bar
    return figure(canvas.data, canvas.layout, colors)


def product(
    left: Panel, above: Panel, result: Panel, scale: Scale, colors: Theme, written: bool = True
) -> Figure:
    """left @ above = result, laid out as on paper: hovering lights the row and column that meet.

    `left` (n × m) stands left of `result` (n × p), `above` (m × p) above it, on the same axes. The
    numbers are written into the cells if they are `written` and few enough.
    """
    (n, m), p = left.values.shape, result.values.shape[1]
    upper, lower = row_pixels(m) * m, row_pixels(n) * n
    head = BAR + TITLE + BAND * bool(above.bands)
    middle = head + upper + TITLE + 12 + BAND * bool(left.bands or result.bands)
    height = middle + lower + foot(result.columns)
    room = 2 * HALF if written else HALF
    canvas = Canvas(scale, colors, written and m + p <= 2 * WRITTEN, height, room)
    if m + p > WRITTEN:
        canvas.layout["meta"] = "wide"  # a narrow screen has no room for the numbers
    split = min(max(m / (m + p), 0.3), 0.55)
    x_right = (split + 0.03, 1)
    rows = canvas.put(left, (0, split - 0.03), (middle, middle + lower))
    columns = canvas.put(result, x_right, (middle, middle + lower), share_y=rows)
    canvas.put(above, x_right, (head, head + upper), share_x=columns)
    for axis in (name for name in canvas.layout if name[1:5] == "axis"):
        canvas.layout[axis] |= {
            "showspikes": True,
            "spikemode": "across",
            "spikesnap": "hovered data",
            "spikecolor": colors.ink,
            "spikethickness": 1.5,
            "spikedash": "solid",
        }
    return figure(canvas.data, canvas.layout | {"hovermode": "closest"}, colors)
