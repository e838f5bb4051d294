"""Step 5: x @ W_Q, x @ W_K, x @ W_V."""

import streamlit as st

from explorer.core.attention import project
from explorer.core.checks import fused_minus_per_head
from explorer.figures.matrix import product
from explorer.figures.panel import signed
from explorer.page import Page, under
from explorer.scene import Scene, Sizes
from explorer.text import Text

BODY = Text(
    en="Three matrices turn every x into a query, a key and a value. Hover over a number of the "
    "result: **its row of x and its column of W meet in it**. The numbers above W tell which head "
    "a column will belong to: a head is nothing but a block of columns.",
    zh="三个矩阵把每个 x 变成查询、键和值。把鼠标移到结果的一个数上：**x 的一行和 W "
    "的一列在此相交**。"
    "W 上方的数字是这一列将来属于哪个头：所谓一个头，就是 W 里的一块列。",
)
FUSED = Text(
    en="One large product, then split, equals {h} small products, one a head: the largest "
    "difference over all elements of this run is **{difference:.3g}**.",
    zh="先做一次大乘法再拆分，等于 {h} 次小乘法（每个头一次）：这次运行里所有元素的最大差是 "
    "**{difference:.3g}**。",
)
WHAT = Text(
    en="Matrix product {left} @ {above} = {result}, laid out as on paper; the result is",
    zh="矩阵乘法 {left} @ {above} = {result}，按纸上的样子排开；结果",
)


def formula(s: Sizes) -> str:
    """Q, K, V = x W, with this run's sizes."""
    width = s.h * s.d_k
    parts = (
        rf"{under(name, s.B, s.T, width)} = {under('x', s.B, s.T, s.d_model)}\,"
        rf"{under(f'W_{name}', s.d_model, width)}"
        for name in "QKV"
    )
    return r" \qquad ".join(parts)


def view(scene: Scene) -> None:
    """The three products, Q's large, and the difference between fused and per head."""
    _product(scene, "q", "W_Q")
    for column, name in zip(st.columns(2), "kv", strict=True):
        with column:
            _product(scene, name, f"W_{name.upper()}")
    difference = fused_minus_per_head(scene.trace)
    st.markdown(FUSED(scene.lang, h=scene.sizes.h, difference=difference))
    scene.part(max(scene.sizes.d_model, scene.sizes.h * scene.sizes.d_k))


def _product(scene: Scene, name: str, weight: str) -> None:
    left = scene.panel("x", "<b>x</b>")
    above = scene.panel(weight, f"<b>{weight}</b>")
    result = scene.panel(name, f"<b>{name}</b> = x @ {weight}")
    scale = signed(scene.colors, left.values, above.values, result.values)
    figure = product(left, above, result, scale, scene.colors)
    what = WHAT(scene.lang, left="x", above=weight, result=name)
    scene.chart(name, figure, what, result.values)


PAGE = Page(
    slug="projection",
    label=Text(en="Projection", zh="投影"),
    title=Text(en="Projection: queries, keys and values", zh="投影：查询、键和值"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("x", "q"),
    code=(project,),
    tensors=("q", "k", "v", "W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"),
)
