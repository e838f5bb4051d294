"""The picture of how shapes flow through a run: a box for every tensor, arrows from operands."""

from torch import Tensor

from explorer.core.trace import Trace, axes, lookup, needed, tensors
from explorer.figures.flow import Arrow, Box, flow
from explorer.pictures import Picture
from explorer.scene import Scene
from explorer.text import Text

WHAT_FLOW = Text(
    en="Boxes from top to bottom, one a tensor, joined by arrows: {shapes}.",
    zh="自上而下的方框，每个张量一个，以箭头相连：{shapes}。",
)

# Where each tensor stands in the picture: column, and row from the top.
PLACES = {
    "ids": (0.5, 0),
    "embedding": (0.5, 1),
    "position": (2, 1),
    "x": (1, 2),
    "q": (0, 3),
    "k": (1, 3),
    "v": (2, 3),
    "q_split": (0, 4),
    "k_split": (1, 4),
    "v_split": (2, 4),
    "q_heads": (0, 5),
    "k_heads": (1, 5),
    "v_heads": (2, 5),
    "raw_scores": (0.5, 6),
    "scores": (0.5, 7),
    "mask": (1.5, 7),
    "masked_scores": (0.5, 8),
    "attn": (0.5, 9),
    "z": (1, 10),
    "z_swapped": (1, 11),
    "concat": (1, 12),
    "output": (1, 13),
    "residual": (1, 14),
    "normed": (1, 15),
}
# The arrows that would cross a box, and the corners by which they go around.
AROUND = {
    ("ids", "mask"): ((1.5, 0), (1.5, 6)),
    ("x", "residual"): ((2.55, 2), (2.55, 14)),
    ("v_heads", "z"): ((2, 10),),
}
ROLES = {"scores": ("raw_scores", "scores", "mask", "masked_scores", "attn"), "ids": ("ids",)}
SIZE_OF_AXIS = {
    "batch": "B",
    "seq": "T",
    "query": "T",
    "key": "T",
    "head": "h",
    "d_k": "d_k",
    "d_model": "d_model",
    "h·d_k": "d_model",
}


def shape_flow(scene: Scene) -> Picture:
    """The boxes and arrows; each arrow is an operand that its tensor declares."""
    present = present_tensors(scene)
    boxes = [
        Box(
            name,
            *PLACES[name],
            role=_role(name),
            shape=tuple(zip((SIZE_OF_AXIS.get(a, "") for a in axes(name)), t.shape, strict=True)),
            hover=f"{name} ({', '.join(axes(name))}), {t.numel():,}",
        )
        for name, t in present.items()
    ]
    arrows = [
        Arrow(start, end, AROUND.get((start, end), ()))
        for end in present
        for start in needed(end)
        if start in present
    ]
    shapes = ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in present.items())
    return Picture(flow(boxes, arrows, scene.colors), WHAT_FLOW(scene.lang, shapes=shapes))


def _role(name: str) -> str:
    for role, names in ROLES.items():
        if name in names:
            return role
    letter = name.split("_")[0]
    if letter in ("q", "k", "v"):
        return letter
    return "output" if PLACES[name][1] >= 10 else "x"


def present_tensors(scene: Scene) -> dict[str, Tensor]:
    """The tensors that this run has, by name, in the order computed."""
    found = {name: lookup(scene.trace, name) for name in tensors(Trace)}
    return {name: tensor for name, tensor in found.items() if tensor is not None}
