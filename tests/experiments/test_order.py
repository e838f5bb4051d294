"""Orders: a layer without positions and mask is equivariant; with either it is not."""

import math
from dataclasses import replace
from functools import cache

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from explorer.core import Config, attend, make_params
from explorer.core.attention import sinusoid
from explorer.core.tokens import V, token_id, tokenize
from explorer.experiments.order import (
    SETTINGS,
    Setting,
    add_along_batch,
    compare_orders,
    output_of,
    permutation,
    reversed_text,
    turn,
)
from tests.core import runs

NONE, POSITIONS, CAUSAL, BOTH, WRONG_AXIS = SETTINGS
LOVE, LOVED = list("我爱你"), list("你爱我")
SIZES = [(1, 1), (7, 7), (8, 2), (10, 5), (512, 8)]
every_size = pytest.mark.parametrize(("d_model", "h"), SIZES)
texts = st.text(max_size=60)
cuts = st.sampled_from(("char", "word"))


@cache
def params(d_model: int = 8, h: int = 2, **choices: object):
    return make_params(Config(d_model=d_model, h=h, **choices))


@every_size
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("positions", ["", "seq"])
@pytest.mark.parametrize("causal", [False, True])
def test_the_layer_is_that_of_the_steps(d_model, h, bias, positions, causal):
    config = Config(
        sentences=("我爱你",),
        tokenizer="char",
        d_model=d_model,
        h=h,
        bias=bias,
        positions=bool(positions),
        mask="causal" if causal else "none",
    )
    for scaled in (False, True):
        run = attend(replace(config, scale_embedding=scaled))
        ours = output_of(LOVE, Setting(positions, causal), run.params, h, scaled)
        assert_close(ours, run.output[0])


@every_size
@pytest.mark.parametrize("init", ["default", "xavier", "kaiming"])
def test_without_positions_and_mask_each_token_takes_its_output_along(d_model, h, init):
    """facts.md: around 1e-6 in fp32; E04: along the wrong axis, positions tell no order either."""
    for setting in (NONE, WRONG_AXIS):
        found = compare_orders(LOVE, LOVED, setting, params(d_model, h, init=init), h)
        assert found.aligned.max() <= 2e-6
        assert found.same.all()
        assert found.in_place[[0, 2]].min() > 1e-3, "equivariant, but not invariant"


@pytest.mark.parametrize(("d_model", "h"), [(8, 2), (10, 5), (64, 8), (512, 8)])
@pytest.mark.parametrize("setting", [POSITIONS, CAUSAL, BOTH])
def test_positions_tell_the_order_and_so_does_a_causal_mask_alone(d_model, h, setting):
    found = compare_orders(LOVE, LOVED, setting, params(d_model, h), h)
    assert found.aligned.max() > 1e-2
    assert not found.same.any()


@runs(50)
@given(st.permutations(range(6)))
def test_any_permutation_of_a_sentence_with_a_token_that_comes_twice(order):
    first = ["the", "cat", "saw", "the", "dog", "."]
    second = [first[place] for place in order]
    weights, matched = params(), permutation(first, second)
    found = compare_orders(first, second, NONE, weights, 2)
    x = output_of(first, NONE, weights, 2)
    assert [first[place] for place in matched] == second
    assert sorted(matched) == list(range(6))
    assert [p for p in matched if first[p] == "the"] == [0, 3]
    assert_close(found.second, x[order], atol=1e-5, rtol=0)
    assert found.same.all()


def test_a_token_that_stays_in_front_sees_the_same_behind_a_causal_mask():
    found = compare_orders(LOVE, list("我你爱"), CAUSAL, params(), 2)
    assert found.same.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("我爱你", "你爱我", [2, 1, 0]),
        ("abab", "bbaa", [1, 3, 0, 2]),
        ("", "", []),
        ("我爱你", "我爱她", None),
        ("aab", "abb", None),
        ("ab", "a", None),
    ],
)
def test_permutations_by_hand(first, second, expected):
    assert permutation(list(first), list(second)) == expected


@runs(50)
@given(texts, cuts)
def test_the_texts_that_are_offered_instead_can_be_compared(text, cut):
    if not tokenize(text, cut):
        return
    there, back = reversed_text(text, cut, 12, 60)
    first, second = tokenize(there, cut), tokenize(back, cut)
    assert max(len(there), len(back)) <= 60
    assert permutation(first, second) is not None
    assert 1 <= len(first) <= 12


@pytest.mark.parametrize(
    ("text", "cut", "expected"),
    [
        ("我爱她", "char", ("我爱她", "她爱我")),
        ("the cat sat", "word", ("the cat sat", "sat cat the")),
        (
            "一二三四五六七八九十百千万",
            "char",
            ("一二三四五六七八九十百千", "千百十九八七六五四三二一"),
        ),
    ],
)
def test_the_nearest_texts_are_the_first_tokens_and_those_reversed(text, cut, expected):
    assert reversed_text(text, cut, 12, 60) == expected


def test_positions_added_along_the_batch_are_the_same_for_all_tokens():
    """E04: b=1: every token gets PE(0) = 0 1 0 1 …; b=2: the sentences differ, not their tokens."""
    zero = torch.tensor([0, 1, 0, 1, 0, 1, 0, 1.0])
    position = sinusoid(3, 8)
    assert torch.equal(add_along_batch(torch.zeros(1, 3, 8), position), zero.expand(1, 3, 8))
    x = add_along_batch(torch.zeros(2, 3, 8), position)
    assert torch.equal(x[0], zero.expand(3, 8))
    assert torch.equal(x[1], position[1].expand(3, 8))
    assert not torch.equal(x[0], x[1])


def test_the_layout_of_positions_is_interleaved():
    """E03: 0 1 0 1 …; with all sines first (0 0 … 1 1) the same numbers stand in other columns."""
    position = sinusoid(4, 8)
    assert position[0].tolist() == [0, 1] * 4
    sines = torch.cat([position[:, 0::2], position[:, 1::2]], dim=1)
    assert sines[0].tolist() == [0] * 4 + [1] * 4
    assert_close(sines.norm(dim=1), position.norm(dim=1))


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("d_model", [8, 10, 512])
def test_angles_and_lengths_are_those_of_plain_geometry(d_model, scaled):
    W_E = params(d_model, 2).W_E
    found = turn(LOVE, W_E, scaled)
    for place, token in enumerate(LOVE):
        e = [float(v) * (math.sqrt(d_model) if scaled else 1) for v in W_E[token_id(token)]]
        x = [v + float(p) for v, p in zip(e, sinusoid(3, d_model)[place], strict=True)]
        assert float(found.before[place]) == pytest.approx(math.hypot(*e), rel=1e-5)
        assert float(found.after[place]) == pytest.approx(math.hypot(*x), rel=1e-5)
        cosine = sum(map(lambda a, b: a * b, e, x)) / math.hypot(*e) / math.hypot(*x)
        assert float(found.degrees[place]) == pytest.approx(math.degrees(math.acos(cosine)), 1e-3)


def test_with_room_enough_x_is_nearest_to_its_own_embedding():
    """d_model = 512: |e| ≈ √512, |position| = √256, so the angle is near atan(√½) = 35.3°."""
    ids = [token_id(token) for token in LOVE]
    W_E = params(512, 8).W_E
    plain, scaled = turn(LOVE, W_E, False), turn(LOVE, W_E, True)
    assert plain.nearest.tolist() == scaled.nearest.tolist() == ids
    assert_close(plain.degrees, torch.full((3,), 35.3), atol=4, rtol=0)
    assert scaled.degrees.max() < 3
    similarity = torch.cosine_similarity(W_E[ids[0]] + sinusoid(1, 512), W_E)
    assert len(similarity) == V
    assert int(similarity.argmax()) == ids[0]
    small = turn(LOVE, params(8, 2).W_E, False)
    assert small.nearest.tolist() != ids, "and where there is not, it need not be"
