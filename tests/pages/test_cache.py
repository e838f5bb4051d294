"""What is kept between runs: shared by all, and never written to."""

from dataclasses import fields, replace

import pytest
import torch

from explorer import pictures, runs
from explorer.core import Config, NoTokens, attend
from explorer.core.cache import Cache
from explorer.core.trace import tensors
from explorer.labs import LABS
from explorer.steps import STEPS
from tests.pages import open_page, shown


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


@pytest.mark.parametrize("page", STEPS, ids=lambda page: page.slug)
def test_a_page_whose_pictures_are_kept_is_the_page_as_it_was_drawn(page, monkeypatch):
    kept = Cache(2**24, lambda packed: {id(packed): 1})
    monkeypatch.setattr(pictures, "_kept", kept)
    values = {"sentences": "kept words\non two lines", "d_model": 12, "h": 3, "pick": "q:0,1,5"}
    drawn, get = shown(open_page(page.slug, "zh", **values)), kept.get
    monkeypatch.setattr(kept, "get", lambda key, draw: get(key, must_not_be_drawn))
    assert shown(open_page(page.slug, "zh", **values)) == drawn


def must_not_be_drawn():
    raise AssertionError("not kept")
