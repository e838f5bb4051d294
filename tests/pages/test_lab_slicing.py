"""The lab on slicing: what it shows is what slices and projections of this run give."""

import math
import re
from functools import cache

import numpy as np
import pytest

from explorer.core import Config, attend
from explorer.labs.one_product import FUSED
from explorer.labs.seen_features import GROUPED
from explorer.labs.slicing import ELSEWHERE, MISSING, SPECIAL, UNUSED
from explorer.text import LANGS
from tests.figures import numbers
from tests.pages import chart, charts, heatmaps, open_page, table, text, widget

every_lang = pytest.mark.parametrize("lang", LANGS)
LONG = " ".join("abcdefghijklmnopqrstuvwxyz"[i % 26] for i in range(64))
SIZES = {
    "default": {},
    "large": {"d_model": 512, "h": 8, "head": 3},
    "odd": {"d_model": 7, "h": 7, "head": 6},
    "five heads": {"d_model": 10, "h": 5, "bias": "true"},
    "one head": {"d_model": 8, "h": 1},
    "one feature": {"d_model": 1, "h": 1, "sentences": "a"},
    "sixty-four tokens": {"sentences": LONG},
    "many heads": {"d_model": 512, "h": 256, "head": 200},
    "d_k too wide": {"d_model": 8, "h": 2, "d_k": 5, "head": 1},
    "d_k narrow": {"d_model": 8, "h": 2, "d_k": 3, "head": 1},
    "nothing left": {"d_model": 8, "h": 2, "d_k": 64, "head": 1},
}
every_size = pytest.mark.parametrize("name", SIZES)


@cache
def opened(lang: str = "en", guess: str = "skip", **params: object):
    at = open_page("slicing", lang, guess=f"slicing:{guess}", **params)
    assert not at.exception
    return at


def run_of(params: dict):
    fields = {"sentences", "d_model", "h", "d_k"}
    values = {name: value for name, value in params.items() if name in fields}
    if "sentences" in values:
        values["sentences"] = (values["sentences"],)
    return attend(Config(**values, bias="bias" in params))


def pictures(at) -> list[np.ndarray]:
    """Which cells of the sliced and of the projected picture are marked as depending."""
    found = [drawn for key, drawn in charts(at).items() if "-sees-" in key]
    return [numbers(drawn.data[0]["z"]) > 0 for drawn in found]


@every_size
@every_lang
def test_a_head_sees_its_slice_and_a_projection_sees_it_all(name, lang):
    params = SIZES[name]
    run, at = run_of(params), opened(lang, **params)
    h, d_k, d_model = run.config.h, run.q_split.shape[-1], run.config.d_model
    head = params.get("head", 0)
    few = len(range(d_model)[head * d_k : (head + 1) * d_k])
    (line,) = (m for m in text(at).split("\n") if "✓" in m and "`" in m)
    assert [int(n) for n in re.findall(r"\*\*(\d+)\*\*", line)] == [few, d_model]
    sliced, projected = pictures(at)
    assert projected.all()
    rows, columns = -(-h // 16), -(-d_model // 64)
    feature = np.arange(d_model)
    expected = (feature // d_k)[None] == np.arange(h)[:, None]
    blocks = [
        [expected[i : i + rows, j : j + columns].any() for j in range(0, d_model, columns)]
        for i in range(0, h, rows)
    ]
    np.testing.assert_array_equal(sliced, blocks)
    assert (GROUPED(lang, rows=rows, columns=columns) in text(at)) == (rows * columns > 1)


@every_size
def test_the_scores_of_the_slice_are_its_own_products(name):
    params = SIZES[name]
    run, at = run_of(params), opened(**params)
    head, d_k = params.get("head", 0), run.q_split.shape[-1]
    cut = run.x[0, :, head * d_k : (head + 1) * d_k].double()
    sliced, projected = (heatmap.values for heatmap in heatmaps(chart(at, "scores")))
    np.testing.assert_allclose(sliced, cut @ cut.T / d_k**0.5, atol=1e-4)
    np.testing.assert_array_equal(projected, run.scores[0, head].numpy())
    np.testing.assert_allclose(sliced, sliced.T, atol=1e-5)
    edges = {"start": min(head * d_k, run.config.d_model), "difference": 0.0}
    stop = edges["start"] + cut.shape[1]
    assert (SPECIAL("en", stop=stop, **edges) in text(at)) == bool(cut.shape[1])


@every_lang
def test_x_is_framed_where_the_head_in_focus_would_cut_it(lang):
    drawn = chart(opened(lang, head=1), "x")
    (frame,) = (s for s in drawn.layout["shapes"] if s["yref"] != "paper")
    assert (frame["x0"], frame["x1"]) == (3.5, 7.5)
    bands = [s["label"]["text"] for s in drawn.layout["shapes"] if s["yref"] == "paper"]
    assert bands == ["0", "1"]


@every_lang
def test_a_slice_outside_of_the_columns_shown_is_said_to_be(lang):
    said = ELSEWHERE(lang, head=3, start=192, last=255)
    assert said in text(opened(lang, d_model=512, h=8, head=3))
    assert said not in text(opened(lang, d_model=512, h=8, head=3, window=3))


@every_lang
def test_where_d_k_is_set_apart_columns_are_missing_or_unused(lang):
    cases = {
        "d_k too wide": (MISSING, 2),
        "d_k narrow": (UNUSED, 2),
        "nothing left": (MISSING, 120),
    }
    for name, (fate, n) in cases.items():
        said = text(opened(lang, **SIZES[name]))
        (line,) = (line for line in said.split("\n") if fate(lang) in line)
        assert re.search(rf"[:：]\s*{n}\b", line)
    assert all(fate(lang) not in text(opened(lang)) for fate in (MISSING, UNUSED))


def test_no_head_past_the_last_is_drawn_above_x():
    bands = chart(opened(d_model=8, h=2, d_k=3), "x").layout["shapes"]
    assert [b["label"]["text"] for b in bands if b["yref"] == "paper"] == ["0", "1"]


@every_size
@every_lang
def test_one_product_equals_one_a_head_and_both_are_timed(name, lang):
    run, at = run_of(SIZES[name]), opened(lang, **SIZES[name])
    h, T = run.config.h, run.x.shape[1]
    before, after = FUSED(lang, h=h, difference=math.pi).split("3.14")
    (difference,) = re.findall(re.escape(before) + "(.+?)" + re.escape(after), text(at))
    assert 0 <= float(difference) < 1e-5
    times = table(at)
    assert sorted({int(tokens) for tokens, _ in times}) == sorted({T, 64})
    for (_, one), (many, ratio) in times.items():
        assert one.split()[1] in ("ms", "µs")
        assert many.split()[1] in ("ms", "µs")
        assert float(ratio.split()[0]) > 0


@every_lang
@pytest.mark.parametrize(
    ("params", "right"), [({}, "part"), ({"h": 1}, "all"), ({"d_k": 64, "head": 1}, "part")]
)
def test_the_guess_is_judged_by_what_was_measured(params, right, lang):
    said = {"en": ("**Right**", "**What happens here**"), "zh": ("**猜对了**", "**实际上**")}[lang]
    for guess in ("part", "all", "one"):
        page = text(opened(lang, guess, **params))
        assert (said[0] in page) == (guess == right)
        assert (said[1] in page) == (guess != right)


@every_lang
@pytest.mark.parametrize("guess", ["", "order:skip", "slicing:", "slicing:7"])
def test_without_a_guess_there_is_x_and_no_answer(guess, lang):
    at = open_page("slicing", lang, guess=guess)
    assert not at.exception
    assert list(charts(at)) == ["chart-x"]
    assert widget(at, "guess").options
