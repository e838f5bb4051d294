"""How the weights begin: their variance, what it does to the scores, and what gradients flow."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from torch import Tensor, nn

from explorer.core import Config, Params, attend
from explorer.core.attention import compare, normalize, project, scale, split_heads, swap_axes
from explorer.experiments.scaling import gradient

METHODS = ("zeros", "default", "xavier", "kaiming", "kaiming_relu")
MATRICES = ("W_Q", "W_K", "W_V", "W_O")
KEYS = 8  # tokens a query of the drawn input chooses from
WEIGHTS = 2**16  # numbers to draw: a large W once, a small one up to MOST_DRAWS times
MOST_DRAWS = 512
SENTENCES = 64  # of drawn input, at least; every W gets one of its own
COLUMNS = 512  # of W, about, that attend to it: the first heads stand for all
COUNTED = 2**18  # numbers of W whose density is counted
BINS = 40


def begin(W: Tensor, method: str, generator: torch.Generator) -> Tensor:
    """Fill W (fan_in, fan_out), used as x @ W, by one of torch's own initialisers; W itself.

    They read fan_in off the last axis, so they are given the transpose.
    """
    match method:
        case "zeros":
            nn.init.zeros_(W)
        case "default":  # of nn.Linear
            nn.init.kaiming_uniform_(W.T, a=math.sqrt(5), generator=generator)
        case "xavier":
            nn.init.xavier_uniform_(W.T, generator=generator)
        case "kaiming":
            nn.init.kaiming_uniform_(W.T, a=0.1, generator=generator)
        case "kaiming_relu":
            nn.init.kaiming_uniform_(W.T, nonlinearity="relu", generator=generator)
    return W


def variance(method: str, fan_in: int, fan_out: int) -> float:
    """The variance that a method is meant to give (Glorot & Bengio 2010; He et al. 2015)."""
    return {
        "zeros": 0.0,
        "default": 1 / (3 * fan_in),
        "xavier": 2 / (fan_in + fan_out),
        "kaiming": 2 / ((1 + 0.1**2) * fan_in),
        "kaiming_relu": 2 / fan_in,
    }[method]


def score_variance(var_W: float, d_model: int) -> float:
    """Variance of q·k ÷ √d_k for input of variance 1: q and k have d_model · Var W each."""
    return (d_model * var_W) ** 2


def compare_heads(x: Tensor, y: Tensor, W_Q: Tensor, W_K: Tensor, h: int) -> Tensor:
    """Queries of x, keys of y (draw, batch, seq, d_model) → scores (draw·batch, head, query, key).

    W_Q and W_K (draw, d_model, h·d_k): every draw of them sees sentences of its own.
    """
    x, y = x.flatten(1, 2), y.flatten(1, 2)  # draw, batch·seq, d_model: one product for each draw
    q, k = project(x, W_Q, None), project(y, W_K, None)  # draw, batch·seq, h·d_k
    q, k = (m.reshape(-1, KEYS, m.shape[-1]) for m in (q, k))  # draw·batch, seq, h·d_k
    q, k = (swap_axes(split_heads(m, h)) for m in (q, k))
    return scale(compare(q, k), q.shape[-1])  # draw·batch, head, query, key


def density(W: Tensor) -> tuple[Tensor, Tensor]:
    """How dense the numbers of W lie (bin) around each value (bin), to a little past the last."""
    edges = torch.linspace(-1.2, 1.2, BINS + 1) * float(W.abs().max())
    counts, _ = torch.histogram(W, edges)
    return (edges[1:] + edges[:-1]) / 2, counts / (W.numel() * edges.diff())


@dataclass(frozen=True)
class Start:
    """What one method gives: variances by its formula and measured, and the softmax."""

    formula: float
    measured: float
    scores_formula: float
    scores: float
    largest: float  # mean largest probability of a query among KEYS
    flow: float  # median norm of the softmax's Jacobian
    density: tuple[Tensor, Tensor] | None  # of the numbers of W; of zeros there is none


@lru_cache(maxsize=40)
@torch.no_grad()
def measure(method: str, gain: float, d_model: int, h: int, d_k: int) -> Start:
    """Draw W_Q and W_K (d_model, h·d_k), times `gain`, and let them attend to random input.

    The input has mean 0 and variance 1, that of queries apart from that of keys. Small matrices
    are drawn again and again.
    """
    generator, width = torch.Generator().manual_seed(0), h * d_k
    draws = min(MOST_DRAWS, math.ceil(WEIGHTS / (d_model * width)))
    heads = min(h, math.ceil(COLUMNS / d_k))
    W_Q, W_K = (
        gain
        * torch.stack([begin(W, method, generator) for W in torch.empty(draws, d_model, width)])
        for _ in range(2)
    )  # draw, d_model, h·d_k
    size = (2, draws, -(-SENTENCES // draws), KEYS, d_model)
    x, y = torch.randn(size, generator=generator)  # each: draw, batch, seq, d_model
    first = (W[..., : heads * d_k] for W in (W_Q, W_K))
    scores = compare_heads(x, y, *first, heads)
    attn = normalize(scores.double())  # in 32 bits, a share of almost 1 would be 1
    var_W = gain**2 * variance(method, d_model, width)
    return Start(
        formula=var_W,
        measured=float(W_Q.var()),
        scores_formula=score_variance(var_W, d_model),
        scores=float(scores.var()),
        largest=float(attn.amax(-1).mean()),
        flow=float(gradient(attn).median()),
        density=density(W_Q.flatten()[:COUNTED]) if method != "zeros" else None,
    )


@dataclass(frozen=True)
class Gradients:
    """The Frobenius norm of the gradient of each matrix, and the rows of W_E that have one."""

    norms: dict[str, float]  # W_E, W_Q, W_K, W_V, W_O
    rows: tuple[int, ...]  # ids


def backward(config: Config, params: Params) -> dict[str, Tensor]:
    """The gradient of every matrix: one whole run, forward and back.

    The loss is Σ output · R over the tokens that are no padding, R a fixed random tensor.
    """
    leaves = {name: getattr(params, name).detach().requires_grad_() for name in ("W_E", *MATRICES)}
    trace = attend(config, replace(params, **leaves))
    R = torch.randn(trace.output.shape, generator=torch.Generator().manual_seed(0))
    real = (trace.ids != 0)[..., None]  # batch, seq, 1
    (trace.output * R * real).sum().backward()
    return {name: leaf.grad for name, leaf in leaves.items()}


def gradients(config: Config, params: Params, method: str, gain: float) -> Gradients:
    """What flows back into each matrix if W_Q, W_K, W_V, W_O begin like this, times `gain`."""
    generator = torch.Generator().manual_seed(config.seed)
    weights = {
        name: begin(torch.empty_like(getattr(params, name)), method, generator) * gain
        for name in MATRICES
    }
    grads = backward(config, replace(params, **weights))
    rows = grads["W_E"].norm(dim=1)  # id
    norms = {name: float(grad.norm()) for name, grad in (grads | {"W_E": rows}).items()}
    return Gradients(norms, tuple(rows.nonzero().flatten().tolist()))


@dataclass(frozen=True)
class Filled:
    """A matrix that an initialiser of torch filled: the fan_in it read, and the variances."""

    shape: tuple[int, ...]
    fan_in: int
    formula: float
    measured: float


@lru_cache(maxsize=16)
def fill_in_three_ways(d_model: int, width: int) -> dict[str, Filled]:
    """The transpose of W (d_model, width), W itself, and Q, K, V in one as torch keeps them.

    The first two by Kaiming, a=0.1; nn.MultiheadAttention has Xavier over (3·d_model, d_model).
    """
    generator = torch.Generator().manual_seed(0)
    found = {}
    for name, axis in {"transpose": 0, "itself": 1}.items():
        W = torch.empty(d_model, width)
        nn.init.kaiming_uniform_(W.T if axis == 0 else W, a=0.1, generator=generator)
        fan_in = W.shape[axis]
        found[name] = Filled(W.shape, fan_in, variance("kaiming", fan_in, 0), float(W.var()))
    in_proj = torch.empty(3 * d_model, d_model)
    nn.init.xavier_uniform_(in_proj, generator=generator)
    formula = variance("xavier", d_model, 3 * d_model)
    found["in_proj"] = Filled(in_proj.shape, d_model, formula, float(in_proj.var()))
    return found
