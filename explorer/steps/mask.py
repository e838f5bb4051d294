"""Step 8: who may not be seen gets −∞."""

import streamlit as st

from explorer.beside import EACH, columns, heads_wall, show, side_by_side
from explorer.charts import describe, say_which_heads
from explorer.core.attention import apply_mask, make_mask
from explorer.figures.matrix import wall
from explorer.figures.panel import Scale, signed
from explorer.page import Page, named
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.text import Text, as_code

BODY = Text(
    en="The mask is added to the scores: **0 may be seen, −∞ may not**. Padding keys are hidden "
    "from everyone; a causal mask also hides every key after the query, while every token that is "
    "not padding sees itself (the diagonal is 0). One mask serves all heads.",
    zh="掩码是加到分数上的：**0 可以看，−∞ 不可以看**。填充的键谁都看不到；"
    "因果掩码还遮住查询之后的所有键，"
    "而不是填充的词元总能看到自己（对角线是 0）。同一个掩码用于所有头。",
)
MASK = Text(en="mask: 0 or −∞", zh="mask：0 或 −∞")
SEES = Text(
    en="The query {query} at position {position} sees **{seen} of {T}** keys: {tokens}.",
    zh="位置 {position} 的查询 {query} 能看到 {T} 个键中的 **{seen}** 个：{tokens}。",
)
BOTH = Text(
    en="This sentence is {real} tokens and {padding} of padding: their columns are masked "
    "whichever "
    "mask is chosen.",
    zh="这一句有 {real} 个词元、{padding} 个填充：不管选哪种掩码，填充那几列都被遮住。",
)
ALL_HIDDEN = Text(
    en="No query here is left without a key: each sentence has at least one token, and every query "
    "sees the first. If a whole row were −∞, the softmax of it would be 0 ÷ 0, NaN.",
    zh="这里没有哪个查询一个键都看不到：每句至少有一个词元，每个查询都看得到第一个。"
    "要是一整行都是 −∞，softmax 就成了 0 ÷ 0，得到 NaN。",
)
BOTH_SIDES = Text(
    en="Every head **before** (`scores`, first) and **after** (`masked_scores`, second), on one "
    "colour range. A masked cell is grey, −∞.",
    zh="每个头，先是**之前**（`scores`），再是**之后**（`masked_scores`），同一色标。"
    "灰格是被掩去的 −∞。",
)
WHAT_MASK = Text(
    en="The mask of the sentence in focus; query {query} sees {seen} of {T} keys.",
    zh="焦点句的掩码；查询 {query} 能看到 {T} 个键中的 {seen} 个。",
)


def formula(scene: Scene) -> tuple[str, ...]:
    """masked_scores = scores + mask."""
    s = scene.sizes
    result, scores = (named(name, s.B, s.h, s.T, s.T) for name in ("masked", "scores"))
    return (
        rf"{result} = {scores} + {named('mask', s.B, 1, s.T, s.T)}",
        r"\text{mask}_{q,k} \in \{0, -\infty\}",
    )


def view(scene: Scene) -> None:
    """The mask, then the scores of every head before and after it."""
    trace, focus, lang = scene.trace, scene.focus, scene.lang
    left, right = columns(scene, [2, 3])
    with left:
        show(scene, "mask", _mask)
    with right:
        words = {"query": as_code(scene.token(focus.query)), "T": scene.sizes.T}
        seen = _seen(scene)
        tokens = " ".join(as_code(scene.token(key)) for key in seen)
        said = {"seen": len(seen), "position": focus.query, "tokens": tokens}
        st.markdown(SEES(lang, **words, **said))
        padding = int((trace.ids[focus.item] == 0).sum())
        if padding:
            st.markdown(BOTH(lang, real=scene.sizes.T - padding, padding=padding))
        st.caption(ALL_HIDDEN(lang))
    st.markdown(BOTH_SIDES(lang))
    side_by_side(scene, "scores", _before, _after)
    say_which_heads(scene)


def _seen(scene: Scene) -> list[int]:
    """The keys that the query in focus may see."""
    focus = scene.focus
    return (scene.trace.mask[focus.item, 0, focus.query] == 0).nonzero().flatten().tolist()


def _scale(scene: Scene) -> Scale:
    """One for all figures, masked or not."""
    return signed(scene.colors, scene.trace.scores[scene.focus.item])


def _mask(scene: Scene) -> Picture:
    query, T, lang = scene.focus.query, scene.sizes.T, scene.lang
    panel = scene.panel("mask", MASK(lang), outline=(query, 0, 1, T))
    figure = wall([panel], 1, _scale(scene), scene.colors, bar=False)
    what = WHAT_MASK(lang, query=scene.token(query), seen=len(_seen(scene)), T=T)
    return Picture(figure, describe(scene, what, panel.values), scene.shapes("mask"))


def _before(scene: Scene) -> Picture:
    return heads_wall(scene, scene.by_head("scores"), _scale(scene), EACH, "scores")


def _after(scene: Scene) -> Picture:
    panels = scene.by_head("masked_scores")
    return heads_wall(scene, panels, _scale(scene), EACH, "masked_scores")


PAGE = Page(
    slug="mask",
    label=Text(en="Mask", zh="掩码"),
    title=Text(en="Mask: what a token may not see", zh="掩码：不许看的"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("scores mask", "masked_scores"),
    code=(make_mask, apply_mask),
    tensors=("masked_scores", "mask", "scores"),
)
