"""A page of the explorer: what it is called, what it says, what it shows."""

from collections.abc import Callable
from dataclasses import dataclass

from explorer.scene import Scene
from explorer.text import Text

# The one colour of each size, wherever it is written.
SIZE_COLORS = {
    "batch": "gray",
    "seq": "orange",
    "query": "orange",
    "key": "orange",
    "d_model": "violet",
    "h·d_k": "violet",
    "head": "blue",
    "d_k": "green",
}


@dataclass(frozen=True)
class Page:
    """One page; everything but `view` is shown by the frame, the same way for all.

    `formula` writes the equations in LaTeX with a run's sizes; `flow` names the tensors whose
    shapes lead from before to after (those of one stage in one string); `code` are the functions
    that computed them; `tensors` are the ones under “Numbers”. A page that needs heads is not
    shown where h does not divide d_model. A lab names the steps that it belongs to; it may do
    without formula, flow and tensors, and without a focus where it does not look at the run.
    """

    slug: str
    label: Text
    title: Text
    body: Text
    view: Callable[[Scene], None]
    code: tuple[Callable, ...]
    formula: Callable[[Scene], tuple[str, ...]] = lambda scene: ()
    flow: tuple[str, ...] = ()
    tensors: tuple[str, ...] = ()
    needs_heads: bool = True
    has_focus: bool = True
    steps: tuple[str, ...] = ()


def colored(axis: str, words: str) -> str:
    """Words about a size in its colour (Markdown).

    >>> colored("head", "h **2**")
    ':blue[h **2**]'
    """
    return f":{SIZE_COLORS[axis]}[{words}]" if axis in SIZE_COLORS else words


def sized(axis: str, size: int) -> str:
    """An axis with its size, in its colour (Markdown).

    >>> sized("head", 2), sized("1", 1)
    (':blue[head **2**]', '1')
    """
    return "1" if axis == "1" else colored(axis, f"{axis} **{size}**")


def under(symbol: str, *sizes: int | str) -> str:
    r"""A symbol of a formula with its sizes beneath.

    >>> print(under("x", 4, 8))
    \underset{4\times 8}{x}
    """
    written = r"\times ".join(map(str, sizes))
    return rf"\underset{{{written}}}{{{symbol}}}"


def named(name: str, *sizes: int | str) -> str:
    r"""A tensor of the trace in a formula, by its name, with its sizes beneath.

    >>> print(named("attn", 1, 2, 4, 4))
    \underset{1\times 2\times 4\times 4}{\text{attn}}
    """
    return under(rf"\text{{{name}}}", *sizes)


def arrow(word: str) -> str:
    r"""An arrow of a formula with a word above.

    >>> print(arrow("view"))
    \xrightarrow{\;\text{view}\;}
    """
    return rf"\xrightarrow{{\;\text{{{word}}}\;}}"
