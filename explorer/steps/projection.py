"""Step 5: x @ W_Q, x @ W_K, x @ W_V."""

from functools import partial

import streamlit as st

from explorer.beside import columns, show
from explorer.charts import describe, say_part
from explorer.core.attention import project
from explorer.figures.matrix import product
from explorer.figures.panel import signed
from explorer.page import Page, under
from explorer.pictures import Picture
from explorer.runs import checks
from explorer.scene import Scene
from explorer.settings import state
from explorer.settings.choose import choose
from explorer.text import Text

BODY = Text(
    en="Three matrices turn every x into a query, a key and a value. Hover over a number of the "
    "result: **its row of x and its column of W meet in it**. The numbers above W tell which head "
    "a column will belong to: a head is nothing but a block of columns. W has a "
    "range of colours to itself, written beside its name.",
    zh="三个矩阵把每个 x 变成查询、键和值。把鼠标移到结果的一个数上：**x 的一行和 W "
    "的一列在此相交**。"
    "W 上方的数字是这一列将来属于哪个头：所谓一个头，就是 W 里的一块列。"
    "W 用自己的色标，范围写在名字旁边。",
)
FUSED = Text(
    en="One large product, then split, equals {h} small products, one a head: the largest "
    "difference over all elements of this run is **{difference:.3g}**.",
    zh="先做一次大乘法再拆分，等于 {h} 次小乘法（每个头一次）：这次运行里所有元素的最大差是 "
    "**{difference:.3g}**。",
)
LARGE = Text(en="Drawn large", zh="放大显示")
WHAT = Text(
    en="Matrix product x @ {above} = {result}, laid out as on paper; the result is",
    zh="矩阵乘法 x @ {above} = {result}，按纸上的样子排开；结果",
)


def formula(scene: Scene) -> tuple[str, ...]:
    """Q, K, V = x W, plus b where there is one."""
    return tuple(_formula(scene, name) for name in "QKV")


def _formula(scene: Scene, name: str) -> str:
    s, width = scene.sizes, scene.sizes.h * scene.sizes.d_k
    x, W = under("x", s.B, s.T, s.d_model), under(f"W_{name}", s.d_model, width)
    b = f" + {under(f'b_{name}', width)}" if scene.trace.config.bias else ""
    return rf"{under(name, s.B, s.T, width)} = {x}\;\;{W}{b}"


def view(scene: Scene) -> None:
    """One product large, the other two beside each other, and fused against per head."""
    large = state.read("matrix")
    choose("matrix", LARGE(scene.lang), {name: f"x @ W_{name.upper()}" for name in "qkv"})
    show(scene, large, partial(_product, name=large, written=True))
    small = [name for name in "qkv" if name != large]
    for column, name in zip(columns(scene, 2), small, strict=True):
        with column:
            show(scene, name, partial(_product, name=name, written=False))
    difference = checks(scene.trace.config).fused
    st.markdown(FUSED(scene.lang, h=scene.sizes.h, difference=difference))
    say_part(scene, max(scene.sizes.d_model, scene.sizes.h * scene.sizes.d_k))


def _product(scene: Scene, name: str, written: bool) -> Picture:
    weight = f"W_{name.upper()}"
    left = scene.panel("x", "<b>x</b>")
    above = scene.weight(weight)
    result = scene.panel(name, f"<b>{name}</b> = x @ {weight}")
    scale = signed(scene.colors, left.values, result.values)
    figure = product(left, above, result, scale, scene.colors, written)
    what = WHAT(scene.lang, above=weight, result=name)
    return Picture(figure, describe(scene, what, result.values), scene.shapes("x", weight))


PAGE = Page(
    slug="projection",
    label=Text(en="Projection", zh="投影"),
    title=Text(en="Projection: queries, keys and values", zh="投影：查询、键和值"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("x W_Q", "q"),
    code=(project,),
    tensors=("q", "k", "v", "x", "W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"),
)
