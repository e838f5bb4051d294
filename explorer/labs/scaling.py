"""Lab: Why divide by √d_k?"""

import math

import streamlit as st
import torch

from explorer.charts import chart
from explorer.core import Trace
from explorer.core.attention import scale
from explorer.experiments.scaling import (
    Spread,
    count,
    density,
    divisors,
    dot_products,
    gradient,
    measure,
    sampling_error,
    spread,
)
from explorer.figures.curves import Curve, curves
from explorer.page import Page
from explorer.question import Question, answered
from explorer.scene import Scene
from explorer.settings import state
from explorer.sweep import sweep
from explorer.text import Text, table

BODY = Text(
    en="A score is a sum of d_k products. Here q and k are made of **independent random numbers "
    "with mean 0 and variance 1**, and this is how their dot product is distributed. Change d_k "
    "and watch the axis.",
    zh="一个分数是 d_k 个乘积之和。这里的 q 和 k 由**相互独立、均值 0、方差 1 的随机数**组成，"
    "图中是它们点积的分布。改一改 d_k，留意横轴。",
)
WIDTH = Text(en="d_k looked at", zh="要看的 d_k")
KEYS = Text(en="keys a query chooses from", zh="一个查询面对几个键")
QUESTION = Question(
    "scaling",
    Text(
        en="d_k grows from {small} to {large}. The spread (standard deviation) of q·k becomes …",
        zh="d_k 从 {small} 增大到 {large}，q·k 的散布（标准差）会变成原来的……",
    ),
    {
        "1": Text(en="the same", zh="不变"),
        "2": Text(en="2 times as wide", zh="2 倍"),
        "4": Text(en="4 times as wide", zh="4 倍"),
        "16": Text(en="16 times as wide", zh="16 倍"),
    },
)
SMALL, LARGE = 16, 64
WAYS = {
    "none": Text(en="not divided", zh="不除"),
    "root": Text(en="÷ √d_k", zh="÷ √d_k"),
    "model": Text(en="÷ √d_model", zh="÷ √d_model"),
    "d_k": Text(en="÷ d_k", zh="÷ d_k"),
}
LOOKS = {"none": (1, "solid"), "root": (0, "solid"), "model": (3, "dash"), "d_k": (2, "dot")}
MEASURES = {
    "variance": Text(en="variance of the scores", zh="分数的方差"),
    "largest": Text(en="mean largest probability", zh="最大概率的平均值"),
    "entropy": Text(en="mean entropy (nats)", zh="平均熵（nat）"),
    "gradient": Text(en="median gradient ‖J‖ of the softmax", zh="softmax 梯度 ‖J‖ 的中位数"),
}
SHORT = (
    Text(en="variance", zh="方差"),
    Text(en="largest", zh="最大概率"),
    Text(en="entropy", zh="熵"),
    Text(en="‖J‖", zh="‖J‖"),
)
LOGARITHMIC = ("variance", "gradient")
DENSITY = Text(en="density", zh="密度")
VALUE = Text(en="value", zh="数值")
WHAT_DENSITY = Text(
    en="How the values are distributed at d_k = {d_k}; standard deviation of {lines}.",
    zh="d_k = {d_k} 时数值的分布；标准差：{lines}。",
)
ADD_UP = Text(
    en="**Variances of independent products add up**: measured {small:.1f} at d_k = {s} and "
    "{large:.1f} at d_k = {l}. The spread is the root of it. So ÷ √d_k brings every d_k back to the"
    " same curve: at d_k = {d_k} the variance is {before:.4g} before and **{after:.3f}** after.",
    zh="**独立乘积之和的方差等于方差之和**：d_k = {s} 时测得 {small:.1f}，"
    "d_k = {l} 时 {large:.1f}；散布是它的平方根。"
    "所以 ÷ √d_k 会把任何 d_k 都拉回同一条曲线：d_k = {d_k} 时，"
    "方差除之前是 {before:.4g}，之后是 **{after:.3f}**。",
)
SOFTMAX = Text(
    en="**What the softmax makes of it**, for every d_k. Not divided, at d_k = {last} one of "
    "{keys} keys takes **{largest:.3f}** on average and the gradient is {gradient:.1e}: almost "
    "nothing flows back to q and k. With ÷ √d_k it is **{divided:.3f}** and {flows:.2f}, for any "
    "width.",
    zh="**softmax 拿到这些分数以后**，对每个 d_k。不除：d_k = {last} 时，{keys} 个键里"
    "平均有一个独占 **{largest:.3f}**，梯度只剩 {gradient:.1e}，几乎没有东西能传回 q 和 k。÷ √d_k："
    "**{divided:.3f}** 和 {flows:.2f}，与宽度无关。",
)
LINE = Text(en="{way}: {first:.3g} to {last:.3g}", zh="{way}：{first:.3g} 到 {last:.3g}")
WHAT = Text(
    en="{name}, by d_k from 1 to {last}. {lines}.", zh="{name}，d_k 从 1 到 {last}。{lines}。"
)
AT = Text(en="d_k = {d_k}", zh="d_k = {d_k}")
MISTAKES = Text(
    en="**÷ √d_model** is right for one head only, where d_k = d_model; here d_model = {d_model}, "
    "and the variance is {model:.3g}. **÷ d_k** does too much: the variance shrinks to 1/d_k; the "
    "larger d_k, the nearer all {keys} keys come to {share:.3f} each, whatever q and k say.",
    zh="**÷ √d_model** 只在单头（d_k = d_model）时才对；这里 d_model = {d_model}，方差是 "
    "{model:.3g}。**÷ d_k** 则除过了头：方差缩到 1/d_k；d_k 越大，{keys} 个键越是"
    "平分成各 {share:.3f}，q 和 k 说什么都不管用。",
)
THIS_RUN = Text(
    en="**This run**: `raw_scores` have variance {raw:.3g}, `scores` {divided:.3g}, a factor "
    "{d_k} = d_k. That `scores` come near 1 or not is up to x and to how W began: √d_k only takes "
    "the width out of it.",
    zh="**这次运行**：`raw_scores` 的方差是 {raw:.3g}，`scores` 是 {divided:.3g}，相差 {d_k} = d_k "
    "倍。`scores` 的方差是否接近 1，还要看 x 和 W 的初始值：√d_k 只负责消去宽度的影响。",
)
DRAWN = Text(
    en="{draws:,} draws of a query with {keys} keys, the same every time; their variance is off by "
    "{error:.1%} or so.",
    zh="抽取 {draws:,} 次，每次一个查询和 {keys} 个键，种子固定；测得的方差误差约 {error:.1%}。",
)


def view(scene: Scene) -> None:
    """How q·k is distributed; then the question, and the sweep over d_k."""
    lang, d_model = scene.lang, scene.sizes.d_model
    d_k, keys = state.read("width"), state.read("keys")
    for column, (name, words, value, limits) in zip(
        st.columns(2),
        (("width", WIDTH, d_k, (1, 512)), ("keys", KEYS, keys, (2, 64))),
        strict=True,
    ):
        column.slider(words(lang), *limits, **state.widget(name, value))
    _density(scene, "raw", d_k, keys, ("none",))
    words = {"draws": count(d_k, keys), "keys": keys, "error": sampling_error(d_k, keys)}
    st.caption(DRAWN(lang, **words))
    small, large = (measure(width, keys, d_model)[0].variance for width in (SMALL, LARGE))
    wider = math.sqrt(large / small)
    right = min(QUESTION.answers, key=lambda times: abs(math.log(wider / int(times))))
    if answered(QUESTION, right, lang, small=SMALL, large=LARGE):
        _answer(scene, d_k, keys, small, large)


def _density(scene: Scene, key: str, d_k: int, keys: int, ways: tuple[str, ...]) -> None:
    lang, (x, y) = scene.lang, density(d_k, keys)
    by = divisors(d_k, scene.sizes.d_model)
    lines = [Curve(WAYS[way](lang), x / by[way], y * by[way], "", *LOOKS[way]) for way in ways]
    words = "; ".join(f"{WAYS[way](lang)} {math.sqrt(d_k) / by[way]:.3g}" for way in ways)
    figure = curves(lines, VALUE(lang), DENSITY(lang), scene.colors)
    chart(scene, key, figure, WHAT_DENSITY(lang, d_k=d_k, lines=words))


def _answer(scene: Scene, d_k: int, keys: int, small: float, large: float) -> None:
    lang, d_model = scene.lang, scene.sizes.d_model
    widths = sorted({2**power for power in range(10)} | {d_k})
    found = sweep(widths, lambda width: measure(width, keys, d_model), lang)
    at = dict(zip(WAYS, found[widths.index(d_k)], strict=True))
    variances = {"before": at["none"].variance, "after": at["root"].variance}
    st.markdown(ADD_UP(lang, s=SMALL, l=LARGE, small=small, large=large, d_k=d_k, **variances))
    _density(scene, "both", d_k, keys, ("none", "root"))
    none, root = found[-1][:2]
    words = {"largest": none.largest, "gradient": none.gradient}
    words |= {"divided": root.largest, "flows": root.gradient}
    st.markdown(SOFTMAX(lang, last=widths[-1], keys=keys, **words))
    for names in (("variance", "largest"), ("entropy", "gradient")):
        for name, column in zip(names, st.columns(2), strict=True):
            with column:
                _curves(scene, name, widths, found)
    _table(scene, d_k, at)
    words = {"d_model": d_model, "model": at["model"].variance, "share": 1 / keys}
    st.markdown(MISTAKES(lang, keys=keys, **words))
    if isinstance(scene.trace, Trace) and scene.trace.raw_scores.numel() > 1:
        raw, divided = (m.var(correction=0) for m in (scene.trace.raw_scores, scene.trace.scores))
        st.markdown(THIS_RUN(lang, raw=raw, divided=divided, d_k=scene.sizes.d_k))


def _curves(scene: Scene, name: str, widths: list[int], found: list[tuple[Spread, ...]]) -> None:
    lang, lines, words = scene.lang, [], []
    for i, (way, label) in enumerate(WAYS.items()):
        values = [getattr(spreads[i], name) for spreads in found]
        x, y = torch.tensor(widths), torch.tensor(values)
        lines.append(Curve(label(lang), x, y, "", *LOOKS[way], markers=True))
        words.append(LINE(lang, way=label(lang), first=values[0], last=values[-1]))
    title = MEASURES[name](lang)
    st.markdown(f"**{title}**")
    log = "xy" if name in LOGARITHMIC else "x"
    figure = curves(lines, "d_k", "", scene.colors, log=log)
    chart(scene, name, figure, WHAT(lang, name=title, last=widths[-1], lines="; ".join(words)))


def _table(scene: Scene, d_k: int, at: dict[str, Spread]) -> None:
    header = [AT(scene.lang, d_k=d_k), *(words(scene.lang) for words in SHORT)]
    rows = [
        (WAYS[way](scene.lang), *(f"{getattr(spread_, name):.3g}" for name in MEASURES))
        for way, spread_ in at.items()
    ]
    st.markdown(table(header, rows))


PAGE = Page(
    slug="scaling",
    label=Text(en="Why √d_k", zh="为何 √d_k"),
    title=Text(en="Why divide by √d_k?", zh="为什么要除以 √d_k？"),
    body=BODY,
    view=view,
    code=(dot_products, scale, spread, gradient),
    needs_heads=False,
    has_focus=False,
    steps=("scores",),
)
