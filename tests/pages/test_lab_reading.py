"""The lab on reading without moving: what it shows of a chain, and what it does with any text."""

import re

import pytest

from explorer.labs.reading import EXAMPLES
from explorer.settings.parameters import PARAMETERS
from explorer.text import LANGS
from tests.pages import broken_bold, charts, link, markdown, open_page, text, widget

every_lang = pytest.mark.parametrize("lang", LANGS)
INCOMPATIBLE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans "
    "across two contiguous subspaces). Use .reshape(...) instead."
)


def opened(lang: str = "en", guess: str = "skip", **params: object):
    at = open_page("reading", lang, guess=f"reading:{guess}", **params)
    assert not at.exception
    assert not [message for message in markdown(at) if broken_bold(message)]
    return at


def said(at) -> dict[str, str]:
    """What each chart says in words, the language's punctuation made plain."""
    return {
        key.removeprefix("chart-"): chart.alt.replace("：", ": ").replace("；", "; ")
        for key, chart in charts(at).items()
    }


def rows(at) -> list[list[str]]:
    """The cells of all Markdown tables of the page."""
    lines = "\n".join(m.value for m in at.markdown if m.value.startswith("| ")).split("\n")
    return [line.replace("\xa0", " ").replace("`", "").strip("| ").split(" | ") for line in lines]


@every_lang
def test_a_transposed_two_by_three_is_shown_with_its_numbers(lang):
    at = opened(lang)
    assert "1, 4; 2, 5; 3, 6" in said(at)["result-grid"]
    assert "1, 2, 3, 4, 5, 6" in said(at)["result-storage"]
    assert "0, 3, 1, 4, 2, 5" in said(at)["result-storage"]
    shown = {row[0]: row[1:4] for row in rows(at)}
    assert shown["x"] == ["(2, 3)", "(3, 1)", "0"]
    assert shown["1. transpose(0, 1)"] == ["(3, 2)", "(1, 3)", "0"]
    assert ["0, 1", "1", "3 × 2 = 6"] in [row[:3] for row in rows(at)]


@every_lang
def test_view_of_two_by_three_as_three_by_two(lang):
    assert "1, 2; 3, 4; 5, 6" in said(opened(lang, ops="view(3, 2)"))["result-grid"]


@every_lang
def test_view_after_transpose_shows_torchs_own_error(lang):
    at = opened(lang, ops="transpose(0, 1); view(6)")
    assert f"`{INCOMPATIBLE}`" in text(at)
    assert "1, 4; 2, 5; 3, 6" in said(at)["result-grid"]


def test_an_error_right_away_leaves_no_picture_of_a_result():
    at = opened(ops="view(5)")
    assert "`shape '[5]' is invalid for input of size 6`" in text(at)
    assert set(said(at)) == {"x-grid", "x-storage"}


@every_lang
@pytest.mark.parametrize(
    ("guess", "ops", "right"),
    [
        ("1, 3", "transpose(0, 1)", True),
        ("(1,3)", "transpose(0, 1)", True),
        ("3, 1", "transpose(0, 1)", False),
        ("error", "transpose(0, 1)", False),
        ("error", "transpose(0, 1); view(6)", True),
        ("0 3 1", "expand(2, 2, 3)", True),
        ("2", "view(6)", False),
    ],
)
def test_a_stride_is_guessed(lang, guess, ops, right):
    at = opened(lang, guess, ops=ops)
    words = ("**Right**", "**猜对了**") if right else ("**What happens here**", "**实际上**")
    assert any(word in text(at) for word in words)


@every_lang
def test_nothing_is_told_before_the_guess(lang):
    at = opened(lang, guess="")
    assert set(said(at)) == {"x-grid", "x-storage"}
    assert "(1, 3)" not in text(at)


def press(at, key: str):
    at.button(key=key).click().run()
    assert not at.exception
    return at


def test_operations_are_added_and_removed_and_a_guess_counts_for_one_chain():
    at = opened(guess="1, 3")
    press(at, "add-view(6)")
    assert link(at)["ops"] == "transpose(0, 1); view(6)"
    assert link(at)["guess"] == ""
    assert INCOMPATIBLE not in text(at)
    press(at, "skip")
    assert INCOMPATIBLE in text(at)
    press(at, "back")
    assert link(at)["ops"] == "transpose(0, 1)"
    assert link(at)["guess"] == "reading:skip"
    press(at, "over")
    assert link(at)["ops"] == ""
    assert set(said(at)) == {"x-grid", "x-storage"}


def test_a_chain_is_full_after_six_and_says_what_it_left_out():
    at = opened(ops="; ".join(["transpose(0, 1)"] * 6 + ["view(6)"]))
    assert not [b for b in at.button if b.key.startswith("add-")]
    assert "left out: `view(6)`" in at.warning[0].value
    assert "1, 2, 3; 4, 5, 6" in said(at)["result-grid"]


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_are_chains_that_run(number):
    at = press(opened(), f"example-{number}")
    shape, ops = list(EXAMPLES)[number].split("|")
    assert (link(at)["shape"], link(at)["ops"]) == (shape, ops)
    assert not at.warning
    assert "result-grid" in said(at)
    assert (INCOMPATIBLE in text(at)) == (number == 0)


def test_a_view_can_flatten_what_is_not_contiguous():
    at = opened(shape="2,4", ops="[:, ::2]; view(4)")
    assert "1, 3, 5, 7" in said(at)["result-grid"]
    assert ["2. view(4)", "(4,)", "(2,)", "0", "no", "that of x"] in rows(at)


def test_typed_operations_are_taken():
    at = opened()
    widget(at, "ops").set_value("permute(1, 0); contiguous()").run()
    assert not at.exception
    assert ["2. contiguous()", "(3, 2)", "(2, 1)", "0", "yes", "its own"] in rows(at)


@every_lang
@pytest.mark.parametrize(
    "ops",
    ["foo()", "view(", "**bold** `a`|b", "<b>x</b>", "$x$; eval(1)", "\u202eview(2, 3)"],
)
def test_what_is_not_understood_is_said_with_an_example(lang, ops):
    at = opened(lang, ops=ops)
    assert "`transpose(0, 1); view(3, 2); [:, ::2]`" in at.warning[0].value
    assert len(at.warning) == len(ops.split(";"))
    assert not re.search(r"<b>|\*\*bold|\$x", re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text(at)))


@every_lang
@pytest.mark.parametrize("ops", ["", " ; ;", "expand(64, 2, 3)", "[9:]", "[::0]", "9" * 300])
def test_a_chain_of_nothing_still_shows_x(lang, ops):
    at = opened(lang, ops=ops)
    assert "1, 2, 3; 4, 5, 6" in said(at)["x-grid"]


@every_lang
@pytest.mark.parametrize("shape", ["64", "64,1", "2,32", "1", "1,1,1,1", "2,2,2,8", "4,4,4"])
def test_every_small_shape_can_be_looked_at(lang, shape):
    for ops in (PARAMETERS["ops"].default, "[::2]", "reshape(-1)"):
        assert said(opened(lang, shape=shape, ops=ops))["x-storage"]


@pytest.mark.parametrize("shape", ["a", "0,3", "9,9", "-1", "2,2,2,2,2"])
def test_a_shape_that_is_none_is_replaced_and_said_to_be(shape):
    at = opened(shape=shape)
    assert "1, 2, 3; 4, 5, 6" in said(at)["x-grid"]
    assert "2, 3" in text(at)


def test_it_needs_no_heads():
    assert "result-grid" in said(opened(d_model=512, h=7))
