"""The heads of the softmax page: in which order, and which of them."""

import streamlit as st

from explorer.charts import say_which_heads
from explorer.core.heads import distance_from_uniform, mean_entropy, of_real_queries
from explorer.scene import HEADS, Scene
from explorer.settings import state
from explorer.settings.choose import choose
from explorer.text import Text

ORDER = Text(en="Heads sorted by", zh="各头按什么排序")
ORDERS = {
    "number": Text(en="number", zh="编号"),
    "entropy": Text(en="mean entropy", zh="平均熵"),
    "uniform": Text(en="distance from uniform", zh="离均匀有多远"),
}
VALUE = {
    "entropy": Text(en="{head} · {value:.3f} nats", zh="{head} · {value:.3f} 奈特"),
    "uniform": Text(en="{head} · {value:.3f}", zh="{head} · {value:.3f}"),
}
DEFINED = {
    "entropy": Text(
        en="The entropy of a row of attn is −Σ a · ln a: 0 where one key gets everything, ln n "
        "where n keys get the same. In the titles: its mean over the queries. The sharpest head "
        "comes first.{padding}",
        zh="attn 一行的熵是 −Σ a · ln a：全给一个键时为 0，平分给 n 个键时为 ln n。"
        "标题里是它对各查询的平均。最集中的头排在最前。{padding}",
    ),
    "uniform": Text(
        en="The distance of a row of attn from uniform is ½ Σ |a − 1/n| over the n keys that the "
        "query may see (total variation): the share that would have to move to make the row even, "
        "0 where it is. In the titles: its mean over the queries. The sharpest head comes "
        "first.{padding}",
        zh="attn 一行离均匀的距离是 ½ Σ |a − 1/n|，对该查询看得到的 n 个键求和（全变差）："
        "要挪动多少份额才能摊平这一行，已经平了就是 0。标题里是它对各查询的平均。"
        "最集中的头排在最前。{padding}",
    ),
}
PADDING = Text(
    en=" The {n} queries that are padding are left out: no token asks them.",
    zh="填充的 {n} 个查询不算在内：它们不是任何词元在问。",
)
SOME = Text(
    en="In this order these are places {first} to {last} of {h} heads, those around head {head}; "
    "choose another head above to see its neighbours.",
    zh="这是此顺序下 {h} 个头中的第 {first} 到第 {last} 位，头 {head} 就在其中；"
    "在上方选别的头，就显示它附近的头。",
)


def choose_order(lang: str) -> None:
    """Let the reader sort the heads."""
    choose("order", ORDER(lang), {name: text(lang) for name, text in ORDERS.items()})


def shown_heads(scene: Scene) -> list[int]:
    """The heads in the order chosen: all, or the eight around the one in focus."""
    heads = _sorted(scene)
    first = heads.index(scene.focus.head) // HEADS * HEADS
    return heads[first : first + HEADS]


def titles(scene: Scene, heads: list[int]) -> list[str]:
    """What the panels of heads are called: with the value that they are sorted by."""
    names, order = map(scene.head_title, heads), state.read("order")
    if order == "number":
        return list(names)
    values = _values(scene)
    return [
        VALUE[order](scene.lang, head=name, value=values[head])
        for name, head in zip(names, heads, strict=True)
    ]


def say_order(scene: Scene) -> None:
    """Say what the heads are sorted by, and which of them are shown."""
    order, lang = state.read("order"), scene.lang
    if order == "number":
        say_which_heads(scene)
        return
    padding = int((scene.trace.ids[scene.focus.item] == 0).sum())
    st.caption(DEFINED[order](lang, padding=PADDING(lang, n=padding) if padding else ""))
    if scene.sizes.h > HEADS:
        first = _sorted(scene).index(scene.focus.head) // HEADS * HEADS
        last = min(first + HEADS, scene.sizes.h)
        words = {"first": first + 1, "last": last, "h": scene.sizes.h, "head": scene.focus.head}
        st.caption(SOME(lang, **words))


def _sorted(scene: Scene) -> list[int]:
    values, order = _values(scene), state.read("order")
    return sorted(range(len(values)), key=values.__getitem__, reverse=order == "uniform")


def _values(scene: Scene) -> list[float]:
    """What each head is sorted by: its number, or how it looks at the sentence in focus."""
    trace, item, order = scene.trace, scene.focus.item, state.read("order")
    if order == "number":
        return list(range(scene.sizes.h))
    attn, seen = of_real_queries(trace.attn[item], trace.mask[item, 0], trace.ids[item])
    found = mean_entropy(attn) if order == "entropy" else distance_from_uniform(attn, seen)
    return found.tolist()
