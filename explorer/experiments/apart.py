"""d_k set apart from d_model / h: what torch's own layer says to it."""

import torch
from torch import nn
from torch.nn.utils import skip_init

from explorer.core.trace import Trace
from explorer.core.wrong import error_of


def ask_multihead(d_model: int, h: int, d_k: int) -> dict[str, str]:
    """Ways to get nn.MultiheadAttention to have h heads of d_k, really tried: call → its error.

    An empty dict would mean that torch can do it after all.
    """
    layer = f"nn.MultiheadAttention({d_model}, {h}"
    attempts = {
        f"{layer}, head_dim={d_k})": lambda: nn.MultiheadAttention(d_model, h, head_dim=d_k),
    }
    if d_model % h:
        attempts[f"{layer})"] = lambda: nn.MultiheadAttention(d_model, h, device="meta")
    else:
        call = f"{layer}).in_proj_weight.copy_(W)  # W {(3 * h * d_k, d_model)}"
        attempts[call] = lambda: load_weights(d_model, h, d_k)
    errors = {call: error_of(work) for call, work in attempts.items()}
    return {call: error for call, error in errors.items() if error is not None}


@torch.no_grad()
def load_weights(d_model: int, h: int, d_k: int) -> nn.MultiheadAttention:
    """A layer of torch's own, given W_Q, W_K, W_V of h heads of d_k; raises where they do not fit.

    One that knows only d_model / h; h must divide d_model.
    """
    layer = skip_init(nn.MultiheadAttention, d_model, h, bias=False)
    layer.in_proj_weight.copy_(torch.zeros(3 * h * d_k, d_model))
    return layer


def divisor(trace: Trace) -> float:
    """What the raw scores of a run were really divided by."""
    quotients = trace.raw_scores / trace.scores
    return float(quotients.nanmedian())


def count_weights(trace: Trace) -> int:
    """The elements of W_Q, W_K, W_V and W_O of a run, biases left out."""
    params = trace.params
    return sum(W.numel() for W in (params.W_Q, params.W_K, params.W_V, params.W_O))
