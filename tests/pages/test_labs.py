"""Every lab in both languages and at all sizes: it asks, it answers, and it leads back."""

import re
from importlib import import_module

import plotly.graph_objects as go
import pytest

from explorer import question
from explorer.frame import LABS as LABS_WORDS
from explorer.labs import LABS
from explorer.steps import STEPS
from explorer.text import LANGS
from tests.pages import act, actions, broken_bold, charts, link, markdown, open_page, text, widget

every_lang = pytest.mark.parametrize("lang", LANGS)
every_lab = pytest.mark.parametrize("page", LABS, ids=lambda page: page.slug)
QUESTIONS = {page.slug: import_module(page.view.__module__).QUESTION for page in LABS}
LONG = "注意力机制" * 13  # 65 characters, of which 64 are kept
SIZES = {
    "default": {},
    "wide": {"d_model": 512, "h": 8},
    "one token": {"sentences": "我"},
    "64 tokens": {"sentences": LONG, "tokenizer": "char", "d_model": 64, "h": 8},
    "64 tokens, wide": {"sentences": LONG, "tokenizer": "char", "d_model": 512, "h": 16},
    "odd": {"d_model": 7, "h": 7},
    "odd heads": {"d_model": 45, "h": 5, "mask": "none"},
    "one head": {"h": 1},
    "d_model 1": {"d_model": 1, "h": 1},
    "d_k apart": {"d_k": 5, "bias": "true"},
    "two sentences": {"sentences": "我爱你\nthe cat sat on the mat", "item": 1},
    "indivisible": {"d_model": 512, "h": 7},
}


def skipped(page) -> dict[str, str]:
    return {"guess": f"{page.slug}:{question.SKIP}"}


def assert_all_is_drawn(at) -> None:
    assert not at.exception
    for found in charts(at).values():
        assert go.Figure({"data": found.data, "layout": found.layout}).data, found.key
        assert re.search(r"\d", found.alt), found.alt
        assert not re.search(r"[*`<>]|None|\bnan\b", found.alt), found.alt
    assert not [place for message in markdown(at) for place in broken_bold(message)]


@every_lang
@every_lab
def test_a_lab_asks_before_it_answers(page, lang):
    """An English sentence: what is Chinese on the page is the page's own."""
    english = {"sentences": "the cat sat", "first": "a b c", "second": "c b a"}
    asking = open_page(page.slug, lang, **english)
    telling = open_page(page.slug, lang, **english, **skipped(page))
    for at in (asking, telling):
        assert_all_is_drawn(at)
        alts = [found.alt for found in charts(at).values()]
        assert alts
        assert all(bool(re.search(r"[\u3400-\u9fff]", alt)) == (lang == "zh") for alt in alts)
        assert [header.value for header in at.header] == [page.title(lang)]
        assert page.body(lang) in text(at)
    assert question.SHOW(lang) in text(asking)
    assert question.SHOW(lang) not in text(telling)
    assert len(text(telling)) > len(text(asking)) + 100


@every_lab
def test_a_guess_is_taken_and_judged(page):
    asked = QUESTIONS[page.slug]
    for answer in asked.answers or ("3, 1, 4", "error"):
        for lang in LANGS:
            at = open_page(page.slug, lang, guess=f"{page.slug}:{answer}")
            assert not at.exception
            judged = re.escape(question.RIGHT(lang, right="\0")).replace("\0", ".+")
            said = re.escape(question.WRONG(lang, guess="\0", right="\1"))
            said = said.replace("\0", ".+").replace("\1", ".+")
            assert bool(re.search(judged, text(at))) != bool(re.search(said, text(at)))


@every_lab
def test_exactly_one_of_the_answers_is_right(page):
    asked = QUESTIONS[page.slug]
    right = question.RIGHT("en", right="\0").split("\0")[0]
    verdicts = [
        right in text(open_page(page.slug, guess=f"{page.slug}:{answer}"))
        for answer in asked.answers
    ]
    assert sum(verdicts) == bool(asked.answers)


@every_lab
def test_a_guess_by_hand_is_in_the_link_and_a_foreign_one_is_not_taken(page):
    at = open_page(page.slug, guess="somewhere:else")
    assert question.SHOW("en") in text(at)
    asked = QUESTIONS[page.slug]
    if asked.answers:
        answer = next(iter(asked.answers))
        widget(at, "guess").set_value(answer).run()
    else:
        answer = "4, 2"
        widget(at, "guess").set_value(answer).run()
    assert not at.exception
    assert link(at)["guess"] == f"{page.slug}:{answer}"
    assert question.SHOW("en") not in text(at)


@every_lab
@pytest.mark.parametrize("case", SIZES.values(), ids=SIZES)
def test_a_lab_answers_at_every_size(page, case):
    at = open_page(page.slug, "en", **case, **skipped(page))
    assert_all_is_drawn(at)
    refused = bool(at.error)
    assert refused == (page.needs_heads and case.get("h") == 7 and case["d_model"] == 512)
    assert refused or charts(at)


@every_lab
def test_a_lab_leads_back_to_its_steps_and_they_lead_to_it(page):
    at = open_page(page.slug)
    for slug in page.steps:
        step = next(step for step in STEPS if step.slug == slug)
        assert step.label("en") in actions(at, "related")
        there = open_page(slug)
        assert LABS_WORDS("en") in text(there)
        act(there, "related", page.slug)
        assert [header.value for header in there.header] == [page.title("en")]
    others = next(button for button in at.button if button.key == "others")
    others.click().run()
    first = next(step for step in STEPS if step.slug in page.steps)
    assert [header.value for header in at.header] == [first.title("en")]


def test_the_labs_can_be_reached_from_every_step():
    for step in STEPS:
        at = open_page(step.slug)
        next(button for button in at.button if button.key == "others").click().run()
        (title,) = (header.value for header in at.header)
        assert title in [lab.title("en") for lab in LABS]
