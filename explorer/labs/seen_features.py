"""A picture of the lab of slices: which features of x each head depends on."""

import streamlit as st
import torch
from torch import Tensor

from explorer.charts import chart
from explorer.experiments.slicing import in_groups
from explorer.figures.cells import cells
from explorer.figures.panel import Axis
from explorer.scene import AXIS_WORDS, Scene
from explorer.text import Text, spoken

MOST = (16, 64)  # rows and columns of a picture: more heads or features share them

GROUPED = Text(
    en="A cell stands for {rows} head(s) × {columns} feature(s); ✓ where any of them depend.",
    zh="每格代表 {rows} 个头 × {columns} 个特征；其中有任何一个相关就打 ✓。",
)
CELL = Text(
    en="head {head}, feature {feature}: {n} of {all} depend",
    zh="头 {head}，特征 {feature}：{all} 处中有 {n} 处相关",
)
FEATURE = Text(en="feature of x", zh="x 的特征")
WHAT_SEES = Text(
    en="{title}: which feature of x each of {h} heads depends on; {n} of {all} pairs do.",
    zh="{title}：{h} 个头各取决于 x 的哪些特征；{all} 对中有 {n} 对相关。",
)


def seen_features(scene: Scene, titles: tuple[str, str], seen: tuple[Tensor, Tensor]) -> None:
    """Two bool pictures (head, feature) side by side, in groups where they are too large."""
    keys = ("sees-sliced", "sees-projected")
    for key, title, picture, column in zip(keys, titles, seen, st.columns(2), strict=True):
        with column:
            _picture(scene, key, title, picture)
    _, (rows, columns) = in_groups(seen[0], MOST)
    if rows * columns > 1:
        st.caption(GROUPED(scene.lang, rows=rows, columns=columns))


def _picture(scene: Scene, key: str, title: str, seen: Tensor) -> None:
    lang, (h, d_model) = scene.lang, seen.shape
    counts, (rows, columns) = in_groups(seen, MOST)
    heads, features = _spans(h, rows), _spans(d_model, columns)
    fills = (scene.colors.masked, *scene.colors.heads)
    colors = 1 + torch.arange(len(counts))[:, None] % len(scene.colors.heads)
    hover = [
        [
            CELL(lang, head=head, feature=feature, n=n, all=rows * columns)
            for feature, n in zip(features, row, strict=True)
        ]
        for head, row in zip(heads, counts.tolist(), strict=True)
    ]
    figure = cells(
        [["✓" if n else "" for n in row] for row in counts.tolist()],
        hover,
        torch.where(counts > 0, colors, 0).float(),
        fills,
        Axis(AXIS_WORDS["head"](lang), _firsts(heads), counted=True),
        Axis(FEATURE(lang), _firsts(features), counted=True),
        title,
        scene.colors,
        lambda group: "✓" if group else "",
        (scene.focus.head // rows, 0, 1, len(features)),
    )
    words = {"title": spoken(title), "h": h, "n": int(seen.sum()), "all": seen.numel()}
    chart(scene, key, figure, WHAT_SEES(lang, **words))


def _spans(size: int, group: int) -> list[str]:
    """What the groups of an axis are called: 0–7, 8–15 …, or 0, 1 … where each is one."""
    starts = range(0, size, group)
    return [f"{i}–{min(i + group, size) - 1}" if group > 1 else f"{i}" for i in starts]


def _firsts(spans: list[str]) -> tuple[str, ...]:
    return tuple(span.split("–")[0] for span in spans)
