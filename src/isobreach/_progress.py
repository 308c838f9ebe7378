# SPDX-License-Identifier: BSD-3-Clause
"""Progress is injected: algorithms call it, only the command line draws it.

Compilation is no algorithm's work, and happens wherever a kernel is called first: whoever wants to show it listens. So
does whoever wants to hear early what a long computation will say at its end anyway.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """Called as work goes on."""

    def __call__(self, label: str, done: int, total: int) -> None:
        """``done`` of ``total`` units of the work named ``label`` are finished."""


_listeners: list[Callable[[bool], None]] = []
_under_way = 0
_lock = threading.Lock()


@contextmanager
def listening(listener: Callable[[bool], None]) -> Iterator[None]:
    """Have a function called with True when a compilation begins, and with False when none is left."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def compiling(begins: bool) -> None:
    """Note that a compilation begins or ends; several may be under way, one for the sake of another."""
    global _under_way
    with _lock:
        _under_way += 1 if begins else -1
        changed = _under_way == begins  # the first begins, or the last has ended
    if changed:
        for listener in _listeners:
            listener(begins)


_hearers: list[Callable[[str], None]] = []


@contextmanager
def hearing(hearer: Callable[[str], None]) -> Iterator[None]:
    """Have a function called with each sentence that a computation says while it goes on."""
    _hearers.append(hearer)
    try:
        yield
    finally:
        _hearers.remove(hearer)


def say_early(sentence: str) -> None:
    """Say what is known before the work is done, to those who listen."""
    for hearer in _hearers:
        hearer(sentence)


def no_progress(label: str, done: int, total: int) -> None:
    """Ignore progress: the default."""
