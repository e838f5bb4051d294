"""The pinned run in a link: the fields of its Config that differ from the defaults, as one text."""

import re
from dataclasses import fields
from urllib.parse import parse_qsl, quote, urlencode

from explorer.core import Config
from explorer.settings.kinds import Parameter, Problem
from explorer.text import Text

MARK = "?"  # so that a pinned run of defaults is not the same text as no pin
UNKNOWN = Text(
    en="`pin` names fields of a run, like {example}; not understood was",
    zh="`pin` 里应是一次运行的各个设置，例如 {example}；没有看懂的是",
)
IN_PIN = Text(en="In the pinned run: ", zh="已固定的运行：")
EXAMPLE = f"`{MARK}d_model=16&h=4`"
DEFAULTS = vars(Config())


def pin(parameters: dict[str, Parameter]) -> Parameter:
    """The pinned run, None where there is none; its fields are read by their own `parameters`."""

    def parse(raw: str) -> tuple[Config | None, Problem | None]:
        if not raw:
            return None, None
        given = dict(parse_qsl(raw.removeprefix(MARK), keep_blank_values=True))
        known = {name: text for name, text in given.items() if name in parameters}
        read = {name: parameters[name].parse(text) for name, text in known.items()}
        problems = [_in_pin(problem) for _, problem in read.values() if problem]
        if known != given or (not given and raw != MARK):
            problems.append(Problem(UNKNOWN, {"example": EXAMPLE}, raw))
        config = Config(**{name: value for name, (value, _) in read.items()})
        return config, next(iter(problems), None)

    longest = sum(3 * parameter.longest + len(name) + 2 for name, parameter in parameters.items())
    return Parameter("", parse, longest)


def pin_text(config: Config) -> str:
    """The text that pins a run.

    >>> pin_text(Config()), pin_text(Config(d_model=16, h=4))
    ('?', '?d_model=16&h=4')
    """
    values = {field.name: getattr(config, field.name) for field in fields(Config)}
    given = {name: _text(value) for name, value in values.items() if value != DEFAULTS[name]}
    return MARK + urlencode(given, quote_via=_quote)


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return "\n".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quote(text: str, *_: object) -> str:
    """Only what would be read as something else: the link quotes all of it once more."""
    return re.sub(r"[%&=+;#\s]", lambda found: quote(found[0]), text, flags=re.ASCII)


def _in_pin(problem: Problem) -> Problem:
    text = Text(en=IN_PIN.en + problem.text.en, zh=IN_PIN.zh + problem.text.zh)
    return Problem(text, problem.values, problem.received)
