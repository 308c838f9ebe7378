# SPDX-License-Identifier: BSD-3-Clause
"""Tables and links between the command line and the library."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isobreach import datasets
from isobreach.cli.console import Console
from isobreach.errors import InputError
from isobreach.geometry import row_norms
from isobreach.io import Table, read_table, select_columns
from isobreach.linking import Linkage
from isobreach.report import link_table

_ALIKE = 1e-3  # relative spread of lengths that are the same


def read_data(data: str, console: Console, columns: Sequence[str] | None, id_column: str | None) -> Table:
    """The owner's table: a file, a folder, or a bundled data set."""
    if data in datasets.names() and not Path(data).exists():
        bundled = datasets.load(data)
        table = Table(bundled.values, bundled.columns)
        if id_column is not None:
            raise InputError("--id-column", "must be left out for a bundled data set", repr(id_column))
        return select_columns(table, "DATA", columns)
    if not Path(data).exists():
        rule = f"must be a file, a folder of Parquet parts or a bundled data set ({', '.join(datasets.names())})"
        raise InputError("DATA", rule, data)
    return read_file(Path(data), "DATA", console, columns, id_column)


@dataclass(frozen=True)
class Attacker:
    """What the attacker holds, as the command line names it: the release, known records, perhaps a dictionary."""

    known: Path
    released: Path
    columns: tuple[str, ...] | None
    released_columns: tuple[str, ...] | None
    id_column: str | None
    released_id_column: str | None
    rule: Any
    tolerance: float | None
    motion: Any
    noise: Any
    dictionary: Path | None
    normalise: bool

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of ``link`` and ``attack`` that are no tables."""
        return {"rule": self.rule, "tolerance": self.tolerance, "motion": self.motion, "noise": self.noise}

    @property
    def parameters(self) -> dict[str, Any]:
        """What the record of a run tells, besides its inputs."""
        return {
            **self.options,
            "normalise": self.normalise or None,
            "columns": self.columns,
            "released-columns": self.released_columns,
            "id-column": self.id_column,
            "released-id-column": self.released_id_column,
        }

    @property
    def inputs(self) -> dict[str, Path]:
        """The files, by their roles."""
        files = {"known": self.known, "released": self.released, "dictionary": self.dictionary}
        return {role: file for role, file in files.items() if file is not None}

    def read(self, console: Console) -> tuple[Table, Table, Table | None]:
        """Known records, released rows and the dictionary."""

        def records(file: Path, name: str, columns: Sequence[str] | None) -> Table:
            table = read_file(file, name, console, columns, self.id_column)
            return _normalised(table, name) if self.normalise else table

        known, dictionary = records(self.known, "known", self.columns), None
        if self.dictionary is not None:
            named = not {self.known.suffix.lower(), self.dictionary.suffix.lower()} & {".npy"}
            columns = known.columns if named else self.columns
            dictionary = records(self.dictionary, "dictionary", columns)
        released = read_file(self.released, "released", console, self.released_columns, self.released_id_column)
        return known, released, dictionary

    def hints(self, linkage: Linkage, known: Table, released: Table) -> list[str]:
        """What may help where no record is linked."""
        if len(linkage.linked) or self.normalise or not _alike(released) or _alike(known):
            return []
        return ["All released rows have the same length, the known records do not: try --normalise."]


def _normalised(table: Table, name: str) -> Table:
    """Records of length one, as precise as they were."""
    norms = row_norms(np.asarray(table.values, dtype=np.float64))
    zeros = np.flatnonzero(norms == 0)
    if len(zeros):
        got = f"{len(zeros)}; the first in row {zeros[0] + 1}"
        raise InputError(name, "must have no records of zeros where --normalise is given", got)
    kind = table.values.dtype if table.values.dtype.kind == "f" else np.dtype(np.float64)
    return replace(table, values=(table.values / norms[:, None]).astype(kind))


def _alike(table: Table) -> bool:
    norms = row_norms(np.asarray(table.values, dtype=np.float64))
    return bool(np.ptp(norms) <= _ALIKE * norms.max())


def read_file(path: Path, name: str, console: Console, columns: Sequence[str] | None, id_column: str | None) -> Table:
    """A table in a file; what was said while reading it is said again."""
    with console.work(f"reading {path.name}"):
        table = read_table(path, name=name, columns=columns, id_column=id_column)
    console.note(f"{name}: {note}" for note in table.notes)
    return table


def links_table(console: Console, linkage: Linkage, most: int = 40) -> None:
    """Links as a table in the terminal, and those of a dictionary; a long list is cut and said to be."""
    _cut(console, linkage, range(len(linkage.rows)), "known record", most)
    if linkage.dictionary is not None and len(linkage.dictionary.linked):
        _cut(console, linkage.dictionary, linkage.dictionary.linked.tolist(), "dictionary record", most)


def _cut(console: Console, linkage: Linkage, which: Sequence[int], noun: str, most: int) -> None:
    console.table(*link_table(linkage, which[:most], noun))
    if len(which) > most:
        console.say(f"... and {len(which) - most:,} more: use --json for all.")
