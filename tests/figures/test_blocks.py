from itertools import pairwise

import pytest

from explorer.figures.blocks import STRIPES, Block, blocks, ledger, widths
from explorer.figures.theme import DARK, LIGHT
from tests.figures import numbers, read


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_both_widths_are_drawn_on_one_scale(colors):
    (bar,), layout = read(widths(8, 3, 4, ("<x>", "q"), colors))
    assert bar["y"] == [1, 0, 0, 0]
    assert bar["x"] == [8, 4, 4, 4]
    assert bar["base"] == [0, 0, 4, 8]
    assert layout["xaxis"]["range"] == [0, 12]
    assert bar["text"] == ["", "0", "1", "2"]


def test_d_model_may_be_the_wider_one():
    _, layout = read(widths(512, 6, 64, ("x", "q"), LIGHT))
    assert layout["xaxis"]["range"] == [0, 512]


def extent(shapes: list[dict]) -> tuple[float, float]:
    """(rows, columns) that rectangles cover together."""
    sides = [[shape[end] for shape in shapes for end in (f"{axis}0", f"{axis}1")] for axis in "yx"]
    rows, columns = (max(side) - min(side) for side in sides)
    return rows, columns


@pytest.mark.parametrize("h", [1, 2, 5])
def test_matrices_are_cut_into_heads_on_one_scale_without_touching(h):
    there = Block("W_Q", 8, 3 * h, heads_on_rows=False)
    back = Block("W_O", 3 * h, 8, heads_on_rows=True)
    _, layout = read(blocks([there, back], h, LIGHT))
    first, second = layout["shapes"][:h], layout["shapes"][h:]
    assert len(second) == h
    assert extent(first) == pytest.approx((8, 3 * h))
    assert extent(second) == pytest.approx((3 * h, 8))
    assert all(extent([stripe]) == pytest.approx((8, 3)) for stripe in first)
    assert all(extent([stripe]) == pytest.approx((3, 8)) for stripe in second)
    assert max(s["x1"] for s in first) < min(s["x0"] for s in second)
    assert layout["yaxis"]["scaleanchor"] == "x"
    assert [words["text"] for words in layout["annotations"][1::2]] == [
        f"8 × {3 * h}",
        f"{3 * h} × 8",
    ]


def test_more_heads_than_can_be_seen_are_one_piece():
    h = STRIPES + 1
    _, layout = read(blocks([Block("W", 8, h, heads_on_rows=False)], h, LIGHT))
    (whole,) = layout["shapes"]
    assert extent([whole]) == (8, h)


# The ledger d_model = h × d_k


@pytest.mark.parametrize(("h", "d_k"), [(1, 1), (2, 4), (32, 2), (33, 2), (100, 3)])
def test_the_ledger_is_cut_into_h_pieces_of_d_k(h, d_k):
    texts = tuple(f"head {head}: {d_k}" for head in range(h))
    (bar,), layout = read(ledger(h, d_k, texts, str(h * d_k), LIGHT))
    assert numbers(bar["x"]).tolist() == [d_k] * h
    assert numbers(bar["base"]).tolist() == list(range(0, h * d_k, d_k))
    assert bar["orientation"] == "h"
    assert layout["xaxis"]["range"] == [0, h * d_k]
    assert layout["xaxis"]["ticktext"] == ["0", str(h * d_k)]
    assert bar["customdata"][-1] == f"{(h - 1) * d_k} … {h * d_k - 1}"
    assert list(bar["hovertext"]) == list(texts)
    assert bool(bar["text"]) == (h <= 32), "written only where it fits"


def test_neighbouring_pieces_differ_in_colour():
    (bar,), _ = read(ledger(9, 1, ("",) * 9, "9", LIGHT))
    colors = bar["marker"]["color"]
    assert all(a != b for a, b in pairwise(colors))
