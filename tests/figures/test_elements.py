"""Which element each cell is, and masks as rectangles, against every cell counted one by one."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from explorer.figures.elements import Elements, rectangles


@given(arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 8))))
def test_rectangles_cover_a_mask_and_nothing_twice(mask):
    covered = np.zeros(mask.shape, int)
    for row, column, rows, columns in rectangles(mask):
        covered[row : row + rows, column : column + columns] += 1
    np.testing.assert_array_equal(covered, mask.astype(int))


def test_one_block_is_one_rectangle():
    assert rectangles(np.ones((5, 7), bool)) == [(0, 0, 5, 7)]


def of(tensor: torch.Tensor, *starts, **more) -> Elements:
    names = tuple("abcd"[: tensor.dim()])
    return Elements("t", names, tuple(tensor.shape), tensor.stride(), 0, starts, **more)


TENSOR = torch.arange(2 * 3 * 4).view(2, 3, 4)


def shown(elements: Elements, rows: int, columns: int) -> list[list[int]]:
    return TENSOR[tuple(map(torch.tensor, elements.indices(rows, columns)))].tolist()


def test_cells_run_along_the_axes_named():
    window = of(TENSOR, (1, 1, 2), row=1, column=2)
    assert shown(window, 2, 2) == TENSOR[1, 1:, 2:].tolist()
    assert shown(window.transposed(), 2, 2) == TENSOR[1, 1:, 2:].T.tolist()


def test_every_row_can_start_elsewhere():
    rows = of(TENSOR, (1, 2, 0), (0, 1, 1), column=2)
    assert shown(rows, 2, 3) == [TENSOR[1, 2, :3].tolist(), TENSOR[0, 1, 1:].tolist()]


def test_flat_cells_are_addresses():
    places = [[5, 23], [0, 11]]
    assert shown(of(TENSOR, *places, flat=True), 2, 2) == places
