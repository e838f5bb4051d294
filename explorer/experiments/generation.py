"""A decoder that generates: its input is the sentence shifted right, and no step looks ahead."""

import torch
from torch import Tensor

from explorer.core.attention import (
    add_positions,
    apply_mask,
    compare,
    embed_ids,
    make_mask,
    merge_heads,
    mix_values,
    normalize,
    project,
    project_out,
    scale,
    sinusoid,
    split_heads,
    swap_axes,
    swap_back,
)
from explorer.core.config import Config
from explorer.core.params import Params
from explorer.core.tokens import token_id

START = "<s>"


def shift_right(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The sentence that is to come → the decoder's input: row t holds what came before token t."""
    return (START, *tokens[:-1])


@torch.no_grad()
def layer(tokens: tuple[str, ...], config: Config, params: Params, causal: bool) -> Tensor:
    """The layer's output (seq, d_model) for one sentence of tokens, with a run's own weights."""
    ids = torch.tensor([list(map(token_id, tokens))], device=params.W_E.device)  # batch, seq
    x = embed_ids(ids, params.W_E, config.scale_embedding)
    if config.positions:
        x = add_positions(x, sinusoid(len(tokens), config.d_model).to(x.device))
    q = swap_axes(split_heads(project(x, params.W_Q, params.b_Q), config.h))
    k = swap_axes(split_heads(project(x, params.W_K, params.b_K), config.h))
    v = swap_axes(split_heads(project(x, params.W_V, params.b_V), config.h))
    scores = scale(compare(q, k), q.shape[-1])
    attn = normalize(apply_mask(scores, make_mask(ids, causal)))
    concat = merge_heads(swap_back(mix_values(attn, v)))
    return project_out(concat, params.W_O, params.b_O)[0]


def whole_minus_prefix(
    tokens: tuple[str, ...], config: Config, params: Params, causal: bool, until: int
) -> float:
    """Largest |the first rows of a run of all tokens − a run of the first `until` tokens alone|.

    The second is what generating has at that step: what is still to come does not exist yet.
    """
    whole = layer(tokens, config, params, causal)[:until]
    prefix = layer(tokens[:until], config, params, causal)
    return float((whole - prefix).abs().max())
