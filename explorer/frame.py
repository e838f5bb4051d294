"""The frame in which every page is shown: ledger, steps, words, figures, code and numbers."""

import ast
import inspect
from collections.abc import Callable
from functools import cache

import streamlit as st

from explorer import notices
from explorer.browser import browser
from explorer.core.tokens import V
from explorer.core.trace import axes, lookup
from explorer.numbers import numbers
from explorer.page import Page
from explorer.runs import Run
from explorer.scene import Scene
from explorer.settings import state
from explorer.text import Text

# The one colour of each size, wherever it is written.
SIZE_COLORS = {
    "batch": "gray",
    "seq": "orange",
    "query": "orange",
    "key": "orange",
    "d_model": "violet",
    "h·d_k": "violet",
    "head": "blue",
    "d_k": "green",
}
STEPS = Text(en="Steps", zh="步骤")
PREVIOUS = Text(en="Previous", zh="上一步")
NEXT = Text(en="Next", zh="下一步")
PREVIOUS_HELP = Text(en="Page Up or ←", zh="Page Up 或 ←")
NEXT_HELP = Text(en="Page Down or →", zh="Page Down 或 →")
POSITION = Text(en="{i} of {n}", zh="{i} / {n}")
UNTRAINED = Text(
    en="A teaching vocabulary of {V:,} words. Vectors and weights are random, **untrained**: the "
    "arithmetic is real, the patterns have no meaning yet.",
    zh="教学用词表，共 {V:,} 个词。向量和权重是随机的，**未经训练**：运算都是真的，"
    "图案还没有含义。",
)
CODE = Text(en="Code that ran", zh="运行的代码")
NUMBERS = Text(en="Numbers", zh="数值")


def choose(pages: tuple[Page, ...]) -> Page:
    """The page that the link names; the first where it names none that there is."""
    return next((page for page in pages if page.slug == state.raw("page")), pages[0])


def header(pages: tuple[Page, ...], page: Page, run: Run | None) -> None:
    """The ledger of sizes, the link, previous and next, and the steps."""
    lang, at = state.read("lang"), pages.index(page)
    with st.container(horizontal=True, vertical_alignment="center", key="header"):
        st.markdown(_ledger(run), width="stretch")
        browser(page.slug)
        _turn(pages, -1, "previous", PREVIOUS(lang), PREVIOUS_HELP(lang), disabled=at == 0)
        st.markdown(POSITION(lang, i=at + 1, n=len(pages)), width="content")
        last = at == len(pages) - 1
        _turn(pages, 1, "next", NEXT(lang), NEXT_HELP(lang), disabled=last)
    st.segmented_control(
        STEPS(lang),
        [page.slug for page in pages],
        format_func={page.slug: page.label(lang) for page in pages}.get,
        required=True,
        label_visibility="collapsed",
        width="stretch",
        **state.widget("page", page.slug),
    )


def _turn(
    pages: tuple[Page, ...], by: int, name: str, label: str, help_: str, disabled: bool
) -> None:
    forward = by > 0
    st.button(
        label,
        key=name,
        icon=":material/arrow_forward:" if forward else ":material/arrow_back:",
        icon_position="right" if forward else "left",
        help=help_,
        disabled=disabled,
        on_click=_go,
        args=(pages, by),
    )


def _go(pages: tuple[Page, ...], by: int) -> None:
    """Turn the page from where the reader is by now: two quick clicks turn two."""
    at = pages.index(choose(pages)) + by
    state.change(page=pages[min(max(at, 0), len(pages) - 1)].slug)


def _ledger(run: Run | None) -> str:
    config = state.config_values()
    d_model, h, d_k = (config[name] for name in ("d_model", "h", "d_k"))
    B, T = run.trace.ids.shape if run else (0, 0)
    sizes = f":gray[B **{B}**] · :orange[T **{T}**] · :violet[d_model **{d_model}**]"
    if d_k is not None:
        return f"{sizes} · :violet[h·d_k **{h * d_k}**] = :blue[h **{h}**] × :green[d_k **{d_k}**]"
    if d_model % h:
        return f"{sizes} ≠ :blue[h **{h}**] × :green[d_k]"
    return f"{sizes} = :blue[h **{h}**] × :green[d_k **{d_model // h}**]"


def widest(page: Page, run: Run) -> int:
    """The longest last axis of the tensors that a page shows."""
    shown = (lookup(run.trace, name) for name in page.tensors)
    return max((tensor.shape[-1] for tensor in shown if tensor is not None), default=0)


def show(pages: tuple[Page, ...], page: Page, scene: Scene, run: Run) -> None:
    """A page: what happens, the formula, the shapes, the figures, the code and the numbers."""
    st.markdown(page.body(scene.lang))
    if page.needs_heads and run.refusal:
        notices.refuse(run, [page.label(scene.lang) for page in pages if not page.needs_heads])
        return
    with st.container(horizontal=True, horizontal_alignment="center", gap="large"):
        for equation in page.formula(scene):
            st.latex(equation, width="content")
    st.markdown(_flow(scene, page.flow))
    page.view(scene)
    _tabs(page, scene)
    st.caption(UNTRAINED(scene.lang, V=V))


def _flow(scene: Scene, stages: tuple[str, ...]) -> str:
    """The shapes from before to after, as far as this run has them."""
    names = (
        [name for name in stage.split() if lookup(scene.trace, name) is not None]
        for stage in stages
    )
    return " → ".join(" , ".join(_shape(scene, name) for name in stage) for stage in names if stage)


def _shape(scene: Scene, name: str) -> str:
    sizes = zip(axes(name), lookup(scene.trace, name).shape, strict=True)
    return f"`{name}` (" + ", ".join(_size(axis, size) for axis, size in sizes) + ")"


def _size(axis: str, size: int) -> str:
    color = SIZE_COLORS.get(axis)
    words = "1" if axis == "1" else f"{axis} **{size}**"
    return f":{color}[{words}]" if color else words


def _tabs(page: Page, scene: Scene) -> None:
    names = {"code": CODE(scene.lang), "numbers": NUMBERS(scene.lang)}
    chosen = state.read("tab")
    tabs = st.tabs(list(names.values()), **state.tabs("tab", names))
    with tabs[list(names).index(chosen)]:
        if chosen == "code":
            st.code("\n\n".join(map(source, page.code)))
        else:
            numbers(scene, page.tensors)


@cache
def source(function: Callable) -> str:
    """The source of a function as it ran, its docstring folded away."""
    lines = inspect.getsource(function).splitlines()
    (definition,) = ast.parse("\n".join(lines)).body
    docstring = definition.body[0]
    return "\n".join(lines[: docstring.lineno - 1] + lines[docstring.end_lineno :])
