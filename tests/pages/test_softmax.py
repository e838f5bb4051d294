"""The softmax page: its heads sorted, and its attention as lines."""

import re

import numpy as np
import pytest
from torch.distributions import Categorical

from explorer.core import Config, attend
from explorer.steps.attention_lines import LEFT_OUT
from explorer.steps.head_order import DEFINED, PADDING, SOME
from explorer.text import LANGS
from tests.figures import numbers
from tests.pages import chart, charts, drawn, open_page, text, widget

every_lang = pytest.mark.parametrize("lang", LANGS)
SIXTEEN = Config(d_model=64, h=16)
WORDS = " ".join("abcdefghijklmnopqrstuvwxyz0123456789")


def titles(at) -> list[str]:
    """The titles of all panels of attention, from left to right and top to bottom."""
    found = []
    for name in ("attn-left", "attn-right"):
        notes = chart(at, name).layout["annotations"]
        found += [note["text"] for note in notes if re.search(r"(head|头) \d", note["text"])]
    return found


@every_lang
def test_heads_are_sorted_by_the_mean_entropy_of_their_rows(lang):
    """The oracle is torch's own distribution."""
    entropy = Categorical(probs=attend(SIXTEEN).attn[0]).entropy().mean(-1)
    order = entropy.argsort().tolist()
    at = open_page("softmax", lang, d_model=64, h=16, order="entropy", head=order[11])
    shown = order[8:]
    assert [heatmap.head for heatmap in drawn(at)] == shown
    head, unit = {"en": ("head", "nats"), "zh": ("头", "奈特")}[lang]
    assert titles(at) == [f"{head} {i} · {float(entropy[i]):.3f} {unit}" for i in shown]
    assert DEFINED["entropy"](lang, padding="") in text(at)
    assert SOME(lang, first=9, last=16, h=16, head=order[11]) in text(at)
    rows = [numbers(bar["y"]) for bar in chart(at, "bars").data]
    np.testing.assert_array_equal(rows, attend(SIXTEEN).attn[0, shown, 3])


@every_lang
def test_heads_are_sorted_by_their_distance_from_uniform(lang):
    attn = attend(SIXTEEN).attn[0].numpy()
    even = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    distance = np.maximum(attn - even, 0).sum(-1).mean(-1)
    order = np.argsort(-distance)[:8].tolist()
    at = open_page("softmax", lang, d_model=64, h=16, order="uniform", head=order[0])
    assert [heatmap.head for heatmap in drawn(at)] == order
    assert [float(title.split(" · ")[1]) for title in titles(at)] == pytest.approx(
        distance[order], abs=6e-4
    )
    assert DEFINED["uniform"](lang, padding="") in text(at)


@every_lang
def test_queries_of_padding_are_left_out_of_the_order_and_said_to_be(lang):
    sentences = ("我爱你", "the cat sat on the mat")
    entropy = Categorical(probs=attend(Config(sentences)).attn[0, :, :1]).entropy().mean(-1)
    at = open_page("softmax", lang, sentences="\n".join(sentences), order="entropy")
    assert PADDING(lang, n=5) in text(at)
    assert {title.split(" · ")[1].split()[0] for title in titles(at)} == {
        f"{abs(float(value)):.3f}" for value in entropy
    }


def test_a_head_keeps_its_colour_wherever_it_is_sorted_to():
    fills = {}
    for order in ("number", "entropy", "uniform"):
        bars = chart(open_page("softmax", h=8, order=order), "bars")
        for note, bar in zip(bars.layout["annotations"], bars.data, strict=True):
            fills.setdefault(note["text"].split(" · ")[0], set()).add(bar["marker"]["color"])
    assert len(fills) == 8
    assert {len(colors) for colors in fills.values()} == {1}


def test_one_head_has_no_order():
    assert not widget(open_page("softmax", h=1), "order")
    assert not open_page("softmax", h=1, order="entropy").exception


# Lines


@every_lang
def test_attention_is_drawn_as_lines_of_the_head_in_focus(lang):
    at = open_page("softmax", lang, draw="lines", head=1, query=2)
    attn = attend(Config()).attn[0, 1]
    found = chart(at, "lines")
    assert not drawn(at)
    told = {tuple(line) for trace in found.data for line in numbers(trace["customdata"]).tolist()}
    assert told == {(q, k, float(attn[q, k])) for q in range(4) for k in range(q + 1)}
    assert {trace["meta"]["starts"][0][1] for trace in found.data} == {1}
    tokens = ["我", "爱", "深度"]
    for key in range(3):
        assert f"{tokens[key]} {float(attn[2, key]):.4f}" in found.alt
    assert "10" in found.alt


@every_lang
@pytest.mark.parametrize("mask", ["causal", "none"])
def test_lines_that_are_left_out_are_counted_and_weighed(lang, mask):
    config = Config((WORDS,), mask=mask)
    attn = attend(config).attn[0, 0]
    T = len(attn)
    at = open_page("softmax", lang, sentences=WORDS, mask=mask, draw="lines", query=30)
    (said,) = (c.value for c in at.caption if re.search(r"\d+\.\d{2}.*%", c.value))
    threshold = float(re.search(r"\d\.\d+", said)[0])
    others = attn[[q for q in range(T) if q != 30]]
    lost = others[(others > 0) & (others < threshold)]
    share = float(lost.sum()) / (T - 1)
    words = {"threshold": threshold, "n": len(lost), "weight": float(lost.sum())}
    assert said == LEFT_OUT(lang, **words, all=T - 1, share=share)
    lines = chart(at, "lines").data
    told = {tuple(line) for trace in lines for line in numbers(trace["customdata"]).tolist()}
    assert len(told) == int((others >= threshold).sum()) + int((attn[30] > 0).sum())


def test_the_map_has_no_lines_and_the_lines_no_map():
    assert not [key for key in charts(open_page("softmax")) if "lines" in key]
    assert not [key for key in charts(open_page("softmax", draw="lines")) if "attn" in key]
