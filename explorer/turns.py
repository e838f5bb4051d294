"""Whose turn it is: one run of the page script at a time, the others in the order they came.

All runs share one core anyway (Python's lock). Taken all at once they cost it a quarter more, and
everyone waits for the last; in a line the typical wait is half of that.
"""

from collections import deque
from threading import Lock


class Line:
    """A lock that is handed on in the order in which it was asked for, which Lock does not do."""

    def __init__(self) -> None:
        self._changing = Lock()
        self._waiting: deque[Lock] = deque()
        self._taken = False

    def __enter__(self) -> None:
        """Wait for one's turn."""
        with self._changing:
            if not self._taken:
                self._taken = True
                return
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        mine.acquire()  # until the one before hands on

    def __exit__(self, *_: object) -> None:
        """Hand on to who has waited longest."""
        with self._changing:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False


turn = Line()


def others_first() -> None:
    """Let those who wait go before a long run, which has its turn, goes on."""
    turn.__exit__()
    turn.__enter__()
