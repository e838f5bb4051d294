"""How shapes flow: a box for every tensor, an arrow from every operand."""

from dataclasses import dataclass

from explorer.figures.panel import escape
from explorer.figures.theme import Figure, Theme, figure, hidden_axis

ROW = 62  # pixels from one row of boxes to the next
BOX = 40  # pixels of a box
TALL, WIDTH = BOX / ROW, 0.88  # of a box, in rows and in columns
HEAD = 8  # pixels of the head of an arrow
NOWHERE = (None, None)  # where one line ends and the next begins


@dataclass(frozen=True)
class Box:
    """A tensor in the picture: where it stands (column of 0 … 2, row), its role and its words."""

    name: str
    column: float
    row: int
    role: str
    shape: tuple[tuple[str, int], ...]  # (which size it is, how large) for every axis
    hover: str


@dataclass(frozen=True)
class Arrow:
    """From one box to another; `via` are the corners of one that has to go around others."""

    start: str
    end: str
    via: tuple[tuple[float, float], ...] = ()


def flow(boxes: list[Box], arrows: list[Arrow], colors: Theme) -> Figure:
    """Boxes in rows from top to bottom, three columns wide, joined by arrows."""
    rows = max(box.row for box in boxes) + 1
    words = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [box.column for box in boxes],
        "y": [box.row for box in boxes],
        "text": [_words(box, colors) for box in boxes],
        "textfont": {"size": 12},
        "marker": {"size": BOX, "opacity": 0, "symbol": "square"},
        "customdata": [escape(box.hover) for box in boxes],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    layout = {
        "height": rows * ROW,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "shapes": [_box(box, colors) for box in boxes],
        "xaxis": hidden_axis([-0.5, 2.65]),
        "yaxis": hidden_axis([rows - 0.5, -0.5]),
    }
    return figure([_arrows(arrows, boxes, colors), words], layout, colors)


def _box(box: Box, colors: Theme) -> dict:
    return {
        "type": "rect",
        "layer": "below",
        "x0": box.column - WIDTH / 2,
        "x1": box.column + WIDTH / 2,
        "y0": box.row - TALL / 2,
        "y1": box.row + TALL / 2,
        "fillcolor": colors.roles[box.role],
        "line": {"width": 0},
    }


def _words(box: Box, colors: Theme) -> str:
    sizes = (
        f'<span style="color:{colors.sizes[size]}">{n}</span>' if size in colors.sizes else str(n)
        for size, n in box.shape
    )
    return f"<b>{escape(box.name)}</b><br>({', '.join(sizes)})"


def _arrows(arrows: list[Arrow], boxes: list[Box], colors: Theme) -> dict:
    """All arrows as one broken line, a head where each ends: an annotation each takes longer."""
    place = {box.name: box for box in boxes}
    lines = [_line(arrow, place) for arrow in arrows]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [x for line in lines for x, _ in (*line, NOWHERE)],
        "y": [y for line in lines for _, y in (*line, NOWHERE)],
        "line": {"color": colors.muted, "width": 1.2},
        "marker": {
            "symbol": "arrow",
            "size": [n for line in lines for n in [0] * (len(line) - 1) + [HEAD, 0]],
            "angleref": "previous",
            "color": colors.muted,
            "opacity": 1,
        },
        "hoverinfo": "skip",
    }


def _line(arrow: Arrow, place: dict[str, Box]) -> list[tuple[float, float]]:
    """The corners of an arrow, from the edge of one box to that of another."""
    start, end = place[arrow.start], place[arrow.end]
    if not arrow.via:
        return [(start.column, start.row + TALL / 2), (end.column, end.row - TALL / 2)]
    # leave and enter by the side that the first and the last corner lie on
    return [_side(start, arrow.via[0]), *arrow.via, _side(end, arrow.via[-1])]


def _side(box: Box, corner: tuple[float, float]) -> tuple[float, float]:
    x, y = corner
    if y == box.row:
        return box.column + (WIDTH / 2 if x > box.column else -WIDTH / 2), box.row
    return box.column, box.row + (TALL / 2 if y > box.row else -TALL / 2)
