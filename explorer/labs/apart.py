"""Lab: Must h·d_k be d_model?"""

from explorer.core.config import head_size
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

BODY = Text(en="…", zh="…")


def view(scene: Scene) -> None:
    """Nothing yet."""


PAGE = Page(
    slug="apart",
    label=Text(en="d_k apart", zh="单设 d_k"),
    title=Text(en="Must h·d_k be d_model?", zh="h·d_k 必须等于 d_model 吗？"),
    body=BODY,
    view=view,
    code=(head_size,),
    steps=("projection", "output"),
)
