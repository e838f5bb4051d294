"""Step 9: scores become shares."""

import streamlit as st

from explorer.charts import chart, in_halves, say_which_heads
from explorer.core.attention import normalize
from explorer.elements import elements
from explorer.figures.curves import bars
from explorer.figures.panel import share
from explorer.page import Page, named
from explorer.scene import Scene
from explorer.text import Text, as_code

BODY = Text(
    en="Softmax turns each row of scores into shares: e to the power of each score, divided by the "
    "sum of its row. **Every row sums to 1**, and a masked key gets exactly 0, because e^−∞ = 0. "
    "Each query now says how much of each key's value it wants.",
    zh="softmax 把每一行分数变成份额：每个分数取 e 的幂，再除以这一行的总和。**每行之和都是 1**，"
    "被掩去的键正好得 0，因为 e^−∞ = 0。这样，每个查询就说清了每个键的值各要多少。",
)
SUMS = Text(
    en="All {rows} rows of this run sum to 1: the furthest from it is {error:.1e} away.",
    zh="这次运行的 {rows} 行全都和为 1：偏离最大的一行差 {error:.1e}。",
)
HEADS = Text(
    en="**attn** of every head, colours from 0 to 1", zh="每个头的 **attn**，色标从 0 到 1"
)
BARS = Text(
    en="**The row of {query}** (position {position}) in every head: the same query, other weights, "
    "other shares",
    zh="**{query} 这一行**（位置 {position}），每个头各一条：同一个查询，权重不同，份额就不同",
)
WHAT = Text(en="attn of {heads}, each", zh="{heads} 的 attn，每个")
WHAT_BARS = Text(
    en="Bars of attention from query {query} to every key, one strip a head. {strips}",
    zh="查询 {query} 对每个键的注意力，每个头一条。{strips}",
)
STRIP = Text(
    en="Head {head}: most on {key}, {share:.4f}.", zh="头 {head}：最多给 {key}，{share:.4f}。"
)


def formula(scene: Scene) -> tuple[str, ...]:
    """attn = softmax over the keys."""
    s = scene.sizes
    attn, masked = (named(name, s.B, s.h, s.T, s.T) for name in ("attn", "masked"))
    return (
        rf"{attn} = \operatorname{{softmax}}_{{\text{{key}}}}\big({masked}\big)",
        r"\text{attn}_{q,k} = \frac{e^{\text{masked}_{q,k}}}{\sum_{j} e^{\text{masked}_{q,j}}}",
    )


def view(scene: Scene) -> None:
    """The attention of every head, and the focused query's row as bars."""
    trace, focus, lang = scene.trace, scene.focus, scene.lang
    sums = trace.attn.sum(-1)
    st.markdown(SUMS(lang, rows=sums.numel(), error=float((sums - 1).abs().max())))
    st.markdown(HEADS(lang))
    panels = scene.by_head("attn", whole_row=True)
    in_halves(scene, "attn", panels, share(scene.colors), lambda heads: WHAT(lang, heads=heads))
    say_which_heads(scene)
    query = scene.token(focus.query)
    st.markdown(BARS(lang, query=as_code(query), position=focus.query))
    heads = scene.heads()
    rows = trace.attn[focus.item, heads.start : heads.stop, focus.query]
    names = tuple(scene.head_title(head) for head in heads)
    keys, _ = scene.axis("key", scene.sizes.T)
    cells = [
        elements(trace, "attn", [(focus.item, head, focus.query, 0)], column="key")
        for head in heads
    ]
    best = rows.argmax(-1).tolist()
    strips = " ".join(
        STRIP(lang, head=head, key=scene.token(key), share=float(row[key]))
        for head, key, row in zip(heads, best, rows, strict=True)
    )
    what = WHAT_BARS(lang, query=query, strips=strips)
    chart(scene, "bars", bars(rows, names, keys, cells, scene.colors), what)


PAGE = Page(
    slug="softmax",
    label=Text(en="Softmax", zh="softmax"),
    title=Text(en="Softmax: scores become shares", zh="softmax：分数变成份额"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("masked_scores", "attn"),
    code=(normalize,),
    tensors=("attn", "masked_scores"),
)
