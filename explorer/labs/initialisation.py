"""Lab: How should W begin?"""

from dataclasses import replace

import streamlit as st
import torch

from explorer.charts import chart
from explorer.core.config import Config
from explorer.core.tokens import V
from explorer.experiments.initialisation import (
    KEYS,
    MATRICES,
    METHODS,
    Gradients,
    Start,
    backward,
    begin,
    compare_heads,
    fill_in_three_ways,
    gradients,
    measure,
)
from explorer.figures.cells import cells
from explorer.figures.curves import Curve, curves
from explorer.figures.panel import Axis
from explorer.page import Page
from explorer.question import Question, answered
from explorer.scene import Scene
from explorer.settings import state
from explorer.sweep import sweep
from explorer.text import Text, as_code, table

BODY = Text(
    en="W_Q, W_K, W_V and W_O have to begin somehow. All these methods draw numbers evenly "
    "between two bounds (or take nothing but zeros); **what differs is the variance**, and so how "
    "wide the scores spread.",
    zh="W_Q、W_K、W_V、W_O 总得从某些值开始。这些方法都是在两个界之间均匀抽数（或者干脆全取零）；"
    "**不同的是方差**，分数散布得多宽由它决定。",
)
METHOD = Text(en="W begins by", zh="W 的初始化方法")
GAIN = Text(en="times gain", zh="再乘以 gain")
NAMES = {
    "zeros": Text(en="zeros", zh="全零"),
    "default": Text(en="default", zh="默认"),
    "xavier": Text(en="Xavier", zh="Xavier"),
    "kaiming": Text(en="Kaiming", zh="Kaiming"),
    "kaiming_relu": Text(en="ReLU", zh="ReLU"),
}
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
VARIANCE = Text(en="variance of W by the formula", zh="W 的方差（公式）")
MEASURED = Text(en="measured", zh="实测")
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
ZERO = Text(
    en="**All zero: every gradient is exactly 0**, so no step of training ever changes anything. "
    "What reaches W_O is v = 0, and W_O = 0 lets nothing through to the other three.",
    zh="**全零：每个梯度都恰好是 0**，训练多少步也不会有任何改变。传到 W_O 的是 v = 0，"
    "而 W_O = 0 又不让任何东西传回另外三个。",
)
ZERO_BIAS = Text(
    en="**All zero, but with a bias: W_O gets a gradient**, because v = b_V is not zero. W_O = 0 "
    "lets nothing through to the other three, until it has moved.",
    zh="**全零但有偏置：W_O 能得到梯度**，因为 v = b_V 不是零。在 W_O 动起来之前，W_O = 0 "
    "不让任何东西传回另外三个。",
)
SIZE = Text(
    en="How large (its norm) each gradient of one run is, forward and back, the residual left out. "
    "Grey cells are exact zeros.",
    zh="一次前向加反向（不走残差）之后，每个梯度有多大（范数）。灰格是精确的 0。",
)
ALONE = Text(
    en="Every token here sees one key only. Its share is 1 whatever the score, so W_Q and W_K get "
    "no gradient by any method; type a longer sentence.",
    zh="这里每个词元只看得到一个键，不管分数是多少，份额总是 1，所以用哪种方法 W_Q 和 W_K "
    "都没有梯度；换一个更长的句子试试。",
)
WHAT_GRID = Text(
    en="Norm of the gradient of each matrix, by method. {rows}.",
    zh="各种方法下每个矩阵的梯度范数。{rows}。",
)
ROWS = Text(
    en="**Of the {V:,} rows of W_E, {n} get a gradient** ({method}): those looked up in this run, "
    "{ids}. The others stay as they are.",
    zh="**W_E 的 {V:,} 行里有 {n} 行得到梯度**（{method}）：就是这次运行查到的那些，{ids}。"
    "其余的行原样不动。",
)
SCORES = Text(
    en="**What it does to the scores.** For x with variance 1, q and k have variance d_model · Var "
    "W, and q·k ÷ √d_k the square of that. Xavier is made to keep the variance, and gives "
    "**{xavier}**. Kaiming's 2 makes up for a ReLU that sets half of the numbers to zero; but "
    "**nothing of the kind follows Q, K, V** (the GELU of a Transformer stands elsewhere, in the "
    "feed-forward layers), and so Kaiming, a=0.1 gives {kaiming}.",
    zh="**对分数的影响。** x 的方差为 1 时，q 和 k 的方差是 d_model · Var W，q·k ÷ √d_k "
    "的方差就是它的平方。Xavier 的用意是保持方差，得 **{xavier}**。Kaiming 里的 2 "
    "是为了补偿 ReLU 把一半的数变成零；可是 **Q、K、V 后面没有这样的非线性**（Transformer 的 GELU "
    "在别处：前馈层里），于是 Kaiming（a=0.1）得到 {kaiming}。",
)
GAINED = Text(
    en="The gain counts four times in it, here {gain}⁴ = {times:,.4g}. The wider the scores, the "
    "more the softmax gives to one key (the mean largest of {keys} probabilities), and the less of "
    "a gradient comes back through it (its Jacobian J, last column). Try 8.",
    zh="gain 在其中出现四次，这里是 {gain}⁴ = {times:,.4g} 倍。分数越散，softmax "
    "就越把份额给一个键（{keys} 个概率中最大者的平均值），能从它传回的梯度也越小（它的雅可比 J，"
    "最后一列）。试试 8。",
)
COLUMN = Text(en="method", zh="方法")
SCORE_VARIANCE = Text(en="variance (formula)", zh="方差（公式）")
LARGEST = Text(en="largest of {keys}", zh="{keys} 个中最大")
FLOW = Text(en="median ‖J‖", zh="‖J‖ 中位数")
TRAP = Text(
    en="**The trap of fan_in.** torch's initialisers read fan_in off the **last** axis, because "
    "nn.Linear keeps its weight as (out, in). A matrix made for x @ W is (in, out): filled as it "
    "stands, it gets the variance of its outputs. Where h·d_k = d_model nothing shows; here h·d_k "
    "= {width}, d_model = {d_model}. And nn.MultiheadAttention keeps Q, K, V as one (3·d_model, "
    "d_model): its Xavier comes to 1 / (2·d_model), half of that of three matrices.",
    zh="**fan_in 的陷阱。** torch 的初始化函数从**最后一维**读 fan_in，因为 nn.Linear 的权重存成 "
    "(out, in)。为 x @ W 准备的矩阵是 (in, out)：直接填，就按输出的宽度算了方差。h·d_k = d_model "
    "时看不出来；这里 h·d_k = {width}，d_model = {d_model}。还有，nn.MultiheadAttention 把 "
    "Q、K、V 存成一个 (3·d_model, d_model)：它的 Xavier 方差是 "
    "1 / (2·d_model)，只有三个矩阵分开时的一半。",
)
FILLED = Text(en="filled", zh="填的是")
FAN_IN = Text(en="fan_in read", zh="读到的 fan_in")
WAYS = {
    "transpose": Text(en="`kaiming_uniform_(W.T)`, right", zh="`kaiming_uniform_(W.T)`，对"),
    "itself": Text(en="`kaiming_uniform_(W)`, wrong", zh="`kaiming_uniform_(W)`，错"),
    "in_proj": Text(
        en="nn.MultiheadAttention's `in_proj_weight`",
        zh="nn.MultiheadAttention 的 `in_proj_weight`",
    ),
}


def view(scene: Scene) -> None:
    """How the numbers of W are distributed; then the question, gradients, scores, the trap."""
    lang, s = scene.lang, scene.sizes
    method, gain = state.read("method"), state.read("gain")
    st.segmented_control(
        METHOD(lang),
        METHODS,
        format_func=lambda name: LONG_NAMES[name](lang),
        required=True,
        **state.widget("method", method),
    )
    gains = ("0.25", "0.5", "1", "2", "4", "8")
    st.select_slider(GAIN(lang), gains, width=360, **state.widget("gain", gain))
    sizes = (s.d_model, s.h, s.d_k)
    starts = sweep(METHODS, lambda name: measure(name, float(gain), *sizes), lang)
    starts = dict(zip(METHODS, starts, strict=True))
    _weights(scene, method, gain, starts)
    config = replace(scene.trace.config, device="cpu")
    norms = gradients(config, "zeros", 1.0).norms
    moved = [name for name in MATRICES if norms[name]]
    right = {0: "none", len(MATRICES): "all"}.get(len(moved), "W_O")
    if answered(QUESTION, right, lang):
        st.markdown((ZERO_BIAS if moved else ZERO)(lang))
        _gradients(scene, config, method, float(gain))
        _scores(scene, starts, gain)
        _trap(scene)


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


def _gradients(scene: Scene, config: Config, method: str, gain: float) -> None:
    lang = scene.lang
    found = sweep(METHODS, lambda name: gradients(config, name, gain), lang)
    names = list(found[0].norms)
    norms = [[g.norms[name] for g in found] for name in names]
    methods = tuple(NAMES[name](lang) for name in METHODS)
    figure = cells(
        [[_short(norm) for norm in row] for row in norms],
        [
            [f"{n}, {m}: {_short(norm)}" for m, norm in zip(methods, row, strict=True)]
            for n, row in zip(names, norms, strict=True)
        ],
        (torch.tensor(norms) > 0).float(),
        (scene.colors.masked, scene.colors.heads[0]),
        Axis("", tuple(names)),
        Axis(COLUMN(lang), methods),
        "",
        scene.colors,
    )
    said = "; ".join(
        f"{n}: {', '.join(map(_short, row))}" for n, row in zip(names, norms, strict=True)
    )
    chart(scene, "gradients", figure, WHAT_GRID(lang, rows=said))
    st.caption(SIZE(lang))
    if not any(norms[names.index("W_Q")]):
        st.markdown(ALONE(lang))
    by_name = dict(zip(METHODS, found, strict=True))
    shown = method if by_name[method].rows else "xavier"
    _rows(scene, shown, by_name[shown])


def _rows(scene: Scene, method: str, found: Gradients) -> None:
    tokens = {}
    for row, ids in zip(scene.trace.tokens, scene.trace.ids.tolist(), strict=True):
        tokens |= dict(zip(ids, row, strict=True))
    ids = [f"{as_code(tokens[i])} {i}" for i in found.rows]
    said = ", ".join(ids[:12]) + " …" * (len(ids) > 12)
    words = {"method": NAMES[method](scene.lang), "ids": said}
    st.markdown(ROWS(scene.lang, V=V, n=len(ids), **words))


def _scores(scene: Scene, starts: dict[str, Start], gain: str) -> None:
    lang = scene.lang
    xavier, kaiming = (_short(starts[name].scores) for name in ("xavier", "kaiming"))
    st.markdown(SCORES(lang, xavier=xavier, kaiming=kaiming))
    st.markdown(GAINED(lang, gain=gain, times=float(gain) ** 4, keys=KEYS))
    header = [COLUMN(lang), SCORE_VARIANCE(lang), MEASURED(lang), LARGEST(lang, keys=KEYS)]
    rows = [
        (
            NAMES[name](lang),
            _short(start.scores_formula),
            _short(start.scores),
            f"{start.largest:.3f}",
            _short(start.flow),
        )
        for name, start in starts.items()
    ]
    st.markdown(table([*header, FLOW(lang)], rows))


def _trap(scene: Scene) -> None:
    lang, d_model, width = scene.lang, scene.sizes.d_model, scene.sizes.h * scene.sizes.d_k
    width = width if width != d_model else 4 * d_model
    found = fill_in_three_ways(d_model, width)
    st.markdown(TRAP(lang, d_model=d_model, width=width))
    header = [FILLED(lang), FAN_IN(lang), VARIANCE(lang), MEASURED(lang)]
    rows = [
        (WAYS[name](lang), str(m.fan_in), f"{m.formula:.4g}", f"{m.measured:.3g}")
        for name, m in found.items()
    ]
    st.markdown(table(header, rows))


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


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
