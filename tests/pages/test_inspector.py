"""A number that is picked: its equation, the way back to W_E and forward, what is lit where."""

import re

import pytest

from explorer.core import Config, attend
from explorer.core.trace import PARAM_AXES, axes, lookup, tensors
from explorer.equation import number
from explorer.settings.pick import text as pick_text
from explorer.steps import STEPS
from explorer.text import LANGS
from tests.pages import act, actions, charts, open_page, text, widget

RUN = attend(Config())
PARAMS = {"sentences": "the cat saw the dog\n我爱你", "tokenizer": "word", "d_model": 12, "h": 3}


def operands(at, kind: str) -> list[str]:
    """The elements that a number is made from, or that it feeds: those that can be pressed."""
    return [re.match(r"`(.*)`", words)[1] for words in actions(at, kind)]


def in_link(name: str) -> str:
    """An element as the link has it."""
    return re.sub(r"\[(.*)\]", r":\1", name).replace(" ", "")


def asked(at) -> str:
    """The line with the equation."""
    (line,) = (m.value for m in at.markdown if m.value.startswith("**`"))
    return line


def box(at, label: str):
    """The select box of an axis, or of the tensor."""
    return [box for box in at.selectbox if box.label == label][-1]


def test_a_score_stands_in_its_equation_with_the_numbers_of_this_run():
    at = open_page("scores", pick="scores:0,1,3,2")
    q, k = RUN.q_heads[0, 1, 3].tolist(), RUN.k_heads[0, 1, 2].tolist()
    line = asked(at)
    for numbers in (q, k):
        assert all(number(value) in line for value in numbers)
    assert f"`scores[0, 1, 3, 2]` = {number(RUN.scores[0, 1, 3, 2].item())}**" in line
    assert "÷ √4" in line
    assert line.endswith("(address 30)")  # 0·32 + 1·16 + 3·4 + 2


def test_a_score_is_followed_back_to_w_e_and_forward_to_the_output():
    at = open_page("scores", pick="scores:0,1,3,2")
    trail = ["q_heads[0, 1, 3, 0]", "q_split[0, 3, 1, 0]", "q[0, 3, 4]", "x[0, 3, 0]"]
    for name in [*trail, "embedding[0, 3, 0]", "W_E[4096, 0]"]:
        assert name in operands(at, "made")
        act(at, "made", in_link(name))
        assert not at.exception
        assert at.query_params["pick"] == in_link(name)
    assert "seed 0" in asked(at)
    assert not operands(at, "made")
    names = []
    while fed := operands(at, "feeds"):
        names.append(fed[-1].split("[")[0])
        act(at, "feeds", in_link(fed[-1]))
    assert names[0] == "embedding"
    assert names[-1] == "normed"


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", [*tensors(), *PARAM_AXES])
def test_every_tensor_can_be_asked(name, lang):
    at = open_page("scores", lang, **PARAMS, bias="true", d_k=5, scale_embedding="true")
    widget(at, "pick").set_value(name).run()
    assert not at.exception
    run = attend(
        Config(
            sentences=("the cat saw the dog", "我爱你"),
            d_model=12,
            h=3,
            d_k=5,
            bias=True,
            scale_embedding=True,
        )
    )
    _, _, index = at.query_params["pick"].partition(":")
    value = lookup(run, name)[tuple(map(int, index.split(",")))].item()
    assert f"`{name}[{index.replace(',', ', ')}]` = {number(value)}**" in asked(at)
    fields = [box.label for box in (*at.selectbox, *at.number_input) if box.key.startswith("pick-")]
    assert sorted(fields[1:]) == sorted(axis for axis in axes(name) if axis != "1")


def test_the_axes_move_the_pick_and_the_focus_goes_along():
    at = open_page("scores", pick="scores:0,0,3,1")
    box(at, "head").set_value(1).run()
    assert at.query_params["pick"] == "scores:0,1,3,1"
    assert at.query_params["head"] == "1"
    box(at, "key").set_value(0).run()
    assert at.query_params["pick"] == "scores:0,1,3,0"
    assert "key" not in at.query_params  # the focus of key and query stays


def test_a_token_is_called_by_its_name_and_place():
    at = open_page("scores", **PARAMS, pick="attn:1,0,2,0")
    assert box(at, "query").options == ["0 · 我爱你", *(f"{i} · <pad>" for i in range(1, 5))]
    assert "e^" in asked(at)


def test_an_axis_too_long_for_a_list_is_a_field():
    at = open_page("embedding", pick="W_E:15,3")
    (field,) = at.number_input
    assert field.value == 15
    field.set_value(256).run()
    assert at.query_params["pick"] == "W_E:256,3"


def test_closing_leaves_nothing_picked():
    at = open_page("scores", pick="scores:0,0,3,1")
    next(button for button in at.button if button.key == "close").click().run()
    assert "pick" not in at.query_params
    assert not [m for m in at.markdown if m.value.startswith("**`")]


@pytest.mark.parametrize("bad", ["scores", "scores:0,0", "scores:a,b,c,d", "nothing:1", "<b>:1"])
def test_a_pick_that_is_none_is_told(bad):
    at = open_page("scores", pick=bad)
    assert not at.exception
    assert any("scores:0,0,3,1" in warning.value for warning in at.warning)


def test_a_pick_past_the_end_moves_to_the_nearest_element():
    at = open_page("scores", pick="scores:9,9,9,9")
    assert "`scores[0, 1, 3, 3]`" in asked(at)


def test_a_pick_of_a_tensor_that_this_run_lacks_shows_nothing():
    at = open_page("embedding", d_model=8, h=3, pick="scores:0,0,3,1")
    assert not at.exception
    assert not [m for m in at.markdown if m.value.startswith("**`")]


def dashes(at) -> set[str]:
    shapes = [shape for chart in charts(at).values() for shape in chart.layout.get("shapes", [])]
    return {shape["line"].get("dash") for shape in shapes}


LIT = {  # by page: what a picked element of q lights there, itself, its sources, what it feeds
    "tokens": {"dash"},
    "embedding": {"dash"},
    "position": {"dash"},
    "projection": {"dash", "solid"},
    "split": {"solid"},
    "scores": {"dot"},
    "mask": {"dot"},
    "softmax": {"dot"},
    "mix": {"dot"},
    "merge": {"dot"},
    "output": {"dot", "dash"},
}


@pytest.mark.parametrize("page", LIT)
def test_a_picked_number_lights_its_family_on_every_page(page):
    assert dashes(open_page(page, pick="q:0,2,1")) >= LIT[page]
    assert not dashes(open_page(page)) & {"dash", "dot", "solid"}


def test_the_pick_stays_from_page_to_page():
    at = open_page("scores", pick="q:0,2,5")
    for step in STEPS:
        widget(at, "page").set_value(step.slug).run()
        assert at.query_params["pick"] == "q:0,2,5"
        assert "`q[0, 2, 5]`" in asked(at)


def test_a_token_that_is_markup_stays_text():
    at = open_page("tokens", sentences="<b> $x$ `a`", tokenizer="char", pick="ids:0,0")
    assert "`<`" in asked(at)
    assert "<b>" not in text(at).replace("`<b>`", "")


def test_a_pick_reads_as_it_is_written():
    assert pick_text("W_Q", (3, 4)) == "W_Q:3,4"
