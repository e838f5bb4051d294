"""What a page looks at: a run, the focus and the reader's language, and its tensors as panels."""

from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st
import torch
from torch import Tensor

from explorer.core import Embedded
from explorer.core.tokens import visible
from explorer.core.trace import axes, lookup
from explorer.figures.matrix import wall
from explorer.figures.panel import Axis, Band, Panel, Scale, signed
from explorer.figures.theme import Figure, Theme
from explorer.settings.focus import WINDOW, Focus
from explorer.text import Text, shorten

HEADS = 8  # of them are drawn side by side
LABEL = 10  # characters of a token on an axis
TOKEN_AXES = ("seq", "query", "key")
AXIS_WORDS = {
    "batch": Text(en="batch", zh="句"),
    "seq": Text(en="token", zh="词元"),
    "query": Text(en="query", zh="查询"),
    "key": Text(en="key", zh="键"),
    "head": Text(en="head", zh="头"),
}
ALT = Text(
    en="{what} {rows} rows by {columns} columns, values from {low:.4g} to {high:.4g}.{masked}",
    zh="{what}{rows} 行 {columns} 列，数值从 {low:.4g} 到 {high:.4g}。{masked}",
)
ALT_MASKED = Text(en=" {n} cells are masked (−∞).", zh="其中 {n} 格被掩去（−∞）。")
SOME_HEADS = Text(
    en="Heads {first} to {last} of {h}; choose another head above to see its neighbours.",
    zh="这里是 {h} 个头中的第 {first} 到 {last} 个；在上方选别的头，就显示它附近的头。",
)
PART = Text(
    en="Shown: columns {first}–{last} of {size}. Choose others under “columns shown”; "
    "the numbers tab and its CSV hold all of them.",
    zh="这里显示 {size} 列中的第 {first}–{last} 列。可在“显示的列”里换一段；"
    "“数值”页和 CSV 里是全部。",
)


@dataclass(frozen=True)
class Sizes:
    """The sizes of a run by their usual letters; d_k is None where d_model / h is not whole."""

    B: int
    T: int
    d_model: int
    h: int
    d_k: int | None


@dataclass(frozen=True)
class Scene:
    """A run as one reader looks at it."""

    trace: Embedded
    focus: Focus
    lang: str
    colors: Theme

    @cached_property
    def sizes(self) -> Sizes:
        """The sizes of this run."""
        config = self.trace.config
        B, T = self.trace.ids.shape
        split = getattr(self.trace, "q_split", None)
        d_k = None if split is None else split.shape[-1]
        return Sizes(B, T, config.d_model, config.h, d_k)

    @cached_property
    def token_labels(self) -> tuple[str, ...]:
        """The tokens of the sentence in focus; one that comes twice carries its position."""
        tokens = [shorten(visible(token), LABEL) for token in self.trace.tokens[self.focus.item]]
        return tuple(
            f"{token}{_subscript(i)}" if tokens.count(token) > 1 else token
            for i, token in enumerate(tokens)
        )

    def token(self, position: int) -> str:
        """The label of one token of the sentence in focus."""
        return self.token_labels[position]

    def axis(self, name: str, size: int) -> tuple[Axis, slice]:
        """An axis of a tensor as it is drawn, and the part of it that is shown."""
        words = AXIS_WORDS[name](self.lang) if name in AXIS_WORDS else name
        if name in TOKEN_AXES:
            return Axis(words, self.token_labels), slice(0, size)
        shown = self.focus.columns(size)
        labels = tuple(str(i) for i in range(shown.start, shown.stop))
        return Axis(words, labels, counted=True), shown

    def panel(
        self,
        name: str,
        title: str = "",
        head: int | None = None,
        transposed: bool = False,
        outline: tuple[int, int, int, int] | None = None,
        scale: Scale | None = None,
    ) -> Panel:
        """A tensor of the run as a matrix: its last two axes for the item and head in focus."""
        head = self.focus.head if head is None else head
        matrix, (row_name, column_name), chosen = self.matrix(name, head)
        rows, shown_rows = self.axis(row_name, matrix.shape[0])
        columns, shown_columns = self.axis(column_name, matrix.shape[1])
        values = matrix[shown_rows, shown_columns]
        bands = self.bands(matrix.shape[1]) if column_name == "h·d_k" else ()
        if transposed:
            values, rows, columns = values.T, columns, rows
        return Panel(name, values, rows, columns, title, outline, bands, scale, chosen)

    def weight(self, name: str) -> Panel:
        """A weight matrix on a scale of its own, which its title tells: weights are small."""
        panel = self.panel(name)
        scale = signed(self.colors, panel.values)
        return replace(panel, title=f"<b>{name}</b> · ±{scale.high:.2g}", scale=scale)

    def matrix(self, name: str, head: int) -> tuple[Tensor, tuple[str, str], tuple[str, ...]]:
        """The two axes of a tensor that are left when item and head are chosen; and the choice."""
        tensor, names, chosen = lookup(self.trace, name), list(axes(name)), []
        for axis, value in {"batch": self.focus.item, "head": head, "1": 0}.items():
            if axis in names and tensor.dim() > 2:
                tensor = tensor.select(names.index(axis), value)
                names.remove(axis)
                chosen.append(f"{axis} {value}" if axis != "1" else "0")
        if tensor.dim() == 1:  # a bias
            tensor, names = tensor[None], ["", *names]
        return tensor, (names[0], names[1]), tuple(chosen)

    def heads(self) -> range:
        """The heads that are drawn side by side: all, or the eight around the one in focus."""
        first = self.focus.head // HEADS * HEADS
        return range(first, min(first + HEADS, self.sizes.h))

    def head_title(self, head: int) -> str:
        """What a panel of one head is called."""
        return f"{AXIS_WORDS['head'](self.lang)} {head}"

    def bands(self, size: int) -> tuple[Band, ...]:
        """Which of the shown columns of an axis h·d_k belong to which head."""
        shown, d_k = self.focus.columns(size), self.sizes.d_k
        return tuple(
            Band(
                head,
                max(head * d_k, shown.start) - shown.start,
                min((head + 1) * d_k, shown.stop) - shown.start,
            )
            for head in range(shown.start // d_k, (shown.stop - 1) // d_k + 1)
        )

    def by_head(self, name: str, whole_row: bool = False) -> list[Panel]:
        """A tensor of scores for the heads that are drawn, the focus outlined in each."""
        focus, T = self.focus, self.sizes.T
        cell = (focus.query, 0, 1, T) if whole_row else (focus.query, focus.key, 1, 1)
        return [
            self.panel(name, self.head_title(head), head, outline=cell) for head in self.heads()
        ]

    def side_by_side(
        self, key: str, left: list[Panel], right: list[Panel], scale: Scale, what: tuple[str, str]
    ) -> None:
        """Two walls of panels on one scale; on a narrow screen one comes under the other."""
        sides = zip(("left", "right"), st.columns(2), (left, right), what, strict=True)
        for side, column, panels, words in sides:
            if panels:
                with column:
                    figure = wall(panels, min(2, len(panels)), scale, self.colors)
                    self.chart(f"{key}-{side}", figure, words, *(p.values for p in panels))

    def say_which_heads(self) -> None:
        """Where there are more heads than can be drawn, say which ones are."""
        heads = self.heads()
        if len(heads) < self.sizes.h:
            words = {"first": heads[0], "last": heads[-1], "h": self.sizes.h}
            st.caption(SOME_HEADS(self.lang, **words))

    def chart(self, key: str, figure: Figure, what: str, *tensors: Tensor) -> None:
        """Show a figure; a screen reader hears `what` and the range of its tensors."""
        if tensors:
            what = self.describe(what, *tensors)
        config = {"displayModeBar": False, "displaylogo": False}
        st.plotly_chart(figure, key=f"{key}-chart", theme=None, config=config, alt=what)

    def describe(self, what: str, *tensors: Tensor) -> str:
        """What a heatmap shows, in words: its size, its range and how much of it is masked."""
        values = torch.cat([tensor.flatten() for tensor in tensors])
        finite = values[values.isfinite()]
        masked = values.numel() - finite.numel()
        return ALT(
            self.lang,
            what=what,
            rows=tensors[0].shape[-2],
            columns=tensors[0].shape[-1],
            low=float(finite.min()),
            high=float(finite.max()),
            masked=ALT_MASKED(self.lang, n=masked) if masked else "",
        )

    def part(self, size: int) -> None:
        """Where an axis is too long to be shown whole, say which part of it is shown."""
        if size > WINDOW:
            shown = self.focus.columns(size)
            st.caption(PART(self.lang, first=shown.start, last=shown.stop - 1, size=size))


def _subscript(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
