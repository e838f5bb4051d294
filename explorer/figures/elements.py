"""Which elements of a tensor the cells of a figure are: enough for the browser to name them."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Elements:
    """The elements of a tensor (its axes, shape, stride, offset) that a grid of cells shows.

    `starts` is the index of the first cell, or of the first cell of every row. A cell further down
    is further along the axis `row`, one further right further along `column`. In a `flat` grid of a
    contiguous tensor `starts` are the addresses of all cells, row by row.
    """

    tensor: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    starts: tuple[tuple[int, ...], ...]
    row: int | None = None
    column: int | None = None
    flat: bool = False

    def transposed(self) -> "Elements":
        """The same elements with rows and columns exchanged."""
        return replace(self, row=self.column, column=self.row)

    def meta(self, **more: object) -> dict:
        """What a trace carries for the browser: 200 bytes, however many cells there are."""
        return vars(self) | more

    def indices(self, rows: int, columns: int) -> list[np.ndarray]:
        """The index of every cell of a grid: for each axis an array that spreads to its shape."""
        down, right = np.arange(rows)[:, None], np.arange(columns)
        if self.flat:
            return list(np.unravel_index(np.array(self.starts), self.shape))
        starts = np.array(self.starts).T[:, :, None]
        steps = {self.row: down, self.column: right}
        return [start + steps.get(axis, 0) for axis, start in enumerate(starts)]


def rectangles(mask: np.ndarray) -> list[tuple[int, int, int, int]]:
    """A mask (rows × columns) as rectangles: (first row, first column, rows, columns) of each.

    >>> rectangles(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], bool))
    [(0, 0, 2, 2), (2, 2, 1, 1)]
    """
    framed = np.pad(mask, 1)
    open_, done = {}, []
    for r in np.flatnonzero((framed[1:] != framed[:-1]).any(axis=1)).tolist():  # unlike the last
        row = framed[r + 1]
        edges = np.flatnonzero(row[1:] != row[:-1]).tolist()
        runs = set(zip(edges[::2], edges[1::2], strict=True))
        for start, stop in [run for run in open_ if run not in runs]:
            first = open_.pop((start, stop))
            done.append((first, start, r - first, stop - start))
        for run in runs - set(open_):
            open_[run] = r
    return sorted(done)
