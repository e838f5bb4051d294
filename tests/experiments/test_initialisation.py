"""How W begins: variances, the spread of the scores, gradients, and the trap of fan_in."""

import math

import pytest
import torch
from hypothesis import given
from torch import nn

from explorer.core import Config, attend, make_params
from explorer.experiments.initialisation import (
    KEYS,
    MATRICES,
    METHODS,
    backward,
    begin,
    compare_heads,
    fill_in_three_ways,
    gradients,
    measure,
    variance,
)
from tests.core import configs, runs

DRAWN = [method for method in METHODS if method != "zeros"]
every_drawn = pytest.mark.parametrize("method", DRAWN)
TWO = ("我爱你", "the cat sat on the mat")


def new(method: str, fan_in: int, fan_out: int, seed: int = 0) -> torch.Tensor:
    W = torch.empty(fan_in, fan_out)
    return begin(W, method, torch.Generator().manual_seed(seed))


def by_linear(method: str, fan_in: int, fan_out: int) -> torch.Tensor:
    """The weight (fan_out, fan_in) of a Linear, filled by torch from the same seed."""
    weight = nn.Linear(fan_in, fan_out, device="meta").weight
    weight = nn.Parameter(torch.empty(weight.shape))
    generator = torch.Generator().manual_seed(0)
    if method == "xavier":
        return nn.init.xavier_uniform_(weight, generator=generator)
    a = {"default": math.sqrt(5), "kaiming": 0.1, "kaiming_relu": 0}[method]
    return nn.init.kaiming_uniform_(weight, a=a, generator=generator)


@every_drawn
@pytest.mark.parametrize("sizes", [(8, 8), (5, 12), (12, 5), (1, 3)])
def test_a_weight_begins_as_that_of_a_linear_layer(method, sizes):
    """The same numbers in another order, uniform within √(3·Var): reached, and never passed."""
    ours, theirs = new(method, *sizes), by_linear(method, *sizes)
    assert ours.flatten().sort().values.equal(theirs.flatten().sort().values)
    many = torch.stack([new(method, *sizes, seed) for seed in range(400)])
    bound = math.sqrt(3 * variance(method, *sizes))
    assert 0.98 * bound < float(many.abs().max()) <= bound * (1 + 1e-6)


@pytest.mark.parametrize(
    ("method", "theory"),
    [
        ("zeros", 0),
        ("default", 0.000651042),
        ("xavier", 0.001953125),
        ("kaiming", 0.003867574),
        ("kaiming_relu", 0.00390625),
    ],
)
def test_the_variances_of_512_by_512(method, theory):
    """A variance of n uniform numbers scatters by √(0.8/n): 0.17 % here."""
    start = measure(method, 1.0, 512, 8, 64)
    assert variance(method, 512, 512) == pytest.approx(theory, rel=1e-6)
    assert start.formula == pytest.approx(theory, rel=1e-6)
    assert start.measured == pytest.approx(theory, rel=4 * math.sqrt(0.8) / 512)


@pytest.mark.parametrize("sizes", [(512, 8, 64), (64, 4, 16), (8, 2, 4), (10, 5, 2)])
@pytest.mark.parametrize(
    ("method", "theory"),
    [("default", 1 / 9), ("xavier", 1), ("kaiming", 4 / 1.01**2), ("kaiming_relu", 4)],
)
def test_the_spread_of_the_scores_at_every_size(method, theory, sizes):
    """0.111, 1.00, 3.92 and 4.00."""
    start = measure(method, 1.0, *sizes)
    assert start.scores_formula == pytest.approx(theory)
    assert start.scores == pytest.approx(theory, rel=0.1)


def test_xavier_with_eight_keys_saturates_as_scores_of_variance_1_do():
    """E11: 0.368 for scores of variance 1; all shares are 1/8 where W is zero."""
    assert measure("xavier", 1.0, 512, 8, 64).largest == pytest.approx(0.368, abs=0.02)
    zeros = measure("zeros", 1.0, 512, 8, 64)
    assert (zeros.scores, zeros.largest, zeros.density) == (0, 1 / KEYS, None)
    assert zeros.flow == pytest.approx(math.sqrt(7) / 8)


@every_drawn
def test_the_gain_counts_twice_in_w_and_four_times_in_the_scores(method):
    one, two = (measure(method, gain, 16, 2, 8) for gain in (1.0, 2.0))
    assert two.measured == pytest.approx(4 * one.measured)
    assert two.formula == pytest.approx(4 * one.formula)
    assert two.scores == pytest.approx(16 * one.scores, rel=1e-4)
    assert two.scores_formula == pytest.approx(16 * one.scores_formula)
    assert two.largest > one.largest


def test_the_wider_the_scores_the_less_passes_through_the_softmax():
    flows = [measure("xavier", gain, 64, 4, 16).flow for gain in (2.0, 4.0, 8.0)]
    assert flows == sorted(flows, reverse=True)
    assert flows[-1] < 1e-6


@every_drawn
def test_the_density_holds_every_number(method):
    x, y = measure(method, 1.0, 8, 2, 4).density
    assert float(y.sum() * (x[1] - x[0])) == pytest.approx(1, rel=1e-4)
    assert (y[0], y[-1]) == (0, 0)


def test_scores_are_those_of_each_head_by_hand():
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(2, 3, 2, KEYS, 6, generator=generator)  # 3 draws of 2 sentences
    W_Q, W_K = torch.randn(2, 3, 6, 8, generator=generator)
    scores = compare_heads(x, y, W_Q, W_K, 2)
    assert scores.shape == (6, 2, KEYS, KEYS)
    q, k = x[2, 1] @ W_Q[2], y[2, 1] @ W_K[2]
    torch.testing.assert_close(scores[5, 1], q[:, 4:] @ k[:, 4:].T / 2)


# Gradients of a whole run


def flow(config: Config, method: str):
    return gradients(config, make_params(config), method, 1.0)


@pytest.mark.parametrize("d_model", [8, 512])
def test_from_all_zeros_every_gradient_is_exactly_zero(d_model):
    found = flow(Config(d_model=d_model), "zeros")
    assert found.norms == dict.fromkeys(("W_E", *MATRICES), 0)
    assert found.rows == ()


def test_with_a_bias_zero_weights_leave_a_gradient_to_w_o_alone():
    norms = flow(Config(bias=True), "zeros").norms
    assert [name for name, norm in norms.items() if norm] == ["W_O"]


@every_drawn
def test_only_the_rows_that_were_looked_up_get_a_gradient(method):
    """Padding (id 0) gets none: it is masked, and no part of the loss."""
    config = Config(TWO)
    found = flow(config, method)
    assert all(found.norms.values())
    assert set(found.rows) == set(attend(config).ids.flatten().tolist()) - {0}


def test_with_one_key_in_sight_w_q_and_w_k_get_none():
    norms = flow(Config(("我",)), "xavier").norms
    assert norms["W_Q"] == norms["W_K"] == 0
    assert min(norms["W_V"], norms["W_O"], norms["W_E"]) > 0


@runs(15)
@given(configs())
def test_the_gradients_are_those_of_finite_differences(config):
    """Along the gradient itself, in 64 bits: a step of ε changes the loss by ε·‖gradient‖²."""
    params = make_params(config)
    kept = {name: getattr(params, name).clone() for name in ("W_E", *MATRICES)}
    found = backward(config, params)
    R = torch.randn(attend(config, params).output.shape, generator=torch.Generator().manual_seed(0))
    real = (attend(config, params).ids != 0)[..., None]
    whole = {name: value.double() for name, value in vars(params).items() if value is not None}

    def loss(changed: dict[str, torch.Tensor]) -> float:
        run = attend(config, type(params)(**(whole | changed)))
        return float((run.output.double() * R * real).sum())

    for name in MATRICES:
        direction = found[name].double()
        size = float(direction.norm())
        if size > 1e-3:
            step = 1e-4 / size
            ahead, behind = (loss({name: whole[name] + s * step * direction}) for s in (1, -1))
            assert (ahead - behind) / (2 * step) == pytest.approx(size**2, rel=1e-2), name
        assert getattr(params, name).equal(kept[name])
    assert params.W_E.equal(kept["W_E"])
    assert not params.W_E.requires_grad


# The trap


def test_filled_as_it_stands_a_matrix_gets_the_variance_of_its_outputs():
    """512 → 2048 by Kaiming, a=0.1: four times too little."""
    found = fill_in_three_ways(512, 2048)
    right, wrong = found["transpose"], found["itself"]
    assert (right.fan_in, wrong.fan_in) == (512, 2048)
    assert right.formula == pytest.approx(2 / (1.01 * 512))
    assert right.measured == pytest.approx(2 / (1.01 * 512), rel=0.01)
    assert wrong.formula == pytest.approx(2 / (1.01 * 2048))
    assert wrong.measured == pytest.approx(2 / (1.01 * 2048), rel=0.01)


def test_multihead_attention_begins_with_half_the_variance():
    """in_proj_weight is (3·d_model, d_model) under one Xavier: 1/(2·d_model)."""
    layer = nn.MultiheadAttention(64, 4, device="meta")
    found = fill_in_three_ways(64, 64)["in_proj"]
    assert found.shape == tuple(layer.in_proj_weight.shape)
    assert found.formula == 1 / 128
    assert found.measured == pytest.approx(1 / 128, rel=4 * math.sqrt(0.8 / (3 * 64 * 64)))


def test_nothing_touches_the_common_seed():
    before = torch.random.get_rng_state()
    measure.__wrapped__("kaiming", 1.0, 8, 2, 4)
    flow(Config(), "xavier")
    fill_in_three_ways.__wrapped__(4, 8)
    assert torch.random.get_rng_state().equal(before)
