"""Every step in both languages, light and dark: drawn, worded, and open to everyone."""

import pytest

from explorer.text import LANGS

from .looks import PAPER, TALL, axe, charts, inks, language, wording
from .reader import idle, none_of, open_page, walk

# Both languages, both schemes, both tabs. Colours are looked at once in each scheme, which is what
# takes axe most of its time: they are the same in both languages.
WALKS = pytest.mark.parametrize(
    ("lang", "scheme", "tab", "rules"),
    [
        ("zh", "light", "code", ("structure", "contrast")),
        ("en", "light", "numbers", ("structure",)),
        ("en", "dark", "code", ("contrast",)),
    ],
)
# Links that are answered with words: what was wrong, and how to go on.
ANSWERED = {
    "refused": ("scores", {"d_model": 512, "h": 7}),
    "empty": ("tokens", {"sentences": " "}),
    "all wrong": (
        "nowhere",
        {"d_model": "abc", "h": "1e400", "mask": "?", "device": "cuda", "sentences": "好 " * 300},
    ),
}


@WALKS
def test_every_step_is_drawn_and_worded(new_page, lang, scheme, tab, rules):
    page, problems = new_page(size=TALL, scheme=scheme), []
    for step in walk(page, lang, tab=tab):
        heading = page.locator("[data-testid=stMain] h2").all_inner_texts()
        found = [f"the heading is {heading}"] if heading != [step.title(lang)] else []
        found += language(page, lang) + wording(page) + inks(page)
        found += charts(page) if scheme == "light" else []
        problems += [(step.slug, each) for each in found]
        for rule in rules:
            problems += [(f"{step.slug} {html}", each) for each, html in axe(page, rule)]
    none_of(problems)


@pytest.mark.parametrize("lang", LANGS)
def test_answers_to_bad_links_are_open_to_everyone(new_page, lang):
    page, problems = new_page(size=TALL), []
    for name, (slug, params) in ANSWERED.items():
        page.emulate_media(color_scheme="light")
        open_page(page, slug, lang, **params)
        problems += [(name, each) for each in language(page, lang)]
        for scheme, rules in (("light", ("structure", "contrast")), ("dark", ("contrast",))):
            paper = page.evaluate(PAPER)
            page.emulate_media(color_scheme=scheme)
            if scheme == "dark":
                page.wait_for_function(f"paper => ({PAPER})() !== paper", arg=paper)
                idle(page)
            place = f"{name}, {scheme}:"
            problems += [(place, each) for each in inks(page)]
            for rule in rules:
                problems += [(f"{place} {html}", each) for each, html in axe(page, rule)]
    none_of(problems)
