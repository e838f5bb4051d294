"""Ancestors and descendants against a poisoned run: NaN spreads to all that is computed from it."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import Config, attend
from explorer.core import attention as equations
from explorer.core.lineage import ancestors, descendants, fed_by
from explorer.core.trace import PARAM_AXES, lookup, needed, tensors
from tests.core import configs, runs

SAME = ("q", "k", "v")
# How each tensor is computed from its operands; what is not here takes no numbers.
COMPUTED = {
    "embedding": lambda run, of: equations.embed_ids(
        of["ids"], of["W_E"], run.config.scale_embedding
    ),
    "x": lambda run, of: of["embedding"] + of["position"],
    **{
        name: lambda run, of, name=name: equations.project(
            of["x"], of[f"W_{name.upper()}"], of.get(f"b_{name.upper()}")
        )
        for name in SAME
    },
    **{
        f"{name}_split": lambda run, of, name=name: equations.split_heads(of[name], run.config.h)
        for name in SAME
    },
    **{
        f"{name}_heads": lambda run, of, name=name: equations.swap_axes(of[f"{name}_split"])
        for name in SAME
    },
    "raw_scores": lambda run, of: equations.compare(of["q_heads"], of["k_heads"]),
    "scores": lambda run, of: equations.scale(of["raw_scores"], run.q_split.shape[3]),
    "masked_scores": lambda run, of: equations.apply_mask(of["scores"], of["mask"]),
    "attn": lambda run, of: equations.normalize(of["masked_scores"]),
    "z": lambda run, of: equations.mix_values(of["attn"], of["v_heads"]),
    "z_swapped": lambda run, of: equations.swap_back(of["z"]),
    "concat": lambda run, of: equations.merge_heads(of["z_swapped"]),
    "output": lambda run, of: equations.project_out(of["concat"], of["W_O"], of.get("b_O")),
    "residual": lambda run, of: equations.add_residual(of["x"], of["output"]),
    "normed": lambda run, of: equations.layer_norm(of["residual"]),
}


def poisoned(run, name, index):
    """Every tensor of a run, computed anew after one element of `name` has become NaN."""
    of = {each: lookup(run, each) for each in PARAM_AXES if lookup(run, each) is not None}
    of[name] = lookup(run, name).clone()
    of[name][index] = torch.nan
    for each in tensors():
        if each != name:
            of[each] = COMPUTED[each](run, of) if each in COMPUTED else lookup(run, each)
    return of


def cells(boxes, shape):
    """The cells of a tensor that lie in any of the boxes."""
    inside = torch.zeros(shape, dtype=torch.bool)
    for box in boxes:
        one = torch.ones(shape, dtype=torch.bool)
        for axis, (some, size) in enumerate(zip(box, shape, strict=True)):
            if some is not None:
                at = torch.tensor([i in some for i in range(size)])
                one &= at.view([-1 if i == axis else 1 for i in range(len(shape))])
        inside |= one
    return inside


@st.composite
def spots(draw):
    """A run, and one float element of it or of its parameters."""
    run = attend(draw(configs()))
    names = [n for n in (*tensors(), *PARAM_AXES) if n != "ids" and lookup(run, n) is not None]
    name = draw(st.sampled_from(names))
    shape = lookup(run, name).shape
    spot = torch.unravel_index(torch.tensor(draw(st.integers(0, shape.numel() - 1))), shape)
    if name == "W_E":  # a row that this run reads
        spot = (run.ids.flatten()[draw(st.integers(0, run.ids.numel() - 1))], spot[1])
    return run, name, tuple(map(int, spot))


@runs(60)
@given(spots())
def test_the_descendants_of_an_element_are_those_that_its_nan_reaches(spot):
    run, name, index = spot
    after, found = poisoned(run, name, index), descendants(run, name, index)
    for later in tensors():
        if later not in (name, "ids"):
            reached = after[later].isnan()
            assert torch.equal(cells(found.get(later, []), reached.shape), reached), later


@runs(60)
@given(spots(), st.data())
def test_an_ancestor_is_what_has_the_element_among_its_descendants(spot, data):
    run, name, index = spot
    found = ancestors(run, name, index)
    other = data.draw(
        st.sampled_from([n for n in (*tensors(), *PARAM_AXES) if lookup(run, n) is not None])
    )
    if other == name:
        return
    shape = lookup(run, other).shape
    inside = cells(found.get(other, []), shape)
    for wanted in (True, False):
        places = (inside == wanted).nonzero()
        if len(places):
            at = tuple(places[data.draw(st.integers(0, len(places) - 1))].tolist())
            below = cells(descendants(run, other, at).get(name, []), lookup(run, name).shape)
            assert bool(below[index]) == wanted, (other, at)


def test_a_score_comes_from_two_rows_of_x_and_its_heads_columns():
    """Head 1 of two heads of four: the columns 4 to 7 of W_Q and W_K, and nothing of W_V."""
    run = attend(Config(h=2))
    found = ancestors(run, "scores", (0, 1, 3, 2))
    columns = frozenset(range(4, 8))
    assert found["W_Q"] == [(None, columns)] == found["W_K"]
    assert cells(found["x"], run.x.shape).nonzero()[:, 1].unique().tolist() == [2, 3]
    assert not {"W_V", "W_O", "attn"} & set(found)
    assert cells(found["ids"], run.ids.shape).nonzero().tolist() == [[0, 2], [0, 3]]


def test_an_element_of_k_feeds_a_column_of_scores():
    run = attend(Config(h=2))
    one = [frozenset((i,)) for i in range(4)]
    assert fed_by(run, "k_heads", (0, 1, 2, 3)) == {"raw_scores": (one[0], one[1], None, one[2])}
    assert fed_by(run, "normed", (0, 0, 0)) == {}


def test_every_operand_is_fed_to_what_declares_it():
    run = attend(Config(bias=True))
    for name in (*tensors(), *PARAM_AXES):
        index = (0,) * lookup(run, name).dim()
        index = (15, 0) if name == "W_E" else index  # 我
        assert list(fed_by(run, name, index)) == [n for n in tensors() if name in needed(n)]
