"""What a teacher's link does beside its settings: it hides controls, it opens large."""

import streamlit as st

from explorer.settings import state
from explorer.settings.parameters import HIDEABLE
from explorer.text import Text

FOR_A_CLASS = Text(
    en="**A link for a class.** What is hidden keeps its value. “Copy link” takes all of it along.",
    zh="**发给学生的链接。** 隐藏的项保持现在的值。“复制链接”会把这些一起带上。",
)
HIDE = Text(en="hide these controls", zh="隐藏这些控件")
NONE = Text(en="none hidden", zh="不隐藏")
PRESENT = Text(
    en="presentation mode: large type, no sidebar at the start",
    zh="演示模式：大字，打开时收起侧栏",
)
SHOW_ALL = Text(en="Show what this link hides ({n})", zh="显示此链接隐藏的项（{n}）")
NAMES = {
    "lang": Text(en="language", zh="语言"),
    "sentences": Text(en="sentences", zh="句子"),
    "examples": Text(en="examples", zh="例句"),
    "tokenizer": Text(en="tokens are", zh="词元是"),
    "device": Text(en="device", zh="设备"),
    "more": Text(en="More settings", zh="更多设置"),
    "mask": Text(en="mask", zh="掩码"),
    "init": Text(en="weights start as", zh="权重初始化"),
    "positions": Text(en="positions", zh="位置编码"),
    "scale_embedding": Text(en="embedding × √d_model", zh="嵌入 × √d_model"),
    "bias": Text(en="bias", zh="偏置"),
    "seed": Text(en="seed", zh="种子"),
    "pin": Text(en="pin this run", zh="固定这次运行"),
    "item": Text(en="batch item", zh="批次中的句子"),
    "head": Text(en="head", zh="头"),
    "query": Text(en="query token", zh="查询词元"),
    "key": Text(en="key token", zh="键词元"),
    "window": Text(en="columns shown", zh="显示的列"),
    **{name: Text(en=name, zh=name) for name in ("d_model", "h", "d_k")},
}


def teaching(lang: str) -> None:
    """Show what makes a link for a class."""
    words = [NAMES[name](lang) for name in HIDEABLE]
    st.markdown(FOR_A_CLASS(lang))
    st.multiselect(
        HIDE(lang),
        HIDEABLE,
        format_func=lambda name: NAMES[name](lang),
        placeholder=NONE(lang),
        select_all=False,
        **state.widget("hide", list(state.read("hide")), words),
    )
    st.toggle(PRESENT(lang), **state.widget("present", state.read("present")))


def show_all(lang: str) -> None:
    """Where controls are hidden, a way back: “More settings” may be among them."""
    hidden = state.read("hide")
    if hidden:
        words, none = SHOW_ALL(lang, n=len(hidden)), {"hide": ""}
        st.button(words, key="show-all", type="tertiary", on_click=state.change, kwargs=none)
