# SPDX-License-Identifier: BSD-3-Clause
"""Numbers in words: never more certain than they are."""

import difflib
import re
from collections.abc import Sequence
from datetime import date

MOTIONS = {"orthogonal": "an orthogonal motion", "rigid": "a rigid motion", "similarity": "a similarity"}
KINDS = {
    "exact": "closed-form",
    "model-based": "model-based",
    "lower bound": "lower bound",
    "approximation": "approximation",
}
_SHORT = 4  # letters of a name up to which two names that share most of them are rarely meant for each other
_SUGGESTED, _LISTED = 3, 12  # names that a message suggests, and lists
_ALIKE = 0.8  # likeness of the spelling beyond which a name is a slip of another
_ID_NAME = re.compile(
    r"(?:.*[_ .-])?(?:id|ids|uid|uuid|guid|ssn|key|index|idx|rownames?|row|row[_ ]?(?:number|nr|no)|nr|no)"
    r"|id[_ .-].*|.*[a-z](?:ID|Id)|unnamed.*|"
)


def probability(value: float, kind: str = "exact") -> str:
    """A probability in words and figures that never round to a certainty which is none.

    >>> probability(1.0), probability(0.99999), probability(0.8251), probability(3.2e-9), probability(0.0)
    ('1 (certain)', 'above 0.9999', '0.825', '3.2e-09', '0 (below 1e-300)')
    >>> probability(0.2, "lower bound"), probability(0.0, "lower bound")
    ('at least 0.200', 'unknown')
    >>> probability(0.2, "model-based"), probability(1.0, "model-based"), probability(0.0, "model-based")
    ('0.200 (model-based)', '1 (certain)', 'unknown')
    >>> probability(0.2, "approximation"), probability(1.0, "approximation"), probability(0.0, "approximation")
    ('about 0.200', 'above 0.9999', '0 (below 1e-300)')
    """
    if kind == "approximation":
        return f"about {value:.3f}" if 0.001 <= value <= 0.9999 else probability(min(value, 1 - 1e-9))
    if value == 1.0:
        return "1 (certain)"
    if kind in ("lower bound", "model-based") and value <= 0:
        return "unknown"
    if kind == "lower bound":
        return f"at least {probability(value)}"
    if kind == "model-based":
        return f"{probability(value)} (model-based)"
    if value > 0.9999:
        return "above 0.9999"
    if value >= 0.001:
        return f"{value:.3f}"
    return f"{value:.2g}" if value > 0 else "0 (below 1e-300)"


def expected(number: float) -> str:
    """An expected number, which may be far below one.

    >>> expected(3e-93), expected(0.00042), expected(0.62), expected(1234.5), expected(4e30)
    ('fewer than 1e-9', '4.2e-04', '0.62', '1,234', '4.0e+30')
    """
    if number < 1e-9:
        return "fewer than 1e-9"
    if number < 0.01 or number >= 1e6:
        return f"{number:.1e}"
    return f"{number:.2g}" if number < 100 else f"{number:,.0f}"


def cell(said: str) -> str:
    """A number in words, short enough for a table.

    >>> cell("fewer than 1e-9"), cell("above 0.9999"), cell("1 (certain)"), cell("0 (below 1e-300)"), cell("0.62")
    ('< 1e-9', '> 0.9999', '1', '0', '0.62')
    """
    said = said.removesuffix(" (certain)").removesuffix(" (below 1e-300)")
    for words, sign in (("fewer than", "<"), ("below", "<"), ("above", ">")):
        said = said.replace(words, sign)
    return said


def percent(epsilon: float) -> str:
    """A relative error as a percentage.

    >>> percent(0.15), percent(0.0725)
    ('15%', '7.25%')
    """
    return f"{100 * epsilon:.6g}%"


def count(number: int, noun: str, nouns: str = "") -> str:
    """A number with its noun, whose plural has an s unless it is given.

    >>> count(1, "record"), count(18668, "record"), count(2, "person", "people")
    ('1 record', '18,668 records', '2 people')
    """
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def together(words: Sequence[str]) -> str:
    """Words as a sentence lists them.

    >>> together(["a"]), together(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def place(row: int, column: int | str | None = None) -> str:
    """Where an entry of a table stands. Rows are counted from 0 everywhere, as arrays, ``--rows`` and pages do.

    ``column``: its name, or its number where it has none.

    >>> place(2), place(2, "age"), place(2, 0)
    ('row 2 (counted from 0)', "row 2 (counted from 0), column 'age'", 'row 2, column 0 (both counted from 0)')
    """
    if isinstance(column, int):
        return f"row {row}, column {column} (both counted from 0)"
    return f"row {row} (counted from 0)" + ("" if column is None else f", column {column!r}")


def called_id(name: str) -> bool:
    """Whether a column is called as those are that name the rows.

    >>> called_id("patient_id"), called_id("caseID"), called_id("paid"), called_id("platelet")
    (True, True, False, False)
    """
    return bool(_ID_NAME.fullmatch(name) or _ID_NAME.fullmatch(name.lower()))


def first_few(names: Sequence[str], most: int, by: str = ", ") -> str:
    """Names one after the other; dots stand for those after so many.

    >>> first_few(["a", "b", "c"], 2), first_few(["a", "b"], 2)
    ('a, b, ...', 'a, b')
    """
    return by.join(names[:most]) + (f"{by}..." if len(names) > most else "")


def names_like(name: str, names: Sequence[str], noun: str = "columns", *, ids: bool = False) -> str:
    """A sentence that helps whoever wrote a name that is not there: those that may be meant, or all there are.

    ``ids``: it was to name the rows, so that columns which are called so are likelier than those spelt a little alike.

    >>> names_like("agee", ["a", "age"]), names_like("x", ["a", "b"])
    ("Did you mean 'age'?", "The columns are: 'a', 'b'.")
    >>> names_like("patient", ["platelet", "id"], ids=True), names_like("nam", ["name", "key"], ids=True)
    ("Did you mean 'id'?", "Did you mean 'name'?")
    """
    listed = ", ".join(map(repr, names[:_LISTED])) + (f" and {len(names) - _LISTED} more" * (len(names) > _LISTED))
    likely = [one for one in names if one and called_id(one)] if ids else []
    meant = (_meant(name, names, _ALIKE) or likely) if likely else _meant(name, names)
    return _question(meant) or (f"The {noun} are: {listed}." if names else "")


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A question after a name that is not there; empty where none is meant.

    Meant are those that it abbreviates, contains or is contained in, or that are spelt much alike.

    >>> did_you_mean("pid", ["patient_id", "icd", "age"]), did_you_mean("Agee", ["patient_id", "icd", "age"])
    ("Did you mean 'patient_id'?", "Did you mean 'age'?")
    >>> did_you_mean("x", ["a", "b"])
    ''
    """
    return _question(_meant(name, names))


def _question(meant: Sequence[str]) -> str:
    meant = list(dict.fromkeys(meant))[:_SUGGESTED]
    return f"Did you mean {' or '.join(map(repr, meant))}?" if meant else ""


def _meant(name: str, names: Sequence[str], alike: float = 0.6) -> list[str]:
    """Names that may be meant; ``alike``: from which likeness of the spelling on, of names that are not short."""
    asked = name.lower()
    strict = max(alike, 0.75 if len(asked) <= _SHORT else 0.0)
    spelt = difflib.get_close_matches(asked, [one.lower() for one in names], cutoff=strict)
    meant = [one for one in names if asked and (_abbreviates(asked, one.lower()) or one.lower() == asked)]
    meant += [
        one for one in names if (len(asked) > 1 and asked in one.lower()) or (len(one) > 1 and one.lower() in asked)
    ]
    return meant or sorted((one for one in names if one.lower() in spelt), key=lambda one: spelt.index(one.lower()))


def _abbreviates(short: str, name: str) -> bool:
    """Whether each letter goes on after the one before it, or begins a word of the name: pid, patient_id."""
    if len(short) < 2 or short[0] != name[:1]:
        return False
    starts = [0, *(found.end() for found in re.finditer(r"[^a-z0-9]+", name))]
    ends = {0}  # places after the last letter that was found
    for letter in short:
        places = {p for end in ends for p in (end, *(s for s in starts if s >= end))}
        ends = {p + 1 for p in places if name[p : p + 1] == letter}
    return bool(ends)


def left_out(columns: Sequence[str]) -> list[str]:
    """A sentence on the columns of a table that were left out, none if there are none.

    >>> left_out(["name", "town"]), left_out(["name"])
    (["Columns were left out: 'name', 'town'. No figure is about them."], ["Column 'name' was left out. No figure is \
about it."])
    """
    if len(columns) == 1:
        return [f"Column {columns[0]!r} was left out. No figure is about it."]
    listed = ", ".join(map(repr, columns))
    return [f"Columns were left out: {listed}. No figure is about them."] if columns else []


def day(when: date) -> str:
    """A date in words.

    >>> day(date(2026, 11, 7))
    '7 November 2026'
    """
    return f"{when.day} {when:%B %Y}"
