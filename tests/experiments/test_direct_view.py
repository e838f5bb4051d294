"""A view without a transpose: whose numbers land where, and who then sees whom."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import Config, attend
from explorer.experiments.direct_view import (
    merge_by_transpose,
    merge_directly,
    same_cells,
    sees,
    view_and_transpose,
    view_directly,
)

sizes = st.integers(1, 9)


def by_token(T: int, h: int, d_k: int = 2) -> torch.Tensor:
    """q (1, seq, h·d_k) in which every number is that of its token."""
    return torch.arange(T).repeat_interleave(h * d_k).view(1, T, h * d_k)


def test_the_rows_of_four_tokens_and_two_heads_by_hand():
    """E09: right 0 1 2 3 and 0 1 2 3; a direct view gives 0 0 1 1 and 2 2 3 3."""
    q = by_token(4, 2)
    assert view_and_transpose(q, 2)[0, :, :, 0].tolist() == [[0, 1, 2, 3], [0, 1, 2, 3]]
    assert view_directly(q, 2)[0, :, :, 0].tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]
    assert view_directly(q, 2).data_ptr() == q.data_ptr()


@settings(deadline=None)
@given(T=sizes, h=sizes, d_k=sizes, B=st.integers(1, 3))
def test_the_share_of_right_cells_is_that_of_the_formula(T, h, d_k, B):
    q = torch.arange(B * T * h * d_k).view(B, T, h * d_k)
    right, wrong = view_and_transpose(q, h), view_directly(q, h)
    equal = float((right == wrong).float().mean())
    assert same_cells(right, wrong) == pytest.approx(equal)
    assert equal == pytest.approx((math.gcd(T - 1, h - 1) + 1) / (T * h))
    assert (equal == 1) == (T == 1 or h == 1)


@given(T=sizes)
def test_as_many_heads_as_tokens_swap_the_two(T):
    """E09: for s = h, wrong[i, j] is right[j, i]."""
    q = torch.arange(T * T * 2).view(1, T, T * 2)
    assert torch.equal(view_directly(q, T), view_and_transpose(q, T).transpose(1, 2))


@settings(deadline=None)
@given(T=sizes, h=sizes, d_k=sizes)
def test_each_merge_undoes_its_own_split(T, h, d_k):
    q = torch.arange(T * h * d_k).view(1, T, h * d_k)
    assert torch.equal(merge_by_transpose(view_and_transpose(q, h)), q)
    assert torch.equal(merge_directly(view_directly(q, h)), q)


def seen(split, merge, mask: str = "causal", **sizes) -> torch.Tensor:
    run = attend(Config(mask=mask, **sizes))
    return sees(run.q[0], run.k[0], run.v[0], run.mask[0, 0], run.config.h, split, merge)


def test_the_right_way_sees_what_the_mask_allows_and_nothing_else():
    for mask, expected in (("causal", torch.ones(4, 4).tril()), ("none", torch.ones(4, 4))):
        found = seen(view_and_transpose, merge_by_transpose, mask)
        assert torch.equal(found, expected.bool())


def test_who_sees_whom_after_a_direct_view_by_hand():
    """Head 0 holds tokens 0 0 1 1, head 1 holds 2 2 3 3; row i sees rows up to i of both heads.

    E09: merged by a view as well, rows 2 and 3 come from head 1 alone, blind to tokens 0 and 1.
    """
    expected = [[1, 0, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1]]
    assert seen(view_directly, merge_by_transpose).int().tolist() == expected
    expected = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
    assert seen(view_directly, merge_directly).int().tolist() == expected
