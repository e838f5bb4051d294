"""Results that are kept and shared, up to so many bytes; the last asked for stays."""

import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import fields, is_dataclass
from threading import Lock
from typing import Generic, TypeVar

from torch import Tensor

Value = TypeVar("Value")
OWN = 1024  # bytes of a tensor besides its storage: Python's and torch's records of it


class Cache(Generic[Value]):
    """Values by key, those used longest ago dropped once they hold over `limit` bytes.

    `memory` tells what a value holds, by default its tensors: address → bytes; what several values
    hold counts once. Values are shared by all threads and never to be written to. One asked for by
    several threads at once is made by one of them, and the others wait for it, or for what it
    raised, which is not kept. The value asked for last is kept even where it alone is over the
    limit, but none of more than `largest` bytes.
    """

    def __init__(
        self,
        limit: int,
        memory: Callable[[Value], dict[int, int]] | None = None,
        largest: float = math.inf,
    ) -> None:
        self.limit, self.largest = limit, largest
        self._memory = memory or memory_of
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Future] = OrderedDict()
        self._held: dict[Hashable, dict[int, int]] = {}  # key → address → bytes
        self._shared: Counter[int] = Counter()  # address → how many values hold it
        self.bytes = 0

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key; `make` makes it where it is not kept, and may raise."""
        with self._lock:
            future = self._kept.get(key)
            if mine := future is None:
                future = self._kept[key] = Future()
            self._kept.move_to_end(key)
        if mine:
            try:
                value = make()
            except BaseException as error:
                with self._lock:
                    del self._kept[key]
                future.set_exception(error)
                raise
            future.set_result(value)
            self._add(key, value)
        return future.result()

    def _add(self, key: Hashable, value: Value) -> None:
        held = self._memory(value)
        with self._lock:
            if sum(held.values()) > self.largest:
                del self._kept[key]
                return
            self._held[key] = held
            self.bytes += sum(size for it, size in held.items() if not self._shared[it])
            self._shared.update(held.keys())
            while self.bytes > self.limit and len(self._held) > 1:
                self._drop(next(old for old in self._kept if old != key and old in self._held))

    def _drop(self, key: Hashable) -> None:
        del self._kept[key]
        for it, size in self._held.pop(key).items():
            self._shared[it] -= 1
            if not self._shared[it]:
                del self._shared[it]
                self.bytes -= size


def memory_of(value: object) -> dict[int, int]:
    """What holds the tensors in a dataclass, and in those it holds: its address → its bytes."""
    if isinstance(value, Tensor):
        storage = value.untyped_storage()
        return {storage.data_ptr(): storage.nbytes(), id(value): OWN}
    held: dict[int, int] = {}
    if is_dataclass(value):
        for field in fields(value):
            held |= memory_of(getattr(value, field.name))
    return held
