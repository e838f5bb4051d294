"""Two figures on one range, one taken from the other, and both made narrow."""

from dataclasses import replace
from itertools import pairwise
from math import inf

import numpy as np
import pytest
import torch

from explorer.figures.compare import on_one_range
from explorer.figures.curves import Curve, bars, curves
from explorer.figures.difference import Words, difference
from explorer.figures.elements import Elements
from explorer.figures.matrix import product, wall
from explorer.figures.narrow import fit
from explorer.figures.panel import Axis, Panel, share, signed
from explorer.figures.theme import LIGHT, Figure
from tests.figures import axis, numbers, read

WORDS = Words("now − then =", "masked in both", "masked then", "masked now")


def panel(values: torch.Tensor, title: str = "p", **more) -> Panel:
    rows, columns = (Axis("n", tuple(map(str, range(n)))) for n in values.shape)
    return Panel("t", values, rows, columns, title, **more)


def walled(*values: torch.Tensor) -> Figure:
    return wall([panel(v) for v in values], 2, signed(LIGHT, *values), LIGHT)


def multiplied(scale: float) -> Figure:
    """A product of which the upper matrix has a scale of its own."""
    left, above = torch.eye(2) * scale, torch.ones(2, 3) * scale / 100
    parts = [panel(left), panel(above, "W", scale=signed(LIGHT, above)), panel(left @ above)]
    return product(*parts, signed(LIGHT, left), LIGHT)


def strips(values: torch.Tensor) -> Figure:
    names = tuple(f"head {i} · 0.5" for i in range(len(values)))
    keys = Axis("key", tuple("abcdefgh"[: values.shape[1]]))
    elements = [Elements("attn", ("key",), (9,), (1,), 0, ((0,),), column=0)] * len(values)
    return bars(values, names, list(LIGHT.heads), keys, elements, LIGHT)


# One range


@pytest.mark.parametrize("order", [1, -1])
def test_the_wider_scale_is_that_of_both_and_the_bar_tells_it(order):
    figures = [walled(torch.full((2, 2), v), torch.zeros(2, 2)) for v in (1.0, 4.0)][::order]
    for figure, shown in zip(figures, on_one_range(*figures, LIGHT), strict=True):
        data, _ = read(shown)
        assert [(trace["zmin"], trace["zmax"]) for trace in data] == [(-4, 4)] * 2
        assert data[0]["colorbar"]["tickvals"] == [-4, 0, 4]
        assert data[0]["colorbar"]["ticktext"] == ["−4", "0", "4"]
        assert [trace["z"] for trace in data] == [trace["z"] for trace in read(figure)[0]]


def test_walls_of_different_sizes_share_a_range_too():
    first, second = walled(torch.ones(2, 2)), walled(*[torch.full((3, 3), 7.0)] * 4)
    for shown in on_one_range(first, second, LIGHT):
        assert {trace["zmax"] for trace in read(shown)[0]} == {7}


def test_a_panel_with_a_scale_of_its_own_shares_it_with_its_like_and_its_title_tells_it():
    for shown in on_one_range(multiplied(1), multiplied(3), LIGHT):
        data, layout = read(shown)
        assert [trace["zmax"] for trace in data] == pytest.approx([3, 3, 0.03])
        assert "W · ±0.03" in [note["text"] for note in layout["annotations"]]


def test_a_share_stays_between_0_and_1():
    figure = wall([panel(torch.rand(2, 2))], 1, share(LIGHT), LIGHT)
    for shown in on_one_range(figure, figure, LIGHT):
        (trace,), _ = read(shown)
        assert (trace["zmin"], trace["zmax"]) == (0, 1)
        assert [color for _, color in trace["colorscale"]] == list(LIGHT.share)


def test_the_figures_that_were_given_stay_as_they_were():
    first, second = walled(torch.ones(2, 2)), walled(torch.ones(2, 2) * 2)
    before = [read(figure) for figure in (first, second)]
    on_one_range(first, second, LIGHT)
    difference(first, second, WORDS, LIGHT)
    fit(first, 100)
    assert [read(figure) for figure in (first, second)] == before


def test_strips_of_bars_have_one_height():
    few, many = strips(torch.tensor([[0.05, 0.05]])), strips(torch.tensor([[0.4, 0.6]] * 3))
    for shown in on_one_range(few, many, LIGHT):
        data, layout = read(shown)
        assert {tuple(axis(layout, bar, "y")["range"]) for bar in data} == {(0, 1)}


def test_curves_have_axes_that_hold_the_points_of_both():
    lines = [Curve("a", torch.arange(n), torch.arange(n) * 2.0) for n in (5, 9)]
    for shown in on_one_range(*(curves([line], "x", "y", LIGHT) for line in lines), LIGHT):
        _, layout = read(shown)
        for which, last in (("x", 8), ("y", 16)):
            low, high = layout[f"{which}axis"]["range"]
            assert low <= 0
            assert last <= high < 1.1 * last


# The difference


def test_a_difference_is_the_second_minus_the_first_on_a_scale_of_its_own():
    first, second = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.5, 2.0], [1.0, 4.0]])
    found = difference(walled(first), walled(second), WORDS, LIGHT)
    (trace,), _ = read(found.figure)
    np.testing.assert_array_equal(numbers(trace["z"]), [[0.5, 0], [-2, 0]])
    assert (trace["zmin"], trace["zmax"], found.largest) == (-2, 2, 2)
    assert [color for _, color in trace["colorscale"]] == list(LIGHT.signed)
    assert trace["colorbar"]["tickvals"] == [-2, 0, 2]
    assert trace["hovertemplate"].startswith("t[n %{y}, n %{x}]: now − then = %{z:+")
    assert (found.before, found.now) == (0, 0)


def test_a_cell_masked_in_both_is_masked_and_one_masked_in_one_alone_is_told_as_such():
    first = torch.tensor([[1.0, -inf, -inf, 5.0]])
    second = torch.tensor([[2.0, -inf, 3.0, -inf]])
    found = difference(walled(first), walled(second), WORDS, LIGHT)
    (seen, *others), _ = read(found.figure)
    np.testing.assert_array_equal(numbers(seen["z"]), [[1, np.nan, np.nan, np.nan]])
    assert (found.largest, found.before, found.now) == (1, 1, 1)
    there = [np.flatnonzero(~np.isnan(numbers(trace["z"]))).tolist() for trace in others]
    assert there == [[1], [2], [3]]
    said = [trace["hovertemplate"].split(": ")[1] for trace in others]
    assert said == [f"{w}<extra></extra>" for w in ("masked in both", "masked then", "masked now")]
    fills = [{color for _, color in trace["colorscale"]} for trace in others]
    assert fills[0] == {LIGHT.masked}
    assert len(set(map(frozenset, fills))) == 3
    assert not set().union(*fills) & set(LIGHT.signed)


def test_two_equal_figures_differ_by_0_and_by_nothing_where_all_is_masked():
    for values in (torch.ones(2, 2), torch.full((2, 2), -inf)):
        found = difference(walled(values), walled(values), WORDS, LIGHT)
        assert (found.largest, found.before, found.now) == (0, 0, 0)
        assert read(found.figure)[0][0]["zmax"] == 1


def test_the_panels_of_a_figure_share_the_scale_of_a_difference_but_for_those_with_their_own():
    first, second = multiplied(1), multiplied(3)
    data, layout = read(difference(first, second, WORDS, LIGHT).figure)
    assert [trace["zmax"] for trace in data] == pytest.approx([2, 2, 0.02])
    assert "W · ±0.02" in [note["text"] for note in layout["annotations"]]
    pair = (torch.ones(2, 2), torch.zeros(2, 2)), (torch.zeros(2, 2), torch.full((2, 2), -9.0))
    data, _ = read(difference(walled(*pair[0]), walled(*pair[1]), WORDS, LIGHT).figure)
    assert [trace["zmax"] for trace in data] == [9, 9]


def test_bars_are_taken_from_each_other_around_0():
    first, second = torch.tensor([[0.1, 0.9], [0.5, 0.5]]), torch.tensor([[0.3, 0.7], [0.5, 0.5]])
    found = difference(strips(first), strips(second), WORDS, LIGHT)
    data, layout = read(found.figure)
    np.testing.assert_allclose([numbers(bar["y"]) for bar in data], second - first)
    assert found.largest == pytest.approx(0.2)
    for bar in data:
        shown = axis(layout, bar, "y")
        assert shown["range"] == pytest.approx([-0.2, 0.2])
        assert shown["ticktext"] == ["−0.2", "0", "+0.2"]
        assert bar["meta"]["sign"] == "now − then ="
    assert [note["text"] for note in layout["annotations"]] == ["head 0", "head 1"], "no 0.5 of now"


# Few pixels


def test_with_few_pixels_numbers_shrink_and_then_leave_their_cells():
    figure = walled(torch.zeros(2, 8))
    fonts = []
    for pixels in (900, 320, 300, 200):
        (trace,), _ = read(fit(figure, pixels))
        fonts.append(trace["textfont"]["size"] if trace["texttemplate"] else 0)
    assert fonts[0] == 12
    assert fonts == sorted(fonts, reverse=True)
    assert fonts[-1] == 0
    assert 8 <= fonts[1] < 12


def test_with_few_pixels_labels_are_left_out_evenly():
    (trace,), layout = read(fit(walled(torch.zeros(2, 64)), 200))
    shown = axis(layout, trace, "x")
    assert 5 < len(shown["tickvals"]) <= 140 / 14, "numbers of two digits lie flat"
    assert len({b - a for a, b in pairwise(shown["tickvals"])}) == 1
    assert shown["ticktext"] == [str(i) for i in shown["tickvals"]]


def test_with_few_pixels_tokens_stand_upright_and_all_are_written():
    tokens = Axis("n", ("extraordinarily",) * 16)
    part = replace(panel(torch.zeros(2, 16)), columns=tokens)
    (trace,), layout = read(fit(wall([part], 1, share(LIGHT), LIGHT), 200))
    assert len(axis(layout, trace, "x")["ticktext"]) == 16


def test_with_few_pixels_a_long_title_is_written_smaller():
    long = replace(panel(torch.zeros(2, 2)), title="<b>a title</b> that goes on and on, and on")
    _, layout = read(fit(wall([long], 1, share(LIGHT), LIGHT), 250))
    sizes = {note["text"]: note["font"]["size"] for note in layout["annotations"]}
    assert 6 < sizes[long.title] < 13
