"""What the page does at once: the theme in the menu, the crosshair, the way out of a refusal."""

from playwright.sync_api import Page, TimeoutError, expect

from .reader import idle, none_of, open_page, view

INKS = """() => JSON.stringify([...document.querySelectorAll(".js-plotly-plot")].map(plot =>
    [plot.layout.font.color, ...plot.data.map(trace => trace.textfont?.color)]))"""
FILLED = """() => getComputedStyle(document.querySelector(".js-plotly-plot svg text")).fill"""

# The middle of a cell of the product in the first chart, on the screen, and the panels around it.
CELL = """() => {
    const plot = document.querySelector(".js-plotly-plot")
    const box = plot.getBoundingClientRect(), layout = plot._fullLayout
    const axis = ref => layout[ref[0] + "axis" + ref.slice(1)]
    const panels = plot._fullData.filter(trace => trace.type === "heatmap").map(trace => {
        const x = axis(trace.xaxis), y = axis(trace.yaxis)
        return {
            xaxis: trace.xaxis, yaxis: trace.yaxis,
            left: box.left + x._offset, right: box.left + x._offset + x._length,
            top: box.top + y._offset, bottom: box.top + y._offset + y._length,
            x: box.left + x._offset + x.c2p(1), y: box.top + y._offset + y.c2p(2),
        }
    })
    return panels
}"""
SPIKES = """() => [...document.querySelectorAll(".js-plotly-plot .spikeline")].map(line => {
    const box = line.getBoundingClientRect()
    return [box.left, box.top, box.right, box.bottom]
})"""


def test_the_theme_in_the_menu_recolours_the_figures(new_page):
    page = new_page(fresh=True)
    open_page(page, "softmax", "en")
    light, filled, numbers = page.evaluate(INKS), page.evaluate(FILLED), view(page)["charts"]
    for theme in ("Dark", "Light"):
        before = page.evaluate(INKS)
        page.get_by_test_id("stMainMenu").locator("button").first.click()
        page.get_by_test_id(f"stMainMenuItem-theme-{theme}").click()
        page.wait_for_function(f"before => ({INKS})() !== before", arg=before)
        page.keyboard.press("Escape")
        idle(page)
        if theme == "Dark":
            page.wait_for_function(f"before => ({FILLED})() !== before", arg=filled)
            assert view(page)["charts"] == numbers
    assert page.evaluate(INKS) == light


def test_hovering_a_score_draws_the_crosshair(new_page):
    page, problems = new_page(), []
    for slug in ("projection", "scores", "mix"):
        open_page(page, slug, "en")
        page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
        panels = page.evaluate(CELL)
        # The product is the panel that shares its rows with one and its columns with another.
        left, result, above = panels[:3]
        page.mouse.move(result["x"] - 3, result["y"] - 3)
        page.mouse.move(result["x"], result["y"])
        try:
            page.wait_for_function(f"({SPIKES})().length >= 2", timeout=15_000)
        except TimeoutError:
            problems.append((slug, "no spikes"))
            continue
        spikes = page.evaluate(SPIKES)
        if not any(line[0] <= left["left"] + 2 and line[2] > left["right"] - 2 for line in spikes):
            problems.append((slug, f"no line through the row on the left: {spikes}, {left}"))
        if not any(
            line[1] <= above["top"] + 2 and line[3] > above["bottom"] - 2 for line in spikes
        ):
            problems.append((slug, f"no line through the column above: {spikes}, {above}"))
        page.mouse.move(5, 5)
    none_of(problems)


def test_a_refusal_offers_a_way_out(new_page):
    page = new_page()
    open_page(page, "scores", "en", d_model=512, h=7)
    expect(page.get_by_test_id("stAlert")).to_contain_text("512")
    assert page.get_by_test_id("stPlotlyChart").count() == 0
    page.get_by_role("button", name="h = 8").click()
    expect(page.locator(".st-key-header")).to_contain_text("d_k 64")
    _drawn(page)
    assert "h=8" in page.url


def test_an_example_is_one_click_away(new_page):
    page = new_page()
    open_page(page, "tokens", "en", sentences=" ")
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    page.locator(".st-key-act-examples button").nth(1).dblclick()  # by who clicks all things twice
    expect(page.locator(".st-key-header")).to_contain_text("B 2 · T 3")
    _drawn(page)


def _drawn(page: Page) -> None:
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    idle(page)
