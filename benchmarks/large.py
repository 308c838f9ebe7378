# SPDX-License-Identifier: BSD-3-Clause
"""One large audit with all defaults: processor seconds, wall seconds and peak memory, child processes included.

python -m benchmarks.large [--table mixed|grid] [--rows 100000] [--columns 100] [--trials 200] [--splits 8] [--files]
python -m benchmarks.large --files --rows 10000000 --columns 16      (1.3 GB in TMPDIR while it runs)

An audit of 100,000 x 100 should take less than 20 minutes on two cores and 2 GB. Processor seconds over two stand
beside the wall time, because the machine may be busy with something else. Memory is read from /proc: Linux is needed.
With --files the table is written to Parquet, in parts of a million rows, and stays there while it is audited.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

import isobreach as ib
from isobreach.io import Scan

FloatArray = NDArray[np.float64]

CORES = 2
LIMIT_SECONDS, LIMIT_BYTES = 1_200, 2e9
_PART = 1_000_000  # rows of a file
_FACTORS = 10  # that the columns share
_EVERY = 0.5  # seconds between two looks at the memory


@dataclass(frozen=True)
class Case:
    """A table of correlated columns, standardised with every tenth a whole number, or all on a grid with jitter; and
    what may be asked otherwise than by default, so that parts of an audit can be measured alone.
    """

    table: str
    rows: int
    columns: int
    scheme: str
    trials: int
    splits: int
    files: bool = False

    def records(self, part: int = 0) -> FloatArray:
        """The table, or a part of it."""
        rng = np.random.default_rng(part)
        shared = np.random.default_rng(0).standard_normal((_FACTORS, self.columns))
        values = rng.standard_normal((self.rows, _FACTORS)) @ shared
        values /= np.sqrt(_FACTORS)
        values += rng.standard_normal(values.shape)
        values /= values.std(axis=0)
        if self.table == "mixed":
            values[:, ::10] = np.round(3 * values[:, ::10])
        else:
            values = np.round(3 * values)
            values += 0.25 * (rng.random(values.shape) - 0.5)
        return values

    def run(self) -> None:
        """Audit it, and print the processor seconds that each stage took in this process."""
        with tempfile.TemporaryDirectory() as folder:
            records = self.records() if not self.files else self.written(Path(folder))
            clock = _Stages()
            ib.audit(records, scheme=self.scheme, seed=0, progress=clock, trials=self.trials, splits=self.splits)
            print(json.dumps(clock.ended()))

    def written(self, folder: Path) -> Scan:
        """The table in files."""
        for part, start in enumerate(range(0, self.rows, _PART)):
            values = replace(self, rows=min(_PART, self.rows - start)).records(part)
            columns = {f"c{j}": np.ascontiguousarray(values[:, j]) for j in range(self.columns)}
            parquet.write_table(pa.table(columns), folder / f"part-{part:04d}.parquet")
        return ib.scan(folder)

    def measured(self) -> tuple[float, float, float, dict[str, list[float]]]:
        """Processor seconds, wall seconds and peak bytes of a process of its own, and its stages."""
        command = [sys.executable, "-c", f"from benchmarks.large import Case; {self!r}.run()"]
        start = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            memory = _Memory(child.pid)
            memory.start()
            said = child.stdout.read()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            memory.join()
        if child.returncode:
            raise SystemExit(child.returncode)
        seconds = time.perf_counter() - start
        return used.ru_utime + used.ru_stime, seconds, memory.peak, json.loads(said)


class _Stages:
    """Progress of an audit as wall and processor seconds, of this process and of children that ended, of each stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.label, self.last = "begin", self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.perf_counter(), sum(os.times()[:4])

    def __call__(self, label: str, done: int, total: int) -> None:
        """Count what has passed for the stage that was last heard of."""
        now = self._now()
        told = self.seconds.setdefault(self.label, [0.0, 0.0])
        told[0] += now[0] - self.last[0]
        told[1] += now[1] - self.last[1]
        if label != self.label:
            print(f"  {self.label}: {told[0]:.1f} s, of a processor {told[1]:.1f}", file=sys.stderr, flush=True)
        self.label, self.last = label, now

    def ended(self) -> dict[str, list[float]]:
        """Seconds of each stage."""
        self("end", 1, 1)
        return self.seconds


class _Memory(threading.Thread):
    """Largest memory of a process and its descendants together; pages that they share count once."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.peak = pid, 0.0

    def run(self) -> None:
        """Look until the process is gone."""
        while Path(f"/proc/{self.pid}/smaps_rollup").exists() and (now := sum(map(_proportional, _family(self.pid)))):
            self.peak = max(self.peak, now)
            time.sleep(_EVERY)


def _family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += _family(int(child))
    except OSError:  # it has just ended
        pass
    return found


def _proportional(pid: int) -> float:
    """Bytes of a process, its share of what it shares with others; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((1024.0 * int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0.0)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", choices=("mixed", "grid"), default="mixed")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--scheme", default="rigid")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--splits", type=int, default=8)
    parser.add_argument("--files", action="store_true")
    case = Case(**vars(parser.parse_args()))
    before = os.getloadavg()[0]
    processor, wall, peak, stages = case.measured()
    for label, (seconds, own) in stages.items():
        print(f"{label:24} {seconds:9.1f} s, of a processor {own:9.1f}")
    met = processor / CORES < LIMIT_SECONDS and peak < LIMIT_BYTES
    print(
        f"{case}: {processor:.0f} processor seconds, {processor / CORES:.0f} on {CORES} cores (< {LIMIT_SECONDS}); "
        f"wall {wall:.0f} s (load {before:.1f} before, {os.getloadavg()[0]:.1f} after); "
        f"peak {peak / 1e9:.2f} GB (< {LIMIT_BYTES / 1e9:g}): {'ok' if met else 'MISSED'}",
        flush=True,
    )


if __name__ == "__main__":
    main()
