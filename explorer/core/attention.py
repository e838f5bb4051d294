"""The pipeline, one equation a function (Vaswani et al. 2017, sections 3.2 to 3.5)."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from explorer.core.tokens import PAD, token_id


def pad(sentences: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """B lists of tokens → B × T, the shorter ones filled up with `<pad>`."""
    T = max(map(len, sentences))
    return tuple((*tokens, *[PAD] * (T - len(tokens))) for tokens in sentences)


def look_up_ids(tokens: tuple[tuple[str, ...], ...]) -> Tensor:
    """B × T tokens → ids (batch, seq)."""
    return torch.tensor([[token_id(token) for token in row] for row in tokens])  # batch, seq


def embed_ids(ids: Tensor, W_E: Tensor, scale: bool) -> Tensor:
    """ids (batch, seq), W_E (V, d_model) → embedding (batch, seq, d_model); paper 3.4."""
    embedding = W_E[ids]  # batch, seq, d_model
    return embedding * math.sqrt(W_E.shape[1]) if scale else embedding


def sinusoid(T: int, d_model: int) -> Tensor:
    """position (seq, d_model): sin in even columns, cos in odd ones; paper 3.5.

    An odd d_model ends on a sine: ⌈d_model/2⌉ sines and ⌊d_model/2⌋ cosines.
    """
    pos = torch.arange(T, dtype=torch.float64)[:, None]  # seq, 1
    i = torch.arange(0, d_model, 2, dtype=torch.float64) / 2  # pair
    angle = pos / 10000 ** (2 * i / d_model)  # seq, pair
    position = torch.empty(T, d_model)  # seq, d_model
    position[:, 0::2] = torch.sin(angle)
    position[:, 1::2] = torch.cos(angle)[:, : d_model // 2]
    return position


def add_positions(embedding: Tensor, position: Tensor) -> Tensor:
    """embedding (batch, seq, d_model) + position (seq, d_model) → x (batch, seq, d_model)."""
    return embedding + position  # batch, seq, d_model


def project(x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
    """x (batch, seq, d_model) @ W (d_model, h·d_k) → q, k or v (batch, seq, h·d_k)."""
    y = x @ W  # batch, seq, h·d_k
    return y if b is None else y + b


def split_heads(q: Tensor, h: int) -> Tensor:
    """q (batch, seq, h·d_k) → q_split (batch, seq, head, d_k), a view of the same memory."""
    B, T, width = q.shape
    return q.view(B, T, h, width // h)  # batch, seq, head, d_k


def swap_axes(q_split: Tensor) -> Tensor:
    """q_split (batch, seq, head, d_k) → q_heads (batch, head, seq, d_k), the same memory still."""
    return q_split.transpose(1, 2)  # batch, head, seq, d_k


def compare(q_heads: Tensor, k_heads: Tensor) -> Tensor:
    """QKᵀ: two (batch, head, seq, d_k) → raw_scores (batch, head, query, key); paper 3.2.1."""
    return q_heads @ k_heads.transpose(-2, -1)  # batch, head, query, key


def scale(raw_scores: Tensor, d_k: int) -> Tensor:
    """raw_scores ÷ √d_k → scores (batch, head, query, key); paper 3.2.1."""
    return raw_scores / math.sqrt(d_k)  # batch, head, query, key


def make_mask(ids: Tensor, causal: bool) -> Tensor:
    """ids (batch, seq) → mask (batch, 1, query, key): 0 may be seen, −∞ may not; paper 3.2.3.

    Padding keys are hidden from everyone; with `causal`, so is every key after the query.
    """
    B, T = ids.shape
    hidden = (ids == 0)[:, None, None, :].expand(B, 1, T, T)  # batch, 1, query, key
    if causal:
        hidden = hidden | ids.new_ones(T, T, dtype=torch.bool).triu(1)
    return torch.zeros(B, 1, T, T, device=ids.device).masked_fill(hidden, -math.inf)


def apply_mask(scores: Tensor, mask: Tensor) -> Tensor:
    """scores (batch, head, query, key) + mask (batch, 1, query, key), the same for every head."""
    return scores + mask  # batch, head, query, key


def normalize(masked_scores: Tensor) -> Tensor:
    """softmax over the keys → attn (batch, head, query, key), rows summing to 1; paper 3.2.1."""
    return torch.softmax(masked_scores, dim=-1)  # batch, head, query, key


def mix_values(attn: Tensor, v_heads: Tensor) -> Tensor:
    """attn (batch, head, query, key) @ v_heads (batch, head, key, d_k) → z (…, query, d_k)."""
    return attn @ v_heads  # batch, head, query, d_k


def swap_back(z: Tensor) -> Tensor:
    """z (batch, head, query, d_k) → z_swapped (batch, seq, head, d_k), the same memory."""
    return z.transpose(1, 2)  # batch, seq, head, d_k


def merge_heads(z_swapped: Tensor) -> Tensor:
    """z_swapped (batch, seq, head, d_k) → concat (batch, seq, h·d_k); the copy is real."""
    B, T, h, d_k = z_swapped.shape
    return z_swapped.contiguous().view(B, T, h * d_k)  # batch, seq, h·d_k


def project_out(concat: Tensor, W_O: Tensor, b_O: Tensor | None) -> Tensor:
    """concat (batch, seq, h·d_k) @ W_O (h·d_k, d_model) → output (batch, seq, d_model)."""
    y = concat @ W_O  # batch, seq, d_model
    return y if b_O is None else y + b_O


def add_residual(x: Tensor, output: Tensor) -> Tensor:
    """x + output → residual (batch, seq, d_model); paper 3.1."""
    return x + output  # batch, seq, d_model


def layer_norm(residual: Tensor) -> Tensor:
    """LayerNorm over d_model, gain 1 and shift 0 → normed (batch, seq, d_model); paper 3.1."""
    return F.layer_norm(residual, residual.shape[-1:])  # batch, seq, d_model
