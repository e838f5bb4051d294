"""Tests of explorer.core, and the random runs that several of them draw."""

from hypothesis import settings
from hypothesis import strategies as st

from explorer.core import Config


def runs(count: int) -> settings:
    """So many random examples, none of them timed: the first one loads and fills caches."""
    return settings(max_examples=count, deadline=None)


@st.composite
def configs(draw, own_d_k: bool = True) -> Config:
    """Small runs of every kind: one or several sentences, all choices, d_k set apart or not."""
    h = draw(st.integers(1, 4))
    d_k = draw(st.integers(1, 5))
    apart = own_d_k and draw(st.booleans())
    text = st.text("我爱深度学习AI 3。👍", min_size=1, max_size=9).filter(str.strip)
    return Config(
        sentences=tuple(draw(st.lists(text, min_size=1, max_size=3))),
        tokenizer=draw(st.sampled_from(["word", "char"])),
        d_model=draw(st.integers(1, 12)) if apart else h * d_k,
        h=h,
        d_k=d_k if apart else None,
        mask=draw(st.sampled_from(["causal", "none"])),
        init=draw(st.sampled_from(["default", "xavier", "kaiming"])),
        bias=draw(st.booleans()),
        positions=draw(st.booleans()),
        scale_embedding=draw(st.booleans()),
        seed=draw(st.integers(0, 2**40)),
    )
