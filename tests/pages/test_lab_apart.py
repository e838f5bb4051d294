"""The lab of d_k apart: the shape of W_O, and sizes that only a d_k of its own allows."""

import pytest

from explorer.core import Config, attend
from explorer.experiments.models import MODELS
from explorer.text import LANGS
from tests.pages import chart, link, open_page, table_of, text

every_lang = pytest.mark.parametrize("lang", LANGS)


def answer(lang: str = "en", guess: str = "skip", **params: object):
    return open_page("apart", lang, guess=f"apart:{guess}", **params)


def button(at, key: str):
    return next(button for button in at.button if button.key == key)


@every_lang
@pytest.mark.parametrize(
    ("params", "shape"),
    [
        ({"d_k": 16}, "32, 8"),
        ({}, "16, 8"),
        ({"d_model": 512, "h": 7}, "511, 512"),
        ({"d_model": 10, "h": 5, "d_k": 3}, "15, 10"),
        ({"d_model": 512, "h": 6, "d_k": 64}, "384, 512"),
        ({"d_model": 1024, "h": 1}, "512, 1024"),
    ],
)
def test_w_o_leads_from_h_d_k_back_to_d_model(params, shape, lang):
    right, wrong = {"en": ("**Right**", "You said"), "zh": ("**猜对了**", "你猜的是")}[lang]
    at = answer(lang, shape, **params)
    assert not at.exception
    assert right in text(at)
    assert f"`({shape})`" in text(at)
    other = answer(lang, ", ".join(reversed(shape.split(", "))), **params)
    assert wrong in text(other)
    assert f"`({shape})`" in text(other)
    assert right not in text(open_page("apart", lang, **params))


@every_lang
@pytest.mark.parametrize(("d_model", "h", "d_k"), [(512, 7, 73), (8, 2, 5), (7, 3, 4)])
def test_shapes_weights_and_divisor_are_those_of_the_run(d_model, h, d_k, lang):
    run = attend(Config(d_model=d_model, h=h, d_k=d_k))
    at = answer(lang, d_model=d_model, h=h, d_k=d_k)
    said = text(at).replace("\N{NO-BREAK SPACE}", " ")
    for name in ("x", "q", "q_heads", "scores", "z", "concat", "output"):
        assert f"`{name}`{tuple(getattr(run, name).shape)}" in said
    assert f"**{4 * d_model * h * d_k:,}**" in said
    assert f"**{d_k**0.5:.4g}** = √d_k" in said
    assert str(h * d_k) in chart(at, "weights").alt
    assert run.output.shape == run.x.shape


def test_the_bias_is_counted_too():
    assert "= 38 more" in text(answer(d_k=5, bias="true"))  # 3·2·5 + 8
    assert " more." not in text(answer(d_k=5))


@every_lang
def test_torch_is_asked_and_says_no(lang):
    said = answer(lang, d_k=8).code[0].value
    assert "unexpected keyword argument 'head_dim'" in said
    assert "size of tensor a (24) must match the size of tensor b (48)" in said
    said = answer(lang, d_model=512, h=7, d_k=73).code[0].value
    assert "embed_dim must be divisible by num_heads" in said


def test_without_a_d_k_one_is_proposed_and_every_button_sets_one():
    at = open_page("apart")
    assert "d_k = 8" in at.caption[0].value
    assert [b.label for b in at.button if (b.key or "").startswith("apart-")] == [
        "d_k = 2",
        "d_k = 4 (d_model / h)",
        "d_k = 8",
    ]
    button(at, "apart-4").click().run()
    assert link(at)["d_k"] == "4"
    assert "d_model = 8, h = 2, d_k = 4" in text(at)
    button(at, "apart-2").click().run()
    assert link(at)["d_k"] == "2"


@every_lang
def test_heads_that_do_not_divide_d_model_are_no_refusal_here(lang):
    at = answer(lang, d_model=512, h=7)
    assert not at.error
    assert not at.warning
    assert "73.14" in at.caption[0].value


@every_lang
@pytest.mark.parametrize(
    ("params", "d_k"),
    [({"d_k": 1024, "h": 64}, 64), ({"h": 1024, "d_model": 8}, 2), ({"d_k": 1024, "h": 1024}, 4)],
)
def test_a_width_past_the_limit_is_looked_at_as_far_as_it_goes(params, d_k, lang):
    at = answer(lang, **params)
    assert not at.exception
    assert bool(at.warning) == ("d_k" in params)
    assert f"`q_heads`(1,\xa0{params['h']},\xa04,\xa0{d_k})" in text(at)


def test_scores_past_the_limit_are_those_of_one_token():
    at = answer(sentences="注意力机制" * 13, tokenizer="char", h=1024, d_model=1024)
    assert not at.exception
    assert "`scores`(1,\xa01024,\xa01,\xa01)" in text(at)


@every_lang
def test_the_models_that_do_it_are_listed(lang):
    rows = table_of(answer(lang), "| model" if lang == "en" else "| 模型")
    apart = [m for m in MODELS if m.h * m.d_k != m.d_model]
    assert [row[0] for row in rows] == [model.name for model in apart]
    by_name = {row[0]: row[1:] for row in rows}
    assert by_name["T5 3B (v1.0)"] == ["1,024 → 4,096", "32 × 128"]
    assert by_name["Flan-T5 small (T5 v1.1)"] == ["512 → 384", "6 × 64"]
