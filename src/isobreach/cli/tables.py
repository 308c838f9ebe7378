# SPDX-License-Identifier: BSD-3-Clause
"""Tables and links between the command line and the library."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isobreach import datasets
from isobreach.cli.console import Console
from isobreach.errors import InputError
from isobreach.io import Table, read_table, select_columns
from isobreach.linking import Linkage
from isobreach.report import LINK_HEAD, link_rows


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
    return _read(Path(data), "DATA", console, columns, id_column)


def read_pair(
    known: Path,
    released: Path,
    console: Console,
    columns: Sequence[str] | None,
    released_columns: Sequence[str] | None,
    id_column: str | None,
    released_id_column: str | None,
) -> tuple[Table, Table]:
    """The attacker's two tables."""
    return (
        _read(known, "known", console, columns, id_column),
        _read(released, "released", console, released_columns, released_id_column),
    )


def _read(path: Path, name: str, console: Console, columns: Sequence[str] | None, id_column: str | None) -> Table:
    with console.work(f"reading {path.name}"):
        table = read_table(path, name=name, columns=columns, id_column=id_column)
    console.note(f"{name}: {note}" for note in table.notes)
    return table


def link_records(linkage: Linkage) -> list[dict[str, Any]]:
    """One entry for each known record, for JSON; rows are counted from 0."""

    def label(ids: Any, index: int) -> Any:
        return None if ids is None else ids[index].item()

    return [
        {
            "known": i,
            "id": label(linkage.known_ids, i),
            "status": str(linkage.status[i]),
            "row": int(row) if row >= 0 else None,
            "released_id": label(linkage.released_ids, int(row)) if row >= 0 else None,
            "candidates": len(linkage.candidates[i]),
            "chance": None if linkage.chance is None or row < 0 else float(linkage.chance[i]),
        }
        for i, row in enumerate(linkage.rows)
    ]


def links_table(console: Console, records: list[dict[str, Any]], most: int = 40) -> None:
    """Links as a table in the terminal; a long list is cut and said to be."""
    console.table(LINK_HEAD, link_rows(records[:most]))
    if len(records) > most:
        console.say(f"... and {len(records) - most:,} more: use --json for all.")
