# SPDX-License-Identifier: BSD-3-Clause
"""Progress is injected: algorithms call it, only the command line draws it."""

from typing import Protocol


class Progress(Protocol):
    """Called as work goes on."""

    def __call__(self, label: str, done: int, total: int) -> None:
        """``done`` of ``total`` units of the work named ``label`` are finished."""


def no_progress(label: str, done: int, total: int) -> None:
    """Ignore progress: the default."""
