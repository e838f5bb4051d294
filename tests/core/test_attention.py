from dataclasses import replace
from math import inf, log

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from explorer.core import Config, Params, attend, embed, make_params
from explorer.core.attention import apply_mask, normalize, sinusoid
from explorer.core.trace import tensors
from tests.core import configs, runs

BATCH = ("我爱深度学习", "the cat saw the dog", "3加5等于8。")
SIZES = [(8, 1), (8, 2), (8, 8), (16, 4), (64, 8), (512, 8), (512, 64), (1024, 16)]
every_size = pytest.mark.parametrize(("d_model", "h"), SIZES)
every_mask = pytest.mark.parametrize("mask", ["causal", "none"])


def assert_near(ours, theirs):
    """Equal to 1e-5 of the largest number."""
    assert_close(ours, theirs, rtol=1e-5, atol=1e-5 * float(theirs.abs().max()))


def future(T):
    return torch.ones(T, T, dtype=torch.bool).triu(1)


@every_size
@every_mask
@pytest.mark.parametrize("bias", [False, True])
@torch.no_grad()
def test_output_and_weights_are_those_of_multihead_attention(d_model, h, mask, bias):
    trace = attend(Config(sentences=BATCH, d_model=d_model, h=h, mask=mask, bias=bias))
    params = trace.params
    layer = nn.MultiheadAttention(d_model, h, bias=bias, batch_first=True).eval()
    layer.in_proj_weight.copy_(torch.cat([params.W_Q, params.W_K, params.W_V], dim=1).T)
    layer.out_proj.weight.copy_(params.W_O.T)
    if bias:
        layer.in_proj_bias.copy_(torch.cat([params.b_Q, params.b_K, params.b_V]))
        layer.out_proj.bias.copy_(params.b_O)
    output, attn = layer(
        trace.x,
        trace.x,
        trace.x,
        key_padding_mask=trace.ids == 0,  # True: blocked
        attn_mask=future(trace.ids.shape[1]) if mask == "causal" else None,
        average_attn_weights=False,
    )
    assert_near(trace.output, output)
    assert_near(trace.attn, attn)


@every_size
@every_mask
def test_z_is_that_of_scaled_dot_product_attention(d_model, h, mask):
    trace = attend(Config(sentences=BATCH, d_model=d_model, h=h, mask=mask, bias=True))
    B, T, _ = trace.x.shape
    q, k, v = (
        F.linear(trace.x, getattr(trace.params, f"W_{n}").T, getattr(trace.params, f"b_{n}"))
        .reshape(B, T, h, d_model // h)
        .permute(0, 2, 1, 3)
        for n in "QKV"
    )
    may_attend = (trace.ids != 0)[:, None, None, :]  # True: seen, the opposite polarity
    if mask == "causal":
        may_attend = may_attend & ~future(T)
    assert_near(trace.z, F.scaled_dot_product_attention(q, k, v, attn_mask=may_attend))


@pytest.mark.parametrize(
    ("mask", "attn", "concat", "output"),
    [
        (
            "none",
            [[[3 / 4, 1 / 4], [1 / 2, 1 / 2]], [[1 / 2, 1 / 2], [1 / 8, 7 / 8]]],
            [[6, 8], [4, 14]],
            [[6, 14], [4, 18]],
        ),
        (
            "causal",
            [[[1, 0], [1 / 2, 1 / 2]], [[1, 0], [1 / 8, 7 / 8]]],
            [[8, 0], [4, 14]],
            [[8, 8], [4, 18]],
        ),
    ],
)
def test_two_tokens_and_two_heads_worked_by_hand(mask, attn, concat, output):
    """Two tokens 我, 爱 with x = [[1, 0], [0, 1]]; two heads of one number each, so √d_k = 1.

    W_Q = diag(ln 3, ln 7), W_K = I, W_V = diag(8, 16), W_O = [[1, 1], [0, 1]].

    Head 0 reads column 0: q = (ln 3, 0), k = (1, 0), v = (8, 0).
      scores [[ln 3, 0], [0, 0]], their exp [[3, 1], [1, 1]], attn [[3/4, 1/4], [1/2, 1/2]];
      z = (3/4·8, 1/2·8) = (6, 4).
    Head 1 reads column 1: q = (0, ln 7), k = (0, 1), v = (0, 16).
      scores [[0, 0], [0, ln 7]], their exp [[1, 1], [1, 7]], attn [[1/2, 1/2], [1/8, 7/8]];
      z = (1/2·16, 7/8·16) = (8, 14).
    concat [[6, 8], [4, 14]]; output: a row (a, b) becomes (a, a + b): [[6, 14], [4, 18]].
    Causal: 我 sees only itself, attn (1, 0) in both heads, z = 8 and 0, output (8, 8).
    residual = x + output; LayerNorm of two numbers a < b is (−1, 1), of two equal ones (0, 0).
    """
    W_E = torch.zeros(10_000, 2)
    W_E[15], W_E[256] = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
    params = Params(
        W_E,
        W_Q=torch.tensor([log(3), log(7)]).diag(),
        W_K=torch.eye(2),
        W_V=torch.tensor([8.0, 16.0]).diag(),
        W_O=torch.tensor([[1.0, 1.0], [0.0, 1.0]]),
    )
    config = Config(("我爱",), "char", d_model=2, h=2, mask=mask, positions=False)
    trace = attend(config, params)
    assert_close(trace.attn[0], torch.tensor(attn))
    assert_close(trace.concat[0], torch.tensor(concat, dtype=torch.float32))
    assert_close(trace.output[0], torch.tensor(output, dtype=torch.float32))
    assert_close(trace.residual[0], torch.eye(2) + torch.tensor(output))
    signs = (trace.residual[0] - trace.residual[0].mean(-1, keepdim=True)).sign()
    assert_close(trace.normed[0], signs, atol=1e-4, rtol=0)


def test_a_masked_key_gets_nothing_and_the_others_share_the_row():
    """facts.md; E15: a score multiplied by 0 instead would leak 0.067 to the last key."""
    scores = torch.tensor([2.1, 1.3, 0.7, 5.0])
    row = normalize(apply_mask(scores, torch.tensor([0.0, 0.0, 0.0, -inf])))
    assert_close(row, torch.tensor([0.589648, 0.264946, 0.145406, 0]), atol=1e-6, rtol=0)
    assert row[3] == 0


def test_positions_of_an_even_d_model():
    """facts.md; E02: with the exponent counted twice, column 2 of row 1 would be 0.01."""
    rows = [
        [0, 1, 0, 1, 0, 1, 0, 1],
        [0.841471, 0.540302, 0.099833, 0.995004, 0.010000, 0.999950, 0.001000, 1.000000],
        [0.909297, -0.416147, 0.198669, 0.980067, 0.019999, 0.999800, 0.002000, 0.999998],
        [0.141120, -0.989992, 0.295520, 0.955336, 0.029996, 0.999550, 0.003000, 0.999996],
    ]
    assert_close(sinusoid(4, 8), torch.tensor(rows), atol=1e-6, rtol=0)


def test_positions_of_an_odd_d_model_end_on_a_sine():
    """E01: seven columns are four sines and three cosines."""
    row = [0.841471, 0.540302, 0.071906, 0.997411, 0.005179, 0.999987, 0.000373]
    assert_close(sinusoid(4, 7)[1], torch.tensor(row), atol=1e-6, rtol=0)
    assert sinusoid(4, 7).shape == (4, 7)


def test_positions_of_a_d_model_of_one_are_the_sine():
    assert_close(sinusoid(3, 1), torch.tensor([[0.0], [0.841471], [0.909297]]), atol=1e-6, rtol=0)


@runs(100)
@given(st.integers(1, 64), st.integers(1, 256))
def test_every_row_of_an_even_d_model_has_norm_root_of_half_of_it(T, half):
    norms = sinusoid(T, 2 * half).norm(dim=-1)
    assert_close(norms, torch.full((T,), half**0.5))


def test_switched_off_positions_are_zeros_and_switching_on_touches_no_embedding():
    on, off = (embed(Config(sentences=BATCH, positions=positions)) for positions in (True, False))
    assert off.position.shape == on.position.shape
    assert not off.position.any()
    assert off.x.equal(off.embedding)
    assert off.embedding.equal(on.embedding)
    assert_close(on.x - on.embedding, on.position.expand_as(on.x))  # E04: along seq, not batch


def test_the_embedding_is_scaled_by_the_root_of_d_model_on_request():
    plain, scaled = (embed(Config(d_model=16, scale_embedding=scale)) for scale in (False, True))
    assert plain.embedding[0, 2].equal(plain.params.W_E[1024])  # 深度
    assert_close(scaled.embedding, 4 * plain.embedding)
    assert scaled.position.equal(plain.position)


@runs(100)
@given(configs())
def test_nothing_is_nan_or_infinite_but_the_mask(config):
    trace = attend(config)
    masks = {"mask", "masked_scores"}
    for name in set(tensors()) - masks:
        assert getattr(trace, name).isfinite().all(), name
    assert not any(getattr(trace, name).isnan().any() for name in masks)


@runs(100)
@given(configs())
def test_weights_sum_to_one_and_are_zero_exactly_where_nothing_may_be_seen(config):
    trace = attend(config)
    T = trace.ids.shape[1]
    hidden = (trace.ids == 0)[:, None, None, :].expand_as(trace.attn)
    if config.mask == "causal":
        hidden = hidden | future(T)
        assert (trace.attn[:, :, 0] == torch.eye(T)[0]).all()  # E14: row 0 is 1, 0, 0, …
    assert_close(trace.attn.sum(-1), torch.ones(trace.attn.shape[:-1]))
    assert trace.mask.isinf().equal(hidden[:, :1])
    assert not trace.attn[hidden].any()


@pytest.mark.parametrize("own_d_k", [None, 3])
@every_mask
def test_padding_does_not_change_what_the_real_tokens_become(own_d_k, mask):
    config = Config(sentences=BATCH, d_k=own_d_k, mask=mask, bias=True)
    together = attend(config)
    assert len(set(map(tuple, (together.ids == 0).tolist()))) > 1  # padded to different lengths
    for b, sentence in enumerate(BATCH):
        alone = attend(replace(config, sentences=(sentence,)))
        T = alone.ids.shape[1]
        assert_close(together.normed[b, :T], alone.normed[0], rtol=1e-5, atol=1e-5)
        assert_close(together.attn[b, :, :T, :T], alone.attn[0])


LETTERS = "我爱深度学习你他"


def outputs_of(letters, **choices):
    return attend(Config(("".join(letters),), "char", **choices)).output[0]


@runs(30)
@given(st.permutations(range(len(LETTERS))))
def test_without_positions_and_mask_a_permuted_sentence_has_permuted_outputs(order):
    """f(PX) = P f(X): equivariance, not invariance."""
    plain = {"positions": False, "mask": "none"}
    permuted = outputs_of([LETTERS[i] for i in order], **plain)
    assert_close(permuted, outputs_of(LETTERS, **plain)[order], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "choices",
    [{"positions": True, "mask": "none"}, {"positions": False, "mask": "causal"}],
    ids=["positions", "causal mask"],
)
def test_positions_and_the_causal_mask_each_make_order_count(choices):
    difference = outputs_of("你爱我", **choices) - outputs_of("我爱你", **choices).flip(0)
    assert difference.abs().max() > 1e-2


@pytest.mark.parametrize("own_d_k", [None, 3])
def test_residual_and_layer_norm_come_after_w_o(own_d_k):
    trace = attend(Config(sentences=BATCH, d_k=own_d_k, bias=True))
    output = F.linear(trace.concat, trace.params.W_O.T, trace.params.b_O)
    assert_close(trace.residual, trace.x + output)
    assert_close(trace.normed, nn.LayerNorm(8)(trace.x + output).detach())


def test_a_long_sentence_is_cut_to_64_tokens_and_said_to_be():
    """E29: capped before anything is computed."""
    trace = attend(Config(sentences=("字" * 300, "字" * 64, "我爱你"), tokenizer="char"))
    assert trace.ids.shape == (3, 64)
    assert trace.attn.shape == (3, 2, 64, 64)
    assert trace.cut == (236, 0, 0)


def test_given_parameters_are_used_and_missing_ones_are_made():
    config = Config(bias=True)
    assert attend(config).output.equal(attend(config, make_params(config)).output)
    other = make_params(replace(config, seed=1))
    assert attend(config, other).params is other
    assert embed(config, other).embedding.equal(other.W_E[[15, 256, 1024, 4096]][None])


@pytest.mark.parametrize("tokenizer", ["word", "char"])
def test_embed_is_the_beginning_of_attend(tokenizer):
    config = Config(sentences=BATCH, tokenizer=tokenizer)
    start, trace = embed(config), attend(config)
    assert (start.tokens, start.cut) == (trace.tokens, trace.cut)
    assert start.ids.equal(trace.ids)
    assert start.x.equal(trace.x)
