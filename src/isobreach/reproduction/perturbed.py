# SPDX-License-Identifier: BSD-3-Clause
"""The paper's two private tables behind a secret orthogonal motion, and known records drawn from them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.datasets import gaussian, load_letter
from isobreach.engine import ONE_BLAS_THREAD
from isobreach.reproduction.parameters import PAPER, TableName
from isobreach.schemes import perturb


@dataclass(frozen=True, eq=False)
class PerturbedTable:
    """A private table X and its release Y: record i is released row ``order[i]``."""

    records: NDArray[Any]
    released: FloatArray
    order: IntArray

    def first(self, rows: int) -> "PerturbedTable":
        """The table of the first ``rows`` records and of their released rows, which keep their order."""
        kept = np.sort(self.order[:rows])
        return PerturbedTable(self.records[:rows], self.released[kept], np.searchsorted(kept, self.order[:rows]))

    @cached_property
    def record_of(self) -> IntArray:
        """The record of each released row."""
        return np.argsort(self.order)

    def independent(self, count: int, draws: np.random.Generator) -> IntArray:
        """Indices of ``count`` random records that are linearly independent: drawn until they are."""
        while True:
            chosen = draws.choice(len(self.records), count, replace=False)
            if np.linalg.matrix_rank(self.records[chosen].astype(np.float64)) == count:
                return np.asarray(chosen)


class Tables:
    """Both tables, made when first used. X and Y are the same in all trials, as in the paper."""

    def __init__(self, seed: int, gaussian_rows: int) -> None:
        self._seed, self._rows = seed, gaussian_rows
        self._made: dict[TableName, PerturbedTable] = {}

    def __getitem__(self, name: TableName) -> PerturbedTable:
        if name not in self._made:
            with ONE_BLAS_THREAD:  # products have the same bits whatever the number of threads
                columns = PAPER.gaussian_columns
                values = gaussian(self._rows, columns, self._seed) if name == "gaussian" else load_letter().values
                release = perturb(values, "orthogonal", self._seed)
            self._made[name] = PerturbedTable(values, release.data, release.key.order)
        return self._made[name]

    def make(self, names: list[TableName]) -> None:
        """Make tables now, before threads ask for them."""
        for name in names:
            self[name]
