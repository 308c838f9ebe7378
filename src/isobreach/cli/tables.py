# SPDX-License-Identifier: BSD-3-Clause
"""Tables and links between the command line and the library."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach import datasets
from isobreach._phrases import count
from isobreach._validation import check_table
from isobreach.attacks import Knowledge, normalised
from isobreach.cli.console import Console
from isobreach.errors import InputError
from isobreach.io import (
    STANDARD_INPUT,
    NumericTable,
    RawTable,
    Scan,
    Source,
    TextColumnsError,
    as_raw,
    asks_nothing,
    bounded_attributes,
    numbers_hash,
    read_json,
    read_ranges,
    select_columns,
    selection,
    without_column,
)
from isobreach.linking import Linkage, link_table
from isobreach.preparation import PreparedTable, Steps, done_words, prepare, repeated

_COLUMNS = ("columns", "leave_out", "released_columns", "id_column", "released_id_column")
_OTHER_RELEASE = (
    "--steps: they were recorded with another release than this one. If that was prepared otherwise, nothing will fit: "
    "use the steps that lie beside the key of this release."
)
_LOOKED_AT = 10_000  # rows by which a table that stays in its files shows whether it needs preparation
_TOLD = ("noise", "bounds", "rows", *_COLUMNS, "encoding", "sheet")


@dataclass(frozen=True)
class Data:
    """The owner's table as the command line names it: a file, a folder, a database, ``-`` or a bundled data set."""

    given: str
    columns: Sequence[str] | None = None
    leave_out: Sequence[str] | None = None
    id_column: str | None = None
    query: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    preparation: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def source(self) -> Source | None:
        """Where it is; None for a bundled data set."""
        if self.given in datasets.names() and not Path(self.given).exists():
            return None
        made = Source(self.given, "DATA", query=self.query, encoding=self.encoding, sheet=self.sheet)
        if self.sheet is not None and not (made.workbook or self.given == STANDARD_INPUT):
            raise InputError("--sheet", "must be left out where DATA is not an Excel workbook", repr(self.sheet))
        return made

    @property
    def title(self) -> str:
        """What a report calls the table: the name of a file without its ending."""
        return self.given if self.source is None else self.source.title

    @property
    def parameters(self) -> dict[str, Any]:
        """What the record of a run tells, besides the table itself."""
        return {
            "data": self.given if self.source is None else None,
            "columns": self.columns,
            "leave-out": self.leave_out,
            "id-column": self.id_column,
            "encoding": self.encoding,
            "sheet": self.sheet,
            **self.preparation,
        }

    def read(self, console: Console, *, standardise: bool = False) -> NumericTable:
        """Return the table, prepared; what was said while reading it is said again.

        ``standardise``: do so, asked for or not. Arrays, which have no names, stay as they are if nothing is asked.
        """
        asked = {**self.preparation, "standardise": standardise or self.preparation.get("standardise", False)}
        plain = not (asked["standardise"] or asked.get("missing") or asked.get("codes") or self.leave_out)
        if self.source is not None:
            if not (self.source.elsewhere or Path(self.given).exists()):
                kinds = "must be a file, a folder of Parquet parts, a database's URL, - (the standard input)"
                rule = f"{kinds} or a bundled data set ({', '.join(datasets.names())})"
                raise InputError("DATA", rule, f"{self.given}, which does not exist")
            if plain and not self.source.named:
                return read_source(self.source, "DATA", console, self.columns, self.id_column)
            with console.work(f"reading {self.source.name}"):
                return self._prepared(self.source, console, asked)
        reading = {"--query": self.query, "--encoding": self.encoding, "--sheet": self.sheet}
        for option, value in {"--id-column": self.id_column, **reading}.items():
            if value is not None:
                raise InputError(option, "must be left out for a bundled data set", repr(value))
        bundled = datasets.load(self.given)
        table = NumericTable(bundled.values, bundled.columns)
        return select_columns(table, "DATA", self.columns) if plain else self._prepared(table, console, asked)

    def on_files(self, console: Console) -> Scan:
        """Return the table as one that stays in its files; refuse one that has to be prepared first."""
        assert self.source is not None  # it is in files
        rule = "must need no preparation where it does not fit into memory"
        step = "Name the columns with --columns, or audit a random part of its rows, and say so."
        done = sorted(name for name, value in self.preparation.items() if value not in (None, False, "leave-out"))
        if done:
            raise InputError("DATA", rule, f"--{done[0].replace('_', '-')}", step)
        with console.work(f"reading {self.source.name}"):
            found = self.source.scanned(selection(self.columns, self.leave_out), self.id_column)
        if found is None:
            raise InputError("DATA", rule, "vectors whose length their type does not fix", step)
        rows = np.arange(min(found.values.shape[0], _LOOKED_AT))
        steps = prepare(NumericTable(found.values.gather(rows), found.columns), name="DATA").steps
        if steps and self.columns is None:
            raise InputError("DATA", rule, f"what would be prepared otherwise: {steps[0].sentence.rstrip('.')}", step)
        console.note(f"DATA: {note}" for note in found.notes)
        return found

    def labelled(self, console: Console, label: str) -> tuple[NumericTable, NDArray[Any]]:
        """Return the table without a column, prepared, and that column's values of the rows that are left."""
        if self.source is not None:
            with console.work(f"reading {self.source.name}"):
                raw = as_raw(self.source, "DATA")
        else:
            bundled = datasets.load(self.given)
            raw = as_raw(NumericTable(bundled.values, bundled.columns), "DATA")
        if label in (self.columns or ()):
            raise InputError("--label", "must be another column than those of --columns", repr(label))
        if label == self.id_column:
            raise InputError("--label", "must be another column than --id-column", repr(label))
        rest, column = without_column(raw, "DATA", label)
        table = self._prepared(rest, console, self.preparation)
        return table, column.values[table.rows]

    def _prepared(
        self,
        given: Source | NumericTable | RawTable,
        console: Console,
        asked: Mapping[str, Any],
    ) -> PreparedTable:
        table = prepare(
            given, **asked, columns=self.columns, leave_out=self.leave_out, id_column=self.id_column, name="DATA"
        )
        console.note(f"DATA: {note}" for note in (*table.notes, *done_words(table.steps)))
        return table


def as_precise(values: NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """Numbers in the type that others have, if that is one of floats and holds them."""
    if kind.kind != "f":
        return values
    with np.errstate(over="ignore"):
        same = values.astype(kind)
    return same if np.isfinite(same).all() else values


def recipe_of(table: NumericTable) -> Steps:
    """What was done to a table; nothing to one that was taken as it is."""
    return table.recipe if isinstance(table, PreparedTable) else Steps(table.columns, ())


def steps_path(path: Path) -> Path:
    """Where the steps of a preparation are written: beside a key or a prepared table."""
    return path.with_suffix(".steps.json")


def read_steps(path: Path) -> Steps:
    """Steps of a preparation, from a file that prepare or perturb wrote."""
    return Steps.from_json(read_json(path, "--steps"), "--steps")


def prepared_alike(steps: Steps, source: Source, name: str, console: Console, id_column: str | None) -> PreparedTable:
    """Records prepared as recorded; of known ones some attributes may be missing."""
    with console.work(f"reading {source.name}"):
        table = repeated(steps, source, name, id_column)
    check_table(name, table.values, table.columns, partial=name == "known")
    console.note(f"{name}: {note}" for note in table.notes)
    return table


@dataclass(frozen=True)
class Held:
    """The tables that an attacker holds, read; ``ranges``: bounds of the attributes in the tables' order."""

    released: NumericTable | Scan
    known: NumericTable | None
    sample: NumericTable | None
    dictionary: NumericTable | None
    attributes: tuple[str, ...]
    bounds: NDArray[np.float64] | None
    noise: Any
    rows: NDArray[np.int64] | None = None

    @property
    def knowledge(self) -> Knowledge:
        """What the attack is given."""
        known, sample, dictionary = (
            None if one is None else one.values for one in (self.known, self.sample, self.dictionary)
        )
        return Knowledge(known, sample, self.bounds, self.noise, self.rows, dictionary)

    @property
    def names(self) -> dict[str, Any]:
        """Names of attributes and rows, for the result."""
        return {
            "names": self.attributes,
            "known_ids": None if self.known is None else self.known.ids,
            "released_ids": self.released.ids,
            "left_out": self.released.left_out,
            "dictionary_ids": None if self.dictionary is None else self.dictionary.ids,
        }


class Holdings:
    """What an attacker holds, as the command line names it: files, columns and the noise level.

    Parameters
    ----------
    given
        Values of the command's options, by name; those that the command does not have are None.
    normalise
        Whether known and dictionary records are scaled to length one as they are read.
    """

    def __init__(self, given: Mapping[str, Any], *, normalise: bool = False) -> None:
        self._given, self._normalise = given, normalise

    @property
    def noise(self) -> Any:
        """The noise level, as given."""
        return self._given.get("noise")

    def _file(self, name: str) -> Path | None:
        """The file that an option names which may hold values instead."""
        given = self._given.get(name)
        return Path(given) if given is not None and Path(given).exists() else None

    @property
    def parameters(self) -> dict[str, Any]:
        """What the record of a run tells, besides its inputs."""
        given = {name: self._given.get(name) for name in _TOLD}
        given |= {name: None for name in ("bounds", "rows") if self._file(name) is not None}
        return {name.replace("_", "-"): value for name, value in given.items()}

    @cached_property
    def inputs(self) -> dict[str, Source]:
        """Where the tables are, by their roles."""
        given = {role: self._given.get(role) for role in ("known", "released", "sample", "dictionary")}
        places = {role: place for role, place in given.items() if place is not None}
        if sum(place == STANDARD_INPUT for place in places.values()) > 1:
            raise InputError("-", "must be one table only", "more than one", "Write the others to files.")
        asked, query = [role for role, place in places.items() if asks_nothing(place)], self._given.get("query")
        if query is not None and len(asked) != 1:
            rule, got = "must belong to one table, the only URL without #", count(len(asked), "such URL")
            raise InputError("--query", rule, got, "Write a table's name, or a query, after the # of each URL.")
        encoding, sheet = self._given.get("encoding"), self._given.get("sheet")
        sources = {
            role: Source(place, role, query=query if [role] == asked else None, encoding=encoding, sheet=sheet)
            for role, place in places.items()
        }
        files = {name: self._file(name) for name in ("bounds", "rows")}
        sources |= {name: Source(file, name) for name, file in files.items() if file is not None}
        if self._given.get("steps") is not None:
            sources["steps"] = Source(self._given["steps"], "steps")
        return sources

    def read(self, console: Console) -> Held:
        """Read everything; a sample and a dictionary have the known records' columns, by name if they have any."""
        kept, left_out, released_columns, id_column, released_id_column = (self._given.get(name) for name in _COLUMNS)
        columns = selection(kept, left_out)
        recorded = self._given.get("steps")
        steps = None if recorded is None else read_steps(recorded)
        if steps is not None and columns is not None:
            option = "--leave-out" if left_out else "--columns"
            raise InputError(option, "must be left out with --steps, which says which columns were kept", "both")
        bounds = self._given.get("bounds")
        ranges = None if bounds is None else read_ranges(bounds, "bounds")

        def records(name: str, columns: Sequence[str] | None, id_column: str | None) -> NumericTable | None:
            source = self.inputs.get(name)
            if source is None:
                return None
            try:
                table = (
                    read_source(source, name, console, columns, id_column)
                    if steps is None
                    else prepared_alike(steps, source, name, console, id_column)
                )
            except TextColumnsError as error:
                if (file := self._recorded()) is None:
                    raise
                step = f"Add --steps {file}, which was recorded with this release: records must be prepared alike."
                raise InputError(error.name, error.rule, error.got, step) from None
            if not self._normalise:
                return table
            return replace(table, values=normalised(table.values, name))

        known = records("known", columns, id_column)
        dictionary = records("dictionary", self._like_known("dictionary", known, columns), id_column)
        sample = records("sample", self._like_known("sample", known, columns), id_column if known is None else None)
        source = self.inputs["released"]
        with console.work(f"reading {source.name}"):
            released = self._released(source, released_columns, released_id_column)
        console.note(f"released: {note}" for note in released.notes)
        read = released.values if isinstance(released, NumericTable) else None  # what is larger than memory is not
        if steps is not None and steps.release and read is not None and steps.release != numbers_hash(read):
            console.note(_OTHER_RELEASE)
        table = known or sample
        width = released.values.shape[1]
        names, limits = bounded_attributes(ranges, None if table is None else table.columns, width)
        return Held(released, known, sample, dictionary, names, limits, self.noise, self._rows(console))

    def _released(self, source: Source, columns: Sequence[str] | None, id_column: str | None) -> NumericTable | Scan:
        """The released table, read by whoever was asked to."""
        engine, scheduler = (self._given.get(name) for name in ("engine", "scheduler"))
        if engine == "dask":
            return source.spread(scheduler, columns, id_column)
        if scheduler is not None:
            raise InputError("scheduler", "must be left out unless the engine is dask", repr(scheduler))
        return source.released(columns, id_column)

    def _recorded(self) -> Path | None:
        """The steps that were recorded with the released numbers, if they lie beside them or in a folder there."""
        folder, source = Path(self._given["released"]).parent, self.inputs["released"]
        found = [] if source.elsewhere else sorted({*folder.glob("*.steps.json"), *folder.glob("*/*.steps.json")})
        columns, id_column = self._given.get("released_columns"), self._given.get("released_id_column")
        released = self._released(source, columns, id_column) if found else None
        if not isinstance(released, NumericTable):  # larger than memory
            return None
        for path in found:
            with suppress(InputError):  # another file, called alike
                if read_steps(path).release == numbers_hash(released.values):
                    return path
        return None

    def _rows(self, console: Console) -> NDArray[np.int64] | None:
        """Released rows of the known records, out of the option or the file that it names."""
        given = self._given.get("rows")
        if given is None:
            return None
        rule = "must be whole numbers by commas, or a table of one numeric column"
        if "rows" in self.inputs:
            table = read_source(self.inputs["rows"], "rows", console, None, None)
            if table.values.shape[1] != 1:
                raise InputError("--rows", rule, count(table.values.shape[1], "numeric column"))
            values = np.asarray(table.values[:, 0], dtype=np.float64)
            if (values != np.rint(values)).any():
                raise InputError("--rows", rule, "others")
            return values.astype(np.int64)
        try:
            return np.array([int(word) for word in given.split(",")], dtype=np.int64)
        except (ValueError, OverflowError):
            raise InputError("--rows", rule, repr(given[:40])) from None

    def _like_known(self, name: str, known: NumericTable | None, columns: Sequence[str] | None) -> Sequence[str] | None:
        """The columns of another table that stand for those of the known records."""
        if known is None or name not in self.inputs or not (self.inputs["known"].named and self.inputs[name].named):
            return columns
        return known.columns


def read_source(
    source: Source, name: str, console: Console, columns: Sequence[str] | None, id_column: str | None
) -> NumericTable:
    """A table from its place; what was said while reading it is said again."""
    with console.work(f"reading {source.name}"):
        table = source.read(columns, id_column)
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
