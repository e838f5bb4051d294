import html
from dataclasses import replace
from itertools import pairwise
from math import inf, nan

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.figures.elements import Elements
from explorer.figures.matrix import product, wall
from explorer.figures.panel import Axis, Band, Panel, share, signed
from explorer.figures.theme import DARK, LIGHT
from tests.figures import LABELS, axis, numbers, read


def counted(n: int) -> Axis:
    return Axis("n", tuple(map(str, range(n))), counted=True)


def panel(values: torch.Tensor, **more) -> Panel:
    rows, columns = (counted(n) for n in values.shape)
    return Panel("t", values, **{"rows": rows, "columns": columns} | more)


def drawn(*panels: Panel, per_row: int = 2, colors=LIGHT) -> tuple[list[dict], dict]:
    scale = signed(colors, *(p.values for p in panels))
    return read(wall(list(panels), per_row, scale, colors))


def causal(n: int) -> torch.Tensor:
    return torch.arange(float(n * n)).view(n, n).masked_fill(torch.ones(n, n).triu(1) > 0, -inf)


@pytest.mark.parametrize(
    "values",
    [torch.randn(3, 5), torch.randn(5, 3).T, torch.randn(2, 4, 6)[1, :, ::2], torch.ones(1, 1)],
    ids=["plain", "transposed", "strided", "single"],
)
def test_a_cell_is_the_element_in_its_row_and_column(values):
    (trace,), _ = drawn(panel(values))
    np.testing.assert_array_equal(numbers(trace["z"]), values.numpy())
    assert "x" not in trace
    assert "y" not in trace  # E31: cells stand at 0, 1, 2 …, not at their labels


# −∞ and NaN


def test_a_cell_that_is_no_number_says_so_and_is_no_gap():
    values = torch.tensor([[nan, 1.0, -inf], [2.0, nan, 3.0]])
    (seen, masked, lost), _ = drawn(panel(values))
    for trace, there in ((masked, values.isneginf()), (lost, values.isnan())):
        np.testing.assert_array_equal(np.isnan(numbers(trace["z"])), ~there.numpy())
    assert lost["text"] == [["NaN", "", ""], ["", "NaN", ""]]
    assert lost["texttemplate"]
    assert "= NaN" in lost["hovertemplate"]
    fills = [{color for _, color in trace["colorscale"]} for trace in (masked, lost)]
    assert fills[0] != fills[1]
    assert seen["zmin"] == -3


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("values", [causal(4), torch.full((2, 3), -inf)], ids=["some", "all"])
def test_a_masked_cell_is_a_cell_of_its_own_colour(values, colors):
    """E37: neither a gap nor a colour of the scale, and never the end of the scale."""
    (seen, masked), _ = drawn(panel(values), colors=colors)
    hidden = values.isneginf().numpy()
    np.testing.assert_array_equal(np.isnan(numbers(seen["z"])), hidden)
    np.testing.assert_array_equal(np.isnan(numbers(masked["z"])), ~hidden)
    assert {color for _, color in masked["colorscale"]} == {colors.masked}
    assert colors.masked not in {color for _, color in seen["colorscale"]}
    assert "−∞" in masked["hovertemplate"]
    assert "%{z" not in masked["hovertemplate"]
    assert np.isfinite([seen["zmin"], seen["zmax"]]).all()
    written = np.array(masked["text"])
    assert (written[hidden] == "−∞").all()
    assert (written[~hidden] == "").all()
    assert (seen["xaxis"], seen["yaxis"]) == (masked["xaxis"], masked["yaxis"])


def test_nothing_masked_is_one_trace():
    assert len(drawn(panel(torch.zeros(2, 2)))[0]) == 1


# Scales


def test_a_signed_scale_is_centred_on_zero_and_holds_every_finite_number():
    scale = signed(LIGHT, torch.tensor([-3.0, 1.0, -inf]), torch.tensor([2.0]))
    assert (scale.low, scale.high) == (-3, 3)
    assert scale.colors == LIGHT.signed


@pytest.mark.parametrize("values", [[0.0, 0.0], [-inf, -inf], [nan, -inf]])
def test_a_signed_scale_of_nothing_is_still_a_scale(values):
    scale = signed(LIGHT, torch.tensor(values))
    assert (scale.low, scale.high) == (-1, 1)


def test_a_share_is_coloured_from_0_to_1_whatever_the_shares():
    part = panel(torch.full((2, 2), 0.3))
    (trace,), _ = read(wall([part], 1, share(LIGHT), LIGHT))
    assert (trace["zmin"], trace["zmax"]) == (0, 1)
    assert [color for _, color in trace["colorscale"]] == list(LIGHT.share)


def test_all_panels_of_a_wall_are_on_one_scale_with_one_bar():
    """So that heads can be compared; E37: a masked panel too."""
    traces, _ = drawn(*(panel(i * causal(3)) for i in range(1, 5)))
    seen = [trace for trace in traces if "zmin" in trace]
    assert len(seen) == 4
    assert {(trace["zmin"], trace["zmax"]) for trace in seen} == {(-32, 32)}
    assert [trace["showscale"] for trace in traces].count(True) == 1


def test_a_panel_with_a_scale_of_its_own_keeps_it_and_the_bar_is_of_the_others():
    left, above, result = (panel(torch.ones(2, 2)) for _ in range(3))
    left = replace(left, scale=share(LIGHT))
    traces, _ = read(product(left, above, result, signed(LIGHT, torch.tensor([5.0])), LIGHT))
    assert [(trace["zmin"], trace["zmax"]) for trace in traces] == [(0, 1), (-5, 5), (-5, 5)]
    (bar,) = (trace["colorbar"] for trace in traces if trace["showscale"])
    assert bar["tickvals"] == [-5, 0, 5]


# Axes


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_are_shown_literally_at_whole_numbers(labels):
    """E31, E32, E34: never as categories, which merge, nor as numbers, dates or markup."""
    tokens = Axis("token", labels)
    (trace,), layout = drawn(panel(torch.zeros(5, 5), rows=tokens, columns=tokens))
    for which in "xy":
        shown = axis(layout, trace, which)
        assert shown["tickvals"] == [0, 1, 2, 3, 4]
        assert [html.unescape(label) for label in shown["ticktext"]] == list(labels)
        assert not any("<" in label for label in shown["ticktext"])
        assert sorted(shown["range"]) == [-0.5, 4.5]


@pytest.mark.parametrize("n", [1, 2, 40])
def test_row_0_is_on_top_and_column_0_on_the_left(n):
    """E36: else a causal mask would look upper-triangular."""
    (trace, *_), layout = drawn(panel(torch.zeros(n, n)))
    assert axis(layout, trace, "y")["range"] == [n - 0.5, -0.5]
    assert axis(layout, trace, "x")["range"] == [-0.5, n - 0.5]


@pytest.mark.parametrize("n", [1, 16, 17, 60, 64])
@pytest.mark.parametrize("is_counted", [True, False])
def test_a_label_stands_at_its_own_position_and_those_left_out_are_left_out_evenly(n, is_counted):
    """E39: labels that have no room are left out here, and not silently by Plotly."""
    labels = Axis("n", tuple(f"t{i}" for i in range(n)), counted=is_counted)
    (trace,), layout = drawn(panel(torch.zeros(n, n), rows=labels, columns=labels), per_row=1)
    for which in "xy":
        shown = axis(layout, trace, which)
        assert shown["ticktext"] == [labels.labels[i] for i in shown["tickvals"]]
        assert len({b - a for a, b in pairwise(shown["tickvals"])}) <= 1
        assert shown["tickvals"][0] == 0
        if n <= 16:
            assert len(shown["tickvals"]) == n


def test_all_tokens_are_written_along_a_wide_axis():
    """E39: 60 tokens over the width of a page."""
    labels = Axis("n", tuple(f"t{i}" for i in range(60)))
    (trace,), layout = drawn(panel(torch.zeros(2, 60), columns=labels), per_row=1)
    assert len(axis(layout, trace, "x")["ticktext"]) == 60


def boxes(traces: list[dict], layout: dict) -> list[tuple[float, ...]]:
    """Where the panels lie, as left, right, bottom, top."""
    return [
        (*axis(layout, trace, "x")["domain"], *axis(layout, trace, "y")["domain"])
        for trace in traces
    ]


@settings(deadline=None, max_examples=60)
@given(count=st.integers(1, 8), per_row=st.integers(1, 3), size=st.sampled_from([1, 4, 30]))
def test_panels_lie_beside_and_below_each_other(count, per_row, size):
    traces, layout = drawn(*(panel(torch.zeros(size, size)) for _ in range(count)), per_row=per_row)
    places = boxes(traces, layout)
    for i, (left, right, bottom, top) in enumerate(places):
        assert 0 <= left < right <= 1 + 1e-9
        assert 0 <= bottom < top <= 1
        for other in places[:i]:
            apart = other[1] <= left + 1e-9 or other[2] >= top - 1e-9
            assert apart, "left to right, then top to bottom"


# Words in and around the cells


@pytest.mark.parametrize(("columns", "written"), [(1, True), (12, True), (13, False), (64, False)])
def test_numbers_are_written_only_where_they_fit(columns, written):
    values = torch.zeros(2, columns).masked_fill(torch.arange(columns) == 0, -inf)
    for trace in drawn(panel(values), per_row=1)[0]:
        assert bool(trace.get("texttemplate")) == written


def test_panels_beside_each_other_share_the_room_for_numbers():
    narrow, wide = ([panel(torch.zeros(2, n))] * 2 for n in (6, 7))
    assert all(trace["texttemplate"] for trace in drawn(*narrow)[0])
    assert not any(trace["texttemplate"] for trace in drawn(*wide)[0])


def test_a_hover_names_what_is_no_element_of_the_run_by_its_labels():
    (trace,), _ = drawn(panel(torch.zeros(2, 2)))
    assert trace["hovertemplate"].startswith("t[n %{y}, n %{x}] = %{z")


def test_a_cell_that_is_an_element_leaves_its_name_to_the_browser():
    cells = Elements("q", ("seq", "d_k"), (9, 8), (8, 1), 0, ((3, 4),), 0, 1)
    (seen, masked), _ = drawn(panel(torch.tensor([[0.0, -inf]]), elements=cells))
    for trace, word in ((seen, ""), (masked, "−∞")):
        assert (trace["hoverinfo"], trace["meta"]["word"]) == ("none", word)
        assert trace["meta"]["starts"] == [[3, 4]]
    assert "hovertemplate" not in seen


def test_many_masked_elements_show_a_ground_of_their_colour():
    """A second trace would send every cell again."""
    cells = Elements("mask", ("query", "key"), (40, 40), (40, 1), 0, ((0, 0),), 0, 1)
    (trace,), layout = drawn(panel(causal(40), elements=cells))
    (ground,) = layout["shapes"]
    assert (ground["layer"], ground["fillcolor"]) == ("below", LIGHT.masked)
    assert [ground[edge] for edge in ("x0", "x1", "y0", "y1")] == [-0.5, 39.5] * 2
    np.testing.assert_array_equal(np.isnan(numbers(trace["z"])), causal(40).isneginf())


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_lit_is_framed_each_kind_in_a_line_of_its_own(colors):
    mask = torch.zeros(3, 4, dtype=torch.bool).numpy()
    picked, made = mask.copy(), mask.copy()
    picked[1, 2] = True
    made[0, 1:3] = made[2, 3] = True
    lit = {"picked": picked, "made": made, "feeds": mask}
    _, layout = drawn(panel(torch.zeros(3, 4), lit=lit), colors=colors)
    frames = [
        (shape["line"]["dash"], *(shape[edge] for edge in ("x0", "x1", "y0", "y1")))
        for shape in layout["shapes"]
    ]
    assert sorted(frames) == [
        ("dash", 0.5, 2.5, -0.5, 0.5),
        ("dash", 2.5, 3.5, 1.5, 2.5),
        ("solid", 1.5, 2.5, 0.5, 1.5),
    ]
    assert {shape["line"]["color"] for shape in layout["shapes"]} == {colors.lit}


def test_the_outline_lies_around_the_cells_in_focus():
    (trace,), layout = drawn(panel(torch.zeros(4, 6), outline=(2, 1, 1, 3)))
    (shape,) = layout["shapes"]
    assert (shape["xref"], shape["yref"]) == (trace["xaxis"], trace["yaxis"])
    assert [shape[edge] for edge in ("x0", "x1", "y0", "y1")] == [0.5, 3.5, 1.5, 2.5]


def test_bands_lie_over_the_columns_of_their_heads_and_carry_their_number():
    bands = (Band(0, 0, 3), Band(1, 3, 6), Band(9, 6, 7))
    (trace,), layout = drawn(panel(torch.zeros(2, 7), bands=bands))
    top = axis(layout, trace, "y")["domain"][1]
    for shape, band in zip(layout["shapes"], bands, strict=True):
        assert (shape["x0"], shape["x1"]) == (band.start - 0.5, band.stop - 0.5)
        assert shape["xref"] == trace["xaxis"]
        assert shape["label"]["text"] == str(band.head)
        assert min(shape["y0"], shape["y1"]) >= top
        assert shape["fillcolor"] == LIGHT.heads[band.head % len(LIGHT.heads)]


# The product and its crosshair


@pytest.fixture(params=[(4, 8, 4), (1, 1, 1), (3, 64, 2), (2, 3, 64)], ids=str)
def multiplied(request) -> tuple[torch.Tensor, torch.Tensor, list[dict], dict]:
    n, m, p = request.param
    a, b = torch.randn(n, m), torch.randn(m, p)
    scale = signed(LIGHT, a, b, a @ b)
    return a, b, *read(product(panel(a), panel(b), panel(a @ b), scale, LIGHT))


def test_a_product_draws_both_factors_and_their_product(multiplied):
    a, b, traces, _ = multiplied
    left, result, above = (numbers(trace["z"]) for trace in traces)
    np.testing.assert_array_equal(left, a)
    np.testing.assert_array_equal(above, b)
    np.testing.assert_allclose(result, left @ above, rtol=1e-4, atol=1e-5)


def test_a_crosshair_runs_along_shared_axes(multiplied):
    """Hovering a result lights its row of the left factor and its column of the upper one."""
    _, _, (left, result, above), layout = multiplied
    assert left["yaxis"] == result["yaxis"]
    assert above["xaxis"] == result["xaxis"]
    assert len({left["xaxis"], result["xaxis"]}) == 2
    assert len({above["yaxis"], result["yaxis"]}) == 2
    axes = [name for name in layout if name[1:5] == "axis"]
    assert len(axes) == 4
    for name in axes:
        assert layout[name]["showspikes"] is True
        assert layout[name]["spikemode"] == "across"
        assert layout[name]["spikesnap"] == "hovered data"
    assert layout["hovermode"] == "closest"


def test_a_product_is_laid_out_as_on_paper(multiplied):
    _, _, traces, layout = multiplied
    left, result, above = boxes(traces, layout)
    assert left[1] < result[0]
    assert left[2:] == result[2:]
    assert above[:2] == result[:2]
    assert above[2] > result[3]


def test_small_products_can_be_drawn_without_numbers():
    part = panel(torch.ones(2, 2))
    for written in (True, False):
        traces, _ = read(product(part, part, part, share(LIGHT), LIGHT, written))
        assert [bool(trace["texttemplate"]) for trace in traces] == [written] * 3
