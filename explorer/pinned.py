"""The pinned run: the button that pins one, what differs from it, and the scene it is seen in."""

from dataclasses import replace

import streamlit as st

from explorer import runs
from explorer.core import Config, NoTokens
from explorer.runs import Run, TooLarge
from explorer.scene import AXIS_WORDS, Scene
from explorer.settings import state
from explorer.settings.focus import Focus, focus_of
from explorer.settings.parameters import CONFIG_FIELDS
from explorer.settings.pin import pin_text
from explorer.settings.sidebar import WORDS
from explorer.settings.teaching import NAMES
from explorer.text import Text, as_code, shorten

PIN = Text(en="Pin this run", zh="固定这次运行")
UNPIN = Text(en="Unpin", zh="取消固定")
HELP = Text(
    en="Then change something: the steps show every figure beside the one of the pinned run.",
    zh="然后改动设置：各步骤的每张图都会与固定的那次并排显示。",
)
UNCHANGED = Text(
    en="This run is pinned. Change something, and every figure stands beside the one of now.",
    zh="这次运行已固定。改动任何设置，每张图都会与现在的并排显示。",
)
DIFFERS = Text(
    en="**Pinned**: {pinned} · **now**: {now}", zh="**固定的**：{pinned} · **现在**：{now}"
)
ELSEWHERE = Text(
    en="What is in focus is not in the pinned run; of that, the nearest is shown: {nearest}.",
    zh="焦点在固定的运行里不存在，那边显示最接近的：{nearest}。",
)
REFUSED = Text(
    en="The pinned run cannot be computed ({why}), so nothing is compared.",
    zh="固定的运行算不出来（{why}），所以无从比较。",
)
INDIVISIBLE = Text(
    en="h = {h} does not divide d_model = {d_model}", zh="h = {h} 不能整除 d_model = {d_model}"
)
TOO_LARGE = Text(en="{name} = {size:,}, at most {limit:,}", zh="{name} = {size:,}，上限 {limit:,}")
EMPTY = Text(en="its sentences are blank", zh="句子是空的")
SWITCH = {True: Text(en="on", zh="开"), False: Text(en="off", zh="关")}
FOCUSED = {"item": "batch", "head": "head", "query": "query", "key": "key"}


def button(config: Config) -> None:
    """Show, at the end of the sidebar, the button that pins a run, or the one that ends that."""
    lang, text = state.read("lang"), state.raw("pin")
    if "pin" in state.read("hide"):
        return
    st.sidebar.button(
        (UNPIN if text else PIN)(lang),
        key="unpin" if text else "pin",
        icon=":material/keep_off:" if text else ":material/keep:",
        help=HELP(lang),
        on_click=state.change,
        kwargs={"pin": "" if text else pin_text(config)},
    )


def beside_pinned(scene: Scene) -> Scene:
    """The scene beside that of the pinned run, if there is one that differs; say in what."""
    config, lang = state.read("pin"), scene.lang
    if not config:
        return scene
    try:
        run = runs.run(config)
    except NoTokens:
        run = None
    if run is None or run.refusal:
        st.warning(REFUSED(lang, why=_why(run, lang)))
        return scene
    both = run.trace.config, scene.trace.config
    differing = [name for name in CONFIG_FIELDS if len({getattr(it, name) for it in both}) > 1]
    if not differing:
        st.info(UNCHANGED(lang))
        return scene
    before, now = (", ".join(_said(config, name, lang) for name in differing) for config in both)
    st.info(DIFFERS(lang, pinned=before, now=now))
    pinned = replace(scene, trace=run.trace, focus=focus_of(run.trace), pick=None)
    _say_focus(scene.focus, pinned.focus, lang)
    return replace(scene, pinned=pinned)


def _why(run: Run | None, lang: str) -> str:
    if run is None:
        return EMPTY(lang)
    refusal = run.refusal
    return (TOO_LARGE if isinstance(refusal, TooLarge) else INDIVISIBLE)(lang, **vars(refusal))


def _said(config: Config, name: str, lang: str) -> str:
    value = getattr(config, name)
    if name == "sentences":
        value = as_code(shorten(" / ".join(value), 40))
    elif isinstance(value, bool):
        value = SWITCH[value](lang)
    elif value is None:
        value = "d_model / h"
    elif value in WORDS:
        value = WORDS[value](lang)
    return f"{NAMES[name](lang)} {value}"


def _say_focus(now: Focus, pinned: Focus, lang: str) -> None:
    moved = [name for name in FOCUSED if getattr(now, name) != getattr(pinned, name)]
    if moved:
        nearest = (f"{AXIS_WORDS[FOCUSED[name]](lang)} {getattr(pinned, name)}" for name in moved)
        st.caption(ELSEWHERE(lang, nearest=", ".join(nearest)))
