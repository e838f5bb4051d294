"""One number of a run: the elements it was made from, and the equation they stand in."""

import math
from dataclasses import dataclass

from explorer.core.lineage import operands
from explorer.core.trace import Embedded, how, lookup

TERMS = 8  # of a sum are shown one by one


@dataclass(frozen=True)
class Element:
    """One number of a tensor of the trace, or of a parameter."""

    name: str
    index: tuple[int, ...]
    value: float


@dataclass(frozen=True)
class Term:
    """A part of a sum: the elements that are multiplied in it, and what it comes to."""

    factors: tuple[Element, ...]
    value: float


@dataclass(frozen=True)
class Explanation:
    """How an element comes about: `how` it is made, and of which terms.

    Of more than eight terms the largest contributions come first, and `rest` is the sum of the
    `left` others. `numbers` are what else stands in the equation: the `top` score of a softmax,
    `mean` and `deviation` of a LayerNorm.
    """

    element: Element
    how: str
    terms: tuple[Term, ...]
    left: int
    rest: float
    numbers: dict[str, float]


def element(trace: Embedded, name: str, index: tuple[int, ...]) -> Element:
    """The element of a tensor of the trace, or of a parameter, at an index of it."""
    return Element(name, index, lookup(trace, name)[index].item())


def explain(trace: Embedded, name: str, index: tuple[int, ...]) -> Explanation:
    """How the element `index` of a tensor was computed, with the numbers of this run.

    The score is led back past its raw_scores, to the products of its query and its key.
    """
    way = how(name)
    terms = _TERMS[way](trace, name, index) if way in _TERMS else []
    shown = terms
    if len(terms) > TERMS:
        shown = sorted(terms, key=lambda term: -abs(term.value))[:TERMS]
    rest = math.fsum(t.value for t in terms) - math.fsum(t.value for t in shown)
    numbers = _NUMBERS[way](terms) if way in _NUMBERS else {}
    left = len(terms) - len(shown)
    here = element(trace, name, index)
    return Explanation(here, way, tuple(shown), left, rest if left else 0.0, numbers)


def _direct(trace: Embedded, name: str, index: tuple[int, ...]) -> list[Term]:
    """Every operand as a term of its own."""
    found = (element(trace, *operand) for operand in operands(trace, name, index).items())
    return [Term((each,), each.value) for each in found]


def _products(trace: Embedded, name: str, index: tuple[int, ...]) -> list[Term]:
    """A row of the first operand times a row or column of the second; a bias by itself."""
    first, second, *bias = operands(trace, name, index).items()
    pairs = zip(_elements(trace, *first), _elements(trace, *second), strict=True)
    terms = [Term((a, b), a.value * b.value) for a, b in pairs]
    return terms + [Term((b,), b.value) for each in bias for b in _elements(trace, *each)]


def _scaled(trace: Embedded, name: str, index: tuple[int, ...]) -> list[Term]:
    ((operand, at),) = operands(trace, name, index).items()
    return _products(trace, operand, at)


def _row(trace: Embedded, name: str, index: tuple[int, ...]) -> list[Term]:
    """The whole row that an element is made from."""
    ((operand, at),) = operands(trace, name, index).items()
    return [Term((each,), each.value) for each in _elements(trace, operand, at)]


def _powers(trace: Embedded, name: str, index: tuple[int, ...]) -> list[Term]:
    """e to the power of each score of the row, less the largest, as softmax computes it."""
    row = _row(trace, name, index)
    top = max(term.value for term in row)
    return [Term(term.factors, math.exp(term.value - top)) for term in row]


def _elements(trace: Embedded, name: str, at: tuple) -> list[Element]:
    """The elements of a slice with one axis, or none, left whole."""
    values: list[float] = lookup(trace, name)[at].reshape(-1).tolist()
    return [
        Element(name, tuple(i if part == slice(None) else part for part in at), value)
        for i, value in enumerate(values)
    ]


def _top(terms: list[Term]) -> dict[str, float]:
    return {"top": max(term.factors[0].value for term in terms)}


def _moments(terms: list[Term]) -> dict[str, float]:
    """Mean and √(variance + 1e-5) of a row, as torch.nn.functional.layer_norm takes them."""
    values = [term.value for term in terms]
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / len(values)
    return {"mean": mean, "deviation": math.sqrt(variance + 1e-5)}


_TERMS = {
    "lookup": _direct,
    "sum": _direct,
    "same": _direct,
    "copied": _direct,
    "hidden": _direct,
    "product": _products,
    "scaled": _scaled,
    "softmax": _powers,
    "standardized": _row,
}
_NUMBERS = {
    "softmax": _top,
    "standardized": _moments,
}
