import html
from itertools import pairwise

import numpy as np
import pytest
import torch

from explorer.figures.curves import Curve, bars, curves
from explorer.figures.elements import Elements
from explorer.figures.panel import Axis
from explorer.figures.theme import LIGHT
from tests.figures import LABELS, axis, numbers, read

FILLS = list(LIGHT.heads)


def test_a_curve_goes_through_its_points():
    x, y = torch.arange(5), torch.randn(5)
    (line,), _ = read(curves([Curve("a", x, y)], "x", "y", LIGHT))
    np.testing.assert_array_equal(numbers(line["x"]), x)
    np.testing.assert_array_equal(numbers(line["y"]), y)


def test_addresses_stay_whole_numbers_that_a_browser_can_read():
    """Plotly reads no 64-bit integers."""
    y = torch.tensor([0, 2**31 - 1])
    (line,), _ = read(curves([Curve("a", torch.arange(2), y)], "x", "y", LIGHT))
    assert numbers(line["y"]).tolist() == [0, 2**31 - 1]
    assert line["y"]["dtype"] in ("i4", "f8")


def test_curves_are_told_apart_by_more_than_colour():
    """Sine and cosine of a pair share a colour and differ in dash; every line has its name."""
    at = torch.arange(2)
    sine, cosine = Curve("sin <0>", at, at), Curve("cos 1", at, at, dash="dot")
    lines = [sine, cosine, Curve("c", at, at, color=9)]
    data, layout = read(curves(lines, "x", "y", LIGHT))
    looks = [(line["line"]["color"], line["line"]["dash"]) for line in data]
    assert len(set(looks)) == 3
    assert looks[0][0] == looks[1][0]
    assert [html.unescape(line["name"]) for line in data] == ["sin <0>", "cos 1", "c"]
    assert "<" not in data[0]["name"]
    assert layout["showlegend"] is True


def test_the_hover_of_a_curve_tells_its_name_and_what_is_added():
    line = Curve("sin 2", torch.arange(2), torch.arange(2), ", wavelength <62.8>")
    (trace,), layout = read(curves([line], "position", "value", LIGHT))
    assert "sin 2, wavelength &lt;62.8&gt;" in trace["hovertemplate"]
    assert layout["xaxis"]["title"]["text"] == "position"
    assert layout["yaxis"]["title"]["text"] == "value"


def test_a_span_of_the_axis_is_shaded():
    line = Curve("a", torch.arange(9), torch.arange(9))
    _, layout = read(curves([line], "x", "y", LIGHT, span=(-0.5, 3.5)))
    (shade,) = layout["shapes"]
    assert (shade["x0"], shade["x1"]) == (-0.5, 3.5)
    assert (shade["yref"], shade["y0"], shade["y1"]) == ("paper", 0, 1)
    assert "shapes" not in read(curves([line], "x", "y", LIGHT))[1]


SOME = Elements("attn", ("query", "key"), (9, 9), (9, 1), 0, ((2, 0),), column=1)


def strips(rows: int, labels: tuple[str, ...]):
    """Bars of `rows` queries, all with the same shares (E42: equal ones are no trouble)."""
    values = torch.full((rows, len(labels)), 1 / len(labels))
    names = tuple(f"head {i}" for i in range(rows))
    elements = [SOME] * rows
    data, layout = read(bars(values, names, FILLS[:rows], Axis("key", labels), elements, LIGHT))
    return values, names, data, layout


@pytest.mark.parametrize("rows", [1, 2, 8])
def test_every_row_has_a_strip_of_its_own_and_all_have_one_height(rows):
    values, names, data, layout = strips(rows, ("a", "b", "c"))
    assert len(data) == rows
    domains = []
    assert [bar["marker"]["color"] for bar in data] == FILLS[:rows]
    for bar, row in zip(data, values, strict=True):
        np.testing.assert_array_equal(numbers(bar["y"]), row)
        strip = axis(layout, bar, "y")
        assert strip["range"] == [0, 0.5], "shares of a third: the next round height"
        domains.append(strip["domain"])
    assert all(above[0] > below[1] for above, below in pairwise(domains)), "the first on top"
    assert all(0 <= low < high <= 1 for low, high in domains)
    titles = sorted(layout["annotations"], key=lambda words: -words["y"])
    assert [words["text"] for words in titles] == list(names)


@pytest.mark.parametrize(("largest", "height"), [(0.02, 0.1), (0.25, 0.25), (0.6, 1), (1.0, 1)])
def test_bars_are_as_high_as_the_next_round_share(largest, height):
    values, keys = torch.tensor([[0.01, largest]]), Axis("key", ("x", "y"))
    _, layout = read(bars(values, ("a",), FILLS[:1], keys, [SOME], LIGHT))
    assert layout["yaxis1"]["range"] == [0, height]


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_bars_stand_at_whole_numbers_under_literal_labels(labels):
    """E31, E32, E34"""
    _, _, data, layout = strips(2, labels)
    for bar in data:
        assert bar["x"] == [0, 1, 2, 3, 4]
    shown = layout["xaxis"]
    assert shown["tickvals"] == [0, 1, 2, 3, 4]
    assert [html.unescape(label) for label in shown["ticktext"]] == list(labels)
    assert not any("<" in label for label in shown["ticktext"])


@pytest.mark.parametrize(("keys", "written"), [(12, True), (13, False)])
def test_shares_are_written_only_where_they_fit(keys, written):
    _, _, (bar,), _ = strips(1, tuple(map(str, range(keys))))
    assert bool(bar["texttemplate"]) == written
