"""Counts against torch's own counter, sizes against the rule, errors against torch's words."""

import re

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from explorer.experiments.models import MODELS
from explorer.experiments.sizes import (
    TIMED_T,
    attention_layer,
    count_flops,
    count_parameters,
    count_score_bytes,
    cut_unevenly,
    measure_d_k,
    measure_h,
    one_head_at_a_time,
    run_unevenly,
)


@pytest.mark.parametrize(("d_model", "h"), [(8, 2), (512, 8), (512, 512), (45, 5)])
def test_the_counts_are_those_of_torch(d_model, h):
    x, W = torch.randn(1, TIMED_T, d_model), torch.randn(d_model, d_model)
    with FlopCounterMode(display=False) as counter:
        attention_layer(x, W, h)
    assert counter.get_total_flops() == count_flops(TIMED_T, d_model, h, d_model // h)
    layer = nn.MultiheadAttention(d_model, h, bias=False)
    assert count_parameters(d_model, d_model) == sum(p.numel() for p in layer.parameters())
    q = x.view(1, TIMED_T, h, -1).transpose(1, 2)
    assert count_score_bytes(TIMED_T, h) == (q @ q.transpose(-2, -1)).nbytes


def test_the_timed_layer_is_attention():
    x, W = torch.randn(1, 6, 8), torch.randn(8, 8)
    q = (x @ W).view(1, 6, 2, 4).transpose(1, 2)
    z = F.scaled_dot_product_attention(q, q, q)
    expected = z.transpose(1, 2).reshape(1, 6, 8) @ W
    torch.testing.assert_close(attention_layer(x, W, 2), expected, rtol=1e-4, atol=1e-4)


def test_h_changes_the_scores_but_neither_parameters_nor_flops():
    costs = [measure_h(16, h) for h in (1, 2, 4, 8, 16)]
    assert len({cost.parameters for cost in costs}) == len({cost.flops for cost in costs}) == 1
    assert [cost.score_bytes for cost in costs] == [h * 64 * 64 * 4 for h in (1, 2, 4, 8, 16)]
    assert all(cost.milliseconds > 0 for cost in costs)
    assert measure_d_k(16) > 0


def test_512_cannot_be_cut_into_7():
    """E07 and the facts: torch refuses the shape, a float d_k and the layer; chunk gives 74 and 68.

    The pieces of `chunk` are ⌈512/7⌉ = 74 wide, and the last has what is left.
    """
    found = cut_unevenly(512, 7)
    assert found["x.view(1, 3, 7, 73)"] == (
        "shape '[1, 3, 7, 73]' is invalid for input of size 1536"
    )
    assert "got float" in found["x.view(1, 3, 7, 512 / 7)"]
    assert found["nn.MultiheadAttention(512, 7)"] == "embed_dim must be divisible by num_heads"
    assert found["torch.stack(x.chunk(7, -1))"].startswith("stack expects each tensor to be equal")
    assert found["x.chunk(7, -1)"] == " + ".join(["74"] * 6 + ["68"])
    assert found["x.tensor_split(7, -1)"] == " + ".join(["74"] + ["73"] * 6)


@pytest.mark.parametrize("h", [1, 2, 8, 512])
def test_what_divides_works_in_every_way_but_with_a_float(h):
    found = cut_unevenly(512, h)
    assert found.pop(f"x.view(1, 3, {h}, 512 / {h})").startswith("view(): argument 'size'")
    assert set(found.values()) == {"ok", " + ".join([str(512 // h)] * h)}


def test_uneven_heads_are_attention_head_by_head():
    run = run_unevenly(512, 7, 8)
    assert run.widths == (74, 73, 73, 73, 73, 73, 73)
    assert sum(run.widths) == 512
    assert run.shape == (1, 64, 512)
    x = torch.randn(1, 5, 16)
    even = x.view(1, 5, 4, 4).transpose(1, 2)
    expected = F.scaled_dot_product_attention(even, even, even).transpose(1, 2).reshape(1, 5, 16)
    torch.testing.assert_close(one_head_at_a_time(x, 4), expected)


def by_name(name: str):
    (model,) = (model for model in MODELS if model.name == name)
    return model


def test_there_are_51_models_each_with_a_source_that_can_be_looked_up():
    assert len({model.name for model in MODELS}) == len(MODELS) == 51
    for model in MODELS:
        assert re.search(r"\w+\.(py|md|gin|json|R)\b|Config\b", model.source), model
        assert model.h % model.kv_heads == 0
        assert min(model.d_model, model.h, model.d_k, model.kv_heads) >= 1


def test_d_k_of_the_models_that_the_texts_get_wrong():
    assert {m.d_k for m in MODELS if m.name.startswith("GPT-2")} == {64}
    assert by_name("GPT-2 medium").d_model // by_name("GPT-2 medium").h == 64
    assert (by_name("BERT base").h, by_name("BERT base").d_k) == (12, 64)
    exceptions = {"MiniLM-L6": 32, "ViT-H/14": 80, "Llama-2 7B": 128, "Gemma 2B": 256}
    assert {name: by_name(name).d_k for name in exceptions} == exceptions
    apart = {model.name for model in MODELS if model.width != model.d_model}
    assert {"T5 3B (v1.0)", "Qwen3 0.6B", "Gemma 7B", "Flan-T5 small (T5 v1.1)"} <= apart
    assert (by_name("T5 3B (v1.0)").d_model, by_name("T5 3B (v1.0)").width) == (1024, 4096)
    assert by_name("Flan-T5 small (T5 v1.1)").width == 384
