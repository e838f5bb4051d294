"""The lab of sizes: real models, what h costs, and 512 cut into 7."""

import re

import pytest

from explorer.experiments.models import MODELS
from explorer.text import LANGS
from tests.pages import chart, link, open_page, table_of, text, widget

every_lang = pytest.mark.parametrize("lang", LANGS)


def answer(lang: str = "en", **params: object):
    return open_page("sizes", lang, guess="sizes:skip", **params)


@every_lang
def test_every_model_lies_at_its_sizes(lang):
    found = chart(open_page("sizes", lang), "models")
    marks = found.data[-1]
    places = list(zip(marks["x"], marks["y"], strict=True))
    assert sorted(places) == sorted({(model.d_model, model.h) for model in MODELS})
    for place, hover in zip(places, marks["customdata"], strict=True):
        for model in MODELS:
            assert (model.name in hover) == ((model.d_model, model.h) == place)
    for guide in found.data[:-1]:
        d_k = int(re.search(r"\d+", guide["text"][1])[0])
        for x, y in zip(guide["x"], guide["y"], strict=True):
            assert x / y == pytest.approx(d_k)
    assert "64 × 26" in found.alt


def test_the_table_names_every_source():
    (frame,) = open_page("sizes").dataframe
    assert list(frame.value["source"]) == [model.source for model in MODELS]
    assert list(frame.value["h·d_k"]) == [model.h * model.d_k for model in MODELS]


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("BERT base", {"d_model": "768", "h": "12", "d_k": ""}),
        ("Flan-T5 small (T5 v1.1)", {"d_model": "512", "h": "6", "d_k": "64"}),
    ],
)
def test_the_sizes_of_a_model_can_be_taken_over(name, sizes):
    at = open_page("sizes", d_k=3)
    widget(at, "model").set_value(name).run()
    next(button for button in at.button if button.key == "take-over").click().run()
    assert not at.exception
    assert {size: link(at)[size] for size in sizes} == sizes


@every_lang
@pytest.mark.parametrize(("model", "width"), [("GPT-3 175B", "12,288"), ("T5 3B (v1.0)", "4,096")])
def test_a_model_past_the_limits_says_so(model, width, lang):
    at = open_page("sizes", lang, model=model)
    assert next(button for button in at.button if button.key == "take-over").disabled
    assert width in text(at)
    assert "1,024" in text(at)
    assert "1,048,576" in text(at)


@every_lang
def test_h_leaves_parameters_and_flops_and_multiplies_the_scores(lang):
    rows = table_of(answer(lang, d_model=512, h=8), "| h ")
    assert [row[0] for row in rows] == ["1", "2", "4", "8", "16", "32", "64", "128", "256", "512"]
    assert {row[2] for row in rows} == {f"{4 * 512 * 512:,}"}
    assert len({row[3] for row in rows}) == 1
    assert [int(row[4].replace(",", "")) for row in rows] == [2**i * 64 * 64 * 4 for i in range(10)]
    assert all(float(row[5]) > 0 for row in rows)


@every_lang
def test_what_torch_says_to_512_in_7_is_on_the_page(lang):
    said = text(answer(lang))
    for words in (
        "shape '[1, 3, 7, 73]' is invalid for input of size 1536",
        "embed_dim must be divisible by num_heads",
        "74 + 74 + 74 + 74 + 74 + 74 + 68",
        "73.14",
    ):
        assert words in said
    assert "64 + 64 + 64" in text(answer(lang, parts=8))


@every_lang
def test_an_unknown_model_is_the_first(lang):
    at = open_page("sizes", lang, model="<b>no such</b>")
    assert not at.exception
    assert widget(at, "model").value == MODELS[0].name
