# SPDX-License-Identifier: BSD-3-Clause
"""Tables in files, read in *groups* of rows that can be read alone: what an engine on files asks of them."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isobreach.errors import InputError


@dataclass(frozen=True)
class Group:
    """Rows that can be read alone: the file that they are in, their number there, the first row and how many."""

    file: int
    number: int
    start: int
    rows: int

    @property
    def stop(self) -> int:
        """The row after its last one."""
        return self.start + self.rows


class Files(ABC):
    """Files that together are one table: parts with the same columns, in this order."""

    paths: tuple[Path, ...]
    name: str  # what messages call the table

    @property
    @abstractmethod
    def schema(self) -> Any:
        """Arrow's schema of all files."""

    @property
    @abstractmethod
    def groups(self) -> tuple[Group, ...]:
        """All groups that have rows, in row order."""

    @abstractmethod
    def batches(self, groups: Sequence[Group], columns: Sequence[str], rows: int) -> Iterator[list[Any]]:
        """Columns of some groups, so many rows at a time at most, as Arrow arrays."""

    def file_of(self, row: int) -> tuple[str, int]:
        """The name of the file that a row is in, and its number there."""
        group = next(group for group in self.groups if row < group.stop)
        first = next(other.start for other in self.groups if other.file == group.file)
        return self.paths[group.file].name, row - first


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file: what changes when it is written again."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


@contextmanager
def naming(path: Path, name: str, kind: str) -> Iterator[None]:
    """Turn whatever is wrong with a file into the one line that names it."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise InputError(name, "must stay where it is while it is read", f"{path.name}, which is gone") from None
    except PermissionError as error:
        raise InputError(name, "must be readable", f"{path}: {os.strerror(error.errno or 0)}") from None
    except (pa.ArrowException, OSError):
        rule, got = f"must be readable as {kind}", f"{path.name}, a damaged file or another format"
        raise InputError(name, rule, got) from None
