"""The kinds of parameter of a link: how each reads its text, and what it says of a bad one."""

from collections.abc import Callable
from dataclasses import dataclass

from explorer.text import Text

NOT_WHOLE = Text(
    en="`{name}` must be a whole number from {low} to {high}; {used} is used instead of",
    zh="`{name}` 应为 {low} 到 {high} 之间的整数；这里改用 {used}，而不是",
)
NOT_A_CHOICE = Text(
    en="`{name}` must be one of {choices}; {used} is used instead of",
    zh="`{name}` 只能是 {choices} 之一；这里改用 {used}，而不是",
)

NOT_NAMES = Text(
    en="`{name}` may name these, with commas between them: {choices}; it cannot take",
    zh="`{name}` 可以写这些名字，用逗号隔开：{choices}；不认识的是",
)


@dataclass(frozen=True)
class Problem:
    """Why a value of the URL was not taken as it stands: a sentence, and what was received."""

    text: Text
    values: dict[str, object]
    received: str


@dataclass(frozen=True)
class Parameter:
    """A parameter of the link: `default` as it stands in a URL, `parse` never raises.

    Of a text past `longest` the rest is dropped, or the link could not be opened any more.
    """

    default: str
    parse: Callable[[str], tuple[object, Problem | None]]
    longest: int = 100


def size(name: str, default: int | None, low: int, high: int) -> Parameter:
    """A whole number within limits; one beyond them is moved to the nearest limit."""

    def parse(raw: str) -> tuple[int | None, Problem | None]:
        if default is None and not raw:
            return None, None
        try:
            number = int(raw)
        except ValueError:
            used = default
        else:
            used = min(max(number, low), high)
            if used == number:
                return used, None
        words = {"name": name, "low": low, "high": high}
        words["used"] = "d_model / h" if used is None else used  # only d_k may be left open
        return used, Problem(NOT_WHOLE, words, raw)

    return Parameter("" if default is None else str(default), parse)


def choice(name: str, default: str, choices: tuple[str, ...]) -> Parameter:
    """One of a few words."""

    def parse(raw: str) -> tuple[str, Problem | None]:
        if raw in choices:
            return raw, None
        values = {"name": name, "choices": ", ".join(choices), "used": default}
        return default, Problem(NOT_A_CHOICE, values, raw)

    return Parameter(default, parse)


def flag(name: str, default: bool) -> Parameter:
    """true or false."""
    words = choice(name, str(default).lower(), ("true", "false"))

    def parse(raw: str) -> tuple[bool, Problem | None]:
        word, problem = words.parse(raw)
        return word == "true", problem

    return Parameter(words.default, parse)


def names(name: str, choices: tuple[str, ...]) -> Parameter:
    """Any of a few words, with commas between them; what else is named is left out."""

    def parse(raw: str) -> tuple[tuple[str, ...], Problem | None]:
        words = dict.fromkeys(word.strip() for word in raw.split(",") if word.strip())
        known = tuple(word for word in words if word in choices)
        if len(known) == len(words):
            return known, None
        values = {"name": name, "choices": ", ".join(choices)}
        return known, Problem(NOT_NAMES, values, ", ".join(w for w in words if w not in choices))

    return Parameter("", parse, len(",".join(choices)) + 100)


def any_text(default: str = "", longest: int = 100) -> Parameter:
    """A text that only the page that shows it can make sense of."""
    return Parameter(default, lambda raw: (raw, None), longest)
