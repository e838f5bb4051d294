"""Whose turn it is: a few runs of the page script at a time, the others wait in line.

All of them share one core (Python's lock). Fifty at once take a quarter more of it than fifty in
a line, and everyone waits for the last; so the typical wait is halved. Not one but two at a time:
one may wait for torch or the disk.
"""

from threading import Semaphore

turn = Semaphore(2)


def others_first() -> None:
    """Let those who wait go before a long run, which holds a turn, goes on."""
    turn.release()
    turn.acquire()
