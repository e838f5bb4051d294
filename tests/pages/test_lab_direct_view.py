"""The lab of the direct view: the cells, the share, the leaks."""

import math

import numpy as np
import pytest

from explorer.core import Config, attend
from explorer.text import LANGS
from tests.figures import numbers
from tests.pages import chart, drawn, open_page, text

every_lang = pytest.mark.parametrize("lang", LANGS)


def answer(lang: str = "en", **params: object):
    return open_page("direct_view", lang, guess="direct_view:skip", **params)


def grid(at, name: str) -> list[list[str]]:
    return [[cell for cell in row] for row in chart(at, name).data[0]["text"]]


@every_lang
def test_the_heads_read_the_addresses_by_hand(lang):
    """T = 4, h = 2, d_k = 4: a token is 8 addresses, a head 4 of them; a view goes straight on."""
    at = answer(lang)
    right = [[str(8 * token + 4 + i) for i in range(4)] for token in range(4)]
    wrong = [[str(16 + 4 * row + i) for i in range(4)] for row in range(4)]
    assert grid(at, "right-1") == right
    assert grid(at, "wrong-1") == wrong


@every_lang
@pytest.mark.parametrize(("sentence", "h"), [("a b c d e", 4), ("a b c", 8), ("a b c d e f", 2)])
def test_the_share_of_right_cells_is_on_the_page(lang, sentence, h):
    """0.1 for five tokens and four heads (E09)."""
    T = len(sentence.split())
    share = (math.gcd(T - 1, h - 1) + 1) / (T * h)
    said = text(answer(lang, sentences=sentence, d_model=16, h=h))
    assert said.count(f"{share:.1%}") == 2
    if (T, h) == (5, 4):
        assert "10.0%" in said


@every_lang
@pytest.mark.parametrize("params", [{"sentences": "a"}, {"h": 1}])
def test_with_one_token_or_one_head_both_ways_agree(lang, params):
    at = open_page("direct_view", lang, guess="direct_view:mixed", **params)
    assert "%" not in text(at)
    right, wrong = (heatmap.values for heatmap in drawn(at) if heatmap.name == "scores")
    np.testing.assert_array_equal(right, wrong)


def test_the_scores_are_those_of_the_run_and_of_the_mixed_up_heads():
    run = attend(Config())
    right, wrong = (heatmap.values for heatmap in drawn(answer(head=1)) if heatmap.name == "scores")
    q, k = (tensor.view(1, 2, 4, 4)[0, 1] for tensor in (run.q, run.k))
    np.testing.assert_array_equal(right, run.scores[0, 1].numpy())
    np.testing.assert_allclose(wrong, (q @ k.T / 2).numpy(), rtol=1e-5, atol=1e-6)


@every_lang
def test_who_sees_whom_is_drawn_and_counted(lang):
    """E09, by hand in the test of the experiment: 1 sees, 2 leaks, 3 blind, 0 neither."""
    by_transpose = [[1, 0, 2, 0], [1, 3, 2, 0], [1, 1, 1, 2], [1, 1, 1, 1]]
    by_view = [[1, 0, 0, 0], [1, 1, 0, 0], [3, 3, 1, 0], [3, 3, 1, 1]]
    for merge, expected in (("transpose", by_transpose), ("view", by_view)):
        found = chart(answer(lang, merge=merge), "sees")
        assert numbers(found.data[0]["z"]).tolist() == expected
        for kind in (2, 3):
            assert str(sum(row.count(kind) for row in expected)) in found.alt
