"""The lab of initialisation: variances, gradients, looked-up rows, the trap."""

import re

import pytest

from explorer import question
from explorer.core import Config, attend, make_params
from explorer.experiments.initialisation import METHODS, gradients
from explorer.labs.gradients import ALONE, COLUMN, NAMES, ZERO, ZERO_BIAS
from explorer.labs.initialisation import LONG_NAMES
from explorer.text import LANGS
from tests.figures import numbers
from tests.pages import chart, link, open_page, table_of, text, widget

every_lang = pytest.mark.parametrize("lang", LANGS)


def answer(lang: str = "en", **params: object):
    return open_page("initialisation", lang, guess="initialisation:skip", **params)


def rows_of(at, lang: str, columns: int) -> list[list[str]]:
    """The rows of the one of the two tables by method that has so many columns."""
    first = rf"\| {re.escape(COLUMN(lang))} (\| [^|]+){{{columns - 1}}}\|\n"
    (start,) = (m.value.split("\n")[0] for m in at.markdown if re.match(first, m.value))
    return table_of(at, start)


@every_lang
def test_the_variances_of_512_by_512_are_on_the_page(lang):
    theory = (0, 0.000651042, 0.001953125, 0.003867574, 0.00390625)
    rows = rows_of(answer(lang, d_model=512, h=8), lang, 3)
    assert len(rows) == len(METHODS)
    for method, (name, formula, measured), expected in zip(METHODS, rows, theory, strict=True):
        assert name.strip("*") == LONG_NAMES[method](lang)
        assert formula.split("= ")[-1] == f"{expected:.4g}"
        assert float(measured) == pytest.approx(expected, rel=0.01)


@every_lang
def test_the_scores_spread_by_3_92_4_1_and_0_111(lang):
    rows = rows_of(answer(lang, d_model=512, h=8), lang, 5)
    theory = ("0", "0.111", "1", "3.92", "4")
    for method, row, expected in zip(METHODS, rows, theory, strict=True):
        assert row[0] == NAMES[method](lang)
        assert row[1] == expected
        assert float(row[2]) == pytest.approx(float(expected), rel=0.05)
    largest = [float(row[3]) for row in rows]
    assert largest == sorted(largest)
    assert largest[0] == 0.125
    assert largest[2] == pytest.approx(0.368, abs=0.02)  # E11


@every_lang
@pytest.mark.parametrize("d_model", [8, 512])
def test_zeros_have_no_gradient_and_everything_else_has(lang, d_model):
    at = answer(lang, d_model=d_model)
    (grid,) = chart(at, "gradients").data
    assert [row[0] for row in grid["text"]] == ["0"] * 5
    assert numbers(grid["z"]).tolist() == [[0, 1, 1, 1, 1]] * 5
    for j, method in enumerate(METHODS):
        config = Config(d_model=d_model)
        norms = gradients(config, make_params(config), method, 1.0).norms
        for i, norm in enumerate(norms.values()):
            assert float(grid["text"][i][j].replace(",", "")) == pytest.approx(norm, rel=0.01)
    assert ZERO(lang) in text(at)


@every_lang
@pytest.mark.parametrize(("bias", "right"), [("false", "none"), ("true", "W_O")])
def test_the_right_answer_is_that_of_the_run(lang, bias, right):
    start = question.RIGHT(lang, right="\0").split("\0")[0]
    for guess in ("none", "W_O", "all"):
        at = open_page("initialisation", lang, guess=f"initialisation:{guess}", bias=bias)
        assert (start in text(at)) == (guess == right)
        assert (ZERO_BIAS if bias == "true" else ZERO)(lang) in text(at)


@every_lang
@pytest.mark.parametrize("method", ["zeros", "kaiming"])
def test_the_rows_that_the_first_sentence_looked_up_are_named(lang, method):
    sentences = "the cat sat on the mat\n我爱你"
    at = answer(lang, sentences=sentences, method=method)
    ids = set(attend(Config(("the cat sat on the mat",))).ids.flatten().tolist())
    (said,) = (m.value for m in at.markdown if "W_E" in m.value and "10,000" in m.value)
    assert {int(i) for i in re.findall(r"` (\d+)", said)} == ids
    assert re.search(rf"\b{len(ids)}\b", said)


def test_a_hostile_sentence_is_shown_as_it_is():
    at = answer(sentences="*a* `b` <b>c</b> $d$ | e")
    (said,) = (m.value for m in at.markdown if "W_E" in m.value and "10,000" in m.value)
    assert "`` ` ``" in said
    assert "`<`" in said
    assert "`$`" in said


@every_lang
def test_with_one_token_w_q_and_w_k_get_none_and_the_page_says_why(lang):
    at = answer(lang, sentences="我")
    grid = numbers(chart(at, "gradients").data[0]["z"])
    assert not grid[1:3].any()
    assert grid[3:, 1:].all()
    assert ALONE(lang) in text(at)
    assert ALONE(lang) not in text(answer(lang))


@every_lang
@pytest.mark.parametrize(
    ("params", "d_model", "width"),
    [
        ({"d_model": 512, "h": 8}, 512, 2048),
        ({"d_model": 64, "h": 2, "d_k": 48}, 64, 96),
        ({"d_model": 7, "h": 7}, 7, 28),
    ],
)
def test_the_trap_shows_both_variances(lang, params, d_model, width):
    at = answer(lang, **params)
    (start,) = (
        m.value.split("\n")[0]
        for m in at.markdown
        if "fan_in" in m.value.split("\n")[0] and m.value.startswith("| ")
    )
    right, wrong, in_proj = table_of(at, start)
    assert (right[1], wrong[1], in_proj[1]) == (str(d_model), str(width), str(d_model))
    expected = 2 / (1.01 * d_model), 2 / (1.01 * width), 1 / (2 * d_model)
    for row, variance in zip((right, wrong, in_proj), expected, strict=True):
        assert row[2] == f"{variance:.4g}"
        assert float(row[3]) == pytest.approx(variance, rel=0.3 if d_model == 7 else 0.05)


@pytest.mark.parametrize("gain", ["0.25", "8"])
def test_the_gain_is_in_every_variance(gain):
    at, plain = answer(gain=gain), answer()
    for row, one in zip(rows_of(at, "en", 3)[1:], rows_of(plain, "en", 3)[1:], strict=True):
        assert f" · {gain}² = " in row[1]
        variances = (float(cells[1].split("= ")[1]) for cells in (row, one))
        assert next(variances) / next(variances) == pytest.approx(float(gain) ** 2, rel=0.01)
    assert f"{float(gain) ** 4:,.4g}" in text(at)
    (said,) = (m.value for m in at.markdown if "ReLU" in m.value and "GELU" in m.value)
    xavier, kaiming = (float(row[2]) for row in rows_of(plain, "en", 5)[2:4])
    assert f"**{xavier:g}**" in said, "what is said of Xavier and Kaiming is without a gain"
    assert said.endswith(f" {kaiming:g}.")


@every_lang
@pytest.mark.parametrize("method", METHODS)
def test_the_chosen_method_is_drawn_solid_and_bold(lang, method):
    at = open_page("initialisation", lang, method=method)
    drawn = {line["name"]: line["line"]["dash"] for line in chart(at, "weights").data}
    others = [name for name in METHODS if name != "zeros"]
    assert list(drawn) == [NAMES[name](lang) for name in others]
    assert [name for name in others if drawn[NAMES[name](lang)] == "solid"] == [
        name for name in others if name == method
    ]
    bold = [row[0] for row in rows_of(at, lang, 3) if row[0].startswith("**")]
    assert bold == [f"**{LONG_NAMES[method](lang)}**"]


def test_a_run_that_has_no_heads_is_refused_with_what_would_work():
    at = answer(d_model=512, h=7)
    assert not at.exception
    assert at.error


def test_method_and_gain_by_hand_are_in_the_link():
    at = answer()
    widget(at, "method").set_value("kaiming").run()
    (gain,) = at.select_slider
    gain.set_value("4").run()
    assert not at.exception
    assert {name: link(at)[name] for name in ("method", "gain")} == {
        "method": "kaiming",
        "gain": "4",
    }
    assert f"· 4² = {16 * 2 / (1.01 * 8):.4g}" in text(at)
