"""The rest of the lab of slices: one product, or one a head, and what either costs."""

import streamlit as st

from explorer.core.checks import largest_difference
from explorer.experiments.slicing import fused, separate, time_products
from explorer.scene import Scene
from explorer.text import Text, table

LONG = 64  # tokens that the products are timed for, too

FUSED = Text(
    en="**One product, or one a head?** `x @ W_Q` and then a view gives what {h} separate products "
    "give: largest difference {difference:.3g} (0 is not promised: sums may run in another "
    "order). What differs is the time, here and now on this machine, the median of a few runs "
    "(other work may run beside them):",
    zh="**一次大乘法，还是每个头一次？** `x @ W_Q` 再 view，与 {h} 次小乘法的结果相同：最大差 "
    "{difference:.3g}（不保证为 0：求和的次序可能不同）。"
    "不同的是时间，此刻在这台机器上测几次取中位数（可能还有别的程序在跑）：",
)
TOKENS = Text(en="tokens", zh="词元数")
ONE = Text(en="one product", zh="一次大乘法")
MANY = Text(en="h = {h} products", zh="h = {h} 次小乘法")
RATIO = Text(en="ratio", zh="倍数")


def one_product(scene: Scene) -> None:
    """The largest difference between the two ways, and the time of each."""
    s, lang, x, W = scene.sizes, scene.lang, scene.trace.x, scene.trace.params.W_Q
    difference = largest_difference(fused(x, W, s.h), separate(x, W, s.h))
    st.markdown(FUSED(lang, h=s.h, difference=difference))
    rows = []
    for T in dict.fromkeys((s.T, LONG)):
        took = time_products(T, s.d_model, s.h, s.d_k)
        ratio = took.separate / took.fused
        times = f"{ratio:.1f} ×" if ratio < 10 else f"{ratio:.0f} ×"
        rows.append((f"{T}", _written(took.fused), _written(took.separate), times))
    header = [TOKENS(lang), ONE(lang), MANY(lang, h=s.h), RATIO(lang)]
    st.markdown(table(header, rows))


def _written(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"
