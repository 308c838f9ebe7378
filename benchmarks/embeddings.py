# SPDX-License-Identifier: BSD-3-Clause
"""A rotated store of real sentence embeddings against a public sample, nobody inside: docs/alignment.md.

python -m benchmarks.embeddings [TEXTS ...] [--vectors FILE.npy] [--beside 6] [--cases "1000;250"] [--seeds 8]

TEXTS are data files of WordNet (Debian's package wordnet-base), or have a line "domain <tab> text" for each text;
sentences of Python's documentation by default. They are embedded by the package wordllama (extra ``vectors``) in 256
columns; --beside 6 puts the vectors of six texts in a row side by side, in 1,536 columns. Vectors of any other model, a
row a text, are taken from --vectors. The last line is the peak of memory.
"""

import argparse
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import isobreach as ib
from isobreach.attacks import mean_cosine, read_out
from isobreach.datasets import WordVectors, sentences
from isobreach.schemes import perturb, scheme_by_name

FloatArray = NDArray[np.float64]
Change = Callable[[FloatArray, np.random.Generator], FloatArray]

# Vectors in the store, and estimates that are looked up at most; others in the dictionary; letters of a text.
STORE, DECOYS, LEAST = 2_000, 2_000, 30


def unit(rows: FloatArray) -> FloatArray:
    """Rows of length one."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def noisy(level: float) -> Change:
    """Gaussian noise of so much of a vector's length."""
    return lambda rows, rng: rows + level / np.sqrt(rows.shape[1]) * rng.standard_normal(rows.shape)


def whole(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Eight bits: one scale for all."""
    step = np.abs(rows).max() / 127
    return np.asarray(np.rint(rows / step) * step)


def half(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Sixteen bits."""
    return np.asarray(rows.astype(np.float16).astype(np.float64))


def as_it_is(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Nothing is done."""
    return rows


@dataclass(frozen=True)
class Case:
    """What the attacker holds, and what is done to released rows besides the rotation.

    ``other``: the sample is of other domains (of WordNet: persons, plants, ...) than released texts (acts, animals).
    """

    sample: int
    insiders: int = 0
    released: Change = as_it_is
    noise: float = 0.0
    shuffled: bool = False
    other: bool = False
    wider: int = 0
    store: int = STORE
    scheme: str = "orthogonal"


CASES: dict[str, Case] = {
    "2000": Case(2000),
    "1000": Case(1000),
    "500": Case(500),
    "500, 8 known": Case(500, insiders=8),
    "250": Case(250),
    "1000, shuffled": Case(1000, shuffled=True),
    "1000, rigid": Case(1000, scheme="rigid"),
    "1000, noise 0.3": Case(1000, released=noisy(0.3), noise=0.3),
    "1000, float16": Case(1000, released=half),
    "1000, int8": Case(1000, released=whole),
    "1000, padded by 64": Case(1000, wider=64),
    "1000, other domain": Case(1000, other=True),
    "1000 of 8000 released": Case(1000, store=8000),
    "1000 of 100000 released": Case(1000, store=100_000),
}


def texts(paths: list[Path]) -> list[tuple[str, str]]:
    """Domain and text of every line of the files; without any, Python's documentation."""
    return [one for path in paths for one in texts_of(path)] if paths else [("", one) for one in sentences()]


def texts_of(path: Path) -> list[tuple[str, str]]:
    """Domain and text of every line; of WordNet the lexicographer's file, and the explanation behind a bar."""
    lines = path.read_text(encoding="latin-1").splitlines()
    if path.name.startswith("data."):
        entries = (line.split("|", 1) for line in lines if "|" in line and not line.startswith("  "))
        found = [(head.split()[1], gloss.strip()) for head, gloss in entries]
    else:
        found = [(line.split("\t", 1)[0], line.split("\t", 1)[-1]) for line in lines]
    return [one for one in found if len(one[1]) >= LEAST]


def measured(vectors: FloatArray, domains: list[str], case: Case, seed: int) -> dict[str, float]:
    """Attack one split: mean cosine, read-out, agreement, claim and seconds of a processor."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(vectors))
    if case.other:
        order = order[np.argsort(np.array(domains)[order], kind="stable")]
    records, rest = vectors[order[: case.store]], vectors[order[case.store :]]
    sample = rest[-case.sample :]
    rest = rng.permutation(rest)
    if case.shuffled:
        sample = np.stack([rng.permutation(column) for column in sample.T], axis=1)
    wide = {"width": vectors.shape[1] + case.wider} if case.wider else {}
    release = perturb(records, scheme_by_name(case.scheme, **wide), seed + 1000)
    released = case.released(np.asarray(release.data), rng)
    insiders = np.arange(case.insiders)
    knowledge = ib.Knowledge(
        known=records[insiders] if case.insiders else None,
        rows=release.key.order[insiders] if case.insiders else None,
        sample=sample,
        noise=case.noise / np.sqrt(released.shape[1]) if case.noise else None,
    )
    start = time.process_time()
    found: Any = ib.reconstruct("alignment", released, knowledge, seed=seed)
    seconds = time.process_time() - start
    told = np.asarray(found.estimates)[release.key.order][case.insiders :]
    truth = records[case.insiders :]
    read = read_out(told[:STORE], np.vstack([truth, rest[:DECOYS]]))
    return {
        "cosine": mean_cosine(told, truth),
        "top-1": read.top(1),
        "top-5": read.top(5),
        "agreement": found.agreement,
        "claimed": float(found.claimed),
        "s": seconds,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, nargs="*")
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--cases", default=";".join(CASES))
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--most", type=int, default=12_000)
    parser.add_argument("--beside", type=int, default=1)
    arguments = parser.parse_args()
    several = texts(arguments.texts)
    if arguments.vectors is None:
        beside = arguments.beside
        first = beside * np.random.default_rng(0).permutation(len(several) // beside)[: arguments.most]
        rows = [several[i + j][1] for i in first for j in range(beside)]
        several = [several[i] for i in first]
        vectors = unit(WordVectors().embedded(rows).astype(np.float64).reshape(len(first), -1))
    else:
        vectors = unit(np.load(arguments.vectors).astype(np.float64))
    domains = [domain for domain, _ in several][: len(vectors)]
    titles = "sample", "mean cosine", "top-1", "top-5", "agreement", "claimed", "s"
    print(f"{vectors.shape[1]} columns\n\n| {' | '.join(titles)} |\n{'|---' * len(titles)}|")
    for name in arguments.cases.split(";"):
        figures = [measured(vectors, domains, CASES[name], seed) for seed in range(arguments.seeds)]
        cells = [
            f"{np.mean(one):.3f} [{min(one):.3f}..{max(one):.3f}]"
            for one in ([f[key] for f in figures] for key in ("cosine", "top-1", "top-5", "agreement"))
        ]
        claims = f"{sum(f['claimed'] for f in figures):.0f} of {len(figures)}"
        seconds = f"{np.mean([f['s'] for f in figures]):.0f}"
        print(f"| {name} | {' | '.join(cells)} | {claims} | {seconds} |", flush=True)
    print(f"\n{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB at most")


if __name__ == "__main__":
    main()
