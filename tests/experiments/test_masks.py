"""The ways to mask against torch's own functions and values worked by hand (cases E12 to E22)."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from explorer.experiments import masks
from explorer.experiments.masks import LENGTHS, PADDED, WAYS, WORKED, in_batch, one_by_one

SEEDS = st.integers(0, 2**40)


def random_scores(seed: int, *shape: int) -> torch.Tensor:
    return 3 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def causal(scores: torch.Tensor, diagonal: int = 1) -> torch.Tensor:
    T = len(scores)
    return torch.tensor([[k >= q + diagonal for k in range(T)] for q in range(T)])


def test_the_worked_row_is_not_what_the_seed_prints():
    row = masks.right(WORKED)[2]
    assert_close(row, torch.tensor([0.589648, 0.264946, 0.145406, 0.0]), atol=1e-6, rtol=0)
    weights = [math.exp(score) for score in (2.1, 1.3, 0.7)]
    assert_close(row[:3], torch.tensor(weights) / sum(weights))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 9))
def test_the_right_way_is_that_of_torch(seed, T):
    scores, one = random_scores(seed, T, T), torch.eye(T)
    theirs = F.scaled_dot_product_attention(scores, one, one, is_causal=True, scale=1.0)
    assert_close(masks.right(scores), theirs)
    assert_close(one_by_one("large", scores).weights, theirs)


def test_a_score_times_0_leaks():
    """E15."""
    found = one_by_one("multiplied", WORKED)
    expected = torch.tensor([0.549939, 0.247104, 0.135613, 0.067344])
    assert_close(found.weights[2], expected, atol=1e-6, rtol=0)
    one = 1 / (1 + sum(math.exp(score) for score in (2.1, 1.3, 0.7)))
    assert float(found.weights[2, 3]) == pytest.approx(one, rel=1e-5)
    assert found.leak == pytest.approx(1 / (3 + math.exp(2.1)), rel=1e-5)  # of row 0


@settings(max_examples=8, deadline=None)
@given(SEEDS, st.integers(2, 9))
def test_what_leaks_at_any_scores_and_what_does_not(seed, T):
    scores = random_scores(seed, T, T)
    for way in ("multiplied", "added", "mha", "sdpa_blocked", "no_key_min"):
        assert one_by_one(way, scores).leak > 0, way
    for way in ("after", "large", "half_min", "diagonal", "axis", "no_key_sdpa"):
        assert one_by_one(way, scores).leak == 0, way


def test_a_float_mask_of_ones_is_added():
    """E15: no zeros appear, every row still sums to 1."""
    found = one_by_one("added", WORKED)
    assert_close(found.weights, (WORKED + torch.ones(4, 4).tril()).softmax(-1))
    assert (found.weights > 0).all()


def test_after_the_softmax_what_is_hidden_is_missing():
    low, high = one_by_one("after", WORKED).sums
    total = sum(math.exp(score) for score in masks.ROW)
    assert (low, high) == pytest.approx((math.exp(2.1) / total, 1))


def test_0_times_infinity_is_nan_in_every_row():
    found = one_by_one("zero_times_inf", WORKED)
    assert found.weights.isnan().all()
    assert found.nan_rows == [0, 1, 2, 3]
    assert math.isnan(found.sums[0])


def test_half_precision_has_no_minus_a_billion():
    """E18."""
    said = one_by_one("half", WORKED)
    assert said.weights is None
    assert said.error == "value cannot be converted to type c10::Half without overflow"
    found = one_by_one("half_min", WORKED)
    assert 0 < found.difference < 1e-3
    assert found.weights[0].tolist() == [1, 0, 0, 0]


def test_true_means_blocked_to_one_and_may_attend_to_the_other():
    """E16."""
    opposite = one_by_one("mha", WORKED)
    assert opposite.nan_rows == [3]
    future = torch.tensor([0, *masks.ROW[1:]]).exp() * torch.tensor([0, 1, 1, 1])
    assert_close(opposite.weights[0], future / future.sum())
    silent = one_by_one("sdpa_blocked", WORKED)
    assert silent.nan_rows == []
    assert silent.weights[3].tolist() == [0, 0, 0, 0]
    assert_close(silent.weights[:3], opposite.weights[:3])
    blocked, may = causal(WORKED), ~causal(WORKED)
    assert_close(masks.multihead(WORKED, attn_mask=blocked), masks.right(WORKED))
    assert_close(masks.sdpa(WORKED, attn_mask=may), masks.right(WORKED))


def test_a_mask_of_whole_numbers_is_refused():
    """E16."""
    assert "attn_mask dtype" in one_by_one("integer", WORKED).error
    with pytest.raises(AssertionError, match="only bool and floating types"):
        masks.multihead(WORKED, torch.ones(4, 4, dtype=torch.long))


def test_one_off_the_diagonal_hides_the_token_itself():
    """E14."""
    found = one_by_one("diagonal", WORKED)
    assert found.nan_rows == [0]
    expected = WORKED.masked_fill(causal(WORKED, 0), -math.inf)[1:].softmax(-1)
    assert_close(found.weights[1:], expected)
    assert masks.right(WORKED)[0].tolist() == [1, 0, 0, 0]


def test_softmax_over_queries_makes_columns_sum_to_1():
    """E12."""
    found = one_by_one("axis", WORKED)
    assert_close(found.weights.sum(0), torch.ones(4))
    assert found.sums[1] - found.sums[0] > 1


def test_a_row_without_a_key():
    """E13: NaN, 1/n, 0, and a NaN that is only hidden; row 0 sees nothing here."""
    found = {name: one_by_one(name, WORKED) for name in WAYS if name.startswith("no_key")}
    rows = {name: outcome.weights[0].tolist() for name, outcome in found.items()}
    assert all(map(math.isnan, rows["no_key"]))
    assert all(map(math.isnan, rows["no_key_twice"]))
    assert rows["no_key_min"] == [0.25] * 4
    assert rows["no_key_sdpa"] == rows["no_key_zeroed"] == [0] * 4
    finite = [name for name, outcome in found.items() if outcome.gradient]
    assert sorted(finite) == ["no_key_min", "no_key_sdpa"]
    for outcome in found.values():  # every other row is right
        theirs = WORKED.masked_fill(causal(WORKED), -math.inf)[1:, 1:].softmax(-1)
        assert_close(outcome.weights[1:, 1:], theirs, atol=1e-3, rtol=0)


def test_two_lowest_numbers_add_up_to_infinity():
    """E18."""
    lowest = torch.tensor(torch.finfo(torch.half).min, dtype=torch.half)
    assert float(lowest) == -65504
    assert float(lowest + lowest) == -math.inf


def test_a_mask_of_keys_without_its_axes_hides_the_padding_of_another_sentence():
    scores, pad = masks.worked_batch()
    assert pad.logical_not().sum(1).tolist() == list(LENGTHS)
    for item in range(4):
        found = in_batch("key_mask", scores, pad, item, 0)
        seen = [int((row > 0).sum()) for row in found.weights]
        assert seen == list(LENGTHS)
        assert [int((row > 0).sum()) for row in found.right] == [LENGTHS[item]] * 4


def test_a_mask_of_queries_hides_rows():
    scores, pad = masks.worked_batch()
    for head, length in enumerate(LENGTHS):
        found = in_batch("query_mask", scores, pad, 3, head)
        assert found.nan_rows == list(range(length, 4))
        assert (found.weights[:length] > 0).all()


def test_other_sizes_raise_and_one_sentence_is_right_by_luck():
    scores, pad = masks.worked_batch()
    for way in ("key_mask", "query_mask"):
        assert "must match" in in_batch(way, scores[:3], pad[:3], 0, 0).error
    alone = in_batch("key_mask", scores[:1], pad[:1], 0, 0)
    assert alone.difference == 0
    assert in_batch("query_mask", scores[:1], pad[:1], 0, 0).leak > 0


def test_torch_returns_the_mean_over_heads():
    """E21: by nn.MultiheadAttention, whose one head or mean our own average is held against."""
    torch_says = []
    for average in (True, False):
        layer = nn.MultiheadAttention(16, 4, batch_first=True).eval()
        generator = torch.Generator().manual_seed(1)
        for parameter in layer.parameters():
            parameter.data.normal_(generator=generator)
        x = torch.randn(1, 4, 16, generator=generator)
        torch_says.append(layer(x, x, x, average_attn_weights=average)[1].detach())
    mean, each = torch_says
    found = masks.averaged(each.log(), torch.zeros(1, 4, dtype=torch.bool))
    assert_close(found, mean[:, None].expand(1, 4, 4, 4))
    assert in_batch("averaged", *masks.worked_batch(), 0, 0).difference > 0.1


def test_dropout_breaks_the_sums_of_rows():
    """E22: what is left is doubled."""
    scores, pad = masks.worked_batch()
    found = in_batch("dropped", scores, pad, 0, 0)
    low, high = found.sums
    assert high - low > 0.1
    left = found.weights > 0
    assert left.any()
    assert_close(found.weights[left], 2 * found.right[left])


@pytest.mark.parametrize("way", [*WAYS, *PADDED])
def test_a_way_neither_writes_to_the_scores_nor_draws_from_the_global_generator(way):
    before, state = random_scores(1, 4, 4, 4, 4), torch.get_rng_state()
    scores, pad = before.clone(), masks.worked_batch()[1]
    if way in WAYS:
        one_by_one(way, scores[0, 0])
    else:
        in_batch(way, scores, pad, 0, 0)
    assert_close(scores, before, rtol=0, atol=0)
    assert not scores.requires_grad
    assert torch.equal(torch.get_rng_state(), state)
