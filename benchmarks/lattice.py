# SPDX-License-Identifier: BSD-3-Clause
"""What the lattice attack recovers without a known record, how often, and how fast.

python -m benchmarks.lattice [--seeds 20] [--only "Letter, jitter"]
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

import isobreach as ib

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A table, what is done to its release besides the secret motion, and how many attributes vary."""

    name: str
    records: FloatArray
    decimals: int | None = None
    single: bool = False
    noise: float = 0.0
    jitter: float = 0.0  # uniform on [0, jitter), added to every value before the motion
    known: int = 0
    bounds: tuple[float, float] | None = None
    target: str = ""
    varying: int = field(default=0)

    def run(self, seed: int, translate: bool) -> tuple[bool, bool, float]:
        """Whether all that varies was recovered, whether anything recovered is wrong, and the seconds."""
        random = np.random.default_rng(seed)
        moved = self.records + random.uniform(0, self.jitter, self.records.shape)
        release = ib.perturb(moved, "rigid" if translate else "orthogonal", seed=seed)
        assert isinstance(release.key, ib.Key)
        rows = release.data + self.noise * random.standard_normal(self.records.shape)
        rows = rows if self.decimals is None else np.round(rows, self.decimals)
        rows = rows.astype(np.float32) if self.single else rows
        insiders = random.choice(len(self.records), self.known, replace=False)
        knowledge = ib.Knowledge(known=self.records[insiders] if self.known else None, bounds=self.bounds)
        start = time.perf_counter()
        found: Any = ib.reconstruct("lattice", rows, knowledge, seed=seed)
        seconds = time.perf_counter() - start
        records = self.records[np.argsort(release.key.order)]
        columns = np.flatnonzero(found.recovered).tolist()
        right = [self._is_right(found, column, records, release.key.rotation) for column in columns]
        complete = len(columns) == (self.varying or records.shape[1])
        if self.known:
            complete &= np.allclose(found.estimates, records)
        return complete and all(right), not all(right), seconds

    def _is_right(self, found: Any, column: int, records: FloatArray, rotation: FloatArray) -> bool:
        """Whether a column is an attribute up to sign and offset, misread entries as announced aside."""
        cosines = found.axes[column] @ rotation
        attribute = int(np.abs(cosines).argmax())
        differences = found.estimates[:, column] * np.sign(cosines[attribute]) - records[:, attribute]
        off = np.abs(differences - np.median(differences)) > 1e-2 * found.steps[column]
        return bool(
            abs(cosines[attribute]) > 0.999
            and off.mean() <= 5 * found.misread + 5 / len(off) * (self.noise + self.jitter > 0)
        )


def cases() -> Iterator[Case]:
    """Every case of the documentation."""
    letter = ib.datasets.load("letter").values.astype(np.float64)
    standardised = (letter - letter.mean(axis=0)) / letter.std(axis=0)
    yield Case("Letter, float64", letter, target="20 of 20")
    yield Case("Letter, float32", letter, single=True, target="20 of 20")
    for decimals in (3, 2):
        yield Case(f"Letter, {decimals} decimals", letter, decimals=decimals, target="20 of 20")
    yield Case("Letter, 1 decimal", letter, decimals=1, target="9 of 10")
    for noise, target in ((0.05, ""), (0.1, ""), (0.2, "9 of 10"), (0.3, "")):
        yield Case(f"Letter, noise {noise}", letter, noise=noise, target=target)
    for jitter, target in ((0.5, "9 of 10"), (0.6, "9 of 10"), (0.75, "")):
        yield Case(f"Letter, jitter {jitter}", letter, jitter=jitter, target=target)
    yield Case("Letter, 4 known records, all entries named", letter, known=4, target="9 of 10, not translated")
    yield Case("Letter / 15", letter / 15)
    yield Case("Letter standardised, float64", standardised, target="right")
    yield Case("Letter standardised, 4 decimals", standardised, decimals=4, target="right")
    for name, varying in (("digits", 61), ("wine", 13), ("breast_cancer", 30), ("iris", 4)):
        records = getattr(datasets, f"load_{name}")().data
        yield Case(f"scikit-learn's {name}, float64", records, varying=varying, target="right")
    for columns, limit in ((16, 1), (32, 2), (64, 5), (100, 30)):
        records = np.random.default_rng(columns).integers(0, 10, (3000, columns)).astype(np.float64)
        yield Case(f"3,000 x {columns} whole numbers 0..9", records, target=f"right, < {limit} s")


def main() -> None:
    """Run every case with and without a translation, print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default="", help="cases whose names begin so")
    asked = parser.parse_args()
    seeds = asked.seeds
    print("| table, precision | translated | recovered | wrong claims | seconds (median, most) | target |")
    print("|---|---|---|---|---|---|")
    for case in (case for case in cases() if case.name.startswith(asked.only)):
        for translate in (False, True):
            runs = [case.run(seed, translate) for seed in range(seeds)]
            recovered, wrong = sum(run[0] for run in runs), sum(run[1] for run in runs)
            seconds = [run[2] for run in runs]
            told = f"{statistics.median(seconds):.2f}, {max(seconds):.2f}"
            columns = [
                case.name,
                "yes" if translate else "no",
                f"{recovered} of {seeds}",
                str(wrong),
                told,
                case.target,
            ]
            print(f"| {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
