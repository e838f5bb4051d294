"""The same tokens in another order: what attention makes of them, with and without positions."""

import math
from dataclasses import dataclass

from torch import Tensor

from explorer.core import Params
from explorer.core.attention import add_positions, embed_ids, look_up_ids, make_mask, sinusoid
from explorer.core.tokens import tokenize
from explorer.experiments.layer import attend_to

ROUNDING = 1e-5  # of the largest number: what two orders of one fp32 sum may differ by


@dataclass(frozen=True)
class Setting:
    """Where positions are added ("", along "seq", or along "batch", a bug), and if causal."""

    positions: str
    causal: bool


SETTINGS = (
    Setting("", False),
    Setting("seq", False),
    Setting("", True),
    Setting("seq", True),
    Setting("batch", False),
)


@dataclass(frozen=True)
class Compared:
    """Two outputs of one layer (seq, d_model), and the largest differences of each token (seq).

    They are compared `aligned`, each token with itself, and `in_place`, each row with that row.
    """

    first: Tensor
    second: Tensor
    aligned: Tensor
    in_place: Tensor
    same: Tensor  # bool: aligned, and no difference but rounding


@dataclass(frozen=True)
class Turned:
    """What adding positions does to each embedding (seq): its length, and by how much it turns."""

    before: Tensor
    after: Tensor
    degrees: Tensor
    nearest: Tensor  # the id whose embedding x is nearest to, by angle, of the whole vocabulary


def permutation(first: list[str], second: list[str]) -> list[int] | None:
    """For every token of `second` its place in `first`, None where it is no permutation of it.

    A token that comes twice keeps its order: its k-th there is its k-th here.
    """
    if sorted(first) != sorted(second):
        return None
    places: dict[str, list[int]] = {}
    for place, token in enumerate(first):
        places.setdefault(token, []).append(place)
    return [places[token].pop(0) for token in second]


def reversed_text(text: str, cut: str, tokens: int, chars: int) -> tuple[str, str]:
    """The nearest two texts that are permutations: the first `tokens` of it, and those reversed.

    Where the reversed tokens would be cut otherwise once they are joined, it is the text twice.
    """
    between = " " if cut == "word" else ""
    first = tokenize(text, cut)[:tokens]
    there, back = between.join(first), between.join(reversed(first))
    if max(len(there), len(back)) > chars or tokenize(there, cut) != first:
        there = back = text
    elif tokenize(back, cut) != first[::-1]:
        back = there
    return there, back


def add_along_batch(embedding: Tensor, position: Tensor) -> Tensor:
    """The bug `x + pe[:x.size(0)]`, pe (seq, 1, d_model): item b gets PE(b) on all its tokens."""
    return embedding + position[: embedding.shape[0], None]  # batch, seq, d_model


def output_of(
    tokens: list[str], setting: Setting, params: Params, h: int, scaled: bool = False
) -> Tensor:
    """The output (seq, d_model) of one layer for one sentence, a batch of its own."""
    device = params.W_E.device
    ids = look_up_ids((tuple(tokens),)).to(device)  # 1, seq
    x = embed_ids(ids, params.W_E, scaled)
    position = sinusoid(*x.shape[1:]).to(device)  # seq, d_model
    add = {"": lambda x, _: x, "seq": add_positions, "batch": add_along_batch}[setting.positions]
    return attend_to(add(x, position), make_mask(ids, setting.causal), params, h)[0]


def compare_orders(
    first: list[str],
    second: list[str],
    setting: Setting,
    params: Params,
    h: int,
    scaled: bool = False,
) -> Compared:
    """f(PX) beside P·f(X), and beside f(X): the largest differences of every row of f(PX)."""
    order = permutation(first, second)
    x, px = (output_of(tokens, setting, params, h, scaled) for tokens in (first, second))
    aligned, in_place = ((px - other).abs().amax(-1) for other in (x[order], x))
    return Compared(x, px, aligned, in_place, aligned <= ROUNDING * x.abs().max())


def turn(tokens: list[str], W_E: Tensor, scaled: bool) -> Turned:
    """Add positions to the embeddings of a sentence (times √d_model if `scaled`); before, after."""
    ids = look_up_ids((tuple(tokens),)).to(W_E.device)
    embedding = embed_ids(ids, W_E, scaled)[0]  # seq, d_model
    x = add_positions(embedding, sinusoid(*embedding.shape).to(W_E.device))
    before, after = embedding.norm(dim=-1), x.norm(dim=-1)
    cosine = (embedding * x).sum(-1) / (before * after)
    nearest = (x @ W_E.T / W_E.norm(dim=-1)).argmax(-1)  # the largest cosine, of V
    return Turned(before, after, cosine.clamp(-1, 1).acos() * 180 / math.pi, nearest)
