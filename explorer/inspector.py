"""At the foot of a page: any number of the run, where it came from and what it feeds."""

import streamlit as st

from explorer.core.explain import Element, element, explain
from explorer.core.lineage import fed_by
from explorer.core.memory import address
from explorer.core.tokens import visible
from explorer.core.trace import PARAM_AXES, axes, lookup, tensors
from explorer.equation import equation, number
from explorer.page import Page
from explorer.scene import TOKEN_AXES, Scene
from explorer.settings import state
from explorer.settings.actions import actions
from explorer.settings.parameters import WINDOW
from explorer.settings.pick import follow, pick, text
from explorer.text import Text, shorten

ASK = Text(
    en="Click on any number of a figure, or choose a tensor here: where did it come from?",
    zh="点一下图里的任何一个数，或在这里选一个张量：它是从哪里来的？",
)
TENSOR = Text(en="tensor", zh="张量")
ADDRESS = Text(en=" (address {address})", zh="（地址 {address}）")
MADE = Text(en="made from", zh="来自")
FEEDS = Text(en="feeds", zh="用于")
NOTHING = Text(en="nothing further in this layer", zh="本层之内没有下一步")
SOURCE = Text(en="nothing: it starts here", zh="没有来处：从这里开始")
LEGEND = Text(
    en="In the figures: thick frame, this number · dashed, what it is made from · dotted, what it "
    "feeds.",
    zh="图中：粗框是这个数，虚线框是它的来源，点线框是用到它的地方。",
)
SHOW = Text(en="see it in: {page}", zh="去看：{page}")
CLOSE = Text(en="Close", zh="关闭")
SAID = 12  # characters of a token in a list


def inspector(pages: tuple[Page, ...], page: Page, scene: Scene) -> None:
    """Show the picked number: its equation, and one press away its operands and what it feeds."""
    if scene.pick is None:
        _choose(scene, None)
        return
    with st.container(key="inspector", gap="xsmall"):
        it = explain(scene.trace, scene.pick.name, scene.pick.index)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            _choose(scene, scene.pick)
            _axes(scene, scene.pick)
            _lead(pages, page, scene)
            st.button(CLOSE(scene.lang), key="close", on_click=pick, args=("",), type="tertiary")
        tensor = lookup(scene.trace, it.element.name)
        where = ADDRESS(scene.lang, address=address(tensor, it.element.index))
        value = f"**`{label(it.element)}` = {number(it.element.value)}**"
        st.markdown(f"{value}{equation(scene.trace, it, scene.lang)}{where}")
        made = dict.fromkeys(factor for term in it.terms for factor in term.factors)
        if it.how == "scaled":  # its own operand stands before the products which that is made of
            made = {element(scene.trace, "raw_scores", it.element.index): None} | made
        _operands("made", MADE(scene.lang), list(made), SOURCE(scene.lang))
        _operands("feeds", FEEDS(scene.lang), _fed(scene), NOTHING(scene.lang))
        st.caption(LEGEND(scene.lang))


def label(it: Element) -> str:
    """An element in short: its name and index."""
    return f"{it.name}[{', '.join(map(str, it.index))}]"


def _choose(scene: Scene, picked: Element | None) -> None:
    """The tensor, by a select box; of another one the element in focus is picked."""
    names = [n for n in (*tensors(), *PARAM_AXES) if lookup(scene.trace, n) is not None]
    st.selectbox(
        TENSOR(scene.lang) if picked else ASK(scene.lang),
        names,
        index=None,
        placeholder=TENSOR(scene.lang),
        width=160 if picked else 560,
        filter_mode=None,
        **state.widget(
            "pick",
            picked and picked.name,
            names,
            lambda name: text(name, _focused(scene, name)) if name else "",
            follow,
            "tensor",
        ),
    )


def _focused(scene: Scene, name: str) -> tuple[int, ...]:
    """The index into a tensor that the focus bar points at."""
    focus, d_k = scene.focus, scene.sizes.d_k
    query = focus.query
    at = {"batch": focus.item, "head": focus.head, "seq": query, "query": query, "key": focus.key}
    at["id"] = int(scene.trace.ids[focus.item, query])
    if d_k:
        at["h·d_k"] = focus.head * d_k
    return tuple(at.get(axis, 0) for axis in axes(name))


def _axes(scene: Scene, picked: Element) -> None:
    """A select box for every axis; a field for those that are too long for one."""
    names, shape = axes(picked.name), lookup(scene.trace, picked.name).shape
    for i, (axis, size) in enumerate(zip(names, shape, strict=True)):
        if size == 1:
            continue
        words = _words(scene, picked, axis, size)
        bound = state.widget(
            "pick",
            picked.index[i],
            [picked.name, *words],
            lambda at, i=i: text(picked.name, (*picked.index[:i], at, *picked.index[i + 1 :])),
            follow,
            axis,
        )
        if words:
            st.selectbox(
                axis,
                range(size),
                format_func=words.__getitem__,
                width=110,
                filter_mode=None,
                **bound,
            )
        else:
            st.number_input(axis, 0, size - 1, width=130, **bound)


def _words(scene: Scene, picked: Element, axis: str, size: int) -> list[str]:
    """What the indices of an axis are called; nothing where they are too many for a list."""
    if size > WINDOW:
        return []
    if axis in TOKEN_AXES:
        at = dict(zip(axes(picked.name), picked.index, strict=True))
        tokens = scene.trace.tokens[at.get("batch", scene.focus.item)]
        return [f"{i} · {shorten(visible(token), SAID)}" for i, token in enumerate(tokens)]
    return list(map(str, range(size)))


def _lead(pages: tuple[Page, ...], page: Page, scene: Scene) -> None:
    """A button to the step that shows the picked tensor, if this page does not."""
    name = scene.pick.name
    shows = [
        other
        for other in pages[1:]
        if name in (*other.tensors, *" ".join(other.flow).split()) and not other.steps
    ]  # the first tells only shapes
    if shows and page not in shows:
        to = shows[0]
        words = SHOW(scene.lang, page=to.label(scene.lang))
        change = {"page": to.slug}
        st.button(words, key="lead", on_click=state.change, kwargs=change, type="tertiary")


def _operands(key: str, words: str, elements: list[Element], none: str) -> None:
    """Elements in a row, each of which opens its own trace."""
    if elements:
        said = {text(it.name, it.index): f"`{label(it)}` {number(it.value)}" for it in elements}
        actions(key, words, said, pick)
    else:
        st.markdown(f"{words}: {none}")


def _fed(scene: Scene) -> list[Element]:
    """One element of each tensor that the picked number is a direct operand of."""
    found = fed_by(scene.trace, scene.pick.name, scene.pick.index)
    return [
        element(scene.trace, name, tuple(map(_nearest, box, _focused(scene, name))))
        for name, box in found.items()
    ]


def _nearest(some: frozenset[int] | None, focused: int) -> int:
    return focused if some is None or focused in some else min(some)
