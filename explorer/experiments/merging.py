"""Heads merged without a copy, or without the transpose; and whose z needs a copy at all."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from explorer.core.attention import mix_values, swap_back
from explorer.core.wrong import error_of


@dataclass(frozen=True)
class Way:
    """One way to compute z: the call, z (batch, head, seq, d_k), and torch's error for its view."""

    call: str
    z: Tensor
    error: str | None


def numbered_heads(B: int, h: int, T: int, d_k: int) -> Tensor:
    """A z (batch, head, seq, d_k) whose every cell holds its own address."""
    return torch.arange(B * h * T * d_k).view(B, h, T, d_k)  # batch, head, seq, d_k


def in_place(right: Tensor, wrong: Tensor) -> float:
    """Which share of the cells of two merged `numbered_heads` hold the same number."""
    return float((right == wrong).float().mean())


def view_merged(z: Tensor) -> Tensor:
    """z (batch, head, seq, d_k) → (batch, seq, h·d_k) without a copy, if view can do it."""
    B, h, T, d_k = z.shape
    return swap_back(z).view(B, T, h * d_k)  # batch, seq, h·d_k


def reshape_merged(z: Tensor) -> Tensor:
    """z (batch, head, seq, d_k) → (batch, seq, h·d_k); reshape copies where view cannot."""
    B, h, T, d_k = z.shape
    return swap_back(z).reshape(B, T, h * d_k)  # batch, seq, h·d_k


@torch.no_grad()
def ways(q: Tensor, k: Tensor, v: Tensor, attn: Tensor, mask: Tensor) -> list[Way]:
    """z by torch's own attention on q, k, v as they are, on copies of them, and by attn @ v.

    q, k, v (batch, head, seq, d_k) as a split leaves them, mask (batch, 1, query, key).
    """
    copies = (q.contiguous(), k.contiguous(), v.contiguous())
    made = {
        "sdpa(q, k, v)": F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
        "sdpa(q.contiguous(), …)": F.scaled_dot_product_attention(*copies, attn_mask=mask),
        "attn @ v": mix_values(attn, v),
    }
    return [Way(call, z, error_of(lambda z=z: view_merged(z))) for call, z in made.items()]
