"""The gradients of one run by every way to begin; part of the lab of initialisation."""

from functools import lru_cache

import streamlit as st
import torch

from explorer.charts import chart
from explorer.core.config import Config
from explorer.core.tokens import V
from explorer.experiments.initialisation import METHODS, Gradients, gradients
from explorer.figures.cells import cells
from explorer.figures.panel import Axis
from explorer.runs import run
from explorer.scene import Scene
from explorer.sweep import sweep
from explorer.text import Text, as_code

NAMES = {
    "zeros": Text(en="zeros", zh="全零"),
    "default": Text(en="default", zh="默认"),
    "xavier": Text(en="Xavier", zh="Xavier"),
    "kaiming": Text(en="Kaiming", zh="Kaiming"),
    "kaiming_relu": Text(en="ReLU", zh="ReLU"),
}
COLUMN = Text(en="method", zh="方法")
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
    en="How large (its norm) each gradient is after one run of the first sentence, forward and "
    "back, the residual left out. Grey cells are exact zeros.",
    zh="第一句一次前向加反向（不走残差）之后，每个梯度有多大（范数）。灰格是精确的 0。",
)
ALONE = Text(
    en="The one token here sees one key only. Its share is 1 whatever the score, so W_Q and W_K "
    "get no gradient by any method; type a longer sentence.",
    zh="这里只有一个词元，只看得到一个键，不管分数是多少，份额总是 1，所以用哪种方法 W_Q 和 W_K "
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


@lru_cache(maxsize=40)
def gradients_of(config: Config, method: str, gain: float) -> Gradients:
    """The gradients of a run whose weights begin like this, in place of its own."""
    return gradients(config, run(config).trace.params, method, gain)


def flow_back(scene: Scene, config: Config, method: str, gain: float) -> None:
    """The gradient of every matrix by every method, and the rows of W_E that get one."""
    lang = scene.lang
    gains = {name: 0.0 if name == "zeros" else gain for name in METHODS}
    found = sweep(METHODS, lambda name: gradients_of(config, name, gains[name]), lang)
    names = list(found[0].norms)
    norms = [[g.norms[name] for g in found] for name in names]
    methods = tuple(NAMES[name](lang) for name in METHODS)
    figure = cells(
        [[short(norm) for norm in row] for row in norms],
        [
            [f"{n}, {m}: {short(norm)}" for m, norm in zip(methods, row, strict=True)]
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
        f"{n}: {', '.join(map(short, row))}" for n, row in zip(names, norms, strict=True)
    )
    chart(scene, "gradients", figure, WHAT_GRID(lang, rows=said))
    st.caption(SIZE(lang))
    if int((scene.trace.ids[0] != 0).sum()) == 1:
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


def short(number: float) -> str:
    """A number in three digits, a large one without decimals."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
