"""Lab: d_k chosen freely. What changes with h·d_k, what stays, and who does it."""

from dataclasses import replace

import streamlit as st

from explorer import runs
from explorer.charts import chart
from explorer.core import Config, Trace
from explorer.core.attention import merge_heads, project, project_out, scale
from explorer.core.config import head_size
from explorer.core.limits import LIMITS, widest
from explorer.experiments.apart import ask_multihead, count_weights, divisor, load_weights
from explorer.experiments.models import MODELS
from explorer.figures.blocks import Block, blocks, widths
from explorer.page import Page
from explorer.question import Question, answered
from explorer.scene import Scene
from explorer.settings import state
from explorer.text import Text, table

BODY = Text(
    en="d_k = d_model / h is a habit: **the heads side by side just fill d_model again**. Nothing "
    "in the formula asks for it. d_k may be any whole number, also where h does not divide "
    "d_model.",
    zh="d_k = d_model / h 只是习惯：**各头并排正好填满 d_model**。公式并不要求这样。"
    "d_k 可以是任何整数，h 不能整除 d_model 时也行。",
)
CHOOSE = Text(en="Choose d_k for h = {h} heads:", zh="为 h = {h} 个头选 d_k：")
AS_USUAL = Text(en="d_k = {d_k} (d_model / h)", zh="d_k = {d_k}（d_model / h）")
OTHER = Text(en="d_k = {d_k}", zh="d_k = {d_k}")
PROPOSED = Text(
    en="The run itself has d_k = d_model / h = {usual:.4g}{whole}. **Looked at here is "
    "d_k = {d_k}**, until you choose one.",
    zh="这次运行本身是 d_k = d_model / h = {usual:.4g}{whole}。**这里先看 d_k = {d_k}**，"
    "选一个就换成它。",
)
NOT_WHOLE = Text(en=", which is not whole and cannot be built", zh="，不是整数，建不出来")
TOO_WIDE = Text(
    en="d_k = {asked} would make h·d_k = {width:,}; one run may have {limit:,}. Looked at here is "
    "d_k = {d_k}.",
    zh="d_k = {asked} 会让 h·d_k = {width:,}，而上限是 {limit:,}。这里改看 d_k = {d_k}。",
)
D_MODEL = Text(en="x: d_model = {d_model}", zh="x：d_model = {d_model}")
WIDTH = Text(
    en="q, k, v, concat: h·d_k = {h} × {d_k} = <b>{width}</b>",
    zh="q、k、v、concat：h·d_k = {h} × {d_k} = <b>{width}</b>",
)
WHAT_WIDTHS = Text(
    en="Two bars on one scale: d_model = {d_model}, and {h} heads of {d_k}, together {width}.",
    zh="同一刻度的两条：d_model = {d_model}，以及 {h} 个头、每头 {d_k}，共 {width}。",
)
QUESTION = Question(
    "apart",
    Text(
        en="d_model = {d_model}, h = {h}, d_k = {d_k}. What is the shape of W_O in "
        "`output = concat @ W_O`?",
        zh="d_model = {d_model}，h = {h}，d_k = {d_k}。`output = concat @ W_O` 里的 W_O "
        "是什么形状？",
    ),
)
SHAPES = Text(
    en="**To scale**, a colour a head. W_Q, W_K, W_V go from d_model to h·d_k, **W_O goes from "
    "h·d_k back to d_model**: so the output is {output}, the shape of x, whatever d_k is.",
    zh="**按比例画**，一种颜色一个头。W_Q、W_K、W_V 从 d_model 到 h·d_k，**W_O 从 h·d_k 回到 "
    "d_model**：所以不管 d_k 是多少，输出都是 {output}，与 x 同形状。",
)
WHAT_BLOCKS = Text(
    en="W_Q, W_K and W_V with {d_model} rows and {width} columns, W_O with {width} rows and "
    "{d_model} columns, drawn to scale.",
    zh="W_Q、W_K、W_V 是 {d_model} 行 {width} 列，W_O 是 {width} 行 {d_model} 列，按比例画出。",
)
ONE_TOKEN = Text(
    en="All sentences together would be too large here; these are the shapes of one token.",
    zh="全部句子一起算太大，这里是一个词元时的形状。",
)
CHANGES = Text(
    en="**What d_k changes.** Weights: 4·d_model·h·d_k = **{weights:,}** (counted), {ratio:.3g} "
    "times the 4·d_model² = {square:,} of the habit. The scores of this run were divided by "
    "**{divisor:.4g}** = √d_k, and d_model / h has no say in it.",
    zh="**d_k 改变什么。** 参数：4·d_model·h·d_k = **{weights:,}** 个（数出来的），"
    "是习惯做法 4·d_model² = {square:,} 的 {ratio:.3g} 倍。"
    "这次运行的分数除以了 **{divisor:.4g}** = √d_k，与 d_model / h 无关。",
)
BIAS = Text(
    en="With bias, 3·h·d_k + d_model = {bias:,} more.",
    zh="有偏置时再加 3·h·d_k + d_model = {bias:,} 个。",
)
TORCH = Text(
    en="**And torch?** `nn.MultiheadAttention` knows only d_model / h. Tried just now:",
    zh="**torch 呢？** `nn.MultiheadAttention` 只认 d_model / h。刚刚试了：",
)
SDPA = Text(
    en="`F.scaled_dot_product_attention` takes q, k, v with any d_k; its z differs from this run's "
    "by at most {difference:.2g}. Four `nn.Linear` around it are the whole layer: "
    "`nn.Linear({d_model}, {width})` three times, `nn.Linear({width}, {d_model})` once.",
    zh="`F.scaled_dot_product_attention` 接受任何 d_k 的 q、k、v，它的 z 与这次运行最多差 "
    "{difference:.2g}。外面再加四个 `nn.Linear` 就是整个层："
    "`nn.Linear({d_model}, {width})` 三个，`nn.Linear({width}, {d_model})` 一个。",
)
WHO = Text(
    en="**Who does it.** {n} of the {all} models of the lab “Sizes” (where their sources stand). "
    "Most keep d_k at a round 128 or 256 whatever d_model is, and so give attention more or fewer "
    "weights.",
    zh="**谁这样做。** “尺寸”实验的 {all} 个模型中有 {n} 个（出处也在那里）。"
    "多数不管 d_model 是多少，d_k 都取 128 或 256 这样的整数，注意力的参数因此变多或变少。",
)
COLUMNS = (
    Text(en="model", zh="模型"),
    Text(en="d_model → h·d_k", zh="d_model → h·d_k"),
    Text(en="h × d_k", zh="h × d_k"),
)
EXCEPTIONS = Text(
    en="Not all divide by √d_k: T5 does not divide at all, and Gemma-2 27B divides by √144, its "
    "d_model / h. DeepSeek-V3 has 192 for q and k only; its v has 128.",
    zh="也有不除以 √d_k 的：T5 根本不除，Gemma-2 27B 除以 √144，即它的 d_model / h。"
    "DeepSeek-V3 只有 q、k 是 192，v 是 128。",
)


def view(scene: Scene) -> None:
    """Two widths and a choice of d_k; the question; then what changes, what torch says, who."""
    config, lang = scene.trace.config, scene.lang
    looked_at = replace(config, d_k=_looked_at(config))
    d_model, h, d_k = looked_at.d_model, looked_at.h, looked_at.d_k
    _choose(looked_at, lang)
    _say_which(config, d_k, lang)
    words = {"d_model": d_model, "h": h, "d_k": d_k, "width": h * d_k}
    names = D_MODEL(lang, **words), WIDTH(lang, **words)
    figure = widths(d_model, h, d_k, names, scene.colors)
    chart(scene, "widths", figure, WHAT_WIDTHS(lang, **words))
    if answered(QUESTION, f"{h * d_k}, {d_model}", lang, **words):
        _answer(scene, looked_at, words)


def _offers(config: Config) -> list[int]:
    """Values of d_k on both sides of d_model / h, as far as one run may be that wide."""
    usual = config.d_model // config.h
    offers = (usual // 2, usual, usual + 1 if config.d_model % config.h else 0, 2 * usual, 2)
    return sorted({d_k for d_k in offers if 1 <= d_k <= _widest(config)})


def _widest(config: Config) -> int:
    """The largest d_k that one run may have."""
    return min(LIMITS.d_model, widest(config.d_model) // config.h)


def _looked_at(config: Config) -> int:
    """The d_k of the link, as far as it may be; where it leaves d_k open, an offer."""
    if config.d_k:
        return min(config.d_k, _widest(config))
    usual = config.d_model // config.h
    if config.d_model % config.h and usual:
        return usual
    return next((d_k for d_k in reversed(_offers(config)) if d_k != usual), usual)


def _choose(config: Config, lang: str) -> None:
    st.markdown(CHOOSE(lang, h=config.h))
    with st.container(horizontal=True, gap="small"):
        for d_k in sorted({*_offers(config), config.d_k}):
            words = AS_USUAL if d_k * config.h == config.d_model else OTHER
            st.button(
                words(lang, d_k=d_k),
                key=f"apart-{d_k}",
                icon=":material/check:" if d_k == config.d_k else None,
                on_click=state.change,
                kwargs={"d_k": d_k},
            )


def _say_which(config: Config, d_k: int, lang: str) -> None:
    if config.d_k is None:
        whole = NOT_WHOLE(lang) if config.d_model % config.h else ""
        st.caption(PROPOSED(lang, usual=config.d_model / config.h, whole=whole, d_k=d_k))
    elif config.d_k != d_k:
        sizes = {
            "asked": config.d_k,
            "width": config.h * config.d_k,
            "limit": widest(config.d_model),
        }
        st.warning(TOO_WIDE(lang, **sizes, d_k=d_k))


def _answer(scene: Scene, config: Config, words: dict[str, int]) -> None:
    lang, run = scene.lang, runs.run(config)
    if run.refusal:  # of its scores, which d_k does not change
        st.caption(ONE_TOKEN(lang))
        run = runs.run(replace(config, sentences=("我",)))
    _shapes(scene, run.trace, words)
    _changes(run.trace, lang)
    st.markdown(TORCH(lang))
    errors = ask_multihead(config.d_model, config.h, config.d_k)
    st.code(
        "\n\n".join(f"{call}\n  {error}" for call, error in errors.items()),
        language=None,
        wrap_lines=True,
    )
    st.markdown(SDPA(lang, difference=runs.checks(run.trace.config).sdpa, **words))
    _who(lang)


def _shapes(scene: Scene, trace: Trace, words: dict[str, int]) -> None:
    lang = scene.lang
    st.markdown(SHAPES(lang, output=f"`{tuple(trace.output.shape)}`"))
    drawn = [Block("W_Q, W_K, W_V", *trace.params.W_Q.shape, heads_on_rows=False)]
    drawn.append(Block("W_O", *trace.params.W_O.shape, heads_on_rows=True))
    figure = blocks(drawn, trace.config.h, scene.colors)
    chart(scene, "weights", figure, WHAT_BLOCKS(lang, **words))
    steps = ("x", "q", "q_heads", "scores", "z", "concat", "output")
    shapes = (f"`{name}`{tuple(getattr(trace, name).shape)}" for name in steps)
    st.markdown(" → ".join(shape.replace(", ", ",\N{NO-BREAK SPACE}") for shape in shapes))


def _changes(trace: Trace, lang: str) -> None:
    config, weights = trace.config, count_weights(trace)
    square = 4 * config.d_model**2
    found = {"weights": weights, "ratio": weights / square, "square": square}
    said = CHANGES(lang, **found, divisor=divisor(trace))
    if config.bias:
        said += " " * (lang == "en") + BIAS(lang, bias=3 * config.h * config.d_k + config.d_model)
    st.markdown(said)


def _who(lang: str) -> None:
    apart = [model for model in MODELS if model.width != model.d_model]
    st.markdown(WHO(lang, n=len(apart), all=len(MODELS)))
    rows = [
        (
            model.name,
            f"{model.d_model:,} → {model.width:,}",
            f"{model.h} × {model.d_k}",
        )
        for model in apart
    ]
    st.markdown(table([text(lang) for text in COLUMNS], rows))
    st.caption(EXCEPTIONS(lang))


PAGE = Page(
    slug="apart",
    label=Text(en="d_k apart", zh="单设 d_k"),
    title=Text(en="Must h·d_k be d_model?", zh="h·d_k 必须等于 d_model 吗？"),
    body=BODY,
    view=view,
    code=(head_size, project, scale, merge_heads, project_out, load_weights),
    needs_heads=False,
    has_focus=False,
    steps=("projection", "output"),
)
