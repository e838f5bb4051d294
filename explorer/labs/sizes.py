"""Lab: Which sizes do real models choose?"""

from explorer.core.config import head_size
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

BODY = Text(en="…", zh="…")


def view(scene: Scene) -> None:
    """Nothing yet."""


PAGE = Page(
    slug="sizes",
    label=Text(en="Sizes", zh="尺寸"),
    title=Text(en="Which sizes do real models choose?", zh="真实模型选什么尺寸？"),
    body=BODY,
    view=view,
    code=(head_size,),
    steps=("shapes",),
)
