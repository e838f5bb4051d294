"""A small tensor on a page: its numbers as a grid, and its storage cell by cell in order."""

from itertools import chain, product

import streamlit as st
import torch
from torch import Tensor

from explorer.charts import chart
from explorer.core.memory import addresses, read_at
from explorer.figures.cells import cells
from explorer.figures.panel import Axis
from explorer.scene import Scene
from explorer.text import Text

GRID = Text(en="<b>{name}</b>, shape {shape}", zh="<b>{name}</b>，形状 {shape}")
STORAGE = Text(
    en="<b>its storage</b> in order; #n: read as the n-th",
    zh="<b>它的存储</b>，按地址排；#n：第 n 个读到",
)
AXIS = Text(en="axis {i}", zh="轴 {i}")
ADDRESS = Text(en="address", zh="地址")
CELL = Text(
    en="{name}[{index}] = {value}, at address {address}",
    zh="{name}[{index}] = {value}，地址 {address}",
)
STORED = Text(en="address {address}: {value}, {read}", zh="地址 {address}：{value}，{read}")
READ = Text(en="read as number {order}", zh="第 {order} 个读到")
UNREAD = Text(en="not read", zh="不读")
WHAT_GRID = Text(en="{name}, its rows: {rows}", zh="{name}，各行：{rows}")
WHAT_STORAGE = Text(
    en="The storage holds {values}; it is read at the addresses {order}.",
    zh="存储里是 {values}；读的地址依次是 {order}。",
)
SIDE_BY_SIDE = 8  # cells of a storage: a phone has room for as many


def grid_and_storage(scene: Scene, key: str, name: str, x: Tensor) -> None:
    """The numbers of x, the last axis along the rows, and its storage in the colours of them."""
    left, right = st.columns(2)
    with left:
        _grid(scene, key, name, x)
    with right:
        _storage(scene, key, x)


def listed(numbers: list[int]) -> str:
    """Numbers in a sentence."""
    return ", ".join(map(str, numbers))


def _grid(scene: Scene, key: str, name: str, x: Tensor) -> None:
    lang, width = scene.lang, x.shape[-1]
    values, places = (m.reshape(-1, width).tolist() for m in (x, addresses(x)))
    index = list(product(*map(range, x.shape)))
    hover = [
        CELL(lang, name=name, index=listed(i), value=value, address=address)
        for i, value, address in zip(index, chain(*values), chain(*places), strict=True)
    ]
    rows = tuple(listed(i[:-1]) for i in index[::width])
    outer = listed(range(x.dim() - 1))
    figure = cells(
        [[str(value) for value in row] for row in values],
        _lines(hover, width),
        torch.arange(float(len(rows)))[:, None].expand(-1, width),
        scene.colors.heads,
        Axis(AXIS(lang, i=outer) if outer else "", rows),
        Axis(AXIS(lang, i=x.dim() - 1), tuple(map(str, range(width))), counted=True),
        GRID(lang, name=name, shape=tuple(x.shape)),
        scene.colors,
        names=lambda row: rows[row],
    )
    said = "; ".join(map(listed, values))
    chart(scene, f"{key}-grid", figure, WHAT_GRID(lang, name=name, rows=said))


def _storage(scene: Scene, key: str, x: Tensor) -> None:
    lang, colors, times = scene.lang, scene.colors, read_at(x)
    stored = x.as_strided((len(times),), (1,), 0).tolist()
    hover = [
        STORED(lang, address=address, value=value, read=_when(lang, reads))
        for address, (value, reads) in enumerate(zip(stored, times, strict=True))
    ]
    unread = len(colors.heads)
    groups = [float(reads[0] // x.shape[-1] % unread) if reads else unread for reads in times]
    width = min(len(stored), SIDE_BY_SIDE)
    empty = -len(stored) % width
    starts = range(0, len(stored), width)
    figure = cells(
        _lines([f"{v}\n{_mark(r)}" for v, r in zip(stored, times, strict=True)], width, empty),
        _lines(hover, width, empty),
        torch.tensor([*groups, *[torch.nan] * empty]).view(-1, width),
        (*colors.heads, colors.masked),
        Axis("", tuple(f"{address}…" if len(starts) > 1 else "" for address in starts)),
        Axis(
            ADDRESS(lang),
            tuple(f"+{i}" if len(starts) > 1 else str(i) for i in range(width)),
            counted=True,
        ),
        STORAGE(lang),
        colors,
    )
    order = listed(addresses(x).flatten().tolist())
    what = WHAT_STORAGE(lang, values=listed(stored), order=order)
    chart(scene, f"{key}-storage", figure, what)


def _mark(reads: list[int]) -> str:
    if not reads:
        return "–"
    return f"#{reads[0] + 1}" + (f"\n×{len(reads)}" if len(reads) > 1 else "")


def _when(lang: str, reads: list[int]) -> str:
    return READ(lang, order=listed([i + 1 for i in reads])) if reads else UNREAD(lang)


def _lines(texts: list[str], width: int, empty: int = 0) -> list[list[str]]:
    texts = [*texts, *[""] * empty]
    return [texts[i : i + width] for i in range(0, len(texts), width)]
