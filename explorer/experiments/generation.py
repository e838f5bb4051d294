"""A decoder that generates: its input is the sentence shifted right, and no step looks ahead."""

import torch
from torch import Tensor

from explorer.core.attention import add_positions, embed_ids, look_up_ids, make_mask, sinusoid
from explorer.core.config import Config
from explorer.core.params import Params
from explorer.experiments.layer import attend_to

START = "<s>"


def shift_right(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The sentence that is to come → the decoder's input: row t holds what came before token t."""
    return (START, *tokens[:-1])


@torch.no_grad()
def layer(tokens: tuple[str, ...], config: Config, params: Params, causal: bool) -> Tensor:
    """The layer's output (seq, d_model) for one sentence of tokens, with a run's own weights."""
    ids = look_up_ids((tokens,)).to(params.W_E.device)  # batch, seq
    x = embed_ids(ids, params.W_E, config.scale_embedding)
    if config.positions:
        x = add_positions(x, sinusoid(len(tokens), config.d_model).to(x.device))
    return attend_to(x, make_mask(ids, causal), params, config.h)[0]


def whole_minus_steps(
    tokens: tuple[str, ...], config: Config, params: Params, causal: bool, steps: range
) -> float:
    """Largest |row of one run of all tokens − last row of a run of what is there at that step|.

    Step t has the first t tokens: what is still to come does not exist yet.
    """
    whole = layer(tokens, config, params, causal)
    alone = torch.stack([layer(tokens[:t], config, params, causal)[-1] for t in steps])
    return float((whole[steps.start - 1 : steps.stop - 1] - alone).abs().max())
