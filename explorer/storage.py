"""Memory as a page shows it: the storage as a grid, what a head reads, layouts, address curves."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st
import torch
from torch import Tensor

from explorer.beside import columns, show
from explorer.core.memory import addresses, layout
from explorer.core.trace import lookup
from explorer.elements import elements, masks
from explorer.figures.cells import cells
from explorer.figures.curves import Curve, curves
from explorer.figures.panel import Axis
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.settings import state
from explorer.settings.choose import choose
from explorer.text import Text, table

TENSOR = Text(en="tensor", zh="张量")
SHAPE = Text(en="shape", zh="形状")
STRIDE = Text(en="stride", zh="步长 stride")
OFFSET = Text(en="offset", zh="偏移")
CONTIGUOUS = Text(en="contiguous", zh="连续")
STORAGE = Text(en="storage", zh="存储")
COLOR = Text(en="colour the cells by", zh="按什么着色")
BY_HEAD = Text(en="head", zh="头")
BY_TOKEN = Text(en="token", zh="词元")
YES = Text(en="yes", zh="是")
NO = Text(en="no", zh="否")
OWN = Text(en="its own", zh="自己的")
SAME = Text(en="that of {name}", zh="与 {name} 同一块")
READING = Text(en="reading order (n-th element read)", zh="阅读顺序（第 n 个读到的元素）")
CELL = Text(en="address = row + column", zh="地址 = 行 + 列")
ADDRESS = Text(en="address in storage", zh="存储地址")
READS = Text(
    en="The addresses that head {head} reads, one row a token: {first} to {last}.",
    zh="头 {head} 读的地址，每个词元一行：从 {first} 到 {last}。",
)
TWO_HEADS = Text(
    en="Two of {h} heads: the one in focus and the next. Choose another one above.",
    zh="这里是 {h} 个头中的两个：焦点所在的头和它的下一个。可在上方另选。",
)
MERGED = Text(
    en="The addresses of z in the merged tensor, one row a token; its first column: {column}.",
    zh="拼回的张量里各是 z 的哪个地址，每个词元一行；第一列：{column}。",
)
WHAT_CURVE = Text(
    en="Storage address against reading order, the first {n} elements of the item in focus. "
    "{lines}",
    zh="存储地址随阅读顺序的变化，取焦点句的前 {n} 个元素。{lines}",
)
LINE = Text(en="{name}: {jumps} jumps.", zh="{name}：{jumps} 处跳跃。")

FIRST = Text(
    en="The first {n} elements that the sentence in focus reads; the pattern goes on.",
    zh="这里是焦点句最先读到的 {n} 个元素，后面照此重复。",
)
SHOWN = 512  # elements of a curve: more teeth could not be told apart


def layout_table(scene: Scene, named: dict[str, Tensor]) -> None:
    """Shape, stride, offset, contiguity and whose storage it is, of tensors by name."""
    lang, owner, rows = scene.lang, {}, []
    for name, tensor in named.items():
        at = layout(tensor)
        first = owner.setdefault(at.storage, name)
        rows.append(
            (
                f"`{name}`",
                unbroken(at.shape),
                unbroken(at.stride),
                str(at.offset),
                (YES if at.contiguous else NO)(lang),
                OWN(lang) if first == name else SAME(lang, name=f"`{first}`"),
            )
        )
    header = [text(lang) for text in (TENSOR, SHAPE, STRIDE, OFFSET, CONTIGUOUS, STORAGE)]
    st.markdown(table(header, rows))


def storage_grid(
    scene: Scene,
    key: str,
    owner: str,
    tensor: Callable[[Scene], Tensor],
    title: Text,
    what: Text,
    focus: Callable[[Scene], int] = lambda scene: -1,
) -> None:
    """The cells of a tensor (batch, seq, head, d_k) as its storage holds them, for one item.

    The storage is that of the contiguous tensor `owner` of the run. Every cell says its address,
    and the one in focus is outlined; it is coloured by head, or by token.
    """
    show(scene, key, lambda s: _storage(s, owner, tensor(s), title(s.lang), what, focus(s)))


def _storage(
    scene: Scene, owner: str, tensor: Tensor, title: str, what: Text, focus: int
) -> Picture:
    at = addresses(tensor)[scene.focus.item]  # seq, head, d_k
    T, h, d_k = at.shape
    order, width = at.flatten().argsort(), h * d_k
    axes = (torch.arange(T)[:, None, None], torch.arange(h)[:, None])
    columns, shown = scene.axis("h·d_k", width)
    columns = replace(columns, name=CELL(scene.lang))
    place, token, head = (
        m.expand_as(at).flatten()[order].view(T, width)[:, shown] for m in (at, *axes)
    )
    found = (place == focus).nonzero().tolist()
    rows = Axis("", tuple(f"{address}…" for address in place[:, 0].tolist()))
    alt = what(scene.lang, T=T, width=width, first=int(place[0, 0]))
    outline = (*found[0], 1, 1) if found else None
    return _grid(scene, owner, (place, token, head), (rows, columns), title, alt, outline)


def _head_grid(scene: Scene, tensor: Tensor, head: int, title: Text, outlined: bool) -> Picture:
    """The addresses that one head of `tensor` (batch, head, seq, d_k), a view of q, reads.

    A cell is coloured by the head, or by the token, that its number was computed for.
    """
    head = min(head, scene.sizes.h - 1)  # a pinned run may have fewer
    width = scene.sizes.h * scene.sizes.d_k
    at = addresses(tensor)[scene.focus.item, head]  # seq, d_k
    columns, shown = scene.axis("d_k", at.shape[1])
    rows, _ = scene.axis("seq", at.shape[0])
    place = at[:, shown]
    parts = (place, place // width % scene.sizes.T, place % width // scene.sizes.d_k)
    alt = READS(scene.lang, head=head, first=int(at.min()), last=int(at.max()))
    outline = (scene.focus.query, 0, 1, 1) if outlined and head == scene.focus.head else None
    return _grid(scene, "q", parts, (rows, columns), title(scene.lang, head=head), alt, outline)


def two_heads(
    scene: Scene,
    key: str,
    tensor: Callable[[Scene], Tensor],
    title: Text,
    outlined: bool = False,
) -> None:
    """What the head in focus and the next one read, side by side; the query may be outlined."""
    heads = sorted({scene.focus.head, (scene.focus.head + 1) % scene.sizes.h})
    for head, column in zip(heads, columns(scene, len(heads)), strict=True):
        with column:
            draw = partial(_head_grid, head=head, title=title, outlined=outlined)
            show(scene, f"{key}-{head}", lambda s, draw=draw: draw(s, tensor(s)))
    if scene.sizes.h > len(heads):
        st.caption(TWO_HEADS(scene.lang, h=scene.sizes.h))


def merged_grid(scene: Scene, key: str, at: Tensor, title: str) -> None:
    """The addresses `at` (seq, h·d_k) of z (batch, head, seq, d_k) that a merged tensor holds.

    A cell is coloured by the head, or by the token, that its number was computed for; the row of
    the query in focus is outlined.
    """
    s = scene.sizes
    (rows, _), (columns, shown) = scene.axis("seq", s.T), scene.axis("h·d_k", at.shape[1])
    place = at[:, shown]
    parts = (place, place // s.d_k % s.T, place // (s.T * s.d_k) % s.h)
    alt = MERGED(scene.lang, column=", ".join(map(str, at[:, 0].tolist())))
    outline = (scene.focus.query, 0, 1, place.shape[1])
    show(scene, key, lambda s: _grid(s, "z", parts, (rows, columns), title, alt, outline))


def _grid(
    scene: Scene,
    owner: str,
    parts: tuple[Tensor, Tensor, Tensor],
    axes: tuple[Axis, Axis],
    title: str,
    alt: str,
    outline: tuple[int, int, int, int] | None,
) -> Picture:
    """Cells that say their address and are coloured by token or head; `parts` are those three.

    The addresses are those of the contiguous tensor `owner`.
    """
    place, token, head = parts
    by_head = state.read("color") == "head"
    values = lookup(scene.trace, owner).flatten()[place]
    shown = elements(scene.trace, owner, place.tolist(), flat=True)
    figure = cells(
        [[str(address) for address in row] for row in place.tolist()],
        (shown, values),
        (head if by_head else token).float(),
        scene.colors.heads,
        *axes,
        title,
        scene.colors,
        scene.head_title if by_head else scene.token,
        outline,
        masks(scene.lit, shown, values),
    )
    return Picture(figure, alt)


def unbroken(sizes: tuple[int, ...]) -> str:
    """A shape or a stride that is not torn apart at the end of a line."""
    return str(sizes).replace(" ", "\N{NO-BREAK SPACE}")


def color_by(lang: str) -> None:
    """Let the reader colour the storage by head or by token."""
    choose("color", COLOR(lang), {"head": BY_HEAD(lang), "token": BY_TOKEN(lang)})


def address_curve(scene: Scene, key: str, named: Callable[[Scene], dict[str, Tensor]]) -> None:
    """Where each element lies, in the order the tensor is read: a straight line, or a sawtooth."""
    show(scene, key, lambda s: _curve(s, named(s)))
    n = next(iter(named(scene).values()))[scene.focus.item].numel()
    if n > SHOWN:
        st.caption(FIRST(scene.lang, n=SHOWN))


def _curve(scene: Scene, named: dict[str, Tensor]) -> Picture:
    lines, words = [], []
    for i, (name, tensor) in enumerate(named.items()):
        at = addresses(tensor)[scene.focus.item].flatten()[:SHOWN]
        dash = "dot" if i == 0 else "solid"
        lines.append(Curve(name, torch.arange(len(at)), at, "", i, dash, len(at) <= 128))
        words.append(LINE(scene.lang, name=name, jumps=int((at.diff() != 1).sum())))
    figure = curves(lines, READING(scene.lang), ADDRESS(scene.lang), scene.colors)
    return Picture(figure, WHAT_CURVE(scene.lang, n=len(at), lines=" ".join(words)))
