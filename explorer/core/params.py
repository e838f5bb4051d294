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
    d_model, h, init, seed = config.d_model, config.h, config.init, config.seed
    device, bias = config.device, config.bias
    d_k = head_size(config)
    W_E = draw_embedding(d_model, seed).to(device)
    W_Q = draw_weight("W_Q", d_model, h * d_k, init, seed).to(device)
    W_K = draw_weight("W_K", d_model, h * d_k, init, seed).to(device)
    W_V = draw_weight("W_V", d_model, h * d_k, init, seed).to(device)
    W_O = draw_weight("W_O", h * d_k, d_model, init, seed).to(device)
    b_Q = draw_bias("b_Q", d_model, h * d_k, seed).to(device) if bias else None
    b_K = draw_bias("b_K", d_model, h * d_k, seed).to(device) if bias else None
    b_V = draw_bias("b_V", d_model, h * d_k, seed).to(device) if bias else None
    b_O = draw_bias("b_O", h * d_k, d_model, seed).to(device) if bias else None
    return Params(W_E, W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O)


def draw_embedding(d_model: int, seed: int) -> Tensor:
    """W_E (V, d_model), standard normal as in torch.nn.Embedding."""
    return torch.empty(V, d_model).normal_(generator=generator_of(seed, "W_E"))


def draw_weight(name: str, fan_in: int, fan_out: int, init: str, seed: int) -> Tensor:
    """W (fan_in, fan_out) for x @ W by init (torch.nn.Linear's default, Xavier, Kaiming).

    PyTorch's initialisers read fan_in off the last axis, so they are given the transpose.
    """
    W = torch.empty(fan_in, fan_out)
    generator = generator_of(seed, name)
    if init == "xavier":
        nn.init.xavier_uniform_(W.T, generator=generator)
    else:
        a = 0.1 if init == "kaiming" else math.sqrt(5)
        nn.init.kaiming_uniform_(W.T, a=a, generator=generator)
    return W


def draw_bias(name: str, fan_in: int, fan_out: int, seed: int) -> Tensor:
    """b (fan_out,), uniform within ±1/√fan_in as in torch.nn.Linear."""
    bound = 1 / math.sqrt(fan_in)
    return torch.empty(fan_out).uniform_(-bound, bound, generator=generator_of(seed, name))


def generator_of(seed: int, name: str) -> torch.Generator:
    """A generator on the CPU of its own for every pair of seed and name."""
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
