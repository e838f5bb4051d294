"""Step 4: sinusoids give every position a pattern of its own; x = embedding + position."""

import math
from functools import partial

import streamlit as st
import torch

from explorer.beside import columns, show
from explorer.charts import describe, say_part
from explorer.core.attention import add_positions, sinusoid
from explorer.elements import elements
from explorer.figures.curves import Curve, curves
from explorer.figures.matrix import wall
from explorer.figures.panel import signed
from explorer.page import Page, named, under
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.settings import state
from explorer.text import Text

BODY = Text(
    en="Attention by itself does not know order, so every position gets a pattern of its own: each "
    "pair of dimensions (2i, 2i+1) is a sine and a cosine that turn at one speed, **fast in the "
    "first dimensions, slow in the last**. The pattern is added to the embedding; the shape stays.",
    zh="注意力本身不知道先后，所以给每个位置一个独有的图案：每一对维度 (2i, 2i+1) "
    "是同一转速的正弦和余弦，"
    "**前面的维度转得快，后面的转得慢**。把图案加到嵌入上，形状不变。",
)
NAMES = ("embedding", "position", "x")
OFFERED = 7  # pairs to choose from, and the chosen ones; a link can name any
PAIRS = Text(
    en="Pairs of dimensions drawn (sine solid, cosine dotted; the positions of this sentence are "
    "shaded)",
    zh="画出的维度对（实线为正弦，点线为余弦；这句话占的位置有底色）",
)
POSITION = Text(en="position", zh="位置")
VALUE = Text(en="value", zh="数值")
WAVELENGTH = Text(en=", wavelength {length:,.1f} positions", zh="，波长 {length:,.1f} 个位置")
ADDED = Text(
    en="One colour range for all three, so that they can be compared:",
    zh="三张图用同一色标，可以直接比较：",
)
WHAT_CURVES = Text(
    en="Curves over position 0 to {last} for dimensions {dims}; wavelengths {lengths}.",
    zh="第 {dims} 维随位置 0 到 {last} 变化的曲线；波长 {lengths}。",
)
WHAT = Text(en="Heatmap of {name}, one row a token.", zh="{name} 的热力图，每个词元一行，")
NORM = Text(
    en="Every row of `position` is {norm:.4f} long: sin² + cos² = 1 for each of the d_model / 2 "
    "pairs, whatever the position.",
    zh="`position` 每一行的长度都是 {norm:.4f}：d_model / 2 对里每对都有 sin² + cos² = 1，"
    "与位置无关。",
)
ODD = Text(
    en="d_model = {d_model} is odd, so the last pair has no cosine: {sines} sines, {cosines} "
    "cosines.",
    zh="d_model = {d_model} 是奇数，最后一对没有余弦：{sines} 个正弦，{cosines} 个余弦。",
)
OFF = Text(
    en="Positions are **switched off** for this run: `position` is all zeros and x = embedding. "
    "The curves show what would be added.",
    zh="这次运行**没有加位置编码**：`position` 全为零，x = embedding。曲线画的是本来会加上的值。",
)


def formula(scene: Scene) -> tuple[str, ...]:
    """x = embedding + position, and the sinusoids that position is made of."""
    s, exponent = scene.sizes, rf"10000^{{2i/{scene.sizes.d_model}}}"
    x, embedding = (under(name, s.B, s.T, s.d_model) for name in ("x", r"\text{embedding}"))
    return (
        rf"{x} = {embedding} + {named('position', s.T, s.d_model)}",
        rf"\text{{position}}_{{p,\,2i}} = \sin\frac{{p}}{{{exponent}}}",
        rf"\text{{position}}_{{p,\,2i+1}} = \cos\frac{{p}}{{{exponent}}}",
    )


def view(scene: Scene) -> None:
    """The curves, then the three aligned heatmaps."""
    trace, lang, d_model = scene.trace, scene.lang, scene.sizes.d_model
    if not trace.config.positions:
        st.info(OFF(lang))
    choose_pairs(d_model, lang)
    show(scene, "curves", _curves)
    st.markdown(ADDED(lang))
    for name, column in zip(NAMES, columns(scene, 3), strict=True):
        with column:
            show(scene, name, partial(_heatmap, name=name))
    if d_model % 2:
        st.markdown(ODD(lang, d_model=d_model, sines=d_model - d_model // 2, cosines=d_model // 2))
    elif trace.config.positions:
        st.markdown(NORM(lang, norm=float(trace.position[0].norm())))
    say_part(scene, d_model)


def _heatmap(scene: Scene, name: str) -> Picture:
    shown = scene.focus.columns(scene.sizes.d_model)
    outline = (scene.focus.query, 0, 1, shown.stop - shown.start)
    panel = scene.panel(name, f"<b>{name}</b>", outline=outline)
    scale = signed(scene.colors, *(getattr(scene.trace, name) for name in NAMES))
    alt = describe(scene, WHAT(scene.lang, name=name), panel.values)
    return Picture(wall([panel], 1, scale, scene.colors), alt, scene.shapes(name))


def chosen_pairs(d_model: int) -> tuple[int, ...]:
    """The pairs of dimensions that are drawn; three from fast to slow to begin with."""
    last = -(-d_model // 2) - 1
    spread = tuple(dict.fromkeys((0, last // 2, last)))
    return tuple(i for i in state.read("pairs") if i <= last) or spread


def choose_pairs(d_model: int, lang: str) -> None:
    """Let the reader choose pairs of dimensions."""
    last, chosen = -(-d_model // 2) - 1, chosen_pairs(d_model)
    offered = sorted({*chosen, *(round(i * last / OFFERED) for i in range(OFFERED + 1))})
    st.pills(
        PAIRS(lang),
        offered,
        format_func=lambda i: f"({2 * i}, {2 * i + 1})",
        selection_mode="multi",
        **state.widget("pairs", list(chosen), map(str, offered)),
    )


def wavelength(pair: int, d_model: int) -> float:
    """After how many positions a pair of dimensions repeats: 2π · 10000^(2i/d_model)."""
    return 2 * math.pi * 10000 ** (2 * pair / d_model)


def _last(scene: Scene) -> int:
    return max(scene.sizes.T, 32) - 1


def _curves(scene: Scene) -> Picture:
    d_model, lang = scene.sizes.d_model, scene.lang
    pairs = chosen_pairs(d_model)
    lengths = {i: wavelength(i, d_model) for i in pairs}
    table = sinusoid(_last(scene) + 1, d_model)
    at = torch.arange(len(table))
    lines = []
    for color, i in enumerate(pairs):
        length = WAVELENGTH(lang, length=lengths[i])
        for dim, name, dash in ((2 * i, "sin", "solid"), (2 * i + 1, "cos", "dot")):
            if dim < d_model:
                cells = elements(scene.trace, "position", [(0, dim)], column="seq")
                shown = cells if scene.trace.config.positions else None
                values = table[:, dim]
                lines.append(Curve(f"{name} {dim}", at, values, length, color, dash, True, shown))
    span = (-0.5, scene.sizes.T - 0.5)
    words = {
        "dims": ", ".join(str(2 * i) for i in pairs),
        "lengths": ", ".join(f"{length:,.1f}" for length in lengths.values()),
    }
    figure = curves(lines, POSITION(lang), VALUE(lang), scene.colors, span)
    return Picture(figure, WHAT_CURVES(lang, last=_last(scene), **words))


PAGE = Page(
    slug="position",
    label=Text(en="Position", zh="位置"),
    title=Text(en="Position: a pattern for every place", zh="位置：每个位置一个图案"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("embedding position", "x"),
    code=(sinusoid, add_positions),
    tensors=("position", "embedding", "x"),
    needs_heads=False,
)
