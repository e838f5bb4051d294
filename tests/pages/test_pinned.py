"""A pinned run: its text in a link, its button, and every figure of a step beside that of now."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.beside import ALONE, DIFFERENCE, NO_DIFFERENCE, NOW, PINNED, SAME, SAME_SEEN
from explorer.core import Config, attend
from explorer.core.checks import head_contributions
from explorer.core.trace import axes, lookup
from explorer.figures.compare import word_of
from explorer.pinned import DIFFERS, ELSEWHERE, EMPTY, INDIVISIBLE, REFUSED, TOO_LARGE, UNCHANGED
from explorer.settings.kinds import NOT_WHOLE
from explorer.settings.parameters import PARAMETERS
from explorer.settings.pin import EXAMPLE, IN_PIN, UNKNOWN, pin_text
from explorer.steps import STEPS
from explorer.text import LANGS
from tests.core import configs
from tests.figures import numbers
from tests.pages import Chart, charts, heatmaps, link, open_page, shown, text, widget

every_lang = pytest.mark.parametrize("lang", LANGS)
every_step = pytest.mark.parametrize("page", STEPS, ids=lambda page: page.slug)
PIN = PARAMETERS["pin"]


# The text in a link


def test_no_pin_a_pinned_default_and_a_pinned_run_are_three_things():
    assert PIN.parse("") == (None, None)
    assert PIN.parse("?") == (Config(), None)
    assert PIN.parse("?d_model=16&h=4") == (Config(d_model=16, h=4), None)
    assert pin_text(Config(bias=True, d_k=3)) == "?d_k=3&bias=true"


@settings(max_examples=200, deadline=None)
@given(config=configs(), lines=st.lists(st.text(), min_size=0, max_size=4))
def test_every_run_is_read_back_as_it_was_pinned(config, lines):
    sentences = tuple(line.replace("\n", " ") for line in lines if line.strip())
    config = replace(config, sentences=sentences, seed=config.seed % 2**31)
    written = pin_text(config)
    assert PIN.parse(written) == (config, None)
    assert len(written) <= PIN.longest


@pytest.mark.parametrize("character", ["%", "我", "\u3000", "\u2003"])
def test_the_longest_sentences_can_be_pinned(character):
    config = Config((f"a{character * 498}b",) * 3 + (f"a{character * 495}b",), d_model=16, seed=9)
    assert PIN.parse(pin_text(config)[: PIN.longest]) == (config, None)


@every_lang
@pytest.mark.parametrize(
    ("pin", "used", "said"),
    [
        ("?h=0", Config(h=1), lambda lang: NOT_WHOLE(lang, name="h", low=1, high=1024, used=1)),
        ("?x=1&h=4", Config(h=4), lambda lang: UNKNOWN(lang, example=EXAMPLE)),
        ("abc", Config(), lambda lang: UNKNOWN(lang, example=EXAMPLE)),
    ],
)
def test_what_of_a_pin_is_not_understood_is_said(pin, used, said, lang):
    assert PIN.parse(pin)[0] == used
    at = open_page("scores", lang, pin=pin)
    assert not at.exception
    (warning,) = (box.value for box in at.warning if said(lang) in box.value)
    if pin == "?h=0":
        assert IN_PIN(lang) + said(lang) in warning


# The button


@every_lang
def test_a_run_is_pinned_changed_and_unpinned(lang):
    at = open_page("scores", lang, h=4)
    before = charts(at)
    at.button("pin").click().run()
    assert at.query_params["pin"] == "?h=4"
    assert charts(at) == before, "nothing differs yet, so nothing is shown twice"
    assert [box.value for box in at.info] == [UNCHANGED(lang)]
    widget(at, "h").set_value("2").run()
    assert [box.value for box in at.info] == [DIFFERS(lang, pinned="h 4", now="h 2")]
    assert len(charts(at)) > len(before)
    assert link(at)["pin"] == "?h=4"
    other = open_page(**link(at))
    assert shown(other) == shown(at)
    at.button("unpin").click().run()
    assert "pin" not in at.query_params
    assert not at.info
    assert charts(at) == charts(open_page("scores", lang))


def test_all_that_differs_is_said_in_words():
    sentence, now = "我 <b> `x` " + "很" * 50, {"mask": "none", "bias": "true", "d_k": 5}
    at = open_page("softmax", "zh", pin=pin_text(Config((sentence,))), **now)
    (said,) = (box.value for box in at.info)
    for words in ("掩码 因果", "掩码 无", "偏置 关", "偏置 开", "d_k d_model / h", "d_k 5"):
        assert words in said
    assert "`` 我 <b> `x`" in said, "user text is code"
    assert "很" * 41 not in said


# The figures

OTHER = Config(mask="none", init="xavier", positions=False, seed=5)


def sides(at) -> dict[str, dict[str, Chart]]:
    """The charts of a page by what they show, then pinned, now or difference."""
    found: dict[str, dict[str, Chart]] = {}
    for key, chart in charts(at).items():
        name, side = key.rsplit("-", 1)
        found.setdefault(name, {})[side] = chart
    return found


def expected(config: Config, name: str, head: int | None) -> np.ndarray:
    """A tensor of a run as it is drawn for the first sentence and a head."""
    run = attend(config)
    if name.startswith("z @"):
        return head_contributions(run, 0)[head].numpy()
    tensor = lookup(run, name)
    if name == "W_E":
        return tensor[sorted(set(run.ids[0].tolist()))].numpy()
    at = {"batch": 0, "head": head, "1": 0}
    return tensor[tuple(at.get(axis, slice(None)) for axis in axes(name))].numpy()


@every_lang
@every_step
def test_every_figure_of_a_step_stands_beside_that_of_the_pinned_run(page, lang):
    words = "the cat sat"  # what is Chinese on the page is the page's own
    at = open_page(
        page.slug, lang, sentences=words, pin=pin_text(replace(OTHER, sentences=(words,)))
    )
    assert not at.exception
    found = sides(at)
    joined = page.slug in ("softmax", "output")  # two halves of a wall become one
    assert len(found) == len(charts(open_page(page.slug, lang, sentences=words))) - joined
    for name, row in found.items():
        assert list(row)[:2] == ["pinned", "now"], name
        for chart, heading in zip(row.values(), (PINNED, NOW), strict=False):
            assert chart.alt.startswith(heading(lang))
            assert chart.layout["title"]["text"] == heading(lang)
        for chart in row.values():
            assert bool(re.search(r"[\u3400-\u9fff]", chart.alt)) == (lang == "zh"), chart.alt
            assert re.search(r"\d", chart.alt)
            assert not re.search(r"[*`<>]|None|nan", chart.alt)


@every_step
def test_pinned_and_now_are_the_tensors_of_their_runs_on_one_range(page):
    for name, row in sides(open_page(page.slug, pin=pin_text(OTHER))).items():
        both = [heatmaps(row[side]) for side in ("pinned", "now")]
        for config, drawn in zip((OTHER, Config()), both, strict=True):
            for heatmap in drawn:
                values = expected(config, heatmap.name, heatmap.head)
                values = values.T if (page.slug, heatmap.name) == ("scores", "k_heads") else values
                np.testing.assert_allclose(heatmap.values, values, rtol=1e-5, atol=1e-6)
        for one, other in zip(*both, strict=True):
            ranges = [(h.trace["zmin"], h.trace["zmax"]) for h in (one, other)]
            assert ranges[0] == ranges[1], name
            finite = np.concatenate([h.values[np.isfinite(h.values)] for h in (one, other)])
            assert ranges[0][0] <= finite.min()
            assert finite.max() <= ranges[0][1]


@every_lang
@every_step
def test_the_difference_is_now_minus_pinned_and_its_largest_value_is_said(page, lang):
    for name, row in sides(open_page(page.slug, lang, pin=pin_text(OTHER))).items():
        before, now = (heatmaps(row[side]) for side in ("pinned", "now"))
        assert ("difference" in row) == bool(now or name.endswith("bars")), name
        if not now:
            continue
        seen = [t for t in row["difference"].data if word_of(t) == ""]
        largest = 0.0
        for trace, one, other in zip(seen, now, before, strict=True):
            with np.errstate(invalid="ignore"):
                wanted = one.values - other.values
            finite = np.isfinite(wanted)
            np.testing.assert_array_equal(numbers(trace["z"])[finite], wanted[finite])
            assert np.isnan(numbers(trace["z"])[~finite]).all()
            largest = max(largest, float(np.abs(wanted[finite]).max()))
        alone = not all(
            (np.isinf(a.values) == np.isinf(b.values)).all()
            for a, b in zip(now, before, strict=True)
        )
        heading = DIFFERENCE if largest else SAME_SEEN if alone else SAME
        assert row["difference"].layout["title"]["text"] == heading(lang, largest=largest)


@every_lang
def test_the_largest_difference_of_attention_is_that_of_two_runs(lang):
    """What the page says, from attend alone."""
    before, now = attend(Config(seed=3)).attn[0], attend(Config()).attn[0]
    largest, in_row = (
        float((a - b).abs().max()) for a, b in ((now, before), (now[:, 3], before[:, 3]))
    )
    rows = sides(open_page("softmax", lang, pin="?seed=3")).values()
    said = [row["difference"].layout["title"]["text"] for row in rows if "difference" in row]
    assert said == [DIFFERENCE(lang, largest=found) for found in (largest, in_row)]


def test_the_difference_of_the_bars_is_that_of_the_rows():
    row = sides(open_page("softmax", pin="?seed=3"))["chart-bars"]["difference"]
    runs = [attend(Config(seed=seed)).attn[0, :, 3] for seed in (0, 3)]
    np.testing.assert_allclose([numbers(bar["y"]) for bar in row.data], runs[0] - runs[1])


@every_lang
def test_cells_that_are_masked_in_one_run_alone_are_counted(lang):
    at = open_page("mask", lang, pin="?mask=none")
    assert ALONE(lang, before=0, now=6) in [caption.value for caption in at.caption]
    assert ALONE(lang, before=0, now=12) in sides(at)["chart-scores-right"]["difference"].alt


@every_lang
def test_where_shapes_differ_there_is_no_difference_but_a_sentence_with_both(lang):
    at = open_page("softmax", lang, pin="?h=4")
    for row in sides(at).values():
        assert list(row) == ["pinned", "now"]
    words = {"pinned": "`attn` (head 4, query 4, key 4)", "now": "`attn` (head 2, query 4, key 4)"}
    said = [caption.value for caption in at.caption]
    assert said.count(NO_DIFFERENCE(lang, **words)) == 2
    assert len(heatmaps(sides(at)["chart-attn"]["pinned"])) == 4


def test_windows_of_the_same_width_are_not_taken_from_each_other():
    """The first 64 of 128 columns and the first 64 of 256 are not the same columns."""
    at = open_page("position", d_model=128, pin="?d_model=256")
    assert {side for row in sides(at).values() for side in row} == {"pinned", "now"}


def test_rows_of_w_e_are_compared_only_if_they_are_the_same_rows():
    rows = sides(open_page("embedding", pin=pin_text(Config(("我爱学习深度",)))))
    assert all("difference" in row for row in rows.values())
    rows = sides(open_page("embedding", pin=pin_text(Config(("the cat sat down",)))))
    assert ["difference" in row for row in rows.values()] == [False, True]


@every_lang
@pytest.mark.parametrize(
    ("pin", "why"),
    [
        ("?h=3", lambda lang: INDIVISIBLE(lang, h=3, d_model=8)),
        ("?sentences=", lambda lang: EMPTY(lang)),
        (
            "?d_k=1024&h=8",
            lambda lang: TOO_LARGE(lang, name="h·d_k", size=8192, limit=4096),
        ),
    ],
)
def test_a_pinned_run_that_is_refused_is_said_to_be_and_nothing_is_compared(pin, why, lang):
    at = open_page("scores", lang, pin=pin)
    assert [box.value for box in at.warning] == [REFUSED(lang, why=why(lang))]
    assert charts(at) == charts(open_page("scores", lang))


@pytest.mark.parametrize("slug", ["shapes", "embedding", "position"])
def test_a_run_without_heads_is_compared_as_far_as_it_goes(slug):
    at = open_page(slug, h=3, pin="?seed=1")
    assert not at.exception
    assert all(list(row)[:2] == ["pinned", "now"] for row in sides(at).values())


@every_lang
def test_a_focus_that_the_pinned_run_has_not_is_moved_and_said_to_be(lang):
    at = open_page("scores", lang, h=4, head=3, pin="?h=2")
    words = {"en": "head 1", "zh": "头 1"}[lang]
    assert ELSEWHERE(lang, nearest=words) in text(at)
    assert {h.head for h in heatmaps(sides(at)["chart-product"]["pinned"])} == {1}


@pytest.mark.parametrize("slug", ["direct_view", "scaling", "merging"])
def test_a_lab_compares_nothing(slug):
    words = {"guess": f"{slug}:skip"}
    at = open_page(slug, pin="?seed=1", **words)
    assert charts(at) == charts(open_page(slug, **words))
    assert not [box for box in at.info if "seed" in box.value]


def test_sorted_heads_are_compared_with_themselves():
    """In the order of now, whatever that of the pinned run would be."""
    now, before = Config(d_model=16, h=8), Config(d_model=16, h=8, seed=4)
    at = open_page("softmax", d_model=16, h=8, order="entropy", pin=pin_text(before))
    row = sides(at)["chart-attn"]
    heads = [[h.head for h in heatmaps(row[side])] for side in ("pinned", "now")]
    assert heads[0] == heads[1] != sorted(heads[1])
    difference = (attend(now).attn[0] - attend(before).attn[0])[heads[0]]
    seen = torch.stack([torch.tensor(numbers(t["z"]).copy()) for t in row["difference"].data])
    torch.testing.assert_close(seen, difference)
