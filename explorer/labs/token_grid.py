"""Grids with a row for every token of a text that is not the run's."""

from torch import Tensor

from explorer.core.tokens import visible
from explorer.figures.cells import cells
from explorer.figures.panel import Axis
from explorer.figures.theme import Figure
from explorer.scene import LABEL, Scene
from explorer.text import Text, shorten

TOKEN = Text(en="token", zh="词元")


def token_label(token: str) -> str:
    """A token as an axis shows it."""
    return shorten(visible(token), LABEL)


def token_rows(lang: str, tokens: list[str]) -> Axis:
    """The tokens as the rows of a figure."""
    return Axis(TOKEN(lang), tuple(map(token_label, tokens)))


def wide_columns(name: str, *labels: str) -> Axis:
    """Columns that are few and wide: no room is kept for labels that stand upright."""
    return Axis(name, labels, counted=True)


def token_grid(
    scene: Scene,
    tokens: list[str],
    texts: list[list[str]],
    groups: Tensor,
    fills: tuple[str, ...],
    columns: Axis,
    title: str,
) -> Figure:
    """A line of texts for every token."""
    rows = token_rows(scene.lang, tokens)
    return cells(texts, texts, groups, fills, rows, columns, title, scene.colors)
