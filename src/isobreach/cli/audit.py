# SPDX-License-Identifier: BSD-3-Clause
"""The audit on the command line: reads the table, shows progress, writes the folder, keeps the gate."""

import shlex
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isobreach import _interface
from isobreach._progress import hearing
from isobreach._registry import ATTACKS
from isobreach._reports import AuditReport
from isobreach.audits import fits_into_memory
from isobreach.cli import GateError
from isobreach.cli.console import Console
from isobreach.cli.gate import GateOptions
from isobreach.cli.tables import Data
from isobreach.cli.unfinished import partial_folder, seed_of, telling_what_is_left, unfinished
from isobreach.errors import InputError
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
from isobreach.report import audit_document, document_page


def parse_sizes(text: str) -> list[int]:
    """Coalition sizes as ``1-8`` or ``1,2,4-6``."""
    sizes: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            low, high = int(first), int(last if dash else first)
        except ValueError:
            raise InputError("--coalitions", "must be sizes such as 1-8 or 1,2,4-6", repr(text)) from None
        if high < low or high - low > 100_000:
            raise InputError("--coalitions", "must be sizes such as 1-8 or 1,2,4-6", repr(text))
        sizes += range(low, high + 1)
    return sizes


def parse_samples(text: str) -> list[int]:
    """Sizes of samples by commas; 0 is none."""
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError("--samples", "must be sizes such as 200,1000, or 0 for none", repr(text)) from None
    return [size for size in sizes if size != 0]


def parse_numbers(option: str, text: str | None) -> list[float]:
    """Numbers by commas."""
    if text is None or not text.strip():
        return []
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(option, "must be numbers, by commas", repr(text)) from None


@dataclass(frozen=True)
class AuditJob:
    """One audit as the command line asks for it.

    ``options`` are arguments of ``isobreach.audit``; ``typed``: the command itself, without its seed and its output.
    ``comparing``: the command that compares schemes on the same table.
    """

    data: Data
    options: Mapping[str, Any]
    gate: GateOptions
    out: Path | None
    force: bool
    seed: int | None
    typed: tuple[str, ...]
    command: str = "isobreach audit"
    title: str = ""
    both: bool = False
    comparing: tuple[str, ...] = ()

    def run(self, console: Console) -> None:
        """Audit, write, speak; raise GateError last."""
        if self.out is not None:
            check_free(self.out, force=self.force, temporary=partial_folder(self.out))
        with nullcontext() if self.out is None else alone(self.out):
            result = self._result(console)
        self._speak(console, result)
        reason = self.gate.reason(result)
        if reason is not None:
            raise GateError(reason)
        console.say(self.gate.opened(result))

    def _result(self, console: Console) -> AuditReport:
        """The audit, written; an interruption says what is left of it."""
        store = None if self.out is None else FileStore(unfinished(self.out))
        for name in _interface.attackers_of(self.options.get("attacks"), self.options["scheme"]):
            ATTACKS[name].interruptible()
        second = FileStore(unfinished(self.out, "standardised")) if self.both and self.out is not None else None
        with telling_what_is_left(store, second):
            return self._run(console, store, second)

    def _run(self, console: Console, store: FileStore | None, second: FileStore | None) -> AuditReport:
        started = time.monotonic()
        with console.bars(), hearing(console.note):
            table = self.data.on_files(console) if self._large else self.data.read(console)
            seed = seed_of(self.seed, store)
            result = _interface.audit(table, **self.options, seed=seed, progress=console.progress, store=store)
            result = replace(result, comparing=shlex.join(self.comparing))
            if self.both:
                result = replace(result, beside=self._beside(console, result, seed, second))
            if self.out is not None:
                with console.work("writing"):
                    self._write(self.out, result, time.monotonic() - started)
                for one in (store, second):
                    if one is not None:
                        one.remove()
        return result

    @property
    def _large(self) -> bool:
        """Whether the table stays in its files, because an audit of it does not fit into memory."""
        size = None if self.data.source is None else self.data.source.size()
        if size is None:
            return False
        columns = size[1] - len(self.data.leave_out or ()) if self.data.columns is None else len(self.data.columns)
        if fits_into_memory(size[0], columns, len(self.options["coalition_sizes"])):
            return False
        if self.both:
            rule = "must be left out where DATA does not fit into memory and stays in its files"
            raise InputError("--both", rule, f"{size[0]:,} x {columns}", "Audit each table by itself.")
        return True

    def _beside(self, console: Console, result: AuditReport, seed: int, store: FileStore | None) -> dict[str, str]:
        """The verdict beside that on the table standardised."""
        table = self.data.read(Console(json_only=True, quiet=True), standardise=True)

        def progress(label: str, done: int, total: int) -> None:
            console.progress(f"standardised, {label}", done, total)

        alike = _interface.audit(table, **self.options, seed=seed, progress=progress, store=store)
        return {"as it is": result.verdict, "standardised": alike.verdict}

    def _write(self, out: Path, result: AuditReport, seconds: float) -> None:
        inputs = {} if self.data.source is None else {"data": self.data.source}
        scheme = self.options["scheme"]
        parameters = {
            **self.data.parameters,
            **{name: value for name, value in self.options.items() if name not in ("scheme", "coalition_sizes")},
            "scheme": scheme if isinstance(scheme, str) else repr(scheme),
            "coalition_sizes": list(result.sizes),
            "both": self.both,
        }
        again = shlex.join([*self.typed, "--seed", str(result.seed), "--out", "again"])
        packages = tuple({package: None for one in result.attackers for package in ATTACKS[one.name].packages[:1]})
        record = run_record(self.command, parameters, result.seed, inputs, packages=packages)
        run = {"command": self.command, "command_line": again, **record}
        today = datetime.now(UTC).date()
        document = audit_document(result, run, self.title or self.data.title, today)
        with atomic_directory(out, force=self.force, temporary=partial_folder(out)) as folder:
            write_json(
                folder / "run.json", {**run, "date": today.isoformat(), "seconds": round(seconds, 3)}, mode=PRIVATE
            )
            write_json(folder / "result.json", document.data, mode=PRIVATE)
            modes = {"per_record": {"mode": PRIVATE}}
            for name, parts in document.frames.items():
                write_columns(folder / f"{name}.parquet", parts(), **modes.get(name, {}))
            write_file(folder / "report.html", document_page(document).encode(), mode=PRIVATE)

    def _speak(self, console: Console, result: AuditReport) -> None:
        document = audit_document(result)
        if result.beside:
            console.say([f"{name.capitalize()}: {said}" for name, said in result.beside.items()])
            document = replace(document, verdict="What follows is about the table as it is.")
        console.document(document)
        if self.out is not None:
            console.say(["", f"Report: {self.out / 'report.html'}"])
        console.result(dict(document.data))
