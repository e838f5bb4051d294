"""The page turns by key wherever the reader clicked, by Back and Forward, by the keyboard alone."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from .reader import SLUGS, changed, choose, control, idle, none_of, open_page, slug_of, turned

LANG = "en"


def _in_main(selector: str) -> Callable[[Page], None]:
    return lambda page: page.locator(f"[data-testid=stMain] {selector}").first.click()


def _margin(page: Page) -> None:
    page.get_by_test_id("stMain").click(position={"x": 9, "y": 400})


def _step(page: Page) -> None:
    after = SLUGS.index(slug_of(page)) + 1
    control(page, "page").get_by_role("radio").nth(after).click()
    assert turned(page, SLUGS[after], LANG)


def _tab(page: Page) -> None:
    control(page, "tab").get_by_role("radio").nth(1).click()
    expect(page.get_by_test_id("stDownloadButton").first).to_be_visible()
    idle(page)


def _table(page: Page) -> None:
    _tab(page)
    page.get_by_test_id("stDataFrame").last.click()


def _toggle(page: Page) -> None:
    before = page.url
    control(page, "scale_embedding").locator("label").click()
    changed(page, before)


def _tokenizer(page: Page) -> None:
    before = page.url
    control(page, "tokenizer").locator("[aria-checked=false]").click()
    changed(page, before)


def _summary(page: Page) -> None:
    summary = page.get_by_test_id("stSidebar").locator("summary")
    summary.click()
    expect(control(page, "seed").locator("input")).to_be_visible()


# What is clicked, and whether the arrows turn the page from there too: they do not where they
# move a cursor or the choice.
CLICKED: dict[str, tuple[Callable[[Page], None], bool | None]] = {
    "the page": (_margin, True),
    "the heading": (_in_main("h2"), True),
    "a chart": (_in_main("[data-testid=stPlotlyChart]"), True),
    "the copy button": (_in_main(".st-key-browser .copy"), True),
    "More settings": (_summary, True),
    "a toggle": (_toggle, True),
    "a step": (_step, False),
    "a tab": (_tab, False),
    "a focus select box": (lambda page: choose(page, "query", 1), False),
    "a size": (lambda page: control(page, "d_model").locator("input").click(), False),
    "the sentences": (lambda page: control(page, "sentences").locator("textarea").click(), False),
    "the seed": (lambda page: control(page, "seed").locator("input").click(), False),
    "a choice in the sidebar": (_tokenizer, False),
    "a table": (_table, None),
}


def test_keys_turn_the_page_after_clicking_anywhere(new_page):
    page, problems = new_page(), []
    open_page(page, "scores", LANG)
    for name, (click, arrows) in CLICKED.items():
        click(page)
        here = SLUGS.index(slug_of(page))
        if arrows is False:
            page.keyboard.press("ArrowRight")
            idle(page)
            if slug_of(page) != SLUGS[here]:
                problems.append((name, "ArrowRight turns the page, but here it means something"))
                _go(page, SLUGS[here])
                click(page)
        problems += _press(page, name, "PageDown", here + 1)
        if name in ("a chart", "the page", "the heading", "a toggle"):
            click(page)  # that on the page before is gone
        problems += _press(page, name, "ArrowLeft" if arrows else "PageUp", here)
    none_of(problems)


def _press(page: Page, clicked: str, key: str, to: int) -> list[tuple[str, str]]:
    page.keyboard.press(key)
    if turned(page, SLUGS[to], LANG):
        return []
    owner = page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
    problem = f"{key} leads to {slug_of(page)}, not {SLUGS[to]}; the focus is in {owner}"
    _go(page, SLUGS[to])
    return [(clicked, problem)]


def _go(page: Page, slug: str) -> None:
    """The page that should be there, everything else as it is."""
    page.goto(re.sub(r"\bpage=\w+", f"page={slug}", page.url))
    idle(page)


def test_two_quick_presses_turn_two_pages(new_page):
    page, problems = new_page(), []
    open_page(page, "tokens", LANG)
    for key, to in (("PageDown", "position"), ("ArrowLeft", "tokens")):
        page.keyboard.press(key)
        page.keyboard.press(key)
        if not turned(page, to, LANG):
            problems.append((f"twice {key}", f"leads to {slug_of(page)}, not {to}"))
            open_page(page, to, LANG)
    none_of(problems)


def test_a_double_click_turns_two_pages(new_page):
    page, problems = new_page(), []
    open_page(page, "tokens", LANG)
    for name, to in (("next", "position"), ("previous", "tokens")):
        page.locator(f".st-key-{name} button").first.dblclick()
        if not turned(page, to, LANG):
            problems.append((f"double click on {name}", f"leads to {slug_of(page)}, not {to}"))
            open_page(page, to, LANG)
    none_of(problems)


COUNT = """() => {
    window.clicks = 0
    document.addEventListener("click", event => {
        if (event.target.closest(".st-key-next, .st-key-previous")) window.clicks++
    }, true)
}"""


def test_a_key_turns_once_however_often_the_page_was_turned(new_page):
    page, clicks = new_page(), []
    open_page(page, "scores", LANG)
    page.evaluate(COUNT)
    for key, to in [("PageDown", "mask"), ("PageUp", "scores"), ("PageDown", "mask")]:
        page.keyboard.press(key)
        assert turned(page, to, LANG)
        clicks.append(page.evaluate("window.clicks"))
    assert clicks == [1, 2, 3], f"after one press, two and three: {clicks} clicks"


def test_a_page_that_is_turned_begins_at_its_top(new_page):
    page = new_page()
    open_page(page, "scores", "en")
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 900)")
    assert page.evaluate(scrolled) > 0
    page.keyboard.press("PageDown")
    assert turned(page, "mask", "en")
    assert page.evaluate(scrolled) == 0


def test_typed_text_is_not_lost_by_turning_the_page(new_page):
    page = new_page()
    open_page(page, "scores", LANG)
    field = control(page, "sentences").locator("textarea")
    field.fill("one two three four five")
    page.keyboard.press("PageDown")
    assert turned(page, "mask", LANG)
    expect(field).to_have_value("one two three four five")


def test_back_and_forward(new_page):
    page, problems = new_page(), []
    open_page(page, "shapes", LANG)
    page.keyboard.press("PageUp")  # there is none before the first
    for slug in ("tokens", "embedding"):
        page.keyboard.press("PageDown")
        assert turned(page, slug, LANG)
    choose(page, "query", 1)
    trail = [("shapes", "3"), ("tokens", "3"), ("embedding", "3"), ("embedding", "1")]
    for move, places in ((page.go_back, trail[-2::-1]), (page.go_forward, trail[1:])):
        for slug, query in places:
            move()
            if not turned(page, slug, LANG):
                problems.append((move.__name__, f"shows {slug_of(page)}, not {slug}"))
                continue
            field = control(page, "query").get_by_role("combobox")
            try:
                expect(field).to_have_value(re.compile(rf"^{query} ·"))
            except AssertionError:
                problems.append((move.__name__, f"{slug}: {field.input_value()}, not {query}"))
    none_of(problems)


# What has the focus: the control by its key, or what it is.
FOCUSED = """() => {
    const focused = document.activeElement
    if (focused.tagName === "SUMMARY") return "summary"
    if (focused.ariaLabel?.startsWith("Help")) return "help"
    const keyed = focused.closest("[class*=st-key-]")
    return keyed?.className.match(/st-key-([a-z_]+)/)[1] ?? focused.tagName.toLowerCase()
}"""
REACHED = {
    *("lang", "sentences", "act", "tokenizer", "d_model", "h", "device", "summary"),
    *("browser", "next", "page", "head", "query", "key", "tab"),
}


def test_the_keyboard_alone_is_enough(new_page):
    page = new_page()
    open_page(page, "shapes", LANG)
    seen = set(_tab_to(page, "d_model"))
    page.keyboard.press("Control+A")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    ledger = page.locator(".st-key-header")
    expect(ledger).to_contain_text("d_model 12")
    expect(ledger).to_contain_text("d_k 6")
    idle(page)
    assert "d_model=12" in page.url
    seen |= set(_tab_to(page, "page"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert turned(page, "tokens", LANG)
    expect(ledger).to_contain_text("d_model 12")
    seen |= set(_tab_to(page, "tab"))
    assert seen >= REACHED, f"Tab does not reach {REACHED - seen}"


def _tab_to(page: Page, name: str) -> list[str]:
    """Press Tab until a control has the focus; all that had it on the way."""
    seen = []
    while name not in seen and len(seen) < 120:
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
    assert name in seen, f"Tab does not reach {name}: {seen}"
    return seen
