"""The rest of the lab of order: does adding positions spoil the embedding?"""

import streamlit as st
import torch

from explorer.charts import chart
from explorer.core.tokens import V, token_id
from explorer.experiments.order import turn
from explorer.labs.token_grid import token_grid, token_label, wide_columns
from explorer.scene import Scene
from explorer.text import Text, spoken

COST = Text(
    en="**Does adding positions spoil the embedding?** It turns each vector by an angle. ✓: of "
    "all {V:,} embeddings, x still points most nearly to its own: so it does for **{plain} of "
    "{T}** tokens, and for **{scaled} of {T}** once the embedding is multiplied by √d_model = "
    "{root:.3g} first, as in the paper, and positions weigh less. A larger d_model leaves more "
    "room.",
    zh="**加上位置会破坏词嵌入吗？** 每个向量会转过一个角度。✓：在全部 {V:,} 个嵌入里，"
    "x 的方向仍离自己的那个最近。{T} 个词元里有 **{plain}** 个如此；"
    "像论文那样先把嵌入乘以 √d_model = {root:.3g}，则有 **{scaled}** 个：位置的分量变轻了。"
    "d_model 越大，余地越大。",
)
PLAIN = Text(en="<b>embedding + position</b>", zh="<b>嵌入 + 位置</b>")
SCALED = Text(en="<b>√d_model · embedding + position</b>", zh="<b>√d_model · 嵌入 + 位置</b>")
MEASURES = (
    Text(en="before", zh="原长"),
    Text(en="after", zh="相加后"),
    Text(en="angle", zh="转角"),
)
LENGTHS = Text(en="length before and after, angle between them", zh="相加前后的长度和夹角")
WHAT_COST = Text(
    en="{title}: how far each embedding turns; {lines}.", zh="{title}：每个嵌入转过多少；{lines}。"
)


def position_cost(scene: Scene, tokens: list[str]) -> None:
    """How far adding its position turns each embedding, and whether it is still the nearest."""
    lang, W_E = scene.lang, scene.trace.params.W_E
    ids = torch.tensor([token_id(token) for token in tokens], device=W_E.device)
    found = [turn(tokens, W_E, scaled) for scaled in (False, True)]
    own = [turned.nearest == ids for turned in found]
    plain, scaled = (int(still.sum()) for still in own)
    counts = {"plain": plain, "scaled": scaled, "T": len(tokens), "root": W_E.shape[1] ** 0.5}
    st.markdown(COST(lang, V=V, **counts))
    fills = (scene.colors.masked, scene.colors.heads[2])
    columns = wide_columns(LENGTHS(lang), *(measure(lang) for measure in MEASURES))
    sides = zip("ab", (PLAIN, SCALED), found, own, st.columns(2), strict=True)
    for side, title, turned, still, column in sides:
        parts = (turned.before, turned.after, turned.degrees, still)
        grid = [
            [f"{before:.3g}", f"{after:.3g}", f"{degrees:.1f}° {'✓' if ok else '×'}"]
            for before, after, degrees, ok in zip(*(p.tolist() for p in parts), strict=True)
        ]
        groups = torch.zeros(len(tokens), 3)
        groups[:, 2] = still.cpu().float()
        figure = token_grid(scene, tokens, grid, groups, fills, columns, title(lang))
        with column:
            lines = ", ".join(
                f"{token_label(t)} {row[2]}" for t, row in zip(tokens, grid, strict=True)
            )
            what = WHAT_COST(lang, title=spoken(title(lang)), lines=lines)
            chart(scene, f"cost-{side}", figure, what)
