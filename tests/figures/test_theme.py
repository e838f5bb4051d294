import tomllib
from pathlib import Path

import pytest
import torch

from explorer.figures.matrix import wall
from explorer.figures.panel import Axis, Panel, share
from explorer.figures.theme import DARK, LIGHT, Theme, theme
from tests.figures import contrast

both = pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_figure_stands_on_the_paper_of_the_page(name):
    """Or a picture of it would have no background, and light words on none cannot be read."""
    colors, page = theme(name == "dark"), tomllib.loads(CONFIG.read_text())["theme"][name]
    panel = Panel("x", torch.zeros(1, 1), Axis("row", ("a",)), Axis("column", ("b",)))
    layout = wall([panel], 1, share(colors), colors).to_dict()["layout"]
    assert layout["paper_bgcolor"] == colors.surface == page["backgroundColor"]


@both
def test_ink_can_be_read_on_every_cell(colors: Theme):
    fills = {*colors.signed, *colors.share, *colors.heads, *colors.roles.values(), colors.masked}
    assert not {fill: found for fill in fills if (found := contrast(colors.ink, fill)) < 4.5}


@both
def test_words_and_sizes_can_be_read_on_the_page(colors: Theme):
    words = {colors.ink, colors.muted, *colors.sizes.values()}
    assert not [color for color in words if contrast(color, colors.surface) < 4.5]


@both
def test_lines_stand_out_from_the_page(colors: Theme):
    assert not [line for line in colors.lines if contrast(line, colors.surface) < 3]


@both
def test_every_head_has_a_fill_and_a_line_of_its_own(colors: Theme):
    assert len(set(colors.heads)) == len(colors.heads) == len(set(colors.lines))


def test_both_themes_colour_the_same_things():
    assert (theme(False), theme(True)) == (LIGHT, DARK)
    for name in ("sizes", "roles"):
        assert set(getattr(LIGHT, name)) == set(getattr(DARK, name))
    for name in ("signed", "share", "heads", "lines"):
        assert len(getattr(LIGHT, name)) == len(getattr(DARK, name))
