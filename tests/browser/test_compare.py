"""Pinned and current beside each other, and attention as lines, on a wide screen and a phone."""

import pytest
from playwright.sync_api import expect

from explorer.core import Config, attend
from explorer.settings.pin import pin_text

from .reader import none_of, open_page
from .test_narrow import LONG, PHONE, STICKS_OUT

PINNED = Config((LONG,), d_model=16, h=4, seed=1)
PAGES = ("shapes", "projection", "softmax")
TOPS = """() => [...document.querySelectorAll("[data-testid=stPlotlyChart]")].map(
    chart => Math.round(chart.getBoundingClientRect().top))"""
# The middle of the one line of the lowest layer, and of what lies above it all.
FIRST_LINE = """() => {
    const plot = [...document.querySelectorAll(".js-plotly-plot")].find(
        plot => plot._fullLayout.yaxis2)
    const { left, top } = plot.getBoundingClientRect()
    const { xaxis, yaxis } = plot._fullLayout
    return [left + xaxis._offset + xaxis.l2p(0.5), top + yaxis._offset + yaxis.l2p(0)]
}"""


@pytest.mark.parametrize(("size", "beside"), [((1440, 900), True), (PHONE, False)])
def test_pinned_and_now_stand_beside_each_other_where_there_is_room(new_page, size, beside):
    page, problems = new_page(size=size, fresh=True), []
    for slug in PAGES:
        open_page(page, slug, "en", pin=pin_text(PINNED), h=4, d_model=16, sentences=LONG)
        problems += [(slug, each) for each in page.evaluate(STICKS_OUT)]
        tops = page.evaluate(TOPS)
        if (tops[0] == tops[1]) != beside:
            problems.append((slug, f"pinned and now begin at {tops[:2]}"))
    open_page(page, "softmax", "en", draw="lines", pin="?seed=1", sentences=LONG)
    problems += [("lines", each) for each in page.evaluate(STICKS_OUT)]
    none_of(problems)


def test_a_line_tells_its_query_its_key_and_its_weight(new_page):
    page = new_page()
    open_page(page, "softmax", "en", draw="lines", sentences="the cat sat")
    page.mouse.move(*page.evaluate(FIRST_LINE))
    weight = float(attend(Config(("the cat sat",))).attn[0, 0, 0, 0])
    tip = page.locator(".hover-tip")
    expect(tip).to_contain_text("attn[batch 0, head 0, query the#0, key the#0]")
    expect(tip).to_contain_text(f"= {weight:g}")
