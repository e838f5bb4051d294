"""Step 1: d_model = h × d_k, every tensor of the run and its shape."""

import streamlit as st

from explorer.beside import columns, show
from explorer.core.config import head_size
from explorer.core.pipeline import attend
from explorer.core.trace import PARAM_AXES, axes
from explorer.figures.blocks import ledger
from explorer.page import Page, sized, under
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.steps.shape_flow import present_tensors, shape_flow
from explorer.text import Text, table

BODY = Text(
    en="A sentence goes through the attention layer as a chain of tensors. Two sizes rule them "
    "all: every token is **d_model** numbers wide, and the query, key and value that are made from "
    "it are each cut into **h heads of d_k** numbers. Find `q` (batch, seq, h·d_k) and `q_heads` "
    "(batch, head, seq, d_k) below: they hold the same numbers.",
    zh="一句话以一连串张量的形式穿过注意力层，其中有两个尺寸贯穿始终：每个词元宽 **d_model** 个数，"
    "由它算出的查询、键和值再各自切成 **h 个头、每头 d_k** 个数。请在下面找到 `q` "
    "(batch, seq, h·d_k) 和 `q_heads` (batch, head, seq, d_k)：里面是同一批数。",
)
LEDGER = Text(
    en="The {width} numbers of one token's query (its key and value likewise), cut into heads",
    zh="一个词元的查询有 {width} 个数（键和值也一样），切成各个头",
)
HEAD = Text(en="head {head}: {d_k}", zh="头 {head}：{d_k}")
FLOW = Text(
    en="**How the shapes flow.** An arrow leads from each tensor to what is made from it.",
    zh="**形状怎样流动。** 箭头从每个张量指向用它算出的张量。",
)
TABLE = Text(
    en="**Every tensor of this run**: {n} tensors, {elements:,} elements",
    zh="**这次运行的全部张量**：{n} 个，共 {elements:,} 个元素",
)
VIEWS = Text(
    en="Views (split, heads, swapped) need no memory of their own; their bytes are those they "
    "show.",
    zh="视图（split、heads、swapped）不另占内存；表里的字节数是它们所呈现的部分。",
)
PARAMETERS = Text(
    en="**Parameters**: 4 · d_model · h·d_k{bias} = **{count:,}** in the layer, and V · d_model = "
    "{table:,} in W_E. While h·d_k = d_model, h does not change the count.",
    zh="**参数**：层内 4 · d_model · h·d_k{bias} = **{count:,}** 个，W_E 另有 V · d_model = "
    "{table:,} 个。只要 h·d_k = d_model，头数 h 不影响参数量。",
)
ENDS = Text(
    en="This run ends at x: with these sizes it cannot have heads. The step Projection says why, "
    "and what works.",
    zh="这次运行到 x 为止：按现在的尺寸分不出头。原因和可行的尺寸见“投影”一步。",
)
NAME = Text(en="tensor", zh="张量")
SHAPE = Text(en="shape", zh="形状")
ELEMENTS = Text(en="elements", zh="元素")
BYTES = Text(en="bytes", zh="字节")
WHAT_LEDGER = Text(
    en="A bar of {width} numbers cut into {h} pieces of {d_k}: h × d_k = {h} × {d_k} = {width}.",
    zh="一条 {width} 个数的横条，切成 {h} 段、每段 {d_k}：h × d_k = {h} × {d_k} = {width}。",
)


def formula(scene: Scene) -> tuple[str, ...]:
    """d_model = h × d_k."""
    s, d_model, h = scene.sizes, r"d_{\text{model}}", under("h", scene.sizes.h)
    if s.d_k is None:
        return (rf"{under(d_model, s.d_model)} \ne {h} \times d_k",)
    whole = d_model if s.h * s.d_k == s.d_model else r"h{\cdot}d_k"
    return (rf"{under(whole, s.h * s.d_k)} = {h} \times {under('d_k', s.d_k)}",)


def view(scene: Scene) -> None:
    """The ledger bar, the flow of shapes, the table of tensors and the parameter count."""
    s = scene.sizes
    if "q" not in present_tensors(scene):
        st.info(ENDS(scene.lang))
    if s.d_k is not None:
        st.markdown(LEDGER(scene.lang, width=s.h * s.d_k))
        show(scene, "ledger", _ledger)
    left, right = columns(scene, [4, 5], gap="large")
    with left:
        st.markdown(FLOW(scene.lang))
        show(scene, "flow", shape_flow)
    with right:
        _table(scene)
        _parameters(scene)


def _ledger(scene: Scene) -> Picture:
    s, width = scene.sizes, scene.sizes.h * scene.sizes.d_k
    texts = tuple(HEAD(scene.lang, head=head, d_k=s.d_k) for head in range(s.h))
    figure = ledger(s.h, s.d_k, texts, str(width), scene.colors)
    return Picture(figure, WHAT_LEDGER(scene.lang, width=width, h=s.h, d_k=s.d_k))


def _table(scene: Scene) -> None:
    lang, present = scene.lang, present_tensors(scene)
    words = {"n": len(present), "elements": sum(t.numel() for t in present.values())}
    header = [column(lang) for column in (NAME, SHAPE, ELEMENTS, BYTES)]
    rows = [
        (
            f"`{name}`",
            ", ".join(map(sized, axes(name), tensor.shape)),
            f"{tensor.numel():,}",
            f"{tensor.nbytes:,}",
        )
        for name, tensor in present.items()
    ]
    st.markdown(f"{TABLE(lang, **words)}\n\n{table(header, rows)}")
    if "q_split" in present:
        st.caption(VIEWS(lang))


def _parameters(scene: Scene) -> None:
    params, bias = scene.trace.params, scene.trace.config.bias
    layer = [tensor for name in PARAM_AXES if (tensor := getattr(params, name)) is not None]
    if len(layer) > 1:
        count = sum(tensor.numel() for tensor in layer) - params.W_E.numel()
        extra = " + 3 · h·d_k + d_model" if bias else ""
        words = {"bias": extra, "count": count, "table": params.W_E.numel()}
        st.markdown(PARAMETERS(scene.lang, **words))


PAGE = Page(
    slug="shapes",
    label=Text(en="Shapes", zh="形状"),
    title=Text(en="Shapes: d_model, h and d_k", zh="形状：d_model、h 和 d_k"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("x", "q", "q_heads", "output"),
    code=(head_size, attend),
    tensors=("x", "q_heads", "attn", "output", "normed"),
    needs_heads=False,
)
