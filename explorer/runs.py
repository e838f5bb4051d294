"""Runs, computed once and shared by everyone who asks for the same one."""

from dataclasses import dataclass, replace
from functools import lru_cache

from explorer.core import (
    Config,
    Embedded,
    IndivisibleHeads,
    Trace,
    attend,
    embed,
    make_params,
)
from explorer.core.cache import Cache
from explorer.core.checks import Checks, check
from explorer.core.config import head_size
from explorer.core.device import DEVICE_ERRORS
from explorer.core.limits import LIMITS
from explorer.core.params import Params


class TooLarge(ValueError):
    """A size of a run is past what one run may have; carries its name, the size and the limit."""

    def __init__(self, name: str, size: int, limit: int) -> None:
        self.name, self.size, self.limit = name, size, limit
        super().__init__(f"{name} = {size}, at most {limit}")


@dataclass(frozen=True)
class Run:
    """A run: the whole Trace, or why there is none and the part of it that needs no heads.

    `device_error` is what the chosen device raised, where the CPU had to step in.
    """

    trace: Embedded
    refusal: IndivisibleHeads | TooLarge | None = None
    device_error: Exception | None = None


def run(config: Config) -> Run:
    """Compute a run, or take it from the cache; raises NoTokens where there is nothing to read."""
    try:
        return _run(config)
    except DEVICE_ERRORS as error:
        if config.device == "cpu":
            raise
        return replace(_run(replace(config, device="cpu")), device_error=error)


@lru_cache(maxsize=256)
def checks(config: Config) -> Checks:
    """How far a run is from torch's own attention, and from itself computed in other ways."""
    return check(_run(config).trace)


# What is kept is shared between sessions and never written to. One cache for runs and parameters,
# because a run holds its parameters. (Streamlit's own caches take 2 ms to hash a Config.)
_kept = Cache(LIMITS.cached_mb * 2**20)


def _run(config: Config) -> Run:
    return _kept.get((Run, config), lambda: _compute(config))


def _compute(config: Config) -> Run:
    try:
        trace = _attend(config)
    except (IndivisibleHeads, TooLarge) as refusal:
        return Run(embed(config), refusal)
    return Run(trace)


def _attend(config: Config) -> Trace:
    width = config.h * head_size(config)
    _allow("h·d_k", width, LIMITS.width)
    _allow("d_model·h·d_k", config.d_model * width, LIMITS.elements)
    weights = replace(
        config, sentences=(), tokenizer="word", mask="none", positions=True, scale_embedding=False
    )  # what the parameters do not depend on is set to one value
    params = _kept.get((Params, weights), lambda: make_params(weights))
    B, T = embed(config, params).ids.shape
    _allow("B·h·T²", B * config.h * T * T, LIMITS.elements)
    _allow("B·T·h·d_k", B * T * width, LIMITS.elements)
    return attend(config, params)


def _allow(name: str, size: int, limit: int) -> None:
    if size > limit:
        raise TooLarge(name, size, limit)
