"""Limits from the environment, and the cache that is bounded in bytes."""

import os
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from threading import Barrier, Thread

import pytest
import torch

from explorer.core import Config, attend
from explorer.core.cache import kept, size_of
from explorer.core.limits import PREFIX, BadLimit, Limits

ROOT = Path(__file__).parents[2]


def test_without_a_word_from_the_host_the_limits_are_the_defaults():
    assert Limits.of({"PATH": "/bin", "ATTENTION": "1"}) == Limits()


@pytest.mark.parametrize("field", fields(Limits), ids=lambda field: field.name)
def test_every_limit_can_be_set_and_holds_the_run_of_a_bare_link(field):
    least = field.metadata["least"]
    assert getattr(Limits.of({PREFIX + field.name.upper(): str(least)}), field.name) == least
    B, T, (d_model, h) = 1, 4, (Config().d_model, Config().h)
    needed = {"sentences": B, "tokens": T, "d_model": d_model, "h": h, "width": d_model}
    needed |= {"characters": len(Config().sentences[0]), "elements": d_model * d_model}
    assert least >= needed.get(field.name, 1)


@pytest.mark.parametrize("field", fields(Limits), ids=lambda field: field.name)
def test_the_readme_names_every_limit_with_its_default(field):
    rows = (ROOT / "README.md").read_text().split("\n")
    (row,) = (row for row in rows if row.startswith(f"| `{PREFIX}{field.name.upper()}` |"))
    assert row.endswith(f"| {field.default:,} |")


@pytest.mark.parametrize("text", ["many", "", "0", "-1", "1.5", "1e3", "inf", "3"])
def test_a_limit_that_is_none_is_refused_with_its_name_and_value(text):
    name = f"{PREFIX}TOKENS"
    with pytest.raises(BadLimit, match=name) as caught:
        Limits.of({name: text})
    assert repr(text) in str(caught.value)
    assert "at least 4" in str(caught.value)


def test_a_misspelt_limit_is_refused_with_those_there_are():
    with pytest.raises(BadLimit, match="ATTENTION_MAX_TOKEN=") as caught:
        Limits.of({"ATTENTION_MAX_TOKEN": "8"})
    assert "ATTENTION_MAX_TOKENS" in str(caught.value)


def test_a_wrong_limit_ends_the_start_of_the_app_with_a_sentence():
    ended = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"],
        env=os.environ | {f"{PREFIX}D_MODEL": "lots"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode
    assert "ATTENTION_MAX_D_MODEL='lots': expected a whole number of at least 8" in ended.stderr
    assert "Traceback" not in ended.stderr


@dataclass(frozen=True)
class Held:
    numbers: torch.Tensor
    view: torch.Tensor
    name: str = ""


def test_the_size_of_a_record_counts_its_memory_once():
    numbers = torch.zeros(1000)
    assert size_of(Held(numbers, numbers[10:].view(-1, 2))) == 4000
    trace = attend(Config())
    storages = {
        t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors(trace)
    }
    assert size_of(trace) == sum(storages.values())


def tensors(record) -> list[torch.Tensor]:
    every = [*vars(record).values(), *vars(record.params).values()]
    return [value for value in every if isinstance(value, torch.Tensor)]


def test_what_was_asked_for_last_stays_as_far_as_there_is_room():
    computed = []

    @kept(3000 / 2**20)
    def work(n: int) -> torch.Tensor:
        computed.append(n)
        return torch.zeros(250)  # 1000 bytes

    for n in (1, 2, 3, 1, 4, 1, 3, 2):
        work(n)
    assert computed == [1, 2, 3, 4, 2]


def test_what_is_larger_than_the_room_is_given_but_not_kept():
    computed = []

    @kept(1 / 2**20)
    def work(n: int) -> torch.Tensor:
        computed.append(n)
        return torch.full((100,), n)

    assert [float(work(7)[0]), float(work(7)[0])] == [7, 7]
    assert computed == [7, 7]


def test_an_error_is_raised_every_time():
    @kept(1)
    def work(n: int) -> torch.Tensor:
        raise ValueError(n)

    for _ in range(2):
        with pytest.raises(ValueError, match="5"):
            work(5)


def test_threads_that_ask_at_once_are_all_given_what_they_asked_for():
    @kept(2000 / 2**20)
    def work(n: int) -> torch.Tensor:
        return torch.full((100,), float(n))

    wrong, start = [], Barrier(8)

    def ask(first: int) -> None:
        start.wait()
        for i in range(2000):
            n = (first + i * i) % 13
            if float(work(n)[99]) != n:
                wrong.append(n)

    threads = [Thread(target=ask, args=(first,)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
