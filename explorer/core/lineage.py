"""Where elements come from and what they feed, along the declared operands."""

from explorer.core.trace import Embedded, axes, lookup, needed, tensors

# A box of elements: on each axis the coordinates that are in it, None for all of them.
Box = tuple[frozenset[int] | None, ...]


def operands(trace: Embedded, name: str, index: tuple[int, ...]) -> dict[str, tuple]:
    """What the element `index` of a tensor is made from: operand name → index into that operand.

    Axes that are needed whole come as `slice(None)`; a bias that this run lacks is left out.
    """
    return {
        operand: tuple(slice(None) if some is None else min(some) for some in box)
        for operand, box in _made_from(trace, name, point(index)).items()
    }


def point(index: tuple[int, ...]) -> Box:
    """The box that holds one element."""
    return tuple(frozenset((i,)) for i in index)


def ancestors(trace: Embedded, name: str, index: tuple[int, ...]) -> dict[str, list[Box]]:
    """Everything that an element was made from, back to W_E and the weights: name → boxes."""
    found = {name: [point(index)]}
    for later in reversed(tensors(type(trace))):
        for box in found.get(later, []):
            for operand, wanted in _made_from(trace, later, box).items():
                _add(found.setdefault(operand, []), wanted)
    return {other: boxes for other, boxes in found.items() if other != name}


def descendants(trace: Embedded, name: str, index: tuple[int, ...]) -> dict[str, list[Box]]:
    """Everything that an element has a part in, on to the layer's output: name → boxes.

    A masked score is counted in: it is one of the numbers that softmax is given.
    """
    found = {name: [point(index)]}
    for later in tensors(type(trace)):
        for operand in needed(later):
            for box in found.get(operand, []):
                for fed in _feeds(trace, operand, box, later):
                    _add(found.setdefault(later, []), fed)
    return {other: boxes for other, boxes in found.items() if other != name}


def fed_by(trace: Embedded, name: str, index: tuple[int, ...]) -> dict[str, Box]:
    """What an element is a direct operand of: name → the first box of elements."""
    fed = {
        later: _feeds(trace, name, point(index), later)
        for later in tensors(type(trace))
        if name in needed(later)
    }
    return {later: boxes[0] for later, boxes in fed.items() if boxes}


def _made_from(trace: Embedded, name: str, box: Box) -> dict[str, Box]:
    at = _with_heads(trace, dict(zip(axes(name), box, strict=True)))
    if "query" in at:
        at.setdefault("seq", at["query"])
    wanted = needed(name)
    if "W_E" in wanted:
        rows = trace.ids[_items(at["batch"])][:, _items(at["seq"])]
        at["id"] = frozenset(rows.flatten().tolist())
    at |= {":": None, "0": frozenset((0,))}
    return {
        operand: tuple(at[axis] for axis in coordinates)
        for operand, coordinates in wanted.items()
        if lookup(trace, operand) is not None
    }


def _feeds(trace: Embedded, name: str, box: Box, later: str) -> list[Box]:
    """The elements of the tensor `later` that need an element of a box of its operand `name`."""
    coordinates = needed(later)[name]
    at = dict(zip(coordinates, box, strict=True))
    if "id" in at and at["id"] is not None:  # a row of W_E is in every place of its token
        wanted = sum(trace.ids == id_ for id_ in at["id"]).bool()
        places = [(b, row.nonzero().flatten().tolist()) for b, row in enumerate(wanted)]
        return [
            (frozenset((b,)), frozenset(positions), at["d_model"])
            for b, positions in places
            if positions
        ]
    at = _with_heads(trace, at) | {"1": frozenset((0,))}
    return [tuple(at.get(axis) for axis in axes(later))]


def _with_heads(trace: Embedded, at: dict[str, frozenset[int] | None]) -> dict:
    """Coordinates with h·d_k and the pair head, d_k each told from the other.

    Such columns are always one, all, or those of whole heads, so that the pair tells them exactly.
    """
    if "h·d_k" in at:
        columns, d_k = at["h·d_k"], trace.q_split.shape[-1]
        if columns is None:
            return at | {"head": None, "d_k": None}
        parts = frozenset(column % d_k for column in columns)
        heads = frozenset(column // d_k for column in columns)
        return at | {"head": heads, "d_k": None if len(parts) == d_k > 1 else parts}
    if "head" in at and "d_k" in at:
        h, d_k = trace.q_split.shape[-2:]
        if at["head"] is None and at["d_k"] is None:
            return at | {"h·d_k": None}
        heads = range(h) if at["head"] is None else at["head"]
        parts = range(d_k) if at["d_k"] is None else at["d_k"]
        return at | {"h·d_k": frozenset(head * d_k + part for head in heads for part in parts)}
    return at


def _items(some: frozenset[int] | None) -> slice | list[int]:
    return slice(None) if some is None else sorted(some)


def _add(boxes: list[Box], new: Box) -> None:
    """Add a box, unless all of it is there already."""
    if not any(_within(new, box) for box in boxes):
        boxes[:] = [box for box in boxes if not _within(box, new)] + [new]


def _within(inner: Box, outer: Box) -> bool:
    pairs = zip(inner, outer, strict=True)
    return all(b is None or (a is not None and a <= b) for a, b in pairs)
