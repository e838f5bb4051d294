"""Step 6: view, then transpose: h heads without moving a number."""

import streamlit as st

from explorer.charts import say_part
from explorer.core.attention import split_heads, swap_axes
from explorer.core.memory import address
from explorer.page import Page, arrow, under
from explorer.scene import Scene
from explorer.storage import address_curve, color_by, layout_table, storage_grid, two_heads
from explorer.text import Text

BODY = Text(
    en="`view` reads the h·d_k numbers of a token as h groups of d_k; `transpose` puts the head "
    "before the token. **Neither moves a number**: only the shape and the strides change, that is, "
    "the order in which one and the same storage is read.",
    zh="`view` 把每个词元的 h·d_k 个数看成 h 组、每组 d_k 个；`transpose` 把“头”换到“词元”前面。"
    "**两步都没有移动任何一个数**：变的只是形状和步长，也就是读同一块存储的顺序。",
)
MEMORY = Text(en="<b>storage of q</b>: its addresses, in order", zh="<b>q 的存储</b>：按地址顺序")
READS = Text(en="<b>head {head}</b> of q_heads reads", zh="q_heads 的<b>头 {head}</b> 读这些地址")
WHAT_MEMORY = Text(
    en="The storage of q as {T} rows of {width} cells, each with its address, from {first}.",
    zh="q 的存储，{T} 行、每行 {width} 格，格里是地址，从 {first} 开始。",
)
LAYOUT = Text(
    en="The first three share one storage; only `.contiguous()` copies.",
    zh="前三个共用一块存储；只有 `.contiguous()` 才复制。",
)
LAYOUT_SAME = Text(
    en="All four share one storage here: with one token or one head the transposed tensor is "
    "contiguous already, and `.contiguous()` has nothing to copy.",
    zh="这里四个共用一块存储：只有一个词元或一个头时，转置后仍然连续，`.contiguous()` 无须复制。",
)
CURVE = Text(
    en="A straight line: read in the order of memory. A sawtooth: the reading jumps.",
    zh="直线：按内存顺序读。锯齿：读的时候在跳。",
)
FOCUS = Text(
    en="The element in focus, `q_heads[{index}]` (outlined above), lies at Σ index × stride = "
    "{sum} = **{address}**. There the storage of q holds **{value:.4f}**.",
    zh="焦点元素 `q_heads[{index}]`（上面框出的那格）的地址是 Σ 下标 × 步长 = {sum} = "
    "**{address}**。"
    "q 的存储在这里放着 **{value:.4f}**。",
)


def formula(scene: Scene) -> tuple[str, ...]:
    """q to q_split to q_heads."""
    s = scene.sizes
    start = under("Q", s.B, s.T, s.h * s.d_k)
    middle, end = under("Q", s.B, s.T, s.h, s.d_k), under("Q", s.B, s.h, s.T, s.d_k)
    return (f"{start} {arrow('view')} {middle} {arrow('transpose')} {end}",)


def view(scene: Scene) -> None:
    """The storage, how two heads read it, the layouts and the address curve."""
    trace, lang = scene.trace, scene.lang
    color_by(lang)
    storage_grid(scene, "memory", "q", lambda s: s.trace.q_split, MEMORY, WHAT_MEMORY, _place)
    say_part(scene, scene.sizes.h * scene.sizes.d_k)
    two_heads(scene, "reads", lambda s: s.trace.q_heads, READS, outlined=True)
    copied = trace.q_heads.contiguous()
    named = {"q": trace.q, "q_split": trace.q_split, "q_heads": trace.q_heads}
    layout_table(scene, named | {"q_heads.contiguous()": copied})
    same = copied.data_ptr() == trace.q.data_ptr()
    st.markdown((LAYOUT_SAME if same else LAYOUT)(lang))
    st.markdown(_focus(scene))
    address_curve(
        scene, "curve", lambda s: {"q_split": s.trace.q_split, "q_heads": s.trace.q_heads}
    )
    st.caption(CURVE(lang))


def focused(scene: Scene) -> tuple[int, int, int, int]:
    """The index into q_heads that is looked at: the query in focus, its first number shown."""
    first = scene.focus.columns(scene.sizes.d_k).start
    return scene.focus.item, scene.focus.head, scene.focus.query, first


def _place(scene: Scene) -> int:
    return address(scene.trace.q_heads, focused(scene))


def _focus(scene: Scene) -> str:
    index, at = focused(scene), _place(scene)
    steps = zip(index, scene.trace.q_heads.stride(), strict=True)
    return FOCUS(
        scene.lang,
        index=", ".join(map(str, index)),
        sum=" + ".join(f"{i}×{stride}" for i, stride in steps),
        address=at,
        value=float(scene.trace.q.flatten()[at]),
    )


PAGE = Page(
    slug="split",
    label=Text(en="Split", zh="分头"),
    title=Text(en="Split: view, then transpose", zh="分头：先 view，再 transpose"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("q", "q_split", "q_heads"),
    code=(split_heads, swap_axes),
    tensors=("q_heads", "k_heads", "v_heads", "q"),
)
