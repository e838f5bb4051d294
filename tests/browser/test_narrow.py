"""On a screen 390 pixels wide nothing sticks out, on any page, in either language."""

import pytest
from playwright.sync_api import expect

from explorer.text import LANGS

from .reader import none_of, open_page, walk

PHONE = (390, 844)
STICKS_OUT = """() => {
    const found = []
    const wide = (name, element) => {
        if (element.scrollWidth > element.clientWidth)
            found.push(`${name} is ${element.scrollWidth} wide, not ${element.clientWidth}`)
    }
    const main = document.querySelector("[data-testid=stMain]")
    wide("the document", document.documentElement)
    wide("the main column", main)
    for (const chart of document.querySelectorAll("[data-testid=stPlotlyChart]")) {
        const name = chart.ariaLabel.slice(0, 50)
        const room = chart.parentElement.getBoundingClientRect()
        const plot = chart.querySelector(".svg-container").getBoundingClientRect()
        if (plot.right > room.right + 1 || room.right > innerWidth + 1)
            found.push(`${name}: ${plot.width} wide in ${room.width}`)
        for (const text of chart.querySelectorAll("svg text")) {
            const box = text.getBoundingClientRect()
            const out = Math.max(plot.left - box.left, box.right - plot.right,
                plot.top - box.top, box.bottom - plot.bottom)
            if (box.width && out > 2)
                found.push(`${name}: ${text.textContent} is cut by ${out.toFixed()} pixels`)
        }
    }
    const clipped = element => {
        for (let each = element; each && each !== main; each = each.parentElement)
            if (getComputedStyle(each).overflowX !== "visible") return true
        return false
    }
    const beyond = element => element.getBoundingClientRect().right > innerWidth + 1
    for (const element of main.querySelectorAll("*"))
        if (beyond(element) && !beyond(element.parentElement) && !clipped(element))
            found.push(`sticks out: ${element.outerHTML.slice(0, 200)}`)
    return found
}"""
LONG = "the quick brown fox jumps over extraordinarily uninteresting dogs"
LARGE = {
    "zh": [("scores", {"d_model": 512, "h": 7})],
    "en": [("tokens", {"sentences": LONG}), ("scores", {"d_model": 64, "h": 8, "sentences": LONG})],
}


@pytest.mark.parametrize("lang", LANGS)
def test_nothing_sticks_out_on_a_phone(new_page, lang):
    page, problems = new_page(size=PHONE, fresh=True), []  # it remembers an open sidebar
    for step in walk(page, lang):
        problems += [(step.slug, each) for each in page.evaluate(STICKS_OUT)]
    for slug, params in LARGE[lang]:
        open_page(page, slug, lang, **params)
        problems += [(f"{slug} {params}", each) for each in page.evaluate(STICKS_OUT)]
    page.get_by_test_id("stExpandSidebarButton").click()
    sidebar = page.get_by_test_id("stSidebarContent")
    expect(sidebar).to_be_in_viewport()
    wide, room = sidebar.evaluate("each => [each.scrollWidth, each.clientWidth]")
    if wide > room:
        problems.append(("sidebar", f"{wide} wide, not {room}"))
    none_of(problems)
