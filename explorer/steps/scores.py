"""Step 7: every query against every key, and the √d_k."""

import streamlit as st

from explorer.beside import EACH, heads_wall, show, side_by_side
from explorer.charts import describe, say_part, say_which_heads
from explorer.core.attention import compare, scale
from explorer.figures.matrix import product
from explorer.figures.panel import Scale, signed
from explorer.page import Page, named, under
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.text import Text, as_code

BODY = Text(
    en="Every query is multiplied with every key, head by head: **a score is one dot product of "
    "d_k numbers**. A sum of d_k products spreads √d_k times as wide as one of them, so the scores "
    "are divided by √d_k before the softmax sees them.",
    zh="每个头里，每个查询都和每个键相乘：**一个分数就是 d_k 个数的点积**。"
    "d_k 项相加，散布会变宽到单项的 √d_k 倍，所以先除以 √d_k，再交给 softmax。",
)
FOCUS = Text(
    en="Head {head} · query {query} · key {key}: the dot product is {raw:.4f}, divided by "
    "√{d_k} = {root:.4f} it is the score **{score:.4f}**.",
    zh="头 {head} · 查询 {query} · 键 {key}：点积是 {raw:.4f}，除以 √{d_k} = {root:.4f}，"
    "得到分数 **{score:.4f}**。",
)
PRODUCT = Text(
    en="**Head {head}, in full.** Hover over a score: its query and its key meet in it.",
    zh="**头 {head} 的全过程。** 把鼠标移到一个分数上：它的查询和键在此相交。",
)
ALL_HEADS = Text(
    en="**Every head**: first `raw_scores` = QKᵀ, then `scores` = QKᵀ ÷ √d_k, on one colour range.",
    zh="**每个头**：先是 `raw_scores` = QKᵀ，再是 `scores` = QKᵀ ÷ √d_k，同一色标。",
)
WHAT_PRODUCT = Text(
    en="Matrix product q_heads @ k_headsᵀ of head {head}; in focus query {query}, key {key}: "
    "{raw:.4f}. The result has",
    zh="头 {head} 的 q_heads @ k_headsᵀ；焦点是查询 {query}、键 {key}：{raw:.4f}。结果",
)


def formula(scene: Scene) -> tuple[str, ...]:
    """scores = QKᵀ / √d_k."""
    s = scene.sizes
    q, k = under("Q", s.B, s.h, s.T, s.d_k), under(r"K^{\top}", s.B, s.h, s.d_k, s.T)
    scores = named("scores", s.B, s.h, s.T, s.T)
    return (rf"{scores} = \frac{{{q}\;\;{k}}}{{\sqrt{{{s.d_k}}}}}",)


def view(scene: Scene) -> None:
    """The focused head as a product, then all heads before and after the division."""
    words, lang, d_k = _words(scene), scene.lang, scene.sizes.d_k
    code = {name: as_code(words[name]) for name in ("query", "key")}
    st.markdown(FOCUS(lang, **words | code, d_k=d_k, root=d_k**0.5))
    st.markdown(PRODUCT(lang, head=scene.focus.head))
    show(scene, "product", _product)
    say_part(scene, d_k)
    st.markdown(ALL_HEADS(lang))
    side_by_side(scene, "all", _raw, _scaled)
    say_which_heads(scene)


def _words(scene: Scene) -> dict[str, object]:
    """The score in focus: whose it is, and what it is made from."""
    trace, focus = scene.trace, scene.focus
    at = (focus.item, focus.head, focus.query, focus.key)
    return {
        "head": focus.head,
        "query": scene.token(focus.query),
        "key": scene.token(focus.key),
        "raw": float(trace.raw_scores[at]),
        "score": float(trace.scores[at]),
    }


def _product(scene: Scene) -> Picture:
    left = scene.panel("q_heads", "<b>Q</b>")
    above = scene.panel("k_heads", "<b>Kᵀ</b>", transposed=True)
    result = scene.panel(
        "raw_scores", "<b>QKᵀ</b>", outline=(scene.focus.query, scene.focus.key, 1, 1)
    )
    colors = signed(scene.colors, left.values, above.values, result.values)
    figure = product(left, above, result, colors, scene.colors)
    what = WHAT_PRODUCT(scene.lang, **_words(scene))
    shapes = scene.shapes("q_heads", "k_heads", "raw_scores")
    return Picture(figure, describe(scene, what, result.values), shapes)


def _scale(scene: Scene) -> Scale:
    """One for both walls: the scores are the smaller ones."""
    return signed(scene.colors, scene.trace.raw_scores[scene.focus.item])


def _raw(scene: Scene) -> Picture:
    return heads_wall(scene, scene.by_head("raw_scores"), _scale(scene), EACH, "raw_scores")


def _scaled(scene: Scene) -> Picture:
    return heads_wall(scene, scene.by_head("scores"), _scale(scene), EACH, "scores")


PAGE = Page(
    slug="scores",
    label=Text(en="Scores", zh="打分"),
    title=Text(en="Scores: every query meets every key", zh="打分：每个查询对每个键"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("q_heads k_heads", "raw_scores", "scores"),
    code=(compare, scale),
    tensors=("scores", "raw_scores", "q_heads", "k_heads"),
)
