"""What bad input gets: a page that says what to change, never an error, never an empty chart."""

import re

import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer import notices
from explorer.core import Config, attend
from explorer.core.limits import LIMITS
from explorer.core.tokens import tokenize
from explorer.settings import kinds, parameters
from explorer.settings.state import GIVEN_TWICE
from explorer.text import ISOLATES, LANGS
from tests.figures import numbers
from tests.pages import (
    NO_HEADS,
    PAGES,
    SLUGS,
    act,
    chart,
    charts,
    markdown,
    open_page,
    outside_code,
    text,
    widget,
)

every_lang = pytest.mark.parametrize("lang", LANGS)
every_slug = pytest.mark.parametrize("slug", SLUGS)


def assert_runs(at: AppTest) -> None:
    """The page shows a run: no error, and every chart holds something to see."""
    assert not at.exception
    assert charts(at)
    for found in charts(at).values():
        assert all(len(numbers(trace.get("z", trace.get("y")))) for trace in found.data)
        assert found.alt


def warned(at: AppTest) -> str:
    return "\n".join(warning.value for warning in at.warning)


# Nothing to read, too much to read


@every_lang
@every_slug
def test_without_a_word_the_page_says_where_to_type_one(slug, lang):
    """E06: empty text never gets as far as an id."""
    at = open_page(slug, lang, sentences=" \n\t\u3000\n")
    assert not at.exception
    assert [info.value for info in at.info] == [notices.NO_TOKENS(lang)]
    assert not charts(at)


@pytest.mark.parametrize("sentences", ["", " ", "\n\n", "\u3000"])
def test_an_example_leads_out_of_an_empty_page(sentences):
    at = open_page("tokens", sentences=sentences)
    assert [info.value for info in at.info] == [notices.NO_TOKENS("en")]
    assert_runs(act(at, "examples", "twice"))


@every_lang
@pytest.mark.parametrize(
    ("tokenizer", "sentence", "last"),
    [("char", "字" * 300, "字"), ("word", " ".join(f"w{i}" for i in range(150)), "w")],
)
def test_of_300_tokens_64_are_kept_and_said_to_be(lang, tokenizer, sentence, last):
    """E29: cut before anything is computed."""
    at = open_page("tokens", lang, sentences=sentence, tokenizer=tokenizer)
    assert_runs(at)
    counts = {"all": 300, "kept": 64, "cut": 236}
    last = f"`{last}`" if tokenizer == "char" else "`31`"
    assert notices.CUT(lang, item=0, last=last, **counts) in warned(at)
    assert "**64**" in text(at)
    cells = chart(at, "grid").data[0]["text"]
    assert sum(bool(cell) for row in cells for cell in row) == 64
    scores = open_page("scores", lang, sentences=sentence, tokenizer=tokenizer)
    assert numbers(chart(scores, "product").data[1]["z"]).shape == (64, 64)


@every_lang
def test_a_fifth_line_is_left_out_and_shown_to_be(lang):
    at = open_page("tokens", lang, sentences="a\nb\n\nc\nd\n# five\nsix")
    assert_runs(at)
    assert f"{parameters.TOO_MANY_LINES(lang, limit=4)} `# five / six`" in warned(at)
    assert "**4**" in text(at)


@every_lang
def test_of_a_line_of_100_kb_the_beginning_is_read(lang):
    at = open_page("scores", lang, sentences="word " * 20_000)
    assert_runs(at)
    said = warned(at)
    assert parameters.TOO_MANY_CHARS(lang, limit=LIMITS.characters) in said
    assert notices.CUT(lang, item=0, all=400, kept=64, last="`word`", cut=336) in said
    assert len(said) < 1000


# Numbers that are none, or out of range

NUMBERS = [
    ("d_model", "0", 1),
    ("d_model", "abc", 8),
    ("d_model", "inf", 8),
    ("d_model", "nan", 8),
    ("d_model", "1e400", 8),
    ("d_model", "-8", 1),
    ("d_model", "8.0", 8),
    ("d_model", "", 8),
    ("d_model", "99999999999999999999", 1024),
    ("h", "0", 1),
    ("h", "1.5", 2),
    ("h", "inf", 2),
    ("d_k", "0", 1),
    ("seed", "-1", 0),
    ("seed", "1e400", 0),
]
RANGES = {"d_model": (1, 1024), "h": (1, 1024), "d_k": (1, 1024), "seed": (0, 2**31 - 1)}


@every_lang
@pytest.mark.parametrize(("name", "raw", "used"), NUMBERS)
def test_a_size_that_is_none_is_named_with_its_limits_and_what_is_used_instead(
    name, raw, used, lang
):
    """E45: with what was received, and a run all the same."""
    at = open_page("shapes", lang, **{"h": "1", name: raw})
    assert_runs(at)
    low, high = RANGES[name]
    sentence = kinds.NOT_WHOLE(lang, name=name, low=low, high=high, used=used)
    assert f"{sentence} `{raw or ' '}`" in warned(at)
    if name in ("d_model", "h"):
        assert f"{name} **{used}**" in text(at)


@every_lang
def test_a_head_size_that_is_no_number_falls_back_to_d_model_over_h(lang):
    at = open_page("shapes", lang, d_k="x")
    assert_runs(at)
    assert "`d_k`" in warned(at)
    assert "None" not in warned(at)
    assert "d_k **4**" in text(at)


@pytest.mark.parametrize(
    ("d_model", "h"), [("7", "1"), ("7", "7"), ("9", "3"), ("1", "1"), ("1023", "11")]
)
@every_slug
def test_an_odd_d_model_works_on_every_page(slug, d_model, h):
    """E01: an odd number of columns is half sines, and half cosines less one."""
    at = open_page(slug, d_model=d_model, h=h)
    assert_runs(at)
    assert not at.warning


@every_lang
@pytest.mark.parametrize(
    ("name", "used", "choices"),
    [
        ("tokenizer", "word", "word, char"),
        ("mask", "causal", "causal, none"),
        ("init", "default", "default, xavier, kaiming"),
        ("bias", "false", "true, false"),
        ("device", "cpu", "cpu, cuda, mps"),
        ("tab", "auto", "auto, code, numbers, take"),
    ],
)
def test_an_unknown_choice_is_named_with_the_choices_there_are(name, used, choices, lang):
    at = open_page("split", lang, **{name: "<b>"})
    assert_runs(at)
    sentence = kinds.NOT_A_CHOICE(lang, name=name, choices=choices, used=used)
    assert f"{sentence} `<b>`" in warned(at)


def test_an_unknown_language_is_english_and_said_to_be():
    at = open_page("split", "xx")
    assert_runs(at)
    assert at.header[0].value == PAGES["split"].title("en")
    assert kinds.NOT_A_CHOICE("en", name="lang", choices="zh, en", used="en") + " `xx`" in warned(
        at
    )


@every_lang
def test_of_a_parameter_given_twice_the_last_one_counts(lang):
    at = open_page("softmax", lang, h=["2", "4"])
    assert_runs(at)
    assert f"{GIVEN_TWICE(lang, name='h')} `2 / 4`" in warned(at)
    assert "h **4**" in text(at)
    assert at.query_params["h"] == "4"


@every_lang
def test_an_unknown_page_is_the_first_one_and_said_to_be(lang):
    at = open_page("nowhere", lang)
    assert_runs(at)
    assert at.header[0].value == PAGES["shapes"].title(lang)
    assert notices.UNKNOWN_PAGE(lang, page="`nowhere`") in warned(at)


def test_unknown_parameters_are_ignored():
    """E45"""
    at = open_page("split", utm_source="x", D_MODEL="9", widget="<b>")
    assert_runs(at)
    assert not at.warning
    assert dict(at.query_params) == {"page": "split"}


@pytest.mark.parametrize("slug", ["scores", "softmax", "split", "embedding", "output"])
def test_a_focus_out_of_range_is_moved_to_the_last_there_is(slug):
    focus = {"item": "3", "head": "1000", "query": "63", "key": "63", "window": "63"}
    at = open_page(slug, sentences="a b c d\ne", **focus)
    assert_runs(at)
    shown = {
        box.key.split("-")[0]: box.value for box in at.selectbox if box.key.split("-")[0] in focus
    }
    assert shown == {"item": 1, "head": 1, "query": 3, "key": 3}


def test_there_is_no_box_where_there_is_one_choice():
    at = open_page("scores", sentences="one", h=1)
    assert_runs(at)
    assert not any(widget(at, name) for name in ("item", "head", "query", "key"))
    widget(at, "h").set_value("2").run()
    assert widget(at, "head").options == ["0", "1"]


@every_lang
@pytest.mark.parametrize(
    ("name", "raw", "used", "high"),
    [("item", "4", 3, 3), ("head", "-1", 0, 1023), ("query", "64", 63, 63), ("key", "x", 1, 63)],
)
def test_a_focus_that_no_run_can_have_is_said_to_be(name, raw, used, high, lang):
    at = open_page("scores", lang, **{name: raw})
    assert_runs(at)
    sentence = kinds.NOT_WHOLE(lang, name=name, low=0, high=high, used=used)
    assert f"{sentence} `{raw}`" in warned(at)


@pytest.mark.parametrize("pairs", ["x", "600", "-1", "0,999", "1.5", ",,,", "9" * 5000])
def test_pairs_of_dimensions_that_are_not_there_leave_those_that_are(pairs):
    at = open_page("position", pairs=pairs)
    assert_runs(at)
    assert chart(at, "curves").data


# Sizes that cannot be


@every_lang
def test_heads_that_do_not_divide_are_refused_with_both_numbers_and_torchs_own_words(lang):
    """E07"""
    at = open_page("scores", lang, d_model=512, h=7)
    assert not at.exception
    (error,) = at.error
    words = {"d_model": 512, "h": 7, "quotient": 512 / 7, "d_k": 73, "rest": 1}
    assert error.value == notices.INDIVISIBLE(lang, **words)
    assert "512" in error.value
    assert "7" in error.value
    said = at.code[0].value
    assert "shape '[1, 4, 7, 73]' is invalid for input of size 2048" in said
    assert "embed_dim must be divisible by num_heads" in said
    still = notices.STILL(lang, pages="").rstrip("。.")
    (listed,) = (message for message in markdown(at) if message.startswith(still))
    assert all(PAGES[slug].label(lang) in listed for slug in NO_HEADS)
    assert [b.label for b in at.button if b.key.startswith("nearest")] == ["h = 4", "h = 8"]


@pytest.mark.parametrize("near", ["4", "8"])
def test_a_click_on_a_near_h_sets_it(near):
    at = open_page("scores", d_model=512, h=7)
    at.button(f"nearest-{near}").click().run()
    assert_runs(at)
    assert not at.error
    assert at.query_params["h"] == near
    run = attend(Config(d_model=512, h=int(near)))
    product = chart(at, "product").data[0]
    assert numbers(product["z"]).tolist() == run.q_heads[0, 0, :, :64].tolist()


@every_slug
def test_without_heads_the_pages_that_need_none_still_work(slug):
    at = open_page(slug, d_model=512, h=7)
    if slug in NO_HEADS:
        assert_runs(at)
        assert not at.error
    else:
        assert not at.exception
        assert not charts(at)
        assert len(at.error) == 1


@every_lang
@pytest.mark.parametrize(
    ("d_model", "h", "near"), [(8, 1000, [8]), (8, 12, [8]), (1, 3, [1]), (1021, 2, [1, 1021])]
)
def test_more_heads_than_numbers_are_refused_too(d_model, h, near, lang):
    at = open_page("softmax", lang, d_model=d_model, h=h)
    assert not at.exception
    assert f"d_model = {d_model}" in at.error[0].value
    assert f"h = {h}" in at.error[0].value
    buttons = [button.label for button in at.button if button.key.startswith("nearest")]
    assert buttons == [f"h = {n}" for n in near]
    assert f"is invalid for input of size {4 * d_model}" in at.code[0].value


@every_lang
def test_more_scores_than_a_run_may_have_are_refused(lang):
    """E29: four sentences of 64 tokens and 256 heads would be four million scores."""
    sentences = "\n".join(["字" * 64] * 4)
    params = {"tokenizer": "char", "d_model": 256, "h": 256, "sentences": sentences}
    at = open_page("softmax", lang, **params)
    assert not at.exception
    words = {"name": "B·h·T²", "size": 4 * 256 * 64**2, "limit": LIMITS.elements}
    words["advice"] = notices.TOO_MANY(lang)
    assert notices.TOO_LARGE(lang, **words) in warned(at)
    assert not charts(at)
    assert_runs(open_page("tokens", lang, **params))


@every_lang
@pytest.mark.parametrize(("h", "d_k"), [(8, 513), (1024, 1024)])
def test_a_width_beyond_the_limit_is_refused_before_its_weights_are_drawn(h, d_k, lang):
    """1024 heads of 1024 with d_model 1024 would be four matrices of 4 GB."""
    at = open_page("projection", lang, d_model=1024, h=h, d_k=d_k)
    assert not at.exception
    words = {"name": "h·d_k", "size": h * d_k, "limit": LIMITS.width}
    words["advice"] = notices.TOO_WIDE(lang)
    assert notices.TOO_LARGE(lang, **words) in warned(at)
    assert not charts(at)
    assert_runs(open_page("embedding", lang, d_model=1024, h=h, d_k=d_k))


# Devices that are not here


@every_lang
@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_device_that_is_not_here_is_replaced_by_the_cpu_and_said_to_be(device, lang):
    """E20, E52: for the one torch raises AssertionError, for the other NotImplementedError."""
    reasons = [torch_says(lambda: torch.zeros(1, device=device))]
    if not all(reasons):
        pytest.skip(f"this machine has {device}")
    reasons.append(torch_says(lambda: torch.zeros(1).to(device)))
    at = open_page("scores", lang, device=device)
    assert_runs(at)
    (warning,) = at.warning
    said = re.search(r"`([^`]+)`$", warning.value)[1]
    assert warning.value == notices.DEVICE_FAILED(lang, device=device, error=f"`{said}`")
    assert any(reason.startswith(said) for reason in reasons)
    assert 20 < len(said) < 300
    assert charts(at) == charts(open_page("scores", lang))
    why = widget(at, "device").proto.help
    assert device in why
    assert any(reason[:40] in why for reason in reasons)


def torch_says(work) -> str:
    """What torch raises, nothing where it does the work."""
    try:
        work()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        return str(error)
    return ""


# Text that is markup elsewhere

HOSTILE = [
    "👍🏽🎉\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "<b>bold</b> <script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "$x$ $5 and $6 $$y$$",
    "# h",
    "- item",
    "1. item",
    "*a* a*b*c **d** __e__ ~~f~~",
    ":red[x] :smile: :material/face: :blue-background[y]",
    "`e` ``f`` ```g```",
    "http://e.org www.e.org [k](http://e.org) ![i](http://e.org/i.png)",
    "&lt;b&gt; &amp; &#60;",
    "| a | b |\u2028|---|",
    "%{z} {x} {0} {} \\ \\n",
    "مرحبا بالعالم שלום",
    "\u202eabc\u202c \u200bx",
    "a\0b \0 \x1b[31m",
    "e\u0301 ก็ \ufeff",
]


def skeleton(messages: list[str]) -> list[str]:
    """Markdown texts without their code spans and numbers."""
    plain = (
        outside_code(message).translate(dict.fromkeys(map(ord, ISOLATES))) for message in messages
    )
    return [re.sub(r"[-+−]?\d[\d,.]*(e[-+]?\d+)?", "0", text) for text in plain]


def tame(tokens: list[str]) -> str:
    """As many words of plain letters, the same for the same token."""
    names = {token: f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i, token in enumerate(tokens)}
    return " ".join(names[token] for token in tokens)


every_hostile = pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))


@every_slug
def test_no_token_comes_alive_on_a_page(slug):
    """E40, E41: a page says the same, code spans aside, as for plain words."""
    tokens = list(dict.fromkeys(token for sentence in HOSTILE for token in tokenize(sentence)))
    marks = [token for token in tokens if not token.isalnum()][:64]
    assert {"$", "*", "#", "<", ":", "`", "[", "|", "~", "\0", "\u202e"} <= set(marks)
    at = open_page(slug, sentences=" ".join(marks), query=63)
    assert_runs(at)
    plain = open_page(slug, sentences=tame(marks), query=63)
    assert skeleton(markdown(at)) == skeleton(markdown(plain))


@every_hostile
def test_no_sentence_comes_alive(hostile):
    """E40, E41, on the page that says every token of the sentence."""
    at = open_page("mask", sentences=hostile, query=63)
    assert_runs(at)
    plain = open_page("mask", sentences=tame(tokenize(hostile)), query=63)
    assert skeleton(markdown(at)) == skeleton(markdown(plain))


@every_hostile
def test_no_text_of_a_link_comes_alive(hostile):
    """E40, E41: as a parameter that was not understood, in a sentence that is quoted."""
    said = []
    for value in (hostile, "plain"):
        names = ("page", "mask", "init", "h", "seed", "item", "pairs", "matrix")
        sentences = f"a\nb\nc\nd\n{value}"
        at = open_page(**dict.fromkeys(names, value), sentences=sentences, d_model=[value, value])
        assert_runs(at)
        (box,) = at.warning
        said.append(skeleton(box.value.split("\n\n")))
    assert len(said[0]) == 11
    assert said[0] == said[1]


def test_no_name_of_a_link_comes_alive():
    """A name that no parameter has is not said at all, however often it stands there."""
    names = ["`x` **BOLD** [a](https://example.org/)", *(f"unknown{i}" for i in range(50))]
    at = open_page(**{name: ["1", "2"] for name in names})
    assert_runs(at)
    assert not at.warning


def test_a_text_too_long_for_a_link_is_not_kept_whole():
    """20,000 characters in the address bar could not be opened again."""
    at = open_page("tokens", sentences="爱" * 20_000, d_model="9" * 3_000)
    assert_runs(at)
    assert len(at.query_params["sentences"]) < 2_100
    assert len(at.query_params["d_model"]) <= 100
    (box,) = (warning for warning in at.warning if "2000" in warning.value)
    assert "1024" in box.value


def test_what_lies_outside_code_is_found():
    assert outside_code("a `$x$` b ``c`d`` e") == "a ` b ` e"
    assert skeleton(["$x$ is `$x$` 1.2e-07"]) == ["$x$ is ` 0"]
