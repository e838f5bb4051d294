"""Pictures: figures with what they show in words, drawn once for all who look at the same."""

from collections.abc import Callable
from dataclasses import dataclass, field

import orjson
import plotly.io

from explorer.core.cache import Cache
from explorer.core.limits import LIMITS
from explorer.figures.theme import Figure
from explorer.scene import Scene
from explorer.settings import state

LARGEST = 2**16  # bytes of a picture that is kept: of larger ones, drawing is not what takes long
OWN = 2**11  # bytes of a picture besides its text: its key and Python's records of it


@dataclass(frozen=True)
class Picture:
    """A figure and what it shows in words.

    `shapes` tells what is drawn, by name: where it is the same for two runs, one figure can be
    taken from the other. It is empty where that would mean nothing.
    """

    figure: Figure
    alt: str
    shapes: dict[str, str] = field(default_factory=dict)


# Texts, so that each reader gets a figure of their own: nothing shared can be written to. They also
# take a third of the memory.
_kept: Cache[tuple[str, str, dict[str, str]]] = Cache(
    LIMITS.pictures_mb * 2**20, lambda packed: {id(packed): len(packed[0]) + OWN}, LARGEST
)


def picture(scene: Scene, key: str, draw: Callable[[Scene], Picture]) -> Picture:
    """The picture that `draw` makes of a scene, known on its page by `key`.

    It is a function of the scene and of other parameters; all of them are in the link. It must not
    let others go first (turns.py): who asks for the same picture waits for it and has the turn.
    """
    known_by = key, bool(scene.pinned), scene.colors.surface, state.snapshot()
    spec, alt, shapes = _kept.get(known_by, lambda: _packed(draw(scene)))
    return Picture(Figure(**orjson.loads(spec)), alt, shapes)


def _packed(drawn: Picture) -> tuple[str, str, dict[str, str]]:
    return plotly.io.to_json(drawn.figure, validate=False), drawn.alt, drawn.shapes
