"""What can be wrong with a page as it stands: language, words, charts, inks, what axe finds."""

import io
import re

from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Page

# So tall that nothing is out of sight: axe says nothing of the contrast of what it cannot see.
TALL = (1280, 4000)
HTML_LANG = {"zh": "zh-CN", "en": "en"}
# What axe looks for, and where. It cannot tell what a text within a picture is drawn on, and takes
# most of its time to find that out: those are held by `inks` and by the tests of the theme.
RULES = {
    "structure": {"rules": {"color-contrast": {"enabled": False}}},
    "contrast": {"runOnly": ["color-contrast"]},
}
AROUND = {"structure": None, "contrast": {"exclude": [[".js-plotly-plot"]]}}

# The texts that can be read, but for code and formulas.
READABLE = """() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (texts.nextNode()) {
        const parent = texts.currentNode.parentElement
        const hidden = parent.closest("code, pre, .katex, script, style, noscript, template, title")
        if (!hidden) found.push(texts.currentNode.data)
    }
    const said = document.querySelectorAll("[data-testid=stMain] [aria-label]")
    return [...found, ...[...said].map(each => each.ariaLabel)]
}"""
RAW = re.compile(r"\*\*|\$|\\[a-z]+|`|:[a-z]+\[|\{\w+\}|\bnan\b|\bNone\b")

# Names that Streamlit makes up anew: they only hide that two snippets are the same.
MADE_UP = re.compile(r' (?:class|id|aria-controls)="[^"]*"')

# The ink of each figure and what it is drawn on.
INK = """() => [...document.querySelectorAll(".js-plotly-plot")].map(
    plot => plot.layout.font.color)"""
PAPER = "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"


def language(page: Page, lang: str) -> list[str]:
    """The language that the page declares, where it is another."""
    found = page.locator("html").get_attribute("lang")
    return [f"<html lang={found}>"] if found != HTML_LANG[lang] else []


def wording(page: Page) -> list[str]:
    """Markup that is shown instead of being rendered."""
    raw = [f"raw markup in {text[:200]!r}" for text in page.evaluate(READABLE) if RAW.search(text)]
    broken = page.locator(".katex-error").all_inner_texts()
    return list(dict.fromkeys(raw)) + [f"a formula that is none: {text}" for text in broken]


def charts(page: Page) -> list[str]:
    """Charts that are missing, empty or not described."""
    charts = page.get_by_test_id("stPlotlyChart").all()
    problems = [] if charts else ["no chart"]
    for chart in charts:
        name = (chart.get_attribute("aria-label") or "")[:60]
        if len(name) < 10:
            problems.append(f"a chart is described by {name!r}")
        image = Image.open(io.BytesIO(chart.screenshot())).convert("RGB")
        counts = [count for count, _ in image.getcolors(image.width * image.height)]
        drawn = 1 - max(counts) / sum(counts)
        if len(counts) < 12 or drawn < 0.005:
            problems.append(f"{name!r} has {len(counts)} colours, {drawn:.1%} of it drawn")
    return problems


def inks(page: Page) -> list[str]:
    """Figures whose ink is too weak on the paper of the page."""
    paper = page.evaluate(PAPER)
    inks = dict.fromkeys(page.evaluate(INK))
    return [
        f"a figure is drawn in {ink} on {paper}"
        for ink in inks
        if _contrast(_hex(ink), _numbers(paper)) < 4.5
    ]


def axe(page: Page, rules: str) -> list[tuple[str, str]]:
    """What axe finds by these rules, each with the element it found it in."""
    options = RULES[rules] | {"resultTypes": ["violations"]}
    violations = Axe().run(page, context=AROUND[rules], options=options).response["violations"]
    return [
        (
            f"axe {violation['id']}: {' '.join(node['failureSummary'].split())[:300]}",
            MADE_UP.sub("", node["html"])[:160],
        )
        for violation in violations
        for node in violation["nodes"]
    ]


def _hex(color: str) -> list[float]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def _numbers(color: str) -> list[float]:
    return [float(part) for part in re.findall(r"[\d.]+", color)][:3]


def _contrast(one: list[float], other: list[float]) -> float:
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: list[float]) -> float:
    parts = (part / 255 for part in color)
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
