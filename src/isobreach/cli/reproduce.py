# SPDX-License-Identifier: BSD-3-Clause
"""The paper's experiments on the command line: a folder that is filled trial by trial, and can be gone on with."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isobreach._validation import check_integer
from isobreach.cli import Interrupted
from isobreach.cli.console import Console
from isobreach.document import Document
from isobreach.engine import processors
from isobreach.errors import InputError, OutputError
from isobreach.io import FileStore, alone, check_free, run_record, write_file, write_json
from isobreach.report import document_markdown, document_page, require_matplotlib
from isobreach.reproduction import (
    NAMES,
    Experiment,
    Results,
    experiment,
    finished,
    reproduction_document,
    reproduction_figures,
    results_csv,
    run_experiment,
    tables,
)

_COMMAND = "isobreach reproduce"
_SECONDS = 1.0  # of work that a kill may cost


@dataclass(frozen=True)
class ReproduceJob:
    """One reproduction as the command line asks for it."""

    figures: tuple[str, ...]
    out: Path
    quick: bool
    trials: int | None
    seed: int

    def run(self, console: Console) -> None:
        """Play, write, speak."""
        chosen = self._chosen()
        if self.trials is not None:
            check_integer("--trials", self.trials, least=1)
        check_integer("--seed", self.seed, least=0)
        require_matplotlib("reproducing the paper's figures")
        self._check_folder()
        with alone(self.out):
            self._check_folder()  # again, now that no other run writes to it
            document = self._written(console, chosen)
        console.document(document)
        console.say(["", f"Page: {self.out / 'report.html'}"])
        console.result({**document.data, "out": str(self.out)})

    def _written(self, console: Console, chosen: list[str]) -> Document:
        """Play what is missing, and write everything."""
        earlier = self._earlier(chosen)
        made = tables(self.seed, quick=self.quick)
        found: dict[str, Results] = {}
        try:
            with console.bars():
                write_json(self.out / "run.json", self._record(chosen, earlier), force=True)
                for name in chosen:
                    found[name] = run_experiment(
                        self._experiment(name),
                        made,
                        seed=self.seed,
                        quick=self.quick,
                        store=self._store(name),
                        progress=console.progress,
                    )
                found = {name: (found | earlier)[name] for name in NAMES if name in found or name in earlier}
                with console.work("drawing"):
                    return self._write(found)
        except Interrupted as error:
            kept = f"interrupted. Finished trials are kept in {self.out}: the same command goes on with them."
            raise Interrupted(kept, error) from None

    def _chosen(self) -> list[str]:
        for name in self.figures:
            if name not in ("all", *NAMES):
                raise InputError("figure", f"must be one of all, {', '.join(NAMES)}", repr(name))
        everything = not self.figures or "all" in self.figures
        return [name for name in NAMES if everything or name in self.figures]

    def _experiment(self, name: str) -> Experiment:
        return experiment(name, quick=self.quick, trials=self.trials)

    def _store(self, name: str) -> FileStore:
        return FileStore(self.out / "trials" / f"{name}.npz", seconds=_SECONDS, holds="finished trials of reproduce")

    def _check_folder(self) -> None:
        """Make the folder, or accept an empty one, or one of this command with the same seed."""
        if not os.path.lexists(self.out):
            check_free(self.out)
            return
        if not self.out.is_dir():
            raise OutputError(f"{self.out} is not a folder. Choose another --out.")
        if all(entry.name.startswith(".") for entry in self.out.iterdir()):
            return  # empty, or what a kill left of the very first file
        record = self.out / "run.json"
        try:
            run = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
            same = run["command"] == _COMMAND
            parameters = (run["seed"], run["parameters"]["quick"])
        except (OSError, ValueError, KeyError, TypeError):
            same, parameters = False, (None, None)
        if not same:
            raise OutputError(f"{self.out} is not an earlier output of reproduce. Choose another --out.")
        if parameters != (self.seed, self.quick):
            was = f"seed {parameters[0]}{' and --quick' if parameters[1] else ''}"
            rule = "must be a new folder, or one of the same seed and the same --quick"
            raise InputError("--out", rule, f"one of {was}", "Choose another folder.")

    def _earlier(self, chosen: list[str]) -> dict[str, Results]:
        """What earlier commands finished in this folder and this one does not ask for, all trials of it."""
        others = (name for name in NAMES if name not in chosen)
        found = {
            name: finished(self._experiment(name), seed=self.seed, quick=self.quick, store=self._store(name))
            for name in others
        }
        return {name: results for name, results in found.items() if results is not None}

    def _record(self, chosen: list[str], earlier: Mapping[str, Results]) -> dict[str, Any]:
        """What the folder holds, or will: by figure how many trials."""
        trials = {name: self._experiment(name).trials for name in chosen}
        trials |= {name: results.experiment.trials for name, results in earlier.items()}
        names = [name for name in NAMES if name in trials]
        parameters = {"figures": names, "quick": self.quick, "trials": {name: trials[name] for name in names}}
        return run_record(_COMMAND, parameters, self.seed, {}, packages=("matplotlib",))

    def _write(self, found: Mapping[str, Results]) -> Document:
        figures: dict[str, bytes] = {}
        for results in found.values():
            for name, text in results_csv(results).items():
                write_file(self.out / name, text.encode(), force=True)
            figures |= reproduction_figures(results)
        for name, content in figures.items():
            write_file(self.out / "figures" / name, content, force=True)
        document = reproduction_document(found, figures, seed=self.seed, quick=self.quick, processors=processors())
        pages = {"report.html": document_page(document), "reproduction.md": document_markdown(document)}
        for name, page in pages.items():
            write_file(self.out / name, page.encode(), force=True)
        return document
