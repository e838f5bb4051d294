"""Lab: How should W begin?"""

from explorer.core.config import head_size
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

BODY = Text(en="…", zh="…")


def view(scene: Scene) -> None:
    """Nothing yet."""


PAGE = Page(
    slug="initialisation",
    label=Text(en="Initialisation", zh="初始化"),
    title=Text(en="How should W begin?", zh="权重该从什么值开始？"),
    body=BODY,
    view=view,
    code=(head_size,),
    steps=("projection",),
)
