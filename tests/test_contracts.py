"""What every page, text, parameter and module has to keep to; nothing here names one of them."""

import ast
import gc
import importlib
import inspect
import math
import re
import tomllib
from dataclasses import fields
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.config import CHOICES, Config
from explorer.core.limits import LIMITS
from explorer.core.source import source
from explorer.core.trace import axes
from explorer.labs import LABS
from explorer.page import Page
from explorer.settings.kinds import Parameter
from explorer.settings.parameters import (
    HIDEABLE,
    MAX_SEED,
    PARAMETERS,
)
from explorer.steps import STEPS
from explorer.text import LANGS, Text
from tests.pages import broken_bold

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "explorer").rglob("*.py"))
}
for name in MODULES:
    importlib.import_module(name)
TREES = {name: ast.parse(path.read_text()) for name, path in MODULES.items()}
TEXTS = [thing for thing in gc.get_objects() if type(thing) is Text]

every_module = pytest.mark.parametrize("module", MODULES)
every_page = pytest.mark.parametrize("page", STEPS + LABS, ids=lambda page: page.slug)


# The pages


def test_there_are_twelve_steps_in_teaching_order():
    slugs = "shapes tokens embedding position projection split scores mask softmax mix merge output"
    assert [page.slug for page in STEPS] == slugs.split()


def test_there_are_ten_labs_and_no_two_pages_of_one_name():
    slugs = [page.slug for page in STEPS + LABS]
    assert len(LABS) == 10
    assert len(set(slugs)) == len(slugs)


@pytest.mark.parametrize("page", STEPS, ids=lambda page: page.slug)
def test_a_step_has_all_that_the_frame_shows(page):
    flags = {"needs_heads", "has_focus", "steps"}
    names = {field.name for field in fields(Page)} - flags
    assert not [name for name in names if not getattr(page, name)]
    assert page.has_focus
    assert not page.steps


@pytest.mark.parametrize("page", LABS, ids=lambda page: page.slug)
def test_a_lab_belongs_to_steps_and_a_flow_needs_tensors_that_there_are(page):
    assert page.steps
    assert set(page.steps) <= {step.slug for step in STEPS}
    assert page.body
    assert page.code


@every_page
def test_the_code_of_a_page_is_the_source_of_a_function_without_its_docstring(page):
    for function in page.code:
        (definition,) = ast.parse(source(function)).body
        assert isinstance(definition, ast.FunctionDef)
        assert definition.name == function.__name__
        assert ast.get_docstring(definition) is None
        (original,) = ast.parse(inspect.getsource(function)).body
        assert ast.dump(ast.Module(definition.body, [])) == ast.dump(
            ast.Module(original.body[1:], [])
        )


# The texts


def written(text: Text) -> list[str]:
    return [getattr(text, lang) for lang in LANGS]


def placeholders(message: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(message) if name is not None}


def test_every_text_is_written_in_both_languages():
    assert len(TEXTS) > 100
    assert not [text for text in TEXTS if not all(message.strip() for message in written(text))]


def test_both_languages_have_the_same_named_placeholders():
    assert not [text for text in TEXTS if placeholders(text.en) != placeholders(text.zh)]
    assert not [text for text in TEXTS if not all(map(str.isidentifier, placeholders(text.en)))]


def test_both_languages_have_the_same_formulas():
    differing = [
        text for text in TEXTS if len({tuple(re.findall(r"\$.+?\$", m)) for m in written(text)}) > 1
    ]
    assert not differing


@pytest.mark.parametrize("filled", ["x", "`x`"])
def test_bold_in_every_text_is_rendered_as_bold(filled):
    """CommonMark leaves `**` standing between 。 and a letter; a placeholder may be a code span."""
    broken = [
        message
        for text in TEXTS
        for message in written(text)
        if broken_bold(re.sub(r"\{.*?\}", filled, message))
    ]
    assert not broken


@pytest.mark.parametrize(
    ("message", "broken"),
    [
        ("**一句话。**下一句", True),
        ("**一句话**。下一句", False),
        ("**一句话。** 下一句", False),
        ("前面**`x`**后面", True),
        ("a **b** c", False),
        ("a ** b** c", True),
        ("a **b", True),
        ("`**`", False),
    ],
)
def test_broken_bold_is_noticed(message, broken):
    assert bool(broken_bold(message)) == broken


def test_english_has_no_chinese_but_what_is_quoted():
    """The seeds' words, example sentences and the name of the language itself are quoted."""
    quoted = {"我", "爱", "深度", "学习", "我爱深度学习", "我爱你", "你爱我", "语言"}
    found = {word for text in TEXTS for word in re.findall(r"[\u3400-\u9fff]+", text.en)}
    assert found <= quoted


# The parameters


def whole(low: int, high: int, empty: bool = False):
    def valid(value: object) -> bool:
        return (empty and value is None) or (type(value) is int and low <= value <= high)

    return valid


def are_sentences(value: object) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) <= LIMITS.sentences
        and sum(map(len, value)) <= LIMITS.characters
        and all(line.strip() and "\n" not in line for line in value)
    )


def is_pick(value):
    """Nothing, or a tensor and a number for each of its axes."""
    return value is None or (
        len(value[1]) == len(axes(value[0])) and all(0 <= number < 10**7 for number in value[1])
    )


def are_pairs(value: object) -> bool:
    """Pairs of dimensions of the largest d_model, each once, as many as can be told apart."""
    in_range = whole(0, LIMITS.d_model // 2 - 1)
    return len(set(value)) == len(value) <= 6 and all(map(in_range, value))


# What each parameter may be taken for, whatever its text.
VALID = {
    "sentences": are_sentences,
    **{name: choices.__contains__ for name, choices in CHOICES.items()},
    "d_model": whole(1, LIMITS.d_model),
    "h": whole(1, LIMITS.h),
    "d_k": whole(1, LIMITS.d_model, empty=True),
    **{
        name: (False, True).__contains__
        for name in ("bias", "positions", "scale_embedding", "more", "present")
    },
    "seed": whole(0, MAX_SEED),
    "lang": LANGS.__contains__,
    "item": whole(0, LIMITS.sentences - 1),
    "head": whole(0, LIMITS.h - 1),
    "query": whole(0, LIMITS.tokens - 1),
    "key": whole(0, LIMITS.tokens - 1),
    "window": whole(0, LIMITS.width // 64 - 1),
    "pairs": are_pairs,
    "pick": is_pick,
    "hide": lambda value: len(set(value)) == len(value) and set(value) <= set(HIDEABLE),
    "matrix": ("q", "k", "v").__contains__,
    "color": ("head", "token").__contains__,
    "order": ("number", "entropy", "uniform").__contains__,
    "draw": ("map", "lines").__contains__,
    "pin": lambda value: value is None or isinstance(value, Config),
    "tab": ("auto", "code", "numbers", "take").__contains__,
    **{
        name: lambda value: isinstance(value, str)
        for name in ("page", "tensor", "ops", "first", "second", "way", "model")
    },
    "guess": lambda value: len(value) == 2 and all(isinstance(part, str) for part in value),
    "merge": ("transpose", "view").__contains__,
    "shape": lambda value: 1 <= len(value) <= 4 and 1 <= math.prod(value) <= 64,
    "keys": whole(2, 64),
    "width": whole(1, 512),
    "method": ("zeros", "default", "xavier", "kaiming", "kaiming_relu").__contains__,
    "gain": lambda value: 0 < float(value) <= 8,
    "cut": ("char", "word").__contains__,
    "until": whole(1, LIMITS.tokens),
    "parts": whole(1, 64),
}
every_parameter = pytest.mark.parametrize("name", PARAMETERS)
# Any text, and numbers in every way of writing them.
anything = st.one_of(
    st.text(),
    st.integers().map(str),
    st.floats().map(str),
    st.lists(st.integers(-9, 9999), max_size=9).map(lambda pairs: ",".join(map(str, pairs))),
    st.sampled_from(
        ["", " 8 ", "+8", "1_0", "٣", "²", "1e400", "9" * 5000, "TRUE", "\0", "a\n" * 9]
    ),
)


def is_whole(parameter: Parameter) -> bool:
    return type(parameter.parse(parameter.default)[0]) is int


def test_every_parameter_has_limits_here():
    assert set(VALID) == set(PARAMETERS)


@every_parameter
def test_the_default_of_a_parameter_parses_to_itself_without_a_problem(name):
    parameter = PARAMETERS[name]
    value, problem = parameter.parse(parameter.default)
    assert problem is None
    assert VALID[name](value)
    if hasattr(Config, name):
        assert value == getattr(Config(), name)


def test_the_readme_names_every_parameter_every_step_and_every_lab():
    readme = (ROOT / "README.md").read_text()
    rows = [line for line in readme.split("\n") if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert set(PARAMETERS) <= named
    listed = {row.split("|")[1].strip() for row in rows}
    assert {page.slug for page in STEPS} <= listed
    assert {lab.label.en.removeprefix("Why ").lower() for lab in LABS} <= {
        name.lower() for name in listed
    }


def test_every_field_of_a_config_is_a_parameter():
    assert {field.name for field in fields(Config)} <= set(PARAMETERS)


@every_parameter
@settings(max_examples=150, deadline=None)
@given(raw=anything)
def test_no_text_makes_a_parameter_raise_or_leave_its_limits(name, raw):
    """E45: int('abc') would take the whole page down."""
    value, problem = PARAMETERS[name].parse(raw)
    assert VALID[name](value)
    if hasattr(Config, name):
        Config(**{name: value})
    if problem:
        for lang in LANGS:
            assert problem.text(lang, **problem.values)


@pytest.mark.parametrize("name", [n for n, p in PARAMETERS.items() if is_whole(p)])
@settings(max_examples=100, deadline=None)
@given(number=st.integers(-10, 2**40))
def test_a_whole_number_is_taken_as_it_is_or_moved_to_the_nearest_limit_and_said_to_be(
    name, number
):
    value, problem = PARAMETERS[name].parse(str(number))
    assert (value == number) == (problem is None) == VALID[name](number)
    between = value + (1 if number > value else -1)
    assert value == number or not VALID[name](between)


# The rooms of the house: each may import those named beside it, and itself.
ROOMS = {
    "text": set(),
    "core": set(),
    "figures": set(),
    "experiments": {"core"},
    "settings": {"core", "text"},
    "page": {"settings", "core", "text", "figures"},
    "steps": {"page", "settings", "core", "experiments", "figures", "text"},
    "labs": {"page", "settings", "core", "experiments", "figures", "text"},
    "main": {"steps", "labs", "page", "settings", "core", "text", "figures"},
}
# The ground knows nothing of the screen, and what computes nothing of what draws.
FOREIGN = {
    "text": {"streamlit", "plotly", "torch"},
    "core": {"streamlit", "plotly"},
    "figures": {"streamlit"},
    "experiments": {"streamlit", "plotly"},
}


def test_every_room_is_a_package():
    """Without an __init__.py, pytest would import its modules once more, as `state` and so on."""
    folders = {path.parent for path in MODULES.values()}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


def room(module: str) -> str:
    """The room of a module; what is neither a room nor main is part of the frame of a page."""
    top = module.split(".")[1]
    return top if top in ROOMS else "page"


def imports(module: str) -> set[str]:
    """Every module that one imports, `from explorer import x` as explorer.x."""
    found = set()
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            whole = [node.module] if node.module != "explorer" else []
            found |= {*whole, *(f"explorer.{a.name}" for a in node.names if not whole)}
    return found


@every_module
def test_a_room_stands_above_all_that_it_imports(module):
    if module == "explorer":
        assert not imports(module)
        return
    mine = room(module)
    ours = {name for name in imports(module) if name.split(".")[0] == "explorer"}
    assert {room(name) for name in ours} <= ROOMS[mine] | {mine}
    assert not {name.split(".")[0] for name in imports(module)} & FOREIGN.get(mine, set())


@every_module
def test_only_settings_touch_the_session_and_the_url(module):
    if ".settings" in module:
        return
    touched = [
        node.attr
        for node in ast.walk(TREES[module])
        if isinstance(node, ast.Attribute) and node.attr in ("session_state", "query_params")
    ]
    assert not touched


def calls(module: str) -> list[str]:
    """Every call and decorator of a module, as written."""
    found = []
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Call):
            found.append(ast.unparse(node))
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found += map(ast.unparse, node.decorator_list)
    return found


@every_module
@pytest.mark.parametrize(
    "call",
    [
        r"unsafe_allow_html=True",  # E41: user text would be markup
        r"^torch\.manual_seed\(",  # E48: shared by all sessions
        r"use_container_width",
        r"^st\.chat_input\(",  # E30: Enter that picks a Chinese word would send half a sentence
        r"^st\.cache_data\b",  # E47: copies every tensor at every rerun
    ],
)
def test_nothing_is_called_that_is_known_to_go_wrong(module, call):
    assert not [text for text in calls(module) if re.search(call, text)]


@every_module
def test_nothing_is_unpickled(module):
    assert not imports(module) & {"pickle", "dill", "joblib", "shelve"}


@every_module
def test_every_cache_of_runs_is_bounded(module):
    """E49: what is cached by a reader's input must not grow with the readers."""
    for call in calls(module):
        if call.startswith(("st.cache_resource(", "lru_cache(")):
            assert re.search(r"max_entries=\d+|maxsize=\d+|ttl=", call), call


def test_torch_is_not_searched_for_changed_files():
    """E51: the file watcher trips over torch.classes, and costs a class its time."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["fileWatcherType"] == "none"


@every_module
def test_everything_public_has_a_docstring(module):
    missing = [
        node.name
        for body in [TREES[module], *(n for n in TREES[module].body if is_class(n))]
        for node in body.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert not missing
    assert ast.get_docstring(TREES[module])


def is_class(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef)
