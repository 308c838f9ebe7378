# SPDX-License-Identifier: BSD-3-Clause
"""Who is spoken to: the command line's users know options, Python's users know arguments.

A sentence that names what to try is made with ``way``. Whoever runs a command says so once, with ``for_command_line``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_typed: ContextVar[bool] = ContextVar("typed", default=False)


def way(typed: str, called: str) -> str:
    """Return what to type at the command line, or what to write in Python.

    >>> way("--motion auto", "motion='auto'")
    "motion='auto'"
    >>> with for_command_line():
    ...     way("--motion auto", "motion='auto'")
    '--motion auto'
    """
    return typed if _typed.get() else called


@contextmanager
def for_command_line() -> Iterator[None]:
    """Speak to the command line's users until the end of the block."""
    before = _typed.set(True)
    try:
        yield
    finally:
        _typed.reset(before)
