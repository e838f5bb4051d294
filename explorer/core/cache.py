"""Results that are kept and shared, up to so many bytes of tensors; the last asked for stays."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import fields, is_dataclass
from threading import Lock
from typing import TypeVar

from torch import Tensor

Value = TypeVar("Value")
OWN = 1024  # bytes of a tensor besides its storage: Python's and torch's records of it


class TensorCache:
    """Values by key, those used longest ago dropped once their tensors hold over `limit` bytes.

    They are shared by all threads and never to be written to. A storage that several values hold
    counts once. A value asked for by several threads at once is made by one of them, and the
    others wait for it, or for what it raised, which is not kept. The value asked for last is kept
    even where it alone is over the limit.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Future] = OrderedDict()
        self._storages: dict[Hashable, dict[int, int]] = {}  # key → storage → bytes
        self._shared: Counter[int] = Counter()  # storage → how many values have it
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

    def _add(self, key: Hashable, value: object) -> None:
        storages = memory_of(value)
        with self._lock:
            self._storages[key] = storages
            self.bytes += sum(size for it, size in storages.items() if not self._shared[it])
            self._shared.update(storages.keys())
            finished = (kept for kept in list(self._kept) if kept in self._storages)
            while self.bytes > self.limit and len(self._storages) > 1:
                self._drop(next(kept for kept in finished if kept != key))

    def _drop(self, key: Hashable) -> None:
        del self._kept[key]
        for it, size in self._storages.pop(key).items():
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
