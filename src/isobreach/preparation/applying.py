# SPDX-License-Identifier: BSD-3-Clause
"""Steps done to rows, and undone. To prepare a table and to repeat its steps on new rows are the same computation."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._phrases import count, place
from isobreach.errors import InputError
from isobreach.io import RawColumn, RawTable
from isobreach.preparation.recognising import amounts, as_amounts, as_days, as_truths, dates
from isobreach.preparation.steps import Steps


def attributes(recipe: Steps) -> dict[str, tuple[int, bool]]:
    """Of each attribute, its number of columns and whether it is a category."""
    found = {}
    for column in recipe.columns:
        steps = {step.what: step.parameters for step in recipe.of(column)}
        if "one-hot" in steps:
            found[column] = (len(code_columns(column, steps["one-hot"]["categories"])), True)
        else:
            found[column] = (1, "truths as 0 and 1" in steps)
    return found


def code_columns(column: str, categories: list[str]) -> list[str]:
    """Names of the columns of a category: of two, one column is enough.

    >>> code_columns("sex", ["f", "m"]), code_columns("stage", ["1", "2", "3"])
    (['sex=m'], ['stage=1', 'stage=2', 'stage=3'])
    """
    return [f"{column}={category}" for category in (categories[1:] if len(categories) == 2 else categories)]


def apply(recipe: Steps, raw: RawTable, name: str) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the numbers that the steps make of rows, and the names of their columns; rows are never dropped here."""
    by_name = {column.name: column for column in raw.columns}
    parts: list[NDArray[Any]] = []
    labels: list[str] = []
    for column in recipe.columns:
        made, names = _column(by_name[column], {step.what: step.parameters for step in recipe.of(column)}, name, raw)
        parts.append(made)
        labels += names
    return np.column_stack(parts), tuple(labels)


def _column(
    column: RawColumn, steps: Mapping[str, Mapping[str, Any]], name: str, raw: RawTable
) -> tuple[NDArray[Any], list[str]]:
    if "one-hot" in steps:
        return _codes(column, steps, name)
    values = numbers(column, steps, name, raw)
    if "filled" in steps:
        values = np.where(np.isnan(values), steps["filled"]["value"], values)
    if "standardised" in steps:
        values = (values - steps["standardised"]["mean"]) / steps["standardised"]["deviation"]
    return values, [column.name]


def numbers(column: RawColumn, steps: Mapping[str, Mapping[str, Any]], name: str, raw: RawTable) -> NDArray[Any]:
    """The numbers of a column, however it is written; NaN where missing."""
    if column.kind in ("number", "truth", "date"):
        return column.values
    cells = column.values.tolist()
    if all(cell is None for cell in cells):
        return np.full(len(cells), np.nan)
    if "words" in steps.get("truths as 0 and 1", {}):
        return as_truths(cells, steps["truths as 0 and 1"]["words"], column.name, name)
    if "dates as days" in steps:
        form = steps["dates as days"]["form"]
        if form is not None:
            return as_days(cells, form, column.name, name)
        found = dates(cells, column.name, name)
    elif "read as numbers" in steps:
        return as_amounts(cells, steps["read as numbers"]["decimal"], column.name, name)
    else:
        found = amounts(cells, column.name, name, commas=raw.commas)
    if found is None:
        raise InputError(name, f"must hold numbers in column {column.name!r}, as the prepared table does", "text")
    return found[0]


def as_text(column: RawColumn) -> NDArray[Any]:
    """Categories as text; whole numbers without a point, because a file with few rows may hold codes as numbers."""
    if column.kind == "text":
        return column.values
    if column.kind == "truth":
        return np.array([None if np.isnan(v) else ("true" if v else "false") for v in column.values], dtype=object)
    values = column.values.tolist()
    said = [None if v != v else str(int(v)) if v == int(v) else str(v) for v in values]
    return np.array(said, dtype=object)


def _codes(column: RawColumn, steps: Mapping[str, Mapping[str, Any]], name: str) -> tuple[FloatArray, list[str]]:
    """Columns of 0 and 1; NaN where the category is missing and not filled."""
    categories = list(steps["one-hot"]["categories"])
    cells = as_text(column)
    if "filled" in steps:
        cells = np.array([steps["filled"]["value"] if cell is None else cell for cell in cells], dtype=object)
    missing = np.array([cell is None for cell in cells], dtype=np.bool_)
    unknown = [row for row, cell in enumerate(cells) if cell is not None and cell not in set(categories)]
    if unknown:
        got = f"{count(len(unknown), 'row')} with another one, the first in {place(unknown[0])}"
        raise InputError(name, f"must have the categories of the prepared table in column {column.name!r}", got)
    filled = np.where(missing, categories[0], cells).astype(object)
    codes = encoder(categories).transform(filled[:, None])
    codes[missing] = np.nan
    return codes, code_columns(column.name, categories)


def encoder(categories: list[str]) -> Any:
    """scikit-learn's encoder of these categories: one column of two, else one each."""
    from sklearn.preprocessing import OneHotEncoder

    made = OneHotEncoder(categories=[np.array(categories, dtype=object)], drop="if_binary", sparse_output=False)
    return made.fit(np.array(categories, dtype=object)[:, None])


def restored(recipe: Steps, values: FloatArray) -> dict[str, NDArray[Any]]:
    """The owner's columns behind numbers: units and dates as they were, of categories the nearest."""
    found: dict[str, NDArray[Any]] = {}
    place = 0
    for column, (width, _) in attributes(recipe).items():
        part = values[:, place : place + width]
        place += width
        found[column] = _back(part, {step.what: step.parameters for step in recipe.of(column)})
    return found


def _back(part: FloatArray, steps: Mapping[str, Mapping[str, Any]]) -> NDArray[Any]:
    if "one-hot" in steps:
        categories = list(steps["one-hot"]["categories"])
        place = (part[:, 0] >= 0.5).astype(int) if part.shape[1] == 1 else np.nan_to_num(part, nan=-1.0).argmax(axis=1)
        said: NDArray[Any] = np.array(categories, dtype=object)[place]
        said[np.isnan(part).any(axis=1)] = None
        return said
    values = part[:, 0]
    if "standardised" in steps:
        values = values * steps["standardised"]["deviation"] + steps["standardised"]["mean"]
    if "truths as 0 and 1" in steps:
        words = np.array(steps["truths as 0 and 1"].get("words", [False, True]))
        truths: NDArray[Any] = words[(values >= 0.5).astype(int)]
        if np.isnan(values).any():
            truths = truths.astype(object)
            truths[np.isnan(values)] = None
        return truths
    if "dates as days" in steps:
        moments = np.round(np.nan_to_num(values) * 86_400).astype("datetime64[s]")
        return np.where(np.isnan(values), np.datetime64("NaT"), moments)
    return values
