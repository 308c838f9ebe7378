# SPDX-License-Identifier: BSD-3-Clause
"""Releases larger than memory: processor time as a multiple of one plain scan of the same files, and peak memory.

python -m benchmarks.scan [--rows 10000000] [--columns 16] [--repeats 3] [--json FILE]
python -m benchmarks.scan --rows 100000000 --repeats 1      (make bench-full; 17 GB in TMPDIR while it runs)

A plain scan decodes every row group once, with the same buffers, and does nothing with the numbers. Scans and what is
measured take turns, in one process; medians. What has to be compiled is compiled before, on a small release. The
release, Gaussian float64 in parts of a million rows packed by snappy, is written to a temporary folder (TMPDIR) and
removed. The command and the peak memory are those of a process of its own; two of them unless --repeats is 1.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import isobreach as ib
from benchmarks.__main__ import Row, show
from isobreach._random import generator
from isobreach.attacks import attack_document
from isobreach.io import write_columns, write_table

_PART = 1 << 20
_KNOWN = 8
_BATCH = 1 << 14
_MEMORY = 0.8e9
_MANY = 10**8  # rows from which on what does not depend on them hardly counts

# A process counts what its parent holds as its own until it runs: a small one stands between.
_LAUNCH = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def write_release(folder: Path, rows: int, columns: int) -> Path:
    """Write a release part by part, and the known records beside it: a Gaussian table is its own rotation."""
    rng = generator(rows + columns, "data")
    rotation = np.linalg.qr(rng.standard_normal((columns, columns)))[0]
    names, known = [f"c{j + 1}" for j in range(columns)], []
    (folder / "released").mkdir(parents=True)
    for start in range(0, rows, _PART):
        part = rng.standard_normal((min(_PART, rows - start), columns))
        known.append(part[:_KNOWN] @ rotation)
        table = pa.table([np.ascontiguousarray(column) for column in part.T], names)
        parquet.write_table(table, folder / "released" / f"part-{start // _PART:04d}.parquet")
    chosen = np.concatenate(known)[:: len(known)][:_KNOWN]
    write_table(folder / "known.parquet", chosen, names)
    return folder


def plain_scan(folder: Path) -> None:
    """Decode everything once."""
    for path in sorted((folder / "released").iterdir()):
        with parquet.ParquetFile(path, buffer_size=1 << 16, pre_buffer=False) as file:
            for _ in file.iter_batches(_BATCH, use_threads=False):
                pass


def attack(folder: Path, **where: Any) -> ib.AttackResult:
    """Link, measure, and find the most exposed rows; ``where``: engine and scheduler."""
    result = ib.attack(folder / "known.parquet", ib.scan(folder / "released", **where), epsilon=0.1, seed=0)
    assert len(result.linkage.linked) == _KNOWN
    assert len(result.top(1000)) == 1000
    return result


def attack_written(folder: Path) -> None:
    """The same, summed up, and every row written."""
    document = attack_document(attack(folder))
    (folder / "per_record.parquet").unlink(missing_ok=True)
    write_columns(folder / "per_record.parquet", document.frames["per_record"]())


def command(folder: Path) -> tuple[float, float]:
    """Processor seconds and peak bytes of ``isobreach attack`` with all its outputs."""
    arguments = ["--known", folder / "known.parquet", "--released", folder / "released", "--seed", "0", "--quiet"]
    words = [sys.executable, "-m", "isobreach", "attack", *arguments, "--out", folder / "out", "--force"]
    done = subprocess.run([sys.executable, "-c", _LAUNCH, *map(str, words)], check=True, capture_output=True, text=True)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak * (1 if sys.platform == "darwin" else 1024)


def in_turn(repeats: int, *functions: Callable[[], object]) -> list[float]:
    """Median processor seconds of each function, one of each in turn; a first round warms up unless one is all."""
    times: list[list[float]] = [[] for _ in functions]
    for turn in range(repeats + (repeats > 1)):
        for function, taken in zip(functions, times, strict=True):
            start = time.process_time()
            function()
            if turn or repeats == 1:
                taken.append(time.process_time() - start)
    return [statistics.median(taken) for taken in times]


def check_room(rows: int, columns: int) -> None:
    """Refuse to begin where the release, what is written of it and the temporary columns do not fit."""
    place = tempfile.gettempdir()
    needed, free = rows * (8.1 * columns + 45), shutil.disk_usage(place).free
    if needed > free:
        raise SystemExit(f"{place}: {needed / 1e9:.1f} GB are needed, {free / 1e9:.1f} are free. Set TMPDIR.")


def measured(rows: int, columns: int, repeats: int) -> list[Row]:
    """All rows of the table."""
    check_room(rows, columns)
    with tempfile.TemporaryDirectory(prefix="isobreach-bench-") as place:
        small = write_release(Path(place) / "small", 1 << 15, columns)
        command(small)
        attack_written(small)
        folder = write_release(Path(place) / "large", rows, columns)
        whole, peak = command(folder)
        if repeats > 1:
            again, more = command(folder)
            whole, peak = (whole + again) / 2, max(peak, more)
        floor, found, written = in_turn(
            repeats, lambda: plain_scan(folder), lambda: attack(folder), lambda: attack_written(folder)
        )
    size = f"{rows:.0e} x {columns}"
    command_limit = 8.0 if rows < _MANY else 5.5
    return [
        Row(
            f"link + attack, best 1,000 rows: {size} ({floor:.2f} s a plain scan)",
            found / floor,
            "<= 3",
            found <= 3 * floor,
        ),
        Row(f"with summary and per_record written: {size}", written / floor, "<= 5", written <= 5 * floor),
        Row(
            f"the whole command, report and figures: {size} ({whole:.2f} s)",
            whole / floor,
            f"<= {command_limit:g}",
            whole <= command_limit * floor,
        ),
        Row(f"peak memory of the command in GB: {size}", peak / 1e9, "<= 0.8", peak <= _MEMORY),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = measured(arguments.rows, arguments.columns, arguments.repeats)
    show(rows, arguments.json)


if __name__ == "__main__":
    main()
