from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import sqrt

import pytest
import torch
from hypothesis import given

from explorer.core import Config, attend, make_params
from explorer.core.checks import by_multihead_attention
from explorer.core.params import draw_weight
from tests.core import configs, runs

WEIGHTS = ("W_E", "W_Q", "W_K", "W_V", "W_O")
BIASES = ("b_Q", "b_K", "b_V", "b_O")


@runs(50)
@given(configs())
def test_every_parameter_has_the_shape_that_the_sizes_ask_for(config):
    params = make_params(config)
    d_model, width = config.d_model, config.h * (config.d_k or config.d_model // config.h)
    assert params.W_E.shape == (10_000, d_model)
    assert params.W_Q.shape == params.W_K.shape == params.W_V.shape == (d_model, width)
    assert params.W_O.shape == (width, d_model)
    if config.bias:
        assert params.b_Q.shape == params.b_K.shape == params.b_V.shape == (width,)
        assert params.b_O.shape == (d_model,)
    else:
        assert [getattr(params, name) for name in BIASES] == [None] * 4


def same(ours, theirs, names=WEIGHTS + BIASES):
    return {name for name in names if getattr(ours, name).equal(getattr(theirs, name))}


def test_the_same_seed_gives_the_same_numbers_and_another_seed_gives_others():
    config = Config(bias=True, seed=5)
    assert same(make_params(config), make_params(config)) == set(WEIGHTS + BIASES)
    assert same(make_params(config), make_params(replace(config, seed=6))) == set()


def test_the_number_of_heads_changes_no_parameter():
    one, four = (make_params(Config(h=h, bias=True)) for h in (1, 4))
    assert same(one, four) == set(WEIGHTS + BIASES)


def test_a_bias_changes_no_weight():
    assert same(make_params(Config(bias=True)), make_params(Config()), WEIGHTS) == set(WEIGHTS)


def test_a_d_k_of_its_own_changes_no_embedding():
    assert same(make_params(Config(d_k=3)), make_params(Config(h=4)), ["W_E"]) == {"W_E"}


def test_no_two_parameters_are_the_same_numbers():
    params = make_params(Config(bias=True))
    for names in (("W_Q", "W_K", "W_V", "W_O"), BIASES):
        first_rows = {tuple(getattr(params, name).flatten()[:8].tolist()) for name in names}
        assert len(first_rows) == 4


def test_torchs_own_random_numbers_are_neither_used_nor_moved_on():
    torch.manual_seed(1)
    before = torch.get_rng_state()
    trace = attend(Config(bias=True))
    by_multihead_attention(trace)
    assert torch.get_rng_state().equal(before)
    torch.manual_seed(2)
    assert attend(Config(bias=True)).output.equal(trace.output)


def test_four_threads_draw_what_one_thread_draws():
    """E48: with torch.manual_seed, 298 of 800 layers came out wrong."""
    every = [Config(d_model=32, bias=True, seed=seed) for seed in range(100)]
    with ThreadPoolExecutor(4) as threads:
        threaded = list(threads.map(make_params, every))
    for config, params in zip(every, threaded, strict=True):
        assert same(params, make_params(config)) == set(WEIGHTS + BIASES)


@pytest.mark.parametrize(
    ("init", "variance"),
    [("default", 0.000651042), ("xavier", 0.001953125), ("kaiming", 0.003867574)],
)
@pytest.mark.parametrize("name", ["W_Q", "W_O"])
def test_the_variance_of_a_512_by_512_weight_is_that_of_the_facts(init, variance, name):
    W = getattr(make_params(Config(d_model=512, h=8, init=init)), name)
    assert float(W.var()) == pytest.approx(variance, rel=0.02)
    assert float(W.mean()) == pytest.approx(0, abs=0.0005)


@pytest.mark.parametrize(("fan_in", "fan_out"), [(64, 1024), (1024, 64)])
@pytest.mark.parametrize("init", ["default", "xavier", "kaiming"])
def test_fan_in_is_the_axis_that_x_at_w_sums_over(init, fan_in, fan_out):
    """torch reads fan_in off the last axis, which here would be 16 times too large or small."""
    variance = {
        "default": 1 / (3 * fan_in),
        "xavier": 2 / (fan_in + fan_out),
        "kaiming": 2 / (1.01 * fan_in),
    }[init]
    W = draw_weight("W_Q", fan_in, fan_out, init, seed=0)
    assert W.shape == (fan_in, fan_out)
    assert float(W.var()) == pytest.approx(variance, rel=0.02)
    assert float(W.abs().max()) == pytest.approx(sqrt(3 * variance), rel=0.01)  # uniform


def test_a_run_with_a_d_k_of_its_own_hands_over_the_right_fan_in():
    params = make_params(Config(d_model=64, h=8, d_k=128, bias=True))
    for weight, bias, fan_in in [("W_Q", "b_Q", 64), ("W_O", "b_O", 1024)]:
        W, b = getattr(params, weight), getattr(params, bias)
        assert float(W.var()) == pytest.approx(1 / (3 * fan_in), rel=0.02)
        bound = 1 / sqrt(fan_in)
        assert 0.9 * bound < float(b.abs().max()) <= bound


def test_the_embedding_is_standard_normal():
    W_E = make_params(Config(d_model=64)).W_E
    assert float(W_E.mean()) == pytest.approx(0, abs=0.01)
    assert float(W_E.std()) == pytest.approx(1, rel=0.01)
    assert float((W_E.abs() < 1).float().mean()) == pytest.approx(0.6827, abs=0.005)
