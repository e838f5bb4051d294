"""Step 11: transpose back, copy, view: the heads side by side again."""

import streamlit as st
from torch import Tensor

from explorer.beside import columns, show
from explorer.charts import describe, say_part
from explorer.core.attention import merge_heads, swap_back
from explorer.core.wrong import error_of
from explorer.figures.matrix import wall
from explorer.figures.panel import signed
from explorer.page import Page, arrow, named, under
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.storage import address_curve, color_by, layout_table, storage_grid
from explorer.text import Text, as_code

BODY = Text(
    en="The heads come back side by side. `transpose` puts the token before the head again, but z "
    "was computed head by head and its storage still is, so the d_k numbers of two heads are not "
    "neighbours. `view` cannot join them; **`.contiguous()` really copies**, and then it can.",
    zh="现在把各头并排放回去。`transpose` 又把词元换到头前面，可 z 是一个头一个头算出来的，"
    "存储里也是一个头一个头排的，两个头的 d_k 个数并不相邻，`view` 接不起来；"
    "**`.contiguous()` 才真的复制一份**，之后就能接了。",
)
BEFORE = Text(en="<b>storage of z</b>: head after head", zh="<b>z 的存储</b>：一个头接一个头")
AFTER = Text(
    en="<b>storage of concat</b>: token after token", zh="<b>concat 的存储</b>：一个词元接一个词元"
)
WHAT_STORAGE = Text(
    en="The storage as {T} rows of {width} cells, each with its address, from {first}.",
    zh="存储，{T} 行、每行 {width} 格，格里是地址，从 {first} 开始。",
)
REFUSED = Text(
    en="Without the copy, `z_swapped.view({shape})` really raises: {error}",
    zh="不复制就 `z_swapped.view({shape})`，torch 真的报错：{error}",
)
NOT_REFUSED = Text(
    en="Here `z_swapped.view({shape})` works without a copy: with one token or one head the "
    "transposed tensor is contiguous already.",
    zh="这里 `z_swapped.view({shape})` 不复制也行：只有一个词元或一个头时，转置后仍然连续。",
)
EVEN = Text(
    en="Here `z_swapped.view({shape})` works without a copy, although z_swapped is not contiguous: "
    "with d_k = 1 there is nothing to join, the heads alone become the width, evenly spaced.",
    zh="这里 `z_swapped.view({shape})` 不复制也行，尽管 z_swapped 并不连续："
    "d_k = 1 时没有要接起来的轴，"
    "宽度就是各个头，在内存里间隔均匀。",
)
CONCAT = Text(en="<b>concat</b>, its columns by head", zh="<b>concat</b>，各列按头标出")
WHAT_CONCAT = Text(
    en="Heatmap of concat, one row a token, the columns in {h} bands, one a head;",
    zh="concat 的热力图，每个词元一行，各列分成 {h} 段，每个头一段；",
)


def formula(scene: Scene) -> tuple[str, ...]:
    """z to z_swapped to concat."""
    s = scene.sizes
    z, swapped = under("z", s.B, s.h, s.T, s.d_k), under("z", s.B, s.T, s.h, s.d_k)
    concat = named("concat", s.B, s.T, s.h * s.d_k)
    return (
        f"{z} {arrow('transpose')} {swapped}",
        f"{swapped} {arrow('contiguous, view')} {concat}",
    )


def view(scene: Scene) -> None:
    """The storage before and after the copy, the error without it, and the concat."""
    trace, lang, s = scene.trace, scene.lang, scene.sizes
    color_by(lang)
    left, right = columns(scene, 2)
    with left:
        storage_grid(scene, "before", "z", lambda s: s.trace.z_swapped, BEFORE, WHAT_STORAGE)
    with right:
        storage_grid(scene, "after", "concat", _merged, AFTER, WHAT_STORAGE)
    shape = (s.B, s.T, s.h * s.d_k)
    error = error_of(lambda: trace.z_swapped.view(shape))
    words = {"shape": ", ".join(map(str, shape))}
    if error:
        st.markdown(REFUSED(lang, **words, error=as_code(error)))
    else:
        st.markdown((NOT_REFUSED if trace.z_swapped.is_contiguous() else EVEN)(lang, **words))
    named = {"z": trace.z, "z_swapped": trace.z_swapped, "concat": trace.concat}
    layout_table(scene, named)
    address_curve(scene, "curve", lambda s: {"z_swapped": s.trace.z_swapped, "concat": _merged(s)})
    show(scene, "concat", _concat)
    say_part(scene, s.h * s.d_k)


def _merged(scene: Scene) -> Tensor:
    """concat with its heads apart, the same storage: (batch, seq, head, d_k)."""
    return scene.trace.concat.unflatten(-1, (scene.sizes.h, scene.sizes.d_k))


def _concat(scene: Scene) -> Picture:
    panel = scene.panel("concat", CONCAT(scene.lang))
    figure = wall([panel], 1, signed(scene.colors, panel.values), scene.colors)
    what = WHAT_CONCAT(scene.lang, h=scene.sizes.h)
    return Picture(figure, describe(scene, what, panel.values), scene.shapes("concat"))


PAGE = Page(
    slug="merge",
    label=Text(en="Merge", zh="合并"),
    title=Text(en="Merge: the heads side by side", zh="合并：各头并排"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("z", "z_swapped", "concat"),
    code=(swap_back, merge_heads),
    tensors=("concat", "z_swapped", "z"),
)
