"""A link, reloaded or copied to another browser, shows the same view with the same numbers."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from .reader import (
    SLUGS,
    choose,
    control,
    copied,
    differences,
    idle,
    link,
    none_of,
    open_page,
    turned,
    view,
)

LOCALES = {"en": "zh-CN", "zh": "en-US"}  # the reader of the link is one of the other language
STATE = {
    "sentences": "I love you\n我爱你",
    "tokenizer": "char",
    "d_model": "16",
    "h": "4",
    "item": "1",
    "head": "2",
    "query": "2",
    "key": "0",
}
FURTHER = {"seed": "7", "bias": "true", "mask": "none", "tab": "numbers", "color": "token"}
HALVES = [("en", SLUGS[:6]), ("zh", SLUGS[6:])]


@pytest.mark.parametrize(("lang", "slugs"), HALVES, ids=["en", "zh"])
def test_reloaded_and_copied_links_show_the_same(new_page, lang, slugs):
    page, other = new_page(), new_page(locale=LOCALES[lang])
    problems = []
    open_page(page, slugs[0], lang, **STATE, **FURTHER)
    for slug in slugs:
        if slug != slugs[0]:
            page.keyboard.press("PageDown")
            assert turned(page, slug, lang)
        shown = view(page)
        page.reload()
        idle(page)
        problems += [(f"{slug} reloaded", each) for each in differences(page, shown)]
        shown = view(page)
        other.goto(copied(page))
        idle(other)
        problems += [(f"{slug} copied", each) for each in differences(other, shown)]
    none_of(problems)


def test_what_was_set_by_hand_is_in_the_link(new_page):
    page = new_page()
    open_page(page, "scores", "en")
    field = control(page, "sentences").locator("textarea")
    field.fill(STATE["sentences"])
    field.press("Control+Enter")
    expect(page.locator(".st-key-header")).to_contain_text("B 2")
    control(page, "tokenizer").get_by_role("radio").nth(1).click()
    for name in ("d_model", "h"):
        box = control(page, name).get_by_role("combobox")
        box.fill(STATE[name])
        box.press("Enter")
        expect(page.locator(".st-key-header")).to_contain_text(f"{name} {STATE[name]}")
    idle(page)
    for name in ("item", "head", "query", "key"):
        choose(page, name, int(STATE[name]))
        expect(page).to_have_url(re.compile(f"[?&]{name}={STATE[name]}(&|$)"))
    address = copied(page)
    parameters = _parameters(address)
    assert {name: parameters[name] for name in STATE} == STATE
    assert (parameters["page"], parameters["lang"]) == ("scores", "en")
    shown = view(page)
    other = new_page(fresh=True, locale="zh-CN")
    other.goto(address)
    idle(other)
    none_of([("copied", each) for each in differences(other, shown)])


def test_the_bare_address_speaks_the_readers_language(new_page):
    for locale, lang in (("zh-CN", "zh-CN"), ("en-US", "en")):
        page = new_page(locale=locale)
        page.goto("/")
        idle(page)
        assert page.locator("html").get_attribute("lang") == lang


def test_a_change_of_language_keeps_page_focus_and_numbers(new_page):
    page = new_page()
    open_page(page, "softmax", "en", **STATE)
    here = _kept(page)
    control(page, "lang").get_by_role("radio").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    assert turned(page, "softmax", "zh")
    assert _kept(page) == here
    assert _parameters(page.url) == _parameters(link("softmax", "zh", **STATE))


def _kept(page: Page) -> dict[str, object]:
    names = ("item", "head", "query", "key")
    fields = (control(page, name).get_by_role("combobox") for name in names)
    return {
        "focus": [field.input_value() for field in fields],
        "numbers": [[trace[1] for trace in chart] for chart in view(page)["charts"]],
        "ledger": page.locator(".st-key-header").inner_text().split("\n")[0],
    }


def _parameters(address: str) -> dict[str, str]:
    query = parse_qs(urlsplit(address).query, keep_blank_values=True)
    return {name: "\n".join(values) for name, values in query.items()}
