"""Memory over many changes of configuration, in a short form of `python -m tests.bench.soak`."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.bench.soak import MOST, slope, soak

CHANGES = 800
EARLY = 25_000  # bytes a change: over so few, what the allocator gives back and takes is more


@pytest.mark.slow
def test_memory_levels_off():
    with ThreadPoolExecutor(1) as pool:  # a thread of its own: browser tests have a loop in theirs
        sizes = pool.submit(asyncio.run, soak(CHANGES)).result()
    assert slope(sizes) < EARLY


def test_the_slope_is_that_of_the_second_half_alone():
    assert slope([0, 500, 900, 1000, 1003, 1006, 1009, 1012]) == pytest.approx(3)
    assert MOST == 5_000
