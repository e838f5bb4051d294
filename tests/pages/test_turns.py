"""One run at a time, and nobody is passed over."""

import threading
import time

import pytest

from explorer import turns
from explorer.turns import Line, others_first


def waiting(line: Line, n: int) -> None:
    """Wait until so many threads wait."""
    deadline = time.monotonic() + 10
    while len(line._waiting) < n:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_turns_come_in_the_order_in_which_they_were_asked_for():
    line, order, threads = Line(), [], []

    def ask(n: int) -> None:
        with line:
            order.append(n)

    with line:
        for n in range(20):
            threads.append(threading.Thread(target=ask, args=(n,)))
            threads[-1].start()
            waiting(line, n + 1)
        assert not order
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_two_are_never_at_it_at_once():
    line, inside, most = Line(), 0, 0

    def ask() -> None:
        nonlocal inside, most
        for _ in range(200):
            with line:
                inside += 1
                most = max(most, inside)
                time.sleep(0)
                inside -= 1

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, inside) == (1, 0)


def test_a_turn_ends_with_an_error_too():
    line = Line()
    with pytest.raises(ValueError, match="mine"), line:
        raise ValueError("mine")
    with line:
        pass


def test_a_long_run_lets_those_who_wait_go_first(monkeypatch):
    line, order = Line(), []
    monkeypatch.setattr(turns, "turn", line)

    def ask() -> None:
        with line:
            order.append("short")

    thread = threading.Thread(target=ask)
    with line:
        thread.start()
        waiting(line, 1)
        others_first()
        order.append("long")
    thread.join()
    assert order == ["short", "long"]
