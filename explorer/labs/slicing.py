"""Lab: Why project? Why not cut x into slices?"""

from explorer.core.config import head_size
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

BODY = Text(en="…", zh="…")


def view(scene: Scene) -> None:
    """Nothing yet."""


PAGE = Page(
    slug="slicing",
    label=Text(en="Slicing", zh="直接切片"),
    title=Text(en="Why project? Why not cut x into slices?", zh="为什么要投影，不直接把 x 切片？"),
    body=BODY,
    view=view,
    code=(head_size,),
    steps=("projection",),
)
