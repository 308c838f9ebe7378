# SPDX-License-Identifier: BSD-3-Clause
"""What was done to the table before, and what the length of its records is made of."""

from collections.abc import Sequence

import numpy as np

from isobreach._naming import way
from isobreach._phrases import count, left_out
from isobreach.audits import AuditResult
from isobreach.document import Block, Bullets, Column, Details, Section, Table, Text
from isobreach.report.audit_words import capital, column, listed, rows_dropped
from isobreach.report.numbers import share

ALMOST_ALL = 0.95  # of the squared length: from here on, other attributes hardly count in what is called a breach
STANDARDISED = "standardised"  # the table beside the one that is audited
_MOST = 0.5  # of it, above which a breach is mostly about one attribute
_FEW, _OF = 4, 3  # attributes that may carry it, more than two of so many times as many
_SHOWN = 25  # attributes
_NAMED = 4  # columns in the header: more would push the first part beyond a printed page
# What was done to columns, in the order in which an owner has to know of it.
_STEPS = {
    "left out": "{} left out",
    "filled": "missing values of {} filled",
    "standardised": "{} standardised",
    "one-hot": "{} of text as categories",
    "codes as text": "{} of codes as text",
    "read as numbers": "{} of amounts as numbers",
    "dates as days": "{} of dates as days",
    "truths as 0 and 1": "{} of yes or no as 1 or 0",
    "marks as missing": "marks in {} as missing values",
}


def header_texts(result: AuditResult) -> tuple[Block, ...]:
    """What was left out or done, and what carries the length: what an owner has to know before anything else."""
    done, same = _done(result), "The audit is about exactly this version of the table."
    said = f"{done}. All steps are under Details." if done else " ".join(left_out(result.left_out)) or "No column."
    carried = [Text(line, soft=True, title="Mind the length:") for line in length_sentences(result)]
    return (Text(f"{said} {same}", soft=True, title="Done to the table:" if done else "Left out:"), *carried)


def _done(result: AuditResult) -> str:
    """The steps of the preparation in few words, the most important first; nothing where there is none."""
    columns = {what: [str(one["column"]) for one in result.steps if one["what"] == what] for what in _STEPS}
    said = [words.format(count(len(columns[what]), "column")) for what, words in _STEPS.items() if columns[what]]
    if columns["left out"]:
        names = columns["left out"]
        said[0] += f" ({', '.join(map(repr, names[:_NAMED]))}{', ...' if len(names) > _NAMED else ''})"
    dropped = rows_dropped(result)
    rows = [f"{dropped:,} of {result.rows_read:,} rows with missing values dropped"] if dropped else []
    return capital("; ".join([*said[: bool(columns["left out"])], *rows, *said[bool(columns["left out"]) :]]))


def beside_section(result: AuditResult) -> Section:
    """Verdicts on the table prepared in other ways."""
    table = Table("Verdicts side by side", ("The table", "Verdict"), tuple(result.beside.items()))
    return Section("As it is, and standardised", (table,), page=True)


def preparation_details(result: AuditResult) -> tuple[Details, ...]:
    """The steps, and the share of each attribute in the squared length."""
    said = result.prepared or ("Nothing: the table was taken as it is.",)
    order = np.argsort(-result.length_shares, kind="stable").tolist()
    shares = tuple((column(result, place), share(float(result.length_shares[place]))) for place in order)
    note = f"A breach is measured by the length of a record. {length_caveat(result)}"
    heads = ("Attribute", Column("Share of the squared length", "exact, summed over all records", number=True))
    return (
        Details("What was done to the table", (Bullets(said),)),
        Details("What carries the length", (Table("What carries the length", heads, shares, note, most=_SHOWN),)),
    )


def is_standardised(result: AuditResult) -> bool:
    """Whether the numbers of the table were standardised."""
    return any(step["what"] == "standardised" for step in result.steps)


def length_caveat(result: AuditResult) -> str:
    """Which columns a breach is about, and what to do about it where that is left to do."""
    if is_standardised(result):
        return "Numbers were standardised, so that they count alike; categories and yes-or-no count as 0 and 1."
    return (
        "Columns with large values carry most of a record's length. Standardise the table first if all columns matter "
        "alike."
    )


def carriers(result: AuditResult) -> list[int]:
    """The few attributes that carry almost all of the squared length, or the one that carries most; else none."""
    shares = result.length_shares
    order = np.argsort(-shares, kind="stable")
    for number in range(1, min(_FEW, len(shares) - 1) + 1):
        if shares[order[:number]].sum() >= ALMOST_ALL and (number <= 2 or number * _OF <= len(shares)):
            return [int(place) for place in order[:number]]
    return [int(order[0])] if len(shares) > 2 and shares[order[0]] > _MOST else []


def length_sentences(result: AuditResult) -> list[str]:
    """A warning where few attributes carry almost all of the length, or one carries most; nothing otherwise."""
    found = carriers(result)
    if not found:
        return []
    names, first = _named(result, found), float(result.length_shares[found[0]])
    part = float(result.length_shares[found].sum())
    verb, them = ("carries", "it") if len(found) == 1 else ("carry", "them")
    alone = f" ({column(result, found[0])!r} alone {share(first)})" if len(found) > 1 and first > _MOST else ""
    about = "almost only" if part >= ALMOST_ALL else "mostly"
    little = "little" if part >= ALMOST_ALL else "less"
    said = (
        f"{names} {verb} {share(part)} of the squared length of all records{alone}: a breach is {about} about {them}, "
        f"and says {little} of the other attributes."
    )
    return [f"{said} Both verdicts stand side by side." if result.beside else said]


def _named(result: AuditResult, places: Sequence[int]) -> str:
    """Columns by their names."""
    return listed([repr(column(result, place)) for place in places])


def beside_sentences(result: AuditResult) -> list[str]:
    """Which table a decision is about, where there is a verdict on another one; nothing otherwise."""
    if STANDARDISED not in result.beside:
        return []
    headline = result.beside[STANDARDISED].partition(". ")[0]
    return [f"This decision is about the table as it is. On the table standardised it is: {headline}."]


def standardising(result: AuditResult, *, smaller_epsilon: bool = False) -> list[tuple[str, str]]:
    """What to do where few attributes carry the length, or both verdicts are there.

    ``smaller_epsilon``: whether that is advised as well: for the table as it is.
    """
    kept = f" Keep the epsilon of {result.epsilon:g} there." * smaller_epsilon
    if STANDARDISED in result.beside:
        how = "go by the verdict on the table standardised, and add --standardise to the commands that follow"
        return [("If all attributes matter alike,", f"{how}.{kept}")]
    if not carriers(result):
        return []
    how = way("--standardise (--both shows both verdicts)", "a table of ib.prepare(..., standardise=True)")
    return [("If all attributes matter alike,", f"run the audit again with {how}.{kept}")]
