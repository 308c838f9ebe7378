# SPDX-License-Identifier: BSD-3-Clause
"""What was done to a table, as data: enough to do it again to new rows, and to undo it where that is possible."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isobreach._naming import way
from isobreach._phrases import count, first_few, together
from isobreach.errors import InputError

SCHEMA = "isobreach/steps/1"

# Why a column is left out, and what is said of those that are.
REASONS = {
    "id": "it only names or counts the rows",
    "text": "text, and categories were not asked for",
    "many values": "text with too many different values for categories",
    "code": "a code (digits with zeros in front), and categories were not asked for",
    "many codes": "a code (digits with zeros in front) with too many different values for categories",
    "constant text": "the same text in every row",
    "constant": "the same value in every row",
    "empty": "no value at all",
    "other": "neither numbers, dates nor text",
    "beside": "a note beside vectors, which are the data",
    "asked": "this was asked for",
}
ONE_HOT = "categories='one-hot'"
UNASKED = ("text", "code")  # reasons that asking for categories takes away
CODE_REASONS = {"text": "code", "many values": "many codes", "id": "many codes"}  # of text that is a code
MISSED = (
    *UNASKED,
    "many values",
    "many codes",
    "constant text",
    "beside",
    "asked",
)  # what an owner may miss: no ids, and no numbers that are all alike
LISTED = 12  # columns that a sentence names


@dataclass(frozen=True)
class Step:
    """One thing that was done to a column, or to rows.

    Attributes
    ----------
    column
        The owner's column; None for what was done to rows.
    what
        ``"left out"``, ``"dropped rows"``, ``"read as numbers"``, ``"dates as days"``, ``"truths as 0 and 1"``,
        ``"codes as text"``, ``"marks as missing"``, ``"one-hot"``, ``"filled"`` or ``"standardised"``.
    parameters
        What is needed to do it again.
    sentence
        The step in words, without a value of the table.
    """

    column: str | None
    what: str
    parameters: Mapping[str, Any] = field(repr=False)
    sentence: str


@dataclass(frozen=True)
class Steps:
    """All steps of a preparation, in their order.

    Attributes
    ----------
    columns
        The owner's columns that were kept, in their order.
    steps
        What was done.
    release
        Hash of the numbers that were released with these steps; empty where nothing was.
    """

    columns: tuple[str, ...]
    steps: tuple[Step, ...]
    release: str = ""

    def of(self, column: str) -> Iterator[Step]:
        """Return the steps of one column.

        Parameters
        ----------
        column
            One of ``columns``.
        """
        return (step for step in self.steps if step.column == column)

    def to_json(self) -> dict[str, Any]:
        """Return them for a file. It holds names of categories, means and deviations: it is the owner's alone."""
        steps = [
            {"column": one.column, "what": one.what, "parameters": dict(one.parameters), "sentence": one.sentence}
            for one in self.steps
        ]
        return {"schema": SCHEMA, "columns": list(self.columns), "steps": steps, "release": self.release}

    @classmethod
    def from_json(cls, data: Any, name: str = "steps") -> "Steps":
        """Return what ``to_json`` made.

        Parameters
        ----------
        data
            The parsed file.
        name
            What an error calls it.
        """
        try:
            if data["schema"] != SCHEMA:
                raise KeyError
            steps = tuple(Step(one["column"], one["what"], one["parameters"], one["sentence"]) for one in data["steps"])
            return cls(tuple(data["columns"]), steps, str(data.get("release", "")))
        except (KeyError, TypeError):
            step = "Such a file is written by isobreach prepare, and by isobreach perturb beside the key."
            raise InputError(name, f"must be a file of steps, {SCHEMA}", "other content", step) from None


def reason_words(reason: str) -> str:
    """Return why a column is left out, and how to keep it where that is a matter of choice.

    Parameters
    ----------
    reason
        One of ``REASONS``.
    """
    kept = f" ({way('--categories one-hot', ONE_HOT)} keeps them)" if reason in UNASKED else ""
    return f"{REASONS[reason]}{kept}"


def done_words(steps: Sequence[Step]) -> list[str]:
    """Return the steps in words, columns to which the same was done in one sentence.

    Parameters
    ----------
    steps
        In their order.
    """
    alike: dict[tuple[str, Any, tuple[str, ...]], list[Step]] = {}
    for step in steps:
        how = tuple(step.parameters.get("written", ()))
        alike.setdefault((step.what, step.parameters.get("reason"), how), []).append(step)
    return [_words(what, reason, several) for (what, reason, _), several in alike.items()]


def _words(what: str, reason: str | None, several: Sequence[Step]) -> str:
    if len(several) == 1 or what == "dropped rows":
        return several[0].sentence
    columns = [str(step.column) for step in several]
    listed = first_few(list(map(repr, columns)), LISTED)
    told = f"{count(len(columns), 'column')} ({listed})"
    match what:
        case "left out":
            why = reason_words(str(reason)).replace("it only names or counts", "they only name or count")
            why = why.replace("a code (", "codes (")
            return f"{told} were left out: {why}."
        case "filled":
            cells = sum(int(step.parameters["cells"]) for step in several)
            said = "with the mean, or the most common category"
            return f"{told}: {count(cells, 'missing value')} were filled {said}."
        case "marks as missing":
            cells = sum(int(step.parameters["cells"]) for step in several)
            return f"{told}: {count(cells, 'cell')} with a mark such as - or n/a counted as missing."
        case "one-hot":
            return f"{told} are categories: each is one attribute, and its columns are 0 or 1."
        case "standardised":
            return f"{told} were standardised: less the mean, divided by the standard deviation."
        case "codes as text" if reason == "asked":
            return f"{told} hold codes, as was said: text, and no amounts."
        case "codes as text":
            return f"{told} hold digits with zeros in front: codes, which are text and no amounts."
        case "dates as days":
            return f"{told} are dates: they count days since 1970-01-01."
        case "read as numbers":
            # Files of an earlier version do not say how they were written.
            how = several[0].parameters.get("written", ["currency signs or separators of thousands"])
            return f"{told} were read as numbers: they were written with {together(how)}."
        case _:
            return f"{told} are yes or no: 1 or 0."
