"""Generating: one causal run of the shifted sentence is what its prefixes give, one by one."""

import pytest
from hypothesis import given
from torch.testing import assert_close

from explorer.core import Config, attend, make_params
from explorer.experiments.generation import at_once_minus_steps, layer, shift_right
from tests.core import configs, runs

WORDS = ("我", "爱", "深度", "学习")


def test_the_row_that_predicts_a_word_is_the_word_before():
    assert shift_right(WORDS) == ("<s>", "我", "爱", "深度")
    assert shift_right(("我",)) == ("<s>",)


@runs(40)
@given(configs())
def test_the_layer_is_that_of_the_run(config):
    trace = attend(config)
    for tokens, ids, output in zip(trace.tokens, trace.ids, trace.output, strict=True):
        n = int((ids != 0).sum())
        ours = layer(tokens[:n], config, trace.params, config.mask == "causal")
        assert_close(ours, output[:n], rtol=1e-5, atol=1e-5 * max(1, float(output.abs().max())))


@runs(40)
@given(configs())
def test_with_the_causal_mask_no_step_depends_on_what_comes_later(config):
    params = make_params(config)
    found = at_once_minus_steps(shift_right(WORDS), config, params, True, 4)
    largest = float(layer(WORDS, config, params, True).abs().max())
    assert found.shape == (4,)
    assert float(found.max()) <= 1e-5 * max(1, largest)


@pytest.mark.parametrize("d_model", [8, 512])
def test_without_a_mask_every_step_but_the_last_looks_ahead(d_model):
    config = Config(d_model=d_model)
    found = at_once_minus_steps(shift_right(WORDS), config, make_params(config), False, 4)
    assert (found[:3] > 1e-3).all()
    assert float(found[3]) < 1e-5


def test_only_the_steps_asked_for_are_compared():
    config = Config()
    found = at_once_minus_steps(WORDS, config, make_params(config), True, 2)
    assert found.shape == (2,)
