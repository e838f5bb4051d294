"""How much one request may ask for, and how much is kept: in one place, set by the environment."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

PREFIX = "ATTENTION_MAX_"


class BadLimit(ValueError):
    """A variable of the environment that is no limit; says which, its value, what is expected."""


def limit(default: int, least: int) -> int:
    """Declare a limit; below `least` the app's own default run would not fit."""
    return field(default=default, metadata={"least": least})


@dataclass(frozen=True)
class Limits:
    """The largest sizes of a run; ATTENTION_MAX_TOKENS and so on set others.

    `elements` bounds the work, however sizes are combined: no tensor of a run may have more. By
    default W_Q of the largest d_model may be square. Only W_E is larger: its V is fixed.
    """

    sentences: int = limit(4, 1)
    characters: int = limit(2_000, 16)
    tokens: int = limit(64, 4)  # of a sentence: a heatmap of more rows could not be read
    d_model: int = limit(1024, 8)
    h: int = limit(1024, 2)
    width: int = limit(4096, 64)  # of h·d_k
    elements: int = limit(2**20, 4096)
    cached_mb: int = limit(512, 1)  # of runs and parameters; each process has its own
    pictures_mb: int = limit(128, 1)  # of finished figures, as they are sent

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Limits":
        """The limits that an environment sets; raises BadLimit.

        >>> Limits.of({"ATTENTION_MAX_TOKENS": "32"}).tokens
        32
        """
        named = {PREFIX + field.name.upper(): field for field in fields(cls)}
        found = {}
        for name, text in environment.items():
            if name in named:
                found[named[name].name] = _whole(name, text, named[name].metadata["least"])
            elif name.startswith(PREFIX):
                raise BadLimit(f"{name}={text!r}: no such limit; there are {', '.join(named)}")
        return cls(**found)


def _whole(name: str, text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise BadLimit(f"{name}={text!r}: expected a whole number of at least {least}")
    return number


try:
    LIMITS = Limits.of(os.environ)
except BadLimit as error:
    sys.exit(str(error))  # who starts the app gets a sentence, not a traceback


def widest(d_model: int) -> int:
    """The largest h·d_k that a run with this d_model may have.

    >>> widest(1024), widest(8)
    (1024, 4096)
    """
    return min(LIMITS.width, LIMITS.elements // d_model)
