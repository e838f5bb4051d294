"""A number under the mouse is named; it is followed to W_E by clicks alone, by keys alone."""

import re

from playwright.sync_api import Page, expect

from explorer.core import Config, attend
from explorer.core.memory import address
from explorer.core.trace import axes, lookup

from .looks import RULES, TALL, axe
from .reader import FRAMES, changed, idle, none_of, open_page, walk
from .test_narrow import PHONE, STICKS_OUT

RUN = attend(Config())
# Where a cell of the n-th figure is on the screen: of its heatmap or strip of bars `trace`.
PLACE = """([n, trace, row, column]) => {
    const plot = document.querySelectorAll(".js-plotly-plot")[n], layout = plot._fullLayout
    const box = plot.getBoundingClientRect(), data = plot._fullData[trace]
    const axis = ref => layout[ref[0] + "axis" + ref.slice(1)]
    const x = axis(data.xaxis), y = axis(data.yaxis)
    const high = row ?? data.y[column] / 2
    return [box.left + x._offset + x.c2p(column), box.top + y._offset + y.c2p(high)]
}"""
FOCUSED = "name => document.activeElement.closest(`[class*=st-key-${name}]`) !== null"
SPOT = f"""spot => {{
    const plot = document.querySelectorAll(".js-plotly-plot")[spot[0]]
    plot.scrollIntoView({{ block: "center" }})
    return ({PLACE})(spot)
}}"""
# Whether nothing lies on a place of the screen but a figure.
SEEN = "([x, y]) => document.elementFromPoint(x, y)?.closest('.js-plotly-plot') != null"
TRAIL = ("q_heads", "q_split", "q", "x", "embedding", "ids", "W_E")

# By page: which figure, trace, row and column, and the element that is there by default.
SPOTS = {
    "tokens": ((0, 0, 0, 2), ("ids", (0, 2))),
    "embedding": ((0, 0, 2, 5), ("W_E", (1024, 5))),
    "projection": ((0, 1, 3, 6), ("q", (0, 3, 6))),
    "split": ((0, 0, 1, 3), ("q", (0, 1, 3))),
    "scores": ((0, 2, 1, 3), ("k_heads", (0, 0, 3, 1))),
    "mask": ((0, 1, 1, 3), ("mask", (0, 0, 1, 3))),
    "softmax": ((2, 1, None, 2), ("attn", (0, 1, 3, 2))),
    "mix": ((0, 1, 2, 3), ("z", (0, 0, 2, 3))),
    "output": ((0, 1, 3, 4), ("output", (0, 3, 4))),
}


def hover(page: Page, spot: tuple) -> tuple[float, float]:
    x, y = page.evaluate(SPOT, spot)
    page.mouse.move(x - 2, y - 2)
    page.mouse.move(x, y)
    return x, y


def named(name: str, index: tuple[int, ...]) -> str:
    """An element as a hover names it: axes by name, tokens by text and place."""
    places = (
        "0"
        if axis == "1"
        else f"{axis} {i}"
        if axis not in ("seq", "query", "key")
        else f"{axis} {RUN.tokens[0][i]}#{i}"
        for axis, i in zip(axes(name), index, strict=True)
    )
    return f"{name}[{', '.join(places)}]"


def test_the_number_under_the_mouse_is_named_on_every_page(new_page):
    page, problems = new_page(), []
    tip = page.locator(".hover-tip")
    for step in walk(page, "en"):
        if step.slug not in SPOTS:
            continue
        slug, (spot, (name, index)) = step.slug, SPOTS[step.slug]
        hover(page, spot)
        expect(tip).to_be_visible()
        tensor = lookup(RUN, name)
        said, value, _ = tip.locator("div").all_inner_texts()
        wanted = named(name, index), address(tensor, index), tensor[index].item()
        number = float(re.search(r"= (\S+)", value)[1].replace("−", "-").replace("∞", "inf"))
        if (said, f"address {wanted[1]}" in value) != (wanted[0], True):
            problems.append((slug, f"{said} {value}, not {wanted}"))
        if abs(number - wanted[2]) > 1e-5 * abs(wanted[2]):
            problems.append((slug, f"{number}, not {wanted[2]}"))
        page.mouse.move(5, 5)
        expect(tip).to_be_hidden()
    none_of(problems)


def test_a_score_is_followed_back_to_w_e_by_clicks_alone(new_page):
    page = new_page()
    open_page(page, "scores", "en")
    spot = hover(page, (0, 1, 3, 1))
    before = page.url
    page.mouse.click(*spot)
    changed(page, before)
    expect(page.locator(".st-key-inspector")).to_contain_text("raw_scores[0, 0, 3, 1]")
    page.wait_for_function(f"spot => ({SEEN})(({PLACE})(spot))", arg=(0, 1, 3, 1))
    for name in (*TRAIL[:-2], TRAIL[-1]):
        before = page.url
        page.locator(".st-key-act-made button").filter(has_text=f"{name}[").first.click()
        changed(page, before)
        assert f"pick={name}%3A" in page.url
    expect(page.locator(".st-key-inspector")).to_contain_text("W_E[4096, 0]")
    page.set_viewport_size({"width": TALL[0], "height": TALL[1]})
    found = [each for rules in RULES for each in axe(page, rules)]
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    idle(page)
    found += [(each, "390 pixels wide") for each in page.evaluate(STICKS_OUT)]
    none_of([(place, problem) for problem, place in found])
    page.locator(".st-key-close button").click()
    expect(page.locator(".st-key-inspector")).to_have_count(0)
    assert "pick" not in page.url


def test_a_score_is_followed_back_to_w_e_by_the_keyboard_alone(new_page):
    page = new_page()
    open_page(page, "scores", "en")
    _tab_to(page, "pick")
    before = page.url
    page.keyboard.press("ArrowDown")
    reached = page.locator("[role=option][data-focused=true]")
    while reached.inner_text() != "scores":
        page.keyboard.press("ArrowDown")
        page.evaluate(FRAMES)
    page.keyboard.press("Enter")
    changed(page, before)
    expect(page.locator(".st-key-inspector")).to_contain_text("scores[0, 0, 3, 1]")
    _tab_to(page, "pick-key")
    for key, chosen in (("ArrowDown", 2), ("ArrowUp", 1)):
        before = page.url
        for press in (key, "Enter"):  # an arrow opens the list at the next choice
            page.keyboard.press(press)
            page.evaluate(FRAMES)
        changed(page, before)
        expect(page.locator(".st-key-inspector")).to_contain_text(f"scores[0, 0, 3, {chosen}]")
        assert page.evaluate(FOCUSED, "pick-key"), "the box that was used keeps the focus"
    _tab_to(page, "act-made")
    while "W_E" not in page.url:
        before = page.url
        page.keyboard.press("Enter")
        changed(page, before)
        if "W_E" not in page.url:
            expect(page.locator(".st-key-act-made button").first).to_be_focused()
        if "pick=embedding" in page.url:  # its first operand is the id
            page.keyboard.press("ArrowRight")
    expect(page.locator(".st-key-act-feeds button").first).to_be_focused()  # nothing made W_E
    expect(page.locator(".st-key-inspector")).to_contain_text("W_E[4096, 0]")


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until the control of that name has the focus."""
    for _ in range(80):
        if page.evaluate(FOCUSED, name):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {name}")
