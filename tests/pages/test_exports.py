"""What is taken along: tensors as files that others read, and pictures called by step and run."""

import json
import re
from dataclasses import fields
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
import safetensors
import safetensors.torch
import torch

from explorer.core import Config, Params, attend, embed
from explorer.core.trace import axes, lookup, tensors
from explorer.exports import csv, npy, safetensors_of
from explorer.labs import LABS
from explorer.steps import STEPS
from tests.pages import charts, open_page

CONFIG = Config(
    ("the cat sat", '"我"\n爱'), "char", d_model=6, h=3, bias=True, scale_embedding=True, seed=4
)
RUN = attend(CONFIG)
LINK = "http://localhost:8501?sentences=x&seed=4&page=split"
PARAMETERS = [field.name for field in fields(Params)]


@pytest.mark.parametrize("name", ["ids", "x", "b_O", "W_Q", "mask", "masked_scores", "attn"])
def test_a_csv_reads_back_as_the_same_tensor(name):
    """In long form: a column for each axis, then the value."""
    tensor = lookup(RUN, name)
    read = pd.read_csv(BytesIO(csv(name, tensor)))
    assert list(read) == [*axes(name), "value"]
    assert len(read) == tensor.numel()
    again = np.full(tensor.shape, np.nan, np.float32)
    again[tuple(read[axis] for axis in axes(name))] = read["value"]
    np.testing.assert_array_equal(again, tensor.numpy())


@pytest.mark.parametrize("name", [*tensors(), *PARAMETERS])
def test_an_npy_reads_back_as_the_same_tensor_without_pickle(name):
    tensor = lookup(RUN, name)
    read = np.load(BytesIO(npy(tensor)), allow_pickle=False)
    assert torch.from_numpy(read).dtype == tensor.dtype
    np.testing.assert_array_equal(read, tensor.numpy())


def test_a_safetensors_holds_every_tensor_and_parameter_of_the_run():
    read = safetensors.torch.load(safetensors_of(RUN, LINK))
    assert set(read) == {*tensors(), *PARAMETERS}
    for name, tensor in read.items():
        torch.testing.assert_close(tensor, lookup(RUN, name), rtol=0, atol=0)


def test_its_metadata_makes_the_same_run_again(tmp_path):
    file = tmp_path / "run.safetensors"
    file.write_bytes(safetensors_of(RUN, LINK))
    with safetensors.safe_open(file, "pt") as opened:
        metadata = opened.metadata()
        output = opened.get_tensor("output")
    assert metadata.pop("link") == LINK
    told = {name: json.loads(text) for name, text in metadata.items()}
    assert told.pop("tokens") == [list(row) for row in RUN.tokens]
    config = Config(**told | {"sentences": tuple(told["sentences"])})
    assert set(told) == {field.name for field in fields(Config)}
    assert config == CONFIG
    torch.testing.assert_close(attend(config).output, output, rtol=0, atol=0)


def test_a_run_without_heads_or_bias_gives_what_it_has():
    refused = safetensors.torch.load(safetensors_of(embed(Config(d_model=8, h=3)), LINK))
    assert set(refused) == {"W_E", "ids", "embedding", "position", "x"}
    plain = safetensors.torch.load(safetensors_of(attend(Config()), LINK))
    assert set(plain) == {*tensors(), "W_E", "W_Q", "W_K", "W_V", "W_O"}


@pytest.mark.parametrize("page", STEPS + LABS, ids=lambda page: page.slug)
def test_each_figure_of_a_page_is_saved_under_a_name_of_its_own(page):
    """Named after step, figure and run, 1920 pixels wide and as high as it is drawn."""
    at = open_page(page.slug, lang="zh", seed=7, guess=f"{page.slug}:skip")
    names = []
    for element, chart in zip(at.get("plotly_chart"), charts(at).values(), strict=True):
        config = json.loads(element.proto.config)
        picture = config["toImageButtonOptions"]
        assert picture["width"] * picture["scale"] == 1920
        assert picture["height"] == chart.layout["height"]
        assert config["modeBarButtons"] == [["toImage"]]
        names.append(picture["filename"])
    assert names
    assert len(set(names)) == len(names)
    assert not [n for n in names if not re.fullmatch(rf"{page.slug}-[\w-]+-d8-h2-seed7", n, re.A)]
