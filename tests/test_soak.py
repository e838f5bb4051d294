"""Memory over many changes of configuration, in a short form of `python -m tests.bench.soak`."""

import asyncio

import pytest

from tests.bench.soak import MOST, slope, soak

CHANGES = 400
# What is kept of the last few hundred runs (tokens, ids, measurements) is still filling up by then.
EARLY = 60_000  # bytes a change


@pytest.mark.slow
def test_memory_grows_less_and_less():
    sizes = asyncio.run(soak(CHANGES))
    assert slope(sizes) < EARLY


def test_the_slope_is_that_of_the_second_half_alone():
    assert slope([0, 500, 900, 1000, 1003, 1006, 1009, 1012]) == pytest.approx(3)
    assert MOST == 5_000
