"""Generating: one causal run of the shifted sentence is what its prefixes give, one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from explorer.core import Config, attend, make_params
from explorer.experiments.generation import layer, shift_right, whole_minus_steps
from tests.core import configs, runs

WORDS = ("我", "爱", "深度", "学习")


def test_the_row_that_predicts_a_word_is_the_word_before():
    assert shift_right(WORDS) == ("<s>", "我", "爱", "深度")
    assert shift_right(("我",)) == ("<s>",)


@runs(25)
@given(configs())
def test_the_layer_is_that_of_the_run(config):
    trace = attend(config)
    for tokens, ids, output in zip(trace.tokens, trace.ids, trace.output, strict=True):
        n = int((ids != 0).sum())
        ours = layer(tokens[:n], config, trace.params, config.mask == "causal")
        assert_close(ours, output[:n], rtol=1e-5, atol=1e-5 * max(1, float(output.abs().max())))


@runs(25)
@given(configs(), st.integers(1, 4))
def test_with_the_causal_mask_no_row_depends_on_what_comes_later(config, until):
    params = make_params(config)
    found = whole_minus_steps(shift_right(WORDS), config, params, True, range(1, until + 1))
    largest = float(layer(shift_right(WORDS), config, params, True).abs().max())
    assert found <= 1e-5 * max(1, largest)


@pytest.mark.parametrize("d_model", [8, 512])
def test_without_a_mask_every_row_sees_what_comes_later(d_model):
    config = Config(d_model=d_model)
    params = make_params(config)
    found = [whole_minus_steps(WORDS, config, params, False, range(t, t + 1)) for t in (1, 2, 3, 4)]
    assert min(found[:3]) > 1e-3
    assert found[3] == 0  # then nothing is to come
