"""Step 12: W_O, the residual, LayerNorm, and whether torch agrees."""

import streamlit as st

from explorer.beside import in_halves, show
from explorer.charts import describe, say_part, say_which_heads
from explorer.core.attention import add_residual, layer_norm, project_out
from explorer.core.checks import head_contributions
from explorer.figures.matrix import product, wall
from explorer.figures.panel import Panel, Scale, signed
from explorer.page import Page, named, under
from explorer.pictures import Picture
from explorer.runs import checks
from explorer.scene import Scene
from explorer.text import Text, as_code, table

BODY = Text(
    en="W_O mixes what the heads found, back to d_model numbers a token: **the output has the "
    "shape "
    "of the input**, so layers can be stacked. One product with W_O is the same as h small ones, "
    "one a head, added up. Then x is added back (residual) and LayerNorm evens each row out. W_O "
    "has a range of colours to itself, written beside its name.",
    zh="W_O 把各头的结果混合，变回每个词元 d_model 个数：**输出与输入形状相同**，"
    "所以层可以一层层叠起来。"
    "与 W_O 的一次乘法，等于每个头各做一次小乘法再相加。然后加回 x（残差），LayerNorm "
    "再把每一行调匀。W_O 用自己的色标，范围写在名字旁边。",
)
HEADS = Text(
    en="**The same output as a sum over heads**: z of each head times its own d_k rows of W_O. "
    "Largest difference between the sum and the one product: **{difference:.3g}**.",
    zh="**同一个输出，也是各头之和**：每个头的 z 乘 W_O 中属于它的 d_k 行。"
    "和与一次乘法的最大差：**{difference:.3g}**。",
)
BIAS = Text(
    en="(The sum leaves out b_O, which is added once.)", zh="（和里不含 b_O，它只加一次。）"
)
AFTER = Text(
    en="**Residual and LayerNorm**: x + output, then every row shifted to mean 0 and scaled to "
    "variance 1. Row {query}: mean {mean:z.4f}, variance {variance:.4f}.",
    zh="**残差与 LayerNorm**：x + output，再把每行平移到均值 0、缩放到方差 1。"
    "{query} 这一行：均值 {mean:z.4f}，方差 {variance:.4f}。",
)
CHECK = Text(
    en="**Does PyTorch agree?** The same weights, the same sentence, computed by torch's own "
    "attention just now:",
    zh="**PyTorch 怎么说？** 同样的权重、同样的句子，刚刚用 torch 自己的注意力算了一遍：",
)
TORCH = Text(en="torch's own", zh="torch 自己的函数")
COMPARED = Text(en="compared with", zh="与哪个张量比")
DIFFERENCE = Text(en="largest difference", zh="最大差")
NOT_POSSIBLE = Text(
    en="`nn.MultiheadAttention` knows no d_k of its own, only d_model / h, so it cannot be built "
    "for this run.",
    zh="`nn.MultiheadAttention` 只认 d_model / h，不能单独设 d_k，所以这次运行无法用它核对。",
)
WHAT = Text(
    en="Matrix product concat @ W_O = output; the output has",
    zh="矩阵乘法 concat @ W_O = output；output",
)
WHAT_HEADS = Text(
    en="What {heads} each add to the output, one heatmap a head; each has",
    zh="{heads} 各自给 output 加上的部分，每个头一张热力图，每张",
)
WHAT_AFTER = Text(en="Heatmaps of {name}, one row a token;", zh="{name} 的热力图，每个词元一行；")


def formula(scene: Scene) -> tuple[str, ...]:
    """output = concat W_O, as one product and as a sum over heads; normed."""
    s, width = scene.sizes, scene.sizes.h * scene.sizes.d_k
    output, concat = named("output", s.B, s.T, s.d_model), named("concat", s.B, s.T, width)
    b = "" if scene.trace.params.b_O is None else f" + {under('b_O', s.d_model)}"
    return (
        rf"{output} = {concat}\;\;{under('W_O', width, s.d_model)}{b}",
        rf"\text{{concat}}\,W_O = \sum_{{i=0}}^{{{s.h - 1}}} z_i\,W_O^{{(i)}}",
        r"\text{normed} = \operatorname{LayerNorm}(x + \text{output})",
    )


def view(scene: Scene) -> None:
    """The product, the sum over heads, residual and LayerNorm, and the check."""
    show(scene, "product", _product)
    say_part(scene, max(scene.sizes.d_model, scene.sizes.h * scene.sizes.d_k))
    _heads(scene)
    _after(scene)
    _check(scene)


def _product(scene: Scene) -> Picture:
    left, above = scene.panel("concat", "<b>concat</b>"), scene.weight("W_O")
    result = scene.panel("output", "<b>output</b> = concat @ W_O")
    scale = signed(scene.colors, left.values, result.values)
    figure = product(left, above, result, scale, scene.colors)
    what = describe(scene, WHAT(scene.lang), result.values)
    return Picture(figure, what, scene.shapes("concat", "W_O"))


def _heads(scene: Scene) -> None:
    trace, lang = scene.trace, scene.lang
    st.markdown(HEADS(lang, difference=checks(trace.config).heads))
    if trace.params.b_O is not None:
        st.caption(BIAS(lang))
    in_halves(scene, "heads", _parts, _scale, WHAT_HEADS, "z", "W_O")
    say_which_heads(scene)


def _parts(scene: Scene) -> list[Panel]:
    """What each head that is drawn adds to the output."""
    columns, shown = scene.axis("d_model", scene.sizes.d_model)
    rows, _ = scene.axis("seq", scene.sizes.T)
    heads = scene.heads()
    parts = head_contributions(scene.trace, scene.focus.item, slice(heads.start, heads.stop))
    return [
        Panel(f"z @ W_O[head {i}]", part[:, shown], rows, columns, scene.head_title(i))
        for i, part in zip(heads, parts, strict=True)
    ]


def _scale(scene: Scene, panels: list[Panel]) -> Scale:
    return signed(scene.colors, *(panel.values for panel in panels))


def _after(scene: Scene) -> None:
    trace, query = scene.trace, scene.focus.query
    row = trace.normed[scene.focus.item, query]
    words = {"mean": float(row.mean()), "variance": float(row.var(unbiased=False))}
    st.markdown(AFTER(scene.lang, query=as_code(scene.token(query)), **words))
    show(scene, "after", _residual)


def _residual(scene: Scene) -> Picture:
    names = ("x", "output", "residual", "normed")
    panels = [scene.panel(name, f"<b>{name}</b>") for name in names]
    figure = wall(panels, 2, _scale(scene, panels), scene.colors)
    what = WHAT_AFTER(scene.lang, name=", ".join(names))
    alt = describe(scene, what, *(panel.values for panel in panels))
    return Picture(figure, alt, scene.shapes(*names))


def _check(scene: Scene) -> None:
    lang, found = scene.lang, checks(scene.trace.config)
    st.markdown(CHECK(lang))
    differences = [
        ("F.scaled_dot_product_attention", "z", found.sdpa),
        ("nn.MultiheadAttention", "output", found.output),
        ("nn.MultiheadAttention", "attn", found.attn),
    ]
    rows = [
        (f"`{theirs}`", f"`{ours}`", f"{difference:.2e}")
        for theirs, ours, difference in differences
        if difference is not None
    ]
    st.markdown(table([TORCH(lang), COMPARED(lang), DIFFERENCE(lang)], rows))
    if found.output is None:
        st.caption(NOT_POSSIBLE(lang))


PAGE = Page(
    slug="output",
    label=Text(en="Output", zh="输出"),
    title=Text(en="Output: W_O, residual, LayerNorm", zh="输出：W_O、残差、LayerNorm"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("concat W_O", "output", "normed"),
    code=(project_out, add_residual, layer_norm),
    tensors=("output", "residual", "normed", "concat", "W_O", "b_O"),
)
