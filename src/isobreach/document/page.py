# SPDX-License-Identifier: BSD-3-Clause
"""A document: its sections, and the decision that stands before them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isobreach.document.drawings import Drawn, Picture
from isobreach.document.texts import Bullets, Fact, Facts, Table, Text

Status = Literal["stop", "condition", "open"]
Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Decision:
    """What to do, and why: the first thing that is read.

    Attributes
    ----------
    status
        ``"stop"``, ``"condition"`` or ``"open"``.
    headline
        The decision, in a few words.
    why
        The sentence that decides.
    also
        What else speaks for it.
    gate
        The limit that was asked for and what was found, a fact each; empty where there was none.
    actions
        What to do next: a few words and a sentence each.
    meaning
        What the words of the box mean.
    """

    status: Status
    headline: str
    why: str
    also: tuple[str, ...]
    gate: tuple[Fact, ...]
    actions: tuple[tuple[str, str], ...]
    meaning: str

    @property
    def said(self) -> str:
        """The decision and its reason."""
        return f"{self.headline}. {self.why}"


@dataclass(frozen=True)
class SignOff:
    """Boxes to tick and lines to sign."""

    choices: tuple[str, ...]
    signed_by: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Details:
    """Blocks that a reader may open; they are not printed."""

    title: str
    blocks: "tuple[Block, ...]"


Block = Text | Bullets | Table | Facts | Drawn | Picture | Decision | SignOff | Details


@dataclass(frozen=True, eq=False)
class Section:
    """Blocks under a heading.

    Attributes
    ----------
    heading
        In words; may be empty.
    blocks
        In reading order.
    lead
        What the section says, in a sentence.
    brief
        Whether it is shown in the terminal too.
    page
        Whether it begins a page when it is printed.
    """

    heading: str
    blocks: tuple[Block, ...]
    lead: str = ""
    brief: bool = False
    page: bool = False

    @property
    def folded(self) -> bool:
        """Whether there is nothing to print."""
        return all(isinstance(block, Details) for block in self.blocks)


@dataclass(frozen=True, eq=False)
class Document:
    """A result in words, tables and charts.

    Attributes
    ----------
    title
        What it is about.
    verdict
        The outcome in one sentence, or two.
    findings
        What was found, a sentence each.
    sections
        The rest, in reading order.
    data
        The machine-readable result: what ``--json`` prints and result.json holds. No private value, no time.
    frames
        Further tables to be written beside it, one file each, by name; computed when asked for, some rows at a time.
    kind
        What kind of document it is, in a few words above the title.
    """

    title: str
    verdict: str
    findings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    frames: Mapping[str, Callable[[], Iterable[Columns]]] = field(default_factory=dict)
    kind: str = ""

    @property
    def charts(self) -> tuple[Drawn, ...]:
        """All charts, in reading order."""
        return tuple(block for block in self.blocks() if isinstance(block, Drawn))

    @property
    def decision(self) -> Decision | None:
        """The decision, where the document has one: it stands in place of verdict and findings."""
        return next((block for block in self.blocks() if isinstance(block, Decision)), None)

    def blocks(self) -> Iterator[Block]:
        """All blocks, folded ones too, in reading order."""
        waiting = [block for section in reversed(self.sections) for block in reversed(section.blocks)]
        while waiting:
            block = waiting.pop()
            yield block
            if isinstance(block, Details):
                waiting += reversed(block.blocks)


def in_one_part(function: Callable[..., Columns], *arguments: Any) -> Callable[[], Iterable[Columns]]:
    """Return a frame of a document that has all its rows in one part: what the function makes of the arguments."""
    return lambda: (function(*arguments),)


def joined(parts: Iterable[Columns]) -> Columns:
    """Return the parts of a frame as one."""
    several = list(parts)
    return {name: np.concatenate([part[name] for part in several]) for name in several[0]}
