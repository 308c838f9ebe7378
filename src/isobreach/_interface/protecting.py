# SPDX-License-Identifier: BSD-3-Clause
"""Prepare a table, protect it, and undo that with the key."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from isobreach import preparation, schemes
from isobreach._interface.containers import read
from isobreach.io import default_columns, like
from isobreach.preparation import PreparedTable
from isobreach.schemes import AnyKey, Release, Scheme, scheme_by_name


def prepare(
    frame: Any,
    *,
    missing: str | None = None,
    categories: str = "leave-out",
    standardise: bool = False,
    columns: Sequence[str] | None = None,
    leave_out: Sequence[str] | None = None,
    codes: Sequence[str] | None = None,
    id_column: str | None = None,
    encoding: str | None = None,
) -> PreparedTable:
    """Turn a table as its owner has it into numbers, with every step recorded: ``table.steps``.

    Dates become days, amounts such as ``$1,234.50`` numbers, and truths 0 or 1. Columns that only name the rows, text,
    and columns of one value are left out. ``table.apply`` does the same to new rows, such as known records, and
    ``table.restore`` goes back. The table goes wherever tables go.

    Parameters
    ----------
    frame
        pandas, polars, Arrow or NumPy, anything else that narwhals reads, or a path.
    missing
        ``"drop"`` the rows with missing values, or fill them: with the ``"mean"`` of a column, or its most common
        category. Without a choice a missing value is an error that tells what both would leave.
    categories
        ``"one-hot"``: text becomes columns of 0 and 1, one attribute together. ``"leave-out"``: it is left out.
    standardise
        Subtract the mean of every number and divide by its standard deviation, both of the rows that are left;
        categories stay 0 or 1.
    columns
        Columns to keep; a column that is named is kept even if it seems to name the rows or has one value.
    leave_out
        Columns to leave out, instead of ``columns``.
    codes
        Columns of numbers that are codes, such as wards or diagnoses: categories, and no amounts.
    id_column
        The column that names the records.
    encoding
        Of a CSV or TSV file, such as ``"latin-1"``, if it is not UTF-8. Codes keep their zeros in front, which most
        readers of frames drop.

    >>> import isobreach as ib, pandas as pd
    >>> people = pd.DataFrame({"age": [30, 41, None], "pay": ["$1,200", "$950", "$2,000"], "sex": ["f", "m", "f"]})
    >>> table = ib.prepare(people, missing="drop", categories="one-hot")
    >>> table.values.tolist(), table.columns
    ([[30.0, 1200.0, 0.0], [41.0, 950.0, 1.0]], ('age', 'pay', 'sex=m'))
    >>> table.steps[-1].what, table.restore(table.values)["sex"].tolist()
    ('one-hot', ['f', 'm'])
    """
    return preparation.prepare(
        frame,
        missing=missing,
        categories=categories,
        standardise=standardise,
        columns=columns,
        leave_out=leave_out,
        codes=codes,
        id_column=id_column,
        encoding=encoding,
    )


def perturb(X: Any, scheme: str | Scheme = "rigid", seed: int | None = None) -> Release:
    """Protect a table: ``Release(data, key)``, rows shuffled, data in the same kind of container as ``X``.

    Released columns are called c1, c2, ...: each mixes all of the owner's, whose names stay in the key. A scheme that
    changes values in their columns keeps the names.

    Parameters
    ----------
    X
        The table: NumPy, pandas, polars, Arrow or a path. Columns without numbers, and what stands beside a column of
        vectors, are left out, with a warning.
    scheme
        A name, one of ``ib.schemes.SCHEMES``, or an object with parameters: ``ib.schemes.Noisy(noise=0.2)``.
    seed
        For experiments alone: whoever knows it can draw the key again. Without one the key comes from the operating
        system's secure source.

    >>> import numpy as np, isobreach as ib
    >>> X = np.arange(12.0).reshape(4, 3)
    >>> release = ib.perturb(X, "rigid", seed=0)
    >>> np.allclose(release.key.invert(release.data), X)
    True
    """
    table = read(X, "X")
    scheme = scheme_by_name(scheme) if isinstance(scheme, str) else scheme
    release = schemes.perturb(table.values, scheme, seed)
    named = table.kind != "numpy"
    key = replace(release.key, columns=table.columns if named else None, ids=table.ids)
    # The owner's names over mixed values would mislead.
    columns = table.columns if scheme.in_place else default_columns(release.data.shape[1])
    return Release(like(table.kind, release.data, columns), key, table.left_out)


def invert(key: AnyKey, released: Any) -> Any:
    """Return the records behind a release, for the owner who has the key: in their own order, under their own names.

    Parameters
    ----------
    key
        The key of this release: ``release.key``, or one that ``read_key`` gave back.
    released
        The release: NumPy, pandas, polars, Arrow or a path.
    """
    table = read(released, "released")
    records = key.invert(table.values)
    columns = key.columns if key.columns is not None else default_columns(records.shape[1])
    return like(table.kind, records, columns, key.ids)
