# SPDX-License-Identifier: BSD-3-Clause
"""The folder that an attack leaves, and what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isobreach.attacks import AttackResult, AttackSummary
from isobreach.cli.console import Console
from isobreach.errors import MissingExtraError
from isobreach.io import (
    PRIVATE,
    atomic_directory,
    run_record,
    write_columns,
    write_file,
    write_json,
    write_table,
)
from isobreach.linking import Linkage
from isobreach.report import attack_figure, attack_page, result_json, sentences, verdict


@dataclass(frozen=True)
class AttackOutput:
    """An attack ready to be told.

    ``columns``: names of the attributes. ``findings``: further sentences, such as what only the owner knows.
    """

    title: str
    result: AttackResult
    summary: AttackSummary
    columns: Sequence[str]
    findings: Sequence[str] = ()

    @property
    def json(self) -> dict[str, Any]:
        """The content of result.json."""
        ids, best = self.result.linkage.released_ids, self.summary.best_row
        best_id = None if ids is None or best is None else ids[best].item()
        return {
            **result_json(self.summary, best_id),
            "findings": list(self.findings),
        }

    def write(
        self,
        out: Path,
        command: str,
        parameters: Mapping[str, object],
        seed: int | None,
        inputs: Mapping[str, Path],
        *,
        force: bool = False,
        estimates: bool = False,
    ) -> None:
        """Write the folder, whole or not at all."""
        run = run_record(command, parameters, seed, inputs)
        with atomic_directory(out, force=force) as folder:
            write_json(folder / "run.json", run)
            write_json(folder / "result.json", self.json, mode=PRIVATE)
            write_columns(folder / "per_record.parquet", self._per_record(), mode=PRIVATE)
            if self.result.linkage.dictionary is not None:
                write_columns(folder / "dictionary.parquet", _dictionary(self.result.linkage.dictionary), mode=PRIVATE)
            figures = self._figures()
            for name, content in figures.items():
                write_file(folder / "figures" / name, content)
            drawing = figures["exposure.svg"].decode() if figures else None
            page = attack_page(self.title, self.summary, run, drawing, self.findings)
            write_file(folder / "report.html", page.encode(), mode=PRIVATE)
            if estimates:
                rows = np.arange(self.result.shape[0])
                path = folder / "estimates.parquet"
                write_table(path, self.result.estimates, self.columns, ids=rows, id_column="released row", mode=PRIVATE)

    def speak(self, console: Console, out: Path | None) -> None:
        """Say what was learned."""
        console.say([verdict(self.summary), ""])
        console.say(f"- {line}" for line in [*sentences(self.summary), *self.findings])
        if out is not None:
            console.say(["", f"Report: {out / 'report.html'}"])
        console.result({**self.json, "out": None if out is None else str(out)})

    def _per_record(self) -> dict[str, Any]:
        result = self.result
        rows = np.arange(result.shape[0])
        linked = np.zeros(len(rows), dtype=np.bool_)
        linked[result.linked_rows] = True
        ids = result.linkage.released_ids
        return {
            "row": rows,
            **({} if ids is None else {"id": ids}),
            "linked": linked,
            "relative_residual": result.relative_residual,
            "breach_probability": result.breach_probability,
        }

    def _figures(self) -> dict[str, bytes]:
        if not self.summary.placed:
            return {}  # nothing is known of any row
        try:
            return attack_figure(self.summary)
        except MissingExtraError:
            return {}


def _dictionary(entries: Linkage) -> dict[str, Any]:
    """Every record of a dictionary: ``released_row`` is -1 where it is not linked."""
    count = len(entries.rows)
    unknown = np.full(count, np.nan)
    return {
        "index": np.arange(count),
        **({} if entries.known_ids is None else {"id": entries.known_ids}),
        "status": entries.status,
        "released_row": entries.rows,
        "chance": unknown if entries.chance is None else entries.chance,
        "posterior": unknown if entries.posterior is None else entries.posterior,
    }
