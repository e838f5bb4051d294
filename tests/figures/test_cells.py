import html
import math

import pytest
import torch

from explorer.figures.cells import cells
from explorer.figures.panel import Axis
from explorer.figures.theme import LIGHT
from tests.figures import LABELS, axis, numbers, read

FILLS = ("#111111", "#222222", "#333333")


def grid(texts, groups=None, hover=None, **more):
    rows, columns = len(texts), len(texts[0])
    groups = torch.zeros(rows, columns) if groups is None else torch.tensor(groups)
    figure = cells(
        texts,
        hover or texts,
        groups,
        FILLS,
        Axis("row", tuple(map(str, range(rows))), counted=True),
        Axis("column", tuple(map(str, range(columns))), counted=True),
        "title",
        LIGHT,
        **more,
    )
    (trace,), layout = read(figure)
    return trace, layout


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_texts_and_hovers_are_shown_literally(labels):
    """E34: `<s>` does not vanish and `<b>` is not bold."""
    trace, _ = grid([[f"{label}\n7" for label in labels]], hover=[list(labels)])
    for label, text, hover in zip(labels, trace["text"][0], trace["customdata"][0], strict=True):
        assert [html.unescape(line) for line in text.split("<br>")] == [label, "7"]
        assert html.unescape(hover) == label
        assert "<" not in text.replace("<br>", "")
        assert "<" not in hover
    assert trace["texttemplate"] == "%{text}"


def fill(trace: dict, row: int, column: int) -> str:
    """The colour that Plotly finds for a cell: by its place between zmin and zmax."""
    z = float(numbers(trace["z"])[row, column])
    at = (z - trace["zmin"]) / (trace["zmax"] - trace["zmin"])
    return [color for place, color in trace["colorscale"] if place <= at][-1]


def test_each_group_has_its_fill_and_one_past_the_last_starts_over():
    groups = [[0.0, 1.0, 2.0, 3.0, 7.0]]
    trace, _ = grid([["x"] * 5], groups)
    assert [fill(trace, 0, i) for i in range(5)] == [*FILLS, FILLS[0], FILLS[1]]
    assert trace["showscale"] is False


def test_a_fill_is_flat():
    trace, _ = grid([["x"]])
    edges = [place for place, _ in trace["colorscale"]]
    assert edges == sorted(edges)
    assert (edges[0], edges[-1]) == (0, 1)
    starts, stops = trace["colorscale"][::2], trace["colorscale"][1::2]
    for (a, one), (b, other) in zip(starts, stops, strict=True):
        assert one == other
        assert b - a == pytest.approx(1 / 3)


def test_a_cell_without_a_group_is_left_out():
    trace, _ = grid([["x", ""]], [[1.0, math.nan]])
    assert numbers(trace["z"])[0, 0] == 1
    assert math.isnan(numbers(trace["z"])[0, 1])


def test_row_0_is_on_top():
    trace, layout = grid([["a"], ["b"], ["c"]])
    assert axis(layout, trace, "y")["range"] == [2.5, -0.5]


def test_where_texts_have_no_room_each_block_carries_its_name_once():
    groups = [[0.0] * 10 + [1.0] * 10] * 2 + [[1.0] * 10 + [2.0] * 10]
    trace, _ = grid([["long"] * 20] * 3, groups, names=lambda group: f"head <{group}>")
    marks = [
        (row, column, html.unescape(text))
        for row, texts in enumerate(trace["text"])
        for column, text in enumerate(texts)
        if text
    ]
    assert [(row, column // 10, text) for row, column, text in marks] == [
        (0, 0, "head <0>"),
        (0, 1, "head <1>"),
        (2, 0, "head <1>"),
        (2, 1, "head <2>"),
    ]
    assert trace["customdata"] == [["long"] * 20] * 3


@pytest.mark.parametrize(("columns", "written"), [(16, True), (17, False)])
def test_texts_are_written_where_they_have_room(columns, written):
    trace, _ = grid([["text"] * columns])
    assert (trace["text"] == [["text"] * columns]) == written


def test_the_outline_lies_around_the_cell_in_focus():
    trace, layout = grid([["a", "b"], ["c", "d"]], outline=(1, 0, 1, 2))
    (shape,) = layout["shapes"]
    assert (shape["xref"], shape["yref"]) == (trace["xaxis"], trace["yaxis"])
    assert [shape[edge] for edge in ("x0", "x1", "y0", "y1")] == [-0.5, 1.5, 0.5, 1.5]
