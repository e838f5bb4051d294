"""Lab: a head gets a slice of x, or x @ W; what can it see? And one product, or one a head?"""

from dataclasses import replace
from functools import lru_cache

import streamlit as st
import torch
from torch import Tensor

from explorer.charts import chart, say_part
from explorer.core import Config
from explorer.core.attention import compare, scale
from explorer.core.checks import largest_difference
from explorer.experiments.slicing import (
    by_projection,
    by_slice,
    depends,
    fused,
    separate,
    slice_of,
)
from explorer.figures.matrix import wall
from explorer.figures.panel import Panel, signed
from explorer.labs.one_product import one_product
from explorer.labs.seen_features import seen_features
from explorer.page import Page
from explorer.question import Question, answered
from explorer.runs import run
from explorer.scene import Scene
from explorer.text import Text, as_code

BODY = Text(
    en="Why multiply at all? x has d_model features a token; every head could simply **take d_k "
    "of them**: head 0 the first d_k columns, head 1 the next. The numbers above x tell which "
    "head would get which column; the frame is what the head chosen above would get.",
    zh="为什么非要乘一个矩阵？x 的每个词元有 d_model 个特征，"
    "每个头**直接拿走其中 d_k 个**不就行了：头 0 拿最前面的 d_k 列，头 1 拿接下来的。"
    "x 上方的数字是各列归哪个头；框出的是上方所选的头会拿到的部分。",
)
QUESTION = Question(
    "slicing",
    Text(
        en="Head {head} takes `x[..., {start}:{stop}]` instead of `x @ W_Q`. How many of the "
        "{d_model} features of a token can it depend on?",
        zh="头 {head} 用 `x[..., {start}:{stop}]` 代替 `x @ W_Q`。"
        "它的结果能取决于词元 {d_model} 个特征中的几个？",
    ),
    {
        "part": Text(en="only {width}", zh="只有 {width} 个"),
        "one": Text(en="{h}, one a head", zh="{h} 个，每个头一个"),
        "all": Text(en="all {d_model}", zh="全部 {d_model} 个"),
    },
)
X = Text(en="<b>x</b>, cut into slices", zh="<b>x</b>，切成几段")
WHAT_X = Text(
    en="x of the sentence in focus; head {head} would get columns {start} to {stop} (exclusive);",
    zh="焦点句的 x；头 {head} 会拿到第 {start} 列到第 {stop} 列（不含）；",
)
ELSEWHERE = Text(
    en="The slice of head {head}, columns {start} to {last}, lies in another part.",
    zh="头 {head} 的切片是第 {start} 到 {last} 列，在另一段里。",
)
SLICED = Text(en="<b>sliced</b>: x[..., a:b]", zh="<b>切片</b>：x[..., a:b]")
PROJECTED = Text(en="<b>projected</b>: x @ W_Q", zh="<b>投影</b>：x @ W_Q")
SEES = Text(
    en="**What each head can see.** Each of the {d_model} features of {token} was changed in turn; "
    "a cell has ✓ where the head's numbers changed with it. Features that head {head} depends on: "
    "**{few}** when x is sliced, **{many}** when it is projected.",
    zh="**每个头看得到什么**：把 {token} 的 {d_model} 个特征逐个改动，头里的数跟着变的格子打 ✓。"
    "头 {head} 在切片时取决于 **{few}** 个特征，投影时取决于 **{many}** 个。",
)
NOT_WHOLE = Text(
    en="d_k is set apart in this run: slices for {h} heads need {width} columns, x has {d_model}. "
    "{fate}: {n}. A projection makes any d_k from all of x.",
    zh="这次运行单独设了 d_k：{h} 个头的切片要 {width} 列，而 x 有 {d_model} 列，"
    "{fate}：{n}。投影则可以从整个 x 做出任意的 d_k。",
)
MISSING = Text(en="Columns that are missing, without an error", zh="缺的列数（torch 并不报错）")
UNUSED = Text(en="Columns that go to no head", zh="不归任何头的列数")
SCORES = Text(
    en="**The scores of head {head}**, before the mask, on one colour range. With the slice as "
    "both query and key they are symmetric (largest |s − sᵀ| {flat:.2g}): each token looks at "
    "another just as that one looks back, and its score with itself, its length squared over √d_k, "
    "is never negative. W_Q and W_K free it from that: largest |s − sᵀ| {free:.2g}.",
    zh="**头 {head} 的分数**（加掩码之前，同一色标）。切片既当查询又当键，分数就是对称的"
    "（|s − sᵀ| 最大 {flat:.2g}）：一个词元怎么看别人，别人就怎么看它；"
    "它与自己的分数是长度的平方除以 √d_k，不会是负数。W_Q 和 W_K 让它不受此限："
    "|s − sᵀ| 最大 {free:.2g}。",
)
WHAT_SCORES = Text(
    en="Scores of head {head}, sliced and projected; each",
    zh="头 {head} 的分数，切片和投影，每张",
)
SPECIAL = Text(
    en="**A slice is one projection among many:** the one whose W is those columns of the identity "
    "matrix (largest difference from `x[..., {start}:{stop}]`: {difference:.3g}). Training can "
    "find that W if it is of use; a slice can never become another projection.",
    zh="**切片只是投影的一个特例**：W 取单位矩阵的那几列（与 `x[..., {start}:{stop}]` 的最大差："
    "{difference:.3g}）。如果有用，训练可以找到这样的 W；而切片永远变不成别的投影。",
)


def view(scene: Scene) -> None:
    """x with the slices marked; then the question, and what a head sees either way."""
    s, head = scene.sizes, scene.focus.head
    start, stop = (min(edge * s.d_k, s.d_model) for edge in (head, head + 1))
    _slices(scene, start, stop)
    sliced, projected = _depends(scene.trace.config, scene.focus.item, scene.focus.query)
    width = int(sliced[head].sum())
    right = "all" if width == s.d_model else "part"
    words = {"head": head, "start": start, "stop": stop, "d_model": s.d_model}
    if answered(QUESTION, right, scene.lang, width=width, h=s.h, **words):
        _sees(scene, sliced, projected)
        _scores(scene, words)
        one_product(scene)


def _slices(scene: Scene, start: int, stop: int) -> None:
    s, head = scene.sizes, scene.focus.head
    shown = scene.focus.columns(s.d_model)
    first, last = max(start, shown.start), min(stop, shown.stop)
    outline = (0, first - shown.start, s.T, last - first) if first < last else None
    bands = tuple(band for band in scene.bands(s.d_model) if band.head < s.h)
    panel = replace(scene.panel("x", X(scene.lang), outline=outline), bands=bands)
    figure = wall([panel], 1, signed(scene.colors, panel.values), scene.colors)
    words = {"head": head, "start": start, "stop": stop}
    chart(scene, "x", figure, WHAT_X(scene.lang, **words), panel.values)
    say_part(scene, s.d_model)
    if not outline and start < stop:
        st.caption(ELSEWHERE(scene.lang, head=head, start=start, last=stop - 1))


@lru_cache(maxsize=32)
def _depends(config: Config, item: int, query: int) -> tuple[Tensor, Tensor]:
    """Sliced and projected: which features of a token each head depends on.

    In float64, in which no weight is so small that what it adds would be rounded away.
    """
    trace = run(config).trace
    x, W = trace.x[item, query].cpu().double(), trace.params.W_Q.cpu().double()
    h = config.h
    return depends(x, by_slice(h, W.shape[1] // h)), depends(x, by_projection(W, h))


def _sees(scene: Scene, sliced: Tensor, projected: Tensor) -> None:
    s, lang, head = scene.sizes, scene.lang, scene.focus.head
    few, many = int(sliced[head].sum()), int(projected[head].sum())
    token = as_code(scene.token(scene.focus.query))
    said = {"head": head, "few": few, "many": many, "token": token, "d_model": s.d_model}
    st.markdown(SEES(lang, **said))
    titles = SLICED(lang), PROJECTED(lang)
    seen_features(scene, titles, (sliced, projected))
    spare = s.d_model - s.h * s.d_k
    if spare:
        fate = (UNUSED if spare > 0 else MISSING)(lang)
        words = {"h": s.h, "width": s.h * s.d_k, "d_model": s.d_model}
        st.markdown(NOT_WHOLE(lang, n=abs(spare), fate=fate, **words))


def _scores(scene: Scene, words: dict[str, int]) -> None:
    s, lang, head = scene.sizes, scene.lang, scene.focus.head
    x = scene.trace.x[scene.focus.item]
    slice_ = slice_of(x, head, s.d_k)
    sliced = scale(compare(slice_, slice_), s.d_k)
    projected = scene.trace.scores[scene.focus.item, head]
    flat, free = (largest_difference(scores, scores.T) for scores in (sliced, projected))
    st.markdown(SCORES(lang, head=head, flat=flat, free=free))
    rows, columns = scene.axis("query", s.T)[0], scene.axis("key", s.T)[0]
    titles = SLICED(lang), PROJECTED(lang)
    panels = [
        Panel("scores", values, rows, columns, title)
        for values, title in zip((sliced, projected), titles, strict=True)
    ]
    figure = wall(panels, 2, signed(scene.colors, sliced, projected), scene.colors)
    chart(scene, "scores", figure, WHAT_SCORES(lang, head=head), sliced, projected)
    identity = torch.eye(s.d_model, device=x.device)
    if slice_.numel():
        difference = largest_difference(x @ slice_of(identity, head, s.d_k), slice_)
        edges = {"start": words["start"], "stop": words["stop"]}
        st.markdown(SPECIAL(lang, difference=difference, **edges))


PAGE = Page(
    slug="slicing",
    label=Text(en="Slicing", zh="直接切片"),
    title=Text(en="Why project? Why not cut x into slices?", zh="为什么要投影，不直接把 x 切片？"),
    body=BODY,
    view=view,
    code=(slice_of, depends, fused, separate),
    flow=("x W_Q", "q"),
    tensors=("x", "q", "W_Q"),
    steps=("projection",),
)
