# SPDX-License-Identifier: BSD-3-Clause
"""Whether a table can be audited in the memory that there is, told before anything is read."""

from dataclasses import dataclass

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


def check_memory(name: str, rows: int, columns: int, sizes: int) -> None:
    """Refuse a table whose audit would need more memory than is free.

    Parameters
    ----------
    name
        What the error calls the table.
    rows, columns
        Of the table.
    sizes
        How many coalition sizes there are.
    """
    needed, free = 8 * rows * (NEEDED.entry * columns + NEEDED.size * sizes), free_memory()
    if needed > free:
        rule = f"must be small enough for the free memory, {free / 1e9:.1f} GB, because an audit holds all records"
        step = "Audit it where there is more memory, or a random part of its rows, and say so."
        raise InputError(name, rule, f"{rows:,} x {columns}, about {needed / 1e9:.1f} GB", step)
