# SPDX-License-Identifier: BSD-3-Clause
"""Links without norms by a public sample: processor time as a multiple of one plain scan of the same files.

python -m benchmarks.proposing [--rows 1000000] [--columns 64] [--sample 10000] [--seeds 3] [--json FILE]

Records like embeddings: skewed, with axes of falling length, behind a rotation and a translation, in Parquet files of
float32. Ten known records, of which two are absent, and a sample of others. Pairs of so many rows are not compared.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

import isobreach as ib
from benchmarks.__main__ import Row, show
from benchmarks.scan import plain_scan
from isobreach._random import generator

_PARTS = 8


class Records:
    """Draws records of one population, and moves them."""

    def __init__(self, columns: int, seed: int) -> None:
        self.rng = generator(seed, "data")
        self._axes, self._rotation = (np.linalg.qr(self.rng.standard_normal((columns, columns)))[0] for _ in range(2))
        self._sizes = 1 / np.sqrt(np.arange(1, columns + 1))
        self._translation = 5 * self.rng.standard_normal(columns)

    def drawn(self, rows: int) -> NDArray[np.float32]:
        """So many records."""
        values = self.rng.gamma(4.0, size=(rows, len(self._sizes))) * self._sizes
        return np.asarray(values @ self._axes.T, dtype=np.float32)

    def moved(self, records: NDArray[np.float32]) -> NDArray[np.float32]:
        """Their released rows."""
        return np.asarray(records @ self._rotation.T + self._translation, dtype=np.float32)


def measured(folder: Path, rows: int, columns: int, sample: int, seed: int) -> tuple[float, float, int, int]:
    """Processor seconds of a plain scan and of the links; present records that are linked, and wrong links."""
    records, names = Records(columns, seed), [f"c{j + 1}" for j in range(columns)]
    (folder / "released").mkdir(parents=True)
    known, each = [], rows // _PARTS
    for number in range(_PARTS):
        part = records.drawn(each)
        known.append(part[17])
        table = pa.table([np.ascontiguousarray(column) for column in records.moved(part).T], names)
        parquet.write_table(table, folder / "released" / f"part-{number}.parquet")
    asked = np.concatenate([np.stack(known), records.drawn(2)])
    others = records.drawn(sample)
    start_of = time.process_time()
    plain_scan(folder)
    floor = time.process_time() - start_of
    start_of = time.process_time()
    found = ib.link(asked, ib.scan(folder / "released"), motion="rigid", sample=others)
    seconds = time.process_time() - start_of
    truth = np.array([*(number * each + 17 for number in range(_PARTS)), -1, -1])
    linked = found.rows >= 0
    return floor, seconds, int((linked & (found.rows == truth)).sum()), int((linked & (found.rows != truth)).sum())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--columns", type=int, default=64)
    parser.add_argument("--sample", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    asked = arguments.rows, arguments.columns, arguments.sample
    rows = []
    for seed in range(arguments.seeds):
        with tempfile.TemporaryDirectory(prefix="isobreach-bench-") as place:
            floor, seconds, right, wrong = measured(Path(place), *asked, seed)
        title = f"seed {seed}: {right} of {_PARTS} linked, {wrong} wrong; {seconds:.1f} s, in plain scans"
        rows.append(Row(title, seconds / floor, "all, none wrong", right == _PARTS and not wrong))
    show(rows, arguments.json)


if __name__ == "__main__":
    main()
