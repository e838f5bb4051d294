"""The parameters of one attention layer, each drawn from a generator of its own."""

import hashlib
import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from explorer.core.config import Config, head_size
from explorer.core.tokens import V


@dataclass(frozen=True)
class Params:
    """W_E (V, d_model); W_Q W_K W_V (d_model, h·d_k); W_O (h·d_k, d_model); b_* or None."""

    W_E: Tensor
    W_Q: Tensor | None = None
    W_K: Tensor | None = None
    W_V: Tensor | None = None
    W_O: Tensor | None = None
    b_Q: Tensor | None = None
    b_K: Tensor | None = None
    b_V: Tensor | None = None
    b_O: Tensor | None = None


def make_params(config: Config) -> Params:
    """Draw every parameter of a run; raises IndivisibleHeads where d_k is not a whole number.

    Each comes from a CPU generator seeded by (seed, its name): changing h or bias leaves the
    others as they were, and every device gets the same numbers.
    """
    d_model, width = config.d_model, config.h * head_size(config)
    weights = {f"W_{name}": draw_weight(config, f"W_{name}", d_model, width) for name in "QKV"}
    weights["W_O"] = draw_weight(config, "W_O", width, d_model)
    if config.bias:
        weights |= {f"b_{name}": draw_bias(config, f"b_{name}", d_model, width) for name in "QKV"}
        weights["b_O"] = draw_bias(config, "b_O", width, d_model)
    return Params(draw_embedding(config), **weights)


def draw_embedding(config: Config) -> Tensor:
    """W_E (V, d_model), standard normal as in torch.nn.Embedding."""
    W_E = torch.empty(V, config.d_model).normal_(generator=_generator(config.seed, "W_E"))
    return W_E.to(config.device)


def draw_weight(config: Config, name: str, fan_in: int, fan_out: int) -> Tensor:
    """W (fan_in, fan_out) for x @ W by config.init (torch.nn.Linear's default, Xavier, Kaiming).

    PyTorch's initialisers read fan_in off the last axis, so they are given the transpose.
    """
    W = torch.empty(fan_in, fan_out)
    generator = _generator(config.seed, name)
    if config.init == "xavier":
        nn.init.xavier_uniform_(W.T, generator=generator)
    else:
        a = 0.1 if config.init == "kaiming" else math.sqrt(5)
        nn.init.kaiming_uniform_(W.T, a=a, generator=generator)
    return W.to(config.device)


def draw_bias(config: Config, name: str, fan_in: int, fan_out: int) -> Tensor:
    """b (fan_out,), uniform within ±1/√fan_in as in torch.nn.Linear."""
    bound = 1 / math.sqrt(fan_in)
    b = torch.empty(fan_out).uniform_(-bound, bound, generator=_generator(config.seed, name))
    return b.to(config.device)


def _generator(seed: int, name: str) -> torch.Generator:
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
