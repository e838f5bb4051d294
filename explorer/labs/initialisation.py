"""Lab: How should W begin?"""

from dataclasses import replace

import streamlit as st

from explorer.charts import chart
from explorer.experiments.initialisation import (
    KEYS,
    MATRICES,
    METHODS,
    Start,
    backward,
    begin,
    compare_heads,
    measure,
)
from explorer.figures.curves import Curve, curves
from explorer.labs.fan_in import MEASURED, VARIANCE, trap
from explorer.labs.gradients import COLUMN, NAMES, ZERO, ZERO_BIAS, flow_back, gradients_of, short
from explorer.page import Page
from explorer.question import Question, answered
from explorer.scene import Scene
from explorer.settings import state
from explorer.settings.choose import choose
from explorer.sweep import sweep
from explorer.text import Text, table

BODY = Text(
    en="W_Q, W_K, W_V and W_O have to begin somehow. All these methods draw numbers evenly "
    "between two bounds (or take nothing but zeros); **what differs is the variance**, and so how "
    "wide the scores spread.",
    zh="W_Q、W_K、W_V、W_O 总得从某些值开始。这些方法都是在两个界之间均匀抽数（或者干脆全取零）；"
    "**不同的是方差**，分数散布得多宽由它决定。",
)
METHOD = Text(en="W begins by", zh="W 的初始化方法")
GAIN = Text(en="times gain", zh="再乘以 gain")
LONG_NAMES = NAMES | {
    "default": Text(en="nn.Linear's default, a=√5", zh="nn.Linear 默认，a=√5"),
    "kaiming": Text(en="Kaiming, a=0.1", zh="Kaiming，a=0.1"),
    "kaiming_relu": Text(en="Kaiming for ReLU", zh="Kaiming（ReLU）"),
}
FORMULAS = {
    "default": "1 / (3·d_model)",
    "xavier": "2 / (d_model + h·d_k)",
    "kaiming": "2 / ((1 + a²)·d_model)",
    "kaiming_relu": "2 / d_model",
}
VALUE = Text(en="value of a weight", zh="权重的值")
DENSITY = Text(en="density", zh="密度")
WHAT_DENSITY = Text(
    en="How the numbers of W are distributed; standard deviations: {lines}.",
    zh="W 里的数怎样分布；标准差：{lines}。",
)
QUESTION = Question(
    "initialisation",
    Text(
        en="All of W_Q, W_K, W_V, W_O are **zero**. Which of them gets a gradient?",
        zh="W_Q、W_K、W_V、W_O **全为零**，哪个能得到梯度？",
    ),
    {
        "none": Text(en="none", zh="一个都没有"),
        "W_O": Text(en="only W_O", zh="只有 W_O"),
        "all": Text(en="all four", zh="四个都有"),
    },
)
SCORES = Text(
    en="**What it does to the scores.** For x with variance 1, q and k have variance d_model · Var "
    "W, and q·k ÷ √d_k the square of that. Xavier is made to keep the variance: gain 1 gives "
    "**{xavier}**. Kaiming's 2 makes up for a ReLU that sets half of the numbers to zero; but "
    "**nothing of the kind follows Q, K, V** (the GELU of a Transformer stands elsewhere, in the "
    "feed-forward layers), and so Kaiming, a=0.1 gives {kaiming}.",
    zh="**对分数的影响。** x 的方差为 1 时，q 和 k 的方差是 d_model · Var W，q·k ÷ √d_k "
    "的方差就是它的平方。Xavier 的用意是保持方差：gain 为 1 时得 **{xavier}**。Kaiming 里的 2 "
    "是为了补偿 ReLU 把一半的数变成零；可是 **Q、K、V 后面没有这样的非线性**（Transformer 的 GELU "
    "在别处：前馈层里），于是 Kaiming（a=0.1）得到 {kaiming}。",
)
GAINED = Text(
    en="The gain counts four times in it, here {gain}⁴ = {times:,.4g}. The wider the scores, the "
    "more the softmax gives to one key (the mean largest of {keys} probabilities); and once that "
    "one has nearly all, hardly any gradient comes back (its Jacobian J, last column). Try 8.",
    zh="gain 在其中出现四次，这里是 {gain}⁴ = {times:,.4g} 倍。分数越散，softmax "
    "就越把份额给一个键（{keys} 个概率中最大者的平均值）；一旦几乎全给了它，就几乎没有梯度传得回来"
    "（它的雅可比 J，最后一列）。试试 8。",
)
SCORE_VARIANCE = Text(en="variance (formula)", zh="方差（公式）")
LARGEST = Text(en="largest of {keys}", zh="{keys} 个中最大")
FLOW = Text(en="median ‖J‖", zh="‖J‖ 中位数")


def view(scene: Scene) -> None:
    """How the numbers of W are distributed; then the question, gradients, scores, the trap."""
    lang, s = scene.lang, scene.sizes
    method, gain = state.read("method"), state.read("gain")
    choose("method", METHOD(lang), {name: LONG_NAMES[name](lang) for name in METHODS})
    gains = ("0.25", "0.5", "1", "2", "4", "8")
    st.select_slider(GAIN(lang), gains, width=360, **state.widget("gain", gain))
    sizes = (s.d_model, s.h, s.d_k)
    starts = sweep(METHODS, lambda name: measure(name, float(gain), *sizes), lang)
    starts = dict(zip(METHODS, starts, strict=True))
    _weights(scene, method, gain, starts)
    # One sentence will do: five runs of four, there and back, would hold the server for a second.
    config = scene.trace.config
    config = replace(config, device="cpu", sentences=config.sentences[:1])
    norms = gradients_of(config, "zeros", 0.0).norms
    moved = [name for name in MATRICES if norms[name]]
    right = {0: "none", len(MATRICES): "all"}.get(len(moved), "W_O")
    if answered(QUESTION, right, lang):
        st.markdown((ZERO_BIAS if moved else ZERO)(lang))
        flow_back(scene, config, method, float(gain))
        _scores(scene, starts, gain)
        trap(scene)


def _weights(scene: Scene, method: str, gain: str, starts: dict[str, Start]) -> None:
    lang, lines, words = scene.lang, [], []
    for i, (name, start) in enumerate(starts.items()):
        words.append(f"{NAMES[name](lang)} {start.measured**0.5:.3g}")
        if start.density:
            dash = "solid" if name == method else "dot"
            lines.append(Curve(NAMES[name](lang), *start.density, "", i, dash))
    figure = curves(lines, VALUE(lang), DENSITY(lang), scene.colors)
    chart(scene, "weights", figure, WHAT_DENSITY(lang, lines="; ".join(words)))
    header = [COLUMN(lang), VARIANCE(lang), MEASURED(lang)]
    squared = "" if gain == "1" else f" · {gain}²"
    rows = [
        (
            f"**{LONG_NAMES[name](lang)}**" if name == method else LONG_NAMES[name](lang),
            f"{FORMULAS[name]}{squared} = {start.formula:.4g}" if name in FORMULAS else "0",
            f"{start.measured:.4g}",
        )
        for name, start in starts.items()
    ]
    st.markdown(table(header, rows))


def _scores(scene: Scene, starts: dict[str, Start], gain: str) -> None:
    lang = scene.lang
    xavier, kaiming = (
        short(starts[name].scores / float(gain) ** 4) for name in ("xavier", "kaiming")
    )
    st.markdown(SCORES(lang, xavier=xavier, kaiming=kaiming))
    st.markdown(GAINED(lang, gain=gain, times=float(gain) ** 4, keys=KEYS))
    header = [COLUMN(lang), SCORE_VARIANCE(lang), MEASURED(lang), LARGEST(lang, keys=KEYS)]
    rows = [
        (
            NAMES[name](lang),
            short(start.scores_formula),
            short(start.scores),
            f"{start.largest:.3f}",
            short(start.flow),
        )
        for name, start in starts.items()
    ]
    st.markdown(table([*header, FLOW(lang)], rows))


PAGE = Page(
    slug="initialisation",
    label=Text(en="Initialisation", zh="初始化"),
    title=Text(en="How should W begin?", zh="权重该从什么值开始？"),
    body=BODY,
    view=view,
    code=(begin, compare_heads, backward),
    has_focus=False,
    steps=("projection",),
)
