"""The lab of √d_k: the curves over every width, and what the public report measured."""

import math
import re

import numpy as np
import pytest

from explorer import question
from explorer.core import Config, attend
from explorer.labs.scaling import MEASURES, THIS_RUN, WAYS
from explorer.text import LANGS
from tests.figures import numbers
from tests.pages import chart, link, open_page, table_of, text

every_lang = pytest.mark.parametrize("lang", LANGS)


def answer(lang: str = "en", **params: object):
    return open_page("scaling", lang, guess="scaling:skip", **params)


def lines(at, name: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    return {line["name"]: (numbers(line["x"]), numbers(line["y"])) for line in chart(at, name).data}


@every_lang
def test_the_wrong_divisors_stand_beside_the_right_one(lang):
    """E11: variance and mean largest probability at d_k = 64, 8 keys, d_model = 512."""
    expected = {
        "none": (64.6, 0.883),
        "root": (1.009, 0.368),
        "model": (0.126, 0.200),
        "d_k": (0.016, 0.149),
    }
    at = answer(lang, d_model=512, h=8)
    rows = {row[0]: list(map(float, row[1:])) for row in table_of(at, "| d_k = 64")}
    assert list(rows) == [words(lang) for words in WAYS.values()]
    for way, (variance, largest) in expected.items():
        found = rows[WAYS[way](lang)]
        assert found[0] == pytest.approx(variance, rel=0.05)
        assert found[1] == pytest.approx(largest, abs=0.02)
        assert 0 < found[2] <= math.log(8)
    assert rows[WAYS["root"](lang)][3] == pytest.approx(0.37, abs=0.01)


@every_lang
@pytest.mark.parametrize("width", [1, 64, 100, 512])
def test_the_variance_grows_with_the_width_and_the_root_takes_that_out(lang, width):
    found = lines(answer(lang, width=width, d_model=512, h=8), "variance")
    widths = sorted({1, 2, 4, 8, 16, 32, 64, 128, 256, 512, width})
    for way, expected in {
        "none": widths,
        "root": np.ones(len(widths)),
        "model": np.array(widths) / 512,
        "d_k": 1 / np.array(widths),
    }.items():
        x, y = found[WAYS[way](lang)]
        assert x.tolist() == widths
        np.testing.assert_allclose(y, expected, rtol=0.08)


@every_lang
def test_a_wide_softmax_without_the_division_is_one_key_with_no_gradient(lang):
    at = answer(lang)
    largest, entropy, gradient = (lines(at, name) for name in ("largest", "entropy", "gradient"))
    none, root = WAYS["none"](lang), WAYS["root"](lang)
    assert largest[none][1][-1] == pytest.approx(0.956, abs=0.02)
    assert largest[root][1][-1] == pytest.approx(0.363, abs=0.02)
    assert 1e-5 < gradient[none][1][-1] < 1e-3
    assert gradient[root][1][-1] == pytest.approx(0.37, abs=0.01)
    assert (np.diff(entropy[none][1]) < 0).all()
    said = text(at)
    assert f"**{largest[none][1][-1]:.3f}**" in said
    assert f"{gradient[none][1][-1]:.1e}" in said
    for name in MEASURES:
        assert chart(at, name).layout["xaxis"]["type"] == "log"


@pytest.mark.parametrize("width", [1, 3, 64, 512])
def test_the_densities_have_the_spread_that_they_are_said_to_have(width):
    """Cut off at four standard deviations, a product of two numbers loses a little of it."""
    at = answer(width=width)
    for name, ways in {"raw": ["none"], "both": ["none", "root"]}.items():
        found = lines(at, name)
        assert list(found) == [WAYS[way]("en") for way in ways]
        for way in ways:
            x, y = found[WAYS[way]("en")]
            spread = math.sqrt(width) if way == "none" else 1
            share = y * (x[1] - x[0])
            assert share.sum() == pytest.approx(1, abs=0.01)
            assert math.sqrt((share * x**2).sum()) == pytest.approx(spread, rel=0.1)
            assert f"{WAYS[way]('en')} {spread:.3g}" in chart(at, name).alt


@every_lang
def test_twice_as_wide_is_right_and_four_times_is_not(lang):
    right = text(open_page("scaling", lang, guess="scaling:2"))
    wrong = text(open_page("scaling", lang, guess="scaling:4"))
    start = question.RIGHT(lang, right="\0").split("\0")[0]
    assert start in right
    assert start not in wrong


@every_lang
def test_before_the_answer_nothing_is_said_about_it(lang):
    at = open_page("scaling", lang)
    assert len(chart(at, "raw").data) == 1
    assert "√" not in "".join(caption.value for caption in at.caption)
    assert not [m for m in at.markdown if m.value.startswith("| ")]


@every_lang
@pytest.mark.parametrize(
    ("params", "config"),
    [
        ({}, Config()),
        ({"d_model": 512, "h": 8}, Config(d_model=512, h=8)),
        ({"d_k": 3}, Config(d_k=3)),
    ],
)
def test_the_variance_of_this_run_is_on_the_page(lang, params, config):
    run = attend(config)
    raw, scores = (float(m.numpy().var()) for m in (run.raw_scores, run.scores))
    d_k = run.q_heads.shape[-1]
    assert THIS_RUN(lang, raw=raw, divided=scores, d_k=d_k) in text(answer(lang, **params))


@pytest.mark.parametrize("params", [{"d_model": 512, "h": 7}, {"sentences": "我", "h": 1}])
def test_a_run_without_heads_or_with_one_score_is_not_spoken_of(params):
    at = answer(**params)
    assert not at.exception
    assert not re.search(r"`raw_scores`", text(at))
    assert chart(at, "gradient")


@pytest.mark.parametrize("keys", [2, 64])
def test_few_and_many_keys(keys):
    at = answer(keys=keys, width=3)
    assert not at.exception
    assert f"{1 / keys:.3f}" in text(at)
    for x, y in lines(at, "largest").values():
        assert (y >= 1 / keys).all()
        assert (y <= 1).all()
        assert len(x) == 11


def test_the_sliders_are_in_the_link_and_change_the_page():
    at = answer()
    width, _ = at.slider
    width.set_value(100).run()
    at.slider[1].set_value(2).run()
    assert not at.exception
    assert {name: link(at)[name] for name in ("width", "keys")} == {"width": "100", "keys": "2"}
    assert table_of(at, "| d_k = 100")
    assert "0.500" in text(at)
