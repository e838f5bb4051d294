"""Lab: Merging without contiguous, and without transpose"""

from explorer.core.config import head_size
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

BODY = Text(en="…", zh="…")


def view(scene: Scene) -> None:
    """Nothing yet."""


PAGE = Page(
    slug="merging",
    label=Text(en="Merging", zh="拼回"),
    title=Text(
        en="Merging without contiguous, and without transpose",
        zh="不 contiguous、不 transpose 就拼回去",
    ),
    body=BODY,
    view=view,
    code=(head_size,),
    steps=("merge",),
)
