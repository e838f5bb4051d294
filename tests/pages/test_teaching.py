"""A teacher's link: it hides controls, keeps their values, and opens large."""

import re
from pathlib import Path

import numpy as np
import pytest

from explorer.core import Config, attend
from explorer.settings.parameters import HIDEABLE
from explorer.settings.teaching import NAMES, SHOW_ALL
from explorer.shortcuts import ROWS
from explorer.text import LANGS
from tests.pages import actions, component, drawn, link, open_page, text, widget

FOLDED = ("mask", "init", "positions", "scale_embedding", "bias", "seed", "d_k")
# Two sentences and so wide that the batch item and the window are there to be hidden too.
ALL = {"sentences": "one two\nthree", "d_model": 256, "more": "true"}


def controls(at) -> set[str]:
    """The hideable controls that a page shows."""
    found = {name for name in HIDEABLE if widget(at, name)}
    found |= {"examples"} if actions(at, "examples") else set()
    found |= {"pin"} if any(button.key == "pin" for button in at.button) else set()
    return found | ({"more"} if at.expander else set())


def test_the_readme_names_every_control_that_can_be_hidden():
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    (told,) = re.findall(r"choose what it hides \(any of (.*?)\)", readme, re.DOTALL)
    assert re.findall(r"`(\w+)`", told) == list(HIDEABLE)


def test_every_control_that_can_be_hidden_is_there():
    assert controls(open_page("projection", **ALL)) == set(HIDEABLE)


@pytest.mark.parametrize("name", HIDEABLE)
def test_a_hidden_control_is_gone_and_no_other(name):
    gone = {name, *(FOLDED if name == "more" else ())}
    at = open_page("projection", hide=name, **ALL)
    assert not at.exception
    assert not at.warning
    assert controls(at) == set(HIDEABLE) - gone


def test_a_hidden_control_keeps_its_value():
    at = open_page("scores", hide="seed,d_model,h,query", d_model=16, h=4, seed=9, query=1)
    scores = next(heatmap for heatmap in drawn(at) if heatmap.name == "raw_scores")
    expected = attend(Config(d_model=16, h=4, seed=9)).raw_scores[0, 0].numpy()
    np.testing.assert_array_equal(scores.values, expected)
    assert link(at)["hide"] == "seed,d_model,h,query"
    assert (link(at)["seed"], link(at)["query"]) == ("9", "1")


@pytest.mark.parametrize("lang", LANGS)
def test_where_all_is_hidden_nothing_empty_is_left_and_there_is_a_way_back(lang):
    at = open_page("projection", lang, hide=",".join(HIDEABLE), **ALL)
    assert controls(at) == set()
    assert [type(child).__name__ for child in at.sidebar.children.values()] == ["Button"]
    back = at.button("show-all")
    assert back.label == SHOW_ALL(lang, n=len(HIDEABLE))
    back.click().run()
    assert controls(at) == set(HIDEABLE)
    assert "hide" not in at.query_params
    assert not [button for button in at.button if button.key == "show-all"]


@pytest.mark.parametrize("lang", LANGS)
def test_an_unknown_name_is_answered_with_those_that_there_are(lang):
    at = open_page("scores", lang, hide="seed, nonsense ,device,seed,`*x*")
    (warning,) = at.warning
    assert all(name in warning.value for name in HIDEABLE)
    assert warning.value.endswith("`` nonsense, `*x* ``")
    assert controls(at) == set(HIDEABLE) - {*FOLDED, "seed", "device", "window", "item"}


def test_a_teacher_chooses_by_the_words_on_the_controls():
    at = open_page("scores", "zh", more="true")
    box = widget(at, "hide")
    assert box.options == [NAMES[name]("zh") for name in HIDEABLE]
    box.set_value(["examples", "seed"]).run()
    assert at.query_params["hide"] == "examples,seed"
    assert not controls(at) & {"examples", "seed"}


def test_presentation_mode_is_set_by_its_toggle_and_by_link():
    """The sidebar is then folded away, not left out; that it is, the browser's tests look at."""
    at = open_page("scores", more="true")
    assert not component(at)["large"]
    widget(at, "present").set_value(True).run()
    assert widget(at, "present").value
    assert at.query_params["present"] == "true"
    again = open_page("scores", present="true")
    assert component(at)["large"]
    assert component(again)["large"]
    assert controls(again) >= {"sentences", "d_model"}


@pytest.mark.parametrize("lang", LANGS)
def test_the_shortcuts_are_listed_once_they_are_asked_for(lang):
    at = open_page("scores", lang)
    assert ROWS[0][1](lang) not in text(at)
    at.session_state["shortcuts"] = True
    at.run()
    assert all(words(lang) in text(at) for row in ROWS for words in row)
