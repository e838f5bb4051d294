"""d_k of its own: what torch's own layer refuses, and what a run really counts and divides by."""

import math

import pytest
import torch
from hypothesis import given
from torch import nn

from explorer.core import Config, attend
from explorer.experiments.apart import ask_multihead, count_weights, divisor, load_weights
from explorer.experiments.models import MODELS
from tests.core import configs, runs


def test_torchs_layer_takes_no_d_k():
    found = list(ask_multihead(8, 2, 8).values())
    assert found[0].endswith("unexpected keyword argument 'head_dim'")
    assert "size of tensor a (24) must match the size of tensor b (48)" in found[1]


def test_where_h_does_not_divide_it_cannot_even_be_built():
    """E07."""
    found = ask_multihead(512, 7, 73)
    assert found["nn.MultiheadAttention(512, 7)"] == "embed_dim must be divisible by num_heads"


def test_where_h_d_k_is_d_model_its_weights_fit():
    assert load_weights(8, 2, 4).in_proj_weight.shape == (24, 8)
    assert list(ask_multihead(8, 2, 4)) == ["nn.MultiheadAttention(8, 2, head_dim=4)"]


def test_seven_heads_of_73_in_a_layer_of_512():
    """E07: with d_k set apart, 511 columns go in and 511 rows come back."""
    trace = attend(Config(d_model=512, h=7, d_k=73))
    x = torch.zeros(1, 4, 512)
    there, back = nn.Linear(512, 511), nn.Linear(511, 512)
    assert trace.q.shape == there(x).shape
    assert trace.output.shape == back(there(x)).shape == (1, 4, 512)


@runs(25)
@given(configs())
def test_a_run_divides_by_the_root_of_its_own_d_k_and_has_4_d_model_h_d_k_weights(config):
    """E25."""
    trace = attend(config)
    d_k = config.d_k or config.d_model // config.h
    assert divisor(trace) == pytest.approx(math.sqrt(d_k), rel=1e-4)
    assert count_weights(trace) == 4 * config.d_model * config.h * d_k


def test_the_models_that_set_d_k_apart():
    apart = {model.name: (model.d_model, model.width) for model in MODELS}
    apart = {name: sizes for name, sizes in apart.items() if sizes[0] != sizes[1]}
    assert apart["T5 3B (v1.0)"] == (1024, 4096)
    assert apart["Flan-T5 small (T5 v1.1)"] == (512, 384)
    families = ("T5 11B", "Qwen3 0.6B", "Qwen3 4B", "Qwen3 32B", "Gemma 7B", "DeepSeek-V3")
    for family in (*families, "Gemma-2 2B", "Gemma-2 9B", "Gemma-2 27B"):
        assert any(name.startswith(family) for name in apart)
    assert len(apart) == 11
