# SPDX-License-Identifier: BSD-3-Clause
"""Unfinished work on the disk: one file, replaced as a whole, so that a killed run goes on where it was."""

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach.errors import InputError
from isobreach.io.archives import read_arrays
from isobreach.io.atomic import PRIVATE, atomic_file

_SECONDS = 5.0
_SHARE = 0.05  # of the time that may go into writing
_CHECKSUM = "checksum"  # of everything else in the file


class FileStore:
    """Arrays in a file, kept again every few ``seconds`` of work, less often where writing takes long.

    ``holds``: what an error says it should hold.
    """

    def __init__(
        self, path: str | Path, *, seconds: float = _SECONDS, holds: str = "the unfinished work of an audit"
    ) -> None:
        self._path, self._seconds, self._holds = Path(path), seconds, holds
        self._partial = self._path.with_name(f"{self._path.name}.partial")
        self._last, self._wait = time.monotonic(), seconds

    @property
    def name(self) -> str:
        """The file."""
        return str(self._path)

    @property
    def kept(self) -> bool:
        """Whether there is anything to go on with."""
        return self._path.is_file()

    def load(self) -> Mapping[str, NDArray[Any]] | None:
        """What was kept last, None if there is no file."""
        if not os.path.lexists(self._path):
            return None
        arrays = read_arrays(self._path, self.name)
        checksum = None if arrays is None else arrays.pop(_CHECKSUM, None)
        if arrays is None or checksum is None or not np.array_equal(checksum, _checksum(arrays)):
            rule = f"must be {self._holds}"
            raise InputError(str(self._path), rule, "a damaged file", "Remove it to start again.")
        return arrays

    def due(self) -> bool:
        """Whether the last file is old enough."""
        return time.monotonic() - self._last >= self._wait

    def keep(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write the file, whole or not at all; it is the owner's alone, for it tells who is exposed."""
        started = time.monotonic()
        with (
            atomic_file(self._path, mode=PRIVATE, force=True, temporary=self._partial) as temporary,
            temporary.open("wb") as file,
        ):
            np.savez(file, **{**arrays, _CHECKSUM: _checksum(arrays)})  # type: ignore[arg-type]
        self._last = time.monotonic()
        self._wait = max(self._seconds, (self._last - started) / _SHARE if self._seconds else 0.0)

    def remove(self) -> None:
        """Forget it: the work is done."""
        self._partial.unlink(missing_ok=True)
        self._path.unlink(missing_ok=True)


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """Hash of names, types, shapes and contents: whoever goes on with the work need not doubt any of them."""
    whole = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        whole.update(f"{name} {array.dtype.str} {arrays[name].shape} ".encode())
        whole.update(array.tobytes())
    return np.frombuffer(whole.digest(), dtype=np.uint8)
