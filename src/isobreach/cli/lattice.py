# SPDX-License-Identifier: BSD-3-Clause
"""The lattice attack on the command line: reads what the attacker holds, shows progress, writes the folder, speaks."""

import difflib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach import _interface
from isobreach._validation import check_positive, check_seed
from isobreach.attacks import Knowledge, LatticeReconstruction
from isobreach.cli.console import Console
from isobreach.cli.tables import read_file
from isobreach.errors import InputError
from isobreach.geometry.lattice import interruptible_fpylll
from isobreach.io import (
    Ranges,
    Table,
    atomic_directory,
    check_free,
    fit_columns,
    read_ranges,
    run_record,
    write_file,
    write_json,
    write_table,
)
from isobreach.report import (
    LatticeFindings,
    count,
    lattice_json,
    lattice_page,
    lattice_sentences,
    lattice_table,
    lattice_verdict,
)
from isobreach.report.lattice import HEAD

_MOST = 40  # lines of the table in the terminal


@dataclass(frozen=True)
class LatticeJob:
    """One lattice attack as the command line asks for it."""

    known: Path | None
    released: Path
    columns: tuple[str, ...] | None
    released_columns: tuple[str, ...] | None
    id_column: str | None
    released_id_column: str | None
    noise: Any
    sample: Path | None
    bounds: str | None
    budget: float
    seed: int | None

    def run(self, console: Console, out: Path | None, *, force: bool, estimates: bool) -> None:
        """Attack, write, speak."""
        check_seed(self.seed)
        check_positive("--budget", self.budget)
        seed = secrets.randbits(32) if self.seed is None else self.seed
        if out is not None:
            check_free(out, force=force)
        interruptible_fpylll()
        ranges = None if self.bounds is None else read_ranges(self.bounds, "--bounds")
        # At once: a bar cannot appear while a reduction runs, which keeps Python's other threads waiting.
        with console.bars(delay=0.0):
            released = read_file(self.released, "released", console, self.released_columns, self.released_id_column)
            known, sample = self._records(console)
            names, bounds = attributes(ranges, known, sample, released.values.shape[1])
            found = _interface.reconstruct(
                "lattice",
                released.values,
                Knowledge(_values(known), _values(sample), bounds, self.noise),
                seed=seed,
                budget=self.budget,
                progress=self._progress(console),
            )
            assert isinstance(found, LatticeReconstruction)
            records, others = (None if table is None else len(table.values) for table in (known, sample))
            told = LatticeFindings(found, names, records, others, bounds is not None, seed)
            if out is not None:
                with console.work("writing"):
                    self._write(out, told, force=force, estimates=estimates)
        _speak(console, told, out, estimates=estimates)

    def _records(self, console: Console) -> tuple[Table | None, Table | None]:
        """Known records and a sample: the same columns, by name where both have names."""
        known = sample = None
        if self.known is not None:
            known = read_file(self.known, "known", console, self.columns, self.id_column)
        if self.sample is not None:
            if known is None:
                sample = read_file(self.sample, "sample", console, self.columns, self.id_column)
            else:
                columns = known.columns if _named(self.known) and _named(self.sample) else None
                sample = read_file(self.sample, "sample", console, columns, None)
        return known, sample

    def _progress(self, console: Console) -> Any:
        def progress(label: str, done: int, total: int) -> None:
            most = f", at most {self.budget:g} s" if label == "lattice paths" else ""
            console.progress(f"{label}{most}", done, total)

        return progress

    def _write(self, out: Path, told: LatticeFindings, *, force: bool, estimates: bool) -> None:
        short = self.bounds is not None and not Path(self.bounds).exists()
        files = {
            "released": self.released,
            "known": self.known,
            "sample": self.sample,
            "bounds": None if short or self.bounds is None else Path(self.bounds),
        }
        parameters = {
            "method": "lattice",
            "budget": self.budget,
            "bounds": self.bounds if short else None,
            "noise": self.noise,
            "columns": self.columns,
            "released-columns": self.released_columns,
            "id-column": self.id_column,
            "released-id-column": self.released_id_column,
        }
        inputs = {role: file for role, file in files.items() if file is not None}
        run = run_record("isobreach attack", parameters, told.seed, inputs, packages=("fpylll", "cysignals"))
        with atomic_directory(out, force=force) as folder:
            write_json(folder / "run.json", run)
            write_json(folder / "result.json", lattice_json(told))
            write_file(folder / "report.html", lattice_page(told, run).encode())
            if estimates and told.found.claimed:
                labels, rows = told.labels, np.arange(told.rows)
                values = told.found.estimates[:, list(labels)]
                path = folder / "estimates.parquet"
                write_table(path, values, list(labels.values()), ids=rows, id_column="released row", mode=0o600)


def _speak(console: Console, told: LatticeFindings, out: Path | None, *, estimates: bool) -> None:
    console.say(lattice_verdict(told))
    if told.found.claimed:
        lines = lattice_table(told)
        console.table(HEAD, lines[:_MOST])
        if len(lines) > _MOST:
            console.say(f"... and {len(lines) - _MOST:,} more: use --json for all.")
    else:
        console.say("")
    console.say(f"- {line}" for line in lattice_sentences(told))
    if out is not None:
        console.say(["", f"Report: {out / 'report.html'}"])
        if estimates:
            console.say(_estimates(told, out))
    console.result({**lattice_json(told), "out": None if out is None else str(out)})


def _estimates(told: LatticeFindings, out: Path) -> str:
    if not told.found.claimed:
        return "No estimates were written: nothing is claimed."
    path, labels = out / "estimates.parquet", told.labels
    unnamed = [label for place, label in labels.items() if told.name(place) is None]
    more = f" Columns from {unnamed[0]} to {unnamed[-1]} are in no order." if unnamed else ""
    return f"Estimated records, which are private: {path}.{more}"


def attributes(
    ranges: Ranges | tuple[float, float] | None, known: Table | None, sample: Table | None, released: int
) -> tuple[tuple[str, ...], NDArray[np.float64] | None]:
    """Names of the attributes, and their bounds in that order."""
    table = known or sample
    names = fit_columns((), released) if table is None else table.columns
    if ranges is None:
        return names, None
    if isinstance(ranges, tuple) and not isinstance(ranges, Ranges):
        return names, np.tile(ranges, (len(names), 1))
    lines, told = len(ranges.values), ranges.names
    unnamed = names == fit_columns((), len(names))  # as tables are that have no names
    if table is not None and told is not None and (not unnamed or set(told) <= set(names)):
        return names, _by_name(told, ranges.values, names)
    if lines > len(names) or (lines < len(names) and (table is not None or told is None)):
        what = f"{count(released, 'released column')}" if table is None else f"{count(len(names), 'column')} of known"
        raise InputError(
            "--bounds",
            f"must have a line for each attribute, {what}",
            count(lines, "line"),
            "Name them in 'attribute'.",
        )
    # Attributes that no line names have no bounds.
    values = np.tile([-np.inf, np.inf], (len(names), 1))
    values[:lines] = ranges.values
    if told is None:
        return names, values
    others = (f"other_{number + 1}" for number in range(len(names) - lines))
    return (*told, *others), values


def _by_name(told: Sequence[str], given: NDArray[np.float64], names: tuple[str, ...]) -> NDArray[np.float64]:
    values = np.tile([-np.inf, np.inf], (len(names), 1))
    for name, range_ in zip(told, given, strict=True):
        if name not in names:
            close = difflib.get_close_matches(name, names)
            hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else f"Columns: {', '.join(names[:20])}."
            raise InputError("--bounds", "must name attributes that are columns of the other tables", repr(name), hint)
        values[names.index(name)] = range_
    return values


def _values(table: Table | None) -> NDArray[Any] | None:
    return None if table is None else table.values


def _named(path: Path | None) -> bool:
    return path is not None and path.suffix.lower() != ".npy"
