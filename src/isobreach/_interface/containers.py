# SPDX-License-Identifier: BSD-3-Clause
"""Tables of any kind in, and their names and ids out again."""

import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from isobreach import linking
from isobreach.engine import Engine
from isobreach.errors import LeftOutWarning, NothingLinkedWarning
from isobreach.io import NumericTable, Scan, as_released, as_table, matched_columns
from isobreach.linking import Linkage
from isobreach.preparation import PreparedTable, done_words

Report = TypeVar("Report")


def as_report(kind: Callable[..., Report], result: Any) -> Report:
    """The same result, of a class that can describe it."""
    return kind(**{one.name: getattr(result, one.name) for one in fields(result)})


def preparation_words(table: PreparedTable) -> tuple[str, ...]:
    """What was noted while a table was read, and done to it, in sentences."""
    return (*(f"{note[:1].upper()}{note[1:]}." for note in table.notes), *done_words(table.steps))


def like_known(name: str, given: Any, known: NumericTable) -> NumericTable | None:
    """Another table of the attacker's, with the columns of the known records by their names; None for none."""
    return None if given is None else matched_columns(as_table(given, name), name, known, "known")


def ids_of(table: NumericTable | Scan | None) -> NDArray[Any] | None:
    return None if table is None else table.ids


def named_linkage(
    linkage: Linkage, known: NumericTable, candidates: NumericTable | None, released: NumericTable | Scan | None
) -> Linkage:
    """A linkage with the names that its tables have."""
    entries, ids = linkage.dictionary, ids_of(released)
    left_out = () if released is None else released.left_out
    if entries is not None and candidates is not None:
        entries = replace(entries, known_ids=candidates.ids, released_ids=ids, left_out=left_out)
    return replace(linkage, known_ids=known.ids, released_ids=ids, dictionary=entries, left_out=left_out)


def warn_if_nothing_linked(linkage: Linkage | None) -> None:
    if linkage is not None and not len(linkage.linked):
        warnings.warn(NothingLinkedWarning(len(linkage.rows), linking.unlinked_reasons(linkage)), stacklevel=3)


def rows_of(released: Any) -> tuple[NDArray[Any] | Engine, NumericTable | Scan | None]:
    """Released rows, and the table that they came in if it has names."""
    # An engine or a plain array goes as it is: linking checks its values in the pass that it makes anyway.
    if isinstance(released, Engine) or type(released) in (np.ndarray, np.memmap):
        return released, None
    table = as_released(released, "released")
    if table.left_out and table is not released:
        warnings.warn(LeftOutWarning("released", table.left_out), stacklevel=3)
    return table.values, table


def read(given: Any, name: str, *, stacklevel: int = 3) -> NumericTable:
    """A table whose columns without numbers are left out with a warning; one that was read before has had its own."""
    table = as_table(given, name)
    if table.left_out and table is not given:
        warnings.warn(LeftOutWarning(name, table.left_out), stacklevel=stacklevel)
    return table
