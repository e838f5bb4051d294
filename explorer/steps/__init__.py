"""The twelve steps of the pipeline, in teaching order."""

from explorer.page import Page
from explorer.steps import (
    embedding,
    mask,
    merge,
    mix,
    output,
    position,
    projection,
    scores,
    shapes,
    softmax,
    split,
    tokens,
)

STEPS: tuple[Page, ...] = (
    shapes.PAGE,
    tokens.PAGE,
    embedding.PAGE,
    position.PAGE,
    projection.PAGE,
    split.PAGE,
    scores.PAGE,
    mask.PAGE,
    softmax.PAGE,
    mix.PAGE,
    merge.PAGE,
    output.PAGE,
)
