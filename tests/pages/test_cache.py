"""What is kept between runs: bounded in bytes, shared by all, and never written to."""

import threading
import time
from dataclasses import fields, replace
from functools import partial

import pytest
import torch
from torch import Tensor

from explorer import runs
from explorer.cache import OWN, TensorCache
from explorer.core import Config, NoTokens, attend
from explorer.core.trace import tensors
from explorer.labs import LABS
from explorer.steps import STEPS
from tests.pages import open_page

KB = 1024


def cache(kilobytes: int) -> TensorCache:
    return TensorCache(kilobytes * KB, lambda value: value)


def fresh() -> list[Tensor]:
    """One tensor of 9 KB, 10 KB with what it takes besides."""
    return [torch.zeros(9 * KB // 4)]


def must_not_be_made():
    raise AssertionError("it is kept")


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
    with pytest.raises(AssertionError, match="kept"):
        kept.get("b", must_not_be_made)


def test_a_storage_that_several_values_share_counts_until_the_last_of_them_is_dropped():
    kept, (shared,) = cache(45), fresh()
    kept.get("a", lambda: [shared])
    kept.get("b", lambda: [shared, shared.view(-1, 2)])  # another tensor of the same storage
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
    together = threading.Barrier(16)

    def make():
        made.append(threading.get_ident())
        time.sleep(0.05)
        return fresh()

    def ask():
        together.wait()
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
            tensor = torch.full((9 * KB // 4,), float(key))
            (got,) = kept.get(key, partial(list, (tensor,)))
            wrong.extend([] if got[0] == key else [key])

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert kept.bytes == 50 * KB


def test_runs_of_other_sentences_share_their_parameters():
    config = Config(d_model=24, h=3, seed=77)
    one, other = runs.run(config), runs.run(replace(config, sentences=("three more words",)))
    assert runs.run(config) is one
    assert other.trace.params is one.trace.params


def test_parameters_that_are_kept_are_not_taken_for_the_run_of_no_sentence():
    runs.run(Config())
    with pytest.raises(NoTokens):
        runs.run(Config(sentences=()))


def test_no_page_writes_to_a_tensor_of_a_run():
    """Every session reads the same ones. torch counts every writing to a tensor."""
    config = Config(sentences=("the cat sat", "on"), d_model=16, h=4)
    trace = runs.run(config).trace
    shared = {name: getattr(trace, name) for name in tensors()}
    shared |= {
        f.name: it
        for f in fields(trace.params)
        if (it := getattr(trace.params, f.name)) is not None
    }
    before = {name: it._version for name, it in shared.items()}
    for page in STEPS + LABS:
        for extra in ({}, {"tab": "numbers", "pick": "output:0,1,2"}):
            values = {
                "sentences": "the cat sat\non",
                "d_model": 16,
                "h": 4,
                "guess": f"{page.slug}:skip",
            }
            assert not open_page(page.slug, **values | extra).exception
    assert runs.run(config).trace is trace
    assert {name: it._version for name, it in shared.items()} == before
    again = attend(config)
    assert all(torch.equal(getattr(again, name), shared[name]) for name in tensors())
