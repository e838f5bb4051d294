from dataclasses import replace

import pytest
import torch
from hypothesis import given
from torch.testing import assert_close

from explorer.core import Config, attend, make_params
from explorer.core.checks import (
    by_multihead_attention,
    by_sdpa,
    fused_minus_per_head,
    head_contributions,
    largest_difference,
)
from tests.core import configs, runs


def assert_near(ours, theirs):
    assert_close(ours, theirs, rtol=1e-5, atol=1e-5 * max(1.0, float(theirs.abs().max())))


@runs(60)
@given(configs())
def test_torchs_own_attention_gives_this_runs_z(config):
    trace = attend(config)
    assert_near(by_sdpa(trace), trace.z)


@runs(60)
@given(configs(own_d_k=False))
def test_torchs_own_layer_gives_this_runs_output_and_weights(config):
    trace = attend(config)
    output, attn = by_multihead_attention(trace)
    assert_near(output, trace.output)
    assert_near(attn, trace.attn)


@runs(60)
@given(configs())
def test_one_product_split_into_heads_is_a_product_a_head(config):
    trace = attend(config)
    assert fused_minus_per_head(trace) <= 1e-5 * max(1.0, float(trace.q.abs().max()))


@runs(60)
@given(configs())
def test_the_contributions_of_the_heads_sum_to_the_output(config):
    trace = attend(config)
    parts = head_contributions(trace)
    assert parts.shape == (len(trace.tokens), config.h, *trace.x.shape[1:])
    b_O = trace.params.b_O if config.bias else 0
    assert_near(parts.sum(1) + b_O, trace.output)


def test_the_contribution_of_a_head_is_the_output_with_the_others_silenced():
    trace = attend(Config(h=4))
    for head in range(4):
        alone = torch.zeros_like(trace.concat)
        alone[..., 2 * head : 2 * head + 2] = trace.concat[..., 2 * head : 2 * head + 2]
        assert_close(head_contributions(trace)[:, head], alone @ trace.params.W_O)


@pytest.mark.parametrize("bias", [False, True])
def test_a_run_that_is_not_what_its_weights_make_is_noticed(bias):
    trace = attend(Config(bias=bias))
    wrong = replace(trace, params=make_params(Config(bias=bias, seed=1)))
    assert largest_difference(by_multihead_attention(wrong)[0], wrong.output) > 0.1
    assert fused_minus_per_head(wrong) > 0.1
    assert largest_difference(by_sdpa(replace(trace, k_heads=trace.q_heads)), trace.z) > 1e-3


def test_torchs_layer_cannot_be_built_with_a_d_k_of_its_own():
    assert by_multihead_attention(attend(Config(d_model=8, h=2, d_k=3))) is None


def test_torchs_layer_can_be_built_when_d_k_is_the_usual_one_by_name():
    trace = attend(Config(d_model=8, h=2, d_k=4))
    assert_near(by_multihead_attention(trace)[0], trace.output)


def test_the_largest_difference_counts_both_directions():
    zeros = torch.zeros(2, 2)
    assert largest_difference(zeros, torch.tensor([[0.0, 1.0], [-3.0, 2.0]])) == 3
    assert largest_difference(zeros, torch.tensor([[0.0, 1.0], [3.0, -2.0]])) == 3
    assert largest_difference(zeros, zeros) == 0
