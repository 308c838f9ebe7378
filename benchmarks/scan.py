# SPDX-License-Identifier: BSD-3-Clause
"""Releases larger than memory: processor time as a multiple of one plain scan of the same files, and peak memory.

python -m benchmarks.scan [--rows 10000000] [--columns 16] [--repeats 3] [--json FILE]

A plain scan decodes every row group once, with the same buffers, and does nothing with the numbers. Scans and what is
measured take turns, in one process; medians. The release, Gaussian float64 in parts of a million rows packed by snappy,
is written to a temporary folder (TMPDIR) and removed. The command and the peak memory are a process of its own's.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import isobreach as ib
from benchmarks.__main__ import Row
from isobreach._random import generator
from isobreach.attacks import attack_document
from isobreach.io import write_columns, write_table

_PART = 1 << 20
_KNOWN = 8
_BATCH = 1 << 14
_MEMORY = 0.8e9

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
    (folder / "released").mkdir()
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
    """Median processor seconds of each function, one of each in turn; a first round warms up."""
    times: list[list[float]] = [[] for _ in functions]
    for turn in range(repeats + 1):
        for function, taken in zip(functions, times, strict=True):
            start = time.process_time()
            function()
            if turn:
                taken.append(time.process_time() - start)
    return [statistics.median(taken) for taken in times]


def measured(rows: int, columns: int, repeats: int) -> list[Row]:
    """All rows of the table."""
    size = f"{rows:.0e} x {columns}"
    with tempfile.TemporaryDirectory(prefix="isobreach-bench-") as place:
        folder = write_release(Path(place), rows, columns)
        command(folder)  # compiles what is not compiled yet
        whole, peak = command(folder)
        floor, found, written = in_turn(
            repeats, lambda: plain_scan(folder), lambda: attack(folder), lambda: attack_written(folder)
        )
    return [
        Row(
            f"link + attack, best 1,000 rows: {size} ({floor:.2f} s a plain scan)",
            found / floor,
            "<= 3",
            found <= 3 * floor,
        ),
        Row(f"with summary and per_record written: {size}", written / floor, "<= 5", written <= 5 * floor),
        Row(f"the whole command, report and figures: {size}", whole / floor, "<= 8", whole <= 8 * floor),
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
    for row in rows:
        print(f"{row.ratio:9.2f}  {row.target:16} {'ok ' if row.met else 'MISSED'}  {row.what}")
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")


if __name__ == "__main__":
    main()
