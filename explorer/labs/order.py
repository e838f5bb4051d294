"""Lab: the same tokens in another order; does the output know, and what do positions cost?"""

from collections import Counter

import streamlit as st
import torch

from explorer.charts import chart
from explorer.core.tokens import token_id, tokenize
from explorer.experiments.layer import attend_to
from explorer.experiments.order import (
    SETTINGS,
    Compared,
    add_along_batch,
    compare_orders,
    output_of,
    permutation,
    reversed_text,
    turn,
)
from explorer.figures.cells import cells
from explorer.figures.matrix import wall
from explorer.figures.panel import Axis, Panel, signed
from explorer.labs.position_cost import position_cost
from explorer.labs.token_grid import token_grid, token_label, token_rows, wide_columns
from explorer.page import Page
from explorer.question import Question, answered
from explorer.scene import Scene
from explorer.settings import state
from explorer.settings.choose import choose
from explorer.settings.parameters import PARAMETERS
from explorer.text import Text, as_code, spoken

MOST = 12  # tokens: rows that can be compared at a glance
SHOWN = 6  # columns of the outputs: their numbers are written

BODY = Text(
    en="The place of a token is not among the numbers that attention multiplies: every query is "
    "compared with every key, wherever they stand. So here is one layer, run on two texts of **the "
    "same tokens in another order**.",
    zh="注意力相乘的数里没有“第几个”：每个查询和每个键都比一遍，不管它们站在哪里。"
    "下面让同一层分别读两段话：**词元相同，先后不同**。",
)
FIRST = Text(en="first text", zh="第一段")
SECOND = Text(en="second text: the same tokens", zh="第二段：词元相同")
CUT = Text(en="tokens are", zh="词元是")
CUTS = {"char": Text(en="characters", zh="字"), "word": Text(en="words", zh="词")}
EMPTY = Text(
    en="The first text has no token in it; expected are 1 to {most}.",
    zh="第一段里没有词元；应有 1 到 {most} 个。",
)
LONG = Text(
    en="The texts have {n} and {m} tokens; at most {most} can be compared here.",
    zh="两段话分别有 {n} 和 {m} 个词元；这里最多比较 {most} 个。",
)
OTHER = Text(
    en="The second text is no permutation of the first. Only in the first: {first}; only in the "
    "second: {second}.",
    zh="第二段不是第一段的重新排列。只在第一段里的：{first}；只在第二段里的：{second}。",
)
NOTHING = Text(en="nothing", zh="无")
USE = Text(en="Compare {first} with {second}", zh="比较 {first} 和 {second}")
TEXTS = Text(
    en="The two texts: token, id, → its place in the other", zh="两段话：词元、id、→ 在另一段的位置"
)
PLACE = Text(en="pos", zh="位置")
TEXT = Text(en="text", zh="段")
ONE = Text(en="first", zh="第一段")
OTHER_ONE = Text(en="second", zh="第二段")
WHAT_TEXTS = Text(
    en="Two texts of {T} tokens. First: {first}. Second: {second}.",
    zh="两段话，各 {T} 个词元。第一段：{first}。第二段：{second}。",
)
QUESTION = Question(
    "order",
    Text(
        en="Without positions and without a mask: is the output of {token} in {first} the one it "
        "has in {second}?",
        zh="不加位置、不加掩码时，{token} 在 {first} 里的输出和在 {second} 里的输出相比：",
    ),
    {
        "same": Text(en="the same", zh="一样"),
        "other": Text(en="another", zh="不一样"),
        "error": Text(en="not comparable", zh="没法比较"),
    },
)
OUTPUT = Text(
    en="**Nothing added**: the output of the layer for both texts, {shown} of its {d_model} "
    "columns. Look for the rows of {token}.",
    zh="**什么都不加**：两段话经过这一层的输出，这里是 {d_model} 列中的 {shown} 列。"
    "找找 {token} 的那两行。",
)
FX = Text(en="<b>f(X)</b>, first text", zh="<b>f(X)</b>，第一段")
FPX = Text(en="<b>f(PX)</b>, second text", zh="<b>f(PX)</b>，第二段")
WHAT_OUTPUT = Text(en="{title}: the output, one row a token;", zh="{title}：输出，每个词元一行；")
SETTING = (
    Text(en="nothing", zh="都不加"),
    Text(en="positions", zh="位置"),
    Text(en="causal", zh="因果掩码"),
    Text(en="both", zh="位置+掩码"),
    Text(en="wrong axis", zh="加错轴"),
)
ALIGNED = Text(
    en="<b>each token's two outputs: largest difference</b>",
    zh="<b>每个词元的两个输出之间的最大差</b>",
)
ADDED = Text(en="added", zh="加了什么")
WHAT_ALIGNED = Text(
    en="The largest difference of each token, by what is added. {lines}",
    zh="每个词元的最大差，按加了什么分列。{lines}",
)
LINE = Text(en="{setting}: up to {largest:.2g}.", zh="{setting}：最大 {largest:.2g}。")
SAME = Text(
    en="**With nothing added, every token takes its output along** (=: no difference but rounding, "
    "{aligned:.2g} at most). The rows are the same, only in another order: f(PX) = P·f(X), which "
    "is called equivariance. It is not invariance: row by row in place, the two outputs differ by "
    "up to {in_place:.2g}.",
    zh="**什么都不加时，每个词元带着自己的输出一起走**（=：差别只是舍入，最大 {aligned:.2g}）。"
    "各行都没变，只是换了次序：f(PX) = P·f(X)，这叫等变。它不是不变："
    "若按原位逐行相比，两个输出最多相差 {in_place:.2g}。",
)
BROKEN = Text(
    en="**Positions** make the same token another vector in another place: up to {positions:.2g}. "
    "**A causal mask alone** also tells the order, since a token sees only those before it: up to "
    "{mask:.2g}.",
    zh="**加位置**：同一个词元换个座位就是另一个向量，最大差 {positions:.2g}。"
    "**只加因果掩码**也分得出先后，因为每个词元只看得到前面的：最大差 {mask:.2g}。",
)
WRONG_AXIS = Text(
    en="**The wrong axis** is a frequent bug: `x + pe[:x.size(0)]` counts along the batch. No "
    "error; every token of a text gets position 0, and the order is lost again ({wrong:.2g}).",
    zh="**加错轴**是常见的错误：`x + pe[:x.size(0)]` 沿着批次数。不报错；"
    "一段话里每个词元都加了位置 0，先后又分不出来了（{wrong:.2g}）。",
)
UNMOVED = Text(
    en="Here no token has moved, so there is nothing to tell apart. Type the tokens in another "
    "order.",
    zh="这里没有词元换位置，所以什么也分不出来。把词元换个次序试试。",
)


def view(scene: Scene) -> None:
    """The two texts and where each token went; then the question, and what the outputs say."""
    cut, lang = state.read("cut"), scene.lang
    _inputs(lang)
    first, second = (tokenize(state.read(name), cut) for name in ("first", "second"))
    order = permutation(first, second)
    if not first or order is None or len(first) > MOST:
        _refuse(lang, cut, first, second)
        return
    _texts(scene, first, second, order)
    params, config = scene.trace.params, scene.trace.config
    compared = [
        compare_orders(first, second, setting, params, config.h, config.scale_embedding)
        for setting in SETTINGS
    ]
    moved = next((new for new, old in enumerate(order) if new != old), 0)
    right = "same" if compared[0].same[moved] else "other"
    names = {"first": state.read("first"), "second": state.read("second"), "token": second[moved]}
    if answered(QUESTION, right, lang, **{name: as_code(text) for name, text in names.items()}):
        _outputs(scene, first, second, compared[0], as_code(second[moved]))
        _compare(scene, second, compared)
        if first == second:
            st.markdown(UNMOVED(lang))
        else:
            _say(lang, compared)
        position_cost(scene, first)


def _inputs(lang: str) -> None:
    for name, label, column in zip(
        ("first", "second"), (FIRST, SECOND), st.columns(2), strict=True
    ):
        longest, bound = PARAMETERS[name].longest, state.widget(name, state.read(name))
        column.text_input(label(lang), max_chars=longest, **bound)
    choose("cut", CUT(lang), {way: text(lang) for way, text in CUTS.items()})


def _refuse(lang: str, cut: str, first: list[str], second: list[str]) -> None:
    """Say why the two texts cannot be compared, and offer the nearest two that can."""
    if not first:
        said = EMPTY(lang, most=MOST)
    elif max(len(first), len(second)) > MOST:
        said = LONG(lang, n=len(first), m=len(second), most=MOST)
    else:
        one, other = Counter(first), Counter(second)
        said = OTHER(lang, first=_list(lang, one - other), second=_list(lang, other - one))
    text = state.read("first") if first else PARAMETERS["first"].default
    there, back = reversed_text(text, cut, MOST, PARAMETERS["first"].longest)
    st.warning(said)
    words = USE(lang, first=as_code(there), second=as_code(back))
    st.button(words, on_click=state.change, kwargs={"first": there, "second": back})


def _list(lang: str, tokens: Counter[str]) -> str:
    return " ".join(map(as_code, tokens.elements())) or NOTHING(lang)


def _texts(scene: Scene, first: list[str], second: list[str], order: list[int]) -> None:
    lang, T = scene.lang, len(first)
    to = [order.index(place) for place in range(T)]
    columns = [
        [
            f"{token_label(token)} · {token_id(token)} · → {place}"
            for token, place in zip(*side, strict=True)
        ]
        for side in ((first, to), (second, order))
    ]
    grid = [list(row) for row in zip(*columns, strict=True)]
    groups = torch.stack([torch.arange(T), torch.tensor(order)], dim=1).float()
    places = Axis(PLACE(lang), tuple(map(str, range(T))))
    both = wide_columns(TEXT(lang), ONE(lang), OTHER_ONE(lang))
    figure = cells(grid, grid, groups, scene.colors.heads, places, both, TEXTS(lang), scene.colors)
    said = {name: ", ".join(side) for name, side in zip(("first", "second"), columns, strict=True)}
    chart(scene, "texts", figure, WHAT_TEXTS(lang, T=T, **said))


def _outputs(
    scene: Scene, first: list[str], second: list[str], found: Compared, token: str
) -> None:
    lang, d_model = scene.lang, scene.sizes.d_model
    shown = min(d_model, SHOWN)
    st.markdown(OUTPUT(lang, shown=shown, d_model=d_model, token=token))
    columns = Axis("d_model", tuple(map(str, range(shown))), counted=True)
    scale = signed(scene.colors, found.first[:, :shown], found.second[:, :shown])
    outputs = (first, found.first, FX), (second, found.second, FPX)
    for side, (tokens, output, title), column in zip("ab", outputs, st.columns(2), strict=True):
        rows, values = token_rows(lang, tokens), output[:, :shown]
        figure = wall([Panel("output", values, rows, columns, title(lang))], 1, scale, scene.colors)
        with column:
            what = WHAT_OUTPUT(lang, title=spoken(title(lang)))
            chart(scene, f"output-{side}", figure, what, values)


def _compare(scene: Scene, tokens: list[str], compared: list[Compared]) -> None:
    lang, fills = scene.lang, (scene.colors.heads[0], scene.colors.heads[3])
    settings = tuple(setting(lang) for setting in SETTING)
    differences = torch.stack([found.aligned for found in compared], dim=1).cpu()  # seq, setting
    same = torch.stack([found.same for found in compared], dim=1).cpu()
    grid = [
        [f"{'=' if ok else '≠'} {value:.2g}" for value, ok in zip(*row, strict=True)]
        for row in zip(differences.tolist(), same.tolist(), strict=True)
    ]
    columns = wide_columns(ADDED(lang), *settings)
    figure = token_grid(scene, tokens, grid, (~same).float(), fills, columns, ALIGNED(lang))
    largest = differences.amax(0).tolist()
    lines = (
        LINE(lang, setting=name, largest=value)
        for name, value in zip(settings, largest, strict=True)
    )
    chart(scene, "aligned", figure, WHAT_ALIGNED(lang, lines=" ".join(lines)))


def _say(lang: str, compared: list[Compared]) -> None:
    largest = [float(found.aligned.max()) for found in compared]
    in_place = float(compared[0].in_place.max())
    st.markdown(SAME(lang, aligned=largest[0], in_place=in_place))
    st.markdown(BROKEN(lang, positions=largest[1], mask=largest[2]))
    st.markdown(WRONG_AXIS(lang, wrong=largest[4]))


PAGE = Page(
    slug="order",
    label=Text(en="Order", zh="词序"),
    title=Text(en="Does attention know the order?", zh="注意力知道先后顺序吗？"),
    body=BODY,
    view=view,
    code=(attend_to, add_along_batch, output_of, compare_orders, turn),
    steps=("position",),
    has_focus=False,
)
