"""A run as a script: executed where there is no explorer, it makes the tensors of the app again."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import fields
from functools import cache, partial
from math import inf
from pathlib import Path

import nbformat
import pytest
import torch

from explorer.core import Config, Embedded, Trace, attend, embed
from explorer.core.trace import PARAM_AXES, lookup
from explorer.downloads import NOTEBOOK, RUN, SCRIPT
from explorer.figures.theme import LIGHT
from explorer.labs import LABS
from explorer.page import Page
from explorer.scene import Scene
from explorer.script import notebook, script
from explorer.settings.focus import Focus
from explorer.steps import STEPS
from explorer.text import LANGS
from tests.pages import PAGES, SLUGS, open_page

LINK = "http://localhost:8501/?page=scores&sentences=%E6%88%91"
HOSTILE = (
    "\"quoted\" 'single' \"\"\" ''' \\ \\n {braces} {0} %s # no comment",
    "a\nraise SystemExit(7)\r\nb\x0bc\x0cd\u2028e\x85f",
    "nul \0 👨‍👩‍👧 👍🏽 e\u0301 \u202eright to left\u202c \u05d0\u05d1\u200f \ud83d `tick` $x$ <b>",
)
RUNS = {
    "default": Config(),
    "bilingual": Config(
        ("我爱你", "the cat sat on the mat"),
        tokenizer="char",
        d_model=12,
        h=3,
        bias=True,
        mask="none",
        init="xavier",
        seed=5,
    ),
    "apart": Config(d_k=5, init="kaiming", positions=False, scale_embedding=True, seed=2**31 - 1),
    "large": Config(("the quick brown fox " * 20,), d_model=64, h=8),
    "hostile": Config(HOSTILE, tokenizer="char"),
    "refused": Config(("我爱你", "深度"), h=3, bias=True),
}
# Executes every script and notebook of a folder, and keeps the tensors that are not too large and
# what was printed.
RUNNER = """
import contextlib, importlib.util, io, json, sys
from pathlib import Path
import torch

assert importlib.util.find_spec("explorer") is None
made, printed = {}, {}
for file in sorted(Path(sys.argv[1]).iterdir()):
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code")
    names, out = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, file.name, "exec"), names)
    printed[file.name] = out.getvalue()
    made[file.name] = {
        name: value
        for name, value in names.items()
        if torch.is_tensor(value) and value.numel() < 50_000
    }
torch.save((made, printed), sys.argv[2])
"""


@cache
def scene(name: str, lang: str = "en") -> Scene:
    config = RUNS[name]
    trace = embed(config) if name == "refused" else attend(config)
    return Scene(trace, Focus(0, 0, 0, 0, 0), lang, LIGHT, "shapes")


def files() -> dict[str, str]:
    """A script and a notebook of every step that each run has; the hostile ones in Chinese."""
    written = {}
    for name in RUNS:
        run = scene(name, "zh" if name == "hostile" else "en")
        for page in STEPS:
            if name != "refused" or not page.needs_heads:
                written[f"{name} {page.slug}.py"] = script(run, page, LINK)
                written[f"{name} {page.slug}.ipynb"] = notebook(run, page, LINK)
    return written


def shown(page: Page, trace: Embedded) -> list[str]:
    return [name for name in page.tensors if lookup(trace, name) is not None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    for name, written in files().items():
        (folder / name).write_text(written, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def executed(folder, tmp_path_factory):
    """The tensors of every file, and what it printed, from one fresh process without explorer."""
    result = tmp_path_factory.mktemp("made") / "made.pt"
    command = [sys.executable, "-I", "-c", RUNNER, str(folder), str(result)]
    subprocess.run(command, cwd=folder.parent, check=True)
    return torch.load(result, weights_only=True)


@pytest.mark.parametrize("run", RUNS)
def test_script_and_notebook_make_the_very_tensors_of_the_run(run, executed):
    trace, (made, _) = scene(run).trace, executed
    mine = {name: tensors for name, tensors in made.items() if name.startswith(run + " ")}
    pages = [page for page in STEPS if run != "refused" or not page.needs_heads]
    assert len(mine) == 2 * len(pages)
    for page in pages:
        for ending in ("py", "ipynb"):
            tensors = mine[f"{run} {page.slug}.{ending}"]
            assert set(shown(page, trace)) <= set(tensors)
            for name, tensor in tensors.items():
                assert tensor.dtype == lookup(trace, name).dtype
                assert torch.equal(tensor, lookup(trace, name)), (page.slug, ending, name)


@pytest.mark.parametrize("page", STEPS, ids=SLUGS)
@pytest.mark.parametrize("ending", ["py", "ipynb"])
def test_what_is_printed_are_the_numbers_of_the_step(page, ending, executed):
    """The default run is small enough to be printed whole, eight decimals of every number."""
    trace, (_, printed) = scene("default").trace, executed
    shapes, *blocks = printed[f"default {page.slug}.{ending}"].rstrip().split("\n\n")
    names = shown(page, trace)
    told = dict(line.split(maxsplit=1) for line in shapes.split("\n"))
    assert set(names) <= set(told)
    assert told == {name: str(tuple(lookup(trace, name).shape)) for name in told}
    blocks = "\n\n".join(blocks).replace("\n\n ", "\n ").split("\n\n")
    assert [block.split()[0] for block in blocks] == names
    for name, block in zip(names, blocks, strict=True):
        head, numbers = block.split("\n", 1)
        tensor = lookup(trace, name)
        assert head == f"{name} {tuple(tensor.shape)}"
        read = eval(numbers, {"tensor": partial(torch.tensor, dtype=torch.float64), "inf": inf})
        torch.testing.assert_close(read, tensor.double(), rtol=0, atol=5.001e-9)


def test_the_script_of_shapes_tells_the_shape_of_every_tensor_and_weight(executed):
    trace, (_, printed) = scene("bilingual").trace, executed
    shapes = printed["bilingual shapes.py"].split("\n\n")[0]
    told = dict(line.split(maxsplit=1) for line in shapes.split("\n"))
    names = [*PARAM_AXES, *trace.__dataclass_fields__]
    expected = {name: lookup(trace, name) for name in names}
    assert told == {
        name: str(tuple(tensor.shape))
        for name, tensor in expected.items()
        if torch.is_tensor(tensor)
    }


def test_a_script_runs_by_itself(folder, executed):
    file = folder / "hostile output.py"
    command = [sys.executable, "-I", str(file)]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    assert done.stdout == executed[1][file.name]
    assert done.stderr == ""


# What a script holds


DECLARED = {field.name: field.metadata.get("operands", {}) for field in fields(Trace)}


def operands(names: Iterable[str]) -> set[str]:
    """Everything that some tensors are declared to be made from, however indirectly."""
    return set(names).union(*(operands(DECLARED.get(name, {})) for name in names))


def names_in(code: str) -> tuple[list[str], set[str]]:
    """The names that a script sets or defines by itself, and those that it reads anywhere."""
    tree = ast.parse(code)
    sets = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    read = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.add(node.id)
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            sets += [target.id for target in statement.targets]
    return sets, read


@pytest.mark.parametrize("page", STEPS, ids=SLUGS)
@pytest.mark.parametrize("run", ["default", "bilingual", "apart"])
def test_a_script_holds_what_its_tensors_are_made_from_and_nothing_else(page, run):
    one = scene(run)
    sets, read = names_in(script(one, page, LINK))
    assert not [name for name in sets if name not in read]
    assert len(set(sets)) == len(sets)
    declared = operands(shown(page, one.trace))
    assert declared & set(PARAM_AXES) == set(sets) & set(PARAM_AXES)
    assert declared <= set(sets)


def test_the_script_of_the_tokens_draws_no_weights_and_that_of_the_scores_no_values():
    tokens, scores = (script(scene("default"), PAGES[slug], LINK) for slug in ("tokens", "scores"))
    assert not [
        word for word in ("W_", "d_model", "def draw_", "project") if word in run_of(tokens)
    ]
    assert "W_V" not in scores
    assert "def project(" in scores


def run_of(code: str) -> str:
    """A script without its head of comments."""
    return code.split("\n\n", 1)[1]


def test_scripts_and_notebooks_have_no_unused_import_and_no_unknown_name(folder):
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "F,E9",
    ]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", STEPS, ids=SLUGS)
def test_a_script_imports_torch_and_the_standard_library_only(page):
    tree = ast.parse(script(scene("bilingual"), page, LINK))
    roots = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add(node.module.split(".")[0])
    assert roots - {"torch"} <= sys.stdlib_module_names


@pytest.mark.parametrize("page", STEPS, ids=SLUGS)
def test_what_the_reader_typed_is_one_literal_and_changes_nothing_else(page):
    """Neither a quote nor a new line, in a sentence or in a link, leads out of where it stands."""
    plain = Scene(
        attend(Config(("我",), tokenizer="char")), Focus(0, 0, 0, 0, 0), "en", LIGHT, "shapes"
    )
    hostile = scene("hostile")
    one = ast.parse(script(plain, page, LINK)).body
    other = ast.parse(script(hostile, page, f"{LINK}\nraise SystemExit(7)\rimport os")).body
    values = []
    for tree in (one, other):
        (at,) = (i for i, node in enumerate(tree) if "sentences" in _targets(node))
        values.append(ast.literal_eval(tree.pop(at).value))
    assert [ast.dump(node) for node in one] == [ast.dump(node) for node in other]
    assert not [row for row in values[1] if "<pad>" in row]
    longest = max(map(len, hostile.trace.tokens))
    padded = [[*row, *["<pad>"] * (longest - len(row))] for row in values[1]]
    assert padded == [list(row) for row in hostile.trace.tokens]


def _targets(node: ast.stmt) -> list[str]:
    return [target.id for target in node.targets] if isinstance(node, ast.Assign) else []


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("page", STEPS, ids=SLUGS)
def test_a_notebook_is_valid_has_not_run_and_holds_no_user_text_in_markdown(page, lang):
    plain, hostile = (notebook(scene(run, lang), page, LINK) for run in ("default", "hostile"))
    cells = []
    for written in (plain, hostile):
        read = nbformat.reads(written, as_version=4)
        nbformat.validate(read, relax_add_props=False)
        assert not [
            cell for cell in read.cells if cell.get("outputs") or cell.get("execution_count")
        ]
        cells.append([c.source for c in read.cells if c.cell_type == "markdown"])
    assert cells[0] == cells[1]
    assert page.title(lang) in cells[0][0]
    sources = [cell["source"] for cell in json.loads(plain)["cells"]]
    assert all(source.strip() for source in sources)


@pytest.mark.parametrize("lang", LANGS)
def test_the_head_tells_the_sentence_the_sizes_the_link_and_how_the_tokens_were_cut(lang):
    head = script(scene("apart", lang), PAGES["scores"], LINK).split("\n\n")[0]
    assert all(line.startswith("#") for line in head.split("\n"))
    for told in ("'我爱深度学习'", "B = 1, T = 4, d_model = 8, h = 2, d_k = 5", LINK):
        assert told in head
    words = script(scene("default", lang), PAGES["tokens"], LINK)
    characters = script(scene("bilingual", lang), PAGES["tokens"], LINK)
    assert "rjieba" in words
    assert "rjieba" not in characters
    long = script(scene("large", lang), PAGES["tokens"], LINK)
    assert "64" in long.split("sentences = [")[0].split("\n")[-2]
    assert "64" not in words


@pytest.mark.parametrize("run", ["bilingual", "apart"])
def test_every_tensor_is_made_on_the_device_chosen(run):
    """On `meta`, which every machine has: torch refuses to mix it with tensors of the CPU."""
    code, names = script(scene(run), PAGES["shapes"], LINK), {}
    assert "device = 'cpu'" in code
    exec(code.replace("device = 'cpu'", "device = 'meta'"), names)
    made = [value for value in names.values() if torch.is_tensor(value)]
    assert made
    assert {tensor.device.type for tensor in made} == {"meta"}


def test_a_run_without_heads_stops_at_x():
    code = run_of(script(scene("refused"), PAGES["shapes"], LINK))
    assert "x = add_positions(" in code
    assert not [name for name in ("W_Q", "split_heads", "d_k") if name in code]


# On the page


def buttons(at) -> list[str]:
    return [button.label for button in at.get("download_button")]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("page", STEPS, ids=SLUGS)
def test_a_step_offers_script_and_notebook_to_take_along(page, lang):
    at = open_page(page.slug, lang, tab="take")
    assert buttons(at) == [SCRIPT(lang), NOTEBOOK(lang), RUN(lang)]
    assert not buttons(open_page(page.slug, lang, tab="code"))


def test_a_step_without_heads_offers_its_script_too():
    at = open_page("shapes", h=3, tab="take")
    assert not at.exception
    assert buttons(at) == [SCRIPT("en"), NOTEBOOK("en"), RUN("en")]


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_a_lab_has_no_script(lab):
    assert SCRIPT("en") not in buttons(open_page(lab.slug, tab="take"))
