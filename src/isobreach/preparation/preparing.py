# SPDX-License-Identifier: BSD-3-Clause
"""What is done to each column of a table, decided once and recorded.

In order: columns that only name the rows, hold text or say nothing are left out; text that holds amounts or dates, and
truths, become numbers; categories become columns of 0 and 1; missing values are dropped with their rows or filled; and
numbers are standardised by the mean and deviation of the rows that are left. scikit-learn's ``SimpleImputer``,
``OneHotEncoder`` and ``StandardScaler`` decide what they are good at; ``applying`` does it.
"""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._naming import way
from isobreach._phrases import called_id, count, names_like, together
from isobreach._validation import check_choice, check_names, check_table
from isobreach.errors import InputError
from isobreach.io import RawColumn, RawTable, as_raw, selection
from isobreach.preparation.applying import apply, as_text, numbers
from isobreach.preparation.recognising import (
    amounts,
    as_truths,
    dates,
    has_codes,
    like_codes,
    marked,
    names_rows,
    truths,
    written,
)
from isobreach.preparation.steps import CODE_REASONS, LISTED, MISSED, ONE_HOT, UNASKED, Step, Steps, reason_words
from isobreach.preparation.table import PreparedTable

MISSING, CATEGORIES = ("drop", "mean"), ("one-hot", "leave-out")
MOST_CATEGORIES = 50  # of one column: more would make more columns than an audit of people can use
_LISTED = 8  # columns with missing values that a message names
_DROP, _MEAN = "missing='drop'", "missing='mean'"


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
    name: str = "frame",
) -> PreparedTable:
    """Prepare a table: see ``isobreach.prepare``; ``name`` is what errors call it."""
    if missing is not None:
        check_choice("missing", missing, MISSING)
    check_choice("categories", categories, CATEGORIES)
    raw = as_raw(frame, name, selection(columns, leave_out), id_column, encoding=encoding)
    _check_codes(codes or (), raw, categories, name)
    named = {*(columns or ()), *(codes or ())}
    steps = [_left_out(label, "asked") for label in leave_out or ()]
    steps += [_left_out(label, "beside") for label in raw.beside]
    kept: list[RawColumn] = []
    for column in raw.columns:
        if column.name in (codes or ()):
            made, done = _as_code(column)
        else:
            made, done = _decided(column, raw, name, one_hot=categories == "one-hot", named=column.name in named)
        steps += done
        if made is not None:
            kept.append(made)
    unasked = {step.column for step in steps if step.parameters.get("reason") in UNASKED}
    if not kept:
        left = " ".join(step.sentence for step in steps[:4]).removesuffix(".")
        steps_left = [f"To keep categories: {way('--categories one-hot', ONE_HOT)}."] if unasked else []
        step = " ".join([*steps_left, *(f"Note: {note}." for note in raw.notes)])
        raise InputError(name, "must have a column that can be prepared", f"none: {left}", step)
    texts = [column for column in raw.columns if column.name in unasked]
    rows, done = _complete(kept, missing, raw.rows, name, texts)
    steps += done
    kept = [column.take(rows) for column in kept] if len(rows) < raw.rows else kept
    kept, done = _varying(kept, named)
    steps += done
    if not kept:
        raise InputError(name, "must have a column whose values differ", f"{count(len(rows), 'row')} alike")
    steps += [_one_hot(column) for column in kept if column.kind == "text"]
    steps += [_standardised(column, steps) for column in kept if standardise and column.kind in ("number", "date")]
    present = {column.name for column in kept}
    recipe = Steps(tuple(present_in_order(raw.names, present)), tuple(s for s in steps if _stays(s, present)))
    values, labels = apply(recipe, replace(raw, columns=tuple(kept), rows=len(rows)), name)
    check_names(name, labels)  # a column may be called like a category of another
    check_table(name, values, labels)
    ids = raw.ids
    if len(rows) < raw.rows:
        ids = rows if ids is None else ids[rows]  # so that a report names the owner's rows
    settled = named | {step.column for step in steps if step.what == "read as numbers"}  # 50% and $1,000 are no codes
    out = tuple(s.column for s in steps if s.what == "left out" and s.parameters["reason"] in MISSED)
    return PreparedTable(
        values,
        labels,
        ids,
        raw.kind,
        (*raw.notes, *_as_amounts([column for column in kept if column.name not in settled])),
        tuple(map(str, out)),
        recipe=recipe,
        rows=rows,
        rows_read=raw.rows,
        asked={
            "missing": missing,
            "categories": categories,
            "standardise": standardise,
            "columns": columns,
            "leave_out": leave_out,
            "codes": codes,
            "id_column": id_column,
            "encoding": encoding,
        },
    )


def present_in_order(names: Sequence[str], present: set[str]) -> list[str]:
    """Names that are present, in their order."""
    return [name for name in names if name in present]


def _stays(step: Step, present: set[str]) -> bool:
    """Whether a step is about rows, a column that is there, or why one is not."""
    return step.column is None or step.column in present or step.what == "left out"


def _left_out(column: str, reason: str) -> Step:
    return Step(column, "left out", {"reason": reason}, f"Column {column!r} was left out: {reason_words(reason)}.")


def _check_codes(codes: Sequence[str], raw: RawTable, categories: str, name: str) -> None:
    """Refuse names of columns that are not there, dates among them, and codes where categories are left out."""
    check_names("codes", codes)
    kinds = {column.name: column.kind for column in raw.columns}
    for label in codes:
        if label not in kinds:
            raise InputError(
                "codes", f"must name columns of {name} that are kept", repr(label), names_like(label, raw.names)
            )
        if kinds[label] in ("date", "other"):
            raise InputError("codes", f"must name columns of numbers or text of {name}", repr(label))
    if codes and categories != "one-hot":
        keep, leave = way("--categories one-hot", ONE_HOT), way("--leave-out", "leave_out=[...]")
        step = f"Add {keep}, or leave the columns out with {leave}."
        raise InputError("codes", "must come with one-hot categories", f"categories {categories!r}", step)


def _as_code(column: RawColumn) -> tuple[RawColumn | None, list[Step]]:
    """A column that the owner says holds codes, as text."""
    said = f"Column {column.name!r} holds codes, as was said: text, and no amounts."
    step = Step(column.name, "codes as text", {"reason": "asked"}, said)
    return RawColumn(column.name, "text", as_text(column)), [step]


def _decided(
    column: RawColumn, raw: RawTable, name: str, *, one_hot: bool, named: bool
) -> tuple[RawColumn | None, list[Step]]:
    """The column as numbers or categories, and what was done; None where it is left out."""
    label = column.name
    if column.kind == "other":
        return None, [_left_out(label, "other")]
    if column.missing.all():
        return None, [_left_out(label, "empty")]
    if column.kind == "truth":
        said = f"Column {label!r} is yes or no: 1 or 0."
        return column, [Step(label, "truths as 0 and 1", {}, said)]
    if column.kind == "date":
        return column, [_dated(label, None)]
    if column.kind == "number":
        return (None, [_left_out(label, "id")]) if not named and names_rows(column) else (column, [])
    cells = column.values.tolist()
    read = dates(cells, label, name)
    if read is not None:
        return RawColumn(label, "date", read[0]), [_dated(label, read[1]), *_marks(label, cells)]
    if has_codes(cells) and not named:
        said = f"Column {label!r} holds digits with zeros in front: a code, which is text and no amount."
        kept, done = _text(column, name, one_hot=one_hot, named=named)
        if kept is None:  # one reason is enough
            reason = str(done[0].parameters["reason"])
            return None, [_left_out(label, reason if called_id(label) else CODE_REASONS.get(reason, reason))]
        return kept, [Step(label, "codes as text", {}, said), *done]
    read = amounts(cells, label, name, commas=raw.commas)
    if read is not None:
        plain = all(marked(cell) or _plain(cell) for cell in cells)
        step = [] if plain else [_read(label, cells, read[1])]
        step += _marks(label, cells)
        made = RawColumn(label, "number", read[0])
        return (None, [_left_out(label, "id")]) if not named and names_rows(made) else (made, step)
    return _text(column, name, one_hot=one_hot, named=named)


def _text(column: RawColumn, name: str, *, one_hot: bool, named: bool) -> tuple[RawColumn | None, list[Step]]:
    """A column of text that is neither amounts nor dates: yes or no, a category, or left out."""
    label, cells = column.name, column.values.tolist()
    words = truths(cells)
    if words is not None:
        made = RawColumn(label, "truth", as_truths(cells, words, label, name))
        said = f"Column {label!r} says {words[1]!r} or {words[0]!r}: 1 or 0."
        return made, [Step(label, "truths as 0 and 1", {"words": words}, said)]
    if not named and names_rows(column):
        return None, [_left_out(label, "id")]
    different = len({cell for cell in cells if cell is not None})
    if different > MOST_CATEGORIES and not named:
        return None, [_left_out(label, "many values")]
    if different == 1 and not named and None not in cells:
        return None, [_left_out(label, "constant text")]
    if not one_hot:
        if named:
            hint = f"Add {way('--categories one-hot', ONE_HOT)}, or leave it out of the columns."
            raise InputError("columns", f"must be numeric columns of {name}", f"text in {label!r}", hint)
        return None, [_left_out(label, "text")]
    return column, []


def _read(label: str, cells: Sequence[Any], mark: str) -> Step:
    """The step that read amounts, and how they were written."""
    how = written(cells, mark)
    said = f"Column {label!r} was read as numbers: it was written with {together(how)}."
    return Step(label, "read as numbers", {"decimal": mark, "written": how}, said)


def _as_amounts(columns: Sequence[RawColumn]) -> list[str]:
    """What is said of numbers that may be codes, which no step changed."""
    found = [column.name for column in columns if like_codes(column)]
    if not found:
        return []
    quoted = [repr(name) for name in found[:LISTED]]
    more = ", ..." if len(found) > LISTED else ""
    several = ", ".join(quoted) + more if more else together(quoted)
    told = f"column {quoted[0]} holds" if len(found) == 1 else f"{len(found)} columns ({several}) hold"
    typed = "..." if more else shlex.quote(",".join(found))
    how = way(f"--codes {typed} --categories one-hot", f"codes=[{'...' if more else ', '.join(quoted)}], {ONE_HOT}")
    return [f"{told} few different whole numbers, which were taken as amounts. If they are codes, name them: {how}"]


def _plain(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _marks(label: str, cells: Sequence[Any]) -> list[Step]:
    """The step that read marks as missing values, if there were any."""
    found = sum(cell is not None and marked(cell) for cell in cells)
    said = f"Column {label!r}: {count(found, 'cell')} with a mark such as - or n/a counted as missing."
    return [Step(label, "marks as missing", {"cells": found}, said)] if found else []


def _dated(label: str, form: str | None) -> Step:
    return Step(label, "dates as days", {"form": form}, f"Column {label!r} is a date: it counts days since 1970-01-01.")


def _one_hot(column: RawColumn) -> Step:
    from sklearn.preprocessing import OneHotEncoder

    known = as_text(column)[~column.missing]
    found = [str(category) for category in OneHotEncoder().fit(known[:, None]).categories_[0]]
    said = f"Column {column.name!r} is a category of {len(found)} values: one attribute, in columns of 0 or 1."
    return Step(column.name, "one-hot", {"categories": found}, said)


def _complete(
    kept: Sequence[RawColumn], missing: str | None, total: int, name: str, texts: Sequence[RawColumn]
) -> tuple[NDArray[np.int64], list[Step]]:
    """Rows that stay, and what was done about missing values; refuses them where nothing was asked for.

    ``texts``: columns that are left out because nobody asked for categories.
    """
    holes = {column.name: column.missing for column in kept}
    holes = {label: cells for label, cells in holes.items() if cells.any()}
    every = np.arange(total, dtype=np.int64)
    if not holes:
        return every, []
    whole = ~np.any(list(holes.values()), axis=0)
    if missing is None:
        raise _undecided(holes, whole, len(kept), name, texts)
    if missing == "drop":
        if not whole.any():
            rule = f"must have a row without missing values for {way('--missing drop', _DROP)}"
            mean, fewer = way("--missing mean", _MEAN), way("--leave-out", "leave_out=[...]")
            step = f"Use {mean}, or leave out the emptiest columns with {fewer}."
            raise InputError(name, rule, "none", step)
        gone = total - int(whole.sum())
        said = f"{count(gone, 'row')} of {total:,} with missing values were dropped; {total - gone:,} are left."
        return np.flatnonzero(whole), [Step(None, "dropped rows", {"dropped": gone, "of": total}, said)]
    return every, [_filled(column) for column in kept if column.name in holes]


def _undecided(
    holes: dict[str, NDArray[np.bool_]], whole: NDArray[np.bool_], columns: int, name: str, texts: Sequence[RawColumn]
) -> InputError:
    """The one error that says where values are missing, and what each choice would leave."""
    counts = sorted(((int(cells.sum()), label) for label, cells in holes.items()), key=lambda pair: -pair[0])
    listed = ", ".join(f"{label!r} {number:,}" for number, label in counts[:_LISTED])
    rest = f" and {len(counts) - _LISTED} more columns" if len(counts) > _LISTED else ""
    cells, total = sum(number for number, _ in counts), len(whole)
    kept, kept_columns = int(whole.sum()), count(columns, "column")
    drop, mean = way("--missing drop", _DROP), way("--missing mean", _MEAN)
    fewer = way("--leave-out", "leave_out=[...]")
    step = (
        f"{drop} leaves {kept:,} of {total:,} rows with all {kept_columns}{_without(holes, counts, whole)}; {mean} "
        f"keeps all {total:,} rows and fills {count(cells, 'cell')} with the column's mean or most common category; or "
        f"leave columns out with {fewer}."
    )
    if texts:
        encode = way("--categories one-hot", ONE_HOT)
        are, them = ("is", "it") if len(texts) == 1 else ("are", "them")
        rows = int((whole & ~np.any([column.missing for column in texts], axis=0)).sum())
        then = f", and {drop} then leaves {rows:,} rows" if rows < kept else ""
        step += f" {count(len(texts), 'column')} of text {are} left out: {encode} keeps {them}{then}."
    got = f"{count(cells, 'missing value')} in {len(counts)} of {kept_columns}: {listed}{rest}"
    return InputError(name, "must have no missing values, or a choice of what to do with them", got, step)


def _without(holes: dict[str, NDArray[np.bool_]], counts: Sequence[tuple[int, str]], whole: NDArray[np.bool_]) -> str:
    """Which columns to leave out so that half of the rows stay, where dropping rows leaves fewer: the emptiest ones."""
    if 2 * whole.sum() >= len(whole):
        return ""
    for number in range(1, min(len(counts) - 1, _LISTED) + 1):
        rest = [holes[label] for _, label in counts[number:]]
        stay = int((~np.any(rest, axis=0)).sum())
        if 2 * stay >= len(whole):
            left = ", ".join(repr(label) for _, label in counts[:number])
            return f", {stay:,} without {left}"
    return ""


def _filled(column: RawColumn) -> Step:
    from sklearn.impute import SimpleImputer

    category = column.kind in ("text", "truth")
    cells = int(column.missing.sum())
    if column.kind == "text":
        known = as_text(column)[~column.missing]
        value: Any = min(Counter(known.tolist()).items(), key=lambda pair: (-pair[1], pair[0]))[0]
    else:
        imputer = SimpleImputer(strategy="most_frequent" if category else "mean")
        value = float(imputer.fit(column.values[:, None]).statistics_[0])
    how = "the most common category" if category else "the mean"
    said = f"Column {column.name!r}: {count(cells, 'missing value')} were filled with {how}."
    return Step(column.name, "filled", {"value": value, "cells": cells}, said)


def _varying(kept: Sequence[RawColumn], named: set[str]) -> tuple[list[RawColumn], list[Step]]:
    """Columns whose values differ; others say nothing, and are left out unless they are named."""
    stay, steps = [], []
    for column in kept:
        values = column.values[~column.missing]
        alike = len(values) == 0 or bool((values == values[0]).all())
        if alike and column.name not in named:
            steps.append(_left_out(column.name, "constant"))
        else:
            stay.append(column)
    return stay, steps


def _standardised(column: RawColumn, steps: Sequence[Step]) -> Step:
    from sklearn.preprocessing import StandardScaler

    own = {step.what: step.parameters for step in steps if step.column == column.name}
    values = np.asarray(numbers(column, own, "frame", RawTable((column,), len(column.values))), dtype=np.float64)
    if "filled" in own:
        values = np.where(np.isnan(values), own["filled"]["value"], values)
    scaler = StandardScaler().fit(values[:, None])
    parameters = {"mean": float(scaler.mean_[0]), "deviation": float(scaler.scale_[0])}
    said = f"Column {column.name!r} was standardised: less its mean, divided by its standard deviation."
    return Step(column.name, "standardised", parameters, said)
