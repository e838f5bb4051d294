"""Step 10: values mixed by attention."""

import streamlit as st

from explorer.beside import show
from explorer.charts import describe, say_part
from explorer.core.attention import mix_values
from explorer.figures.matrix import product
from explorer.figures.panel import share, signed
from explorer.page import Page, named, under
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.text import Text, as_code

BODY = Text(
    en="Each query takes its shares of the values: **a row of z is a weighted mean of the rows of "
    "V**, with the row of attn as weights. Where attn is 0, that token's value has no part in it.",
    zh="每个查询按份额取值：**z 的一行就是 V 各行的加权平均**，权重是 attn 的那一行。"
    "attn 为 0 的地方，那个词元的值就不参与。",
)
MIX = Text(
    en="In head {head}, the row of {query} is {terms}, where a token stands for its row of V.",
    zh="在头 {head} 里，{query} 的这一行是 {terms}，这里词元代表它在 V 中的那一行。",
)
REST = Text(en="{rest:.4f} of the other {n}", zh="其余 {n} 个共 {rest:.4f}")
PRODUCT = Text(
    en="Hover over a number of z: the shares of its query and a column of V meet in it.",
    zh="把鼠标移到 z 的一个数上：它那个查询的份额和 V 的一列在此相交。",
)
WHAT = Text(
    en="Matrix product attn @ v_heads of head {head}; in focus query {query}. The result z has",
    zh="头 {head} 的 attn @ v_heads；焦点是查询 {query}。结果 z",
)
TERMS = 5


def formula(scene: Scene) -> tuple[str, ...]:
    """z = attn V."""
    s = scene.sizes
    attn, v = named("attn", s.B, s.h, s.T, s.T), under("V", s.B, s.h, s.T, s.d_k)
    return (rf"{under('z', s.B, s.h, s.T, s.d_k)} = {attn}\;\;{v}",)


def view(scene: Scene) -> None:
    """The focused query's mixture in words, and the product with its crosshair."""
    focus, lang = scene.focus, scene.lang
    query = scene.token(focus.query)
    st.markdown(MIX(lang, head=focus.head, query=as_code(query), terms=_terms(scene)))
    st.markdown(PRODUCT(lang))
    show(scene, "product", _product)
    say_part(scene, scene.sizes.d_k)


def _product(scene: Scene) -> Picture:
    focus, T = scene.focus, scene.sizes.T
    row = (focus.query, 0, 1, T)
    left = scene.panel("attn", "<b>attn</b>", outline=row, scale=share(scene.colors))
    above = scene.panel("v_heads", "<b>V</b>")
    result = scene.panel(
        "z", "<b>z</b> = attn @ V", outline=(focus.query, 0, 1, len(above.columns.labels))
    )
    colors = signed(scene.colors, above.values, result.values)
    figure = product(left, above, result, colors, scene.colors)
    what = WHAT(scene.lang, head=focus.head, query=scene.token(focus.query))
    shapes = scene.shapes("attn", "v_heads")
    return Picture(figure, describe(scene, what, result.values), shapes)


def _terms(scene: Scene) -> str:
    """The largest shares of the focused row, each with its token, and what is left of 1."""
    focus = scene.focus
    row = scene.trace.attn[focus.item, focus.head, focus.query]
    shares = sorted(((s, i) for i, s in enumerate(row.tolist()) if s > 0), reverse=True)
    terms = [f"**{s:.4f}** × {as_code(scene.token(i))}" for s, i in shares[:TERMS]]
    rest = shares[TERMS:]
    if rest:
        terms.append(REST(scene.lang, rest=sum(s for s, _ in rest), n=len(rest)))
    return " + ".join(terms)


PAGE = Page(
    slug="mix",
    label=Text(en="Mix", zh="加权"),
    title=Text(en="Mix: a weighted mean of values", zh="加权：值的加权平均"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("attn v_heads", "z"),
    code=(mix_values,),
    tensors=("z", "attn", "v_heads"),
)
