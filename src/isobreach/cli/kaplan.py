# SPDX-License-Identifier: BSD-3-Clause
"""Kaplan's attack on the command line: reads what the attacker holds, writes the folder, speaks."""

import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isobreach import _interface
from isobreach._validation import check_seed
from isobreach.attacks import KaplanReconstruction, Knowledge
from isobreach.cli.console import Console
from isobreach.cli.lattice import attributes
from isobreach.cli.tables import read_file
from isobreach.io import PRIVATE, Table, atomic_directory, check_free, read_ranges, run_record, write_json, write_table
from isobreach.report import link_records, motion_json


@dataclass(frozen=True)
class KaplanJob:
    """One run of Kaplan's attack as the command line asks for it."""

    known: Path
    released: Path
    columns: tuple[str, ...] | None
    released_columns: tuple[str, ...] | None
    id_column: str | None
    released_id_column: str | None
    rule: Any
    tolerance: float | None
    motion: Any
    bounds: str | None
    seed: int | None

    def run(self, console: Console, out: Path | None, *, force: bool, estimates: bool) -> None:
        """Attack, write, speak."""
        check_seed(self.seed)
        seed = secrets.randbits(32) if self.seed is None else self.seed
        if out is not None:
            check_free(out, force=force)
        ranges = None if self.bounds is None else read_ranges(self.bounds, "--bounds")
        linking = {"motion": self.motion, "rule": self.rule, "tolerance": self.tolerance}
        with console.bars():
            known = read_file(self.known, "known", console, self.columns, self.id_column)
            released = read_file(self.released, "released", console, self.released_columns, self.released_id_column)
            _, bounds = attributes(ranges, known, None, released.values.shape[1])
            found = _interface.reconstruct(
                "kaplan",
                released.values,
                Knowledge(known.values, bounds=bounds),
                seed=seed,
                progress=console.progress,
                **linking,
            )
            assert isinstance(found, KaplanReconstruction)
            assert found.linkage is not None
            linkage = replace(found.linkage, known_ids=known.ids, released_ids=released.ids)
            result = {
                "schema": "isobreach/kaplan/1",
                "claimed": found.claimed,
                "reason": found.reason,
                **motion_json(linkage),
                **linkage.counts(),
                "links": link_records(linkage),
                "misfit": found.misfit,
                "rows": len(released.values),
                "columns": list(known.columns),
                "seed": seed,
            }
            if out is not None:
                with console.work("writing"):
                    self._write(out, found, known, result, linking, seed, force=force, estimates=estimates)
        console.say(f"Kaplan's attack: {found.reason}")
        if out is not None:
            console.say(f"Result: {out / 'result.json'}")
            if estimates:
                written = f"Estimated records, which are private: {out / 'estimates.parquet'}"
                console.say(written if found.claimed else "No estimates were written: nothing is claimed.")
        console.result({**result, "out": None if out is None else str(out)})

    def _write(
        self,
        out: Path,
        found: KaplanReconstruction,
        known: Table,
        result: dict[str, Any],
        linking: dict[str, Any],
        seed: int,
        *,
        force: bool,
        estimates: bool,
    ) -> None:
        short = self.bounds is not None and not Path(self.bounds).exists()
        parameters = {
            "method": "kaplan",
            **linking,
            "bounds": self.bounds if short else None,
            "columns": self.columns,
            "released-columns": self.released_columns,
            "id-column": self.id_column,
            "released-id-column": self.released_id_column,
        }
        inputs = {"known": self.known, "released": self.released}
        if self.bounds is not None and not short:
            inputs["bounds"] = Path(self.bounds)
        with atomic_directory(out, force=force) as folder:
            write_json(folder / "run.json", run_record("isobreach attack", parameters, seed, inputs))
            write_json(folder / "result.json", result, mode=PRIVATE)
            if estimates and found.claimed:
                rows, path = np.arange(len(found.estimates)), folder / "estimates.parquet"
                write_table(path, found.estimates, known.columns, ids=rows, id_column="released row", mode=PRIVATE)
