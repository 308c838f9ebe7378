# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of a document that are read: paragraphs, lists, tables, facts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """A paragraph; ``soft`` is a remark beside what matters, ``title`` what it is about."""

    text: str
    soft: bool = False
    title: str = ""


@dataclass(frozen=True)
class Bullets:
    """Sentences that stand for themselves, one a line."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """The head of a column; ``kind`` says what its numbers are (exact, sampled, proven), ``number`` that they are."""

    title: str
    kind: str = ""
    number: bool = False


@dataclass(frozen=True)
class Table:
    """Cells of text under a head.

    Attributes
    ----------
    caption
        What the table shows, for those who cannot see what stands around it.
    columns
        One head a column; a plain title will do for text.
    rows
        The cells, as many in a row as there are heads. The first names the row.
    note
        What the columns mean, in a sentence below the table.
    most
        Rows that a page shows; a longer table is cut and said to be.
    rest
        Where the rows that are cut off can be read.
    """

    caption: str
    columns: tuple[Column | str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    most: int = 200
    rest: str = "result.json"

    @property
    def heads(self) -> tuple[Column, ...]:
        """The heads, plain titles too."""
        return tuple(Column(one) if isinstance(one, str) else one for one in self.columns)

    @property
    def notes(self) -> str:
        """What stands below the table: the note, and how many rows are cut off."""
        cut = f"The first {self.most} of {len(self.rows):,}: {self.rest} has them all."
        return " ".join([*([self.note] if self.note else []), *([cut] if len(self.rows) > self.most else [])])


@dataclass(frozen=True)
class Fact:
    """A name, its value, and a remark; ``code`` is a value to be copied as it is."""

    name: str
    value: str
    remark: str = ""
    code: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and their values. ``caption`` says whose they are; ``heading`` ones stand side by side at the top."""

    caption: str
    facts: tuple[Fact, ...]
    heading: bool = False
