"""The lab on merging: what the forgotten transpose and the forgotten copy do to this run."""

import math
import re

import pytest

from explorer.core import Config, attend
from explorer.text import LANGS
from tests.figures import numbers
from tests.pages import broken_bold, chart, charts, markdown, open_page, text

every_lang = pytest.mark.parametrize("lang", LANGS)
INCOMPATIBLE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans "
    "across two contiguous subspaces). Use .reshape(...) instead."
)
LONG = " ".join("abcdefgh" * 8)  # sixty-four tokens


def opened(lang: str = "en", guess: str = "skip", **params: object):
    at = open_page("merging", lang, guess=f"merging:{guess}", **params)
    assert not at.exception
    assert not [message for message in markdown(at) if broken_bold(message)]
    return at


def written(at, name: str) -> list[list[str]]:
    """The texts in the cells of a grid."""
    return chart(at, name).data[0]["text"]


def table_of(at, header: str) -> list[list[str]]:
    """The rows of the Markdown table whose header holds a word, code made plain."""
    (found,) = (m.value for m in at.markdown if m.value.startswith("| ") and header in m.value)
    plain = found.replace("\xa0", " ").replace("`", "").split("\n")[2:]
    return [line.strip("| ").split(" | ") for line in plain]


@every_lang
def test_six_tokens_and_four_heads_of_eight_misplace_91_7_percent(lang):
    at = opened(lang, sentences="the cat sat on the mat", d_model=32, h=4)
    assert "91.7%" in text(at)
    assert "8.3%" in text(at)
    assert f"`{INCOMPATIBLE}`" in text(at)


@every_lang
def test_the_grids_hold_the_addresses_of_z(lang):
    """Four tokens, two heads of four: worked out by hand, row for row."""
    at = opened(lang)
    wrong = [[str(8 * t + j) for j in range(8)] for t in range(4)]
    right = [[str(16 * (j // 4) + 4 * t + j % 4) for j in range(8)] for t in range(4)]
    assert written(at, "wrong") == wrong
    assert written(at, "right") == right


def test_tokens_in_the_rows_are_those_of_the_report():
    """E10: rows 000111 / 222333 / 000111 / 222333."""
    at = opened(color="token", d_model=6, h=2)
    groups = numbers(chart(at, "wrong").data[0]["z"]).astype(int).tolist()
    assert ["".join(map(str, row)) for row in groups] == ["000111", "222333"] * 2
    right = numbers(chart(at, "right").data[0]["z"]).astype(int).tolist()
    assert ["".join(map(str, row)) for row in right] == ["000000", "111111", "222222", "333333"]


@every_lang
def test_a_row_is_named_by_whose_numbers_it_holds(lang):
    at = opened(lang, query=1)
    pieces = {"en": "`深度` head 0, `学习` head 0", "zh": "`深度` 的头 0、`学习` 的头 0"}[lang]
    assert pieces in text(at)
    trace = attend(Config())
    output = trace.z.reshape(1, 4, 8) @ trace.params.W_O
    assert f"{float((output - trace.output).abs().max()):.3g}" in text(at)


@pytest.mark.parametrize(("mask", "leaks"), [("causal", True), ("none", False)])
def test_later_tokens_are_a_leak_only_under_a_causal_mask(mask, leaks):
    """Rows 我 and 爱 hold numbers of later tokens: 0011 and 2233 beside tokens 0 and 1."""
    assert ("2 of 4 rows hold numbers of a **later** token" in text(opened(mask=mask))) == leaks


@every_lang
@pytest.mark.parametrize(
    ("params", "right"),
    [
        ({}, "few"),
        ({"sentences": "the cat sat on the mat", "d_model": 32, "h": 4}, "few"),
        ({"h": 1}, "all"),
        ({"sentences": "一"}, "all"),
        ({"sentences": "我 爱"}, "most"),
    ],
)
def test_a_guess_is_judged_by_the_share_in_place(lang, params, right):
    words = ("**Right**", "**猜对了**")
    for guess in ("all", "most", "few", "none"):
        at = opened(lang, guess, **params)
        assert any(word in text(at) for word in words) == (guess == right)


@every_lang
def test_nothing_is_told_before_the_guess(lang):
    at = opened(lang, guess="")
    assert list(charts(at)) == ["chart-z"]
    assert "75.0%" not in text(at)
    assert INCOMPATIBLE not in text(at)


@every_lang
def test_only_the_z_of_torchs_attention_on_views_needs_no_copy(lang):
    yes, no, works, error = {
        "en": ("yes", "no", "works", "error"),
        "zh": ("是", "否", "可以", "报错"),
    }[lang]
    assert table_of(opened(lang), "`.view`") == [
        ["sdpa(q, k, v)", "(32, 4, 8, 1)", yes, works],
        ["sdpa(q.contiguous(), …)", "(32, 16, 4, 1)", no, error],
        ["attn @ v", "(32, 16, 4, 1)", no, error],
    ]


def test_reshape_copies_and_its_layout_says_so():
    layouts = {row[0]: row[1:] for row in table_of(opened(), "storage")}
    assert layouts["z.transpose(1, 2)"][1] == "(32, 4, 16, 1)"
    assert layouts["z.transpose(1, 2)"][-1] == "that of z"
    assert layouts["z.transpose(1, 2).reshape(…)"][-1] == "its own"
    assert layouts["z.reshape(…)"][-1] == "that of z"
    assert "copies by itself" in text(opened())


@every_lang
@pytest.mark.parametrize("params", [{"h": 1}, {"sentences": "一"}, {"d_model": 7, "h": 7}], ids=str)
def test_no_error_is_promised_where_torch_raises_none(lang, params):
    at = opened(lang, **params)
    assert INCOMPATIBLE not in text(at)
    words = {"en": "All three work", "zh": "这次三种都可以"}[lang]
    assert words in text(at)


@every_lang
@pytest.mark.parametrize(
    "params",
    [
        {"d_model": 512, "h": 8, "sentences": LONG},
        {"d_model": 256, "h": 256, "sentences": LONG, "window": 3},
        {"d_model": 10, "h": 5, "sentences": "我爱你\nthe cat sat on the mat", "item": 1},
        {"d_model": 8, "h": 2, "d_k": 3, "query": 63},
    ],
    ids=str,
)
def test_other_sizes(lang, params):
    at = opened(lang, **params)
    T = 64 if params.get("sentences") == LONG else 6 if "sentences" in params else 4
    h = params["h"]
    share = (math.gcd(T - 1, h - 1) + 1) / (T * h)
    assert f"{1 - share:.1%}" in text(at)
    rows = written(at, "wrong")
    assert (len(rows), len(rows[0])) == (T, min(64, params.get("d_k", params["d_model"] // h) * h))


@every_lang
def test_tokens_are_shown_as_they_are(lang):
    at = opened(lang, sentences="`a` **b** <c> $d$ |", query=2)
    assert not re.search(r"<c>|\*\*b", re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text(at)))


def test_heads_that_do_not_divide_are_refused():
    at = opened(d_model=512, h=7)
    assert not charts(at)
