"""Lab: Does attention know the order?"""

from explorer.core.config import head_size
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

BODY = Text(en="…", zh="…")


def view(scene: Scene) -> None:
    """Nothing yet."""


PAGE = Page(
    slug="order",
    label=Text(en="Order", zh="词序"),
    title=Text(en="Does attention know the order?", zh="注意力知道先后顺序吗？"),
    body=BODY,
    view=view,
    code=(head_size,),
    steps=("position",),
)
