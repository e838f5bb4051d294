"""What a choice of h and d_k costs: counted, and timed on this machine."""

import time
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from explorer.core.attention import (
    compare,
    merge_heads,
    mix_values,
    normalize,
    project,
    project_out,
    scale,
    split_heads,
    swap_axes,
    swap_back,
)
from explorer.core.wrong import error_of, split_unevenly

TIMED_T = 64  # tokens of a timed run
REPEATS = 5
LONGEST = 0.01  # seconds after which a measurement is not repeated any more


@dataclass(frozen=True)
class Cost:
    """What one layer takes for one sentence: counts, and milliseconds on this machine."""

    parameters: int
    flops: int  # a multiplication and its addition count as two
    score_bytes: int
    milliseconds: float


def count_parameters(d_model: int, width: int) -> int:
    """Elements of W_Q, W_K, W_V (d_model, h·d_k) and W_O (h·d_k, d_model)."""
    return 4 * d_model * width


def count_flops(T: int, d_model: int, h: int, d_k: int) -> int:
    """FLOPs of the six products of a layer: four projections, QKᵀ and attn @ V."""
    projections = 4 * 2 * T * d_model * h * d_k
    attention = 2 * 2 * h * T * T * d_k
    return projections + attention


def count_score_bytes(T: int, h: int) -> int:
    """Bytes of the scores (1, head, query, key) in float32."""
    return h * T * T * 4


def attention_layer(x: Tensor, W: Tensor, h: int) -> Tensor:
    """x (batch, seq, d_model), one W (d_model, d_model) for all four → output, without a mask."""
    q, k, v = (swap_axes(split_heads(project(x, W, None), h)) for _ in range(3))
    attn = normalize(scale(compare(q, k), q.shape[-1]))  # batch, head, query, key
    return project_out(merge_heads(swap_back(mix_values(attn, v))), W, None)


@lru_cache(maxsize=64)
def measure_h(d_model: int, h: int) -> Cost:
    """The cost of a layer of h heads at a fixed d_model, for one sentence of 64 tokens."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, TIMED_T, d_model, generator=generator)
    W = torch.randn(d_model, d_model, generator=generator) / d_model**0.5
    return Cost(
        count_parameters(d_model, d_model),
        count_flops(TIMED_T, d_model, h, d_model // h),
        count_score_bytes(TIMED_T, h),
        fastest(lambda: attention_layer(x, W, h)),
    )


@lru_cache(maxsize=64)
def measure_d_k(d_k: int) -> float:
    """Milliseconds of QKᵀ, softmax and attn @ V for 8 heads of d_k, 64 tokens, on this machine."""
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(1, 8, TIMED_T, d_k, generator=generator)  # batch, head, seq, d_k
    return fastest(lambda: mix_values(normalize(scale(compare(q, q), d_k)), q), 5 * REPEATS)


@torch.no_grad()
def fastest(work, repeats: int = REPEATS) -> float:
    """Milliseconds of the fastest of several runs: what others do on the machine only adds.

    A long one is run twice: the first may have had to fetch its memory.
    """
    times = []
    while len(times) < 2 or (len(times) < repeats and sum(times) < LONGEST):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def cut_unevenly(d_model: int, h: int) -> dict[str, str]:
    """Every way of cutting d_model into h heads, really tried: call → torch's error, or sizes."""
    x = torch.zeros(1, 3, d_model)  # batch, seq, d_model
    further = {
        f"x.view(1, 3, {h}, {d_model} / {h})": lambda: x.view(1, 3, h, d_model / h),
        f"torch.stack(x.chunk({h}, -1))": lambda: torch.stack(x.chunk(h, -1)),
    }
    found = split_unevenly(x, h) | {call: error_of(work) for call, work in further.items()}
    for name, pieces in (("chunk", x.chunk(h, -1)), ("tensor_split", x.tensor_split(h, -1))):
        found[f"x.{name}({h}, -1)"] = " + ".join(str(piece.shape[-1]) for piece in pieces)
    return {call: said or "ok" for call, said in found.items()}


@dataclass(frozen=True)
class Uneven:
    """Heads of unequal widths, run one after the other, beside equal ones in one product."""

    widths: tuple[int, ...]
    shape: tuple[int, ...]  # of the output
    milliseconds: float
    even_h: int
    even_milliseconds: float


@lru_cache(maxsize=16)
def run_unevenly(d_model: int, h: int, even_h: int) -> Uneven:
    """Attention over 64 tokens with heads of unequal d_k: it can be done, head by head.

    The features of x stand for q, k and v. `even_h` divides d_model; it is timed beside.
    """
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, TIMED_T, d_model, generator=generator)  # batch, seq, d_model
    even = swap_axes(split_heads(x, even_h))  # batch, head, seq, d_k
    return Uneven(
        tuple(piece.shape[-1] for piece in x.tensor_split(h, -1)),
        tuple(one_head_at_a_time(x, h).shape),
        fastest(lambda: one_head_at_a_time(x, h)),
        even_h,
        fastest(lambda: mix_values(normalize(scale(compare(even, even), even.shape[-1])), even)),
    )


def one_head_at_a_time(x: Tensor, h: int) -> Tensor:
    """x (batch, seq, d_model) → the same shape, by h heads of nearly equal widths in a loop."""
    heads = []
    for q in x.tensor_split(h, -1):  # batch, seq, the width of this head
        attn = normalize(scale(compare(q, q), q.shape[-1]))  # batch, query, key
        heads.append(mix_values(attn, q))
    return torch.cat(heads, -1)  # batch, seq, d_model
