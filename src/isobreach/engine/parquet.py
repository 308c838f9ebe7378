# SPDX-License-Identifier: BSD-3-Clause
"""Parquet files, row group by row group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from isobreach.engine.files import Files, Group, naming, stamp
from isobreach.errors import InputError

_BUFFER = 1 << 16  # bytes read at a time of a column; without a limit Arrow reads whole row groups


@dataclass(frozen=True, eq=False)
class ParquetFiles(Files):
    """Parquet files that together are one table: parts with the same columns, in this order.

    Parameters
    ----------
    paths
        The files.
    name
        What messages call the table.
    """

    paths: tuple[Path, ...]
    name: str
    _footers: tuple[Any, ...] = field(repr=False)
    _stamps: tuple[tuple[int, int], ...] = field(repr=False)

    @classmethod
    def of(cls, paths: Sequence[Path], name: str) -> "ParquetFiles":
        """Return the table in some files, after a look at the end of each: their columns must be the same."""
        from pyarrow import parquet

        footers, stamps = [], []
        for path in paths:
            with naming(path, name, "Parquet"):
                stamps.append(stamp(path))
                footers.append(parquet.read_metadata(path))
            if not footers[-1].schema.to_arrow_schema().equals(footers[0].schema.to_arrow_schema()):
                rule = "must have the same columns, of the same types, in every part"
                raise InputError(name, rule, f"{path.name}, which differs from {paths[0].name}")
        return cls(tuple(paths), name, tuple(footers), tuple(stamps))

    @cached_property
    def schema(self) -> Any:
        """Arrow's schema of all files."""
        return self._footers[0].schema.to_arrow_schema()

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All row groups that have rows, in row order."""
        found: list[Group] = []
        for file, footer in enumerate(self._footers):
            for number in range(footer.num_row_groups):
                rows = footer.row_group(number).num_rows
                found += [Group(file, number, found[-1].stop if found else 0, rows)] if rows else []
        return tuple(found)

    def batches(self, groups: Sequence[Group], columns: Sequence[str], rows: int) -> Iterator[list[Any]]:
        """Columns of some row groups, so many rows at a time at most, as Arrow arrays."""
        for file, several in groupby(groups, key=lambda group: group.file):
            yield from self._batches(file, list(several), columns, rows)

    def _batches(self, place: int, groups: Sequence[Group], columns: Sequence[str], rows: int) -> Iterator[list[Any]]:
        from pyarrow import parquet

        path = self.paths[place]
        with naming(path, self.name, "Parquet"):
            if stamp(path) != self._stamps[place]:
                raise InputError(self.name, "must stay as it is while it is read", f"{path.name}, which has changed")
            footer = self._footers[place]
            # Not mapped into memory, though that is faster: a file that is cut short meanwhile would end the process.
            file = parquet.ParquetFile(
                path, metadata=footer, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
            )
        with file:
            numbers = [group.number for group in groups]
            batches = file.iter_batches(rows, row_groups=numbers, columns=list(columns), use_threads=False)
            left = sum(group.rows for group in groups)
            order: list[int] = []  # places of the columns in a batch, which has them as the file does
            while left:
                with naming(path, self.name, "Parquet"):
                    batch = next(batches, None)
                    if batch is None:
                        raise OSError
                left -= len(batch)
                order = order or [batch.schema.get_field_index(column) for column in columns]
                every = batch.columns
                yield [every[place] for place in order]
