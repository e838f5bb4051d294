"""The frame in which every page is shown: words, figures, related pages, code and numbers."""

import streamlit as st

from explorer import notices
from explorer.core.source import source
from explorer.core.tokens import V
from explorer.core.trace import axes, lookup
from explorer.downloads import take_along
from explorer.header import related
from explorer.inspector import inspector
from explorer.numbers import numbers
from explorer.page import Page, sized
from explorer.runs import Run
from explorer.scene import Scene
from explorer.settings import state
from explorer.settings.actions import actions
from explorer.text import Text

UNTRAINED = Text(
    en="A teaching vocabulary of {V:,} words. Vectors and weights are random, **untrained**: the "
    "arithmetic is real, the patterns have no meaning yet.",
    zh="教学用词表，共 {V:,} 个词。向量和权重是随机的，**未经训练**：运算都是真的，"
    "图案还没有含义。",
)
LABS = Text(en="Labs: what happens when it is done otherwise", zh="实验：换个做法会怎样")
STEPS = Text(en="The steps that this lab belongs to", zh="所属步骤")
CLOSER = Text(en="A closer look", zh="细看")
CODE = Text(en="Code that ran", zh="运行的代码")
NUMBERS = Text(en="Numbers", zh="数值")
TAKE = Text(en="Take along", zh="带走")


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
    equations = page.formula(scene)
    if len(equations) == 1:
        st.latex(equations[0])
    elif equations:
        with st.container(horizontal=True, horizontal_alignment="center", gap="large"):
            for equation in equations:
                st.latex(equation, width="content")
    if page.flow:
        st.markdown(_flow(scene, page.flow))
    page.view(scene)
    _related(pages, page, scene.lang)
    _closer(page, scene, "" if page is pages[0] else "code")
    st.caption(UNTRAINED(scene.lang, V=V))
    if page.has_focus:
        inspector(pages, page, scene)


def _flow(scene: Scene, stages: tuple[str, ...]) -> str:
    """The shapes from before to after, as far as this run has them."""
    names = (
        [name for name in stage.split() if lookup(scene.trace, name) is not None]
        for stage in stages
    )
    return " → ".join(" , ".join(_shape(scene, name) for name in stage) for stage in names if stage)


def _shape(scene: Scene, name: str) -> str:
    sizes = zip(axes(name), lookup(scene.trace, name).shape, strict=True)
    return f"`{name}` (" + ", ".join(sized(axis, size) for axis, size in sizes) + ")"


def _related(pages: tuple[Page, ...], page: Page, lang: str) -> None:
    """The way from a step to its labs, or from a lab to its steps."""
    words = {
        other.slug: (other.label if page.steps else other.title)(lang)
        for other in related(pages, page)
    }
    if words:
        label = (STEPS if page.steps else LABS)(lang)
        actions("related", label, words, lambda slug: state.change(page=slug))


def _closer(page: Page, scene: Scene, first: str) -> None:
    """Code, numbers, or what can be taken along: one of them, as chosen; `first`, before one is.

    The first page begins with none of them: what draws code would keep its figures waiting.
    """
    names = {"code": CODE(scene.lang)}
    if page.tensors:
        names |= {"numbers": NUMBERS(scene.lang), "take": TAKE(scene.lang)}
    chosen = state.read("tab") if state.read("tab") in names else first
    if len(names) > 1:
        st.segmented_control(
            CLOSER(scene.lang),
            list(names),
            format_func=names.get,
            required=bool(chosen),
            label_visibility="collapsed",
            **state.widget("tab", chosen or None, names),
        )
    else:
        st.markdown(f"**{CODE(scene.lang)}**")
    if chosen == "code":
        st.code("\n\n".join(map(source, page.code)), wrap_lines=True)
    elif chosen == "numbers":
        numbers(scene, page.tensors)
    elif chosen == "take":
        take_along(scene, page)
