"""The parameters of the labs: what each lets the reader change, and the guess before its answer."""

import math
import re

from explorer.core.limits import LIMITS
from explorer.settings.kinds import Parameter, Problem, any_text, choice, size
from explorer.text import Text

MAX_AXES = 4  # of a small tensor that is looked at cell by cell
MAX_CELLS = 64
NOT_A_SHAPE = Text(
    en="`shape` must be 1 to {axes} whole numbers with a product of at most {cells}, like 2,3; "
    "{used} is used instead of",
    zh="`shape` 应为 1 到 {axes} 个整数，乘积不超过 {cells}，例如 2,3；这里改用 {used}，而不是",
)


def parse_guess(raw: str) -> tuple[tuple[str, str], Problem | None]:
    """`lab:answer` → (lab, answer)."""
    lab, _, answer = raw.partition(":")
    return (lab, answer), None


def parse_shape(raw: str) -> tuple[tuple[int, ...], Problem | None]:
    """Whole numbers with commas or spaces between them; (2, 3) where they are no small shape."""
    if re.fullmatch(r"[(\[\s]*[1-9]\d?(?:[,\s]+[1-9]\d?)*[)\],\s]*", raw, re.ASCII):
        shape = tuple(map(int, re.findall(r"\d+", raw)))
        if len(shape) <= MAX_AXES and math.prod(shape) <= MAX_CELLS:
            return shape, None
    words = {"axes": MAX_AXES, "cells": MAX_CELLS, "used": "2, 3"}
    return (2, 3), Problem(NOT_A_SHAPE, words, raw)


LAB_PARAMETERS: dict[str, Parameter] = {
    "guess": Parameter("", parse_guess),
    "merge": choice("merge", "transpose", ("transpose", "view")),
    "shape": Parameter("2,3", parse_shape),
    "ops": any_text("transpose(0, 1)", 200),
    "keys": size("keys", 8, 2, 64),
    "width": size("width", 64, 1, 512),
    "method": choice("method", "xavier", ("zeros", "default", "xavier", "kaiming", "kaiming_relu")),
    "gain": choice("gain", "1", ("0.25", "0.5", "1", "2", "4", "8")),
    "first": any_text("我爱你", 60),
    "second": any_text("你爱我", 60),
    "cut": choice("cut", "char", ("char", "word")),
    "way": any_text("multiplied"),
    "until": size("until", 2, 1, LIMITS.tokens),
    "model": any_text(),
    "parts": size("parts", 7, 1, 64),
}
