"""The state of the page: every widget, the URL, the link, and several readers at once."""

import re
from dataclasses import replace
from random import Random
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from explorer.core import Config, attend
from explorer.core.limits import LIMITS
from explorer.labs import LABS
from explorer.settings import sidebar
from explorer.settings.examples import EXAMPLES
from explorer.settings.parameters import PARAMETERS
from explorer.steps import STEPS
from explorer.text import LANGS
from tests.pages import (
    PAGES,
    SLUGS,
    act,
    charts,
    component,
    drawn,
    go,
    link,
    markdown,
    new_page,
    open_page,
    shown,
    text,
    widget,
)

every_slug = pytest.mark.parametrize("slug", SLUGS)
TWO = "the cat sat on the mat\n我爱你"

# Page, widget, what is set, and what the URL then says.
SET = [
    ("scores", "lang", "zh", "zh"),
    ("tokens", "sentences", "3 加 5\n<b>", "3 加 5\n<b>"),
    ("tokens", "tokenizer", "char", "char"),
    ("scores", "d_model", "16", "16"),
    ("scores", "h", "4", "4"),
    ("shapes", "d_k", "5", "5"),
    ("scores", "device", "mps", "mps"),
    ("mask", "mask", "none", "none"),
    ("projection", "init", "kaiming", "kaiming"),
    ("position", "positions", False, "false"),
    ("embedding", "scale_embedding", True, "true"),
    ("projection", "bias", True, "true"),
    ("projection", "seed", "42", "42"),
    ("shapes", "hide", ["seed", "device"], "seed,device"),
    ("scores", "item", 1, "1"),
    ("mix", "head", 1, "1"),
    ("softmax", "query", 2, "2"),
    ("scores", "key", 0, "0"),
    ("shapes", "page", "output", "output"),
    ("position", "pairs", [0, 1], "0,1"),
    ("projection", "matrix", "v", "v"),
    ("split", "color", "token", "token"),
    ("softmax", "order", "entropy", "entropy"),
    ("softmax", "draw", "lines", "lines"),
    ("direct_view", "merge", "view", "view"),
    ("reading", "shape", "3,2", "3,2"),
    ("reading", "ops", "view(6)", "view(6)"),
    ("scaling", "keys", 16, "16"),
    ("scaling", "width", 16, "16"),
    ("initialisation", "method", "kaiming", "kaiming"),
    ("initialisation", "gain", "4", "4"),
    ("order", "first", "爱我你", "爱我你"),
    ("order", "second", "爱你我", "爱你我"),
    ("order", "cut", "word", "word"),
    ("masks", "way", "added", "added"),
    ("masks", "until", 3, "3"),
    ("sizes", "model", "BERT base", "BERT base"),
    ("sizes", "parts", 5, "5"),
]
LAB_SLUGS = [lab.slug for lab in LABS]


@pytest.mark.parametrize(("slug", "name", "value", "written"), SET, ids=[s[1] for s in SET])
def test_a_widget_sets_its_parameter_and_keeps_it(slug, name, value, written):
    """E45: what it shows, what the URL says and what the page shows are one."""
    answer = {"guess": f"{slug}:skip"} if slug in LAB_SLUGS else {}
    at = open_page(slug, sentences=TWO, more="true", **answer)
    before = shown(at)
    widget(at, name).set_value(value).run()
    assert not at.exception
    page = {"page": slug, "sentences": TWO, "more": "true"} | answer | {name: written}
    after = shown(at)
    for _ in range(2):
        assert dict(at.query_params) == page
        assert widget(at, name).value == value
        assert shown(at) == after
        at.run()
    assert shown(open_page(**page)) == after
    assert shown(at) != before


def test_the_window_of_wide_tensors_is_set_by_its_widget():
    at = open_page("projection", d_model=256, h=4)
    assert widget(at, "window").options == ["0–63", "64–127", "128–191", "192–255"]
    widget(at, "window").set_value(2).run()
    assert at.query_params["window"] == "2"
    q = next(heatmap for heatmap in drawn(at) if heatmap.name == "q")
    expected = attend(Config(d_model=256, h=4)).q[0, :, 128:192].numpy()
    np.testing.assert_array_equal(q.values, expected)


def test_the_tensor_of_the_numbers_tab_is_set_by_its_widget():
    at = open_page("output", tab="numbers")
    widget(at, "tensor").set_value("normed").run()
    assert at.query_params["tensor"] == "normed"
    values = at.dataframe[-1].value.to_numpy()
    np.testing.assert_array_equal(values, attend(Config()).normed[0].numpy())


def test_every_parameter_has_a_widget():
    """But the tab and the fold, which AppTest cannot click; six have tests of their own."""
    others = {"window", "tensor", "tab", "more", "guess", "pick", "pin", "present"}
    assert {name for _, name, _, _ in SET} | others == set(PARAMETERS)


def test_settings_are_unfolded_by_link():
    assert not widget(open_page("split"), "seed")
    assert widget(open_page("split", more="true"), "seed")


def test_three_choices_in_turn_are_all_kept():
    """E44: a value fed back as the default would lose every second one."""
    at = open_page("shapes")
    values = []
    for size in ("128", "256", "64"):
        widget(at, "d_model").set_value(size).run()
        values.append((widget(at, "d_model").value, at.query_params["d_model"]))
        assert f"d_model **{size}**" in text(at)
    assert values == [(size, size) for size in ("128", "256", "64")]


def test_a_token_that_comes_twice_can_be_chosen_at_both_places():
    at = open_page("scores", sentences="the cat saw the dog")
    options = widget(at, "query").options
    assert len(set(options)) == 5
    assert [option.split()[-1] for option in options] == ["the", "cat", "saw", "the", "dog"]
    widget(at, "query").set_value(0).run()
    assert at.query_params["query"] == "0"


def test_no_size_is_offered_that_the_host_does_not_allow(monkeypatch):
    monkeypatch.setattr(sidebar, "LIMITS", replace(LIMITS, d_model=64, h=8))
    at = open_page("scores", d_model=64, h=4)
    assert widget(at, "d_model").options == ["4", "8", "16", "32", "64"]
    assert widget(at, "h").options == ["1", "2", "4", "8"]


def test_a_size_that_is_not_listed_stays_to_be_seen():
    at = open_page("shapes", d_model=12, h=5)
    assert (widget(at, "d_model").value, widget(at, "h").value) == ("12", "5")
    assert widget(at, "h").options == ["1", "2", "3", "4", "6", "12", "5"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_sets_sentences_and_tokenizer(name):
    sentences, tokenizer = (EXAMPLES[name][1][field] for field in ("sentences", "tokenizer"))
    at = open_page("tokens", sentences="x", tokenizer="char", seed=5)
    act(at, "examples", name)
    assert widget(at, "sentences").value == sentences
    assert widget(at, "tokenizer").value == tokenizer
    config = Config(tuple(sentences.split("\n")), tokenizer)
    batch, length = attend(config).ids.shape
    assert f"B **{batch}**" in text(at)
    assert f"T **{length}**" in text(at)
    assert at.query_params["seed"] == "5"


def test_the_examples_are_those_of_the_lesson():
    values = [values for _, values in EXAMPLES.values()]
    assert [(v["sentences"], v["tokenizer"]) for v in values[:3]] == [
        ("我爱深度学习\nI love deep learning", "word"),
        ("我爱你\n你爱我", "char"),
        ("the cat sat on the mat", "word"),
    ]
    assert len(values[3]["sentences"]) > 20


def test_next_leads_through_all_steps_and_previous_back():
    at = open_page("shapes", h=4, seed=3)
    there = [at.header[0].value]
    assert at.button("previous").disabled
    while not at.button("next").disabled:
        at.button("next").click().run()
        assert not at.exception
        assert dict(at.query_params) == {"page": SLUGS[len(there)], "h": "4", "seed": "3"}
        assert f"{len(there) + 1} of 12" in text(at)
        there.append(at.header[0].value)
    assert there == [page.title("en") for page in STEPS]
    back = [at.header[0].value]
    while not at.button("previous").disabled:
        at.button("previous").click().run()
        back.append(at.header[0].value)
    assert back == there[::-1]


# The URL


def test_defaults_are_left_out_of_the_url():
    defaults = {name: parameter.default for name, parameter in PARAMETERS.items()}
    assert dict(open_page(**defaults).query_params) == {}
    assert dict(open_page(**defaults | {"h": "4"}).query_params) == {"h": "4"}


def test_a_parameter_set_back_to_its_default_leaves_the_url():
    at = open_page("scores", h=4)
    widget(at, "h").set_value("2").run()
    assert dict(at.query_params) == {"page": "scores"}


def test_back_and_forward_are_taken_over():
    at = open_page("scores", h=4)
    first = shown(at)
    widget(at, "h").set_value("8").run()
    widget(at, "lang").set_value("zh").run()
    last, url = shown(at), dict(at.query_params)
    for params, seen in (({"page": "scores", "h": "4"}, first), (url, last)):
        assert shown(go(at, **params)) == seen
        assert dict(at.query_params) == params


def test_a_click_counts_even_while_the_address_bar_lags_behind():
    """Two clicks in quick succession: with the second comes the URL from before the first."""
    at = open_page("scores", h=4)
    before = dict(at.query_params)
    widget(at, "h").set_value("8").run()
    at.query_params.clear()
    at.query_params.update(before)
    at.button("next").click().run()
    assert dict(at.query_params) == {"page": "mask", "h": "8"}
    assert shown(at) == shown(open_page("mask", h=8))


def test_a_run_that_nobody_chose_anything_for_does_not_go_back():
    """The key R, or a list that opens, while the address bar lags behind."""
    at = open_page("scores", h=4)
    before = dict(at.query_params)
    at.button("next").click().run()
    at.query_params.clear()
    at.query_params.update(before)
    at.run()
    assert dict(at.query_params) == {"page": "mask", "h": "4"}
    assert shown(at) == shown(open_page("mask", h=4))


def test_what_an_outdated_widget_still_sends_is_no_choice():
    """Two presses, the second before the answer to the first: with it come the old values."""
    at = open_page("scores", sentences="a b", pick="scores:0,0,1,1")
    old = at._tree.get_widget_states()
    act(at, "examples", "twice")
    act(at, "made", "q_heads:0,0,1,2")
    chosen = dict(at.query_params)
    assert chosen["pick"] == "q_heads:0,0,1,2"
    at._run(old)
    assert dict(at.query_params) == chosen


@pytest.mark.parametrize(("sent", "used"), [("3", "4"), ("1", "1")])
def test_only_what_was_chosen_on_an_outdated_widget_counts(sent, used):
    at = open_page("scores", h=3)
    old, box = at._tree.get_widget_states(), widget(at, "h")
    at.button("nearest-4").click().run()
    assert at.query_params["h"] == "4"
    (state,) = (state for state in old.widgets if state.id == box.proto.id)
    state.string_value = sent
    at._run(old)
    assert at.query_params["h"] == used


def test_back_to_the_bare_url_is_the_first_step_with_the_defaults():
    at = go(open_page("output", h=4))
    assert at.header[0].value == PAGES["shapes"].title("en")
    assert charts(at) == charts(open_page("shapes"))


@pytest.mark.parametrize(
    ("locale", "lang"), [("zh-CN", "zh"), ("zh", "zh"), ("de-DE", "en"), (None, "en")]
)
def test_the_first_guess_of_the_language_is_the_browsers(locale, lang):
    at = new_page(page="split")
    at.context = {"locale": locale}
    at.run()
    assert at.header[0].value == PAGES["split"].title(lang)
    assert dict(at.query_params) == {"page": "split"}
    other = "en" if lang == "zh" else "zh"
    widget(at, "lang").set_value(other).run()
    assert at.header[0].value == PAGES["split"].title(other)
    assert at.query_params["lang"] == other
    assert link(at)["lang"] == other


@pytest.mark.parametrize("lang", LANGS)
def test_the_document_is_told_its_language(lang):
    assert component(open_page("split", lang))["lang"] == {"en": "en", "zh": "zh-CN"}[lang]


# The link

ALL = {
    "sentences": "我爱你\n$x$ & <b>=?#%",
    "tokenizer": "char",
    "d_model": "12",
    "h": "3",
    "d_k": "5",
    "mask": "none",
    "init": "xavier",
    "bias": "true",
    "positions": "false",
    "scale_embedding": "true",
    "seed": "77",
    "more": "true",
    "hide": "seed,examples",
    "present": "true",
    "device": "cpu",
    "lang": "zh",
    "item": "1",
    "head": "2",
    "query": "4",
    "key": "0",
    "window": "0",
    "pairs": "1,2",
    "matrix": "k",
    "color": "token",
    "pick": "scores:0,1,2,0",
    "order": "entropy",
    "draw": "lines",
    "pin": "?h=4&sentences=a b%0Ac",
    "tab": "numbers",
    "tensor": "",
    "guess": "somewhere:skip",
    "merge": "view",
    "shape": "3,4",
    "ops": "view(6, 2)",
    "keys": "5",
    "width": "32",
    "method": "zeros",
    "gain": "2",
    "first": "a b",
    "second": "b a",
    "cut": "word",
    "way": "added",
    "until": "3",
    "model": "BERT base",
    "parts": "5",
}


@pytest.mark.parametrize("page", STEPS + LABS, ids=lambda page: page.slug)
def test_a_link_holds_every_parameter_and_shows_the_same_elsewhere(page):
    own = {"page": page.slug, "guess": f"{page.slug}:skip", "tensor": "".join(page.tensors[-1:])}
    at = open_page(**ALL | own)
    assert not at.exception
    assert link(at) == ALL | own
    other = open_page(**link(at))
    assert shown(other) == shown(at)
    assert link(other) == link(at)


def test_a_link_holds_the_defaults_too():
    at = open_page("split")
    defaults = {name: parameter.default for name, parameter in PARAMETERS.items()}
    assert link(at) == defaults | {"page": "split"}
    assert shown(open_page(**link(at))) == shown(at)


def test_a_link_from_a_chinese_browser_is_chinese_in_another():
    at = new_page(page="split")
    at.context = {"locale": "zh-CN", "url": "https://example.org/attention"}
    at.run()
    where = urlsplit(component(at)["link"])
    assert (where.netloc, where.path) == ("example.org", "/attention")
    assert dict(parse_qsl(where.query))["lang"] == "zh"
    assert shown(open_page(**link(at))) == shown(at)


def test_a_link_to_the_first_step_names_it():
    """So that it still leads there when a step is put before it."""
    assert link(new_page().run())["page"] == "shapes"


# Values that widgets are set to, in any order, and pages that are turned to.
WALK = {
    "lang": LANGS,
    "sentences": (TWO, "我", "", "a b\nc d e\nf"),
    "d_model": ("4", "8", "16"),
    "h": ("1", "2"),
    "query": (0, 1),
    "item": (0, 1),
    "mask": ("none", "causal"),
    "page": SLUGS,
}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_every_step_of_a_walk_the_link_shows_the_same_elsewhere(seed):
    at, random = open_page("softmax", more="true"), Random(seed)
    for _ in range(12):
        box = widget(at, random.choice([name for name in WALK if widget(at, name)]))
        value = random.choice(WALK[box.key.split("-")[0]])
        if not isinstance(value, int) or value < len(box.options):
            box.set_value(value).run()
        assert not at.exception
        assert shown(open_page(**link(at))) == shown(at)


def test_the_keys_of_widgets_come_again():
    """Streamlit keeps every key it has seen, to the end of a session."""
    at, seen = open_page("softmax", more="true"), []
    for i in range(60):
        go(at, page="softmax", more="true", sentences=f"a{i} b{i} c", seed=i, h="42"[i % 2])
        kinds = (at.text_area, at.text_input, at.selectbox, at.button_group, at.toggle, at.button)
        seen.append({element.key for kind in kinds for element in kind})
    assert set.union(*seen[30:]) <= set.union(*seen[:30])


# Several readers


def test_two_readers_do_not_see_each_others_choices():
    """E47, E48: caches are keyed by all that a run depends on, and nothing draws from one pool."""
    one, other = (open_page("projection", seed=seed, more="true") for seed in (1, 2))
    seen = [charts(one), charts(other)]
    assert seen[0] != seen[1]
    for _ in range(2):
        assert [charts(one.run()), charts(other.run())] == seen
    for at, seed in ((one, 1), (other, 2)):
        run = attend(Config(seed=seed))
        W_Q = next(heatmap for heatmap in drawn(at) if heatmap.name == "W_Q")
        np.testing.assert_array_equal(W_Q.values, run.params.W_Q.numpy())
    widget(one, "seed").set_value("2").run()
    assert charts(one) == seen[1]
    assert dict(other.run().query_params) == {"page": "projection", "seed": "2", "more": "true"}
    assert widget(other, "lang").value == "en"


def test_a_language_changes_the_words_and_no_number():
    """Every number that a page says in one language it says in the other."""
    for slug in SLUGS:
        en, zh = (open_page(slug, lang, sentences=TWO) for lang in LANGS)
        drawn_ = [[(h.name, h.head, h.values.tolist()) for h in drawn(at)] for at in (en, zh)]
        assert drawn_[0] == drawn_[1]
        assert figures(en) == figures(zh), slug


def figures(at) -> set[str]:
    """The numbers with a decimal point that a page says."""
    return {number for said in markdown(at) for number in re.findall(r"\d+\.\d{3,}", said)}
