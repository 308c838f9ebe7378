# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/board.md: packages that protect vectors, what they say, and what was measured: ``make board``.

``python tools/board.py NAME ...`` measures some of the cases only and prints them. Finished measurements are kept in
build/board: the same command goes on after an interruption, to the same page.
"""

import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version

from board_documents import FACTS, licence
from board_measured import ABSENT, CASES, LINKED, PRESENT, READ, ROOT, ROWS, SAMPLE, TABLES, Measured

from isobreach.document import Bullets, Column, Document, Fact, Facts, Section, Table, Text
from isobreach.report import document_markdown


def span(values: Sequence[float], digits: int = 2) -> str:
    """A range, or one number where its ends are written alike."""
    low, high = (f"{one:.{digits}f}" for one in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def figures(found: list[dict[str, float]], name: str, digits: int = 2, times: float = 1.0) -> str:
    """The range of a figure over all deals."""
    return span([times * one.get(name, 0.0) for one in found], digits)


def known_row(one: Measured) -> tuple[str, ...]:
    """A row of the table of known sentences."""
    found = one.opened
    first = f"more than {one.case.ladder[-1]}" if one.fewest is None else str(one.fewest)
    return (
        one.case.title,
        str(len(found)),
        ", ".join(map(str, one.case.ladder)),
        first,
        f"{figures(found, 'right', 0)} of {PRESENT}",
        str(one.wrong),
        figures(found, "cosine", 3),
        figures(found, "nearest", 2, 100),
        figures(found, "read", 0, 100),
        figures(found, "seconds", 0),
    )


def sample_row(one: Measured) -> tuple[str, ...]:
    """A row of the table of public samples."""
    found = one.sampled
    return (
        one.case.title,
        one.case.sampled,
        f"{sum(int(deal.get('claimed', 0)) for deal in found)} of {len(found)}",
        figures(found, "cosine", 3),
        figures(found, "nearest", 2, 100),
        figures(found, "read", 0, 100),
        figures(found, "seconds", 0),
    )


def nobody(one: Measured) -> str:
    """What is claimed without any knowledge."""
    what = "claims to have found" if one.alone["claimed"] else "finds nothing and claims nothing of"
    return f"Without any knowledge, the lattice attack, the one that needs none, {what} {one.case.title}."


def said() -> Table:
    """What the packages say of themselves."""
    rows = []
    for fact in FACTS:
        fact.check()
        rows.append((fact.package, version(fact.package), licence(fact.package), fact.said, fact.stands))
    return Table("What the packages say", ("Package", "Version", "Licence", "What it says", "Where"), tuple(rows))


STORES = (
    f"A deal puts {ROWS:,} sentences of Python's documentation into a store, as unit vectors of 256 "
    "numbers (wordllama), protected by the package and shuffled. Nobody tells an attacker which row is whose."
)
KNOWN = (
    "Known: the fewest sentences, of the numbers tried, all of which are found in every deal. With so many, or "
    f"the most that were tried, and {PRESENT + ABSENT:,} candidates of which {ABSENT} are absent, all vectors of the "
    "store are estimated. Wrong links are counted over everything that was tried."
)
SAMPLED = (
    f"Sample: {SAMPLE:,} other sentences of the same documentation, none of which is in the store, and nothing else. "
    "Claimed: of how many deals the attack says, without the truth, that it found the map; figures are of all of them."
)
FIGURES = (
    "Cosine: of estimates with the true vectors, the mean over the store. Nearest: per cent of estimates whose nearest "
    f"vector of the {ROWS:,} is the right one. Words: per cent of {READ} sentences in no list, all of whose words were "
    "read from the estimate. Seconds: CPU time of the attack. Ranges are over the deals."
)
ASSUMED = (
    "Packages are used at their defaults or at the parameters named. The level of their noise is documented, and known "
    "to the attacker; the permutation attack may do without it. At 256 numbers hadamask pads nothing."
)
TABLE = (
    "pymasq (geom_transform) is made for tables of few columns: its search for an angle takes n^6 steps, so that it "
    f"cannot protect vectors of 256 numbers. Its map is no motion, so that no attack by distances suits it. {ROWS:,} "
    "records of Letter Recognition, 16 columns, were protected instead, and linked records regressed upon."
)


def linked_row(one: Measured, count: int) -> tuple[str, ...]:
    """A row of the table of linked records."""
    found = one.linked(count)
    return str(count), figures(found, "error"), figures(found, "blind"), figures(found, "seconds", 1)


def page(facts: Table, measured: Sequence[Measured], table: Measured) -> Document:
    """The page."""
    linked = Table(
        "pymasq: linked records of a table",
        tuple(Column(one, number=True) for one in ("Linked", "Median relative error", "Of a blind guess", "Seconds")),
        tuple(linked_row(table, count) for count in LINKED),
    )
    numbers = ("Cosine", "Nearest, %", "Words, %", "Seconds")
    known = Table(
        "Known sentences and a dictionary",
        (
            "Package",
            "Deals",
            "Tried",
            "Known",
            "Candidates found",
            "Wrong links",
            *(Column(one, number=True) for one in numbers),
        ),
        tuple(known_row(one) for one in measured),
    )
    sample = Table(
        "A public sample, nobody of which is in the store",
        ("Package", "Attack", "Claimed", *(Column(one, number=True) for one in numbers)),
        tuple(sample_row(one) for one in measured),
    )
    command = Facts(
        "The command",
        (
            Fact("all of it", "", code="make board"),
            Fact("one row", "", code="python tools/board.py privrag"),
            Fact("one store, to look at", "", code="isobreach demo vectors --package turboquant-vectors"),
        ),
    )
    verdict = (
        "Packages that protect vectors in a store: what their own documents say it takes to undo them, and what it "
        "took here, on real sentence vectors."
    )
    sections = (
        Section("What the packages say", (facts,)),
        Section("Measured: known sentences and a dictionary", (known,)),
        Section("Measured: a public sample, and nothing", (sample, Text(nobody(measured[0])))),
        Section("How it was measured", (command, Bullets((STORES, KNOWN, SAMPLED, FIGURES, ASSUMED)))),
        Section("A package for tables", (Text(TABLE), linked)),
    )
    return Document("The board", verdict, sections=sections)


def main() -> None:
    """Measure what is named, or everything, and then write the page."""
    warnings.simplefilter("ignore")  # nothing linked: a count of 0 says so
    facts = None if sys.argv[1:] else said()  # before what takes long: it stops where a package says otherwise now
    asked = sys.argv[1:] or [*CASES, TABLES]
    for name in asked:
        one = Measured(name)
        rows = [linked_row(one, count) for count in LINKED] if name == TABLES else [known_row(one), sample_row(one)]
        for row in rows:
            print(name, *row, sep=" | ", flush=True)
    if facts is not None:
        whole = page(facts, [Measured(name) for name in CASES], Measured(TABLES))
        (ROOT / "docs" / "board.md").write_text(document_markdown(whole), encoding="utf-8")


if __name__ == "__main__":
    main()
