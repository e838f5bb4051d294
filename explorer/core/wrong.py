"""The wrong ways, really run, and what torch says to them."""

from collections.abc import Callable

from torch import Tensor, nn


def split_unevenly(x: Tensor, h: int) -> dict[str, str | None]:
    """Try to cut x (batch, seq, d_model) into h heads that do not divide it: call → torch's error.

    The layer is built without memory (device="meta").
    """
    B, T, d_model = x.shape
    d_k = d_model // h
    attempts = {
        f"x.view({B}, {T}, {h}, {d_k})": lambda: x.view(B, T, h, d_k),
        f"nn.MultiheadAttention({d_model}, {h})": lambda: nn.MultiheadAttention(
            d_model, h, device="meta"
        ),
    }
    return {call: error_of(work) for call, work in attempts.items()}


def error_of(work: Callable[[], object]) -> str | None:
    """The first line of the error that `work` raises in torch, None where it raises none."""
    try:
        work()
    except (RuntimeError, AssertionError, TypeError) as error:
        return str(error).split("\n")[0]
    return None
