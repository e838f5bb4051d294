"""The code that ran, as text: a function, or all the lines that lead to a tensor."""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType

from explorer.core.params import make_params
from explorer.core.pipeline import attend, embed

RUN = (make_params, embed, attend)  # together they are the whole run, in this order
# Written down with a run instead of computed: cutting up sentences needs more than torch, and
# d_k may be set apart.
GIVEN = frozenset({"sentences", "d_k"})


@dataclass(frozen=True)
class Line:
    """A statement of the run: its text, the names that it sets and reads, where they are known."""

    text: str
    sets: frozenset[str]
    reads: frozenset[str]
    module: ModuleType


@dataclass
class Stage:
    """Lines of a run, and the functions and constants that no stage before has needed."""

    definitions: list[str]
    lines: list[str]


@dataclass
class Recipe:
    """How tensors are made from nothing but torch: `inputs` are the names to be set first."""

    imports: set[str] = field(default_factory=set)
    inputs: set[str] = field(default_factory=set)
    stages: list[Stage] = field(default_factory=list)


def recipe(names: tuple[str, ...]) -> Recipe:
    """The lines of a run that the tensors `names` need, with the functions that these call.

    The inputs left open are GIVEN or attributes of Config.

    >>> recipe(("x",)).stages[-1].lines
    ['x = add_positions(embedding, position)']
    """
    lines, made, defined = _needed(names), Recipe(), {}
    for line in lines:
        known, before = line.reads & set(vars(line.module)), len(defined)
        for name in sorted(known):
            _define(name, line.module, made.imports, defined)
        if len(defined) > before or not made.stages:
            made.stages.append(Stage(list(defined.values())[before:], []))
        made.stages[-1].lines.append(line.text)
        made.inputs |= line.reads - known
    made.inputs -= {name for line in lines for name in line.sets}
    return made


@cache
def source(function: Callable) -> str:
    """The source of a function as it ran, its docstring folded away."""
    lines = inspect.getsource(function).splitlines()
    (definition,) = ast.parse("\n".join(lines)).body
    docstring = definition.body[0]
    return "\n".join(lines[: docstring.lineno - 1] + lines[docstring.end_lineno :])


def _needed(names: tuple[str, ...]) -> list[Line]:
    """The lines of the run without which one of `names` would not be there, in order."""
    needed, kept = set(names), []
    for line in reversed(_lines()):
        if line.sets & needed and not line.sets & GIVEN:
            kept.append(line)
            needed |= line.reads
    return kept[::-1]


@cache
def _lines() -> tuple[Line, ...]:
    """Every statement of the run that sets a name, as it reads where all names are plain."""
    return tuple(line for function in RUN for line in _lines_of(function))


def _lines_of(function: Callable) -> Iterator[Line]:
    text, module = re.sub(r"\b(config|params|start)\.", "", source(function)), _home(function)
    for statement in ast.parse(text).body[0].body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        sets = frozenset(node.id for node in names if isinstance(node.ctx, ast.Store))
        reads = frozenset(node.id for node in names if isinstance(node.ctx, ast.Load))
        lines = textwrap.dedent(ast.get_source_segment(text, statement, padded=True))
        left, _, right = lines.partition(" = ")
        if left != right:  # h = config.h has become h = h
            yield Line(lines, sets, reads, module)


def _define(name: str, module: ModuleType, imports: set[str], defined: dict[str, str]) -> None:
    """Add what `name` means in a module: an import, or a definition after those that it needs."""
    value = inspect.unwrap(vars(module)[name])
    if inspect.ismodule(value):
        package, _, last = value.__name__.rpartition(".")
        text = f"from {package} import {last}" if package else f"import {last}"
        imports.add(text if last == name else f"{text} as {name}")
    elif inspect.isclass(value):
        imports.add(f"from {value.__module__} import {name}")
    elif inspect.isfunction(value):
        tree, home = ast.parse(source(value)), _home(value)
        words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for word in sorted(words & set(vars(home)) - set(value.__code__.co_varnames)):
            _define(word, home, imports, defined)
        defined[name] = source(value)
    else:
        defined[name] = f"{name} = {value!r}"


def _home(function: Callable) -> ModuleType:
    return sys.modules[function.__module__]
