from math import cos, exp, inf, sin, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import Config, Embedded, attend, embed
from explorer.core.lineage import operands
from explorer.core.tokens import token_id
from explorer.core.trace import PARAM_AXES, axes, lookup, needed, tensors
from tests.core import configs, runs

ORDER = [
    "ids",
    "embedding",
    "position",
    "x",
    "q",
    "k",
    "v",
    "q_split",
    "k_split",
    "v_split",
    "q_heads",
    "k_heads",
    "v_heads",
    "raw_scores",
    "scores",
    "mask",
    "masked_scores",
    "attn",
    "z",
    "z_swapped",
    "concat",
    "output",
    "residual",
    "normed",
]


def test_the_tensors_of_a_trace_in_the_order_computed():
    assert list(tensors()) == ORDER
    assert list(tensors(Embedded)) == ORDER[:4]


def test_every_operand_is_a_parameter_or_was_computed_before():
    for i, name in enumerate(ORDER):
        assert set(needed(name)) <= {*ORDER[:i], *PARAM_AXES}


@runs(50)
@given(configs())
def test_every_axis_of_every_tensor_and_parameter_has_its_declared_size(config):
    trace = attend(config)
    B, T = len(trace.tokens), len(trace.tokens[0])
    d_k = config.d_k or config.d_model // config.h
    sizes = {"batch": B, "seq": T, "query": T, "key": T, "1": 1, "id": 10_000}
    sizes |= {"d_model": config.d_model, "head": config.h, "d_k": d_k, "h·d_k": config.h * d_k}
    for name in (*tensors(), *PARAM_AXES):
        tensor = lookup(trace, name)
        if tensor is None:
            assert name.startswith("b_")
            assert not config.bias
        else:
            assert list(tensor.shape) == [sizes[axis] for axis in axes(name)], name


# How one element is made, by name: from the run, the element's index, and the operands' numbers
# (a float or a list of them), all in double precision.


def token(run, at):
    return token_id(run.tokens[at[0]][at[1]])


def looked_up(run, at, ids, W_E):
    return W_E * sqrt(run.config.d_model) if run.config.scale_embedding else W_E


def wave(run, at):
    if not run.config.positions:
        return 0.0
    pos, column = at
    pair = column // 2
    angle = pos / 10000 ** (2 * pair / run.config.d_model)
    return sin(angle) if column % 2 == 0 else cos(angle)


def dot(a, b, plus=0.0):
    return sum(x * y for x, y in zip(a, b, strict=True)) + plus


def hidden(run, at, ids):
    _, _, query, key = at
    return -inf if ids == 0 or (run.config.mask == "causal" and key > query) else 0.0


def softmax(run, at, masked_scores):
    largest = max(masked_scores)
    powers = [exp(score - largest) for score in masked_scores]
    return powers[at[-1]] / sum(powers)


def standardized(run, at, residual):
    mean = sum(residual) / len(residual)
    variance = sum((number - mean) ** 2 for number in residual) / len(residual)
    return (residual[at[-1]] - mean) / sqrt(variance + 1e-5)


FORMULAS = {
    "ids": token,
    "embedding": looked_up,
    "position": wave,
    "x": lambda run, at, embedding, position: embedding + position,
    "q": lambda run, at, x, W_Q, b_Q=0: dot(x, W_Q, b_Q),
    "k": lambda run, at, x, W_K, b_K=0: dot(x, W_K, b_K),
    "v": lambda run, at, x, W_V, b_V=0: dot(x, W_V, b_V),
    "q_split": lambda run, at, q: q,
    "k_split": lambda run, at, k: k,
    "v_split": lambda run, at, v: v,
    "q_heads": lambda run, at, q_split: q_split,
    "k_heads": lambda run, at, k_split: k_split,
    "v_heads": lambda run, at, v_split: v_split,
    "raw_scores": lambda run, at, q_heads, k_heads: dot(q_heads, k_heads),
    "scores": lambda run, at, raw_scores: raw_scores / sqrt(run.q_split.shape[3]),
    "mask": hidden,
    "masked_scores": lambda run, at, scores, mask: scores + mask,
    "attn": softmax,
    "z": lambda run, at, attn, v_heads: dot(attn, v_heads),
    "z_swapped": lambda run, at, z: z,
    "concat": lambda run, at, z_swapped: z_swapped,
    "output": lambda run, at, concat, W_O, b_O=0: dot(concat, W_O, b_O),
    "residual": lambda run, at, x, output: x + output,
    "normed": standardized,
}


def test_every_tensor_has_a_formula_and_every_formula_a_tensor():
    assert list(FORMULAS) == list(tensors())


def assert_made_of_its_operands(run, name, at):
    made = operands(run, name, at)
    numbers = {operand: lookup(run, operand)[i].double().tolist() for operand, i in made.items()}
    value = lookup(run, name)[at].item()
    assert value == pytest.approx(FORMULAS[name](run, at, **numbers), rel=1e-4, abs=1e-5), (
        name,
        at,
    )


@runs(150)
@given(configs(), st.integers(0, 10**9))
def test_an_element_of_every_tensor_is_what_its_operands_make(config, spot):
    run = attend(config)
    for name in tensors():
        shape = lookup(run, name).shape
        at = torch.unravel_index(torch.tensor(spot % shape.numel()), shape)
        assert_made_of_its_operands(run, name, tuple(map(int, at)))


def test_what_needs_no_heads_is_traced_without_them():
    run = embed(Config(d_model=8, h=3))
    for name, at in {
        "ids": (0, 1),
        "embedding": (0, 1, 5),
        "position": (1, 5),
        "x": (0, 1, 5),
    }.items():
        assert_made_of_its_operands(run, name, at)


def test_a_score_is_led_back_to_one_row_of_q_and_one_of_k():
    run = attend(Config(h=2))
    whole = slice(None)
    assert operands(run, "raw_scores", (0, 1, 3, 2)) == {
        "q_heads": (0, 1, 3, whole),
        "k_heads": (0, 1, 2, whole),
    }


def test_a_number_of_a_head_is_led_back_to_its_column_of_w_q():
    """Head 1 of two heads of four: its number 2 is column 1·4 + 2 = 6."""
    run = attend(Config(h=2, bias=True))
    assert operands(run, "q_split", (0, 3, 1, 2)) == {"q": (0, 3, 6)}
    assert operands(run, "concat", (0, 3, 6)) == {"z_swapped": (0, 3, 1, 2)}
    assert operands(run, "q", (0, 3, 6)) == {
        "x": (0, 3, slice(None)),
        "W_Q": (slice(None), 6),
        "b_Q": (6,),
    }


def test_an_embedding_is_led_back_to_the_row_of_its_token():
    assert operands(attend(Config()), "embedding", (0, 2, 5)) == {
        "ids": (0, 2),
        "W_E": (1024, 5),  # 深度
    }


def test_a_bias_that_a_run_lacks_is_no_operand():
    assert "b_O" in needed("output")
    assert "b_O" not in operands(attend(Config()), "output", (0, 0, 0))
