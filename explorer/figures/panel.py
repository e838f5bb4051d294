"""What a figure is drawn from: axes, matrices as panels, and the scales of their colours."""

import html
from dataclasses import dataclass

from torch import Tensor

from explorer.figures.theme import Theme


@dataclass(frozen=True)
class Axis:
    """One side of a matrix: its name, and a label for every row or column (plain text).

    `counted` labels are numbers in order, of which a few are enough; all others are written.
    """

    name: str
    labels: tuple[str, ...]
    counted: bool = False


@dataclass(frozen=True)
class Scale:
    """A colour scale and the values at its ends."""

    colors: tuple[str, ...]
    low: float
    high: float


@dataclass(frozen=True)
class Band:
    """Columns that belong to one head: its number, first column and one past the last."""

    head: int
    start: int
    stop: int


@dataclass(frozen=True)
class Panel:
    """A matrix to draw: `values` (rows × columns), −∞ where masked; NaN is drawn as such.

    With `gaps`, a cell that is NaN is left out instead.

    Its hover calls it `name`, and says with `chosen` which slice of that tensor it is. `outline` is
    (first row, first column, rows, columns) of the part the reader looks at; a panel with a `scale`
    of its own does not follow the figure's.
    """

    name: str
    values: Tensor
    rows: Axis
    columns: Axis
    title: str = ""
    outline: tuple[int, int, int, int] | None = None
    bands: tuple[Band, ...] = ()
    scale: Scale | None = None
    chosen: tuple[str, ...] = ()
    gaps: bool = False


def signed(colors: Theme, *tensors: Tensor) -> Scale:
    """A scale centred on zero that holds every finite value of the tensors."""
    limit = max(float(t.abs().masked_fill(~t.isfinite(), 0).max()) for t in tensors) or 1.0
    return Scale(colors.signed, -limit, limit)


def share(colors: Theme) -> Scale:
    """The scale of attention: 0 to 1, always."""
    return Scale(colors.share, 0.0, 1.0)


def escape(label: str) -> str:
    """A label as Plotly shows it literally: it reads a little HTML in every text."""
    return html.escape(label, quote=False)


def label_pixels(label: str) -> int:
    """About how wide a label is: Han and their like are twice as wide as letters."""
    return sum(12 if ord(character) > 0x2E80 else 7 for character in label)
