"""The attention of the head in focus as lines from its queries to its keys."""

import streamlit as st

from explorer.beside import show
from explorer.elements import elements
from explorer.figures.lines import Lines, choose, lines
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.text import Text, as_code

HEAD = Text(
    en="**attn** of head {head}, queries on the left, keys on the right: the thicker a line, the "
    "larger the weight. The lines of {query} are at full strength.",
    zh="头 {head} 的 **attn**：左边是查询，右边是键，线越粗权重越大。{query} 的线画得最浓。",
)
LEFT_OUT = Text(
    en="Of the other queries, lines are drawn from a weight of {threshold} on: {n} are left out, "
    "which carry {weight:.2f} of {all:.2f}, {share:.1%}.",
    zh="其他查询只画权重不小于 {threshold} 的线：略去 {n} 条，"
    "它们的权重合计 {weight:.2f}，占 {all:.2f} 的 {share:.1%}。",
)
WHAT = Text(
    en="{n} lines from queries to keys, head {head}. Query {query}: {shares}.",
    zh="头 {head}，从查询到键的 {n} 条线。查询 {query}：{shares}。",
)
TOLD = 5  # of the largest weights of the query in focus


def attention_lines(scene: Scene) -> None:
    """Show the lines, and say which of them are left out."""
    lang, focus = scene.lang, scene.focus
    st.markdown(HEAD(lang, head=focus.head, query=as_code(scene.token(focus.query))))
    show(scene, "lines", _picture)
    chosen, others = _chosen(scene), scene.sizes.T - 1
    if chosen.left_out:
        words = {"threshold": chosen.threshold, "n": chosen.left_out, "weight": chosen.weight}
        st.caption(LEFT_OUT(lang, **words, all=others, share=chosen.weight / others))


def _chosen(scene: Scene) -> Lines:
    focus = scene.focus
    return choose(scene.trace.attn[focus.item, focus.head].cpu(), focus.query)


def _picture(scene: Scene) -> Picture:
    focus, chosen = scene.focus, _chosen(scene)
    weights = scene.trace.attn[focus.item, focus.head].cpu()
    (queries, _), (keys, _) = (scene.axis(name, scene.sizes.T) for name in ("query", "key"))
    color = scene.colors.lines[focus.head % len(scene.colors.lines)]
    start = (focus.item, focus.head, 0, 0)
    cells = elements(scene.trace, "attn", [start], "query", "key")
    figure = lines(weights, chosen, queries, keys, focus.query, cells, color, scene.colors)
    best = weights[focus.query].topk(min(TOLD, scene.sizes.T))
    shares = (
        f"{scene.token(key)} {share:.4f}"
        for share, key in zip(best.values.tolist(), best.indices.tolist(), strict=True)
        if share
    )
    words = {"head": focus.head, "query": scene.token(focus.query), "shares": ", ".join(shares)}
    return Picture(figure, WHAT(scene.lang, n=int(chosen.drawn.sum()), **words))
