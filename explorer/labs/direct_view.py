"""Lab: view(B, h, T, d_k) in one go has the right shape; whose numbers are in it?"""

import math

import streamlit as st
import torch
from torch import Tensor

from explorer.charts import chart
from explorer.core.attention import compare, scale
from explorer.core.limits import LIMITS
from explorer.experiments.direct_view import (
    merge_by_transpose,
    merge_directly,
    same_cells,
    sees,
    view_and_transpose,
    view_directly,
)
from explorer.figures.cells import cells
from explorer.figures.matrix import wall
from explorer.figures.panel import Axis, Panel, signed
from explorer.notices import say_too_large
from explorer.page import Page
from explorer.question import Question, answered
from explorer.runs import TooLarge
from explorer.scene import Scene
from explorer.settings import state
from explorer.settings.choose import choose
from explorer.storage import color_by, layout_table, two_heads
from explorer.text import Text

MOST = 8 * LIMITS.elements  # of one tensor of the runs in which each token is changed in turn
BODY = Text(
    en="`q.view(B, h, T, d_k)` would save a line: the shape is the one that attention wants. Here "
    "are two heads made as they should be, with `view(B, T, h, d_k)` and then `transpose(1, 2)`: "
    "in each row, the numbers of **one token**.",
    zh="`q.view(B, h, T, d_k)` 少写一行，形状也正是注意力要的。下面两个头是正确的做法，"
    "先 `view(B, T, h, d_k)` 再 `transpose(1, 2)`：每一行都是**同一个词元**的数。",
)
QUESTION = Question(
    "direct_view",
    Text(
        en="What does `q.view({B}, {h}, {T}, {d_k})` give, directly?",
        zh="直接写 `q.view({B}, {h}, {T}, {d_k})` 会得到什么？",
    ),
    {
        "error": Text(en="an error", zh="报错"),
        "same": Text(en="the same tensor", zh="同一个张量"),
        "mixed": Text(
            en="the right shape, the wrong numbers in it", zh="形状对，里面的数放错了位置"
        ),
    },
)
RIGHT = Text(en="<b>right</b>: head {head}", zh="<b>正确</b>：头 {head}")
WRONG = Text(en="<b>direct view</b>: its “head” {head}", zh="<b>直接 view</b>：它的“头” {head}")
SHARE = Text(
    en="**{same:.1%} of the cells** hold the number that belongs there; (gcd(T−1, h−1) + 1) / "
    "(T·h) = {formula:.1%}. The view fills its shape in the order of memory, so head 0 takes the "
    "first {rows} of all rows of d_k numbers: a piece of the sentence, not a part of every token.",
    zh="**{same:.1%} 的格子**放的是该放的数；公式 (gcd(T−1, h−1) + 1) / (T·h) = {formula:.1%}。"
    "view 按内存顺序往形状里填，所以头 0 拿走最前面的 {rows} 行（每行 d_k 个数）："
    "那是句子的一段，而不是每个词元的一部分。",
)
AGREE = Text(
    en="With one token or one head there is nothing to swap: **both ways read the same addresses**."
    " Type a longer sentence, or choose more heads.",
    zh="只有一个词元或一个头时，没有什么可交换：**两种做法读的是同样的地址**。"
    "换一个更长的句子，或多选几个头试试。",
)
SCORES = Text(
    en="**The scores of head {head}**, from right and from mixed-up q and k, on one colour range. "
    "The largest difference is {difference:.3g}.",
    zh="**头 {head} 的分数**：左边用正确的 q、k，右边用放乱的，同一色标。最大差 {difference:.3g}。",
)
WHAT_SCORES = Text(
    en="Scores of head {head}, right and from a direct view; each",
    zh="头 {head} 的分数，正确的和直接 view 的，每张",
)
MERGE = Text(en="the heads are merged again by", zh="各头再用什么拼回去")
MERGES = {
    "transpose": Text(en="transpose, contiguous, view", zh="transpose、contiguous、view"),
    "view": Text(en="a direct view", zh="直接 view"),
}
SEES = Text(
    en="**Who really sees whom** (changing one token at a time and looking which rows of the "
    "result change): {leaks} cells see a token that the mask forbids (!), {blind} miss one that "
    "they may see (×).",
    zh="**究竟谁看得到谁**（每次改动一个词元，看结果的哪些行跟着变）："
    "{leaks} 格看到了掩码不许看的词元（!），{blind} 格看不到本可以看的（×）。",
)
KINDS = (
    Text(en="does not depend on", zh="与它无关"),
    Text(en="sees (✓)", zh="看得到（✓）"),
    Text(en="sees what is masked (!)", zh="看到了被遮住的（!）"),
    Text(en="is blind to (×)", zh="看不到（×）"),
)
MARKS = ("", "✓", "!", "×")
ROW = Text(en="row", zh="行")
CHANGED = Text(en="token", zh="词元")
WHAT_SEES = Text(
    en="Which token each row of the result depends on: {leaks} leaks, {blind} blind spots.",
    zh="结果的每一行取决于哪些词元：{leaks} 处泄漏，{blind} 处看不到。",
)


def view(scene: Scene) -> None:
    """Two heads as they should be; then the question, and what the direct view does."""
    trace, s = scene.trace, scene.sizes
    color_by(scene.lang)
    two_heads(scene, "right", lambda s: s.trace.q_heads, RIGHT)
    wrong = view_directly(trace.q, s.h)
    same = same_cells(trace.q_heads, wrong)
    right = "same" if same == 1 else "mixed"
    if answered(QUESTION, right, scene.lang, B=s.B, h=s.h, T=s.T, d_k=s.d_k):
        _answer(scene, wrong, same)


def _answer(scene: Scene, wrong: Tensor, same: float) -> None:
    trace, s = scene.trace, scene.sizes
    two_heads(scene, "wrong", lambda _: wrong, WRONG)
    if same == 1:
        st.markdown(AGREE(scene.lang))
    else:
        formula = (math.gcd(s.T - 1, s.h - 1) + 1) / (s.T * s.h)
        st.markdown(SHARE(scene.lang, same=same, formula=formula, rows=s.T))
    named = {"q": trace.q, "q_heads": trace.q_heads, f"q.view({s.B}, {s.h}, {s.T}, {s.d_k})": wrong}
    layout_table(scene, named)
    _scores(scene, wrong)
    _sees(scene)


def _scores(scene: Scene, wrong: Tensor) -> None:
    trace, focus = scene.trace, scene.focus
    mixed = scale(compare(wrong, view_directly(trace.k, scene.sizes.h)), scene.sizes.d_k)
    right, mixed = (scores[focus.item, focus.head] for scores in (trace.scores, mixed))
    rows, columns = scene.axis("query", len(right))[0], scene.axis("key", len(right))[0]
    titles = RIGHT(scene.lang, head=focus.head), WRONG(scene.lang, head=focus.head)
    panels = [
        Panel("scores", values, rows, columns, title)
        for values, title in zip((right, mixed), titles, strict=True)
    ]
    difference = float((right - mixed).abs().max())
    st.markdown(SCORES(scene.lang, head=focus.head, difference=difference))
    figure = wall(panels, 2, signed(scene.colors, right, mixed), scene.colors)
    chart(scene, "scores", figure, WHAT_SCORES(scene.lang, head=focus.head), right, mixed)


def _sees(scene: Scene) -> None:
    trace, item, lang, s = scene.trace, scene.focus.item, scene.lang, scene.sizes
    for name, size in {"h·T³": s.h * s.T**3, "T²·h·d_k": s.T**2 * s.h * s.d_k}.items():
        if size > MOST:
            return say_too_large(TooLarge(name, size, MOST), lang)
    merge = state.read("merge")
    choose("merge", MERGE(lang), {way: text(lang) for way, text in MERGES.items()})
    joined = merge_directly if merge == "view" else merge_by_transpose
    q, k, v, mask = trace.q[item], trace.k[item], trace.v[item], trace.mask[item, 0]
    one = (m[:, : scene.sizes.d_k] for m in (q, k, v))  # as they should be, all heads see the same
    may = sees(*one, mask, 1, view_and_transpose, merge_by_transpose)
    does = sees(q, k, v, mask, scene.sizes.h, view_directly, joined)
    kind = torch.where(does, torch.where(may, 1, 2), torch.where(may, 3, 0))
    counts = {"leaks": int((kind == 2).sum()), "blind": int((kind == 3).sum())}
    st.markdown(SEES(lang, **counts))
    texts = [[MARKS[i] for i in row] for row in kind.tolist()]
    hover = [
        [f"{scene.token(q)}: {KINDS[i](lang)} {scene.token(k)}" for k, i in enumerate(row)]
        for q, row in enumerate(kind.tolist())
    ]
    fills = (scene.colors.masked, *(scene.colors.heads[i] for i in (0, 1, 3)))
    labels = scene.token_labels
    figure = cells(
        texts,
        hover,
        kind.float(),
        fills,
        Axis(ROW(lang), labels),
        Axis(CHANGED(lang), labels),
        "",
        scene.colors,
        lambda i: MARKS[i],
    )
    chart(scene, "sees", figure, WHAT_SEES(lang, **counts))
    st.caption(" · ".join(kind(lang) for kind in KINDS[1:]))


PAGE = Page(
    slug="direct_view",
    label=Text(en="Direct view", zh="直接 view"),
    title=Text(en="Why not view straight into heads?", zh="为什么不直接 view 成多头？"),
    body=BODY,
    view=view,
    code=(view_directly, view_and_transpose, sees),
    flow=("q", "q_heads"),
    tensors=("q_heads", "q"),
    steps=("split",),
)
