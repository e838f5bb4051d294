"""What a page looks at: a run, the focus and the reader's language, and its tensors as panels."""

from dataclasses import dataclass, replace
from functools import cached_property

from torch import Tensor

from explorer.core import Embedded, IndivisibleHeads
from explorer.core.config import head_size
from explorer.core.explain import Element
from explorer.core.tokens import visible
from explorer.core.trace import axes, lookup
from explorer.elements import Lit, elements, family, masks
from explorer.figures.panel import Axis, Band, Panel, Scale, signed
from explorer.figures.theme import Theme
from explorer.settings.focus import Focus
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
    """A run as one reader looks at it, and the pinned one, if it is compared with one."""

    trace: Embedded
    focus: Focus
    lang: str
    colors: Theme
    page: str  # the slug of the page on which it is looked at
    pick: Element | None = None
    pinned: "Scene | None" = None

    @cached_property
    def lit(self) -> Lit:
        """What the picked number lights: itself, what it is made from, what it feeds."""
        return family(self.trace, self.pick)

    @cached_property
    def sizes(self) -> Sizes:
        """The sizes of this run."""
        config = self.trace.config
        B, T = self.trace.ids.shape
        try:
            d_k = head_size(config)
        except IndivisibleHeads:
            d_k = None
        return Sizes(B, T, config.d_model, config.h, d_k)

    @cached_property
    def token_labels(self) -> tuple[str, ...]:
        """The tokens of the sentence in focus; one that comes twice carries its position."""
        tokens = [shorten(visible(token), LABEL) for token in self.trace.tokens[self.focus.item]]
        return tuple(
            f"{token}{_subscript(i)}" if tokens.count(token) > 1 else token
            for i, token in enumerate(tokens)
        )

    def shapes(self, *names: str) -> dict[str, str]:
        """The axes and sizes of tensors, by their names: what two runs have to have in common.

        A batch counts not: what is drawn is one sentence of it.
        """
        found = {}
        for name in names:
            sizes = zip(axes(name), lookup(self.trace, name).shape, strict=True)
            found[name] = ", ".join(
                f"{axis} {n}" for axis, n in sizes if axis not in ("batch", "1")
            )
        return found

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
        title: str,
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
        first = {row_name: shown_rows.start, column_name: shown_columns.start, **chosen}
        start = tuple(first[axis] for axis in axes(name))
        shown = elements(self.trace, name, [start], row_name, column_name)
        lit = masks(self.lit, shown, values)
        if transposed:
            values, rows, columns = values.T, columns, rows
            shown, lit = shown.transposed(), {kind: mask.T for kind, mask in lit.items()}
        return Panel(
            name, values, rows, columns, title, outline, bands, scale, elements=shown, lit=lit
        )

    def weight(self, name: str) -> Panel:
        """A weight matrix on a scale of its own: weights are small."""
        panel = self.panel(name, f"<b>{name}</b>")
        return replace(panel, scale=signed(self.colors, panel.values))

    def matrix(self, name: str, head: int) -> tuple[Tensor, tuple[str, str], dict[str, int]]:
        """The two axes of a tensor that are left when item and head are chosen; and the choice."""
        tensor, names, chosen = lookup(self.trace, name), list(axes(name)), {}
        for axis, value in {"batch": self.focus.item, "head": head, "1": 0}.items():
            if axis in names and tensor.dim() > 2:
                tensor = tensor.select(names.index(axis), value)
                names.remove(axis)
                chosen[axis] = value
        if tensor.dim() == 1:  # a bias
            tensor, names = tensor[None], ["", *names]
        return tensor, (names[0], names[1]), chosen

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

    def by_head(self, name: str) -> list[Panel]:
        """A tensor of scores for the heads that are drawn, the focus outlined in each."""
        cell = (self.focus.query, self.focus.key, 1, 1)
        titles = {head: f"<b>{name}</b> {self.head_title(head)}" for head in self.heads()}
        return [self.panel(name, title, head, outline=cell) for head, title in titles.items()]


def _subscript(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
