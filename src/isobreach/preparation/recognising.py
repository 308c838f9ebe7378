# SPDX-License-Identifier: BSD-3-Clause
"""What a column of text holds: amounts, dates, yes or no, or neither; and which columns only name the rows.

Amounts may have a currency, a percent sign, separators of thousands and either decimal mark: ``$1,234.50``,
``1 234,5 €``. One decimal mark holds for a whole column. Where every cell leaves it open, as 1,000 does, a currency
that stands before the number, or a file whose fields are separated by commas, settles it; otherwise it is refused.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._naming import way
from isobreach._phrases import called_id, count, place
from isobreach.errors import InputError
from isobreach.io import MISSING_MARKS, RawColumn

_CURRENCY = r"(?:[$€£¥₹₽₩]|US\$|USD|EUR|GBP|CHF|JPY|CAD|AUD|Fr\.|kr)"
_SPACE = "[ \u00a0\u202f]"
_NUMBER = rf"\d{{1,3}}(?:{_SPACE}\d{{3}})+(?:[.,]\d+)?|\d[\d.,'’]*|[.,]\d+"
_AMOUNT = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+−])?(?P<before>{_CURRENCY})?{_SPACE}?(?P<inner>[-+−])?(?P<number>{_NUMBER})"
    rf"(?P<power>[eE][-+]?\d+)?{_SPACE}?(?P<after>{_CURRENCY}|%)?(?(open)\))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Telltales:
    """How much a column must show of what it is; set by hand on real tables."""

    mostly: float = 0.9  # of the cells: from here on, the others are mistakes in a column of amounts
    few: int = 12  # different values at most of a category some of which are numbers, as 1, 2, 3+
    often: int = 5  # times that a code comes, on average: fewer say nothing
    rows: int = 20  # below, that all values differ says nothing


_TELLTALES = Telltales()
_FORMS = {
    "year-month-day": re.compile(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})"),
    "day.month.year": re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
    "day/month/year": re.compile(r"(?P<d>\d{1,2})[-/](?P<m>\d{1,2})[-/](?P<y>\d{4})"),
    "month/day/year": re.compile(r"(?P<m>\d{1,2})[-/](?P<d>\d{1,2})[-/](?P<y>\d{4})"),
    "ISO with time": re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*"),
}
# In English, Danish, Dutch, French, German, Italian, Polish, Portuguese, Spanish and Swedish.
_TRUTHS = (
    *(("no", "yes"), ("n", "y"), ("false", "true")),
    *(("nein", "ja"), ("nee", "ja"), ("nej", "ja"), ("non", "oui"), ("falsch", "wahr"), ("faux", "vrai")),
    *(("no", "si"), ("no", "sí"), ("no", "sì"), ("não", "sim"), ("nie", "tak"), ("falso", "verdadero")),
    *(("falso", "verdadeiro"), ("falso", "vero")),
)
_EPOCH = date(1970, 1, 1).toordinal()


def marked(cell: Any) -> bool:
    """Whether a cell of a column of numbers or dates says that its value is missing, as - and n/a do."""
    return cell is None or cell.lower() in MISSING_MARKS


def has_codes(cells: Sequence[Any]) -> bool:
    """Whether a column of text holds codes of digits, such as 02139: a zero in front means nothing in an amount.

    >>> has_codes(["02139", "10115", None]), has_codes(["0", "12", "100"]), has_codes(["0.5", "01"])
    (True, False, False)
    """
    filled = [cell for cell in cells if not marked(cell)]
    return all(map(str.isdecimal, filled)) and any(len(cell) > 1 and cell[0] == "0" for cell in filled)


def amounts(cells: Sequence[Any], column: str, name: str, *, commas: bool) -> tuple[FloatArray, str] | None:
    """Return the numbers in a column of text with their decimal mark, None if it holds none.

    Parameters
    ----------
    cells
        Text, None or a mark such as - where missing.
    column, name
        What an error calls the column and the table.
    commas
        Commas separate the fields of the file: they are no decimal marks.
    """
    filled = [cell for cell in cells if not marked(cell)]
    found = [_AMOUNT.fullmatch(cell) for cell in filled]
    right = [one for one in found if one is not None]
    if not filled or len(right) < _TELLTALES.mostly * len(filled):
        return None
    if len(right) < len(filled):
        bad = Counter(cell for cell, one in zip(filled, found, strict=True) if one is None)
        if min(bad.values()) > 1 and len(set(filled)) <= _TELLTALES.few:
            return None
        first = next(row for row, cell in enumerate(cells) if cell in bad)
        got = f"text in {count(len(filled) - len(right), 'row')}, the first in {place(first)}"
        step = f"Correct it, or leave the column out with {way('--leave-out', 'leave_out=[...]')}."
        raise InputError(name, f"must hold numbers in column {column!r}, as it does elsewhere", got, step)
    mark = decimal_mark([one["number"] for one in right], any(one["before"] for one in right), commas=commas)
    if mark is None:
        rule = f"must hold numbers in column {column!r} whose decimal mark is clear"
        step = "Write a decimal point and no separators of thousands."
        raise InputError(name, rule, "commas that may separate thousands", step)
    return as_amounts(cells, mark, column, name), mark


def written(cells: Sequence[Any], mark: str) -> list[str]:
    """Return what amounts have besides digits and a point, in words.

    >>> written(["25.362,88 EUR", "7,5 EUR"], ","), written(["(12.00)", "45"], "."), written(["0,5", "3"], ",")
    (['decimal commas', 'a currency', 'separators of thousands'], ['parentheses for minus'], ['decimal commas'])
    """
    found = [one for one in (_AMOUNT.fullmatch(cell) for cell in cells if not marked(cell)) if one is not None]
    signs = {
        "decimal commas": any(mark == "," in one["number"] for one in found),
        "a currency": any(one["before"] or (one["after"] or "%") != "%" for one in found),
        "separators of thousands": any(set(one["number"]) & (set(".,'’ \u00a0\u202f") - {mark}) for one in found),
        "percent signs": any(one["after"] == "%" for one in found),
        "parentheses for minus": any(one["open"] for one in found),
    }
    return [words for words, used in signs.items() if used] or ["spaces or signs"]


def like_codes(column: RawColumn) -> bool:
    """Whether numbers may be codes: whole, of few values, each of which comes often; two values are a yes or no."""
    values = column.values[~column.missing]
    if column.kind != "number" or len(values) < _TELLTALES.rows or not np.array_equal(values, np.floor(values)):
        return False
    return 2 < len(np.unique(values)) <= min(_TELLTALES.few, len(values) / _TELLTALES.often)


def decimal_mark(numbers: Sequence[str], currency_first: bool, *, commas: bool) -> str | None:
    """Return the decimal mark of a column, None where it is open.

    >>> decimal_mark(["1,234.50", "7"], False, commas=False), decimal_mark(["1 234,5"], False, commas=False)
    ('.', ',')
    >>> decimal_mark(["1,000"], False, commas=False), decimal_mark(["1,000"], True, commas=False)
    (None, '.')
    """
    comma = any(re.fullmatch(r"(?:.*[.'’]\d{3}|[\d \u00a0\u202f]*),\d*", one) for one in numbers)
    only_thousands = all(re.fullmatch(r"\d{1,3}(?:,\d{3})*(?:\.\d*)?", one) for one in numbers if "," in one)
    settled = any(re.search(r",.*\.|,.*,", one) for one in numbers)  # 1,234.5 and 1,234,567 are clear
    if not comma:
        return "."
    if only_thousands and any("," in one for one in numbers):
        plain = [one for one in numbers if "," not in one]
        short = bool(plain) and all(re.fullmatch(r"\d{1,3}(?:\.\d*)?", one) for one in plain)
        zero = any(one.startswith("0,") for one in numbers)
        if zero:
            return ","
        return "." if settled or currency_first or commas or short else None
    return ","


def as_amounts(cells: Sequence[Any], mark: str, column: str, name: str) -> FloatArray:
    """Return the numbers of amounts whose decimal mark is known; NaN where missing."""
    values = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if marked(cell):
            continue
        one = _AMOUNT.fullmatch(cell)
        try:
            assert one is not None
            plain = re.sub(rf"[{re.escape(',' if mark == '.' else '.')}'’ \u00a0\u202f]", "", one["number"])
            value = float(plain.replace(",", ".") + (one["power"] or ""))
        except (AssertionError, ValueError):
            raise InputError(name, f"must hold numbers in column {column!r}", f"text in {place(row)}") from None
        negative = one["open"] or (one["sign"] or one["inner"] or "") in ("-", "−")
        values[row] = -value if negative and value else value
    return values


def dates(cells: Sequence[Any], column: str, name: str) -> tuple[FloatArray, str] | None:
    """Return the days of a column of dates written as text, and how they are written; None if it holds none."""
    filled = [cell for cell in cells if not marked(cell)]
    if not filled:
        return None
    fitting = [form for form in _FORMS if all(_day(cell, form) is not None for cell in filled)]
    if not fitting:
        return None
    if len(fitting) > 1:
        rule = f"must have dates in column {column!r} whose order of day and month is clear"
        raise InputError(name, rule, "dates that can be read both ways", "Write them as 2024-12-31.")
    return as_days(cells, fitting[0], column, name), fitting[0]


def as_days(cells: Sequence[Any], form: str, column: str, name: str) -> FloatArray:
    """Return days since 1970-01-01 of dates in a known form; NaN where missing."""
    days = [np.nan if marked(cell) else _day(cell, form) for cell in cells]
    if None in days:
        got = f"other text in {place(days.index(None))}"
        raise InputError(name, f"must hold dates in column {column!r}, written {form}", got)
    return np.array(days, dtype=np.float64)


def _day(cell: str, form: str) -> float | None:
    found = _FORMS[form].fullmatch(cell)
    if found is None:
        return None
    try:
        if form == "ISO with time":
            moment = datetime.fromisoformat(cell)
            since = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
            return moment.toordinal() - _EPOCH + since / 86400
        return float(date(int(found["y"]), int(found["m"]), int(found["d"])).toordinal() - _EPOCH)
    except ValueError:
        return None


def truths(cells: Sequence[Any]) -> list[str] | None:
    """Return the words for no and yes in a column of text, as they are written first; None if it holds others.

    >>> truths(["Yes", None, "no", "yes"]), truths(["yes", "no", "unknown"]), truths(["no", "no"])
    (['no', 'Yes'], None, None)
    """
    first: dict[str, str] = {}
    for cell in cells:
        if cell is not None:
            first.setdefault(cell.lower(), cell)
    return next(([first[word] for word in pair] for pair in _TRUTHS if set(pair) == set(first)), None)


def as_truths(cells: Sequence[Any], words: Sequence[str], column: str, name: str) -> FloatArray:
    """Return 1 for yes and 0 for no, whatever their case; NaN where missing."""
    meant = {word.lower(): float(place) for place, word in enumerate(words)}
    values = [np.nan if cell is None else meant.get(cell.lower()) for cell in cells]
    if None in values:
        rule = f"must hold {words[1]!r} or {words[0]!r} in column {column!r}"
        raise InputError(name, rule, f"other text in {place(values.index(None))}")
    return np.array(values, dtype=np.float64)


def names_rows(column: RawColumn) -> bool:
    """Whether a column only names the rows: its name says so, its text is all different, or its numbers count."""
    values = column.values[~column.missing]
    if not len(values):
        return False
    if column.kind == "text":
        return len(values) >= _TELLTALES.rows and len(set(values.tolist())) == len(values)
    if column.kind != "number" or not np.array_equal(values, np.floor(values)):
        return False
    if called_id(column.name):
        return True
    consecutive = len(values) >= _TELLTALES.rows and values.max() - values.min() == len(values) - 1
    return bool(consecutive and len(np.unique(values)) == len(values))
