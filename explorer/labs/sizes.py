"""Lab: which d_model, h and d_k real models choose, and what the choice costs."""

import pandas as pd
import streamlit as st

from explorer.charts import chart
from explorer.core.config import divisors
from explorer.core.limits import LIMITS, widest
from explorer.experiments.models import MODELS, Model
from explorer.experiments.sizes import (
    attention_layer,
    count_flops,
    count_parameters,
    count_score_bytes,
    measure_h,
)
from explorer.figures.points import Guide, Point, points
from explorer.labs.uneven import beside_powers_of_two, uneven_heads
from explorer.page import Page
from explorer.question import Question, answered
from explorer.scene import Scene
from explorer.settings import state
from explorer.sweep import sweep
from explorer.text import Text, table

BODY = Text(
    en="Each point is the attention of a real model; along a line, d_k = d_model / h is the same. "
    "**Most lie on d_k = 64 or 128, but it is a habit, not a law**: MiniLM-L6 has 32, ViT-H 80, "
    "Gemma 256, and some set d_k apart altogether. GPT-2 medium has 1024 / 16 = 64, like every "
    "GPT-2.",
    zh="每个点是一个真实模型的注意力；同一条线上 d_k = d_model / h 相同。"
    "**多数落在 d_k = 64 或 128 上，但这是习惯，不是定律**：MiniLM-L6 是 32，ViT-H 是 80，"
    "Gemma 是 256，还有的干脆单独设定 d_k。GPT-2 medium 是 1024 / 16 = 64，四种 GPT-2 都是 64。",
)
QUESTION = Question(
    "sizes",
    Text(
        en="d_model stays and h doubles. The number of parameters of the layer then",
        zh="d_model 不变，h 加倍。这一层的参数量会",
    ),
    {
        "double": Text(en="doubles", zh="加倍"),
        "same": Text(en="stays the same", zh="不变"),
        "half": Text(en="halves", zh="减半"),
    },
)
MODEL = Text(en="model", zh="模型")
USE = Text(en="Use the sizes of {name}", zh="采用 {name} 的尺寸")
TOO_LARGE = Text(
    en="{name} has d_model = {d_model:,} and h·d_k = {width:,}; here d_model goes up to {limit:,} "
    "and a matrix of d_model × h·d_k up to {elements:,} elements.",
    zh="{name} 的 d_model = {d_model:,}，h·d_k = {width:,}；这里 d_model 最大 {limit:,}，"
    "d_model × h·d_k 的矩阵最多 {elements:,} 个元素。",
)
ALT = Text(
    en="{n} models by d_model and h, on lines of equal d_k: {counts}. {name}: d_model {d_model}, "
    "h {h}, d_k {d_k}.",
    zh="{n} 个模型按 d_model 和 h 排开，直线上 d_k 相等：{counts}。{name}：d_model {d_model}，"
    "h {h}，d_k {d_k}。",
)
SOURCES = Text(en="All {n} models, with their sources", zh="全部 {n} 个模型及其出处")
COLUMNS = {
    "name": MODEL,
    "d_model": Text(en="d_model", zh="d_model"),
    "h": Text(en="h", zh="h"),
    "d_k": Text(en="d_k", zh="d_k"),
    "width": Text(en="h·d_k", zh="h·d_k"),
    "kv_heads": Text(en="heads of K, V", zh="K、V 的头数"),
    "bias": Text(en="bias of Q, K, V", zh="Q、K、V 的偏置"),
    "source": Text(en="source", zh="出处"),
}
SWEEP = Text(
    en="**Every h that divides d_model = {d_model}**, for a sentence of 64 tokens, each layer run "
    "here just now. Parameters and FLOPs do not change with h; **the scores do: every head has its "
    "own 64 × 64 of them**; what that costs here, the time tells.",
    zh="**能整除 d_model = {d_model} 的每个 h**，句长 64 个词元，每一层都刚在本机跑过。"
    "参数和 FLOPs 不随 h 变；**分数会变：每个头都有自己的 64 × 64 个**，"
    "这在本机费多少时间，看时间一列。",
)
HEADER = (
    Text(en="h", zh="h"),
    Text(en="d_k", zh="d_k"),
    Text(en="parameters", zh="参数"),
    Text(en="FLOPs", zh="FLOPs"),
    Text(en="bytes of scores", zh="分数的字节"),
    Text(en="ms here", zh="本机毫秒"),
)
LINES = (32, 64, 128, 256)  # d_k
D_MODELS = (256, 512, 1024, 2048, 4096, 8192, 16384)
HS = (4, 8, 16, 32, 64, 128)


def view(scene: Scene) -> None:
    """The models, one of them to take over; then what h costs, d_k beside 2ⁿ, uneven heads."""
    asked, by_name = state.read("model"), {model.name: model for model in MODELS}
    chosen = by_name.get(asked, MODELS[0])
    _chart(scene, chosen)
    _take_over(chosen, list(by_name), scene.lang)
    with st.expander(SOURCES(scene.lang, n=len(MODELS))):
        rows = {
            words(scene.lang): [getattr(model, field) for model in MODELS]
            for field, words in COLUMNS.items()
        }
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt=SOURCES(scene.lang, n=len(MODELS)))
    if answered(QUESTION, "same", scene.lang):
        _sweep(scene)
        beside_powers_of_two(scene)
        uneven_heads(scene)


def _chart(scene: Scene, chosen: Model) -> None:
    together: dict[tuple[int, int], list[Model]] = {}
    for model in MODELS:
        together.setdefault((model.d_model, model.h), []).append(model)
    marks = [
        Point(
            *place,
            "\n".join(f"{m.name}: {m.d_model} / {m.h}, d_k {m.d_k}" for m in models),
            len(models),
            chosen.name if chosen in models else "",
        )
        for place, models in together.items()
    ]
    guides = [
        Guide((max(200, 3 * d_k), max(200 / d_k, 3)), (18000, 18000 / d_k), f"d_k = {d_k}")
        for d_k in LINES
    ]
    figure = points(marks, guides, "d_model", "h", (D_MODELS, HS), scene.colors)
    counts = ", ".join(f"d_k {d_k} × {sum(model.d_k == d_k for model in MODELS)}" for d_k in LINES)
    words = {"name": chosen.name, "d_model": chosen.d_model, "h": chosen.h, "d_k": chosen.d_k}
    chart(scene, "models", figure, ALT(scene.lang, n=len(MODELS), counts=counts, **words))


def _take_over(chosen: Model, names: list[str], lang: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(MODEL(lang), names, width=260, **state.widget("model", chosen.name))
        fits = chosen.d_model <= LIMITS.d_model and chosen.width <= widest(chosen.d_model)
        apart = chosen.d_k if chosen.width != chosen.d_model else None
        st.button(
            USE(lang, name=chosen.name),
            key="take-over",
            disabled=not fits,
            on_click=state.change,
            kwargs={"d_model": chosen.d_model, "h": chosen.h, "d_k": apart},
        )
    if not fits:
        words = {"name": chosen.name, "d_model": chosen.d_model, "width": chosen.width}
        st.caption(TOO_LARGE(lang, **words, limit=LIMITS.d_model, elements=LIMITS.elements))


def _sweep(scene: Scene) -> None:
    d_model, lang = scene.sizes.d_model, scene.lang
    heads = divisors(d_model)
    st.markdown(SWEEP(lang, d_model=d_model))
    costs = sweep(heads, lambda h: measure_h(d_model, h), lang)
    rows = [
        (
            str(h),
            str(d_model // h),
            f"{cost.parameters:,}",
            f"{cost.flops:,}",
            f"{cost.score_bytes:,}",
            f"{cost.milliseconds:.3f}",
        )
        for h, cost in zip(heads, costs, strict=True)
    ]
    st.markdown(table([words(lang) for words in HEADER], rows))


PAGE = Page(
    slug="sizes",
    label=Text(en="Sizes", zh="尺寸"),
    title=Text(en="Which sizes do real models choose?", zh="真实模型选什么尺寸？"),
    body=BODY,
    view=view,
    code=(attention_layer, count_parameters, count_flops, count_score_bytes),
    needs_heads=False,
    has_focus=False,
    steps=("shapes",),
)
