"""Sizes of real models, each read from the file or the configuration class named as its source."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Model:
    """The attention of one model: its sizes, which projections have a bias, and who says so.

    `d_k` is the width of a query head, `kv_heads` how many heads have keys and values of their own
    (fewer than h where query heads share them), `bias` one of yes, no, the projections with one,
    or — where the source does not say.
    """

    name: str
    d_model: int
    h: int
    d_k: int
    kv_heads: int
    bias: str
    source: str

    @property
    def width(self) -> int:
        """h·d_k, which need not be d_model."""
        return self.h * self.d_k


_ROWS = json.loads(Path(__file__).with_name("models.json").read_text(encoding="utf-8"))
MODELS = tuple(Model(**row) for row in _ROWS)
