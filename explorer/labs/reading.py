"""Lab: a tensor under view, transpose and their like: what moves, what only reads anew."""

import streamlit as st
from torch import Tensor

from explorer.core.memory import addresses, layout
from explorer.experiments.reading import (
    MAX_AXES,
    MAX_CELLS,
    MAX_OPS,
    Operation,
    Step,
    apply,
    follow,
    merges,
    numbered,
    offers,
    parse,
)
from explorer.page import Page
from explorer.question import SKIP, Question, answered
from explorer.scene import Scene
from explorer.settings import state
from explorer.small_tensor import grid_and_storage, listed
from explorer.storage import NO, YES, layout_table, unbroken
from explorer.text import Text, as_code, table

BODY = Text(
    en="A tensor is a row of cells, its **storage**, and a way to read it: shape, stride, offset. "
    "`stride[i]` says how many cells one step along axis i jumps. Most operations only change the "
    "way of reading; some have to copy; some torch refuses. Choose operations, and say what "
    "comes out before you look.",
    zh="张量 = 一排格子（**存储**）+ 一种读法（形状、步长、偏移）。"
    "`stride[i]` 是沿第 i 轴走一步要跳几格。多数操作只换读法，有的不得不复制，有的 torch "
    "拒绝做。选几个操作，先猜结果再看。",
)
QUESTION = Question(
    "reading",
    Text(
        en="Which **stride** does the tensor have after `{op}`, or does torch raise an `error`? "
        "Before it, the shape is `{shape}` and the stride `{stride}`.",
        zh="做完 `{op}`，张量的**步长 stride** 是多少？还是会报错（`error`）？"
        "之前的形状是 `{shape}`，步长是 `{stride}`。",
    ),
)
SHAPE = Text(en="shape of x", zh="x 的形状")
OPS = Text(en="operations, separated by ; (at most {n})", zh="操作，用 ; 隔开（最多 {n} 个）")
TRY = Text(en="**Worth a try**", zh="**值得一试**")
ADD = Text(en="**Add** an operation to the chain {chain}", zh="在 {chain} 后面**再加**一个操作")
BACK = Text(en="remove the last", zh="去掉最后一个")
OVER = Text(en="start over", zh="从头来")
EXAMPLES = {
    "2,3|transpose(0, 1); view(6)": Text(en="view after transpose", zh="转置后 view"),
    "4,2|transpose(0, 1); view(2, 2, 2)": Text(
        en="view that splits after transpose", zh="转置后用 view 拆轴"
    ),
    "2,4|[:, ::2]; view(4)": Text(en="every second column, flattened", zh="隔列取数再展平"),
    "2,3|expand(2, 2, 3)": Text(en="expand", zh="expand 扩展"),
}
NOT_UNDERSTOOD = Text(
    en="Not understood: {received}. Expected is `view`, `reshape`, `permute`, `expand`, "
    "`transpose`, `contiguous` or slices, with whole numbers up to 999, for example `{example}`.",
    zh="看不懂：{received}。可以写 `view`、`reshape`、`permute`、`expand`、`transpose`、"
    "`contiguous` 或切片，里面是不超过 999 的整数，例如 `{example}`。",
)
EXAMPLE = "transpose(0, 1); view(3, 2); [:, ::2]"
TOO_LARGE = Text(
    en="Left out: `{op}`. The result must have 1 to {cells} cells and at most {axes} axes to be "
    "shown.",
    zh="没有执行：`{op}`。结果要有 1 到 {cells} 个格子、最多 {axes} 个轴，这里才画得下。",
)
TOO_MANY = Text(
    en="Only the first {n} operations are run; left out: `{op}`.",
    zh="只执行前 {n} 个操作；没有执行：`{op}`。",
)
NOTHING = Text(en="No operation yet: add one above.", zh="还没有操作：在上面加一个。")
RAISED = Text(
    en="Operation {i}, `{op}`, on shape `{shape}`, stride `{stride}`: torch raises {error} "
    "The tensor stays as it was.",
    zh="第 {i} 个操作：对形状 `{shape}`、步长 `{stride}` 做 `{op}`，torch 报错：{error} "
    "张量保持原样。",
)
COPIED = Text(
    en="`{op}` **copied**: {n} cells of a new storage, written in the order they were read.",
    zh="`{op}` **复制了**：新开一块 {n} 格的存储，按读的顺序写进去。",
)
KEPT = Text(
    en="`{op}` **moved nothing**: the same storage, read with stride `{stride}`. "
    "The numbers are read at the addresses {order}.",
    zh="`{op}` **什么都没搬**：还是那块存储，只是按步长 `{stride}` 去读，依次读地址 {order}。",
)
MERGES = Text(
    en="**Which axes could `view` join next?** Two neighbours, if stepping off the end of the "
    "inner axis is one step of the outer: stride[i] = stride[i+1] × size[i+1]. "
    "Splitting an axis always works.",
    zh="**接下来 `view` 能把哪些轴并起来？** 相邻两轴，若内轴走到头再走一步正好等于外轴走一步："
    "stride[i] = stride[i+1] × size[i+1]。拆开一个轴则总是可以。",
)
PAIR = Text(en="axes", zh="轴")
JOINS = Text(en="view joins them", zh="view 能并")
FREE = Text(en="yes (an axis of size 1 is never stepped along)", zh="能（长度 1 的轴不用走）")
ONE_AXIS = Text(
    en="One axis is left: there is nothing to join, and `view` can split it any way.",
    zh="只剩一个轴：没有可并的，`view` 怎么拆都行。",
)
LISTED = 12  # addresses in a sentence; the picture beside it has them all


def view(scene: Scene) -> None:
    """x and its storage, a chain of operations on it, and what the last one does."""
    lang = scene.lang
    _inputs(lang)
    x = numbered(state.read("shape"))
    operations, unknown = parse(state.raw("ops"))
    steps, refused = follow(x, operations[:MAX_OPS])
    _say_left_out(lang, unknown, refused, operations[MAX_OPS:])
    grid_and_storage(scene, "x", "x", x)
    _buttons(lang, steps, x)
    if not steps:
        st.markdown(NOTHING(lang))
        return
    last = steps[-1]
    words = _before(last)
    right = "error" if last.error else str(last.after.stride())
    if answered(QUESTION, right, lang, **words):
        _answer(scene, x, steps)


def _before(step: Step) -> dict[str, object]:
    before = step.before
    shape, stride = unbroken(tuple(before.shape)), unbroken(before.stride())
    return {"op": step.operation, "shape": shape, "stride": stride}


def _inputs(lang: str) -> None:
    with st.container(horizontal=True):
        st.text_input(
            SHAPE(lang), max_chars=20, width=160, **state.widget("shape", state.raw("shape"))
        )
        st.text_input(OPS(lang, n=MAX_OPS), max_chars=200, **state.widget("ops", state.raw("ops")))
    st.markdown(TRY(lang))
    with st.container(horizontal=True, gap="small"):
        for i, (example, words) in enumerate(EXAMPLES.items()):
            shape, ops = example.split("|")
            _button(words(lang), f"example-{i}", shape=shape, ops=ops)


def _button(words: str, key: str, **change: str) -> None:
    """A button that changes the chain: a guess about the one before does not count for it."""
    if state.read("guess")[1] != SKIP:
        change["guess"] = ""
    st.button(words, key=key, on_click=state.change, kwargs=change)


def _buttons(lang: str, steps: list[Step], x: Tensor) -> None:
    chain = [str(step.operation) for step in steps]
    last = steps[-1].after if steps else x
    st.markdown(ADD(lang, chain=f"`{'; '.join(['x', *chain])}`"))
    with st.container(horizontal=True, gap="small"):
        if len(chain) < MAX_OPS:
            for operation in offers(last):
                _button(
                    f"`{operation}`", f"add-{operation}", ops="; ".join([*chain, str(operation)])
                )
        if chain:
            _button(BACK(lang), "back", ops="; ".join(chain[:-1]))
            _button(OVER(lang), "over", ops="")


def _say_left_out(
    lang: str, unknown: list[str], refused: list[Operation], more: list[Operation]
) -> None:
    for piece in unknown:
        st.warning(NOT_UNDERSTOOD(lang, received=as_code(piece), example=EXAMPLE))
    for operation in refused:
        st.warning(TOO_LARGE(lang, op=operation, cells=MAX_CELLS, axes=MAX_AXES))
    if more:
        st.warning(TOO_MANY(lang, n=MAX_OPS, op="; ".join(map(str, more))))


def _answer(scene: Scene, x: Tensor, steps: list[Step]) -> None:
    lang, last, done = scene.lang, steps[-1], {"x": x}
    for i, step in enumerate(steps, 1):
        if step.error:
            st.markdown(RAISED(lang, **_before(step), i=i, error=as_code(step.error)))
        else:
            done[f"{i}. {step.operation}"] = step.after
    if not last.error:
        _say(lang, last)
    if len(done) > 1:
        grid_and_storage(scene, "result", list(done)[-1], last.after)
    layout_table(scene, done)
    _merges(lang, last.after)


def _say(lang: str, last: Step) -> None:
    op, after = last.operation, last.after
    if layout(after).storage != layout(last.before).storage:
        st.markdown(COPIED(lang, op=op, n=after.numel()))
    else:
        order = addresses(after).flatten().tolist()
        first = listed(order[:LISTED]) + (", …" if len(order) > LISTED else "")
        st.markdown(KEPT(lang, op=op, stride=unbroken(after.stride()), order=first))


def _merges(lang: str, x: Tensor) -> None:
    if x.dim() == 1:
        st.markdown(ONE_AXIS(lang))
        return
    rows = []
    for pair in merges(x):
        i, product_ = pair.axis, pair.inner_stride * pair.inner_size
        verdict = (YES if pair.even else FREE) if pair.possible else NO
        needed = f"{pair.inner_stride} × {pair.inner_size} = {product_}"
        rows.append((f"{i}, {i + 1}", str(pair.stride), needed, verdict(lang)))
    st.markdown(MERGES(lang))
    header = [PAIR(lang), "stride[i]", "stride[i+1] × size[i+1]", JOINS(lang)]
    st.markdown(table(header, rows))


PAGE = Page(
    slug="reading",
    label=Text(en="Reading", zh="读法"),
    title=Text(en="Reading without moving", zh="只换读法，不动数据"),
    body=BODY,
    view=view,
    code=(apply, merges, addresses),
    needs_heads=False,
    has_focus=False,
    steps=("split",),
)
