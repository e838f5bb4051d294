from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import Config, IndivisibleHeads, NoTokens, attend, embed, make_params
from explorer.core.config import divisors, nearest_divisors
from tests.core import runs


def test_blank_sentences_are_dropped():
    config = Config(sentences=("", "我爱你", " \t\n", "\u3000", "hello"))
    assert config.sentences == ("我爱你", "hello")


def test_only_blank_sentences_are_a_config_that_nothing_can_be_computed_from():
    config = Config(sentences=("", "  "))
    assert config.sentences == ()
    for compute in (embed, attend):
        with pytest.raises(NoTokens):
            compute(config)


def test_equal_choices_make_equal_and_hashable_configs():
    assert Config(sentences=["我爱你", " "]) == Config(sentences=("我爱你",))
    assert len({Config(h=2), Config(h=2), Config(h=4)}) == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sentences", "我爱你"),
        ("sentences", None),
        ("sentences", (1, 2)),
        ("bias", "true"),
        ("positions", 1),
        ("d_model", 0),
        ("d_model", 8.0),
        ("d_model", True),
        ("d_model", None),
        ("h", -2),
        ("h", "2"),
        ("h", None),
        ("d_k", 0),
        ("seed", -1),
        ("seed", 1.5),
        ("seed", float("inf")),
        ("tokenizer", "bpe"),
        ("mask", "Causal"),
        ("init", None),
        ("device", "tpu"),
    ],
)
def test_a_bad_value_is_refused_by_an_error_that_names_it(name, value):
    with pytest.raises(ValueError, match=f"{name}=") as caught:
        Config(**{name: value})
    assert repr(value) in str(caught.value)


def test_sizes_that_cannot_be_split_are_refused_by_attend_and_not_by_config():
    """E07: the error names both numbers and the nearest h on each side."""
    config = Config(d_model=512, h=7)
    for refuse in (attend, make_params):
        with pytest.raises(IndivisibleHeads) as caught:
            refuse(config)
        assert (caught.value.d_model, caught.value.h) == (512, 7)
        assert caught.value.nearest == (4, 8)
        assert "512" in str(caught.value)
        assert "7" in str(caught.value)


def test_more_heads_than_d_model_has_numbers_are_refused():
    with pytest.raises(IndivisibleHeads) as caught:
        attend(Config(d_model=8, h=12))
    assert caught.value.nearest == (8,)


def test_embed_needs_no_heads():
    start = embed(Config(d_model=9, h=7))
    assert start.x.shape == (1, 4, 9)


@runs(100)
@given(st.integers(1, 3000))
def test_divisors_are_all_the_numbers_that_divide(n):
    pairs = [(a, n // a) for a in range(1, isqrt(n) + 1) if n % a == 0]
    assert divisors(n) == tuple(sorted({d for pair in pairs for d in pair}))


def test_the_divisors_of_512_are_those_of_the_facts():
    assert divisors(512) == (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@runs(100)
@given(st.integers(1, 1500), st.integers(1, 2000))
def test_the_nearest_divisors_are_found_by_walking_away_from_h(n, h):
    below = next((d for d in range(h - 1, 0, -1) if n % d == 0), None)
    above = next((d for d in range(h + 1, n + 1) if n % d == 0), None)
    assert nearest_divisors(n, h) == tuple(d for d in (below, above) if d is not None)


def test_a_d_k_of_its_own_needs_no_divisible_d_model():
    """E25, flan-t5-small: d_model 512, six heads of 64, so 384 columns and ÷ √64."""
    trace = attend(Config(d_model=512, h=6, d_k=64))
    assert trace.params.W_Q.shape == (512, 384)
    assert trace.params.W_O.shape == (384, 512)
    assert trace.q_heads.shape == (1, 6, 4, 64)
    assert trace.output.shape == (1, 4, 512)
    assert trace.scores.equal(trace.raw_scores / 8)
