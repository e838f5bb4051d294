import html

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.figures.elements import Elements
from explorer.figures.lines import MOST, choose, lines
from explorer.figures.panel import Axis
from explorer.figures.theme import LIGHT
from tests.figures import LABELS, numbers, read


def attention(T: int, sharpness: float = 1, seed: int = 0) -> torch.Tensor:
    scores = torch.randn(T, T, generator=torch.Generator().manual_seed(seed)) * sharpness
    return scores.masked_fill(torch.ones(T, T).triu(1) > 0, -torch.inf).softmax(-1)


SOME = Elements("attn", ("query", "key"), (99, 99), (99, 1), 0, ((0, 0),), 0, 1)


def drawn(weights: torch.Tensor, query: int = 0, labels: tuple[str, ...] = ()) -> tuple:
    labels = labels or tuple(f"t{i}" for i in range(len(weights)))
    axes = Axis("query", labels), Axis("key", labels)
    color = LIGHT.lines[0]
    return read(lines(weights, choose(weights, query), *axes, query, SOME, color, LIGHT))


def ends(trace: dict) -> list[tuple[float, float]]:
    """Where each line of a trace starts and ends."""
    x, y = numbers(trace["x"]), numbers(trace["y"])
    gaps = np.flatnonzero(np.isnan(x))
    assert (np.isnan(y) == np.isnan(x)).all()
    starts = [0, *(gaps[:-1] + 1)]
    found = []
    for start, stop in zip(starts, gaps, strict=True):
        assert (x[start], x[stop - 1]) == (0, 1)
        np.testing.assert_allclose(
            y[start:stop], y[start] + (y[stop - 1] - y[start]) * x[start:stop], atol=1e-4
        )
        found.append((float(y[start]), float(y[stop - 1])))
    return found


def test_every_weight_above_0_is_a_straight_line_from_its_query_to_its_key():
    weights = attention(5)
    data, _ = drawn(weights, 3)
    pairs = [pair for trace in data for pair in ends(trace)]
    assert sorted(pairs) == [(q, k) for q in range(5) for k in range(q + 1)]


def test_a_line_is_as_thick_as_its_weight_is_large():
    data, _ = drawn(torch.tensor([[1.0, 0.0], [0.25, 0.75]]), 0)
    thick = {pair: trace["line"]["width"] for trace in data for pair in ends(trace)}
    assert thick[0, 0] == pytest.approx(4 * thick[1, 0])
    assert thick[1, 1] == pytest.approx(3 * thick[1, 0])


def test_the_lines_of_the_query_in_focus_are_at_full_strength_and_on_top():
    data, layout = drawn(attention(6), 4)
    strong = [bool({q for q, _ in ends(trace)} == {4}) for trace in data]
    assert strong == sorted(strong), "drawn last"
    for trace, is_strong in zip(data, strong, strict=True):
        assert (trace["opacity"] == 1) == is_strong
        assert trace["line"]["color"] == LIGHT.lines[0]
    assert layout["yaxis"]["ticktext"][4] == "<b>t4</b>"


def test_a_hover_finds_a_line_all_along_and_knows_query_key_and_weight():
    weights = attention(3)
    data, _ = drawn(weights, 2)
    for trace in data:
        assert (trace["hoverinfo"], trace["meta"]["tensor"]) == ("none", "attn")
        x, y, known = (numbers(trace[name]) for name in ("x", "y", "customdata"))
        for (query, key, weight), (q, k) in zip(known[::8].tolist(), ends(trace), strict=True):
            assert (query, key) == (q, k)
            assert weight == weights[int(q), int(k)]
        assert len(known) == len(x) == len(y)


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_tokens_are_written_literally_on_both_sides(labels):
    data, layout = drawn(attention(5), 1, labels)
    for side, bold in (("yaxis", 1), ("yaxis2", None)):
        shown = layout[side]
        plain = [
            text.removeprefix("<b>").removesuffix("</b>") if i == bold else text
            for i, text in enumerate(shown["ticktext"])
        ]
        assert [html.unescape(text) for text in plain] == list(labels)
        assert not any("<" in text for text in plain)
        assert shown["tickvals"] == [0, 1, 2, 3, 4]
        assert shown["range"] == [4.5, -0.5], "the first token on top"
    assert {trace["yaxis"] for trace in data} == {"y", "y2"}, "an axis without lines is not drawn"


@settings(deadline=None, max_examples=60)
@given(
    T=st.sampled_from([1, 2, 12, 32, 64]),
    sharpness=st.sampled_from([0.0, 0.5, 3.0, 40.0]),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_of_many_weights_the_smaller_ones_of_other_queries_are_left_out(T, sharpness, seed, data):
    weights, query = attention(T, sharpness, seed), data.draw(st.integers(0, T - 1))
    chosen = choose(weights, query)
    kept = {(q, k) for q, k in chosen.drawn.nonzero().tolist()}
    lost = [(q, k) for q in range(T) for k in range(T) if weights[q, k] > 0 and (q, k) not in kept]
    assert len([q for q, _ in kept if q != query]) <= MOST
    assert all(q != query and weights[q, k] < chosen.threshold for q, k in lost)
    assert all(q == query or weights[q, k] >= chosen.threshold for q, k in kept)
    assert chosen.left_out == len(lost)
    assert chosen.weight == pytest.approx(sum(float(weights[pair]) for pair in lost), abs=1e-4)
    if T <= 12:
        assert not lost


@pytest.mark.parametrize("T", [1, 32, 64])
def test_many_tokens_stay_readable(T):
    """A figure grows with its tokens, and no label lies on the next one."""
    data, layout = drawn(attention(T), T - 1)
    pixels = layout["height"] / T
    assert layout["yaxis"]["tickfont"]["size"] <= pixels
    assert len(layout["yaxis"]["ticktext"]) == T
    assert layout["height"] <= 900
    assert len(data) <= 42, "as many looks as half pixels, not as many traces as lines"


def test_of_hundreds_of_queries_that_each_look_at_one_key_all_are_drawn():
    weights = torch.eye(MOST + 2)
    assert int(choose(weights, 0).drawn.sum()) == MOST + 2
