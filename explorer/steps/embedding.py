"""Step 3: ids pick rows of W_E."""

import streamlit as st
import torch
from torch import Tensor

from explorer.beside import side_by_side
from explorer.charts import describe, say_part
from explorer.core.attention import embed_ids
from explorer.core.tokens import V, visible
from explorer.elements import elements, masks
from explorer.figures.matrix import wall
from explorer.figures.panel import Axis, Panel, Scale, signed
from explorer.page import Page, named, under
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.text import Text, as_code, shorten

BODY = Text(
    en="The embedding is a table W_E with one row of d_model numbers for every word of the "
    "vocabulary. An id is a row number, nothing more: **looking a token up copies its row**. "
    "The same token twice gives the same row twice, wherever it stands.",
    zh="嵌入是一张表 W_E：词表里每个词占一行，一行有 d_model 个数。id 就是行号，别无他意："
    "**查一个词元，就是抄出它那一行**。同一个词元出现两次，抄出的就是同一行，与位置无关。",
)
ROWS = Text(en="W_E: the rows that are looked up", zh="W_E：被查到的那些行")
RESULT = Text(en="embedding: those rows in sentence order", zh="embedding：按句子顺序排好")
ROW = Text(en="row", zh="行")
SAME = Text(
    en="{token} stands at positions {positions}: the same row each time (largest difference "
    "{difference:g}).",
    zh="{token} 出现在位置 {positions}：每次都是同一行（最大差 {difference:g}）。",
)
SCALED = Text(
    en="Here the rows are also multiplied by √d_model = {factor:.4f} (paper 3.4).",
    zh="这里每行还乘了 √d_model = {factor:.4f}（论文 3.4 节）。",
)
WHAT_ROWS = Text(en="Rows {ids} of W_E as a heatmap.", zh="W_E 第 {ids} 行的热力图，")
WHAT_RESULT = Text(
    en="The embedding of the sentence as a heatmap, one row a token: {tokens}.",
    zh="整句 embedding 的热力图，每个词元一行：{tokens}。",
)


def formula(scene: Scene) -> tuple[str, ...]:
    """embedding = W_E[ids], times √d_model where that is asked for."""
    s = scene.sizes
    result, table = named("embedding", s.B, s.T, s.d_model), under("W_E", V, s.d_model)
    factor = rf"\cdot \sqrt{{{s.d_model}}}" if scene.trace.config.scale_embedding else ""
    return (rf"{result} = {table}\big[{named('ids', s.B, s.T)}\big] {factor}",)


def view(scene: Scene) -> None:
    """The rows of W_E that are picked, beside the embedding they become."""
    trace, lang = scene.trace, scene.lang
    tokens = trace.tokens[scene.focus.item]
    side_by_side(scene, "embedding", _rows, _result)
    if trace.config.scale_embedding:
        st.markdown(SCALED(lang, factor=scene.sizes.d_model**0.5))
    for token in dict.fromkeys(t for t in tokens if tokens.count(t) > 1):
        at = torch.tensor([i for i, other in enumerate(tokens) if other == token])
        same = trace.embedding[scene.focus.item, at]
        difference = float((same - same[0]).abs().max())
        positions = ", ".join(map(str, at.tolist()))
        name = as_code(shorten(visible(token), 24))
        st.markdown(SAME(lang, token=name, positions=positions, difference=difference))
    say_part(scene, scene.sizes.d_model)


def _picked(scene: Scene) -> dict[int, str]:
    """The ids of the sentence in focus, in order, each with its token."""
    trace, item = scene.trace, scene.focus.item
    return dict(sorted(zip(trace.ids[item].tolist(), trace.tokens[item], strict=True)))


def _scale(scene: Scene) -> Scale:
    """One for both figures, whose rows are the same."""
    return signed(scene.colors, scene.trace.embedding[scene.focus.item], _table(scene))


def _table(scene: Scene) -> Tensor:
    return scene.trace.params.W_E[list(_picked(scene))]


def _rows(scene: Scene) -> Picture:
    picked, table, lang = _picked(scene), _table(scene), scene.lang
    columns, shown = scene.axis("d_model", table.shape[1])
    labels = tuple(f"{id_} {shorten(visible(token), 8)}" for id_, token in picked.items())
    cells = elements(scene.trace, "W_E", [(id_, shown.start) for id_ in picked], column="d_model")
    rows, values = Axis(ROW(lang), labels), table[:, shown]
    lit = masks(scene.lit, cells, values)
    panel = Panel("W_E", values, rows, columns, ROWS(lang), elements=cells, lit=lit)
    what = WHAT_ROWS(lang, ids=", ".join(map(str, picked)))
    return Picture(
        wall([panel], 1, _scale(scene), scene.colors),
        describe(scene, what, panel.values),
        {f"W_E[{', '.join(map(str, picked))}]": f"d_model {scene.sizes.d_model}"},
    )


def _result(scene: Scene) -> Picture:
    shown = scene.focus.columns(scene.sizes.d_model)
    outline = (scene.focus.query, 0, 1, shown.stop - shown.start)
    panel = scene.panel("embedding", RESULT(scene.lang), outline=outline)
    what = WHAT_RESULT(scene.lang, tokens=", ".join(scene.token_labels))
    figure = wall([panel], 1, _scale(scene), scene.colors)
    return Picture(figure, describe(scene, what, panel.values), scene.shapes("embedding"))


PAGE = Page(
    slug="embedding",
    label=Text(en="Embedding", zh="嵌入"),
    title=Text(en="Embedding: an id picks a row", zh="嵌入：id 选出一行"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("ids W_E", "embedding"),
    code=(embed_ids,),
    tensors=("embedding",),
    needs_heads=False,
)
