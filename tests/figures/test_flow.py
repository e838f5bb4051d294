import html
import re
from itertools import groupby

import pytest

from explorer.figures.flow import Arrow, Box, flow
from explorer.figures.theme import LIGHT
from tests.figures import read

BOXES = [
    Box("ids", 0.5, 0, "ids", (("B", 1), ("T", 4)), "ids <B, T>"),
    Box("x", 1, 1, "x", (("B", 1), ("T", 4), ("d_model", 8)), "x"),
    Box("<q>", 1, 2, "q", (("B", 1), ("", 1)), "q"),
]
ARROWS = [Arrow("ids", "x"), Arrow("x", "<q>"), Arrow("ids", "<q>", ((2.5, 0), (2.5, 2)))]


@pytest.fixture(scope="module")
def drawn() -> tuple[list[dict], dict]:
    return read(flow(BOXES, ARROWS, LIGHT))


def rectangles(layout: dict) -> list[dict]:
    return [shape for shape in layout["shapes"] if shape["type"] == "rect"]


def test_every_tensor_has_a_box_in_the_colour_of_its_role(drawn):
    _, layout = drawn
    for box, shape in zip(BOXES, rectangles(layout), strict=True):
        assert shape["x0"] < box.column < shape["x1"]
        assert shape["y0"] < box.row < shape["y1"]
        assert shape["fillcolor"] == LIGHT.roles[box.role]


def test_boxes_of_neighbouring_columns_and_rows_do_not_touch():
    boxes = [Box(f"{c}{r}", c, r, "x", (("B", 1),), "") for c in range(3) for r in range(3)]
    _, layout = read(flow(boxes, [Arrow("00", "01")], LIGHT))
    shapes = rectangles(layout)
    for i, a in enumerate(shapes):
        for b in shapes[:i]:
            beside = a["x1"] < b["x0"] or b["x1"] < a["x0"]
            assert beside or a["y1"] < b["y0"] or b["y1"] < a["y0"]


def test_a_box_tells_its_name_and_its_shape(drawn):
    (_, trace), _ = drawn
    words = trace["text"]
    plain = [html.unescape(re.sub(r"<[^>]*>", " ", text)).split() for text in words]
    assert [" ".join(text) for text in plain] == [
        "ids ( 1 , 4 )",
        "x ( 1 , 4 , 8 )",
        "<q> ( 1 , 1)",
    ]
    assert f'color:{LIGHT.sizes["d_model"]}">8<' in words[1]


def test_hovering_a_box_tells_more(drawn):
    (arrows, trace), _ = drawn
    assert arrows["hoverinfo"] == "skip"
    assert (trace["x"], trace["y"]) == ([0.5, 1, 1], [0, 1, 2])
    assert trace["customdata"] == ["ids &lt;B, T&gt;", "x", "q"]


def test_row_0_is_on_top(drawn):
    _, layout = drawn
    low, high = layout["yaxis"]["range"]
    assert low > 2
    assert high < 0


def test_an_arrow_leads_from_the_edge_of_one_box_to_the_edge_of_another(drawn):
    (trace, _), layout = drawn
    ids, x, q = rectangles(layout)
    points = zip(trace["x"], trace["y"], trace["marker"]["size"], strict=True)
    lines = [list(line) for gap, line in groupby(points, lambda p: p[0] is None) if not gap]
    corners = [[(x, y) for x, y, _ in line] for line in lines]
    assert corners == [
        [(0.5, ids["y1"]), (1, x["y0"])],
        [(1, x["y1"]), (1, q["y0"])],
        [(ids["x1"], 0), (2.5, 0), (2.5, 2), (q["x1"], 2)],
    ]
    for line in lines:  # only its end has a head
        assert [bool(size) for _, _, size in line] == [False] * (len(line) - 1) + [True]
    assert trace["marker"]["angleref"] == "previous", "it points where the line leads"
