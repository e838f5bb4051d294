"""Every parameter of a link: its default, its limits, and what a text in a URL is taken for."""

import re
from dataclasses import fields

from explorer.core.config import CHOICES, Config
from explorer.core.limits import LIMITS
from explorer.core.trace import PARAM_AXES, axes, tensors
from explorer.settings.kinds import Parameter, Problem, any_text, choice, flag, names, size
from explorer.settings.lab_parameters import LAB_PARAMETERS
from explorer.settings.pin import pin
from explorer.text import LANGS, Text

LEFT_OVER = 60  # of the characters past that are kept, to say where the text was cut
WINDOW = 64  # columns of a tensor shown at once
MAX_PAIRS = 6  # of dimensions, drawn as curves
MAX_SEED = 2**31 - 1

# The controls that a link may hide, in the order in which a reader meets them.
HIDEABLE = (
    *("lang", "sentences", "examples", "tokenizer", "d_model", "h", "device", "more"),
    *("mask", "init", "positions", "scale_embedding", "bias", "seed", "d_k"),
    *("pin", "item", "head", "query", "key", "window"),
)

NOT_PAIRS = Text(
    en="`pairs` must be up to {limit} different whole numbers from 0 to {high}, like 0,3; {used} "
    "is used instead of",
    zh="`pairs` 应为 0 到 {high} 之间互不相同的整数，至多 {limit} 个，例如 0,3；"
    "这里改用 {used}，而不是",
)
NOT_AN_ELEMENT = Text(
    en="`pick` must be a tensor of the run and an index into it, like scores:0,0,3,1; nothing is "
    "picked instead of",
    zh="`pick` 应为一个张量和它的下标，例如 scores:0,0,3,1；这里什么也不选，而不是",
)
TOO_MANY_LINES = Text(
    en="At most {limit} sentences (lines) are read; these were left out:",
    zh="最多读取 {limit} 句（每行一句）；以下内容未读：",
)
TOO_MANY_CHARS = Text(
    en="At most {limit} characters are read; left out was everything from",
    zh="最多读取 {limit} 个字符；从这里起的内容未读：",
)


def parse_sentences(raw: str) -> tuple[tuple[str, ...], Problem | None]:
    """Lines to sentences: blank ones dropped, the rest up to the limits."""
    text = raw[: LIMITS.characters]
    lines = [line for line in text.split("\n") if line.strip()]
    kept, left = tuple(lines[: LIMITS.sentences]), lines[LIMITS.sentences :]
    if left:
        return kept, Problem(TOO_MANY_LINES, {"limit": LIMITS.sentences}, " / ".join(left))
    if len(raw) > LIMITS.characters:
        return kept, Problem(
            TOO_MANY_CHARS, {"limit": LIMITS.characters}, raw[LIMITS.characters :][:LEFT_OVER]
        )
    return kept, None


def parse_pairs(raw: str) -> tuple[tuple[int, ...], Problem | None]:
    """Numbers of pairs of dimensions, separated by commas; () where none is asked for."""
    words = [word.strip() for word in raw.split(",") if word.strip()]
    numbers = [int(word) for word in words if word.isdecimal() and len(word) <= 4]
    pairs = tuple(dict.fromkeys(i for i in numbers if i < LIMITS.d_model // 2))[:MAX_PAIRS]
    if len(pairs) == len(words):
        return pairs, None
    used = ", ".join(map(str, pairs)) or "—"
    values = {"limit": MAX_PAIRS, "high": LIMITS.d_model // 2 - 1, "used": used}
    return pairs, Problem(NOT_PAIRS, values, raw)


def parse_pick(raw: str) -> tuple[tuple[str, tuple[int, ...]] | None, Problem | None]:
    """`tensor:index` → the name of a tensor or parameter and an index; None where nothing is."""
    name, _, index = raw.partition(":")
    numbers = index.split(",")
    whole = all(re.fullmatch(r"\d{1,7}", number, re.ASCII) for number in numbers)
    if whole and name in (*tensors(), *PARAM_AXES) and len(numbers) == len(axes(name)):
        return (name, tuple(map(int, numbers))), None
    return None, Problem(NOT_AN_ELEMENT, {}, raw) if raw else None


_DEFAULTS = Config()

_RUN: dict[str, Parameter] = {
    "sentences": Parameter(
        "\n".join(_DEFAULTS.sentences), parse_sentences, LIMITS.characters + LEFT_OVER
    ),
    "tokenizer": choice("tokenizer", _DEFAULTS.tokenizer, CHOICES["tokenizer"]),
    "d_model": size("d_model", _DEFAULTS.d_model, 1, LIMITS.d_model),
    "h": size("h", _DEFAULTS.h, 1, LIMITS.h),
    "d_k": size("d_k", _DEFAULTS.d_k, 1, LIMITS.d_model),
    "mask": choice("mask", _DEFAULTS.mask, CHOICES["mask"]),
    "init": choice("init", _DEFAULTS.init, CHOICES["init"]),
    "bias": flag("bias", _DEFAULTS.bias),
    "positions": flag("positions", _DEFAULTS.positions),
    "scale_embedding": flag("scale_embedding", _DEFAULTS.scale_embedding),
    "seed": size("seed", _DEFAULTS.seed, 0, MAX_SEED),
    "device": choice("device", _DEFAULTS.device, CHOICES["device"]),
}

# In the order of a link. The fields of Config first, then what is looked at and how.
PARAMETERS: dict[str, Parameter] = {
    **_RUN,
    "pin": pin(_RUN),
    "lang": choice("lang", "en", LANGS),
    "item": size("item", 0, 0, LIMITS.sentences - 1),
    "head": size("head", 0, 0, LIMITS.h - 1),
    "query": size("query", 3, 0, LIMITS.tokens - 1),  # one that sees more than itself
    "key": size("key", 1, 0, LIMITS.tokens - 1),
    "window": size("window", 0, 0, -(-max(LIMITS.width, LIMITS.d_model) // WINDOW) - 1),
    "pick": Parameter("", parse_pick),
    "more": flag("more", False),
    "hide": names("hide", HIDEABLE),
    "present": flag("present", False),
    "pairs": Parameter("", parse_pairs),
    "matrix": choice("matrix", "q", ("q", "k", "v")),
    "color": choice("color", "head", ("head", "token")),
    "order": choice("order", "number", ("number", "entropy", "uniform")),
    "draw": choice("draw", "map", ("map", "lines")),
    "tab": choice("tab", "auto", ("auto", "code", "numbers", "take")),
    # Which pages there are, and which tensors each shows, is known further up.
    "page": any_text(),
    "tensor": any_text(),
    **LAB_PARAMETERS,
}

CONFIG_FIELDS = tuple(field.name for field in fields(Config))
