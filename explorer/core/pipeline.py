"""A run: the equations in order, from the sentences to every tensor of the layer.

A run as a script is made of these very lines (source.py): one tensor is set by one of them.
"""

from functools import lru_cache

import torch

from explorer.core import attention
from explorer.core.attention import (
    add_positions,
    add_residual,
    apply_mask,
    compare,
    embed_ids,
    layer_norm,
    make_mask,
    merge_heads,
    mix_values,
    normalize,
    pad,
    project,
    project_out,
    scale,
    split_heads,
    swap_axes,
    swap_back,
)
from explorer.core.config import Config, NoTokens
from explorer.core.limits import LIMITS
from explorer.core.params import Params, draw_embedding, make_params
from explorer.core.tokens import tokenize
from explorer.core.trace import Embedded, Trace


def embed(config: Config, params: Params | None = None) -> Embedded:
    """The part of a run that needs no heads: tokens, ids, embedding, position, x.

    Raises NoTokens where every sentence is blank.
    """
    if not config.sentences:
        raise NoTokens("sentences: nothing to read, expected at least one word or character")
    params = params or Params(draw_embedding(config.d_model, config.seed).to(config.device))
    sentences, cut = _cut_up(config.sentences, config.tokenizer)
    tokens = pad(sentences)
    ids = look_up_ids(tokens).to(config.device)
    embedding = embed_ids(ids, params.W_E, config.scale_embedding)
    position = sinusoid(ids.shape[1], config.d_model).to(config.device)
    if not config.positions:
        position = torch.zeros_like(position)
    x = add_positions(embedding, position)
    return Embedded(
        config=config,
        params=params,
        tokens=tokens,
        cut=cut,
        ids=ids,
        embedding=embedding,
        position=position,
        x=x,
    )


def attend(config: Config, params: Params | None = None) -> Trace:
    """The whole run: every tensor from the tokens to the layer's output.

    Raises NoTokens where every sentence is blank, and IndivisibleHeads where h does not divide
    d_model and no d_k is given.
    """
    params = params or make_params(config)
    start = embed(config, params)
    x, h = start.x, config.h
    q = project(x, params.W_Q, params.b_Q)
    k = project(x, params.W_K, params.b_K)
    v = project(x, params.W_V, params.b_V)
    q_split = split_heads(q, h)
    k_split = split_heads(k, h)
    v_split = split_heads(v, h)
    q_heads = swap_axes(q_split)
    k_heads = swap_axes(k_split)
    v_heads = swap_axes(v_split)
    raw_scores = compare(q_heads, k_heads)
    scores = scale(raw_scores, q_heads.shape[-1])
    mask = make_mask(start.ids, config.causal)
    masked_scores = apply_mask(scores, mask)
    attn = normalize(masked_scores)
    z = mix_values(attn, v_heads)
    z_swapped = swap_back(z)
    concat = merge_heads(z_swapped)
    output = project_out(concat, params.W_O, params.b_O)
    residual = add_residual(x, output)
    normed = layer_norm(residual)
    return Trace(
        **vars(start),
        q=q,
        k=k,
        v=v,
        q_split=q_split,
        k_split=k_split,
        v_split=v_split,
        q_heads=q_heads,
        k_heads=k_heads,
        v_heads=v_heads,
        raw_scores=raw_scores,
        scores=scores,
        mask=mask,
        masked_scores=masked_scores,
        attn=attn,
        z=z,
        z_swapped=z_swapped,
        concat=concat,
        output=output,
        residual=residual,
        normed=normed,
    )


# Cutting up and hashing 64 tokens takes longer than a whole attention layer, and the same few
# sentences and sizes come back with every click. The results are shared and never written to.
sinusoid = lru_cache(maxsize=32)(attention.sinusoid)
look_up_ids = lru_cache(maxsize=256)(attention.look_up_ids)


@lru_cache(maxsize=256)
def _cut_up(
    sentences: tuple[str, ...], tokenizer: str
) -> tuple[tuple[list[str], ...], tuple[int, ...]]:
    """Sentences → the tokens of each that are kept, and how many were cut off."""
    pieces = [tokenize(sentence, tokenizer) for sentence in sentences]
    kept = tuple(row[: LIMITS.tokens] for row in pieces)
    return kept, tuple(len(row) - len(some) for row, some in zip(pieces, kept, strict=True))
