# SPDX-License-Identifier: BSD-3-Clause
"""The comparison on the command line: reads the table, shows progress, writes the folder."""

import shlex
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isobreach import _interface
from isobreach._registry import ATTACKS
from isobreach._reports import ComparisonReport
from isobreach.cli.console import Console
from isobreach.cli.tables import Data
from isobreach.cli.unfinished import partial_folder, telling_what_is_left, unfinished
from isobreach.io import (
    PRIVATE,
    FileStore,
    alone,
    atomic_directory,
    check_free,
    run_record,
    write_columns,
    write_file,
    write_json,
)
from isobreach.report import comparison_document, document_page

_COMMAND = "isobreach compare"
_HOLDS = "the unfinished work of a comparison"


@dataclass(frozen=True)
class CompareJob:
    """One comparison as the command line asks for it.

    ``options`` are arguments of ``isobreach.compare``; ``typed``: the command itself, without its seed and its output.
    """

    data: Data
    options: Mapping[str, Any]
    label: str | None
    out: Path | None
    force: bool
    seed: int
    typed: tuple[str, ...]

    def run(self, console: Console) -> None:
        """Compare, write, speak."""
        if self.out is not None:
            check_free(self.out, force=self.force, temporary=partial_folder(self.out))
        with nullcontext() if self.out is None else alone(self.out):
            result = self._result(console)
        document = comparison_document(result)
        console.document(document)
        if self.out is not None:
            console.say(["", f"Report: {self.out / 'report.html'}"])
        console.result(dict(document.data))

    def _result(self, console: Console) -> ComparisonReport:
        """The comparison, written; an interruption says what is left of it."""
        store = None if self.out is None else FileStore(unfinished(self.out), holds=_HOLDS)
        with telling_what_is_left(store):
            return self._run(console, store)

    def _run(self, console: Console, store: FileStore | None) -> ComparisonReport:
        started = time.monotonic()
        with console.bars():
            if self.label is None:
                table, classes = self.data.read(console), None
            else:
                table, classes = self.data.labelled(console, self.label)
            result = _interface.compare(
                table, **self.options, seed=self.seed, label=classes, progress=console.progress, store=store
            )
            result = replace(result, label=self.label)
            if self.out is not None and store is not None:
                with console.work("writing"):
                    self._write(self.out, result, time.monotonic() - started)
                store.remove()
        return result

    def _write(self, out: Path, result: ComparisonReport, seconds: float) -> None:
        inputs = {} if self.data.source is None else {"data": self.data.source}
        parameters = {**self.data.parameters, **self.options, "label": self.label}
        packages = tuple({package: None for name in result.attacks for package in ATTACKS[name].packages[:1]})
        record = run_record(_COMMAND, parameters, result.seed, inputs, packages=packages)
        again = shlex.join([*self.typed, "--seed", str(result.seed), "--out", "again"])
        run = {"command": _COMMAND, "command_line": again, **record}
        document = comparison_document(result, run, self.data.title)
        with atomic_directory(out, force=self.force, temporary=partial_folder(out)) as folder:
            write_json(folder / "run.json", {**run, "seconds": round(seconds, 3)}, mode=PRIVATE)
            write_json(folder / "result.json", document.data, mode=PRIVATE)
            for name, parts in document.frames.items():
                write_columns(folder / f"{name}.csv", parts(), mode=PRIVATE)
            write_file(folder / "report.html", document_page(document).encode(), mode=PRIVATE)
