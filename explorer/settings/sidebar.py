"""The sidebar: the sentences, the sizes, the device, and the rest folded away."""

from collections.abc import Iterable

import streamlit as st

from explorer.core.config import CHOICES, divisors
from explorer.core.device import missing_devices
from explorer.core.limits import LIMITS
from explorer.settings import state
from explorer.settings.choose import choose
from explorer.settings.examples import examples
from explorer.settings.teaching import show_all, teaching
from explorer.text import Text, as_code

D_MODELS = (4, 8, 16, 32, 64, 128, 256, 512, 768, 1024)

SENTENCES = Text(
    en="Sentences, one a line (at most {limit})", zh="句子，每行一句（最多 {limit} 句）"
)
TOKENIZER = Text(en="Tokens are", zh="词元是")
WORDS = {
    "word": Text(en="words", zh="词"),
    "char": Text(en="characters", zh="字"),
    "causal": Text(en="causal", zh="因果"),
    "none": Text(en="none", zh="无"),
    "default": Text(en="PyTorch default", zh="PyTorch 默认"),
    "xavier": Text(en="Xavier", zh="Xavier"),
    "kaiming": Text(en="Kaiming, a=0.1", zh="Kaiming，a=0.1"),
}
SIZE_HELP = Text(
    en="Choose one or type any whole number up to {limit}.",
    zh="选一个，或输入不超过 {limit} 的整数。",
)
H_HELP = Text(
    en="Listed are the divisors of d_model. Type another to see why it has to divide.",
    zh="列出的是 d_model 的约数。输入别的数，看看为什么必须整除。",
)
DEVICE = Text(en="Device", zh="设备")
ABSENT = Text(en="{device} (not here)", zh="{device}（本机没有）")
WHY_ABSENT = Text(en="{device} on this machine:", zh="本机的 {device}：")
MORE = Text(en="More settings", zh="更多设置")
SEED = Text(en="seed of the random weights", zh="随机权重的种子")
INIT = Text(en="weights start as", zh="权重初始化")
MASK = Text(en="mask", zh="掩码")
BIAS = Text(en="bias b_Q b_K b_V b_O", zh="偏置 b_Q b_K b_V b_O")
POSITIONS = Text(en="add positions", zh="加上位置编码")
SCALE = Text(en="embedding × √d_model", zh="嵌入 × √d_model")
D_K = Text(en="d_k (empty: d_model / h)", zh="d_k（留空：d_model / h）")
LANGUAGE = Text(en="语言 / Language", zh="语言 / Language")


def sidebar() -> None:
    """Show every control of a run that the link does not hide; the state has the values of all."""
    lang, hidden = state.read("lang"), state.read("hide")
    with st.sidebar:
        for name, show in CONTROLS.items():
            if name not in hidden:
                show(lang)
        show_all(lang)


def _language(lang: str) -> None:
    st.segmented_control(
        LANGUAGE(lang),
        ("zh", "en"),
        format_func={"zh": "中文", "en": "English"}.get,
        required=True,
        **state.widget("lang", lang),
    )


def _sentences(lang: str) -> None:
    st.text_area(
        SENTENCES(lang, limit=LIMITS.sentences),
        height=110,
        **state.widget("sentences", state.raw("sentences")),
    )


def _tokenizer(lang: str) -> None:
    _choice("tokenizer", TOKENIZER(lang))


def _sizes(lang: str) -> None:
    """d_model and h, side by side."""
    sizes = {
        "d_model": (D_MODELS, LIMITS.d_model, SIZE_HELP(lang, limit=LIMITS.d_model)),
        "h": (divisors(state.read("d_model")), LIMITS.h, H_HELP(lang)),
    }
    shown = [name for name in sizes if name not in state.read("hide")]
    for name, column in zip(shown, st.columns(len(shown)) if shown else (), strict=True):
        with column:
            _size(name, *sizes[name])


def _more(lang: str) -> None:
    more = st.expander(MORE(lang), **state.widget("more", state.read("more")))
    if more.open:
        with more:
            for name, (show, label) in FOLDED.items():
                if name not in state.read("hide"):
                    show(name, label(lang))
            teaching(lang)


def _choice(name: str, label: str) -> None:
    choose(name, label, {word: WORDS[word](state.read("lang")) for word in CHOICES[name]})


def _toggle(name: str, label: str) -> None:
    st.toggle(label, **state.widget(name, state.read(name)))


def _typed(name: str, label: str) -> None:
    st.text_input(label, **state.widget(name, state.raw(name)))


def _size(name: str, listed: Iterable[int], limit: int, help_: str) -> None:
    typed = state.raw(name)
    within = (str(size) for size in listed if size <= limit)
    options = dict.fromkeys([*within, typed])  # a size that was typed stays to be seen
    st.selectbox(
        name,
        list(options),
        accept_new_options=True,
        help=help_,
        **state.widget(name, typed),
    )


def _device(lang: str) -> None:
    missing = missing_devices()
    why = (
        f"{WHY_ABSENT(lang, device=device)} {as_code(reason)}" for device, reason in missing.items()
    )
    st.segmented_control(
        DEVICE(lang),
        CHOICES["device"],
        format_func=lambda name: ABSENT(lang, device=name) if name in missing else name,
        required=True,
        help="\n\n".join(why) or None,
        **state.widget("device", state.read("device")),
    )


CONTROLS = {
    "lang": _language,
    "sentences": _sentences,
    "examples": examples,
    "tokenizer": _tokenizer,
    "sizes": _sizes,
    "device": _device,
    "more": _more,
}
FOLDED = {
    "mask": (_choice, MASK),
    "init": (_choice, INIT),
    "positions": (_toggle, POSITIONS),
    "scale_embedding": (_toggle, SCALE),
    "bias": (_toggle, BIAS),
    "seed": (_typed, SEED),
    "d_k": (_typed, D_K),
}
