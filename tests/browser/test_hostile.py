"""Sentences that look like markup, numbers or commands are shown as they were typed."""

import re

from playwright.sync_api import Page, expect

from explorer.core.tokens import token_id, tokenize, visible
from explorer.text import shorten

from .reader import choose, none_of, open_page

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "<b>bold</b> $x$ :red[x] # h `c` *e* &lt;",
    "שלום עולם <s> </s>",
    "a \u202e b 3 10 2024 $5 50%",
)

# In a link, where a choice, a number, a page's name or a guess should stand: each would run.
PAYLOADS = {
    "init": "<script>ran = 1</script>",
    "seed": "<img src=x onerror=ran=1>",
    "mask": '" autofocus onfocus="ran=1',
    "pairs": "[x](javascript:ran=1)",
    "pick": "<svg onload=ran=1>",
    "guess": "<iframe srcdoc='<script>parent.ran=1</script>'>:x",
    "tensor": "${ran=1}{{ran=1}}",
}

# The axes of all heatmaps.
AXES = """() => {
    const axes = []
    const plots = [...document.querySelectorAll(".js-plotly-plot")].filter(
        plot => plot.data.some(trace => trace.type === "heatmap"))
    const entries = plots.flatMap(plot => Object.entries(plot._fullLayout))
    for (const [name, axis] of entries) {
        if (!/^[xy]axis\\d*$/.test(name)) continue
        const n = axis.tickvals?.length ?? 0
        axes.push({
            name, type: axis.type, values: [...axis.tickvals ?? []], range: [...axis.range],
            labels: [...axis.ticktext ?? []], shown: axis.showticklabels,
            at: [...Array(n).keys()].map(i => axis.c2p(axis.tickvals[i])),
        })
    }
    return axes
}"""

# Half a character between two letters, by their codes: as text it would not reach the browser.
HALF = [0x61, 0x20, 0xD83D, 0x20, 0x62]
TYPE = """([selector, codes]) => {
    const field = document.querySelector(selector)
    const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")
    set.call(field, String.fromCharCode(...codes))
    field.dispatchEvent(new Event("input", { bubbles: true }))
}"""

# What markup in a sentence would make, and the pages do not use: elements, formulas in a line of
# text, words in red.
MADE = """() => {
    const main = document.querySelector("[data-testid=stMain]")
    const never = "img, script, iframe, object, b, s, i, em, h1, a, [onerror]"
    const formulas = [...main.querySelectorAll(".katex")].filter(
        each => !each.closest(".katex-display"))
    const colored = [...main.querySelectorAll(".stMarkdownColoredText")].filter(
        each => each.textContent === "x")
    return [...main.querySelectorAll(never), ...formulas, ...colored].map(
        each => each.outerHTML.slice(0, 200))
}"""


def test_hostile_sentences_are_shown_literally(new_page):
    page, problems = new_page(), []
    for slug in ("tokens", "scores", "softmax"):
        open_page(page, slug, "en", sentences="\n".join(HOSTILE), **PAYLOADS)
        for item, sentence in enumerate(HOSTILE):
            if item:
                choose(page, "item", item)
            problems += [(f"{slug} {sentence!r}", f"made {each}") for each in page.evaluate(MADE)]
            tokens = tokenize(sentence)
            texts = page.locator(".js-plotly-plot").first.locator("svg text").all_text_contents()
            if slug == "tokens":
                wanted = [f"{shorten(visible(token), 9)}{token_id(token)}" for token in tokens]
            else:
                wanted = [shorten(visible(token), 10) for token in tokens]
                texts = [re.sub("[₀-₉]+$", "", text) for text in texts]
            lost = [token for token in wanted if token not in texts]
            if lost:
                problems.append((f"{slug} {sentence!r}", f"no {lost} among {texts}"))
        said = page.get_by_test_id("stAlert").inner_text()
        problems += [
            (slug, f"lost {each}") for each in list(PAYLOADS.values())[:5] if each not in said
        ]
        if page.evaluate("window.ran"):
            problems.append((slug, "ran"))
    none_of(problems)


def test_hostile_sentences_stay_in_their_field(new_page):
    page = new_page()
    open_page(page, "softmax", "en")
    field = page.locator("[class*=st-key-sentences-] textarea")
    field.fill(HOSTILE[0])
    field.press("Control+Enter")
    expect(page.locator(".st-key-header")).to_contain_text(f"T {len(tokenize(HOSTILE[0]))}")
    expect(field).to_have_value(HOSTILE[0])
    assert page.locator("img[src=x], [onerror]").count() == 0
    page.evaluate(TYPE, ["[class*=st-key-sentences-] textarea", HALF])
    field.press("Control+Enter")
    expect(page.locator(".st-key-header")).to_contain_text("T 3")
    expect(field).to_have_value("a \ufffd b")


# Repeated tokens, numbers, markup; all but the longest end in repeated <pad>.
REPEATED = ("the cat saw the dog", "3 加 5 等于 8 3", "3 10 2", "<s> & </s> & 2024-01-01")


def test_every_token_keeps_its_row_and_column(new_page):
    page, problems = new_page(), []
    open_page(page, "softmax", "en", sentences="\n".join(REPEATED))
    n = max(len(tokenize(sentence)) for sentence in REPEATED)
    for item, sentence in enumerate(REPEATED):
        if item:
            choose(page, "item", item)
        problems += [(sentence, each) for each in _misplaced(page, n)]
    none_of(problems)


def _misplaced(page: Page, n: int) -> list[str]:
    """What is wrong with the axes of the heatmaps of a page, n tokens by n."""
    axes = page.evaluate(AXES)
    problems = [] if axes else ["no heatmap"]
    for axis in axes:
        at, labels = axis["at"], axis["labels"]
        straight = axis["type"] == "linear" and axis["values"] == list(range(n))
        if not straight or sorted(axis["range"]) != [-0.5, n - 0.5]:
            problems.append(f"positions that are not 0 to {n - 1}: {axis}")
        if len(set(labels)) < n:
            problems.append(f"labels that cannot be told apart: {labels}")
        if len({round(each) for each in at}) < n:
            problems.append(f"tokens drawn over one another: {axis}")
        if at != sorted(at):
            problems.append(f"row 0 is not on top, or column 0 not on the left: {axis}")
    return problems
