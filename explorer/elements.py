"""The elements of the run that a figure shows, and which of them the picked number lights."""

import numpy as np
from torch import Tensor

from explorer.core import Embedded
from explorer.core.explain import Element, element
from explorer.core.lineage import Box, ancestors, descendants, point
from explorer.core.trace import axes, lookup
from explorer.figures.elements import Elements

Lit = dict[str, dict[str, list[Box]]]  # "picked", "made", "feeds" → tensor → boxes of elements


def picked(trace: Embedded, pick: tuple[str, tuple[int, ...]] | None) -> Element | None:
    """The number that is picked, moved to the nearest index of this run; None where it has none."""
    tensor = pick and lookup(trace, pick[0])
    if tensor is None:
        return None
    name, index = pick
    nearest = (min(i, size - 1) for i, size in zip(index, tensor.shape, strict=True))
    return element(trace, name, tuple(nearest))


def family(trace: Embedded, pick: Element | None) -> Lit:
    """What is lit: the picked number, all it is made from, and all it feeds."""
    if pick is None:
        return {}
    return {
        "picked": {pick.name: [point(pick.index)]},
        "made": ancestors(trace, pick.name, pick.index),
        "feeds": descendants(trace, pick.name, pick.index),
    }


def elements(
    trace: Embedded,
    name: str,
    starts: list[tuple[int, ...]],
    row: str | None = None,
    column: str | None = None,
    flat: bool = False,
) -> Elements:
    """The elements of a tensor from `starts` on, along the axes named `row` and `column`."""
    tensor, names = lookup(trace, name), axes(name)
    return Elements(
        name,
        names,
        tuple(tensor.shape),
        tensor.stride(),
        tensor.storage_offset(),
        tuple(starts),
        names.index(row) if row in names else None,
        names.index(column) if column in names else None,
        flat,
    )


def masks(lit: Lit, shown: Elements, values: Tensor) -> dict[str, np.ndarray]:
    """What is lit of the elements shown (a matrix of `values`): a mask for each kind of light."""
    boxes = {kind: found[shown.tensor] for kind, found in lit.items() if shown.tensor in found}
    if not boxes:
        return {}
    indices = shown.indices(*values.shape)
    there = np.logical_and.reduce(
        [index < size for index, size in zip(indices, shown.shape, strict=True)]
    )
    return {kind: there & _inside(indices, each) for kind, each in boxes.items()}


def _inside(indices: list[np.ndarray], boxes: list[Box]) -> np.ndarray:
    """Which cells, each with its index on every axis, lie in any of the boxes."""
    inside = np.zeros(indices[0].shape, bool)
    for box in boxes:
        known = [(i, list(some)) for i, some in zip(indices, box, strict=True) if some is not None]
        axes = [np.isin(index, some) for index, some in known]
        inside |= np.logical_and.reduce(axes) if axes else True
    return inside
