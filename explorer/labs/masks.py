"""Lab: the ways in which a mask goes wrong, each of them run; and what generating may see."""

from difflib import get_close_matches

import streamlit as st
from torch import Tensor

from explorer.charts import chart
from explorer.core.source import source
from explorer.experiments import masks
from explorer.experiments.generation import layer, shift_right, whole_minus_steps
from explorer.experiments.layer import attend_to
from explorer.experiments.masks import PADDED, WAYS, WORKED, Outcome
from explorer.figures.matrix import wall
from explorer.figures.panel import Axis, Panel, share, signed
from explorer.labs import mask_generation
from explorer.labs.mask_words import WORDS
from explorer.page import Page
from explorer.question import Question, answered
from explorer.scene import AXIS_WORDS, Scene
from explorer.settings import state
from explorer.text import Text, as_code, shorten, table

BODY = Text(
    en="A mask has one job: **hidden keys get exactly 0, and every row still sums to 1**. Adding "
    "−∞ before the softmax does it. Many other ways look the same in code, and most raise no "
    "error.",
    zh="掩码只有一件事要做：**被遮的键权重正好是 0，每一行的和仍是 1**。在 softmax 之前加 −∞ "
    "就能做到。还有许多写法看上去差不多，而且大多不报错。",
)
WORKED_ROW = Text(
    en="The worked example: the scores of query 2 are [{scores}], and key 3 is in its future. "
    "(Here every query has these scores; only the mask differs.) Right for query 2, "
    "`softmax([{masked}])`: **{weights}**.",
    zh="一个小例子：查询 2 的分数是 [{scores}]，键 3 在它的未来。"
    "（这里每个查询的分数都一样，只有掩码不同。）查询 2 的正确结果，"
    "`softmax([{masked}])`：**{weights}**。",
)
SCORES = Text(en="<b>scores</b> + mask", zh="<b>分数</b> + 掩码")
WEIGHTS = Text(en="<b>weights</b>: right", zh="<b>权重</b>：正确")
WHAT_WORKED = Text(
    en="The worked example: masked scores, and the right weights, each",
    zh="小例子：加了掩码的分数，以及正确的权重，每张",
)
QUESTION = Question(
    "masks",
    Text(
        en="The scores of query 2 are multiplied by [1, 1, 1, 0] instead, then comes the softmax. "
        "What weight does the hidden key 3 get?",
        zh="如果把查询 2 的分数乘以 [1, 1, 1, 0]，再做 softmax，被遮的键 3 得到多大的权重？",
    ),
    {
        "zero": Text(en="0", zh="0"),
        "some": Text(en="about {some:.2f}", zh="约 {some:.2f}"),
        "as_before": Text(
            en="{before:.2f}, as without a mask", zh="{before:.2f}，和没有掩码时一样"
        ),
    },
)
WAY = Text(en="a way to mask, as it is found in code", zh="一种掩码写法（代码里见得到的）")
UNKNOWN = Text(
    en="There is no way {way} to mask here; expected is one of those in the list. "
    "Shown is the nearest, `{used}`.",
    zh="这里没有 {way} 这种写法，应为列表中的一种。现在显示最接近的 `{used}`。",
)
REFUSED = Text(
    en="On {on}, **torch refuses**; in its own words:",
    zh="用在{on}上，**torch 拒绝执行**，原话是：",
)
MINE = Text(en="<b>this way</b>", zh="<b>这种写法</b>")
SHOULD = Text(en="<b>right</b>", zh="<b>正确</b>")
TITLE_WORKED = Text(
    en="**The worked example**; row {row} comes out as {weights}.",
    zh="**小例子**，第 {row} 行得到 {weights}。",
)
TITLE_RUN = Text(
    en="**This run**, sentence {item}, head {head}; on the same colours, 0 to 1.",
    zh="**这次运行**，第 {item} 句，头 {head}；同一色标，0 到 1。",
)
PALE = Text(
    en="Shared among this many keys, every weight is small: pale is not 0. Hover for the number.",
    zh="键这么多，每个权重都很小：颜色浅不等于 0，把鼠标移上去可以看数。",
)
WHAT_RIGHT = Text(
    en="Weights, right and by the way “{way}”, each", zh="权重：正确的，以及“{way}”得到的，每张"
)
COLUMNS = (
    Text(en="run on", zh="用在"),
    Text(en="largest weight on a hidden key", zh="被遮的键上最大的权重"),
    Text(en="sums of the rows", zh="行和"),
    Text(en="rows with NaN", zh="有 NaN 的行"),
    Text(en="gradient of the scores", zh="分数的梯度"),
)
ON = {
    "worked": Text(en="the worked example", zh="小例子"),
    "run": Text(en="this run", zh="这次运行"),
}
RAISES = Text(en="error", zh="报错")
FINITE = Text(en="finite", zh="有限")
NONE = Text(en="none", zh="无")


def view(scene: Scene) -> None:
    """The worked example done right; the question; then any way, and what generating may see."""
    lang, weights = scene.lang, masks.right(WORKED)
    words = {"scores": _row(WORKED[2], "g"), "masked": f"{_row(WORKED[2, :3], 'g')}, −∞"}
    st.markdown(WORKED_ROW(lang, **words, weights=_row(weights[2], "g")))
    rows, columns = (_axis(scene, name, range(4)) for name in ("query", "key"))
    scores = WORKED.masked_fill(weights == 0, -float("inf"))
    panels = [
        Panel(
            "scores",
            scores,
            rows,
            columns,
            SCORES(lang),
            (2, 0, 1, 4),
            scale=signed(scene.colors, scores),
        ),
        Panel("weights", weights, rows, columns, WEIGHTS(lang), (2, 0, 1, 4)),
    ]
    figure = wall(panels, 2, share(scene.colors), scene.colors)
    chart(scene, "worked", figure, WHAT_WORKED(lang), scores, weights)
    some, before = float(masks.multiplied(WORKED)[2, 3]), float(WORKED.softmax(-1)[2, 3])
    right = "zero" if some == 0 else "some" if some < before else "as_before"
    if answered(QUESTION, right, lang, some=some, before=before):
        _way(scene)
        mask_generation.view(scene)


def _row(values: Tensor, form: str) -> str:
    return ", ".join(f"{value:.6{form}}" for value in values.tolist())


def _axis(scene: Scene, name: str, labels: range | tuple[str, ...]) -> Axis:
    return Axis(AXIS_WORDS[name](scene.lang), tuple(map(str, labels)))


def _way(scene: Scene) -> None:
    """The list of ways, the code of the one chosen, and what it gives on two sets of scores."""
    lang, asked = scene.lang, state.raw("way")
    way = (get_close_matches(asked, WORDS, 1) or ["multiplied"])[0]
    names = {name: words[0](lang) for name, words in WORDS.items()}
    st.selectbox(
        WAY(lang),
        list(names),
        format_func=names.get,
        filter_mode=None,
        **state.widget("way", way, names.values()),
    )
    if way != asked:
        st.info(UNKNOWN(lang, way=as_code(shorten(asked, 60)), used=way))
    st.code(source((WAYS | PADDED)[way]), wrap_lines=True)
    st.markdown(WORDS[way][1](lang))
    found = {"worked": _on_worked(way), "run": _on_run(scene, way)}
    for on, outcome in found.items():
        _outcome(scene, way, on, outcome)
    st.markdown(
        table([text(lang) for text in COLUMNS], [_told(lang, *pair) for pair in found.items()])
    )


def _on_worked(way: str) -> Outcome:
    if way in WAYS:
        return masks.one_by_one(way, WORKED)
    return masks.in_batch(way, *masks.worked_batch(), 0, 0)


def _on_run(scene: Scene, way: str) -> Outcome:
    """The way on the scores of this run: of the sentence in focus, or of the batch for padding."""
    trace, item, head = scene.trace, scene.focus.item, scene.focus.head
    scores, pad = trace.scores.cpu(), trace.ids.cpu() == 0
    if way in PADDED:
        return masks.in_batch(way, scores, pad, item, head)
    real = int((~pad[item]).sum())
    return masks.one_by_one(way, scores[item, head, :real, :real])


def _outcome(scene: Scene, way: str, on: str, outcome: Outcome) -> None:
    """The weights beside the right ones, or what torch says instead of them."""
    lang, found = scene.lang, outcome.weights
    if outcome.error:
        st.markdown(REFUSED(lang, on=ON[on](lang)))
        st.code(outcome.error, language=None, wrap_lines=True)
        return
    telling = 0 if way in PADDED or way.startswith("no_key") else 2
    row = next(iter(outcome.nan_rows), telling)
    if on == "worked":
        st.markdown(
            TITLE_WORKED(lang, row=row, weights=_row(found[row], "f").replace("nan", "NaN"))
        )
    else:
        st.markdown(TITLE_RUN(lang, item=scene.focus.item, head=scene.focus.head))
    labels = range(len(found)) if on == "worked" else scene.token_labels[: len(found)]
    rows, columns = (_axis(scene, name, labels) for name in ("query", "key"))
    panels = [
        Panel("weights", values, rows, columns, title(lang))
        for values, title in ((outcome.right, SHOULD), (found, MINE))
    ]
    figure = wall(panels, 2, share(scene.colors), scene.colors)
    what = WHAT_RIGHT(lang, way=WORDS[way][0](lang))
    chart(scene, f"way-{on}", figure, what, outcome.right, found)
    if float(outcome.right.max()) < 0.25:
        st.caption(PALE(lang))


def _told(lang: str, on: str, outcome: Outcome) -> tuple[str, ...]:
    """A row of the table: what a look at the weights does not tell."""
    if outcome.error:
        return (ON[on](lang), RAISES(lang), "", "", "")
    low, high = outcome.sums
    sums = f"{low:.4g}" if high - low < 1e-3 else f"{low:.4g} … {high:.4g}"
    return (
        ON[on](lang),
        f"**{outcome.leak:.4g}**",
        sums.replace("nan", "NaN"),
        ", ".join(map(str, outcome.nan_rows)) or NONE(lang),
        FINITE(lang) if outcome.gradient else "**NaN**",
    )


PAGE = Page(
    slug="masks",
    label=Text(en="Masks", zh="掩码写法"),
    title=Text(en="How does a mask go wrong?", zh="掩码会怎样写错？"),
    body=BODY,
    view=view,
    code=(
        masks.right,
        masks.sdpa,
        masks.multihead,
        shift_right,
        layer,
        attend_to,
        whole_minus_steps,
    ),
    flow=("scores mask", "attn"),
    tensors=("attn", "mask", "scores"),
    steps=("mask",),
)
