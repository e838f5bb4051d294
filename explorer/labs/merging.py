"""Lab: heads merged without contiguous, or without the transpose that must come first."""

import math

import streamlit as st
import torch
from torch import Tensor

from explorer.charts import say_part
from explorer.core.attention import merge_heads, project_out, swap_back
from explorer.core.checks import largest_difference
from explorer.core.memory import layout
from explorer.core.wrong import error_of
from explorer.experiments.direct_view import merge_by_transpose, merge_directly
from explorer.experiments.merging import (
    in_place,
    numbered_heads,
    reshape_merged,
    view_merged,
    ways,
)
from explorer.page import Page
from explorer.question import Question, answered
from explorer.scene import Scene
from explorer.storage import NO, YES, color_by, layout_table, merged_grid, storage_grid
from explorer.text import Text, as_code, table

BODY = Text(
    en="`concat` is `z.transpose(1, 2).contiguous().view(B, T, h·d_k)`. Each part of that line has "
    "its reason. Without `contiguous`, torch mostly objects; without `transpose`, **nobody does**. "
    "This is z before it is merged: in its storage lies one head after the other.",
    zh="`concat` 是 `z.transpose(1, 2).contiguous().view(B, T, h·d_k)`，每一段都有它的道理。"
    "少了 `contiguous`，torch 一般会报错；少了 `transpose`，**没人会说什么**。"
    "下面是拼回之前的 z：存储里一个头接一个头。",
)
QUESTION = Question(
    "merging",
    Text(
        en="The transpose is forgotten: `z.reshape({B}, {T}, {width})`. The shape is right and "
        "nothing is raised. How many of the {n} numbers are where they belong?",
        zh="忘了转置，直接写 `z.reshape({B}, {T}, {width})`：形状对，也不报错。"
        "{n} 个数里有多少放对了位置？",
    ),
    {
        "all": Text(en="all {n}", zh="全部 {n} 个"),
        "most": Text(en="half or more", zh="至少一半"),
        "few": Text(en="fewer than half", zh="不到一半"),
        "none": Text(en="none", zh="没有"),
    },
)
STORAGE = Text(en="<b>storage of z</b>: head after head", zh="<b>z 的存储</b>：一个头接一个头")
WHAT_STORAGE = Text(
    en="The storage of z as {T} rows of {width} cells, each with its address, from {first}.",
    zh="z 的存储，{T} 行、每行 {width} 格，格里是地址，从 {first} 开始。",
)
RIGHT = Text(en="<b>right</b>: transpose first", zh="<b>正确</b>：先转置")
WRONG = Text(en="<b>wrong</b>: z.reshape alone", zh="<b>错误</b>：只用 z.reshape")
MISPLACED = Text(
    en="**Without transpose, {misplaced:.1%} of the numbers are misplaced**; in place are "
    "(gcd(T−1, h−1) + 1) / (T·h) = {same:.1%}. The wrong one is the storage above, row for row, "
    "with the tokens written beside it. Its first and last d_k numbers are always right, so a "
    "look at a corner finds nothing.",
    zh="**不 transpose，{misplaced:.1%} 的数放错了位置**；放对的占 "
    "(gcd(T−1, h−1) + 1) / (T·h) = {same:.1%}。错误的那张就是上面的存储，一行不差，只是旁边写上了"
    "词元。最前和最后的 d_k 个数总是对的，所以只看一个角发现不了。",
)
AGREE = Text(
    en="With one token or one head **both give the same**: there is nothing to swap. "
    "Type a longer sentence, or choose more heads.",
    zh="只有一个词元或一个头时，**两种写法结果相同**：没有什么可交换。换一个更长的句子，"
    "或多选几个头试试。",
)
ROW = Text(
    en="The row of {token} should hold its own {h} heads. In the wrong one it holds {pieces}. "
    "W_O still takes the first d_k for head 0, and so on: the output is off by up to "
    "{difference:.3g} (its largest number is {largest:.3g}).",
    zh="{token} 那一行本该是它自己的 {h} 个头；错误的那张里却是 {pieces}。"
    "W_O 照样把前 d_k 个数当作头 0 去乘：输出最多差 {difference:.3g}"
    "（输出里最大的数是 {largest:.3g}）。",
)
PIECE = Text(en="{token} head {head}", zh="{token} 的头 {head}")
MORE = Text(en=" and {n} more", zh=" 等，另有 {n} 段")
LATER = Text(
    en="{n} of {T} rows hold numbers of a **later** token: what the causal mask hid comes back.",
    zh="{T} 行里有 {n} 行混进了**后面**词元的数：因果掩码遮住的又漏了回来。",
)
REFUSED = Text(
    en="**Without contiguous.** `z.transpose(1, 2).view({shape})` really raises: {error}",
    zh="**不 contiguous。** `z.transpose(1, 2).view({shape})` 真的报错：{error}",
)
NOT_REFUSED = Text(
    en="**Without contiguous.** Here `z.transpose(1, 2).view({shape})` works: one token, one head "
    "or d_k = 1 leaves no two axes that are unevenly spaced and have to be joined.",
    zh="**不 contiguous。** 这里 `z.transpose(1, 2).view({shape})` 不报错：只有一个词元、一个头，"
    "或 d_k = 1 时，没有间隔不均匀又要并起来的轴。",
)
COPIES = Text(
    en="`.reshape` after the transpose does not complain: it **copies by itself**. Largest "
    "difference from concat: {difference:.3g}.",
    zh="转置后改用 `.reshape` 就不报错：它会**自己复制**。与 concat 最大相差 {difference:.3g}。",
)
VIEWS = Text(
    en="`.reshape` after the transpose has nothing to copy here: it reads the storage of z. "
    "Largest difference from concat: {difference:.3g}.",
    zh="转置后用 `.reshape`，这里无须复制：读的就是 z 的存储。"
    "与 concat 最大相差 {difference:.3g}。",
)
WHO = Text(
    en="**Does every z need the copy?** z computed three ways, torch {version} on {device} "
    "(`sdpa` is `F.scaled_dot_product_attention`). q, k, v come from a split: stride `{stride}`.",
    zh="**每个 z 都要复制吗？** 同一个 z 用三种方式算（torch {version}，设备 {device}，"
    "`sdpa` 即 `F.scaled_dot_product_attention`）。q、k、v 由分头得来，步长 `{stride}`。",
)
MADE = Text(en="z made by", zh="z 的算法")
STRIDE = Text(en="stride of z", zh="z 的步长")
SWAPPED = Text(en="transposed: contiguous", zh="转置后连续")
VIEW = Text(en="then `.view`", zh="再 `.view`")
WORKS = Text(en="works", zh="可以")
ERROR = Text(en="error", zh="报错")
LESSON = Text(
    en="Where the view works, z was laid out token after token from the start. That is how one "
    "implementation happens to write it: the same line fails with another z, so keep `contiguous` "
    "or `reshape` after the transpose.",
    zh="能直接 view 的，是 z 一开始就按词元顺序存放。这只是某种实现碰巧如此，"
    "换一个 z 同一行就报错，所以转置之后还是写上 `contiguous` 或 `reshape`。",
)
ALL_WORK = Text(
    en="All three work in this run. With two heads or more, two tokens or more and d_k above 1, "
    "they do not.",
    zh="这次三种都可以。换成两个以上的头、两个以上的词元、d_k 大于 1，就不是这样了。",
)
PIECES = 4  # of a row are named


def view(scene: Scene) -> None:
    """The storage of z; then the question, and what each forgotten part does."""
    s, lang = scene.sizes, scene.lang
    color_by(lang)
    storage_grid(scene, "z", "z", lambda s: s.trace.z_swapped, STORAGE, WHAT_STORAGE)
    say_part(scene, s.h * s.d_k)
    places = numbered_heads(s.B, s.h, s.T, s.d_k)
    right, wrong = merge_by_transpose(places), merge_directly(places)
    same = in_place(right, wrong)
    share = "all" if same == 1 else "most" if same >= 0.5 else "few"
    words = {"B": s.B, "T": s.T, "width": s.h * s.d_k, "n": places.numel()}
    if answered(QUESTION, share, lang, **words):
        _without_transpose(scene, right, wrong, same)
        _without_contiguous(scene)
        _who(scene)


def _without_transpose(scene: Scene, right: Tensor, wrong: Tensor, same: float) -> None:
    item, lang, s = scene.focus.item, scene.lang, scene.sizes
    left, right_side = st.columns(2)
    with left:
        merged_grid(scene, "right", right[item], RIGHT(lang))
    with right_side:
        merged_grid(scene, "wrong", wrong[item], WRONG(lang))
    if same == 1:
        st.markdown(AGREE(lang))
        return
    formula = (math.gcd(s.T - 1, s.h - 1) + 1) / (s.T * s.h)
    st.markdown(MISPLACED(lang, misplaced=1 - same, same=formula))
    tokens = wrong[item] // s.d_k % s.T  # seq, h·d_k: whose number lies there
    heads = wrong[item] // (s.T * s.d_k) % s.h
    st.markdown(_row(scene, tokens[:, :: s.d_k], heads[:, :: s.d_k]))
    later = int((tokens > torch.arange(s.T)[:, None]).any(1).sum())
    if scene.trace.config.causal and later:
        st.markdown(LATER(lang, n=later, T=s.T))


def _row(scene: Scene, tokens: Tensor, heads: Tensor) -> str:
    """Whose pieces the row of the query in focus holds, and what W_O makes of it."""
    trace, focus, lang = scene.trace, scene.focus, scene.lang
    named = zip(tokens[focus.query].tolist(), heads[focus.query].tolist(), strict=True)
    pieces = [PIECE(lang, token=as_code(scene.token(t)), head=head) for t, head in named]
    more = MORE(lang, n=len(pieces) - PIECES) if len(pieces) > PIECES else ""
    output = project_out(merge_directly(trace.z), trace.params.W_O, trace.params.b_O)
    return ROW(
        lang,
        token=as_code(scene.token(focus.query)),
        h=scene.sizes.h,
        pieces=(", " if lang == "en" else "、").join(pieces[:PIECES]) + more,
        difference=largest_difference(output, trace.output),
        largest=float(trace.output.abs().max()),
    )


def _without_contiguous(scene: Scene) -> None:
    trace, s, lang = scene.trace, scene.sizes, scene.lang
    shape = f"{s.B}, {s.T}, {s.h * s.d_k}"
    error = error_of(lambda: view_merged(trace.z))
    st.markdown(
        REFUSED(lang, shape=shape, error=as_code(error))
        if error
        else NOT_REFUSED(lang, shape=shape)
    )
    reshaped = reshape_merged(trace.z)
    layout_table(
        scene,
        {
            "z": trace.z,
            "z.transpose(1, 2)": trace.z_swapped,
            "z.transpose(1, 2).reshape(…)": reshaped,
            "concat": trace.concat,
            "z.reshape(…)": merge_directly(trace.z),
        },
    )
    copied = layout(reshaped).storage != layout(trace.z).storage
    difference = largest_difference(reshaped, trace.concat)
    st.markdown((COPIES if copied else VIEWS)(lang, difference=difference))


def _who(scene: Scene) -> None:
    trace, lang = scene.trace, scene.lang
    words = {"version": torch.__version__.split("+")[0], "device": trace.z.device.type}
    st.markdown(WHO(lang, **words, stride=trace.q_heads.stride()))
    made = ways(trace.q_heads, trace.k_heads, trace.v_heads, trace.attn, trace.mask)
    rows = [
        (
            f"`{way.call}`",
            str(way.z.stride()),
            (YES if swap_back(way.z).is_contiguous() else NO)(lang),
            (ERROR if way.error else WORKS)(lang),
        )
        for way in made
    ]
    st.markdown(table([MADE(lang), STRIDE(lang), SWAPPED(lang), VIEW(lang)], rows))
    st.markdown((LESSON if any(way.error for way in made) else ALL_WORK)(lang))


PAGE = Page(
    slug="merging",
    label=Text(en="Merging", zh="拼回"),
    title=Text(
        en="Merging without contiguous, and without transpose",
        zh="不 contiguous、不 transpose 就拼回去",
    ),
    body=BODY,
    view=view,
    code=(swap_back, merge_heads, merge_directly, ways),
    flow=("z", "z_swapped", "concat"),
    tensors=("concat", "z"),
    steps=("merge",),
)
