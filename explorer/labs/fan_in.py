"""The trap of fan_in: the same initialiser on W and on its transpose; part of that lab."""

import streamlit as st

from explorer.experiments.initialisation import fill_in_three_ways
from explorer.scene import Scene
from explorer.text import Text, table

VARIANCE = Text(en="Var W (formula)", zh="Var W（公式）")
MEASURED = Text(en="measured", zh="实测")
TRAP = Text(
    en="**The trap of fan_in.** torch's initialisers read fan_in off the **last** axis, because "
    "nn.Linear keeps its weight as (out, in). A matrix made for x @ W is (in, out): filled as it "
    "stands, it gets the variance of its outputs. Where h·d_k = d_model nothing shows; here h·d_k "
    "= {width}, d_model = {d_model}. And nn.MultiheadAttention keeps Q, K, V as one (3·d_model, "
    "d_model): its Xavier comes to 1 / (2·d_model), half of what three of their own get.",
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


def trap(scene: Scene) -> None:
    """What fan_in is read, and the variance that comes of it, for this run's sizes."""
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
