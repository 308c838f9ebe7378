# SPDX-License-Identifier: BSD-3-Clause
"""The audit on the command line: reads the table, shows progress, writes the folder, keeps the gate."""

import os
import secrets
import shlex
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isobreach import _interface
from isobreach._interface import AuditReport
from isobreach._registry import ATTACKS
from isobreach.cli import GateError, Interrupted
from isobreach.cli.console import Console
from isobreach.cli.gate import Gate
from isobreach.cli.tables import Data
from isobreach.errors import InputError, OutputError
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
from isobreach.report import (
    audit_json,
    audit_page,
    audit_sentences,
    audit_verdict,
)


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
    """

    data: Data
    options: Mapping[str, Any]
    gate: Gate
    out: Path | None
    force: bool
    seed: int | None
    typed: tuple[str, ...]
    command: str = "isobreach audit"
    title: str = "Audit before publishing"
    both: bool = False

    def run(self, console: Console) -> None:
        """Audit, write, speak; raise GateError last."""
        if self.out is not None:
            check_free(self.out, force=self.force, temporary=_partial(self.out))
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
        for name in _interface.attackers_of(self.options.get("attacks")):
            ATTACKS[name].interruptible()
        try:
            return self._run(console, store)
        except (Interrupted, KeyboardInterrupt, SystemExit):
            raise Interrupted(f"interrupted. {_left(store)}") from None
        except OutputError as error:
            raise OutputError(str(error).replace("Nothing was left behind.", _left(store))) from None

    def _run(self, console: Console, store: FileStore | None) -> AuditReport:
        started = time.monotonic()
        with console.bars():
            table = self.data.read(console)
            seed = self._seed(store)
            result = _interface.audit(table, **self.options, seed=seed, progress=console.progress, store=store)
            if self.both:
                result = replace(result, beside=self._beside(console, result, seed))
            if self.out is not None and store is not None:
                with console.work("writing"):
                    self._write(self.out, result, time.monotonic() - started)
                store.remove()
        return result

    def _beside(self, console: Console, result: AuditReport, seed: int) -> dict[str, str]:
        """The verdict beside that on the table standardised."""
        table = self.data.read(Console(json_only=True, quiet=True), standardise=True)
        alike = _interface.audit(table, **self.options, seed=seed, progress=console.progress)
        return {"as it is": audit_verdict(result), "standardised": audit_verdict(alike)}

    def _seed(self, store: FileStore | None) -> int:
        """The seed as given; else one that is drawn, or that of the audit to go on with."""
        if self.seed is not None:
            return self.seed
        if store is not None and (saved := store.load()) is not None and "seed" in saved:
            return int(saved["seed"])
        return secrets.randbits(32)

    def _write(self, out: Path, result: AuditReport, seconds: float) -> None:
        inputs = {} if self.data.source is None else {"data": self.data.source}
        scheme = self.options["scheme"]
        parameters = {
            **self.data.parameters,
            **{name: value for name, value in self.options.items() if name not in ("scheme", "coalition_sizes")},
            "scheme": scheme if isinstance(scheme, str) else repr(scheme),
            "coalition_sizes": list(result.sizes),
            "both": self.both,
            "fail-size": self.gate.size,
        }
        again = shlex.join([*self.typed, "--seed", str(result.seed), "--out", "again"])
        packages = tuple({package: None for one in result.attackers for package in ATTACKS[one.name].packages[:1]})
        record = run_record(self.command, parameters, result.seed, inputs, packages=packages)
        run = {"command": self.command, "command_line": again, **record}
        with atomic_directory(out, force=self.force, temporary=_partial(out)) as folder:
            write_json(folder / "run.json", {**run, "seconds": round(seconds, 3)})
            write_json(folder / "result.json", audit_json(result), mode=PRIVATE)
            write_columns(folder / "per_record.parquet", _per_record(result), mode=PRIVATE)
            write_columns(folder / "per_attribute.parquet", _per_attribute(result))
            write_file(folder / "report.html", audit_page(result, run, self.title).encode(), mode=PRIVATE)

    def _speak(self, console: Console, result: AuditReport) -> None:
        if result.beside:
            console.say([f"{name.capitalize()}: {said}" for name, said in result.beside.items()] + [""])
        else:
            console.say([audit_verdict(result), ""])
        console.say(f"- {line}" for line in audit_sentences(result))
        if self.out is not None:
            console.say(["", f"Report: {self.out / 'report.html'}"])
        console.result(audit_json(result))


def unfinished(out: Path) -> Path:
    """Where finished work of an audit is kept until its folder is complete."""
    named = out if out.name else Path(os.path.realpath(out))  # the working folder has no name of its own
    return named.with_name(f".{named.name}.unfinished.npz")


def _partial(out: Path) -> str:
    """Name of the folder, beside it, in which the output is put together."""
    return f".{Path(os.path.realpath(out)).name}.partial"


def _left(store: FileStore | None) -> str:
    """What an interruption leaves, and how to go on."""
    if store is None or not store.kept:
        return "Nothing was written."
    return f"Finished work is kept in {store.name}: the same command goes on from there."


def _per_record(result: AuditReport) -> dict[str, Any]:
    columns: dict[str, Any] = {"row": np.arange(result.rows)}
    if result.ids is not None:
        columns["id"] = result.ids
    columns["mean_exposure"] = np.where(result.records.mean < 0, np.nan, result.records.mean)
    columns["mean_exposure_low"], columns["mean_exposure_high"] = result.records.limits()
    for place, size in enumerate(result.sizes):
        columns[f"exposure_{size}"] = result.records.exposure[place]
        columns[f"breached_share_{size}"] = result.records.breached[place]
    return columns


def _per_attribute(result: AuditReport) -> dict[str, Any]:
    figures = result.attributes
    unsaid = np.full(result.attribute_count, np.nan)  # 5% would tell the range
    names = result.names or tuple(f"c{place + 1}" for place in range(result.attribute_count))
    columns: dict[str, Any] = {
        "attribute": np.array(names),
        "tolerance": figures.tolerance if figures.given else unsaid,
        "column_mean": result.baselines.attributes,
        "blind_guess": result.baselines.blind_attributes,
        "best_attacker": result.learned(result.sizes[-1], result.matrix.samples[-1]),
        **{f"{one.name}_attack": one.attributes for one in result.readers},
    }
    for place, size in enumerate(result.sizes):
        for name, part in (("learned", figures.value), ("low", figures.low), ("high", figures.high)):
            columns[f"{name}_{size}"] = part[place]
    return columns
