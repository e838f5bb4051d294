"""Why the scores are divided by √d_k: their spread, and what the softmax makes of it."""

import math
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

MOST_DRAWS = 2**14
NUMBERS = 3 * 2**20  # random numbers that a width may cost: enough for a variance within 2 %
SOFTMAXED = 2**14  # scores that go through the softmax
BINS = 61


@dataclass(frozen=True)
class Spread:
    """Scores under one divisor: their variance, and the softmax of them over the keys."""

    variance: float
    largest: float  # mean over the draws of the largest probability
    entropy: float  # mean, in nats
    gradient: float  # median of the Frobenius norm of the Jacobian


def dot_products(d_k: int, keys: int) -> Tensor:
    """q·k for queries and keys of independent standard normal numbers: (draw, key).

    A draw is one query with keys of its own; there are as many as the limits above allow.
    """
    generator = torch.Generator().manual_seed(d_k)
    draws = count(d_k, keys)
    q = torch.randn(draws, d_k, 1, generator=generator)  # draw, d_k, 1
    k = torch.randn(draws, keys, d_k, generator=generator)  # draw, key, d_k
    return (k @ q).squeeze(-1)  # draw, key


def count(d_k: int, keys: int) -> int:
    """How many draws there are of a query with its keys."""
    return min(MOST_DRAWS, NUMBERS // (d_k * keys))


def sampling_error(d_k: int, keys: int) -> float:
    """The standard error of the measured variance of q·k, as a part of it.

    Of one score the squares vary by 2 + 6/d_k; two scores of one query share its length, 2/d_k.
    """
    one, shared = 2 + 6 / d_k, 2 / d_k
    return math.sqrt((one / keys + shared * (1 - 1 / keys)) / count(d_k, keys))


def divisors(d_k: int, d_model: int) -> dict[str, float]:
    """The right divisor, none at all, and those that it is mistaken for."""
    return {"none": 1.0, "root": math.sqrt(d_k), "model": math.sqrt(d_model), "d_k": float(d_k)}


def gradient(p: Tensor) -> Tensor:
    """Frobenius norm of softmax's Jacobian diag(p) − ppᵀ at p (…, key): how much gets through it.

    Only sums of squares: where p is almost 1, a difference of large ones would be rounded away.
    """
    own = (p * (1 - p)) ** 2  # …, key: the diagonal
    pairs = p[..., 1:] ** 2 * (p**2).cumsum(-1)[..., :-1]  # above the diagonal, and so below it
    return (own.sum(-1) + 2 * pairs.sum(-1)).sqrt()


def spread(scores: Tensor) -> Spread:
    """What becomes of scores (draw, key) in the softmax over the keys."""
    p = torch.softmax(scores[: SOFTMAXED // scores.shape[1]].double(), dim=-1)  # draw, key
    return Spread(
        variance=float(scores.var()),
        largest=float(p.amax(-1).mean()),
        entropy=float(torch.special.entr(p).sum(-1).mean()),
        gradient=float(gradient(p).median()),
    )


@lru_cache(maxsize=256)
def measure(d_k: int, keys: int, d_model: int) -> tuple[Spread, ...]:
    """The spread of the scores under each of the `divisors`, in their order."""
    raw = dot_products(d_k, keys)
    return tuple(spread(raw / divisor) for divisor in divisors(d_k, d_model).values())


@lru_cache(maxsize=64)
def density(d_k: int, keys: int) -> tuple[Tensor, Tensor]:
    """How dense q·k lies (bin) around each value (bin), to four standard deviations."""
    raw = dot_products(d_k, keys).flatten()
    edges = torch.linspace(-4, 4, BINS + 1) * math.sqrt(d_k)
    counts, _ = torch.histogram(raw, edges)
    return (edges[1:] + edges[:-1]) / 2, counts / (raw.numel() * edges.diff())
