"""Results that are kept and shared, up to so many bytes; what was asked for last stays."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from functools import wraps
from threading import Lock
from typing import TypeVar

from torch import Tensor

Found = TypeVar("Found")


def kept(megabytes: float) -> Callable:
    """Decorate a function of one hashable argument, so that its results are kept.

    They are shared by all threads and never to be written to; what raises is not kept. Two threads
    that ask at once for what is not there yet both compute it.
    """

    def decorate(function: Callable[[Hashable], Found]) -> Callable[[Hashable], Found]:
        results: OrderedDict[Hashable, tuple[Found, int]] = OrderedDict()
        lock, total = Lock(), 0

        @wraps(function)
        def ask(argument: Hashable) -> Found:
            nonlocal total
            with lock:
                if argument in results:
                    results.move_to_end(argument)
                    return results[argument][0]
            found = function(argument)
            size = size_of(found)
            with lock:
                total += size - results.pop(argument, (None, 0))[1]
                results[argument] = found, size
                while total > megabytes * 2**20:
                    total -= results.popitem(last=False)[1][1]
            return found

        return ask

    return decorate


def size_of(found: object) -> int:
    """The bytes of all tensors in a dataclass, and in those it holds; views of one memory once."""
    return sum(storages(found).values())


def storages(found: object) -> dict[int, int]:
    """The address of every tensor's memory → its bytes."""
    if isinstance(found, Tensor):
        memory = found.untyped_storage()
        return {memory.data_ptr(): memory.nbytes()}
    held: dict[int, int] = {}
    if is_dataclass(found):
        for field in fields(found):
            held |= storages(getattr(found, field.name))
    return held
