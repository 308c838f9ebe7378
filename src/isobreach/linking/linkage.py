# SPDX-License-Identifier: BSD-3-Clause
"""The result of linking: which released row each known record is."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.engine import Engine
from isobreach.linking.candidates import Candidates
from isobreach.release import Motion, Precision

Rule = Literal["backbone", "uniquely-valid"]
RULES: tuple[Rule, ...] = get_args(Rule)


@dataclass(frozen=True, eq=False)
class Linkage:
    """Which released row each known record is.

    Attributes
    ----------
    rows
        Released row of each known record, -1 where it is not linked. Equal released rows are one value: the first.
    status
        ``"linked"``, ``"ambiguous"`` or ``"absent"``, one per known record.
    candidates
        Released rows that each known record could still be (all equal rows of a linked one, none for an absent one).
    complete
        False where the search limit was reached: what it left open is "ambiguous".
    chance
        Expected chance matches of each link: of partial records, and of all where a known record is absent and so
        others might be; else None.
    precision, radius
        The error of the release that was allowed for, and what it means for each known record: its released row is
        within ``radius`` of its exact image.
    rule, motion
        As asked for, or as decided.
    scale
        Released lengths over known ones: 1 unless the motion is a similarity or the noise shrinks records.
    noise
        Standard deviation of a released coordinate's random error; 0 where there is none.
    posterior
        Under noise: probability of each link, given the release; else None.
    reason
        Why this motion, in a sentence; empty where it was asked for.
    if_named
        Where ``auto`` decided nothing: a motion that would link records if it were named, and how many; else None.
    partial, filled
        Known records that lack attributes, and those of them that were completed (``completed``), in that order, with
        the values found.
    dictionary
        Linkage of the candidate records, where there are any.
    known_ids, released_ids
        Names of the rows, where the tables have any.
    left_out
        Columns of the released table that hold no numbers and were not used.
    limit
        What there was too much of, where memory cut the search short.
    """

    rows: IntArray
    status: NDArray[np.str_]
    candidates: tuple[IntArray, ...]
    complete: bool
    chance: FloatArray | None
    precision: Precision
    radius: FloatArray
    rule: Rule
    motion: Motion
    scale: float = 1.0
    noise: float = 0.0
    posterior: FloatArray | None = None
    reason: str = ""
    if_named: tuple[Motion, int] | None = None
    partial: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    filled: FloatArray = field(default_factory=lambda: np.empty((0, 0)), repr=False)
    dictionary: "Linkage | None" = None
    known_ids: NDArray[Any] | None = None
    released_ids: NDArray[Any] | None = None
    left_out: tuple[str, ...] = ()
    limit: str = ""

    @property
    def linked(self) -> IntArray:
        """Indices of the linked known records."""
        return np.flatnonzero(self.rows >= 0)

    @property
    def completed(self) -> IntArray:
        """Indices of the partial records that are linked: their other attributes are then found."""
        return self.partial[self.rows[self.partial] >= 0]

    def complete_known(self, known: NDArray[Any]) -> FloatArray:
        """Return known records with the attributes that were found put in.

        Parameters
        ----------
        known
            The known records that were linked; those of a dictionary may come after them.
        """
        records = np.array(known, dtype=np.float64)
        if len(self.completed):
            records[self.completed] = self.filled
        return records

    def open_elsewhere(self, rows: int) -> "Linkage":
        """Return the same where only some rows were compared: a record without a link could be any row.

        Parameters
        ----------
        rows
            Of the release.
        """
        anywhere = np.arange(rows)
        linked = self.rows >= 0
        return replace(
            self,
            status=np.where(linked, self.status, "ambiguous"),
            candidates=tuple(anywhere if not i else own for i, own in zip(linked, self.candidates, strict=True)),
        )

    @property
    def joined(self) -> "Linkage":
        """Known records and, after them, those of the dictionary, as one linkage."""
        more = self.dictionary
        if more is None:
            return self
        return replace(
            self,
            rows=np.concatenate([self.rows, more.rows]),
            status=np.concatenate([self.status, more.status]),
            candidates=self.candidates + more.candidates,
            radius=np.concatenate([self.radius, more.radius]),
            chance=None,
            posterior=None,
            dictionary=None,
            known_ids=None,
        )

    def __repr__(self) -> str:
        found = ", ".join(f"{name}={number}" for name, number in self.counts().items())
        return f"{type(self).__name__}({found}, motion={self.motion!r})"

    def counts(self) -> dict[str, int]:
        """Number of known records of each status."""
        return {name: int((self.status == name).sum()) for name in ("linked", "ambiguous", "absent")}


def assemble(
    found: Candidates, links: dict[int, int], possible: dict[int, IntArray], which: IntArray, **rest: Any
) -> Linkage:
    """Linkage of records whose distinct ones, at ``which``, have ``links`` to and ``possible`` values of ``found``.

    ``rest``: the other fields, arrays of them by distinct record.
    """
    rows, status, candidates = [], [], []
    none = np.empty(0, dtype=np.int64)
    for record in range(int(which.max()) + 1):
        link = links.get(record)
        if link is None:
            values = possible.get(record, none)
            candidates.append(found.rows_of_all(values))
            rows.append(-1)
            status.append("ambiguous" if len(values) else "absent")
        else:
            candidates.append(found.rows_of(link))
            rows.append(int(candidates[-1][0]))
            status.append("linked")
    fields: dict[str, Any] = {k: v[which] if isinstance(v, np.ndarray) else v for k, v in rest.items()}
    return Linkage(
        rows=np.array(rows, dtype=np.int64)[which],
        status=np.array(status, dtype="U9")[which],
        candidates=tuple(candidates[k] for k in which),
        **fields,
    )


def linked_pairs(known: NDArray[Any], linkage: Linkage, source: Engine) -> tuple[FloatArray, FloatArray]:
    """Linked records and their released rows, both q x n."""
    linked = linkage.linked
    return linkage.complete_known(known)[linked], source.gather(linkage.rows[linked])
