# SPDX-License-Identifier: BSD-3-Clause
"""Breached share of the alignment attack on the tables of docs/alignment.md.

python -m benchmarks.alignment [--cases "letter;digits"] [--seeds 8]
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import isobreach as ib

FloatArray = NDArray[np.float64]

ROWS = 6_000  # released, at most


@dataclass(frozen=True)
class Case:
    """A table, what the attacker holds, and the breached share that is asked for.

    Attributes
    ----------
    table
        Gives the table, fixed for all seeds.
    insiders, sample
        Known records whose rows are known; public records that are not released.
    target
        Least mean over the seeds; for shuffled samples, the largest.
    scheme, noise, bounds, epsilon
        How it is released, and what else the attacker knows.
    standardised
        Whether columns are standardised, by the released rows alone.
    shuffled
        Whether the sample's columns are shuffled, each by itself: then it is of another population.
    """

    table: Callable[[], FloatArray]
    insiders: int
    sample: int
    target: float
    scheme: str = "orthogonal"
    noise: float = 0.0
    bounds: tuple[float, float] | None = None
    epsilon: float = 0.15
    standardised: bool = False
    shuffled: bool = False
    rows: int = field(default=ROWS)


@cache
def letter() -> FloatArray:
    """Letter with a full step of jitter: no grid is left."""
    values = ib.datasets.load("letter").values.astype(np.float64)
    return values + np.random.default_rng(0).uniform(0, 1, values.shape)


@cache
def bundled(name: str) -> FloatArray:
    """A table of scikit-learn, standardised, with noise of 0.05; digits with a step of jitter instead."""
    from sklearn import datasets

    values = getattr(datasets, f"load_{name}")().data.astype(np.float64)
    values = values[:, values.std(axis=0) > 1e-9]
    rng = np.random.default_rng(0)
    if name == "digits":
        return np.asarray(values + rng.uniform(0, 1, values.shape))
    return np.asarray((values - values.mean(axis=0)) / values.std(axis=0) + 0.05 * rng.standard_normal(values.shape))


def gaussian(columns: int) -> Callable[[], FloatArray]:
    """The paper's Gaussian."""
    return cache(lambda: np.asarray(ib.datasets.gaussian(5000, columns, 0)))


def independent(kind: str, rows: int, columns: int) -> Callable[[], FloatArray]:
    """Independent columns: exponential, or lognormal."""

    def table() -> FloatArray:
        rng = np.random.default_rng(0)
        shape = rows, columns
        return rng.exponential(1, shape) if kind == "exponential" else np.exp(0.8 * rng.standard_normal(shape))

    return cache(table)


@cache
def dependent() -> FloatArray:
    """Correlated lognormal columns."""
    rng = np.random.default_rng(0)
    return np.asarray(np.exp(0.5 * rng.standard_normal((1000, 1)) + 0.6 * rng.standard_normal((1000, 6))))


CASES: dict[str, Case] = {
    "letter": Case(letter, 0, 200, 0.95),
    "digits": Case(lambda: bundled("digits"), 2, 1000, 0.95),
    "gaussian 16": Case(gaussian(16), 2, 1000, 0.85),
    "gaussian 30": Case(gaussian(30), 4, 1000, 0.65),
    "breast cancer": Case(lambda: bundled("breast_cancer"), 4, 200, 0.5),
    "diabetes": Case(lambda: bundled("diabetes"), 2, 200, 0.38),
    "letter, rigid": Case(letter, 2, 200, 0.95, "rigid"),
    "letter, noise 0.1": Case(letter, 2, 1000, 0.65, noise=0.1, standardised=True),
    "letter, shuffled": Case(letter, 2, 200, 0.05, shuffled=True),
    "exponential 8": Case(independent("exponential", 3000, 8), 2, 0, 0.8),
    "exponential 6, positive": Case(independent("exponential", 1000, 6), 3, 0, 0.43, bounds=(0, np.inf), epsilon=0.1),
    "lognormal 6, positive": Case(dependent, 3, 0, 0.2, bounds=(0, np.inf), epsilon=0.1),
    "lognormal 10, rigid": Case(independent("lognormal", 3000, 10), 3, 0, 0.88, "rigid"),
}


@dataclass(frozen=True, eq=False)
class Trial:
    """One release, what the attacker holds of it, and the truth."""

    released: FloatArray
    knowledge: ib.Knowledge
    order: NDArray[np.int64]
    records: FloatArray
    insiders: NDArray[np.int64]

    @classmethod
    def of(cls, case: Case, seed: int) -> "Trial":
        """Draw a split of the table and a key."""
        rng = np.random.default_rng(seed)
        table = case.table()
        order = rng.permutation(len(table))
        sample, records = table[order[: case.sample]], table[order[case.sample :]][: case.rows]
        if case.standardised:  # a pooled mean of zero would anti-correlate sample and release
            mean, spread = records.mean(axis=0), records.std(axis=0)
            sample, records = (sample - mean) / spread, (records - mean) / spread
        if case.shuffled:
            sample = np.stack([rng.permutation(column) for column in sample.T], axis=1)
        release = ib.perturb(records, case.scheme, seed=seed + 1000)
        released = np.asarray(release.data) + case.noise * rng.standard_normal(records.shape)
        insiders = np.arange(case.insiders)
        knowledge = ib.Knowledge(
            known=records[insiders] if case.insiders else None,
            rows=release.key.order[insiders] if case.insiders else None,
            sample=sample if case.sample else None,
            bounds=case.bounds,
            noise=case.noise or None,
        )
        return cls(released, knowledge, release.key.order, records, insiders)

    def share(self, estimates: FloatArray, epsilon: float) -> float:
        """Share of the other records that are estimated within epsilon."""
        others = np.setdiff1d(np.arange(len(self.records)), self.insiders)
        errors = np.linalg.norm(np.asarray(estimates)[self.order] - self.records, axis=1)[others]
        return float((errors <= epsilon * np.linalg.norm(self.records[others], axis=1)).mean())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default=";".join(CASES))
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--effort", type=int)
    parser.add_argument("--objective", default="auto")
    arguments = parser.parse_args()
    more: dict[str, Any] = {"objective": arguments.objective}
    more |= {} if arguments.effort is None else {"effort": arguments.effort}
    titles = "table", "insiders", "sample", "epsilon", "asked", "breached share", "forecast", "z", "evaluations", "s"
    print(f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|")
    for name in arguments.cases.split(";"):
        case, shares, forecasts, levels, counts = CASES[name], [], [], [], []
        start = time.process_time()
        for seed in range(arguments.seeds):
            trial = Trial.of(case, seed)
            found: Any = ib.reconstruct(
                "alignment", trial.released, trial.knowledge, seed=seed, epsilon=case.epsilon, **more
            )
            shares.append(trial.share(found.estimates, case.epsilon))
            forecasts.append(np.nan if found.forecast is None else found.forecast)
            levels.append(np.nan if found.certificate is None else found.certificate)
            counts.append(found.evaluations)
            if arguments.verbose:
                told = {key: round(trial.share(one, case.epsilon), 3) for key, one in found.variants.items()}
                told |= {"forecast": forecasts[-1], "z": levels[-1]}
                print(f"  {name} {seed}: {shares[-1]:.3f} {found.objective} {found.motion} {found.evaluations} {told}")
        seconds = (time.process_time() - start) / arguments.seeds
        asked = f"{'<' if case.shuffled else '>='} {case.target}"
        spread = f"{np.mean(shares):.3f} [{min(shares):.2f}..{max(shares):.2f}]"
        figures = f"{np.mean(forecasts):.2f} | {np.mean(levels):.1f} | {np.mean(counts):,.0f} | {seconds:.1f}"
        print(
            f"| {name} | {case.insiders} | {case.sample} | {case.epsilon} | {asked} | {spread} | {figures} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
