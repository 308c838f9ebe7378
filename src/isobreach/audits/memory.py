# SPDX-License-Identifier: BSD-3-Clause
"""Whether a table can be audited in the memory that there is, told before anything is read."""

from dataclasses import dataclass

from isobreach.audits.criterion import SHARE
from isobreach.audits.declared import playable
from isobreach.audits.settings import Settings
from isobreach.engine import free_memory
from isobreach.errors import InputError


@dataclass(frozen=True)
class Needed:
    """Memory of an audit: so many numbers for each entry of the table, and for each record and coalition size.

    Measured: 1.1 GB for 100,000 x 100 and 1.6 GB for 1,000,000 x 16, both with eight sizes, 0.35 GB of it for Python.

    Attributes
    ----------
    entry
        The table, its release, both as the trials on two threads see them, and what is made of them on the way.
    size
        Breach probabilities of every record at every size.
    """

    entry: float = 9.0
    size: float = 2.0


NEEDED = Needed()


def fits_into_memory(rows: int, columns: int, sizes: int) -> bool:
    """Return whether an audit of a table would need no more memory than is free.

    Parameters
    ----------
    rows, columns
        Of the table.
    sizes
        How many coalition sizes there are.
    """
    return _needed(rows, columns, sizes) <= free_memory()


def check_memory(name: str, rows: int, columns: int, sizes: int) -> None:
    """Refuse a table whose audit would need more memory than is free.

    Parameters
    ----------
    name
        What the error calls the table.
    rows, columns, sizes
        As for ``fits_into_memory``.
    """
    if not fits_into_memory(rows, columns, sizes):
        needed, free = _needed(rows, columns, sizes), free_memory()
        rule = f"must be small enough for the free memory, {free / 1e9:.1f} GB, because this audit holds all records"
        step = "Give it as Parquet files, which an audit behind a motion without noise reads pass by pass."
        raise InputError(name, rule, f"{rows:,} x {columns}, about {needed / 1e9:.1f} GB", step)


def _needed(rows: int, columns: int, sizes: int) -> float:
    return 8 * rows * (NEEDED.entry * columns + NEEDED.size * sizes)


def check_playable_on_files(settings: Settings) -> None:
    """Refuse what an audit cannot tell of records that it does not hold, before anything is read.

    Parameters
    ----------
    settings
        What is asked.
    """
    model = playable(settings.scheme)
    step = "Audit a random part of its rows, and say so."
    if not model.moves or model.noise is not None:
        rule = "must be a motion without noise where the table stays in its files: others are played on all records"
        raise InputError("scheme", rule, settings.scheme.name, step)
    if settings.noise_levels and settings.met.kind != SHARE:
        rule = f"must be {SHARE} where the table stays in its files and noise is tried on a part of it"
        raise InputError("criterion", rule, settings.met.kind, step)
