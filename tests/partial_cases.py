# SPDX-License-Identifier: BSD-3-Clause
"""Planted cases with partial records: tables of many kinds, motions, roundings, strangers, random missing cells."""

from dataclasses import dataclass

import numpy as np

from isobreach import datasets
from oracles import rotation


def _standardised(table):
    return (table - table.mean(axis=0)) / np.maximum(table.std(axis=0), 1e-9)


def _mixed(rng, m, n):
    table = rng.integers(0, 4, (m, n)).astype(float)
    table[:, : n // 2] = 10 * rng.standard_normal((m, n // 2))
    return table


def _groups(rng, m, n):
    centres = rng.integers(0, 100, (max(2, m // 10), n))
    return centres[rng.integers(0, len(centres), m)] + rng.integers(-1, 2, (m, n)) * (rng.random((m, n)) < 0.3) + 0.0


def _letter(rng, m, n):
    table = datasets.load("letter").values
    return table[rng.permutation(len(table))[:m]][:, rng.permutation(16)[:n]].astype(float)


TABLES = {
    "Gaussian": lambda rng, m, n: rng.standard_normal((m, n)),
    "dependent": lambda rng, m, n: (
        rng.standard_normal((m, 3)) @ rng.standard_normal((3, n)) + 0.05 * rng.random((m, n))
    ),
    "lognormal": lambda rng, m, n: np.exp(rng.standard_normal((m, n))),
    "whole numbers": lambda rng, m, n: rng.integers(0, 16, (m, n)).astype(float),
    "large whole numbers": lambda rng, m, n: rng.integers(0, 2000, (m, n)).astype(float),
    "0/1": lambda rng, m, n: rng.integers(0, 2, (m, n)).astype(float),
    "answers": lambda rng, m, n: rng.integers(1, 6, (m, n)).astype(float),
    "standardised answers": lambda rng, m, n: _standardised(rng.integers(1, 6, (m, n)).astype(float)),
    "mixed": _mixed,
    "standardised mixed": lambda rng, m, n: _standardised(_mixed(rng, m, n)),
    "decimals": lambda rng, m, n: np.round(rng.normal(50, 20, (m, n)), 2),
    "sparse": lambda rng, m, n: np.where(rng.random((m, n)) < 0.7, 0.0, rng.exponential(size=(m, n))),
    "groups": _groups,
    "twin columns": lambda rng, m, n: np.tile(rng.standard_normal((m, 2)), (1, n))[:, :n],
    "Letter": _letter,
    "Letter with jitter": lambda rng, m, n: _letter(rng, m, n) + rng.random((m, n)),
}

STORES = {
    "float64": lambda rows: rows,
    "float32": lambda rows: rows.astype(np.float32),
    "float16": lambda rows: rows.astype(np.float16),
    "1 decimal": lambda rows: np.round(rows, 1),
    "3 decimals": lambda rows: np.round(rows, 3),
    "6 decimals": lambda rows: np.round(rows, 6),
}


@dataclass
class Case:
    """Known records, some of them partial (``truth`` has all attributes), and a release; ``rows``: -1 for strangers."""

    known: np.ndarray
    truth: np.ndarray
    rows: np.ndarray
    released: np.ndarray
    records: np.ndarray
    motion: str

    @property
    def partial(self):
        return np.isnan(self.known).any(axis=1)

    def wrong(self, linkage):
        """Linked records whose row is not theirs: neither the row of their own nor one that holds the same values."""

        def right(i):
            same_record = (self.records[linkage.rows[i]] == self.truth[i]).all()
            own = self.rows[i]
            return same_record or (own >= 0 and (self.released[linkage.rows[i]] == self.released[own]).all())

        return [i for i in linkage.linked.tolist() if not right(i)]


def plant(records, rng, *, complete, partial, strangers, lacking, motion="orthogonal", store="float64", wide=None):
    """A case of these records, the last ``strangers`` of which are not released; ``lacking``: q, or how to draw it."""
    m, n = len(records) - strangers, records.shape[1]
    wide = n if wide is None else wide
    order = rng.permutation(m)
    released, behind = np.empty((m, wide)), np.empty((m, n))
    moved = records[:m] @ rotation(wide, rng)[:, :n].T
    moved += 0.0 if motion == "orthogonal" else np.abs(records).max() * rng.standard_normal(wide)
    released[order], behind[order] = moved, records[:m]
    truth = np.concatenate([records[: complete + partial], records[m:]])
    rows = np.concatenate([order[: complete + partial], np.full(strangers, -1)])
    known = truth.copy()
    for record in known[complete:]:
        record[rng.permutation(n)[: lacking(rng) if callable(lacking) else lacking]] = np.nan
    mixed = rng.permutation(len(known))
    return Case(known[mixed], truth[mixed], rows[mixed], STORES[store](released), behind, motion)


def random_case(kind, seed):
    """A case of any size, motion, rounding, and share of strangers."""
    rng = np.random.default_rng([seed, list(TABLES).index(kind)])
    n, m = int(rng.integers(2, 13)), int(rng.integers(15, 400))
    strangers = int(rng.integers(0, 40)) if rng.random() < 0.5 else 0
    complete, partial = min(int(rng.integers(1, n + 2)), m - 1), int(rng.integers(1, 10))
    most = min(n - 1, complete + 1)
    return plant(
        TABLES[kind](rng, m + strangers, n),
        rng,
        complete=complete,
        partial=min(partial, m - complete),
        strangers=strangers,
        lacking=lambda draw: int(draw.integers(1, most + 1)),
        motion=str(rng.choice(["orthogonal", "rigid"])),
        store=str(rng.choice(list(STORES))),
        wide=n + int(rng.integers(0, 3)),
    )
