# SPDX-License-Identifier: BSD-3-Clause
"""A prepared table: numbers, and the steps that made them, which repeat on new rows and go back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._phrases import first_few
from isobreach.errors import InputError
from isobreach.io import NumericTable, as_raw, as_table, frame_of
from isobreach.preparation.applying import apply, attributes, restored
from isobreach.preparation.steps import Step, Steps


@dataclass(frozen=True, eq=False, repr=False)
class PreparedTable(NumericTable):
    """Numbers that were made of an owner's table, ready to be audited, protected or attacked.

    Attributes
    ----------
    values, columns, ids, kind, notes
        As read and prepared; ``columns`` names those of ``values``.
    left_out
        The owner's columns of text that were left out.
    recipe
        The steps with the columns that they apply to: ``steps`` lists them.
    rows
        Which of the owner's rows the table holds, counted from 0.
    rows_read
        How many rows the owner's table has, with those that were dropped.
    asked
        Arguments of ``prepare``, by name.
    """

    recipe: Steps = field(default=Steps((), ()))
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    rows_read: int = 0
    asked: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        return f"PreparedTable({rows:,} rows x {columns} columns, {len(self.steps)} steps)"

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was done, in order."""
        return self.recipe.steps

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes: a category in several columns is one."""
        return tuple(attributes(self.recipe))

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Columns of each attribute that is learned when its category is: one-hot categories, and yes or no."""
        return groups_of(self.recipe)

    def apply(self, frame: Any, *, encoding: str | None = None) -> "PreparedTable":
        """Do the same to new rows, such as known records: with the means and categories of this table.

        Missing values that led to dropped rows stay missing (NaN): attributes that are not known.

        Parameters
        ----------
        frame
            A frame, an array or a path, with the columns that were kept.
        encoding
            Of a CSV or TSV file, if it is not UTF-8.
        """
        return repeated(self.recipe, frame, "frame", encoding=encoding)

    def restore(self, values: Any) -> Any:
        """Return records as the owner has them: units, dates and categories, of records or of estimates of them.

        Parameters
        ----------
        values
            Rows with the columns of this table. The category of a row is the one whose code is nearest.
        """
        given = as_table(values, "values").values
        if given.shape[1] != self.values.shape[1]:
            raise InputError("values", f"must have the columns of this table, {self.values.shape[1]}", given.shape[1])
        columns = restored(self.recipe, np.asarray(given, dtype=np.float64))
        return frame_of(self.kind, columns, self.ids if len(given) == len(self.values) else None)


def groups_of(recipe: Steps) -> tuple[tuple[int, ...], ...]:
    """Columns of the attributes that are categories."""
    found, place = [], 0
    for width, category in attributes(recipe).values():
        found += [tuple(range(place, place + width))] if category else []
        place += width
    return tuple(found)


def repeated(
    recipe: Steps, frame: Any, name: str, id_column: str | None = None, *, encoding: str | None = None
) -> PreparedTable:
    """Do recorded steps to new rows."""
    raw = as_raw(frame, name, None, id_column, encoding=encoding)
    missing = [column for column in recipe.columns if column not in raw.names]
    if missing:
        listed = first_few(list(map(repr, missing)), 8)
        raise InputError(name, "must have the columns that were prepared", f"a table without {listed}")
    values, columns = apply(recipe, raw, name)
    return PreparedTable(
        values,
        columns,
        raw.ids,
        raw.kind,
        raw.notes,
        recipe=recipe,
        rows=np.arange(raw.rows, dtype=np.int64),
        rows_read=raw.rows,
    )
