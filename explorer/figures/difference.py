"""One figure taken from another of the same kind and shape, element by element."""

import math
from copy import deepcopy
from dataclasses import dataclass, replace

import torch

from explorer.figures.canvas import OWN
from explorer.figures.compare import Heat, groups, heats_of
from explorer.figures.panel import Scale
from explorer.figures.theme import Figure, Theme, colorscale, typed, untyped


@dataclass(frozen=True)
class Words:
    """What the hover of a difference says, in the reader's language."""

    difference: str
    masked: str  # in both
    masked_before: str  # in the first alone
    masked_now: str  # in the second alone


@dataclass(frozen=True)
class Difference:
    """Second figure minus first, its largest |difference|, and the cells that are masked in one.

    `before` counts those masked in the first alone, `now` those in the second alone.
    """

    figure: Figure
    largest: float
    before: int = 0
    now: int = 0


def difference(first: Figure, second: Figure, words: Words, colors: Theme) -> Difference:
    """The second figure minus the first: heatmaps or bars, of the same shapes."""
    spec = deepcopy(second.to_dict())
    for note in spec["layout"].get("annotations", ()):
        note["text"] = note["text"].partition(OWN)[0]  # what it tells is of the second
    if spec["data"][0]["type"] == "bar":
        return _subtract_bars(first.to_dict(), spec, words)
    return _subtract_heats(first.to_dict(), spec, words, colors)


def _subtract_bars(first: dict, spec: dict, words: Words) -> Difference:
    pairs = zip(spec["data"], first["data"], strict=True)
    found = [untyped(now["y"]) - untyped(before["y"]) for now, before in pairs]
    largest = float(torch.stack(found).abs().max())
    limit = largest or 1.0
    for bar, values in zip(spec["data"], found, strict=True):
        written = bar["texttemplate"] and "%{y:+.2f}"
        meta = bar["meta"] | {"sign": words.difference}
        bar.update({"y": typed(values), "meta": meta, "texttemplate": written})
    for name, axis in spec["layout"].items():
        if name.startswith("yaxis"):
            ticks = [f"−{limit:.2g}", "0", f"+{limit:.2g}"]
            axis.update(range=[-limit, limit], tickvals=[-limit, 0, limit], ticktext=ticks)
    return Difference(Figure(**spec), largest)


def _subtract_heats(first: dict, spec: dict, words: Words, colors: Theme) -> Difference:
    pairs = zip(heats_of(spec), heats_of(first), strict=True)
    heats = [replace(now, values=now.values - before.values) for now, before in pairs]
    for group in groups(heats):
        limit = max(map(_largest, group)) or 1.0
        for heat in group:
            heat.rescale(Scale(colors.signed, -limit, limit), colors)
    spec["data"] = [trace for heat in heats for trace in _drawn(heat, words, colors)]
    return Difference(
        Figure(**spec),
        max(map(_largest, heats)),
        sum(int(heat.values.isposinf().sum()) for heat in heats),
        sum(int(heat.values.isneginf().sum()) for heat in heats),
    )


def _largest(heat: Heat) -> float:
    finite = heat.values[heat.values.isfinite()]
    return float(finite.abs().max()) if len(finite) else 0.0


def _hover(trace: dict, sign: str, word: str) -> dict:
    """What a cell says: a difference behind its sign, or a word instead of one."""
    if "meta" in trace:
        return {"meta": trace["meta"] | {"sign": sign, "word": word}}
    at = trace["hovertemplate"].split(" = %{z")[0]
    return {"hovertemplate": f"{at}: {word or sign + ' %{z:+.4f}'}<extra></extra>"}


def _drawn(heat: Heat, words: Words, colors: Theme) -> list[dict]:
    """The differences of a panel, then the cells that have none: −∞ − −∞, and −∞ in one alone."""
    values, trace = heat.values, heat.trace
    z = typed(values.masked_fill(~values.isfinite(), math.nan))
    drawn = [trace | {"z": z, **_hover(trace, words.difference, "")}]
    for there, fill, sign, said in (
        (values.isnan(), colors.masked, "−∞", words.masked),
        (values.isposinf(), colors.heads[3], "+∞", words.masked_before),
        (values.isneginf(), colors.heads[5], "−∞", words.masked_now),
    ):
        if there.any():
            marks = {
                "z": typed(there.float().masked_fill(~there, math.nan)),
                "colorscale": colorscale((fill, fill)),
                **_hover(trace, "", said),
                "showscale": False,
            }
            if trace["texttemplate"]:
                written = [[sign if cell else "" for cell in row] for row in there.tolist()]
                marks |= {"text": written, "texttemplate": "%{text}"}
            ranged = ("zmin", "zmax", "colorbar")
            drawn.append({key: trace[key] for key in trace if key not in ranged} | marks)
    return drawn
