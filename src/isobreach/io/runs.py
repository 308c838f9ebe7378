# SPDX-License-Identifier: BSD-3-Clause
"""The record of a run: enough to repeat it, nothing that tells where or by whom it was made.

There is no date and no path in it, only names of files and hashes of their contents: the same run gives the
same bytes.
"""

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isobreach._random import Seed
from isobreach._text import json_text
from isobreach._version import __version__
from isobreach.errors import InputError
from isobreach.io.atomic import PRIVATE, atomic_file
from isobreach.io.sources import Source

_PACKAGES = ("numpy", "scipy", "numba", "pyarrow")


def run_record(
    command: str,
    parameters: Mapping[str, object],
    seed: Seed,
    inputs: Mapping[str, Source],
    *,
    packages: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what a run was made of: command, parameters, seed, versions (of more ``packages`` too), input hashes."""
    return {
        "command": command,
        "parameters": {name: value.name if isinstance(value, Path) else value for name, value in parameters.items()},
        "seed": seed,
        "versions": {
            "isobreach": __version__,
            "python": platform.python_version(),
            **{package: version(package) for package in (*_PACKAGES, *packages)},
        },
        "inputs": {role: {"name": source.name, "hash": source.hash()} for role, source in inputs.items()},
    }


def write_json(path: str | Path, obj: object, *, mode: int = 0o644, force: bool = False) -> None:
    """Write JSON that every parser accepts: in the order given, without NaN or infinity."""
    write_file(path, f"{json_text(obj)}\n".encode(), mode=mode, force=force)


@contextmanager
def pending_json(path: str | Path, obj: object, *, mode: int = PRIVATE, force: bool = False) -> Iterator[None]:
    """Write JSON that takes its name only if the block succeeds."""
    with atomic_file(path, mode=mode, force=force) as temporary:
        temporary.write_bytes(f"{json_text(obj)}\n".encode())
        yield


def read_json(path: str | Path, name: str) -> Any:
    """Return what a JSON file holds."""
    path = Path(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(name, "must be readable", f"{path}: {os.strerror(error.errno or 0)}") from None
    except ValueError:
        raise InputError(name, "must be a JSON file", str(path)) from None


def write_file(path: str | Path, content: bytes, *, mode: int = 0o644, force: bool = False) -> None:
    """Write a file, and the folders above it if they are missing."""
    with atomic_file(path, mode=mode, force=force) as temporary:
        temporary.write_bytes(content)
