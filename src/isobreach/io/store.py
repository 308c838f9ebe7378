# SPDX-License-Identifier: BSD-3-Clause
"""Unfinished work on the disk: one file, replaced as a whole, so that a killed run goes on where it was."""

import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach.errors import InputError
from isobreach.io.atomic import atomic_file

_SECONDS = 5.0


class FileStore:
    """Arrays in a file, kept again every few ``seconds`` of work; ``holds``: what an error says it should hold."""

    def __init__(
        self, path: str | Path, *, seconds: float = _SECONDS, holds: str = "the unfinished work of an audit"
    ) -> None:
        self._path, self._seconds, self._holds = Path(path), seconds, holds
        self._last = time.monotonic()

    @property
    def name(self) -> str:
        """The file."""
        return str(self._path)

    def load(self) -> Mapping[str, NDArray[Any]] | None:
        """What was kept last, None if there is no file."""
        if not self._path.exists():
            return None
        try:
            with self._path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except (OSError, ValueError, EOFError, KeyError, TypeError, AttributeError, zipfile.BadZipFile):
            rule = f"must be {self._holds}"
            raise InputError(str(self._path), rule, "a damaged file", "Remove it to start again.") from None

    def due(self) -> bool:
        """Whether the last file is old enough."""
        return time.monotonic() - self._last >= self._seconds

    def keep(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write the file, whole or not at all; it is the owner's alone, for it tells who is exposed."""
        self._path.parent.mkdir(exist_ok=True)
        with atomic_file(self._path, mode=0o600, force=True) as temporary, temporary.open("wb") as file:
            np.savez(file, **dict(arrays))  # type: ignore[arg-type]
        self._last = time.monotonic()

    def remove(self) -> None:
        """Forget it: the work is done."""
        self._path.unlink(missing_ok=True)
