"""The rest of the lab of sizes: d_k at and beside powers of two, and h that do not divide."""

import streamlit as st
import torch

from explorer.charts import chart
from explorer.core.config import nearest_divisors
from explorer.experiments.sizes import cut_unevenly, measure_d_k, run_unevenly
from explorer.figures.curves import Curve, curves
from explorer.scene import Scene
from explorer.settings import state
from explorer.sweep import sweep
from explorer.text import Text, as_code, table

POWERS = (8, 16, 32, 64, 128)
BESIDE = Text(
    en="**d_k at a power of two, and one beside it**: scores, softmax and mixing for 8 heads and "
    "64 tokens, timed here just now. One more or one less than 2ⁿ takes **{ratio:.2f} ×** the "
    "time of 2ⁿ. Processors compute in blocks, so round sizes can be faster; any whole d_k works.",
    zh="**d_k 取 2 的幂，和只差 1 的数**：8 个头、64 个词元，算分数、softmax 和加权，刚在本机计时。"
    "比 2ⁿ 多一或少一，用时是 2ⁿ 的 **{ratio:.2f} 倍**。处理器按块计算，整齐的尺寸可能更快；"
    "但任何整数 d_k 都能用。",
)
ALL = Text(en="2ⁿ − 1, 2ⁿ, 2ⁿ + 1", zh="2ⁿ − 1、2ⁿ、2ⁿ + 1")
ONLY = Text(en="2ⁿ", zh="2ⁿ")
MS = Text(en="ms", zh="毫秒")
ALT = Text(
    en="Milliseconds against d_k, log scales: {pairs}.",
    zh="毫秒数随 d_k 的变化，对数坐标：{pairs}。",
)
TRY = Text(
    en="**d_model = {d_model} cut into h heads** that it may not divide: what torch says to each",
    zh="**把 d_model = {d_model} 切成 h 个头**，除不尽也试试：每种写法，torch 怎么说",
)
WAY = Text(en="written", zh="写法")
SAYS = Text(en="torch says, or gives pieces of", zh="torch 的报错，或切出的宽度")
UNEVEN = Text(
    en="Some say that a d_k of {quotient:.2f} runs, only slowly, with padding: in fact **it cannot "
    "be built**. "
    "Uneven heads can, one by one: widths {widths} gave an output of shape {shape} in {uneven:.3f} "
    "ms, beside {even:.3f} ms for {even_h} equal heads in one product. They never stand in one "
    "tensor (batch, head, seq, d_k), which is why nobody builds them.",
    zh="有人说 {quotient:.2f} 维的头只是“要填充、跑得慢”，其实**根本建不出来**。"
    "宽度不等的头倒可以，只是要一个一个算：宽度 {widths} 得到形状 {shape} 的输出，"
    "用时 {uneven:.3f} 毫秒；{even_h} 个等宽的头一次乘完用时 {even:.3f} 毫秒。"
    "它们放不进一个 (batch, head, seq, d_k) 张量，"
    "所以没有人这样做。",
)
DIVIDES = Text(
    en="{h} divides {d_model}, so every way gives pieces of {d_k}; only `/` does not do: it makes "
    "a float even of whole numbers, and a shape wants `//`. Try another h.",
    zh="{h} 能整除 {d_model}，所以每种写法都切出 {d_k} 维一块；只有 `/` 不行：除得尽它也给浮点数，"
    "而形状要用 `//`。换个 h 试试。",
)
D_MODEL = 512
TRIED = (3, 5, 6, 7, 8, 12)


def beside_powers_of_two(scene: Scene) -> None:
    """Time d_k = 2ⁿ − 1, 2ⁿ and 2ⁿ + 1."""
    lang = scene.lang
    widths = [power + by for power in POWERS for by in (-1, 0, 1)]
    times = dict(zip(widths, sweep(widths, measure_d_k, lang), strict=True))
    beside = [(times[n - 1] + times[n + 1]) / 2 / times[n] for n in POWERS]
    st.markdown(BESIDE(lang, ratio=sum(beside) / len(beside)))
    at = torch.tensor(widths), torch.tensor(list(times.values()))
    only = torch.tensor(POWERS), torch.tensor([times[n] for n in POWERS])
    lines = [
        Curve(ALL(lang), *at, color=0, markers=True),
        Curve(ONLY(lang), *only, color=1, dash="dot", markers=True),
    ]
    figure = curves(lines, "d_k", MS(lang), scene.colors, log="x")
    pairs = ", ".join(f"{width}: {ms:.3f}" for width, ms in times.items())
    chart(scene, "beside", figure, ALT(lang, pairs=pairs))


def uneven_heads(scene: Scene) -> None:
    """Cut 512 into h pieces in every way there is, and run the uneven ones."""
    h, lang = state.read("parts"), scene.lang
    st.markdown(TRY(lang, d_model=D_MODEL))
    st.pills(
        "h",
        sorted({*TRIED, h}),
        format_func=str,
        required=True,
        label_visibility="collapsed",
        **state.widget("parts", h, map(str, sorted({*TRIED, h}))),
    )
    found = cut_unevenly(D_MODEL, h)
    rows = [(as_code(call), as_code(said)) for call, said in found.items()]
    st.markdown(table([WAY(lang), SAYS(lang)], rows))
    if D_MODEL % h == 0:
        st.markdown(DIVIDES(lang, h=h, d_model=D_MODEL, d_k=D_MODEL // h))
        return
    run = run_unevenly(D_MODEL, h, nearest_divisors(D_MODEL, h)[-1])
    words = {"widths": " + ".join(map(str, run.widths)), "shape": run.shape}
    times = {"uneven": run.milliseconds, "even": run.even_milliseconds, "even_h": run.even_h}
    st.markdown(UNEVEN(lang, quotient=D_MODEL / h, **words, **times))
