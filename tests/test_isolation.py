"""Two hundred readers at once: each gets the numbers of a run of their own, and nobody else's."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from random import Random
from threading import Barrier

import torch

from explorer import runs
from explorer.core import Config, Trace, attend, make_params
from explorer.experiments.initialisation import gradients, measure
from explorer.experiments.scaling import dot_products

READERS = 200
TURNS = 3
WORDS = ["我", "爱", "深度", "学习", "the", "cat", "sat", "on", "a", "mat", "3", "5"]


def config_of(reader: int, turn: int) -> Config:
    random = Random(f"{reader} {turn}")
    h = random.choice((1, 2, 4))
    return Config(
        sentences=tuple(" ".join(random.choices(WORDS, k=n)) for n in (3, 1 + reader % 9)),
        d_model=h * random.choice((4, 8)),
        h=h,
        mask=random.choice(("causal", "none")),
        init=random.choice(("default", "xavier", "kaiming")),
        bias=random.random() < 0.5,
        seed=reader,
    )


def differing(got: Trace, alone: Trace) -> list[str]:
    """The fields in which a trace is not the other to the last bit."""
    both = [(got, alone), (got.params, alone.params)]
    pairs = [(f.name, getattr(a, f.name), getattr(b, f.name)) for a, b in both for f in fields(a)]
    return [
        name
        for name, a, b in pairs
        if (isinstance(a, torch.Tensor) and not torch.equal(a, b)) or (name == "tokens" and a != b)
    ]


def test_every_number_of_every_reader_is_that_of_a_run_alone():
    together = Barrier(READERS)

    def read(reader: int) -> list[Trace]:
        together.wait()
        return [runs.run(config_of(reader, turn)).trace for turn in range(TURNS)]

    with ThreadPoolExecutor(READERS) as pool:
        received = list(pool.map(read, range(READERS)))
    for reader, traces in enumerate(received):
        for turn, trace in enumerate(traces):
            config = config_of(reader, turn)
            assert trace.config == config
            assert not differing(trace, attend(config)), config


def test_no_run_was_written_to_by_those_who_share_it():
    """Readers of the same run read one memory; a lab that runs it otherwise must leave it alone."""
    config = config_of(0, 0)
    shared = runs.run(config).trace

    def use(reader: int) -> None:
        trace = runs.run(config).trace
        assert trace.q.data_ptr() == shared.q.data_ptr()
        gradients(config, trace.params, ("xavier", "kaiming")[reader % 2], 2.0)
        runs.checks(config)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(use, range(64)))
    assert not differing(shared, attend(config, make_params(config)))


def test_what_labs_draw_at_once_is_what_they_draw_alone():
    def draw(i: int) -> tuple:
        start = measure.__wrapped__("xavier", 1.0, 8, 2, 4)
        return start.measured, start.scores, float(dot_products(1 + i % 7, 8).sum())

    alone = [draw(i) for i in range(7)]
    with ThreadPoolExecutor(32) as pool:
        at_once = list(pool.map(draw, range(210)))
    assert all(found == alone[i % 7] for i, found in enumerate(at_once))
