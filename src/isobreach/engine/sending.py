# SPDX-License-Identifier: BSD-3-Clause
"""A task with its parameters on the way to workers: pickled once, in a message where it is small, else in a file.

The arrays of a large one are mapped into memory where the worker is: it reads what it looks at, and workers of one
machine share what they have read. So all pairs of a table can be compared by workers none of which holds a copy of it.
"""

import mmap
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from isobreach._version import __version__
from isobreach.engine.workers import address
from isobreach.errors import InputError, OutputError


@dataclass(frozen=True)
class SendingLimits:
    """How parameters travel.

    Attributes
    ----------
    message
        Bytes of what goes with every task: more would burden the scheduler, which passes it on.
    held
        Parameters that a worker keeps unpickled: the last that it has received.
    aligned
        Arrays in a file begin at multiples of it, as large ones in memory do.
    """

    message: int = 1 << 16
    held: int = 2
    aligned: int = 64


_SENDING = SendingLimits()


_held: dict[str, tuple[Callable[..., Any], Any]] = {}


@dataclass(frozen=True, eq=False)
class Sent:
    """A task with its parameters, as it travels.

    Attributes
    ----------
    pickled
        The pickle, in front of the arrays that it refers to; empty if it is in a file.
    ends
        Where the pickle ends, and where each array begins and ends.
    file
        The file that it is in.
    version
        Of isobreach on the sender's side: names and parameters of tasks belong to one version.
    name
        By which a worker knows it again.
    """

    pickled: bytearray = field(repr=False)
    ends: tuple[int, ...]
    file: Path | None
    version: str = __version__
    name: str = field(default_factory=lambda: uuid4().hex)

    @classmethod
    def of(cls, task: Callable[..., Any], params: Any, folder: Path) -> "Sent":
        """Pickle a task with its parameters; a large one goes to a file of that folder."""
        arrays: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps((address(task), params), protocol=5, buffer_callback=arrays.append)
        parts, ends, stop = [memoryview(pickled)], [len(pickled)], len(pickled)
        for array in arrays:
            start = -(-stop // _SENDING.aligned) * _SENDING.aligned
            parts += [memoryview(bytes(start - stop)), array.raw()]
            stop = start + parts[-1].nbytes
            ends += [start, stop]
        if stop <= _SENDING.message:
            return cls(bytearray(b"".join(parts)), tuple(ends), None)
        file = folder / f"{uuid4().hex}.params"
        try:
            with file.open("xb") as out:
                out.writelines(parts)
        except OSError as error:
            file.unlink(missing_ok=True)
            step = "Set TMPDIR to a folder with more room that all workers see."
            raise OutputError(f"{folder}: what workers need does not fit there: {error.strerror}. {step}") from None
        return cls(bytearray(), tuple(ends), file)

    def received(self) -> tuple[Callable[..., Any], Any]:
        """Return the task and its parameters, unpickled once where they arrived.

        Arrays may be written to, as those of a plain pickle: compiled kernels are for such. The file does not change.
        """
        if self.version != __version__:
            raise InputError("scheduler", f"must have workers with isobreach {self.version}", __version__)
        found = _held.get(self.name)
        if found is None:
            found = _held[self.name] = self._unpickled()
            for name in list(_held)[: -_SENDING.held]:
                _held.pop(name, None)
        return found

    def _unpickled(self) -> tuple[Callable[..., Any], Any]:
        content = memoryview(self.pickled)
        if self.file is not None:
            with self.file.open("rb") as file:
                content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        cuts = zip(self.ends[1::2], self.ends[2::2], strict=True)
        (module, name), params = pickle.loads(content[: self.ends[0]], buffers=[content[a:b] for a, b in cuts])
        return getattr(import_module(module), name), params

    def forget(self) -> None:
        """Remove the file, if there is one."""
        if self.file is not None:
            self.file.unlink(missing_ok=True)
