"""Every step in both languages: it shows the tensors and the numbers of its run.

What a page must show is computed here, from `attend` and torch alone.
"""

import ast
import html
import math
import re
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from explorer.charts import PART, SOME_HEADS
from explorer.core import Config, Trace, attend
from explorer.core.tokens import token_id
from explorer.core.trace import axes, lookup, tensors
from explorer.figures.theme import DARK, LIGHT
from explorer.labs import LABS
from explorer.numbers import ONE_ROW
from explorer.steps import STEPS
from explorer.steps.merge import NOT_REFUSED
from explorer.steps.output import HEADS, NOT_POSSIBLE
from explorer.steps.position import ODD
from explorer.steps.shapes import TABLE
from explorer.storage import TWO_HEADS
from explorer.text import LANGS
from tests.figures import contrast, numbers
from tests.pages import (
    MARKDOWN,
    PAGES,
    SLUGS,
    broken_bold,
    chart,
    charts,
    drawn,
    markdown,
    new_page,
    open_page,
    table,
    table_of,
    text,
)

every_step = pytest.mark.parametrize("page", STEPS, ids=SLUGS)
every_lang = pytest.mark.parametrize("lang", LANGS)


@dataclass(frozen=True, eq=False)
class Case:
    """A run, and the link that asks for it and for a focus."""

    config: Config
    params: dict = field(default_factory=dict)
    item: int = 0
    head: int = 0
    query: int = 3
    key: int = 1

    @cache  # noqa: B019  a page is opened once for all the tests that only read it
    def open(self, page: str, lang: str = "en", **more: object):
        """A page of this run; look only, another test gets the same."""
        focus = {name: getattr(self, name) for name in ("item", "head", "query", "key")}
        return open_page(page, lang, **self.params, **focus, **more)

    @property
    def run(self) -> Trace:
        return traced(self.config)


traced = cache(attend)
TWO = ("我爱你", "the cat sat on the mat")
CASES = {
    "default": Case(Config()),
    "padded": Case(Config(TWO), {"sentences": "\n".join(TWO)}, item=0, head=1, query=2, key=0),
    "second": Case(
        Config(TWO, mask="none"),
        {"sentences": "\n".join(TWO), "mask": "none"},
        item=1,
        head=1,
        query=5,
        key=2,
    ),
    "odd": Case(Config(d_model=7, h=7), {"d_model": 7, "h": 7}, head=6, query=2),
    "wide": Case(Config(d_model=512, h=8), {"d_model": 512, "h": 8}, head=5, query=1, key=0),
    "one token": Case(Config(("我",)), {"sentences": "我"}, query=0, key=0),
    "one head": Case(Config(h=1), {"h": 1}),
    "d_k apart": Case(Config(d_k=5), {"d_k": 5}, head=1),
    "bias": Case(
        Config(bias=True, init="xavier", seed=7, scale_embedding=True, positions=False),
        {
            "bias": "true",
            "init": "xavier",
            "seed": 7,
            "scale_embedding": "true",
            "positions": "false",
        },
        head=1,
        query=2,
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
# Chinese for the cases that a page has other words for.
in_both = pytest.mark.parametrize(
    ("case", "lang"),
    [
        pytest.param(case, lang, id=f"{name}-{lang}")
        for name, case in CASES.items()
        for lang in LANGS
        if lang == "en" or name in ("padded", "odd", "one token", "d_k apart")
    ],
)


# What all pages have in common


@every_lang
@every_step
def test_a_step_has_its_title_and_charts_that_are_described_in_its_language(page, lang):
    """An English sentence: what is Chinese on the page is the page's own."""
    at = open_page(page.slug, lang, sentences="the cat sat")
    assert not at.exception
    assert [header.value for header in at.header] == [page.title(lang)]
    assert page.body(lang) in text(at)
    assert charts(at)
    for found in charts(at).values():
        assert go.Figure({"data": found.data, "layout": found.layout}).data, found.key
        assert bool(re.search(r"[\u3400-\u9fff]", found.alt)) == (lang == "zh"), found.alt
        assert re.search(r"\d", found.alt), found.alt
        assert not re.search(r"[*`<>]|None|nan", found.alt), "an alt is read out, not rendered"


@every_lang
@every_step
def test_every_bold_word_on_a_page_is_rendered_bold(page, lang):
    at = CASES["padded"].open(page.slug, lang)
    said = [element.value for kind in MARKDOWN[:6] for element in getattr(at, kind)]
    assert not [place for message in said for place in broken_bold(message)]


@every_step
def test_a_step_shows_the_code_that_ran(page):
    (code,) = open_page(page.slug, tab="code").code
    defined = [node.name for node in ast.parse(code.value).body]
    assert defined == [function.__name__ for function in page.code]
    assert '"""' not in code.value


@every_step
def test_a_dark_page_has_dark_figures(page):
    at = open_page(page.slug)
    inks = [charts(at)]
    at.context = {"theme": "dark"}
    inks.append(charts(at.run()))
    for found, colors in zip(inks, (LIGHT, DARK), strict=True):
        assert {drawing.layout["font"]["color"] for drawing in found.values()} == {colors.ink}


# The tensors that are drawn

SHOWN = {
    "embedding": "embedding",
    "position": "embedding position x",
    "projection": "x q k v W_Q W_K W_V",
    "scores": "q_heads k_heads raw_scores scores",
    "mask": "mask scores masked_scores",
    "softmax": "attn",
    "mix": "attn v_heads z",
    "merge": "concat",
    "output": "concat W_O x output residual normed",
}
EVERY_HEAD = {
    "scores": ("raw_scores", "scores"),
    "mask": ("scores", "masked_scores"),
    "softmax": ("attn",),
}


def matrix(run: Trace, name: str, item: int, head: int) -> torch.Tensor:
    """The last two axes of a tensor, of one item and head."""
    tensor = lookup(run, name)
    choice = {"batch": item, "head": head, "1": 0}
    return tensor[tuple(choice.get(axis, slice(None)) for axis in axes(name))]


@every_case
@pytest.mark.parametrize("slug", SHOWN)
def test_a_step_draws_the_tensors_of_its_run(slug, case):
    """E25: with a d_k of its own too; E37: a masked cell is no gap, but drawn as −∞."""
    found = drawn(case.open(slug))
    for heatmap in found:
        if heatmap.name == "W_E" or heatmap.name.startswith("z @"):
            continue  # parts, held by the next two tests
        expected = matrix(case.run, heatmap.name, case.item, heatmap.head or 0)
        if slug == "scores" and heatmap.name == "k_heads":
            expected = expected.T
        expected = expected[:64, :64].numpy()
        np.testing.assert_array_equal(heatmap.values, expected, heatmap.name)
        assert heatmap.item in (None, case.item)
        assert heatmap.trace["zmin"] <= np.nanmin(expected[np.isfinite(expected)])
        assert heatmap.trace["zmax"] >= np.nanmax(expected)
    assert set(SHOWN[slug].split()) <= {heatmap.name for heatmap in found}
    for name in EVERY_HEAD.get(slug, ()):
        heads = {heatmap.head for heatmap in found if heatmap.name == name}
        assert heads == set(range(case.config.h)), f"E21: the heads of {name}, not their mean"


@every_case
def test_the_rows_of_w_e_are_those_of_the_ids(case):
    (rows,) = (heatmap for heatmap in drawn(case.open("embedding")) if heatmap.name == "W_E")
    ids = sorted(set(case.run.ids[case.item].tolist()))
    np.testing.assert_array_equal(rows.values, case.run.params.W_E[ids, :64].numpy())


@every_case
def test_what_a_head_adds_to_the_output_is_its_z_times_its_rows_of_w_o(case):
    run, d_k = case.run, case.run.z.shape[-1]
    parts = [heatmap for heatmap in drawn(case.open("output")) if heatmap.name.startswith("z @")]
    assert [part.head for part in parts] == list(range(case.config.h))
    for part in parts:
        rows = run.params.W_O[part.head * d_k : (part.head + 1) * d_k]
        expected = (run.z[case.item, part.head] @ rows)[:, :64].numpy()
        np.testing.assert_allclose(part.values, expected, rtol=1e-5, atol=1e-6)


@every_lang
def test_columns_past_the_first_64_are_shown_when_asked_for(lang):
    run, at = CASES["wide"].run, open_page("projection", lang, d_model=512, h=8, window=3)
    for name in ("x", "q", "W_Q"):
        values = next(heatmap.values for heatmap in drawn(at) if heatmap.name == name)
        expected = matrix(run, name, 0, 0)[..., 192:256]
        expected = expected[192:256] if name == "W_Q" else expected
        np.testing.assert_array_equal(values, expected.numpy())
    assert PART(lang, first=192, last=255, size=512) in text(at)


@every_lang
def test_of_many_heads_the_eight_around_the_focus_are_drawn_and_said_to_be(lang):
    at = open_page("softmax", lang, d_model=32, h=16, head=9)
    run = attend(Config(d_model=32, h=16))
    found = {heatmap.head: heatmap.values for heatmap in drawn(at)}
    assert list(found) == list(range(8, 16))
    for head, values in found.items():
        np.testing.assert_array_equal(values, run.attn[0, head].numpy())
    assert SOME_HEADS(lang, first=8, last=15, h=16) in text(at)


@pytest.mark.parametrize(
    "tokens",
    [
        ("the", "cat", "saw", "the", "dog"),
        ("3", "加", "5", "等于", "8"),
        ("$", "5", ",", "50", "%"),
        ("<", "s", ">", "&", ";"),
        ("👍🏽", "e\u0301", "我", "2024", "-"),
    ],
    ids=" ".join,
)
def test_the_axes_of_attention_carry_the_tokens(tokens):
    """E31, E32, E34: each at its position, a repeated one twice, and told apart."""
    at = open_page("softmax", sentences=" ".join(tokens))
    layouts = [found.layout for found in charts(at).values()]
    shown = [layout[name] for layout in layouts for name in layout if name[1:5] == "axis"]
    shown = [axis for axis in shown if "ticktext" in axis]
    assert len(shown) == 5  # rows and columns of two heads, and the keys of the bars
    for axis in shown:
        labels = [html.unescape(label) for label in axis["ticktext"]]
        assert axis["tickvals"] == [0, 1, 2, 3, 4]
        assert [label.rstrip("₀₁₂₃₄") for label in labels] == list(tokens)
        assert len(set(labels)) == len(labels)


# The numbers that are said


@in_both
def test_shapes_counts_every_tensor_and_parameter(case, lang):
    at, run = case.open("shapes", lang), case.run
    every = table_of(at, getattr(TABLE, lang).partition("{")[0])
    for (said, shape, elements, bytes_), name in zip(every, tensors(), strict=True):
        tensor = lookup(run, name)
        assert said == name
        found = re.findall(r":\w+\[(\S+) \*\*(\d+)\*\*\]|(1)", shape)
        assert [axis or one for axis, _, one in found] == list(axes(name))
        assert [int(n or one) for _, n, one in found] == list(tensor.shape)
        assert int(elements.replace(",", "")) == tensor.numel()
        assert int(bytes_.replace(",", "")) == tensor.numel() * tensor.element_size()
    d_model, width = case.config.d_model, run.q.shape[-1]
    layer = 4 * d_model * width + (3 * width + d_model) * case.config.bias
    assert f"{layer:,}" in text(at)
    assert f"{10_000 * d_model:,}" in text(at)
    assert f"{sum(lookup(run, name).numel() for name in tensors()):,}" in text(at)


@every_case
def test_the_ledger_bar_is_cut_into_the_heads(case):
    (bar,) = (
        trace
        for found in charts(case.open("shapes")).values()
        for trace in found.data
        if trace["type"] == "bar"
    )
    d_k = case.run.q_heads.shape[-1]
    assert numbers(bar["x"]).tolist() == [d_k] * case.config.h
    assert numbers(bar["base"]).tolist() == [head * d_k for head in range(case.config.h)]


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_the_sizes_in_the_flow_of_shapes_can_be_read_on_their_boxes(colors):
    at = new_page(page="shapes")
    at.context = {"theme": "dark" if colors is DARK else "light"}
    flow = chart(at.run(), "flow")
    fills = {
        ((box["x0"] + box["x1"]) / 2, round((box["y0"] + box["y1"]) / 2)): box["fillcolor"]
        for box in flow.layout["shapes"]
    }
    words = flow.data[1]
    faint = {
        (size, fill): found
        for x, y, said in zip(words["x"], words["y"], words["text"], strict=True)
        for size in re.findall(r"color:(#\w+)", said)
        if (found := contrast(size, fill := fills[x, y])) < 4.5
    }
    assert "color:" in words["text"][0]
    assert not faint


def test_no_arrow_in_the_flow_of_shapes_runs_through_a_box():
    flow = chart(open_page("shapes"), "flow")
    boxes, arrows = flow.layout["shapes"], flow.data[0]
    points = list(zip(arrows["x"], arrows["y"], strict=True))
    lines = [(start, end) for start, end in pairwise(points) if None not in start + end]
    assert points.count((None, None)) > 24
    assert len(boxes) == 24
    for start, end in lines:
        on_the_way = np.linspace(start, end, 101)[5:-5]
        for box in boxes:
            inside = (on_the_way > [box["x0"], box["y0"]]) & (on_the_way < [box["x1"], box["y1"]])
            assert not inside.all(axis=1).any(), (start, end, box)


def grid(at) -> str:
    """The texts of all cells that the charts of a page write, one a line."""
    cells = []
    for found in charts(at).values():
        for trace in found.data:
            cells += [cell for row in trace.get("text", []) for cell in row]
    return "\n".join(cells)


@every_lang
def test_the_ids_of_the_seeds_example_are_on_the_tokens_page(lang):
    cells = grid(open_page("tokens", lang)).split("\n")
    assert cells == ["我<br>15", "爱<br>256", "深度<br>1024", "学习<br>4096"]


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("我爱AI，GPT-4 在2024年。", "我 爱 AI ， GPT - 4 在 2024 年 。"),  # E26
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467 👍🏽 e\u0301", None),  # E27
        ("the cat saw the dog", "the cat saw the dog"),  # E31
        ("3 加 5 等于 8", "3 加 5 等于 8"),  # E32
    ],
)
def test_every_token_stands_in_the_grid_with_its_id(sentence, tokens):
    """E26, E27, E31, E32: nothing is dropped, merged or cut within a character."""
    cells = grid(open_page("tokens", sentences=sentence)).split("\n")
    expected = (tokens or sentence).split()
    assert cells[: len(expected)] == [f"{token}<br>{token_id(token)}" for token in expected]
    assert not any(cells[len(expected) :])


def test_padding_is_shown_in_the_grid():
    cells = grid(CASES["padded"].open("tokens")).split("\n")
    assert cells[6:] == [f"{token}<br>{token_id(token)}" for token in TWO[1].split()]
    assert cells[:6] == [f"我爱你<br>{token_id('我爱你')}", *["&lt;pad&gt;<br>0"] * 5]


@cache
def colliding() -> tuple[str, str]:
    """Two words that the hash gives the same id."""
    seen: dict[int, str] = {}
    for number in range(20_000):
        word = "".join(chr(ord("a") + number // 26**i % 26) for i in range(4))
        if token_id(word) in seen:
            return seen[token_id(word)], word
        seen[token_id(word)] = word
    raise AssertionError("10,000 ids for 20,000 words, and no collision")


@every_lang
def test_words_that_share_an_id_are_said_to_collide(lang):
    one, other = colliding()
    (warning,) = open_page("tokens", lang, sentences=f"{one} {other}").warning
    assert all(f"`{word}`" in warning.value for word in (one, other))
    assert str(token_id(one)) in warning.value
    assert not open_page("tokens", lang, sentences=f"{one} {one}").warning


@every_lang
def test_a_token_that_comes_twice_has_the_same_row_twice(lang):
    """E42: the repeated token collides with nothing, neither as a key nor as a label."""
    at = open_page("embedding", lang, sentences="the cat saw the dog")
    (said,) = (message for message in markdown(at) if "`the`" in message)
    assert "0, 3" in said
    (result,) = (heatmap for heatmap in drawn(at) if heatmap.name == "embedding")
    np.testing.assert_array_equal(result.values[0], result.values[3])


@in_both
def test_the_curves_of_position_are_sines_and_cosines_of_their_wavelengths(case, lang):
    """E01 with an odd d_model; E02: the exponent is 2i/d_model, once."""
    at = case.open("position", lang, pairs="0,1")
    drawn_ = chart(at, "curves")
    d_model = case.config.d_model
    dims = [dim for dim in range(4) if dim < d_model]
    assert len(drawn_.data) == len(dims)
    for dim, line in zip(dims, drawn_.data, strict=True):
        wave = math.cos if dim % 2 else math.sin
        expected = [wave(x / 10000 ** (dim // 2 * 2 / d_model)) for x in numbers(line["x"])]
        np.testing.assert_allclose(numbers(line["y"]), expected, atol=1e-5)
        length = 2 * math.pi * 10000 ** (dim // 2 * 2 / d_model)
        assert f"{length:,.1f}" in line["hovertemplate"]
        assert f"{length:,.1f}" in drawn_.alt


def test_the_position_of_both_sentences_is_the_same():
    """E04: positions run along the sequence, not along the batch."""
    found = [drawn(CASES[name].open("position")) for name in ("padded", "second")]
    one, other = (
        next(heatmap.values for heatmap in page if heatmap.name == "position") for page in found
    )
    np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(one[:, 0], np.sin(np.arange(6)), atol=1e-6)


@every_lang
def test_an_odd_d_model_ends_on_a_sine_and_the_page_says_so(lang):
    """E01"""
    said = ODD(lang, d_model=7, sines=4, cosines=3)
    assert said in text(CASES["odd"].open("position", lang))
    assert said not in text(CASES["default"].open("position", lang))


@in_both
def test_fused_equals_per_head_with_this_runs_difference(case, lang):
    run, h = case.run, case.config.h
    W = run.params.W_Q.unflatten(1, (h, -1))
    b = run.params.b_Q.unflatten(0, (h, -1)) if case.config.bias else torch.zeros(h, 1)
    separate = torch.stack([run.x @ W[:, head] + b[head] for head in range(h)], dim=1)
    difference = float((separate - run.q_heads).abs().max())
    assert difference < 1e-5
    assert f"**{difference:.3g}**" in text(case.open("projection", lang))


def addresses(case: Case) -> np.ndarray:
    """Where q_heads of the item in focus lie in the storage of q (head, seq, d_k), by hand."""
    _, h, T, d_k = case.run.q_heads.shape
    head, t, j = np.ogrid[:h, :T, :d_k]
    return case.item * T * h * d_k + t * h * d_k + head * d_k + j


@in_both
def test_the_address_formula_of_split_leads_to_the_element_in_focus(case, lang):
    run, at = case.run, (case.item, case.head, case.query, 0)
    place = addresses(case)[case.head, case.query, 0]
    said = text(case.open("split", lang))
    (formula,) = re.findall(r"= ([\d×+ ]+) = \*\*(\d+)\*\*", said)
    terms = [[int(n) for n in term.split("×")] for term in formula[0].split(" + ")]
    assert [i for i, _ in terms] == list(at)
    assert sum(i * stride for i, stride in terms) == int(formula[1]) == place
    assert run.q.flatten()[place] == run.q_heads[at]
    assert f"**{float(run.q_heads[at]):.4f}**" in said


@every_case
def test_the_curves_of_split_are_the_addresses_in_reading_order(case):
    view, swapped = (numbers(line["y"]) for line in chart(case.open("split"), "curve").data)
    expected = addresses(case).flatten()[:512]
    np.testing.assert_array_equal(swapped, expected)
    np.testing.assert_array_equal(view, np.sort(addresses(case).flatten())[:512])


def written(chart) -> list[list[int]]:
    """The address of every cell, by which its hover finds its element."""
    return chart.data[0]["meta"]["starts"]


@every_case
def test_the_grids_of_split_tell_the_addresses(case):
    at = case.open("split")
    T, width = case.run.q.shape[1:]
    memory = case.item * T * width + np.arange(T * width).reshape(T, width)
    assert written(chart(at, "memory")) == memory[:, :64].tolist()
    assert written(chart(at, f"reads-{case.head}")) == addresses(case)[case.head].tolist()


def test_few_addresses_are_written_into_their_cells():
    cells = chart(CASES["default"].open("split"), "memory").data[0]["text"]
    assert cells == [[str(8 * t + column) for column in range(8)] for t in range(4)]


@pytest.mark.parametrize("color", ["head", "token"])
def test_the_storage_is_coloured_by_head_or_by_token(color):
    """Before the merge the storage goes head by head, after it token by token."""
    at = open_page("merge", d_model=8, h=2, color=color)
    before, after = (numbers(chart(at, name).data[0]["z"]) for name in ("before", "after"))
    by_head = {
        "head": [[0] * 8, [0] * 8, [1] * 8, [1] * 8],
        "token": [[0, 0, 0, 0, 1, 1, 1, 1], [2, 2, 2, 2, 3, 3, 3, 3]] * 2,
    }
    by_token = {"head": [[0, 0, 0, 0, 1, 1, 1, 1]] * 4, "token": [[t] * 8 for t in range(4)]}
    assert before.tolist() == by_head[color]
    assert after.tolist() == by_token[color]


@in_both
def test_the_layouts_of_split_are_those_torch_reports(case, lang):
    run, found = case.run, table(case.open("split", lang))
    copied = run.q_heads.contiguous()
    expected = {
        "q": run.q,
        "q_split": run.q_split,
        "q_heads": run.q_heads,
        "q_heads.contiguous()": copied,
    }
    yes, no = {"en": ("yes", "no"), "zh": ("是", "否")}[lang]
    assert list(found) == [(name, str(tuple(t.shape))) for name, t in expected.items()]
    for (name, _), (stride, offset, contiguous, storage) in found.items():
        tensor = expected[name]
        assert stride == str(tensor.stride())
        assert offset == str(tensor.storage_offset())
        assert contiguous == (yes if tensor.is_contiguous() else no)
        shares = name != "q" and tensor.data_ptr() == run.q.data_ptr()
        assert ("`q`" in storage) == shares


@in_both
def test_scores_shows_the_score_in_focus_and_how_it_came_about(case, lang):
    """E11: divided by √d_k, not by √d_model."""
    at = (case.item, case.head, case.query, case.key)
    q, k = case.run.q_heads[at[:3]], case.run.k_heads[(*at[:2], at[3])]
    d_k = len(q)
    said = text(case.open("scores", lang))
    raw = float(case.run.raw_scores[at])
    assert raw == pytest.approx(float(q @ k), rel=1e-4, abs=1e-6)
    for number in (raw, math.sqrt(d_k), raw / math.sqrt(d_k)):
        assert f"{number:.4f}" in said
    assert f"√{d_k}" in said


@in_both
def test_mask_says_how_many_keys_the_query_sees(case, lang):
    ids = case.run.ids[case.item].tolist()
    causal = case.config.mask == "causal"
    seen = [k for k, id_ in enumerate(ids) if id_ and not (causal and k > case.query)]
    said = text(case.open("mask", lang))
    counts = {
        "en": rf".*\*\*{len(seen)} of {len(ids)}\*\*.*",
        "zh": rf".* {len(ids)} .*\*\*{len(seen)}\*\*.*",
    }
    (line,) = re.findall(counts[lang], said)
    assert len(re.findall("`[^`]+`", line)) == 1 + len(seen), "the query and all it sees"
    padding = ids.count(0)
    if padding:
        (line,) = (line for line in said.split("\n") if re.search(rf"\b{padding}\b", line))
        assert str(len(ids) - padding) in line


@every_case
def test_rows_of_attention_sum_to_one_and_hidden_keys_get_nothing(case):
    """E12, E22: every row, not every column; E13: no NaN, even for padding; E14: row 0 is 1, 0 …"""
    for heatmap in drawn(case.open("softmax")):
        np.testing.assert_allclose(heatmap.values.sum(-1), 1, atol=1e-6)
        assert not heatmap.values[:, case.run.ids[case.item].numpy() == 0].any()
        if case.config.mask == "causal":
            assert heatmap.values[0].tolist() == [1.0] + [0.0] * (len(heatmap.values) - 1)
            assert not np.triu(heatmap.values, 1).any()
        assert (heatmap.trace["zmin"], heatmap.trace["zmax"]) == (0, 1)


@in_both
def test_softmax_draws_the_row_in_focus_and_tells_the_largest_share(case, lang):
    bars = chart(case.open("softmax", lang), "bars")
    row = case.run.attn[case.item, :, case.query]
    assert len(bars.data) == case.config.h
    for head, bar in enumerate(bars.data):
        np.testing.assert_array_equal(numbers(bar["y"]), row[head].numpy())
        assert f"{float(row[head].max()):.4f}" in bars.alt


@in_both
def test_mix_weighs_the_values_with_the_shares_of_the_row_in_focus(case, lang):
    shares = case.run.attn[case.item, case.head, case.query]
    said = text(case.open("mix", lang))
    for share in shares.sort(descending=True).values[:5].tolist():
        assert share == 0 or f"**{share:.4f}** × `" in said
    written = re.findall(r"\*\*(\d\.\d{4})\*\* × `", said)
    assert len(written) == min(5, int((shares > 0).sum()))


@in_both
def test_merge_shows_what_torch_says_to_a_view_without_the_copy(case, lang):
    """E08: with one token or one head there is no error, and none is promised."""
    said = text(case.open("merge", lang))
    z, shape = case.run.z.transpose(1, 2), case.run.concat.shape
    (call,) = (line for line in said.split("\n") if ".view(" in line)
    assert ", ".join(map(str, shape)) in call
    error = error_of(lambda: z.view(shape))
    if error:
        assert "view size is not compatible with input tensor's size and stride" in error
        assert f"`{error}`" in call
    else:
        assert "not compatible" not in said
        words = {"shape": ", ".join(map(str, shape))}
        assert z.is_contiguous() == (NOT_REFUSED(lang, **words) in said), "contiguous is said to be"


def error_of(work) -> str:
    """What torch says to `work`, nothing where it does it."""
    try:
        work()
    except RuntimeError as error:
        return str(error)
    return ""


@in_both
def test_output_agrees_with_torchs_own_layer(case, lang):
    """E16, E21: the masks mean the same, and the weights are compared head by head."""
    at, run = case.open("output", lang), case.run
    found = {names: float(difference) for names, (difference,) in table(at).items()}
    theirs = {("F.scaled_dot_product_attention", "z")}
    if run.q.shape[-1] == case.config.d_model:
        theirs |= {("nn.MultiheadAttention", "output"), ("nn.MultiheadAttention", "attn")}
        assert NOT_POSSIBLE(lang) not in text(at)
    else:
        assert NOT_POSSIBLE(lang) in text(at)
    assert set(found) == theirs
    assert max(found.values()) < 1e-5


@in_both
def test_output_says_mean_and_variance_of_the_normed_row(case, lang):
    residual = case.run.x + case.run.output
    row = residual[case.item, case.query].double()
    variance = float(row.var(correction=0))
    said = text(case.open("output", lang))
    assert f"{variance / (variance + 1e-5):.4f}" in said
    sentence = HEADS.zh if lang == "zh" else HEADS.en
    (difference,) = re.findall(re.escape(sentence.split("{")[0]) + r"([\d.e+-]+)\*\*", said)
    assert float(difference) < 1e-5


@pytest.mark.parametrize(("h", "said"), [(1, False), (2, False), (4, True)])
def test_where_more_heads_read_than_are_shown_it_is_said(h, said):
    at = open_page("split", d_model=8, h=h)
    assert (TWO_HEADS("en", h=h) in [caption.value for caption in at.caption]) == said


# What is below the figures: the code at once, but not on the first page


def test_the_first_page_begins_without_its_code_all_others_with_it():
    assert not open_page("shapes").code
    assert open_page("shapes", tab="code").code
    for page in STEPS[1:] + LABS:
        assert open_page(page.slug).code, page.slug


# Under “Numbers”: every tensor that a page offers

OFFERED = [(page.slug, name) for page in STEPS for name in page.tensors]


@pytest.mark.parametrize(("slug", "name"), OFFERED, ids=map("-".join, OFFERED))
@pytest.mark.parametrize("case", [CASES["padded"], CASES["bias"]], ids=["padded", "bias"])
def test_the_table_holds_the_whole_tensor_of_item_and_head_in_focus(slug, name, case):
    at = case.open(slug, tab="numbers", tensor=name)
    assert not at.exception
    if lookup(case.run, name) is None:
        name = next(n for n in PAGES[slug].tensors if lookup(case.run, n) is not None)
    tensor = lookup(case.run, name)
    expected = tensor if tensor.dim() <= 2 else matrix(case.run, name, case.item, case.head)
    values = at.dataframe[-1].value.to_numpy()
    np.testing.assert_array_equal(values.squeeze(), expected.numpy().squeeze())
    assert at.dataframe[-1].proto.alt
    (said,) = re.findall(rf"^`{name}\[(.*?)\]`", "\n".join(m.value for m in at.markdown), re.M)
    index = [part.split(" ")[-1] for part in said.split(", ")]
    shown = tensor[tuple(slice(None) if part == ":" else int(part) for part in index)]
    np.testing.assert_array_equal(values.squeeze(), shown.numpy().squeeze())


def test_a_bias_is_one_row_and_its_index_has_one_axis():
    at = open_page("projection", "en", bias="true", tab="numbers", tensor="b_Q")
    assert ONE_ROW("en", name="b_Q[:]", columns="h·d_k") in [m.value for m in at.markdown]


def test_the_table_of_a_repeated_token_keeps_both_rows():
    """E37, E42: rows of the same name would be refused."""
    sentence = "the cat saw the dog"
    frame = open_page("softmax", sentences=sentence, tab="numbers").dataframe[-1].value
    assert len(set(frame.index)) == len(set(frame.columns)) == 5
    assert [label.split()[1].rstrip("₀₃") for label in frame.index] == sentence.split()
