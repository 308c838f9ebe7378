# SPDX-License-Identifier: BSD-3-Clause
"""What an audit costs, as a ratio to what no trial can do without; and a large one in seconds and gigabytes.

python -m benchmarks.audit [--large] [--trials 100]

``--large`` is one audit of 100,000 x 100, coalitions of 1 to 64, behind a translation: it should take less than 15
minutes on two cores and 2 GB. It takes minutes, and says how busy the machine was.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

import isobreach as ib
from benchmarks.__main__ import Row, interleaved
from isobreach.engine import ONE_BLAS_THREAD

_GIGABYTE = 1e9


@dataclass(frozen=True)
class Case:
    """The paper's Gaussian, audited without the lattice attack; coalitions of 1 to ``largest``."""

    rows: int
    columns: int
    largest: int
    trials: int
    scheme: str

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.rows:,} x {self.columns}, {self.scheme}, coalitions 1-{self.largest}, {self.trials} trials"

    def run(self) -> None:
        """Audit it, and print seconds and peak bytes of this process, interpreter and libraries included."""
        table = ib.datasets.gaussian(rows=self.rows, columns=self.columns)
        start = time.perf_counter()
        ib.audit(
            table,
            scheme=self.scheme,
            coalition_sizes=range(1, self.largest + 1),
            trials=self.trials,
            attacks=["known-input"],
            seed=0,
        )
        seconds = time.perf_counter() - start
        unit = 1 if sys.platform == "darwin" else 1024
        print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit]))

    def measured(self) -> tuple[float, float]:
        """Seconds and peak bytes, in a process of its own."""
        child = [sys.executable, "-c", f"from benchmarks.audit import Case; {self!r}.run()"]
        seconds, peak = json.loads(subprocess.run(child, check=True, capture_output=True, text=True).stdout)
        return seconds, peak

    def floor(self) -> float:
        """Seconds, on one processor, of a trial's parts along ``largest`` directions and of as many breach
        probabilities, an incomplete beta function each, times the number of trials.
        """
        table = ib.datasets.gaussian(rows=self.rows, columns=self.columns)
        directions = table[: self.largest].T.copy()
        squares = np.random.default_rng(0).random((self.rows, self.largest))

        def trial() -> None:
            with ONE_BLAS_THREAD:
                table @ directions
            betainc((self.columns - 1) / 2, 0.5, squares)

        (seconds,) = interleaved(3, trial)
        return self.trials * seconds


LIMIT = 3.0
SMALL = (Case(20_000, 50, 32, 50, "orthogonal"), Case(20_000, 50, 32, 50, "rigid"))


def small_rows() -> list[Row]:
    """Ratios to the floor."""
    rows = []
    for case in SMALL:
        seconds, floor = case.measured()[0], case.floor()
        what = f"audit ({seconds:.1f} s) / parts and probabilities of all trials: {case.name}"
        rows.append(Row(what, seconds / floor, f"< {LIMIT:g}", seconds / floor < LIMIT))
    return rows


def large_rows(trials: int) -> list[Row]:
    """Seconds and gigabytes of the large audit; with the load before and after."""
    case = Case(100_000, 100, 64, trials, "rigid")
    before = os.getloadavg()[0]
    seconds, peak = case.measured()
    load = f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after"
    return [
        Row(f"seconds ({load}): {case.name}", seconds, "< 900", seconds < 900),
        Row(f"peak memory of the process, GB: {case.name}", peak / _GIGABYTE, "< 2", peak < 2 * _GIGABYTE),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--trials", type=int, default=100, help="of the large audit")
    arguments = parser.parse_args()
    for row in large_rows(arguments.trials) if arguments.large else small_rows():
        print(f"{row.ratio:9.2f}  {row.target:16} {'ok ' if row.met else 'MISSED'}  {row.what}", flush=True)


if __name__ == "__main__":
    main()
