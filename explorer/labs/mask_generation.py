"""The lab of masks, its second part: a decoder that generates, step by step and all at once."""

import streamlit as st
import torch

from explorer.charts import chart
from explorer.core.attention import make_mask
from explorer.experiments.generation import shift_right, whole_minus_steps
from explorer.figures.cells import cells
from explorer.figures.panel import Axis
from explorer.scene import Scene
from explorer.settings import state
from explorer.text import Text, as_code

TITLE = Text(en="### Generating: what may a step see?", zh="### 生成：每一步能看到什么？")
SHIFT = Text(
    en="A decoder reads the sentence **shifted right by one**: `<s>` comes first, the last token "
    "is left out. So the row that is to predict a token holds the token **before** it, and may see "
    "itself without seeing the answer.",
    zh="解码器读的是**右移一位**的句子：最前面是 `<s>`，最后一个词元不读。"
    "所以负责预测某个词元的那一行，装的是它**前面**的词元；这一行看得到自己，却看不到答案。",
)
UNTIL = Text(en="step of generation", zh="生成到第几步")
STEP = Text(
    en="**Step {until}** predicts {target}. Its row is that of {own}, and sees {seen}.",
    zh="**第 {until} 步**预测 {target}。它的那一行是 {own}，看得到 {seen}。",
)
BOTH = Text(
    en="“Word 2 sees only word 1” speaks of what is predicted, “mask row t sees itself” of what is "
    "read. Both are right together **only because of the shift**.",
    zh="“第 2 个词只看得到第 1 个词”说的是要预测的词，“掩码第 t 行看得到自己”说的是读入的词。"
    "**正因为右移了一位**，两句话才同时成立。",
)
ROWS = Text(en="target", zh="预测")
COLUMNS = Text(en="decoder input", zh="解码器输入")
HOVER = Text(
    en="step {step}: {target} ← {input}: {kind}", zh="第 {step} 步：{target} ← {input}：{kind}"
)
KINDS = (
    Text(en="hidden, still to come", zh="遮住，尚未生成"),
    Text(en="sees (✓)", zh="看得到（✓）"),
    Text(en="its own row (●)", zh="自己这一行（●）"),
)
MARKS = ("", "✓", "●")
SOME = Text(en="steps {first}–{last} of {n}", zh="第 {first}–{last} 步，共 {n} 步")
STEPS = 12  # of them are drawn, or run one by one, at once
ENDS = 3  # tokens at either end of a long list
WHAT = Text(
    en="Which inputs each of {n} steps sees; step {until} sees {until}, the last of them its own "
    "row.",
    zh="{n} 步中每一步看得到哪些输入；第 {until} 步看得到 {until} 个，最后一个是它自己这一行。",
)
SAME = Text(
    en="**All at once, or as it grows?** Steps {first} to {until} were just run one by one, each "
    "with nothing but the inputs it has, and their rows compared with those of **one** run of "
    "all {n}. Largest difference with the causal mask: **{causal:.2g}**; with no mask: "
    "**{none:.2g}**. With the mask a row does not depend on what comes later: one run trains all "
    "steps, and generating may keep its keys and values (the KV cache).",
    zh="**一次算完，还是边生成边算？** 刚才把第 {first} 到 {until} 步一步一步单独算了一遍，"
    "每一步只有它已有的输入，再与全部 {n} 个**一次**算出的同样几行相比。"
    "用因果掩码，最大差 **{causal:.2g}**；不用掩码，**{none:.2g}**。"
    "有了掩码，一行不取决于后面的词元：训练时一次就能算完所有步，"
    "生成时也能留着已有的键和值（KV 缓存）。",
)


def view(scene: Scene) -> None:
    """What each step sees of the shifted input, and that one run gives what single steps give."""
    lang, trace, item = scene.lang, scene.trace, scene.focus.item
    n = int((trace.ids[item] != 0).sum())
    until = min(state.read("until"), n)
    tokens = shift_right(trace.tokens[item][:n])
    st.markdown(TITLE(lang))
    st.markdown(SHIFT(lang))
    if n > 1:
        st.slider(UNTIL(lang), 1, n, **state.widget("until", until))
    targets = scene.token_labels[:n]
    inputs = shift_right(targets)
    words = {
        "until": until,
        "target": as_code(targets[until - 1]),
        "own": as_code(inputs[until - 1]),
    }
    st.markdown(STEP(lang, **words, seen=_listed(inputs[:until])))
    _picture(scene, inputs, targets, until)
    st.markdown(BOTH(lang))
    steps = range(max(1, until - STEPS + 1), until + 1)
    differences = {
        name: whole_minus_steps(tokens, trace.config, trace.params, name == "causal", steps)
        for name in ("causal", "none")
    }
    st.markdown(SAME(lang, first=steps.start, until=until, n=n, **differences))


def _picture(scene: Scene, inputs: tuple[str, ...], targets: tuple[str, ...], until: int) -> None:
    """The causal mask, its rows named by what they predict and its columns by what is read."""
    lang, n = scene.lang, len(inputs)
    first = max(0, min(until - STEPS // 2, n - STEPS))
    steps = range(first, min(first + STEPS, n))
    may = make_mask(scene.trace.ids.new_ones(1, n), causal=True)[0, 0] == 0  # step, input
    kinds = (may.int() + torch.eye(n, dtype=torch.int, device=may.device))[first : steps.stop]
    hover = [
        [
            HOVER(lang, step=step + 1, target=targets[step], input=inputs[i], kind=KINDS[k](lang))
            for i, k in enumerate(row)
        ]
        for step, row in zip(steps, kinds.tolist(), strict=True)
    ]
    figure = cells(
        [[MARKS[k] for k in row] for row in kinds.tolist()],
        hover,
        kinds.float(),
        (scene.colors.masked, scene.colors.heads[0], scene.colors.heads[3]),
        Axis(ROWS(lang), tuple(f"{step + 1} · {targets[step]}" for step in steps)),
        Axis(COLUMNS(lang), inputs),
        "",
        scene.colors,
        MARKS.__getitem__,
        (until - 1 - first, 0, 1, n),
    )
    chart(scene, "steps", figure, WHAT(lang, n=n, until=until))
    said = [kind(lang) for kind in KINDS]
    if len(steps) < n:
        said.append(SOME(lang, first=first + 1, last=steps.stop, n=n))
    st.caption(" · ".join(said))


def _listed(tokens: tuple[str, ...]) -> str:
    """All of the tokens, or the first and the last of many."""
    if len(tokens) > 2 * ENDS + 1:
        return " ".join([*map(as_code, tokens[:ENDS]), "…", *map(as_code, tokens[-ENDS:])])
    return " ".join(map(as_code, tokens))
