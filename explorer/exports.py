"""What a reader takes along: tensors as files, and how these and the pictures are called."""

import io
import json
import re
from dataclasses import asdict

import numpy as np
import pyarrow as pa
import safetensors.numpy
import torch
from pyarrow.csv import write_csv
from torch import Tensor

from explorer.core import Config, Embedded
from explorer.core.trace import PARAM_AXES, axes, lookup, tensors


def file_name(*parts: str) -> str:
    """Parts as one name that every system takes.

    >>> file_name("scores", "attn", "d8-h2-seed0")
    'scores-attn-d8-h2-seed0'
    >>> file_name("order", "图 1/2")
    'order-1-2'
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", "-".join(parts)).strip("-")


def short_name(config: Config) -> str:
    """A run in a few words, for the name of a file.

    >>> short_name(Config()), short_name(Config(d_k=5, seed=7))
    ('d8-h2-seed0', 'd8-h2-dk5-seed7')
    """
    d_k = f"-dk{config.d_k}" if config.d_k else ""
    return f"d{config.d_model}-h{config.h}{d_k}-seed{config.seed}"


def csv(name: str, tensor: Tensor) -> bytes:
    """A tensor in long form: one line an element, a column for each axis, then the value.

    Floats are written so that they read back as the same float32. Arrow, which comes with
    Streamlit, writes the four million lines of the largest weights in the time pandas takes for
    a tenth of them.
    """
    index = torch.cartesian_prod(*map(torch.arange, tensor.shape)).reshape(-1, tensor.dim())
    columns = {axis: index[:, i].numpy() for i, axis in enumerate(axes(name))}
    columns["value"] = _array(tensor).ravel()
    file = io.BytesIO()
    write_csv(pa.table(columns), file)
    return file.getvalue()


def npy(tensor: Tensor) -> bytes:
    """A tensor as NumPy's own file, which `numpy.load(file, allow_pickle=False)` reads."""
    file = io.BytesIO()
    np.save(file, _array(tensor), allow_pickle=False)
    return file.getvalue()


def safetensors_of(run: Embedded, link: str) -> bytes:
    """Every tensor and parameter that a run has, by name, as one .safetensors.

    Its metadata holds each field of Config and the tokens as JSON, and the `link` to the run.
    A file has no views: each tensor is written whole, in the order of its own axes.
    """
    named = {name: lookup(run, name) for name in (*tensors(), *PARAM_AXES)}
    arrays = {name: _array(tensor) for name, tensor in named.items() if tensor is not None}
    told = asdict(run.config) | {"tokens": run.tokens}
    metadata = {name: json.dumps(value, ensure_ascii=False) for name, value in told.items()}
    return safetensors.numpy.save(arrays, metadata | {"link": link})


def _array(tensor: Tensor) -> np.ndarray:
    return np.ascontiguousarray(tensor.detach().cpu().numpy())
