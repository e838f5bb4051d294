"""Heads that get a slice of x instead of x @ W, and one fused product beside one a head."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import median
from time import perf_counter

import torch
from torch import Tensor
from torch.nn import functional as F

REPEATED = 9  # times each product is run, fewer where they take longer than ENOUGH in all
ENOUGH = 0.02  # seconds


@dataclass(frozen=True)
class Seconds:
    """How long one fused product took on this machine, and h separate ones."""

    fused: float
    separate: float


def slice_of(x: Tensor, head: int, d_k: int) -> Tensor:
    """The columns of x (…, d_model) that a head gets when x is cut: (…, d_k), or what is left."""
    return x[..., head * d_k : (head + 1) * d_k]  # …, d_k


def fused(x: Tensor, W: Tensor, h: int) -> Tensor:
    """x (…, d_model) @ W (d_model, h·d_k) in one product, then a view: (…, head, d_k)."""
    return (x @ W).unflatten(-1, (h, -1))  # …, head, d_k


def separate(x: Tensor, W: Tensor, h: int) -> Tensor:
    """The same by h products with the d_k columns of each head: (…, head, d_k)."""
    return torch.stack([x @ W_head for W_head in W.chunk(h, dim=-1)], dim=-2)  # …, head, d_k


@torch.no_grad()
def depends(x: Tensor, make: Callable[[Tensor], list[Tensor]]) -> Tensor:
    """Which features of x each head really depends on: bool (head, d_model).

    x (d_model) is one token; `make` turns rows of x into what each head gets. One row a feature,
    with 1 added to that feature, beside the row as it is: what differs depends on the feature.
    """
    changed = x + torch.eye(len(x), dtype=x.dtype)  # changed feature, d_model
    heads = make(torch.cat([x[None], changed]))  # of each head: run, d_k
    return torch.stack([(rows[1:] != rows[:1]).any(dim=-1) for rows in heads])  # head, feature


def by_slice(h: int, d_k: int) -> Callable[[Tensor], list[Tensor]]:
    """Rows of x → what each of h heads gets when x is cut into slices of d_k."""
    return lambda rows: [slice_of(rows, head, d_k) for head in range(h)]


def by_projection(W: Tensor, h: int) -> Callable[[Tensor], list[Tensor]]:
    """Rows of x → what each of h heads gets from x @ W (d_model, h·d_k)."""
    return lambda rows: list((rows @ W).chunk(h, dim=-1))


def in_groups(seen: Tensor, most: tuple[int, int]) -> tuple[Tensor, tuple[int, int]]:
    """bool (rows, columns) → how many are true in each of at most `most` blocks, and their size.

    The last block of a side may hold fewer rows or columns than the others.
    """
    rows, columns = (-(-size // n) for size, n in zip(seen.shape, most, strict=True))  # of one
    filled = F.pad(seen.long(), (0, -seen.shape[1] % columns, 0, -seen.shape[0] % rows))
    blocks = filled.unflatten(1, (-1, columns)).unflatten(
        0, (-1, rows)
    )  # row, in it, column, in it
    return blocks.sum(dim=(1, 3)), (rows, columns)


@lru_cache(maxsize=64)
@torch.no_grad()
def time_products(T: int, d_model: int, h: int, d_k: int) -> Seconds:
    """Time both ways on the CPU, for random x (T, d_model) and W (d_model, h·d_k); the median."""
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(T, d_model, generator=generator)
    W = torch.rand(d_model, h * d_k, generator=generator)
    return Seconds(*(_median_time(way, x, W, h) for way in (fused, separate)))


def _median_time(way: Callable, *operands: object) -> float:
    way(*operands)  # the first run also pays for what later ones find ready
    times = []
    while len(times) < REPEATED and sum(times) < ENOUGH:
        start = perf_counter()
        way(*operands)
        times.append(perf_counter() - start)
    return median(times)
