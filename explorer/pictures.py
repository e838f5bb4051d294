"""Pictures: figures with what they show in words, drawn once for all who look at the same."""

from collections.abc import Callable
from dataclasses import dataclass, field

import orjson

from explorer.core.cache import Cache
from explorer.core.limits import LIMITS
from explorer.figures.theme import Figure
from explorer.scene import Scene
from explorer.settings import state

LARGEST = 2**16  # bytes of a row that is kept: of larger ones, drawing is not what takes long
OWN = 2**11  # bytes of a row besides its text: its key and Python's records of it


@dataclass(frozen=True)
class Picture:
    """A figure and what it shows in words.

    `shapes` tells what is drawn, by name: where it is the same for two runs, one figure can be
    taken from the other. It is empty where that would mean nothing. `note` is what else there is to
    say, below the figure.
    """

    figure: Figure
    alt: str
    shapes: dict[str, str] = field(default_factory=dict)
    note: str = ""


# Texts, so that each reader gets figures of their own: nothing shared can be written to. They also
# take a third of the memory.
_kept: Cache[bytes] = Cache(
    LIMITS.pictures_mb * 2**20, lambda packed: {id(packed): len(packed) + OWN}, LARGEST
)


def pictures(scene: Scene, key: str, draw: Callable[[], list[Picture]]) -> list[Picture]:
    """The pictures of a row that `draw` makes of a scene, known on its page by `key`.

    They are functions of the scene and of other parameters; all of them are in the link. `draw`
    must not let others go first (turns.py): who asks for the same pictures waits for them and has
    the turn.
    """
    known_by = key, scene.colors.surface, state.snapshot()
    packed = _kept.get(known_by, lambda: orjson.dumps(draw(), default=Figure.to_dict))
    return [Picture(Figure(**it.pop("figure")), **it) for it in orjson.loads(packed)]
