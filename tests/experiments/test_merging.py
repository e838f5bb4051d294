"""Merging without the transpose or the copy, against hand-worked values and torch itself."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import Config, attend
from explorer.experiments.direct_view import merge_by_transpose, merge_directly
from explorer.experiments.merging import (
    in_place,
    numbered_heads,
    reshape_merged,
    view_merged,
    ways,
)

sizes = st.integers(1, 9)


def test_four_tokens_of_two_heads_are_mixed_as_reported():
    """E10: rows of token ids, s=4, h=2, d_k=3."""
    z = torch.arange(4)[None, None, :, None].expand(1, 2, 4, 3)  # every number is its token
    wrong = ["".join(map(str, row)) for row in merge_directly(z)[0].tolist()]
    right = ["".join(map(str, row)) for row in merge_by_transpose(z)[0].tolist()]
    assert wrong == ["000111", "222333", "000111", "222333"]
    assert right == ["000000", "111111", "222222", "333333"]


def test_the_right_row_is_every_head_of_one_token():
    z = numbered_heads(1, 2, 4, 3)
    for t, row in enumerate(merge_by_transpose(z)[0]):
        assert torch.equal(row, torch.cat([z[0, 0, t], z[0, 1, t]]))


def test_six_tokens_of_four_heads_misplace_91_7_percent():
    z = numbered_heads(1, 4, 6, 8)
    share = in_place(merge_by_transpose(z), merge_directly(z))
    assert f"{1 - share:.1%}" == "91.7%"


@settings(max_examples=60, deadline=None)
@given(sizes, sizes, sizes, sizes)
def test_the_share_in_place_follows_the_formula(B, T, h, d_k):
    z = numbered_heads(B, h, T, d_k)
    share = in_place(merge_by_transpose(z), merge_directly(z))
    assert share == pytest.approx((math.gcd(T - 1, h - 1) + 1) / (T * h))
    assert merge_directly(z).shape == merge_by_transpose(z).shape


@settings(max_examples=60, deadline=None)
@given(sizes, sizes, sizes, sizes)
def test_reshape_gives_the_right_numbers_and_view_only_where_nothing_has_to_move(B, T, h, d_k):
    z = numbered_heads(B, h, T, d_k)
    assert torch.equal(reshape_merged(z), merge_by_transpose(z))
    copied = reshape_merged(z).untyped_storage().data_ptr() != z.untyped_storage().data_ptr()
    if copied:
        with pytest.raises(RuntimeError, match=r"Use \.reshape"):
            view_merged(z)
    else:
        assert torch.equal(view_merged(z), merge_by_transpose(z))
    assert copied == (min(T, h, d_k) > 1)


def made(**config):
    trace = attend(Config(**config))
    return trace, ways(trace.q_heads, trace.k_heads, trace.v_heads, trace.attn, trace.mask)


@pytest.mark.parametrize("mask", ["causal", "none"])
@pytest.mark.parametrize(("d_model", "h"), [(8, 2), (512, 8), (10, 5)])
def test_on_the_cpu_torchs_attention_keeps_the_layout_of_a_split_q(mask, d_model, h):
    """Looked at with torch 2.13: only the z made from views needs no copy."""
    trace, found = made(d_model=d_model, h=h, mask=mask)
    assert [way.error is None for way in found] == [True, False, False]
    assert found[0].z.stride()[1:] == trace.q_heads.stride()[1:]
    assert found[1].z.is_contiguous()
    assert all("Use .reshape(...)" in way.error for way in found[1:])


def test_all_ways_compute_one_z():
    trace, found = made(sentences=("我爱你", "the cat sat on the mat"))
    for way in found:
        torch.testing.assert_close(way.z, trace.z, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    "config", [{"sentences": ("一",)}, {"h": 1}, {"d_model": 7, "h": 7}], ids=str
)
def test_with_one_token_one_head_or_d_k_1_nobody_needs_a_copy(config):
    assert all(way.error is None for way in made(**config)[1])
