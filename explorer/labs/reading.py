"""Lab: Reading without moving"""

from explorer.core.config import head_size
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

BODY = Text(en="…", zh="…")


def view(scene: Scene) -> None:
    """Nothing yet."""


PAGE = Page(
    slug="reading",
    label=Text(en="Reading", zh="读法"),
    title=Text(en="Reading without moving", zh="只换读法，不动数据"),
    body=BODY,
    view=view,
    code=(head_size,),
    steps=("split",),
)
