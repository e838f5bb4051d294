"""A cache bounded in bytes: what it keeps, what it counts, and many threads at once."""

import threading
from dataclasses import dataclass
from functools import partial

import pytest
import torch
from torch import Tensor

from explorer.core.cache import OWN, Cache, memory_of
from explorer.core.config import Config
from explorer.core.pipeline import attend

KB = 1024


@dataclass(frozen=True)
class Held:
    """A record as a run is one."""

    one: Tensor
    other: Tensor | None = None
    name: str = ""


def cache(kilobytes: int) -> Cache:
    return Cache(kilobytes * KB)


def fresh() -> Held:
    """One tensor of 9 KB, 10 KB with what it takes besides."""
    return Held(torch.zeros(9 * KB // 4))


def must_not_be_made():
    raise AssertionError("it is not kept")


def test_the_memory_of_a_record_is_counted_once_and_that_of_records_in_it_too():
    numbers = torch.zeros(1000)
    views = Held(numbers, numbers[10:].view(-1, 2))
    assert sum(memory_of(views).values()) == 4000 + 2 * OWN
    trace = attend(Config())
    every = [it for part in (trace, trace.params) for it in vars(part).values()]
    every = [it for it in every if isinstance(it, Tensor)]
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in every}
    assert sum(memory_of(trace).values()) == sum(storages.values()) + len(every) * OWN


def test_a_value_is_made_once_and_then_shared():
    kept = cache(100)
    first = kept.get("a", fresh)
    assert kept.get("a", must_not_be_made) is first
    assert kept.bytes == 9 * KB + OWN == 10 * KB


def test_what_was_used_longest_ago_is_dropped_first():
    kept = cache(35)
    for key in "abc":
        kept.get(key, fresh)
    kept.get("a", must_not_be_made)
    kept.get("d", fresh)
    assert kept.bytes == 30 * KB
    for key in "acd":
        kept.get(key, must_not_be_made)
    with pytest.raises(AssertionError, match="not kept"):
        kept.get("b", must_not_be_made)


def test_a_storage_that_several_values_share_counts_until_the_last_of_them_is_dropped():
    kept, shared = cache(45), fresh().one
    kept.get("a", lambda: Held(shared))
    kept.get("b", lambda: Held(shared, shared.view(-1, 2)))  # another tensor of the same storage
    assert kept.bytes == 10 * KB + OWN
    for key in "cde":
        kept.get(key, fresh)
    assert kept.bytes == 41 * KB  # without a, of which nothing is freed
    kept.get("f", fresh)
    assert kept.bytes == 40 * KB  # without b, and the storage


def test_a_value_over_the_limit_is_kept_alone():
    kept = cache(5)
    kept.get("a", fresh)
    kept.get("b", fresh)
    assert kept.bytes == 10 * KB
    kept.get("b", must_not_be_made)


def test_an_error_is_raised_and_not_kept():
    kept = cache(100)
    for _ in range(2):
        with pytest.raises(ValueError, match="made"):
            kept.get("a", lambda: (_ for _ in ()).throw(ValueError("made")))
    assert kept.bytes == 0
    kept.get("a", fresh)


def test_many_threads_that_ask_at_once_get_one_value():
    kept, made, got = cache(100), [], []
    asked = threading.Semaphore(0)

    def make():
        made.append(threading.get_ident())
        for _ in range(16):  # until all have asked
            assert asked.acquire(timeout=10)
        return fresh()

    def ask():
        asked.release()
        got.append(kept.get("a", make))

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(got) == 16
    assert len(set(map(id, got))) == 1


def test_threads_that_ask_for_more_than_fits_leave_no_more_than_fits():
    kept, wrong = cache(55), []

    def ask(start: int) -> None:
        for i in range(300):
            key = (start * 7 + i * 3) % 12
            got = kept.get(key, partial(Held, torch.full((9 * KB // 4,), float(key))))
            wrong.extend([] if got.one[0] == key else [key])

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert kept.bytes == 50 * KB


def test_a_value_that_is_too_large_is_made_but_not_kept():
    kept = Cache(100 * KB, largest=9 * KB)
    first = kept.get("a", fresh)
    assert kept.get("a", fresh) is not first
    assert kept.bytes == 0


def test_another_measure_of_memory_is_that_which_counts():
    kept = Cache(10, memory=lambda words: {id(words): len(words)})
    for key in ("first", "second"):
        kept.get(key, key.upper)
    assert kept.bytes == len("SECOND")
    assert kept.get("second", must_not_be_made) == "SECOND"
