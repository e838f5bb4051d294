"""Step 9: scores become shares."""

import streamlit as st

from explorer.beside import in_halves, show
from explorer.core.attention import normalize
from explorer.core.heads import distance_from_uniform, mean_entropy
from explorer.elements import elements
from explorer.figures.curves import bars
from explorer.figures.panel import Panel, Scale, share
from explorer.page import Page, named
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.settings import state
from explorer.settings.choose import choose
from explorer.steps.attention_lines import attention_lines
from explorer.steps.head_order import choose_order, say_order, shown_heads, titles
from explorer.text import Text, as_code

BODY = Text(
    en="Softmax turns each row of scores into shares: e to the power of each score, divided by the "
    "sum of its row. **Every row sums to 1**, and a masked key gets exactly 0, because e^−∞ = 0. "
    "Each query now says how much of each key's value it wants.",
    zh="softmax 把每一行分数变成份额：以 e 为底对每个分数取指数，再除以这一行的总和。"
    "**每行之和都是 1**，被掩去的键正好得 0，因为 e^−∞ = 0。"
    "这样，每个查询就说清了每个键的值各要多少。",
)
SUMS = Text(
    en="All {rows} rows of this run sum to 1: the furthest from it is {error:.1e} away.",
    zh="这次运行的 {rows} 行全都和为 1：偏离最大的一行差 {error:.1e}。",
)
DRAWN = Text(en="attn drawn as", zh="attn 画成")
DRAWINGS = {
    "map": Text(en="maps, every head", zh="热力图，每个头"),
    "lines": Text(en="lines, one head", zh="连线，一个头"),
}
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
    """The attention of every head, or of one as lines, and the focused query's row as bars."""
    trace, lang = scene.trace, scene.lang
    sums = trace.attn.sum(-1)
    st.markdown(SUMS(lang, rows=sums.numel(), error=float((sums - 1).abs().max())))
    with st.container(horizontal=True):
        _choose_drawing(lang)
        if scene.sizes.h > 1:
            choose_order(lang)
    shown = shown_heads(scene)

    def heads(other: Scene) -> list[int]:
        """Those of a pinned run are the same ones, in the same order, where it has as many."""
        return shown if other.sizes.h == scene.sizes.h else shown_heads(other)

    if state.read("draw") == "lines":
        attention_lines(scene)
    else:
        st.markdown(HEADS(lang))
        in_halves(scene, "attn", lambda s: _maps(s, heads(s)), _scale, WHAT, "attn")
    say_order(scene)
    query = scene.token(scene.focus.query)
    st.markdown(BARS(lang, query=as_code(query), position=scene.focus.query))
    show(scene, "bars", lambda s: _bars(s, heads(s)))


def _choose_drawing(lang: str) -> None:
    choose("draw", DRAWN(lang), {name: text(lang) for name, text in DRAWINGS.items()})


def _maps(scene: Scene, heads: list[int]) -> list[Panel]:
    row = (scene.focus.query, 0, 1, scene.sizes.T)
    named = zip(heads, titles(scene, heads), strict=True)
    return [scene.panel("attn", title, head, outline=row) for head, title in named]


def _scale(scene: Scene, panels: list[Panel]) -> Scale:
    return share(scene.colors)


def _bars(scene: Scene, heads: list[int]) -> Picture:
    focus, lang = scene.focus, scene.lang
    rows = scene.trace.attn[focus.item, heads, focus.query]
    keys, _ = scene.axis("key", scene.sizes.T)
    names, fills = tuple(titles(scene, heads)), scene.colors.heads
    strips = " ".join(
        STRIP(lang, head=head, key=scene.token(key), share=float(row[key]))
        for head, key, row in zip(heads, rows.argmax(-1).tolist(), rows, strict=True)
    )
    cells = [
        elements(scene.trace, "attn", [(focus.item, head, focus.query, 0)], column="key")
        for head in heads
    ]
    colors = [fills[head % len(fills)] for head in heads]
    figure = bars(rows, names, colors, keys, cells, scene.colors)
    what = WHAT_BARS(lang, query=scene.token(focus.query), strips=strips)
    return Picture(figure, what, scene.shapes("attn"))


PAGE = Page(
    slug="softmax",
    label=Text(en="Softmax", zh="softmax"),
    title=Text(en="Softmax: scores become shares", zh="softmax：分数变成份额"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("masked_scores", "attn"),
    code=(normalize, mean_entropy, distance_from_uniform),
    tensors=("attn", "masked_scores"),
)
