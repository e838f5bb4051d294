"""Slices and projections: what a head depends on, and one product beside one a head."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from explorer.core.attention import split_heads
from explorer.experiments.slicing import (
    by_projection,
    by_slice,
    depends,
    fused,
    in_groups,
    separate,
    slice_of,
    time_products,
)
from tests.core import runs

sizes = st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 24))  # h, d_k, d_model


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1)).double()


def test_the_slices_of_a_row_by_hand():
    x = torch.arange(8)
    assert slice_of(x, 0, 4).tolist() == [0, 1, 2, 3]
    assert slice_of(x, 1, 4).tolist() == [4, 5, 6, 7]
    assert slice_of(x, 1, 5).tolist() == [5, 6, 7], "what is left"
    assert slice_of(x, 2, 4).tolist() == [], "and nothing past the end, without an error"


@runs(50)
@given(sizes)
def test_a_sliced_head_depends_on_its_own_features_alone(sizes):
    h, d_k, d_model = sizes
    seen = depends(drawn(d_model), by_slice(h, d_k))
    head, feature = torch.arange(h)[:, None], torch.arange(d_model)
    assert torch.equal(seen, feature // d_k == head)


@runs(50)
@given(sizes)
def test_a_projected_head_depends_on_every_feature_that_has_a_weight(sizes):
    """The derivative of head i by feature j is W[j, head i]: torch's own, by autograd."""
    h, d_k, d_model = sizes
    W = drawn(d_model, h * d_k)
    W[::2, :d_k] = 0  # head 0 gets nothing from the even features
    x = drawn(d_model)
    jacobian = torch.autograd.functional.jacobian(lambda x: x @ W, x).view(h, d_k, d_model)
    seen = depends(x, by_projection(W, h))
    assert torch.equal(seen, (jacobian != 0).any(1))
    assert not seen[0, ::2].any()
    assert seen[0, 1::2].all()
    assert seen[1:].all()


@runs(50)
@given(sizes)
def test_a_slice_is_a_projection_by_columns_of_the_identity(sizes):
    h, d_k, d_model = sizes
    x = drawn(3, d_model)
    for head in range(h):
        assert torch.equal(
            x @ slice_of(torch.eye(d_model).double(), head, d_k), slice_of(x, head, d_k)
        )


@pytest.mark.parametrize(("d_model", "h", "d_k"), [(8, 2, 4), (512, 8, 64), (7, 7, 1), (16, 3, 5)])
def test_one_product_gives_what_one_a_head_gives(d_model, h, d_k):
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(2, 5, d_model, generator=generator)
    W = torch.randn(d_model, h * d_k, generator=generator) / d_model**0.5
    assert fused(x, W, h).shape == separate(x, W, h).shape == (2, 5, h, d_k)
    assert_close(fused(x, W, h), separate(x, W, h), atol=1e-5, rtol=0)
    assert torch.equal(fused(x, W, h), split_heads(x @ W, h))


@runs(50)
@given(st.integers(1, 40), st.integers(1, 40), st.tuples(st.integers(1, 9), st.integers(1, 9)))
def test_groups_hold_every_pair_once(rows, columns, most):
    seen = drawn(rows, columns) > 0
    counts, (tall, wide) = in_groups(seen, most)
    assert counts.shape[0] <= most[0]
    assert counts.shape[1] <= most[1]
    assert counts.sum() == seen.sum()
    for i, j in ((0, 0), (len(counts) - 1, counts.shape[1] - 1)):
        block = seen[i * tall : (i + 1) * tall, j * wide : (j + 1) * wide]
        assert block.numel() > 0
        assert counts[i, j] == block.sum()


def test_both_products_take_time_and_are_not_measured_twice():
    first = time_products(4, 8, 2, 4)
    assert first.fused > 0
    assert first.separate > 0
    assert time_products(4, 8, 2, 4) is first
    assert time_products.cache_info().maxsize
