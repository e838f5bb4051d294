"""Step 2: the sentence cut into tokens, the tokens looked up as ids, the batch padded."""

import math

import streamlit as st
import torch

from explorer.beside import show
from explorer.core.attention import look_up_ids, pad
from explorer.core.tokens import PAD, V, token_id, tokenize, visible
from explorer.elements import elements, masks
from explorer.figures.cells import cells
from explorer.figures.panel import Axis
from explorer.figures.theme import Figure
from explorer.page import Page, named
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.text import Text, as_code, shorten

FOLD = 8
BODY = Text(
    en="A model reads numbers, so the sentence is **cut into tokens** and each token becomes an "
    "**id**: the number of its row in the vocabulary. A batch is a rectangle of B × T ids, so a "
    "shorter sentence is filled up with `<pad>`, which is masked later.",
    zh="模型只读数字，所以先把句子**切成词元**，再把每个词元换成一个 **id**，"
    "也就是它在词表里的行号。"
    "一个批次是 B × T 的矩形，短句用 `<pad>` 补齐，之后再用掩码遮掉。",
)
GRID = Text(en="B × T: every token with its id", zh="B × T：每个词元和它的 id")
FOLDED = Text(en="B × T: tokens and ids, folded after 8", zh="B × T：词元和 id，每 8 个折行")
ITEM = Text(en="item", zh="句")
POSITION = Text(en="position", zh="位置")
WHAT = Text(
    en="A grid of {B} sentences by {T} positions. Sentence {item}: {tokens}.",
    zh="{B} 句 × {T} 个位置的格子。第 {item} 句：{tokens}。",
)
VOCABULARY = Text(
    en="This is a teaching vocabulary of V = {V:,} ids: a few words keep the ids of a well-known "
    "example (我 15, 爱 256, 深度 1024, 学习 4096), `<pad>` is 0, every other token gets its id "
    "from a hash of its text, the same on every machine. Real models learn their vocabulary.",
    zh="这是一个教学词表，V = {V:,}：几个词沿用常见例子里的 id（我 15、爱 256、深度 1024、学习 "
    "4096），"
    "`<pad>` 是 0，其余词元的 id 由文字的哈希算出，在任何机器上都一样。"
    "真实模型的词表是训练出来的。",
)
COLLISION = Text(
    en="**A collision:** {tokens} hash to the same id {id}, so from here on the model cannot tell "
    "them apart. Real tokenizers give every entry an id of its own.",
    zh="**撞车了：** {tokens} 的哈希得到同一个 id {id}，从这里往后模型分不清它们。"
    "真实的分词器给每个条目单独的 id。",
)


def formula(scene: Scene) -> tuple[str, ...]:
    """ids are whole numbers below V."""
    s = scene.sizes
    return (rf"{named('ids', s.B, s.T)} \in \{{0, \dots, V-1\}}", f"V = {V}")


def view(scene: Scene) -> None:
    """The batch as a grid of tokens, and what two tokens share an id."""
    show(scene, "grid", _batch)
    for id_, tokens in collisions(scene.trace.tokens).items():
        names = ", ".join(as_code(shorten(token, 24)) for token in tokens)
        st.warning(COLLISION(scene.lang, id=id_, tokens=names))
    st.markdown(VOCABULARY(scene.lang, V=V))


def _batch(scene: Scene) -> Picture:
    trace, s, item = scene.trace, scene.sizes, scene.focus.item
    ids = trace.ids.tolist()
    tokens = ", ".join(
        f"{shorten(visible(token), 24)} {id_}"
        for token, id_ in zip(trace.tokens[item], ids[item], strict=True)
    )
    return Picture(_grid(scene, ids), WHAT(scene.lang, B=s.B, T=s.T, item=item, tokens=tokens))


def _grid(scene: Scene, ids: list[list[int]]) -> Figure:
    """B × T, every sentence folded after eight positions so that its words can be read."""
    rows, texts, starts, values, groups = [], [], [], [], []
    for item, tokens in enumerate(scene.trace.tokens):
        for start in range(0, scene.sizes.T, FOLD):
            part = range(start, min(start + FOLD, scene.sizes.T))
            blank = min(FOLD, scene.sizes.T) - len(part)
            words = [shorten(visible(tokens[i]), 9) for i in part]
            rows.append(f"{item}" if scene.sizes.T <= FOLD else f"{item}: {start}…")
            texts.append(
                [f"{word}\n{ids[item][i]}" for word, i in zip(words, part, strict=True)]
                + [""] * blank
            )
            starts.append((item, start))
            values.append([ids[item][i] for i in part] + [math.nan] * blank)
            groups.append([float(tokens[i] == PAD) for i in part] + [math.nan] * blank)
    shown, numbers = elements(scene.trace, "ids", starts, column="seq"), torch.tensor(values)
    columns = tuple(str(i) for i in range(min(FOLD, scene.sizes.T)))
    title = GRID if scene.sizes.T <= FOLD else FOLDED
    return cells(
        texts,
        (shown, numbers),
        torch.tensor(groups),
        (scene.colors.roles["x"], scene.colors.masked),
        Axis(ITEM(scene.lang), tuple(rows)),
        Axis(POSITION(scene.lang), columns, counted=True),
        title(scene.lang),
        scene.colors,
        lit=masks(scene.lit, shown, numbers),
    )


def collisions(tokens: tuple[tuple[str, ...], ...]) -> dict[int, list[str]]:
    """The ids that different tokens of this run share."""
    by_id: dict[int, list[str]] = {}
    for token in dict.fromkeys(token for row in tokens for token in row):
        by_id.setdefault(token_id(token), []).append(visible(token))
    return {id_: shared for id_, shared in by_id.items() if len(shared) > 1}


PAGE = Page(
    slug="tokens",
    label=Text(en="Tokens", zh="词元"),
    title=Text(en="Tokens: from text to numbers", zh="词元：从文字到数字"),
    body=BODY,
    view=view,
    formula=formula,
    flow=("ids",),
    code=(tokenize, token_id, pad, look_up_ids),
    tensors=("ids",),
    needs_heads=False,
)
