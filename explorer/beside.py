"""A step's figures: drawn from a scene, alone or beside those of the pinned run."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial

import streamlit as st

from explorer.charts import chart, describe
from explorer.figures.compare import headed, of_another_run, on_one_range
from explorer.figures.difference import Words, difference
from explorer.figures.matrix import wall
from explorer.figures.narrow import fit
from explorer.figures.panel import Panel, Scale
from explorer.figures.theme import Figure
from explorer.pictures import Picture, pictures
from explorer.scene import Scene
from explorer.text import Text, spoken

EACH = Text(en="{heads}, each", zh="{heads}，每个")
ROOM = {2: 470, 3: 310}  # pixels of a figure that is one of so many in a row
SIDES = ("pinned", "now", "difference")
PINNED = Text(en="Pinned", zh="固定的")
NOW = Text(en="Now", zh="现在")
DIFFERENCE = Text(
    en="Now − pinned: at most {largest:.4g}", zh="现在 − 固定的：最大相差 {largest:.4g}"
)
SAME = Text(en="Now − pinned: 0 everywhere", zh="现在 − 固定的：处处为 0")
SAME_SEEN = Text(en="Now − pinned: 0 where not masked", zh="现在 − 固定的：没掩去的都为 0")
OF = Text(en="The difference of {names}.", zh="{names} 之差。")
SAID = Text(en="{heading}. {shown}", zh="{heading}。{shown}")
ALONE = Text(
    en="{before} cells are masked in the pinned run alone (+∞), {now} now alone (−∞).",
    zh="{before} 格只在固定的运行里被掩去（+∞），{now} 格只在现在被掩去（−∞）。",
)
HOVER = {
    "difference": Text(en="now − pinned =", zh="现在 − 固定的 ="),
    "masked": Text(en="masked in both", zh="两次都被掩去"),
    "masked_before": Text(en="masked in the pinned run alone", zh="只在固定的运行里被掩去"),
    "masked_now": Text(en="masked now alone", zh="只在现在被掩去"),
}
NO_DIFFERENCE = Text(
    en="No difference can be taken, the shapes differ: pinned {pinned}; now {now}.",
    zh="形状不同，无法相减：固定的是 {pinned}；现在是 {now}。",
)


def show(scene: Scene, key: str, draw: Callable[[Scene], Picture]) -> None:
    """A figure of the run; with a pinned one beside that of it, and with their difference."""
    if not scene.pinned:
        (now,) = pictures(scene, key, lambda: [draw(scene)])
        chart(scene, key, now.figure, now.alt)
        return
    row = pictures(scene, key, lambda: _row(scene, draw(scene.pinned), draw(scene)))
    with st.container(horizontal=True):
        for side, shown in zip(SIDES, row, strict=False):
            chart(scene, f"{key}-{side}", shown.figure, shown.alt)
    for shown in row:
        if shown.note:
            st.caption(shown.note)
    before, now = row[:2]
    if now.shapes != before.shapes:
        words = {"pinned": _unlike(before, now), "now": _unlike(now, before)}
        st.caption(NO_DIFFERENCE(scene.lang, **words))


def columns(scene: Scene, spec: int | list[int], **more: str) -> list[AbstractContextManager]:
    """Columns; with a pinned run one below the other, for there each figure is a row of its own."""
    if scene.pinned:
        return [nullcontext()] * (spec if isinstance(spec, int) else len(spec))
    return st.columns(spec, **more)


def side_by_side(
    scene: Scene, key: str, left: Callable[[Scene], Picture], right: Callable[[Scene], Picture]
) -> None:
    """Two figures; on a narrow screen one comes under the other."""
    for side, column, draw in zip(("left", "right"), columns(scene, 2), (left, right), strict=True):
        with column:
            show(scene, f"{key}-{side}", draw)


def in_halves(
    scene: Scene,
    key: str,
    panels: Callable[[Scene], list[Panel]],
    scale: Callable[[Scene, list[Panel]], Scale],
    what: Text,
    *names: str,
) -> None:
    """Panels of heads in two walls, or in one beside that of the pinned run.

    `what` says what is shown of the {heads} it is given; `names` are the tensors it is made from.
    """

    def wall_of(scene: Scene, part: slice) -> Picture:
        every = panels(scene)
        return heads_wall(scene, every[part], scale(scene, every), what, *names)

    if scene.pinned:
        show(scene, key, lambda s: wall_of(s, slice(None)))
        return
    half = -(-len(scene.heads()) // 2)
    parts = {"left": slice(0, half), "right": slice(half, None)}
    for (side, part), column in zip(parts.items(), st.columns(2), strict=True):
        if part.start < len(scene.heads()):
            with column:
                show(scene, f"{key}-{side}", partial(wall_of, part=part))


def heads_wall(scene: Scene, panels: list[Panel], scale: Scale, what: Text, *names: str) -> Picture:
    """Panels, two in a row; `what` says what is shown of the {heads} that their titles name."""
    words = what(scene.lang, heads=", ".join(spoken(panel.title) for panel in panels))
    figure = wall(panels, min(2, len(panels)), scale, scene.colors)
    alt = describe(scene, words, *(panel.values for panel in panels))
    return Picture(figure, alt, scene.shapes(*names))


def _row(scene: Scene, before: Picture, now: Picture) -> list[Picture]:
    """The pictures of the pinned run and of now, on one range, and their difference if any."""
    figures = on_one_range(before.figure, now.figure, scene.colors)
    of_another_run(figures[0], scene.pinned.trace.tokens)
    row = {
        PINNED(scene.lang): replace(before, figure=figures[0]),
        NOW(scene.lang): replace(now, figure=figures[1]),
    }
    if now.shapes and now.shapes == before.shapes:
        heading, taken = _difference(scene, *figures, now.shapes)
        row[heading] = taken
    return [
        replace(
            shown,
            figure=headed(fit(shown.figure, ROOM[len(row)]), heading),
            alt=SAID(scene.lang, heading=heading, shown=shown.alt),
        )
        for heading, shown in row.items()
    ]


def _difference(
    scene: Scene, before: Figure, now: Figure, names: Iterable[str]
) -> tuple[str, Picture]:
    """The difference of two figures: its heading, and itself with the cells where there is none."""
    lang, words = scene.lang, Words(**{name: text(scene.lang) for name, text in HOVER.items()})
    found, alone = difference(before, now, words, scene.colors), ""
    if found.before or found.now:
        alone = ALONE(lang, before=found.before, now=found.now)
    heading = DIFFERENCE if found.largest else SAME_SEEN if alone else SAME
    said = f"{OF(lang, names=', '.join(names))} {alone}".strip()
    return heading(lang, largest=found.largest), Picture(found.figure, said, note=alone)


def _unlike(one: Picture, other: Picture) -> str:
    differing = one.shapes.items() - other.shapes.items()
    return ", ".join(f"`{name}` ({shape})" for name, shape in sorted(differing))
