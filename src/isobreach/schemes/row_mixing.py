# SPDX-License-Identifier: BSD-3-Clause
"""Mix the rows by a secret orthogonal matrix that keeps means and covariances."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_integer
from isobreach.errors import InputError
from isobreach.geometry import haar
from isobreach.release import ReleaseModel
from isobreach.schemes.key import AnyKey, Release, SchemeKey
from isobreach.schemes.scheme import Scheme

_LEAST = 3  # two rows can only stay or change places


@dataclass(frozen=True)
class RowMixing(Scheme):
    """Random orthogonal matrix masking: ``Y = T X``, T an orthogonal matrix of order m with ``T 1 = 1``.

    T acts on the rows, so that each released row depends on several records. Because T fixes the vector of ones and is
    orthogonal, ``1'Y = 1'X`` and ``Y'Y = X'X``: mean and covariance are those of the table, exactly. Norms and
    distances of records are not kept. The key undoes it.

    T is not built: it would have m^2 entries. Records are put at random into blocks of at least ``block`` and fewer
    than twice as many, and each block has a matrix of its own, uniform (Haar) among those that fix the vector of ones.

    Reference: D. Ting, S. Fienberg and M. Trottini, Random orthogonal matrix masking methodology for microdata release,
    Int. J. Information and Computer Security 2 (2008). Formulated from first principles; blocks are ours.

    Parameters
    ----------
    block
        Least number of rows that are mixed together; a table with fewer rows is one block.
    """

    block: int = setting(50, "Least number of rows that are mixed together.")

    name: ClassVar[str] = "row-mixing"
    model: ClassVar[ReleaseModel] = ReleaseModel(None, mixes_rows=True, keeps_moments=True)

    def __post_init__(self) -> None:
        check_integer("block", self.block, least=_LEAST)

    @property
    def least_rows(self) -> int:
        """Records that a table must have: two could only stay or change places."""
        return _LEAST

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        rows = len(records)
        members = source.permutation(rows)
        sizes = np.array([len(part) for part in np.array_split(members, max(1, rows // self.block))])
        matrices = [_fixing_ones(int(size), source) for size in sizes]
        return self.shuffled(
            records,
            _mixed(np.asarray(records, dtype=np.float64), members, matrices),
            source,
            members=members.astype(np.float64),
            sizes=sizes.astype(np.float64),
            matrices=np.concatenate([matrix.ravel() for matrix in matrices]),
        )

    def rows(self, records: NDArray[Any], key: AnyKey, source: RandomSource) -> FloatArray:
        """Return mixed rows: under the key for as many records as its table has, else as a table of their own.

        The key undoes the former alone, and refuses the latter.
        """
        if len(records) == len(key.order):
            return key.moved(records)
        self.check_size(records)
        release = self.release(records, source)
        return np.asarray(release.data[release.key.order])

    def moved(self, records: NDArray[Any], key: SchemeKey) -> FloatArray:
        """Return the mixed rows of a table of as many records as the key was made for."""
        members, matrices = self._blocks(records, key, "X")
        return _mixed(np.asarray(records, dtype=np.float64), members, matrices)

    def undone(self, rows: FloatArray, key: SchemeKey) -> FloatArray:
        """Return the records behind all released rows."""
        members, matrices = self._blocks(rows, key, "released")
        return _mixed(rows, members, [matrix.T for matrix in matrices])

    def _blocks(self, rows: NDArray[Any], key: SchemeKey, what: str) -> tuple[NDArray[np.int64], list[FloatArray]]:
        """Return whose rows are in which block, and the matrices of the blocks."""
        count = len(key.order)
        if len(rows) != count:
            rule = f"must have all {count} rows of this key's table: the scheme {self.name} mixes them"
            raise InputError(what, rule, f"{len(rows)} row{'' if len(rows) == 1 else 's'}")
        told, members, flat = key.secret("sizes", -1), key.secret("members", count), key.secret("matrices", -1)
        whole = bool(len(told)) and bool(((told >= 1) & (told <= count) & (told == np.rint(told))).all())
        sizes = told.astype(np.int64) if whole else np.ones(1, dtype=np.int64)
        ends = np.cumsum(np.square(sizes))
        permuted = np.array_equal(np.sort(members), np.arange(count))
        if not (whole and permuted and sizes.sum() == count and len(flat) == ends[-1]):
            raise InputError("key", f"must hold what the scheme {self.name} drew: blocks of rows", "another key")
        parts = zip(np.split(flat, ends[:-1]), sizes, strict=True)
        return members.astype(np.int64), [part.reshape(size, size) for part, size in parts]


def _fixing_ones(size: int, source: RandomSource) -> FloatArray:
    """Return a Haar-distributed matrix among the orthogonal ones that fix the vector of ones."""
    inner = np.eye(size)
    inner[1:, 1:] = haar(size - 1, source)
    # The reflection that takes the first axis to the direction of the ones, and back.
    normal = np.eye(size)[0] - np.full(size, 1 / np.sqrt(size))
    reflection = np.eye(size) - 2 * np.outer(normal, normal) / (normal @ normal)
    return np.asarray(reflection @ inner @ reflection)


def _mixed(rows: FloatArray, members: NDArray[np.int64], matrices: list[FloatArray]) -> FloatArray:
    """Return rows, each block of them times its matrix."""
    mixed = np.empty(rows.shape)
    start = 0
    for matrix in matrices:
        block = members[start : start + len(matrix)]
        mixed[block] = matrix @ rows[block]
        start += len(matrix)
    return mixed


SCHEME = RowMixing()
