"""What a reader does at the page, and what they see: opening, turning, choosing, looking."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from explorer.steps import STEPS

SLUGS = tuple(step.slug for step in STEPS)
SHOWN = 14  # places of one problem
TURN = 20_000  # milliseconds after which a page that has not turned will not turn

# Everything is drawn and nothing has moved between two looks.
IDLE = """() => {
    const rested = "[data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
    const waiting = "[data-testid=stSkeleton], [data-testid=stAppSkeleton], [data-stale=true]"
    if (!document.querySelector(`.stApp${rested}`) || document.querySelector(waiting)) return false
    const own = [...document.querySelectorAll(".st-key-browser *")]
    const buttons = own.map(each => each.shadowRoot?.querySelector("button") ?? each)
    if (!buttons.some(each => each.tagName === "BUTTON" && each.textContent)) return false
    const charts = [...document.querySelectorAll("[data-testid=stPlotlyChart]")]
    if (charts.some(chart => !chart.querySelector(".main-svg"))) return false
    const main = document.querySelector("[data-testid=stMain]")
    const look = location.search + main.textContent
    const still = look === window.lastLook
    window.lastLook = look
    return still
}"""

# Two frames drawn: whatever was under way has happened.
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

# What the reader sees of a run: every text of the page, every value of a control, all the numbers
# in the charts.
VIEW = """() => {
    const all = (selector, from = document) => [...from.querySelectorAll(selector)]
    const main = document.querySelector("[data-testid=stMain]")
    const numbers = values => values?.bdata ?? (values && Array.from(values))
    return {
        language: document.documentElement.lang,
        // A table fills its hidden cells only bit by bit; the copy button says that it was clicked.
        text: all("canvas, .st-key-browser", main).reduce(
            (text, each) => text.replace(each.textContent, ""), main.textContent),
        controls: all("input, textarea").map(field => field.type === "checkbox"
            ? field.checked : field.value),
        chosen: all("[aria-checked=true], [aria-selected=true]").map(each => each.textContent),
        alts: all("[data-testid=stPlotlyChart]").map(chart => chart.getAttribute("aria-label")),
        charts: all(".js-plotly-plot").map(plot => plot.data.map(trace => [
            trace.type, numbers(trace.z), numbers(trace.x), numbers(trace.y), trace.text,
        ])),
    }
}"""


def none_of(problems: list[tuple[str, str]]) -> None:
    """Fail with all the problems found, each with the places where it was found."""
    places: dict[str, dict[str, None]] = {}
    for place, problem in problems:
        places.setdefault(problem, {})[place] = None
    if places:
        lines = (f"{problem}\n    {_list(list(where))}" for problem, where in places.items())
        pytest.fail(f"{len(places)} problems\n" + "\n".join(lines), pytrace=False)


def _list(places: list[str]) -> str:
    more = len(places) - SHOWN
    return ", ".join(places[:SHOWN]) + (f" and {more} more places" if more > 0 else "")


def link(slug: str, lang: str | None, **params: object) -> str:
    """A link as a reader may type it: the page, the language and further parameters."""
    return "/?" + urlencode({"page": slug} | ({"lang": lang} if lang else {}) | params)


def open_page(page: Page, slug: str, lang: str | None, **params: object) -> None:
    """Go to a page of the app and wait until it stands still."""
    page.goto(link(slug, lang, **params))
    idle(page)


def idle(page: Page) -> None:
    """Wait until the script has run, every chart is drawn and nothing moves any more."""
    page.wait_for_function(IDLE, polling=60)


def slug_of(page: Page) -> str:
    """The step that the heading names."""
    title = page.locator("[data-testid=stMain] h2").inner_text()
    return next(step.slug for step in STEPS if title in (step.title("en"), step.title("zh")))


def turned(page: Page, to: str, lang: str) -> bool:
    """Whether the page turns to that step; then it stands still."""
    title = next(step.title(lang) for step in STEPS if step.slug == to)
    try:
        expect(page.locator("[data-testid=stMain] h2")).to_have_text(title, timeout=TURN)
    except AssertionError:
        return False
    idle(page)
    return True


def walk(page: Page, lang: str, **params: object):
    """Every step in turn: the first by its link, each next by Page Down."""
    open_page(page, SLUGS[0], lang, **params)
    yield STEPS[0]
    for step in STEPS[1:]:
        page.keyboard.press("PageDown")
        if not turned(page, step.slug, lang):
            open_page(page, step.slug, lang, **params)
        yield step


def view(page: Page) -> dict:
    """What the reader sees: texts, controls, the charts' descriptions and all their numbers."""
    return page.evaluate(VIEW)


def differences(page: Page, wanted: dict) -> list[str]:
    """Where the page does not show what is wanted, once it had the time to."""
    try:
        page.wait_for_function(
            f"wanted => JSON.stringify(({VIEW})()) === JSON.stringify(wanted)",
            arg=wanted,
            timeout=TURN,
            polling=100,
        )
    except TimeoutError:
        got = view(page)
        return (
            [f"{name}: {_difference(got[name], wanted[name])}" for name in wanted]
            if (got != wanted)
            else []
        )
    return []


def _difference(got: object, wanted: object) -> str:
    if got == wanted:
        return "same"
    if isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
        pairs = [(a, b) for a, b in zip(got, wanted, strict=True) if a != b]
        return "; ".join(_difference(a, b) for a, b in pairs[:3])
    a, b = str(got), str(wanted)
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    start = max(at - 40, 0)
    return f"…{a[start : at + 60]!r} instead of …{b[start : at + 60]!r}"


def control(page: Page, name: str):
    """A control by the name of its parameter, whatever the language."""
    return page.locator(f"[class*=st-key-{name}-]")


def copied(page: Page) -> str:
    """The link that the copy button gives."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.bring_to_front()
    button = page.locator(".st-key-browser .copy")
    before = button.inner_text()
    button.click()
    expect(button).not_to_have_text(before)
    return page.evaluate("navigator.clipboard.readText()")


def changed(page: Page, before: str) -> None:
    """Wait until a change of state has reached the address bar and the page stands still."""
    page.wait_for_url(lambda address: address != before)
    idle(page)


def choose(page: Page, name: str, option: int) -> None:
    """Choose another option of a select box with the mouse."""
    before = page.url
    box = control(page, name).get_by_role("combobox")
    wanted = page.get_by_role("option").nth(option)
    for _ in range(5):  # a list that opens while the page scrolls or is drawn anew closes at once
        box.scroll_into_view_if_needed()
        page.evaluate(FRAMES)
        box.click()
        try:
            wanted.click(timeout=5_000)
            page.wait_for_url(lambda address: address != before, timeout=10_000)
        except TimeoutError:
            continue
        break
    expect(page.get_by_role("listbox")).to_have_count(0)
    assert page.url != before, f"{name} cannot be chosen"
    idle(page)
