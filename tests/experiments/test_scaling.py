"""Why √d_k: the spread of q·k, and what the softmax makes of it."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.experiments.scaling import (
    count,
    density,
    divisors,
    dot_products,
    gradient,
    measure,
    sampling_error,
    spread,
)

WIDTHS = [1, 2, 3, 16, 64, 512]
every_width = pytest.mark.parametrize("d_k", WIDTHS)


def at(d_k: int, keys: int, d_model: int = 512) -> dict:
    return dict(zip(divisors(d_k, d_model), measure(d_k, keys, d_model), strict=True))


@every_width
@pytest.mark.parametrize("keys", [2, 8, 64])
def test_the_variance_of_a_dot_product_is_its_width(d_k, keys):
    """Within four standard errors of at most 2 %; E11 measured 64.6 at 64."""
    error = sampling_error(d_k, keys)
    assert error < 0.02
    found = at(d_k, keys)
    assert found["none"].variance == pytest.approx(d_k, rel=4 * error)
    assert found["root"].variance == pytest.approx(1, rel=4 * error)
    assert found["model"].variance == pytest.approx(d_k / 512, rel=4 * error)
    assert found["d_k"].variance == pytest.approx(1 / d_k, rel=4 * error)


@pytest.mark.parametrize(("d_k", "keys"), [(1, 2), (4, 3), (16, 8)])
def test_the_sampling_error_is_that_of_repeated_draws(d_k, keys):
    """The squares of q·k, averaged over 200 experiments of 500 draws, scatter as it says."""
    generator = torch.Generator().manual_seed(1)
    q = torch.randn(200, 500, 1, d_k, generator=generator)
    k = torch.randn(200, 500, keys, d_k, generator=generator)
    variances = (q * k).sum(-1).pow(2).mean((1, 2)) / d_k
    expected = sampling_error(d_k, keys) * math.sqrt(count(d_k, keys) / 500)
    assert float(variances.std()) == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize(
    ("way", "divisor", "variance", "largest"),
    [
        ("none", 1, 64.6, 0.883),
        ("root", 8, 1.009, 0.368),
        ("model", math.sqrt(512), 0.126, 0.200),
        ("d_k", 64, 0.016, 0.149),
    ],
)
def test_the_wrong_divisors_of_a_public_report(way, divisor, variance, largest):
    """E11: d_model = 512, h = 8, d_k = 64, 8 keys.

    A largest probability scatters by less than 0.2, so its mean over 2,000 by less than 0.005.
    """
    assert divisors(64, 512)[way] == pytest.approx(divisor)
    found = at(64, 8)[way]
    assert found.variance == pytest.approx(variance, rel=0.04)
    assert found.largest == pytest.approx(largest, abs=4 * 0.005)


def test_without_the_division_a_wide_softmax_is_one_key_and_passes_nothing_on():
    found = at(512, 8)
    assert found["none"].largest == pytest.approx(0.956, abs=0.02)
    assert found["root"].largest == pytest.approx(0.363, abs=0.02)
    assert 1e-5 < found["none"].gradient < 1e-3
    assert found["root"].gradient == pytest.approx(0.37, abs=0.01)
    assert found["none"].entropy < 0.2 < 1.6 < found["root"].entropy < math.log(8)


scores = st.lists(st.floats(-300, 300), min_size=2, max_size=9)


@settings(max_examples=60, deadline=None)
@given(scores)
def test_the_gradient_is_the_norm_of_the_jacobian_of_softmax(row):
    row = torch.tensor(row, dtype=torch.float64)
    expected = torch.autograd.functional.jacobian(lambda m: torch.softmax(m, 0), row)
    found = float(gradient(torch.softmax(row, 0)))
    assert found == pytest.approx(float(expected.norm()), rel=1e-6, abs=1e-14)


def test_a_gradient_that_is_almost_nothing_is_not_rounded_to_nothing():
    """Two scores 30 apart: p is e⁻³⁰ away from 1, and the norm twice that."""
    found = float(gradient(torch.softmax(torch.tensor([30.0, 0.0]).double(), 0)))
    assert found == pytest.approx(2 * math.exp(-30), rel=1e-2)


@pytest.mark.parametrize("keys", [2, 5, 64])
def test_equal_scores_share_evenly(keys):
    found = spread(torch.zeros(3, keys))
    assert found.variance == 0
    assert found.largest == pytest.approx(1 / keys)
    assert found.entropy == pytest.approx(math.log(keys))
    assert found.gradient == pytest.approx(math.sqrt(keys - 1) / keys)


@every_width
def test_the_density_holds_all_but_the_far_ends(d_k):
    """Beyond four standard deviations lies next to nothing, 1 % for a single product."""
    x, y = density(d_k, 8)
    width = float(x[1] - x[0])
    assert len(x) * width == pytest.approx(8 * math.sqrt(d_k), rel=1e-4)
    assert 0.99 < float(y.sum()) * width <= 1.0001
    assert float((y * x).sum() * width) == pytest.approx(0, abs=0.1 * math.sqrt(d_k))


def test_the_draws_are_the_same_every_time_and_leave_the_common_seed_alone():
    before = torch.random.get_rng_state()
    assert dot_products(16, 4).equal(dot_products(16, 4))
    assert dot_products(16, 4).shape == (count(16, 4), 4)
    assert torch.random.get_rng_state().equal(before)
