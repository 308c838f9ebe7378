# SPDX-License-Identifier: BSD-3-Clause
"""What share of Letter the lattice attack breaches with insiders, a public sample or ranges that name its columns.

python -m benchmarks.naming [--seeds 8] [--scheme rigid] [--jitter 0.5] [--noise 0.2]
"""

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

import isobreach as ib
from isobreach._progress import no_progress
from isobreach.attacks import ATTACKS
from isobreach.attacks.lattice import EFFORT
from isobreach.engine import as_engine

FloatArray = NDArray[np.float64]

EPSILON = 0.15
# Insiders, who know their rows, and sample records.
CELLS = ((1, 0), (2, 0), (3, 0), (4, 0), (0, 20), (0, 50), (0, 200), (2, 50))


def breached(estimates: FloatArray, records: FloatArray) -> float:
    """Share of records whose estimate is within epsilon."""
    errors = np.linalg.norm(estimates - records, axis=1)
    return float(np.mean(errors <= EPSILON * np.linalg.norm(records, axis=1)))


def draw(seed: int, asked: argparse.Namespace, out: dict[tuple[int, int], dict[str, list[float]]]) -> None:
    """Shares of one draw of sample, motion and insiders, by cell and kind of estimate."""
    random = np.random.default_rng(seed)
    letter = random.permutation(ib.datasets.load("letter").values.astype(np.float64))
    letter = letter + random.uniform(0, asked.jitter, letter.shape)
    sample, table = letter[:200], letter[200:]
    release = ib.perturb(table, asked.scheme, seed=seed)
    rows = release.data + asked.noise * random.standard_normal(table.shape)
    records = table[np.argsort(release.key.order)]
    attack: Any = ATTACKS.named("attacks", "lattice")
    studied = attack.study(as_engine(rows), noise=None, seed=0, progress=no_progress, effort=EFFORT, budget=None)
    for insiders, size in CELLS:
        places = random.choice(len(records), insiders, replace=False)
        known: dict[str, Any] = {"known": records[places], "rows": places} if insiders else {}
        knowledge = ib.Knowledge(**known, sample=sample[:size] if size else None)
        found = ib.reconstruct("lattice", rows, knowledge, seed=0, studied=studied)
        for name, estimates in (("certain", found.estimates), *found.variants.items()):
            out.setdefault((insiders, size), {}).setdefault(name, []).append(breached(estimates, records))


def main() -> None:
    """Print a Markdown table of means and least values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--scheme", default="orthogonal")
    parser.add_argument("--jitter", type=float, default=0.0)
    parser.add_argument("--noise", type=float, default=0.0)
    asked = parser.parse_args()
    out: dict[tuple[int, int], dict[str, list[float]]] = {}
    for seed in range(asked.seeds):
        draw(seed, asked, out)
    names = list(out[CELLS[1]])
    print("| insiders | sample | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 2) + "|")
    for (insiders, size), shares in out.items():
        told = [f"{np.mean(shares[name]):.2f} ({min(shares[name]):.2f})" for name in names]
        print(f"| {insiders} | {size} | " + " | ".join(told) + " |")


if __name__ == "__main__":
    main()
