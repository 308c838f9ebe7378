# SPDX-License-Identifier: BSD-3-Clause
"""Results of the public functions: figures that can be read as words, drawn, written, and taken as a frame."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach import audits
from isobreach._text import json_text
from isobreach._validation import check_choice
from isobreach.attacks import ATTACKS, AttackResult, Reconstruction, attack_document, describe
from isobreach.audits import AuditResult, ComparisonResult, Criterion, Gate
from isobreach.document import Document, joined
from isobreach.errors import InputError
from isobreach.io import PRIVATE, frame, run_record, write_file, write_json
from isobreach.linking import Linkage, link_document
from isobreach.report import (
    attackers_columns,
    attribute_columns,
    audit_document,
    audit_findings,
    audit_verdict,
    cell_columns,
    comparison_document,
    document_fragment,
    document_page,
    document_text,
    figure,
    record_columns,
    scheme_columns,
    time_columns,
)


class Described(ABC):
    """A result that says what it is: everything here is made from its document."""

    @abstractmethod
    def _document(self) -> Document:
        """What there is to say."""

    def summary(self) -> str:
        """Return the result in words and small tables, as the command line prints it."""
        return document_text(self._document())

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return document_fragment(self._document())

    def to_json(self, path: str | Path | None = None, *, force: bool = True) -> str | None:
        """Return the result as JSON, without times or private values, or write it.

        Parameters
        ----------
        path
            The file, which only its owner may read (mode 0600); without one the text is returned.
        force
            Replace a file that is there.
        """
        data = self._document().data
        if path is None:
            return json_text(data)
        write_json(path, data, mode=PRIVATE, force=force)
        return None

    def _page(self) -> Document:
        """What there is to say on a page; those who know how they were made say that too."""
        return self._document()

    def to_html(self, path: str | Path, *, force: bool = True) -> None:
        """Write the report: one page that needs nothing else.

        Parameters
        ----------
        path, force
            As for ``to_json``.
        """
        self._write_page(path, force=force)

    def _write_page(self, path: str | Path, *, force: bool) -> None:
        write_file(path, document_page(self._page()).encode(), mode=PRIVATE, force=force)

    def plot(self, chart: str | None = None) -> Any:
        """Return a chart as a figure of matplotlib, which the extra ``plot`` installs.

        Parameters
        ----------
        chart
            Its name, the first chart by default.
        """
        charts = {one.name: one for one in self._document().charts}
        if not charts:
            raise InputError("plot", "needs a chart to draw", "a result without one")
        name = next(iter(charts)) if chart is None else check_choice("chart", chart, tuple(charts))
        return figure(charts[name])


class AuditReport(Described, AuditResult):
    """An audit's result: see ``AuditResult`` for its figures."""

    def __repr__(self) -> str:
        decision = self.verdict.partition(".")[0]
        size = f"{self.rows} rows x {self.attribute_count} attributes"
        return f"AuditReport({size}, scheme={self.scheme!r}, decision={decision!r})"

    def _document(self) -> Document:
        return audit_document(self)

    @property
    def verdict(self) -> str:
        """The decision and its reason in words, the worst attacker first."""
        return audit_verdict(self)

    @property
    def findings(self) -> list[str]:
        """What was found, a sentence each."""
        return audit_findings(self)

    def gate(self, limit: float | None = None, insiders: int | None = None, criterion: str | None = None) -> Gate:
        """Decide whether a limit is exceeded.

        Parameters
        ----------
        limit
            The largest share or probability that is allowed; by default that of the audit.
        insiders
            One of ``sizes``; smaller coalitions count too. By default the audit's ``fail_size``, or the largest.
        criterion
            ``"share"``: of the others, whom any attacker is expected to breach. ``"worst-record"``: probability with
            which the most exposed record is breached. By default that of the audit, and the share if it had no limit.
        """
        asked = self.criterion
        if limit is None and asked is None:
            raise InputError("limit", "must be given, here or to the audit", "none", "Name a limit such as 0.05.")
        own = Criterion(0.0) if asked is None else asked
        largest = own.insiders if insiders is None else insiders
        number = own.limit if limit is None else limit
        return audits.gate(self, Criterion.checked(number, criterion or own.kind, insiders=largest))

    def to_frame(self, of: str = "attackers") -> Any:
        """Return figures as a frame of pandas, or as an Arrow table where pandas is not installed.

        Parameters
        ----------
        of
            ``"attackers"``: the best attacker for so much knowledge. ``"people"``: exposure of every record.
            ``"attributes"``: by whom each is learned.
        """
        made = {"attackers": attackers_columns, "people": record_columns, "attributes": attribute_columns}
        return frame(made[check_choice("of", of, tuple(made))](self))

    def to_html(self, path: str | Path, *, title: str = "", force: bool = True) -> None:
        """Write the report: one page that needs nothing else.

        Parameters
        ----------
        path, force
            As for ``to_json``.
        title
            What the table is called; by default the name of its file, where it came from one.
        """
        replace(self, title=title or self.title)._write_page(path, force=force)

    def _page(self) -> Document:
        run = {**run_record("isobreach.audit", {}, self.seed, {}), "command_line": self.call}
        return audit_document(self, run, self.title, when=datetime.now(UTC).date())


class ComparisonReport(Described, ComparisonResult):
    """A comparison's result: see ``ComparisonResult`` for its figures."""

    def __repr__(self) -> str:
        return (
            f"ComparisonReport({self.rows} x {self.columns}, {len(self.schemes)} schemes x {len(self.attacks)} attacks)"
        )

    def _document(self) -> Document:
        return comparison_document(self)

    @property
    def verdict(self) -> str:
        """How many schemes held, in words."""
        return self._document().verdict

    @property
    def findings(self) -> list[str]:
        """What was found, a sentence each."""
        return list(self._document().findings)

    def to_frame(self, of: str = "cells") -> Any:
        """Return figures as a frame of pandas, or as an Arrow table where pandas is not installed.

        Parameters
        ----------
        of
            ``"cells"``: every attack against every scheme. ``"schemes"``: how each fared, and what it leaves.
            ``"times"``: processor time of a trial.
        """
        made = {"cells": cell_columns, "schemes": scheme_columns, "times": time_columns}
        return frame(made[check_choice("of", of, tuple(made))](self))

    def _page(self) -> Document:
        run = {**run_record("isobreach.compare", {}, self.seed, {}), "command_line": self.call}
        return comparison_document(self, run)


class AttackReport(Described, AttackResult):
    """What a known-input attack learned: see ``AttackResult`` for its figures."""

    def __repr__(self) -> str:
        rows, columns = self.shape
        linked = f"{len(self.linkage.linked)} of {len(self.linkage.rows)}"
        return f"AttackReport({rows} x {columns}, linked={linked}, hidden_dimension={self.hidden_dimension})"

    def _document(self) -> Document:
        return attack_document(self)

    def to_frame(self) -> Any:
        """Return every released row with its breach probability, as a frame of pandas or an Arrow table."""
        return frame(joined(self._document().frames["per_record"]()))


class LinkReport(Described, Linkage):
    """Which released row each known record is: see ``Linkage``."""

    def _document(self) -> Document:
        return link_document(self)

    def to_frame(self) -> Any:
        """Return every known record with its status and released row, as a frame of pandas or an Arrow table."""
        columns: Mapping[str, NDArray[Any]] = {
            **({} if self.known_ids is None else {"id": self.known_ids}),
            "status": self.status,
            "released_row": self.rows,
            "candidates": np.array([len(rows) for rows in self.candidates]),
        }
        return frame(columns)


@dataclass(frozen=True, eq=False, repr=False)
class ReconstructionReport(Described, Reconstruction):
    """What an attack by name gives back, described by that attack.

    Attributes
    ----------
    plain
        The result as the attack gave it, with estimates as an array.
    """

    plain: Reconstruction = field(kw_only=True)

    def __repr__(self) -> str:
        rows, columns = self.asked.shape
        return f"{type(self).__name__}({self.asked.attack!r}, {rows} x {columns}, claimed={self.claimed})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (_values(self),)  # its class has no place where pickle could find it

    def _document(self) -> Document:
        return describe(self.plain)

    def to_frame(self) -> Any:
        """Return every released row with its estimated record, as a frame of pandas or an Arrow table.

        Columns that the attack did not read are left out; what was read without a name is called ``open_1``, ... The
        attack stands by its estimates where ``claimed`` is True.
        """
        rows, ids = self.plain.rows, self.asked.released_ids
        columns: dict[str, NDArray[Any]] = {"released_row": rows if ids is None else ids[rows]}
        labels = ATTACKS[self.asked.attack].labels(self.plain)
        return frame(columns | {label: self.plain.estimates[:, place] for place, label in labels.items()})


@cache
def _kind(base: type[Reconstruction]) -> type[ReconstructionReport]:
    """The class of reports on results of a class: it is both."""
    if base is Reconstruction:
        return ReconstructionReport
    kept = {"__repr__": ReconstructionReport.__repr__, "__doc__": base.__doc__, "__module__": base.__module__}
    made = type(base.__name__, (base, ReconstructionReport), kept)  # in this order: fields are the base's own
    return dataclass(frozen=True, eq=False, repr=False)(made)


def _values(found: Reconstruction) -> dict[str, Any]:
    """What a result is made from; what it computes when it is asked for is not asked for."""
    return {one.name: getattr(found, one.name) for one in fields(found) if one.init}


def _made(values: Mapping[str, Any]) -> ReconstructionReport:
    return _kind(type(values["plain"]))(**values)  # type: ignore[arg-type]  # mypy takes classes for not hashable


def reconstruction_report(plain: Reconstruction, contained: Reconstruction) -> ReconstructionReport:
    """Return a result that describes itself, and is of its own class too.

    Parameters
    ----------
    plain, contained
        The result with estimates as an array, and in the kind of table that came in.
    """
    return _made({**_values(contained), "plain": plain})
