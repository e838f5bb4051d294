"""The lab of masks: what each way gives on the worked example and on this run, and generating."""

import math
import re

import numpy as np
import pytest
import torch

from explorer.core import Config, attend
from explorer.experiments.masks import PADDED, WAYS, WORKED
from explorer.labs.mask_words import WORDS
from explorer.text import LANGS
from tests.figures import numbers
from tests.pages import chart, charts, heatmaps, link, open_page, table_of, text, widget

every_lang = pytest.mark.parametrize("lang", LANGS)
TWO = ("我爱深度学习", "the cat sat on the mat")
LONG = "注意力机制" * 13


def answer(lang: str = "en", **params: object):
    return open_page("masks", lang, guess="masks:skip", **params)


def test_every_way_has_its_words():
    assert list(WORDS) == list(WAYS | PADDED)
    for lang in LANGS:
        names = [name(lang) for name, _ in WORDS.values()]
        assert len(set(names)) == len(names)


@every_lang
def test_the_worked_row_is_right_before_the_answer(lang):
    at = open_page("masks", lang)
    assert "softmax([2.1, 1.3, 0.7, −∞])" in text(at)
    assert "0.589648, 0.264946, 0.145406, 0" in text(at)
    scores, weights = heatmaps(chart(at, "worked"))
    assert scores.values[2].tolist() == pytest.approx([2.1, 1.3, 0.7, -math.inf])
    assert weights.values[2] == pytest.approx([0.589648, 0.264946, 0.145406, 0], abs=1e-6)
    assert "0.067344" not in text(at)


@every_lang
@pytest.mark.parametrize(
    ("guess", "right"), [("some", True), ("zero", False), ("as_before", False)]
)
def test_a_multiplied_score_leaves_about_7_percent(guess, right, lang):
    at = open_page("masks", lang, guess=f"masks:{guess}")
    said = {"en": "**Right**", "zh": "**猜对了**"}[lang]
    assert (said in text(at)) == right
    assert "0.07" in text(at)
    assert "0.549939, 0.247104, 0.135613, 0.067344" in text(at)


@pytest.mark.parametrize("way", [*WAYS, *PADDED])
def test_every_way_shows_its_code_and_what_comes_of_it(way):
    at = answer(way=way, sentences="\n".join(TWO))
    assert not at.exception
    assert at.code[0].value.startswith(f"def {way}(")
    assert WORDS[way][1]("en") in text(at)
    found = table_of(at, "| run on")
    assert len(found) == 2
    refused = ["error" in row for row in found]
    assert ("chart-way-worked" in charts(at)) != refused[0]
    assert ("chart-way-run" in charts(at)) != refused[1]
    assert text(at).count("in its own words") == sum(refused)


@every_lang
def test_what_torch_says_is_shown(lang):
    at = answer(lang, way="half")
    assert "c10::Half without overflow" in "".join(code.value for code in at.code)


def test_the_weights_of_the_run_stand_beside_the_right_ones():
    """Of the sentence in focus without its padding, by hand from the run's own scores."""
    run = attend(Config(TWO, mask="none"))
    at = answer(sentences="\n".join(TWO), mask="none", item=0, head=1, way="multiplied")
    right, wrong = heatmaps(chart(at, "way-run"))
    n = 4
    scores = run.scores[0, 1, :n, :n]
    hidden = torch.ones(n, n).triu(1).bool()
    np.testing.assert_allclose(
        right.values, scores.masked_fill(hidden, -math.inf).softmax(-1), atol=1e-6
    )
    np.testing.assert_allclose(wrong.values, scores.masked_fill(hidden, 0).softmax(-1), atol=1e-6)


@every_lang
def test_a_row_of_nan_is_no_hole(lang):
    """It is drawn as cells that say NaN, counted in the alt, and named in words."""
    at = answer(lang, way="no_key")
    found = chart(at, "way-worked")
    _, wrong = heatmaps(found)
    np.testing.assert_array_equal(np.isnan(wrong.values), np.eye(4)[:1].T.astype(bool).repeat(4, 1))
    (overlay,) = (trace for trace in found.data if "= NaN" in trace["hovertemplate"])
    assert overlay["text"][0] == ["NaN"] * 4
    assert overlay["texttemplate"]
    assert "NaN" in found.alt
    assert re.search(r"\b4\b|4 ", found.alt)
    assert "NaN, NaN, NaN, NaN" in text(at)


def test_the_gradient_of_replaced_nan_is_nan():
    """E13."""
    rows = table_of(answer(way="no_key_zeroed"), "| run on")
    assert [row[3:] for row in rows] == [["none", "**NaN**"]] * 2
    rows = table_of(answer(way="no_key_sdpa"), "| run on")
    assert [row[3:] for row in rows] == [["none", "finite"]] * 2


@every_lang
@pytest.mark.parametrize(
    ("asked", "used"), [("half_mni", "half_min"), ("?!", "multiplied"), ("", "multiplied")]
)
def test_an_unknown_way_gets_a_sentence_and_the_nearest(asked, used, lang):
    at = answer(lang, way=asked)
    assert not at.exception
    assert widget(at, "way").value == used
    (said,) = (info.value for info in at.info)
    assert f"`{used}`" in said
    assert f"`{asked or ' '}`" in said


def test_a_way_can_be_chosen_and_is_in_the_link():
    at = answer()
    widget(at, "way").set_value("diagonal").run()
    assert link(at)["way"] == "diagonal"
    assert at.code[0].value.startswith("def diagonal(")


def test_padding_masks_meet_this_runs_own_sizes():
    """Two sentences of six tokens: torch raises; one sentence is right by luck."""
    at = answer(way="key_mask", sentences="\n".join(TWO))
    assert "must match" in "".join(code.value for code in at.code)
    right, luck = heatmaps(chart(answer(way="key_mask"), "way-run"))
    np.testing.assert_array_equal(right.values, luck.values)


def test_small_weights_are_said_to_be_more_than_0():
    many = answer(way="averaged", sentences=LONG, tokenizer="char")
    assert "pale is not 0" in text(many)
    assert "pale is not 0" not in text(answer(way="averaged"))


# Generating


@every_lang
@pytest.mark.parametrize("until", [1, 2, 4])
def test_a_step_sees_what_came_before_the_word_it_predicts(until, lang):
    words = ("我", "爱", "深度", "学习")
    inputs = ("<s>", *words)
    at = answer(lang, until=until)
    (said,) = (m.value for m in at.markdown if f"`{words[until - 1]}`" in m.value)
    assert said.endswith(
        (*(" ".join(f"`{word}`" for word in inputs[:until]) + end for end in ".。"),)
    )
    found = chart(at, "steps")
    marks = found.data[0]["text"]
    assert [row.count("✓") for row in marks] == [0, 1, 2, 3]
    assert [row.index("●") for row in marks] == [0, 1, 2, 3]
    assert found.layout["xaxis1"]["ticktext"][0] == "&lt;s&gt;"


@pytest.mark.parametrize(("until", "first"), [(1, 1), (20, 15), (64, 53)])
def test_of_many_steps_those_around_the_one_chosen_are_drawn(until, first):
    at = answer(sentences=LONG, tokenizer="char", until=until)
    assert f"steps {first}–{first + 11} of 64" in text(at)
    found = chart(at, "steps")
    (outline,) = found.layout["shapes"]
    assert outline["y0"] == until - first - 0.5
    seen = numbers(found.data[0]["z"])
    assert (seen > 0).sum(1).tolist() == list(range(first, first + 12))
    assert (seen == 2).sum(1).tolist() == [1] * 12


@pytest.mark.parametrize(
    "params",
    [{}, {"d_model": 512, "h": 8}, {"sentences": LONG, "tokenizer": "char"}, {"d_k": 5}],
    ids=["default", "wide", "64 tokens", "d_k apart"],
)
def test_with_the_mask_a_prefix_is_the_beginning_of_the_whole(params):
    at = answer(until=3, **params)
    (said,) = re.findall(r"causal mask: \*\*(.+?)\*\*; with no mask: \*\*(.+?)\*\*", text(at))
    causal, none = map(float, said)
    assert causal < 1e-5
    assert none > 1e-3


def test_steps_past_the_sentence_are_its_last():
    at = answer(until=64)
    assert at.slider[0].value == 4
    assert "nothing is still to come" in text(at)
    one = answer(sentences="我", until=9)
    assert not one.exception
    assert not one.slider


def test_the_slider_moves_the_step():
    at = answer()
    at.slider[0].set_value(3).run()
    assert link(at)["until"] == "3"


def test_the_example_is_shared_and_stays_as_it_was():
    answer(way="after")
    assert WORKED.tolist() == [pytest.approx([2.1, 1.3, 0.7, 4.9])] * 4
