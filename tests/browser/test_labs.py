"""Every lab with its answer, once through the browser: drawn, worded, open to all, restored."""

import pytest
from playwright.sync_api import Page, expect

from explorer.labs import LABS
from explorer.page import Page as Lab

from .looks import TALL, axe, charts, inks, language, wording
from .reader import copied, differences, idle, none_of, open_page, view

HALVES = pytest.mark.parametrize("labs", [LABS[:5], LABS[5:]], ids=["first", "second"])


def _answers(page: Page, labs: tuple[Lab, ...], lang: str):
    """Labs in turn: the first by its link, each next by Page Down, answered by a click."""
    open_page(page, labs[0].slug, lang)
    for lab in labs:
        if lab is not labs[0]:
            page.keyboard.press("PageDown")
        expect(page.locator("[data-testid=stMain] h2")).to_have_text(lab.title(lang))
        idle(page)
        page.locator(".st-key-skip button").click()
        expect(page.locator(".st-key-skip")).to_have_count(0)
        idle(page)
        yield lab


@HALVES
def test_every_lab_is_drawn_and_restored_by_a_copied_link(new_page, labs):
    page, other, problems = new_page(size=TALL), new_page(locale="zh-CN", size=TALL), []
    for lab in _answers(page, labs, "en"):
        found = language(page, "en") + wording(page) + inks(page) + charts(page)
        problems += [(lab.slug, each) for each in found]
        for rules in ("structure", "contrast"):
            problems += [(f"{lab.slug} {html}", each) for each, html in axe(page, rules)]
        shown = view(page)
        other.goto(copied(page))
        idle(other)
        problems += [(f"{lab.slug} copied", each) for each in differences(other, shown)]
    none_of(problems)


@HALVES
def test_every_lab_in_chinese_on_a_dark_page(new_page, labs):
    page, problems = new_page(size=TALL, scheme="dark"), []
    for lab in _answers(page, labs, "zh"):
        found = language(page, "zh") + wording(page) + inks(page)
        problems += [(lab.slug, each) for each in found]
        problems += [(f"{lab.slug} {html}", each) for each, html in axe(page, "contrast")]
    none_of(problems)
