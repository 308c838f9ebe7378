# SPDX-License-Identifier: BSD-3-Clause
"""``make bench``: ratios to one pass over the release, interleaved, medians; and peak memory.

python -m benchmarks [--repeats 9] [--json FILE]
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import isobreach as ib
from benchmarks.floor import OnePass
from isobreach._random import generator
from isobreach.linking.candidates import Cloud
from isobreach.reproduction import PaperLinking

FloatArray = NDArray[np.float64]
Single = NDArray[np.float32]


@dataclass(frozen=True)
class Row:
    """One measured ratio and what it should be."""

    what: str
    ratio: float
    target: str
    met: bool


def show(rows: list[Row], file: Path | None) -> None:
    """Print what was measured beside what is asked, and write it to a file if one is given."""
    print(f"{'measured':>9}  {'asked':16} {'':6}  what")
    for row in rows:
        print(f"{row.ratio:9.2f}  {row.target:16} {'ok' if row.met else 'MISSED':6}  {row.what}", flush=True)
    if file is not None:
        file.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")


def table(kind: str, rows: int, columns: int, known: int) -> tuple[FloatArray, FloatArray]:
    """Known records and a release: Gaussian or small integers, behind a rotation."""
    rng = generator(rows + columns, "data")
    released = np.empty((rows, columns))
    if kind == "gaussian":
        # A Gaussian table is its own rotation: released rows are drawn, known records rotated back.
        rng.standard_normal(out=released)
        rotation = np.linalg.qr(rng.standard_normal((columns, columns)))[0]
        return released[rng.choice(rows, known, replace=False)] @ rotation, released
    records = rng.integers(0, 16, size=(rows, columns))
    release = ib.perturb(records, "orthogonal", seed=1)
    return records[rng.choice(rows, known, replace=False)].astype(np.float64), release.data


def interleaved(repeats: int, *functions: Callable[[], object]) -> list[float]:
    """Median seconds of each function, one of each in turn; a first round warms up."""
    times: list[list[float]] = [[] for _ in functions]
    for turn in range(repeats + 1):
        for function, taken in zip(functions, times, strict=True):
            start = time.perf_counter()
            function()
            if turn:
                taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times]


def link_rows(repeats: int) -> list[Row]:
    """Link against one pass."""
    cases = [
        ("gaussian", 10**7, 16, 16, 1.5),
        ("gaussian", 10**6, 16, 16, 1.5),
        ("gaussian", 10**5, 100, 100, 1.5),
        ("integer", 10**6, 16, 16, 5.0),
    ]
    rows = []
    for kind, m, n, a, target in cases:
        known, released = table(kind, m, n, a)
        linking = partial(ib.link, known, released, motion="orthogonal")
        floor, link = interleaved(repeats, OnePass(released), linking)
        linked = ib.link(known, released, motion="orthogonal").counts()["linked"]
        what = f"link / one pass: {kind} {m:.0e} x {n}, {a} known, {linked} linked ({floor * 1e3:.1f} ms a pass)"
        rows.append(Row(what, link / floor, f"<= {target}", link / floor <= target))
    return rows


def paper_rows() -> list[Row]:
    """The paper's algorithms against link."""
    known, released = table("gaussian", 10**5, 100, 100)
    rows = []
    for cached, least in ((False, 50.0), (True, None)):

        def paper(cached: bool = cached) -> None:
            assert len(PaperLinking(known, released, cached_norms=cached).run()) == len(known)

        link, theirs = interleaved(2, lambda: ib.link(known, released, motion="orthogonal"), paper)
        how = "norms computed once" if cached else "as in the text"
        ratio = theirs / link
        target = "" if least is None else f">= {least}"
        rows.append(
            Row(f"paper's Algorithms 1-3 ({how}) / link: 1e5 x 100, 100 known", ratio, target, ratio >= (least or 0))
        )
    return rows


def attack_rows(repeats: int) -> list[Row]:
    """The whole attack against one pass, and growth with the number of rows."""
    rows, per_row = [], {}
    for m in (10**5, 10**6, 10**7):
        known, released = table("gaussian", m, 16, 8)

        def attack(known: FloatArray = known, released: FloatArray = released) -> None:
            ib.attack(known, released, motion="orthogonal", epsilon=0.1, seed=0).top(1000)

        floor, seconds = interleaved(repeats, OnePass(released), attack)
        per_row[m] = seconds / m
        if m == 10**7:
            what = "attack (8 known, best 1,000 rows) / one pass: gaussian 1e7 x 16"
            rows.append(Row(what, seconds / floor, "<= 4", seconds / floor <= 4))
    growth = per_row[10**7] / per_row[10**5]
    rows.append(Row("attack: seconds a row at 1e7 / at 1e5", growth, "<= 1.5 (linear)", growth <= 1.5))
    return rows


def pair_rows(repeats: int) -> list[Row]:
    """The join of a release with itself by distance against a plain matrix product of as many operations."""
    rows = []
    for m, n in ((20_000, 100), (20_000, 384)):
        points = generator(n, "data").standard_normal((m, n))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        cloud, distance = Cloud(points), np.linalg.norm(points[:1] - points[1:2], axis=1)
        single = points.astype(np.float32)
        products = np.empty((2048, m // 2), dtype=np.float32)

        def product(single: Single = single, products: Single = products) -> None:
            for a in range(0, len(single), len(products)):
                part = single[a : a + len(products)]
                np.matmul(part, single[: len(single) // 2].T, out=products[: len(part)])

        def join(cloud: Cloud = cloud, distance: FloatArray = distance) -> None:
            cloud.pairs(distance - 1e-9, distance + 1e-9, 10**7)

        floor, seconds = interleaved(min(repeats, 7), product, join)
        what = f"plain float32 product / pair join: {m:,} unit vectors x {n} ({seconds:.2f} s a join)"
        rows.append(Row(what, floor / seconds, ">= 0.6", floor / seconds >= 0.6))
    return rows


def distance_rows() -> list[Row]:
    """Seconds of linking by distances alone, medians."""
    letter = ib.datasets.load("letter").values
    release = ib.perturb(letter, "rigid", seed=1)
    rng = generator(2, "coalition")

    def letters() -> None:
        known = letter[rng.choice(len(letter), 8, replace=False)]
        assert ib.link(known, release.data, motion="rigid").counts()["linked"] == 8

    vectors = generator(3, "data").standard_normal((20_000, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = ib.perturb(vectors, "orthogonal", seed=1).data.astype(np.float32)

    def embeddings() -> None:
        known = vectors[rng.choice(len(vectors), 3, replace=False)]
        assert ib.link(known, unit, motion="orthogonal").counts()["linked"] == 3

    rows = []
    for what, function, limit, repeats in (
        ("seconds: link Letter behind a translation, 8 known", letters, 5.0, 9),
        ("seconds: link 20,000 unit vectors x 384, float32, 3 known", embeddings, 15.0, 3),
    ):
        (seconds,) = interleaved(repeats, function)
        rows.append(Row(what, seconds, f"< {limit:g}", seconds < limit))
    return rows


def peak_memory() -> None:
    """Child process: peak memory of an attack on 1e7 x 16, as a multiple of the table."""
    known, released = table("gaussian", 10**7, 16, 8)
    result = ib.attack(known, released, motion="orthogonal", epsilon=0.1, seed=0)
    result.top(1000)
    assert result.breach_probability.shape == (10**7,)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(json.dumps(peak / released.nbytes))


def memory_row() -> Row:
    """Peak memory, measured in a process of its own, interpreter and libraries included."""
    # A process counts what its parent holds as its own until it runs: a small one stands between.
    between = "import subprocess, sys; subprocess.run(sys.argv[1:], check=True)"
    child = [sys.executable, "-c", "from benchmarks.__main__ import peak_memory; peak_memory()"]
    done = subprocess.run([sys.executable, "-c", between, *child], check=True, capture_output=True, text=True)
    ratio = json.loads(done.stdout)
    return Row("peak memory of the process / the table: attack on 1e7 x 16", ratio, "< 1.3", ratio < 1.3)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = [
        *link_rows(arguments.repeats),
        *paper_rows(),
        *attack_rows(arguments.repeats),
        *pair_rows(arguments.repeats),
        *distance_rows(),
        memory_row(),
    ]
    show(rows, arguments.json)


if __name__ == "__main__":
    main()
