"""Lab: How a mask goes wrong"""

from explorer.core.config import head_size
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

BODY = Text(en="…", zh="…")


def view(scene: Scene) -> None:
    """Nothing yet."""


PAGE = Page(
    slug="masks",
    label=Text(en="Masks", zh="掩码种种"),
    title=Text(en="How a mask goes wrong", zh="掩码会怎样用错"),
    body=BODY,
    view=view,
    code=(head_size,),
    steps=("mask",),
)
