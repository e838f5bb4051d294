"""Where the elements of a tensor lie: shape, stride, offset, storage; index ↔ address."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Layout:
    """How a tensor reads its storage; strides and offset in elements, `storage` its address."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    contiguous: bool
    storage: int


def layout(tensor: Tensor) -> Layout:
    """The layout torch reports (Tensor.stride, .storage_offset, .is_contiguous).

    >>> layout(torch.zeros(2, 3).T).stride
    (1, 3)
    """
    return Layout(
        tuple(tensor.shape),
        tensor.stride(),
        tensor.storage_offset(),
        tensor.is_contiguous(),
        tensor.untyped_storage().data_ptr(),
    )


def address(tensor: Tensor, index: tuple[int, ...]) -> int:
    """Where in its storage an element lies: offset + Σ index · stride, in elements.

    >>> address(torch.zeros(2, 3).T, (2, 1))
    5
    """
    steps = zip(index, tensor.stride(), strict=True)
    return tensor.storage_offset() + sum(i * stride for i, stride in steps)


def addresses(tensor: Tensor) -> Tensor:
    """The storage address of every element, in the tensor's own shape (int64, on the CPU).

    >>> addresses(torch.zeros(2, 3).T).tolist()
    [[0, 3], [1, 4], [2, 5]]
    """
    cells = tensor.untyped_storage().nbytes() // tensor.element_size()
    return torch.arange(cells).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def read_at(tensor: Tensor) -> list[list[int]]:
    """For every cell of the storage of a tensor, in order: when it is read, [] where it never is.

    >>> read_at(torch.zeros(2, 3).T[1:])
    [[], [0], [2], [], [1], [3]]
    """
    times: list[list[int]] = [
        [] for _ in range(tensor.untyped_storage().nbytes() // tensor.element_size())
    ]
    for order, address in enumerate(addresses(tensor).flatten().tolist()):
        times[address].append(order)
    return times
