"""The same run by PyTorch's own attention: does the traced pipeline give what torch gives?"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import skip_init

from explorer.core.trace import Trace


@dataclass(frozen=True)
class Checks:
    """The largest differences of a run; `output` and `attn` are None where torch has no layer."""

    sdpa: float  # z, against F.scaled_dot_product_attention
    output: float | None  # against nn.MultiheadAttention
    attn: float | None
    fused: float  # x @ W_Q, against one product a head
    heads: float  # concat @ W_O, against the sum over heads


def check(trace: Trace) -> Checks:
    """Compute a run in other ways, and compare."""
    theirs = by_multihead_attention(trace)
    b_O = trace.params.b_O
    return Checks(
        sdpa=largest_difference(trace.z, by_sdpa(trace)),
        output=largest_difference(trace.output, theirs[0]) if theirs else None,
        attn=largest_difference(trace.attn, theirs[1]) if theirs else None,
        fused=fused_minus_per_head(trace),
        heads=largest_difference(
            trace.output if b_O is None else trace.output - b_O, head_contributions(trace).sum(1)
        ),
    )


@torch.no_grad()
def by_sdpa(trace: Trace) -> Tensor:
    """z (batch, head, query, d_k) by F.scaled_dot_product_attention on this run's q, k, v, mask."""
    return F.scaled_dot_product_attention(
        trace.q_heads, trace.k_heads, trace.v_heads, attn_mask=trace.mask
    )


@torch.no_grad()
def by_multihead_attention(trace: Trace) -> tuple[Tensor, Tensor] | None:
    """(output, attn) by nn.MultiheadAttention with this run's weights.

    None where it cannot be built: it knows no d_k of its own, only d_model / h.
    """
    config, params = trace.config, trace.params
    if config.h * trace.q_split.shape[-1] != config.d_model:
        return None
    layer = skip_init(  # its own random weights would be overwritten anyway
        nn.MultiheadAttention,
        config.d_model,
        config.h,
        bias=config.bias,
        batch_first=True,
        device=trace.x.device,
    ).eval()
    layer.in_proj_weight.copy_(torch.cat([params.W_Q.T, params.W_K.T, params.W_V.T]))
    layer.out_proj.weight.copy_(params.W_O.T)
    if config.bias:
        layer.in_proj_bias.copy_(torch.cat([params.b_Q, params.b_K, params.b_V]))
        layer.out_proj.bias.copy_(params.b_O)
    mask = trace.mask.expand_as(trace.scores).flatten(0, 1)  # batch·head, query, key
    return layer(trace.x, trace.x, trace.x, attn_mask=mask, average_attn_weights=False)


def fused_minus_per_head(trace: Trace) -> float:
    """Largest |x @ W_Q, then split − one small x @ W_Q[head] a head|, over all elements."""
    W = trace.params.W_Q.view(trace.config.d_model, trace.config.h, -1)  # d_model, head, d_k
    per_head = torch.stack([trace.x @ W[:, head] for head in range(trace.config.h)], dim=1)
    if trace.params.b_Q is not None:
        per_head = per_head + trace.params.b_Q.view(trace.config.h, 1, -1)
    return largest_difference(trace.q_heads, per_head)


def head_contributions(
    trace: Trace, items: int | slice = slice(None), heads: slice = slice(None)
) -> Tensor:
    """z_head @ W_O[head] for every head: (batch, head, seq, d_model); they sum to concat @ W_O."""
    W_O = trace.params.W_O.view(trace.config.h, -1, trace.config.d_model)  # head, d_k, d_model
    return trace.z[items, heads] @ W_O[heads]


def largest_difference(ours: Tensor, theirs: Tensor) -> float:
    """The largest |ours − theirs| over all elements."""
    return float((ours - theirs).abs().max())
