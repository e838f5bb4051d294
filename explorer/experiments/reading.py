"""A small tensor under view, transpose and their like: what each does to shape, stride, storage."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import combinations

import torch
from torch import Tensor

from explorer.core.wrong import error_of

MAX_OPS = 6
MAX_CELLS = 64
MAX_AXES = 4
NUMBER = r"-?\d{1,3}"
SLICE = rf"(?:{NUMBER})?:(?:{NUMBER})?(?::(?:{NUMBER})?)?"
OPERATION = re.compile(
    rf"""(?:x?\.|)  # as written on a tensor x
    (?: (?P<name> view | reshape | permute | expand ) \( (?P<sizes> {NUMBER}(?:,{NUMBER})* ),?\)
      | (?P<swap> transpose ) \( (?P<axes> {NUMBER},{NUMBER} )\)
      | (?P<copy> contiguous ) \(\)
      | x? \[ (?P<slices> {SLICE}(?:,{SLICE})* ) \] )""",
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True)
class Operation:
    """One operation on a tensor: a method of it with whole numbers, or slices where no method."""

    method: str
    arguments: tuple

    def __str__(self) -> str:
        """As it is written in torch.

        >>> print(Operation("", (slice(None), slice(None, None, 2))))
        [:, ::2]
        """
        if self.method:
            return f"{self.method}({', '.join(map(str, self.arguments))})"
        return f"[{', '.join(map(_slice_text, self.arguments))}]"


@dataclass(frozen=True)
class Step:
    """An operation of a chain: the tensor before it, and after it; or the error torch raised."""

    operation: Operation
    before: Tensor
    after: Tensor
    error: str | None


@dataclass(frozen=True)
class Merge:
    """May view join an axis with the next one: stride[i] beside stride[i+1]·size[i+1]."""

    axis: int
    stride: int
    inner_stride: int
    inner_size: int
    even: bool  # the two numbers are equal
    possible: bool  # torch's own view did it


def numbered(shape: tuple[int, ...]) -> Tensor:
    """The numbers 1, 2, … in a tensor of this shape, contiguous: number n at address n − 1."""
    return torch.arange(1, torch.Size(shape).numel() + 1).view(shape)


def parse(text: str) -> tuple[list[Operation], list[str]]:
    """Operations with `;` between them, and the pieces that are none; nothing is evaluated.

    >>> parse("transpose(0, 1); view(6); delete()")[1]
    ['delete()']
    """
    pieces = [piece.strip() for piece in unicodedata.normalize("NFKC", text).split(";")]
    found = {piece: OPERATION.fullmatch("".join(piece.split())) for piece in pieces if piece}
    understood = [_operation(found[piece]) for piece in pieces if piece and found[piece]]
    return understood, [piece for piece, match in found.items() if not match]


def _operation(match: re.Match) -> Operation:
    if match["slices"]:
        return Operation("", tuple(map(_slice, match["slices"].split(","))))
    numbers = match["sizes"] or match["axes"] or ""
    method = match["name"] or match["swap"] or match["copy"]
    return Operation(method, tuple(int(number) for number in numbers.split(",") if number))


def _slice(text: str) -> slice:
    return slice(*(int(part) if part else None for part in text.split(":")))


def _slice_text(part: slice) -> str:
    start, stop, step = ("" if n is None else str(n) for n in (part.start, part.stop, part.step))
    return f"{start}:{stop}" + (f":{step}" if step else "")


def apply(x: Tensor, operation: Operation) -> Tensor:
    """What torch makes of a tensor by one operation; raises what torch raises."""
    if operation.method:
        return getattr(x, operation.method)(*operation.arguments)
    return x[operation.arguments]


def follow(x: Tensor, operations: list[Operation]) -> tuple[list[Step], list[Operation]]:
    """Operations one after the other on x, and those whose result would be too large to look at.

    One that fails, or is too large, leaves the tensor as it was for the next.
    """
    steps, refused, before = [], [], x
    for operation in operations:
        try:
            after, error = apply(before, operation), None
        except (RuntimeError, IndexError, ValueError) as raised:
            after, error = before, str(raised).split("\n")[0]
        if not (0 < after.numel() <= MAX_CELLS and after.dim() <= MAX_AXES):
            refused.append(operation)
            continue
        steps.append(Step(operation, before, after, error))
        before = after
    return steps, refused


def merges(x: Tensor) -> list[Merge]:
    """For every axis of x and the next: may view join them, and the numbers that decide it.

    They must satisfy stride[i] = stride[i+1]·size[i+1] (Tensor.view); an axis of size 1 is free.
    """
    found = []
    for i in range(x.dim() - 1):
        (outer, inner), size = x.stride()[i : i + 2], x.shape[i + 1]
        joined = (*x.shape[:i], x.shape[i] * size, *x.shape[i + 2 :])
        possible = error_of(lambda shape=joined: x.view(shape)) is None
        found.append(Merge(i, outer, inner, size, outer == inner * size, possible))
    return found


def offers(x: Tensor) -> list[Operation]:
    """Operations that are worth trying on x; of the views and expands, some fail."""
    n, shape, every = x.numel(), tuple(x.shape), slice(None)
    axes = range(x.dim())
    sizes = [(n,), shape[::-1]]
    if shape[0] > 2 and shape[0] % 2 == 0 and x.dim() < MAX_AXES:
        sizes.append((shape[0] // 2, 2, *shape[1:]))
    repeats = [(2, *shape)] if x.dim() < MAX_AXES and 2 * n <= MAX_CELLS else []
    return [
        *(Operation("transpose", pair) for pair in list(combinations(axes, 2))[:3]),
        *([Operation("permute", (*axes[1:], 0))] if x.dim() > 2 else []),
        *(Operation("view", size) for size in dict.fromkeys(sizes) if size != shape),
        Operation("", (*[every] * (x.dim() - 1), slice(None, None, 2))),
        *(Operation("expand", size) for size in [*repeats, (*shape[:-1], shape[-1] + 1)]),
        Operation("reshape", (n,)),
        Operation("contiguous", ()),
    ]
