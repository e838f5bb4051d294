"""Heads made by one view, without a transpose: the right shape, and whose numbers are in it."""

from collections.abc import Callable

import torch
from torch import Tensor

from explorer.core.attention import (
    apply_mask,
    compare,
    merge_heads,
    mix_values,
    normalize,
    scale,
    split_heads,
    swap_axes,
    swap_back,
)
from explorer.core.memory import addresses


def view_directly(q: Tensor, h: int) -> Tensor:
    """q (batch, seq, h·d_k) → (batch, head, seq, d_k) by Tensor.view alone: no error, mixed up."""
    B, T, width = q.shape
    return q.view(B, h, T, width // h)  # batch, head, seq, d_k


def view_and_transpose(q: Tensor, h: int) -> Tensor:
    """q (batch, seq, h·d_k) → (batch, head, seq, d_k) as it must be."""
    return swap_axes(split_heads(q, h))  # batch, head, seq, d_k


def merge_directly(z: Tensor) -> Tensor:
    """z (batch, head, seq, d_k) → (batch, seq, h·d_k) by one view: undoes `view_directly`."""
    B, h, T, d_k = z.shape
    return z.reshape(B, T, h * d_k)  # batch, seq, h·d_k


def merge_by_transpose(z: Tensor) -> Tensor:
    """z (batch, head, seq, d_k) → (batch, seq, h·d_k) as it must be."""
    return merge_heads(swap_back(z))  # batch, seq, h·d_k


def same_cells(right: Tensor, wrong: Tensor) -> float:
    """Which share of the cells of two views of one storage read the same address."""
    return float((addresses(right) == addresses(wrong)).float().mean())


@torch.no_grad()
def sees(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor,
    h: int,
    split: Callable[[Tensor, int], Tensor],
    merge: Callable[[Tensor], Tensor],
) -> Tensor:
    """Which token's q, k, v each row of the concat really depends on: bool (seq, seq).

    q, k, v (seq, h·d_k) and mask (seq, seq) of one sentence. One run a token, with that token's
    numbers changed, beside one with nothing changed: what differs in the result depends on it.
    """
    T, width = q.shape
    changed = torch.eye(T, device=q.device)[:, :, None] * 3 + 1  # run, seq, 1
    changed = torch.cat([torch.ones_like(changed[:1]), changed])
    q, k, v = (split((m * changed).contiguous(), h) for m in (q, k, v))  # run, head, seq, d_k
    attn = normalize(apply_mask(scale(compare(q, k), width // h), mask))
    concat = merge(mix_values(attn, v))  # run, seq, h·d_k
    difference = (concat[1:] - concat[:1]).abs().amax(-1)  # changed token, row
    return (difference > 1e-6 * concat[0].abs().max()).T  # row, changed token
