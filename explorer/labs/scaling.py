"""Lab: Why divide by √d_k?"""

from explorer.core.config import head_size
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

BODY = Text(en="…", zh="…")


def view(scene: Scene) -> None:
    """Nothing yet."""


PAGE = Page(
    slug="scaling",
    label=Text(en="Why √d_k", zh="为何 √d_k"),
    title=Text(en="Why divide by √d_k?", zh="为什么要除以 √d_k？"),
    body=BODY,
    view=view,
    code=(head_size,),
    steps=("scores",),
)
