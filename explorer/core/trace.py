"""Every tensor of a run, and for each: its axes, and what an element of it is made from."""

from dataclasses import dataclass, field, fields

from torch import Tensor

from explorer.core.config import Config
from explorer.core.params import Params

# Parameters have axes too; a trace leads back to them.
PARAM_AXES = {
    "W_E": ("id", "d_model"),
    **{f"W_{name}": ("d_model", "h·d_k") for name in "QKV"},
    **{f"b_{name}": ("h·d_k",) for name in "QKV"},
    "W_O": ("h·d_k", "d_model"),
    "b_O": ("d_model",),
}


def made(axes: str, how: str, **operands: str):
    """Declare a tensor: its axes, how an element is made, and the slice of each operand it needs.

    A slice names the coordinate to take on each axis of the operand, `:` for all of that axis and
    `0` for an axis of size 1. The axis h·d_k and the pair head, d_k are two names for one thing:
    either follows from the other.
    """
    slices = {name: tuple(slice_.split()) for name, slice_ in operands.items()}
    return field(metadata={"axes": tuple(axes.split()), "how": how, "operands": slices})


@dataclass(frozen=True)
class Embedded:
    """What needs no heads: from the tokens to x = embedding + position."""

    config: Config
    params: Params
    tokens: tuple[tuple[str, ...], ...]  # B × T, padded
    cut: tuple[int, ...]  # how many tokens of each sentence were past the limit
    ids: Tensor = made("batch seq", "hash")
    embedding: Tensor = made("batch seq d_model", "lookup", ids="batch seq", W_E="id d_model")
    position: Tensor = made("seq d_model", "wave")
    x: Tensor = made(
        "batch seq d_model", "sum", embedding="batch seq d_model", position="seq d_model"
    )


@dataclass(frozen=True)
class Trace(Embedded):
    """The whole layer, in the order computed (Vaswani et al. 2017, section 3.2)."""

    q: Tensor = made("batch seq h·d_k", "product", x="batch seq :", W_Q=": h·d_k", b_Q="h·d_k")
    k: Tensor = made("batch seq h·d_k", "product", x="batch seq :", W_K=": h·d_k", b_K="h·d_k")
    v: Tensor = made("batch seq h·d_k", "product", x="batch seq :", W_V=": h·d_k", b_V="h·d_k")
    q_split: Tensor = made("batch seq head d_k", "same", q="batch seq h·d_k")
    k_split: Tensor = made("batch seq head d_k", "same", k="batch seq h·d_k")
    v_split: Tensor = made("batch seq head d_k", "same", v="batch seq h·d_k")
    q_heads: Tensor = made("batch head seq d_k", "same", q_split="batch seq head d_k")
    k_heads: Tensor = made("batch head seq d_k", "same", k_split="batch seq head d_k")
    v_heads: Tensor = made("batch head seq d_k", "same", v_split="batch seq head d_k")
    raw_scores: Tensor = made(
        "batch head query key", "product", q_heads="batch head query :", k_heads="batch head key :"
    )
    scores: Tensor = made("batch head query key", "scaled", raw_scores="batch head query key")
    mask: Tensor = made("batch 1 query key", "hidden", ids="batch key")
    masked_scores: Tensor = made(
        "batch head query key", "sum", scores="batch head query key", mask="batch 0 query key"
    )
    attn: Tensor = made("batch head query key", "softmax", masked_scores="batch head query :")
    z: Tensor = made(
        "batch head query d_k", "product", attn="batch head query :", v_heads="batch head : d_k"
    )
    z_swapped: Tensor = made("batch seq head d_k", "same", z="batch head seq d_k")
    concat: Tensor = made("batch seq h·d_k", "copied", z_swapped="batch seq head d_k")
    output: Tensor = made(
        "batch seq d_model", "product", concat="batch seq :", W_O=": d_model", b_O="d_model"
    )
    residual: Tensor = made(
        "batch seq d_model", "sum", x="batch seq d_model", output="batch seq d_model"
    )
    normed: Tensor = made("batch seq d_model", "standardized", residual="batch seq :")


def tensors(kind: type[Embedded] = Trace) -> tuple[str, ...]:
    """The names of a trace's tensors, in the order computed.

    >>> tensors()[:4]
    ('ids', 'embedding', 'position', 'x')
    """
    return tuple(f.name for f in fields(kind) if "axes" in f.metadata)


def axes(name: str) -> tuple[str, ...]:
    """The axis names of a tensor of the trace, or of a parameter.

    >>> axes("q_heads"), axes("W_Q")
    (('batch', 'head', 'seq', 'd_k'), ('d_model', 'h·d_k'))
    """
    return PARAM_AXES[name] if name in PARAM_AXES else _DECLARED[name]["axes"]


def how(name: str) -> str:
    """How an element of a tensor of the trace comes from its operands; "drawn" for a parameter.

    >>> how("q"), how("W_Q")
    ('product', 'drawn')
    """
    return "drawn" if name in PARAM_AXES else _DECLARED[name]["how"]


def needed(name: str) -> dict[str, tuple[str, ...]]:
    """The operands that a tensor declares: name → the coordinate to take on each of its axes.

    >>> needed("attn")
    {'masked_scores': ('batch', 'head', 'query', ':')}
    """
    return {} if name in PARAM_AXES else _DECLARED[name]["operands"]


def lookup(trace: Embedded, name: str) -> Tensor | None:
    """A tensor of the trace or a parameter of the run, by name; None where this run lacks it."""
    return getattr(trace.params if name in PARAM_AXES else trace, name, None)


_DECLARED = {f.name: f.metadata for f in fields(Trace) if "axes" in f.metadata}
