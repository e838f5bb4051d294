"""Runs, computed once and shared by everyone who asks for the same one."""

from dataclasses import dataclass, replace

import streamlit as st

from explorer.core import (
    Config,
    Embedded,
    IndivisibleHeads,
    Params,
    Trace,
    attend,
    embed,
    make_params,
)
from explorer.core.checks import Checks, check
from explorer.core.device import DEVICE_ERRORS
from explorer.settings.parameters import MAX_SCORES


class TooManyScores(ValueError):
    """B·h·T² scores are more than one run may have; carries B, h, T and the limit."""

    def __init__(self, B: int, h: int, T: int) -> None:
        self.B, self.h, self.T, self.limit = B, h, T, MAX_SCORES
        super().__init__(f"B·h·T² = {B * h * T * T} scores, at most {MAX_SCORES}")


@dataclass(frozen=True)
class Run:
    """A run: the whole Trace, or why there is none and the part of it that needs no heads.

    `device_error` is what the chosen device raised, where the CPU had to step in.
    """

    trace: Embedded
    refusal: IndivisibleHeads | TooManyScores | None = None
    device_error: Exception | None = None


def run(config: Config) -> Run:
    """Compute a run, or take it from the cache; raises NoTokens where there is nothing to read."""
    try:
        return _run(config)
    except DEVICE_ERRORS as error:
        if config.device == "cpu":
            raise
        return replace(_run(replace(config, device="cpu")), device_error=error)


def checks(trace: Trace) -> Checks:
    """How far the run is from torch's own attention, computed once."""
    return _checks(trace.config, trace)


# All caches are bounded: at the limits (d_model 1024) an entry holds 60 to 100 MB. The tensors
# are shared between sessions and never written to.
@st.cache_resource(max_entries=12, show_spinner=False)
def _run(config: Config) -> Run:
    try:
        trace = _attend(config)
    except (IndivisibleHeads, TooManyScores) as refusal:
        return Run(embed(config), refusal)
    return Run(trace)


def _attend(config: Config) -> Trace:
    params = _params(replace(config, sentences=(), tokenizer="word", mask="none", positions=True))
    start = embed(config, params)
    B, T = start.ids.shape
    if B * config.h * T * T > MAX_SCORES:
        raise TooManyScores(B, config.h, T)
    return attend(config, params)


@st.cache_resource(max_entries=4, show_spinner=False)
def _params(config: Config) -> Params:
    return make_params(config)


@st.cache_resource(max_entries=256, show_spinner=False)
def _checks(config: Config, _trace: Trace) -> Checks:
    return check(_trace)
