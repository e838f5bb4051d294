"""One attention layer from x to its output, with the weights of a run."""

from torch import Tensor

from explorer.core import Params
from explorer.core.attention import (
    apply_mask,
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


def attend_to(x: Tensor, mask: Tensor, params: Params, h: int) -> Tensor:
    """f(x): x (batch, seq, d_model), mask (batch, 1, query, key) → output (batch, seq, d_model)."""
    q = swap_axes(split_heads(project(x, params.W_Q, params.b_Q), h))  # batch, head, seq, d_k
    k = swap_axes(split_heads(project(x, params.W_K, params.b_K), h))
    v = swap_axes(split_heads(project(x, params.W_V, params.b_V), h))
    attn = normalize(apply_mask(scale(compare(q, k), q.shape[-1]), mask))
    return project_out(merge_heads(swap_back(mix_values(attn, v))), params.W_O, params.b_O)
