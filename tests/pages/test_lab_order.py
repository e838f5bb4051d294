"""The lab on order: two texts of the same tokens, and what one layer makes of each."""

import re
from functools import cache

import numpy as np
import pytest

from explorer.core import Config, attend
from explorer.core.tokens import token_id
from explorer.labs.order import ALIGNED, EMPTY, LONG, UNMOVED
from explorer.text import LANGS
from tests.pages import chart, charts, heatmaps, link, open_page, text, widget

every_lang = pytest.mark.parametrize("lang", LANGS)
SIZES = {
    "default": {},
    "large": {"d_model": 512, "h": 8},
    "odd": {"d_model": 7, "h": 7},
    "five heads": {"d_model": 10, "h": 5, "bias": "true", "scale_embedding": "true"},
    "one feature": {"d_model": 1, "h": 1},
    "one token": {"sentences": "我"},
    "sixty-four tokens": {"sentences": "a " * 64},
}


@cache
def opened(lang: str = "en", guess: str = "skip", **params: object):
    at = open_page("order", lang, guess=f"order:{guess}", **params)
    assert not at.exception
    return at


def outputs(first: str, second: str, positions: bool, mask: str, **params: object):
    """The outputs of both texts, character by character, by `attend`."""
    fields = {name: params[name] for name in ("d_model", "h") if name in params}
    flags = {name: name in params for name in ("bias", "scale_embedding")}
    return (
        attend(
            Config(
                sentences=(sentence,),
                tokenizer="char",
                positions=positions,
                mask=mask,
                **fields,
                **flags,
            )
        ).output[0]
        for sentence in (first, second)
    )


def differences(at) -> np.ndarray:
    """The differences written into the picture, one row a token, one column a setting."""
    cells = chart(at, "aligned").data[0]["text"]
    return np.array([[float(cell.split()[1]) for cell in row] for row in cells])


@every_lang
@pytest.mark.parametrize("name", SIZES)
def test_the_differences_are_those_of_whole_runs(name, lang):
    """facts.md: around 1e-6 with nothing added; with positions 1e-2 and more; with a mask too."""
    at = opened(lang, **SIZES[name])
    found, order = differences(at), [2, 1, 0]
    settings = [(False, "none"), (True, "none"), (False, "causal"), (True, "causal")]
    for column, (positions, mask) in enumerate(settings):
        x, px = outputs("我爱你", "你爱我", positions, mask, **SIZES[name])
        expected = (px - x[order]).abs().amax(-1)
        if column == 0:
            assert found[:, 0].max() <= 2e-6
        else:
            np.testing.assert_allclose(found[:, column], expected, rtol=0.06)
            assert found[:, column].max() > 1e-3
    assert found[:, 4].max() <= 2e-6, "E04: along the batch, every token gets position 0"
    marks = [[cell[0] for cell in row] for row in chart(at, "aligned").data[0]["text"]]
    assert marks == [["=", "≠", "≠", "≠", "="]] * 3
    said = text(at)
    for largest in found[:, 1:3].max(0):
        assert f"{largest:.2g}" in said


@every_lang
def test_the_outputs_are_the_same_rows_in_another_order(lang):
    at = opened(lang)
    before, after = (heatmaps(chart(at, f"output-{side}"))[0].values for side in "ab")
    x, px = outputs("我爱你", "你爱我", False, "none")
    np.testing.assert_allclose(before, x[:, :6], atol=1e-6)
    np.testing.assert_allclose(after, px[:, :6], atol=1e-6)
    np.testing.assert_allclose(after, before[::-1], atol=1e-6)
    in_place = float((px - x).abs().max())
    assert f"{in_place:.2g}" in text(at)


@every_lang
def test_the_two_texts_are_shown_with_ids_and_where_each_token_went(lang):
    rows = chart(opened(lang, first="abca", second="cbaa"), "texts").data[0]["text"]
    ids = {token: token_id(token) for token in "abc"}
    assert rows == [
        [f"a · {ids['a']} · → 2", f"c · {ids['c']} · → 2"],
        [f"b · {ids['b']} · → 1", f"b · {ids['b']} · → 1"],
        [f"c · {ids['c']} · → 0", f"a · {ids['a']} · → 0"],
        [f"a · {ids['a']} · → 3", f"a · {ids['a']} · → 3"],
    ]


@every_lang
def test_angles_and_lengths_are_those_of_this_runs_embeddings(lang):
    at = opened(lang, d_model=512, h=8)
    for side, scaled in (("a", False), ("b", True)):
        config = Config(sentences=("我爱你",), tokenizer="char", d_model=512, h=8)
        run = attend(Config(**{**vars(config), "scale_embedding": scaled}))
        e, x = run.embedding[0].double(), run.x[0].double()
        cosine = (e * x).sum(-1) / e.norm(dim=-1) / x.norm(dim=-1)
        for row, *expected in zip(
            chart(at, f"cost-{side}").data[0]["text"],
            e.norm(dim=-1).tolist(),
            x.norm(dim=-1).tolist(),
            cosine.arccos().rad2deg().tolist(),
            strict=True,
        ):
            found = [float(re.match(r"[\d.]+", cell)[0]) for cell in row]
            np.testing.assert_allclose(found, expected, rtol=6e-3, atol=0.06)
            assert row[2].endswith("✓"), "in 512 dimensions x is still nearest to its embedding"
    (line,) = (line for line in text(at).split("\n") if "10,000" in line and "√d_model" in line)
    assert "22.6" in line
    assert re.findall(r"\*\*(\d)\b", line) == ["3", "3"]


@every_lang
@pytest.mark.parametrize(
    ("params", "said", "offered"),
    [
        ({"second": "我爱她"}, ["`你`", "`她`"], ("我爱你", "你爱我")),
        ({"first": "aab", "second": "abb"}, ["`a`", "`b`"], ("aab", "baa")),
        ({"first": "", "second": "x"}, [EMPTY], ("我爱你", "你爱我")),
        ({"first": " ", "second": ""}, [EMPTY], ("我爱你", "你爱我")),
        (
            {"first": "abcdefghijklmn", "second": "abcdefghijklmn"},
            [LONG],
            ("abcdefghijkl", "lkjihgfedcba"),
        ),
        ({"second": "我爱你" * 9}, [LONG], ("我爱你", "你爱我")),
        (
            {"first": "the cat", "second": "the dog", "cut": "word"},
            ["`cat`", "`dog`"],
            ("the cat", "cat the"),
        ),
        ({"first": "`**$x$**`", "second": "<b>"}, ["`` ` ``"], ("`**$x$**`", "`**$x$**`"[::-1])),
    ],
)
def test_texts_that_cannot_be_compared_get_a_sentence_and_the_nearest_that_can(
    params, said, offered, lang
):
    at = open_page("order", lang, guess="order:skip", **params)
    (warning,) = at.warning
    first, second = (params.get(name, "我爱你") for name in ("first", "second"))
    words = {"most": 12, "n": len(first), "m": len(second)}
    for part in said:
        assert (part if isinstance(part, str) else part(lang, **words)) in warning.value
    assert not charts(at)
    (button,) = (b for b in at.button if "`" in b.label)
    button.click().run()
    assert not at.exception
    assert not at.warning
    assert (link(at)["first"], link(at)["second"]) == offered
    assert chart(at, "aligned")


@every_lang
def test_texts_in_which_nothing_moved_are_said_to_be(lang):
    said = text(opened(lang, second="我爱你"))
    assert UNMOVED(lang) in said
    assert UNMOVED(lang) not in text(opened(lang))
    assert not differences(opened(lang, second="我爱你")).any()


@every_lang
def test_as_words_the_default_is_one_token_and_no_permutation(lang):
    at = opened(lang, cut="word")
    assert "`我爱你`" in at.warning[0].value


@every_lang
def test_the_guess_is_judged_by_the_run(lang):
    right, wrong = {
        "en": ("**Right**", "**What happens here**"),
        "zh": ("**猜对了**", "**实际上**"),
    }[lang]
    assert right in text(opened(lang, "same"))
    for guess in ("other", "error"):
        assert wrong in text(opened(lang, guess))


@every_lang
@pytest.mark.parametrize("guess", ["", "slicing:skip", "order:", "order:no"])
def test_without_a_guess_there_are_the_texts_and_no_answer(guess, lang):
    at = open_page("order", lang, guess=guess)
    assert not at.exception
    assert list(charts(at)) == ["chart-texts"]
    assert ALIGNED(lang) not in text(at)


@every_lang
def test_typing_another_text_compares_it(lang):
    at = open_page("order", lang, guess="order:skip")
    widget(at, "second").set_value("爱你我").run()
    assert link(at)["second"] == "爱你我"
    assert [row[1].split()[0] for row in chart(at, "texts").data[0]["text"]] == ["爱", "你", "我"]


@pytest.mark.parametrize("cut", ["garbage", ""])
def test_a_garbled_way_of_cutting_is_said_and_the_default_taken(cut):
    at = opened(cut=cut)
    assert "`cut`" in text(at)
    assert len(differences(at)) == 3
