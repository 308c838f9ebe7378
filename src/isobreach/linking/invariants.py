# SPDX-License-Identifier: BSD-3-Clause
r"""Numbers of a record that no motion changes, given what its population looks like.

With mean mu, covariance C and third moment t = E[|z|^2 z] of a population, z = x - mu, the numbers

    z' C^k z,  k = 0, ..., 3     and     z' C^k t,  k = 0, ..., 3

of a record are those of its released row, where mu, C and t are taken among the records for the one and among the
released rows for the other: a motion turns z, t and the axes of C alike. An attacker has the records' moments from a
sample of s of them. How far that errs its random halves show: a half misses the sample by as much as the sample misses
the population, in mean square, and has twice its bias. From r released rows the moments err by s / r as much, in mean
square. So released rows y are the likelier to be record x, the less

    (n(y) - e)' E^-1 (n(y) - e),   e = n(x) - (1 - s / r) b,   E = (1 + s / r) V,

with n the numbers of a row, and b and V mean and covariance of the halves' differences. Where tails are heavy the
errors are not normal: this is an order of rows, and no bound on where the right one stands.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray


@dataclass(frozen=True)
class Invariance:
    """How invariants are compared.

    Attributes
    ----------
    halves
        Random halves of the sample from which the error is read: eight times as many as there are invariants.
    least
        Records that a sample must have: halves of fewer say nothing of eight numbers.
    floor
        Relative error below which the numbers are not told apart: roundoff of sums over the records.
    """

    halves: int = 64
    least: int = 32
    floor: float = 1e-9


INVARIANCE = Invariance()
INVARIANTS = 8  # four of the squares, four of the products


@dataclass(frozen=True, eq=False)
class Population:
    """Moments of some rows, lengths counted in ``unit``: mean, covariance, and C^k t, a column for each k."""

    unit: float
    centre: FloatArray
    covariance: FloatArray
    towards: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, unit: float) -> "Population":
        """Moments of rows."""
        centre = rows.mean(axis=0)
        apart = (rows - centre) / unit
        covariance = apart.T @ apart / len(rows)
        towards = [np.einsum("ij,ij->i", apart, apart) @ apart / len(rows)]
        for _ in range(3):
            towards.append(covariance @ towards[-1])
        return cls(unit, centre, covariance, np.stack(towards, axis=1))

    def invariants(self, rows: FloatArray) -> FloatArray:
        """Invariants of rows, m x 8."""
        apart = (rows - self.centre) / self.unit
        once = apart @ self.covariance
        twice = once @ self.covariance
        pairs = (apart, apart), (apart, once), (once, once), (once, twice)
        return np.column_stack([*(np.einsum("ij,ij->i", a, b) for a, b in pairs), apart @ self.towards])


@dataclass(frozen=True, eq=False)
class Expected:
    """What a sample says of the invariants of known records' released rows.

    Attributes
    ----------
    population
        Moments of the released rows.
    middle
        Invariants of each record's row, a x 8.
    whitening
        What makes their errors independent and of variance one, a x 8 x 8.
    """

    population: Population
    middle: FloatArray
    whitening: FloatArray

    @classmethod
    def of(cls, known: FloatArray, sample: FloatArray, released: FloatArray) -> "Expected":
        """Invariants of known records, by a sample of their population and some released rows, all drawn at random.

        Parameters
        ----------
        known
            Complete records, a x n.
        sample
            Records of the same population.
        released
            Some of the released rows.
        """
        unit = float(np.sqrt(np.var(sample, axis=0).max())) or 1.0
        whole = Population.of(sample, unit).invariants(known)
        random, share = np.random.default_rng(0), len(sample) / len(released)
        halves = np.stack(
            [
                Population.of(sample[random.permutation(len(sample))[: len(sample) // 2]], unit).invariants(known)
                for _ in range(INVARIANCE.halves)
            ]
        )
        bias, apart = halves.mean(axis=0) - whole, halves - halves.mean(axis=0)
        spread = np.einsum("bik,bil->ikl", apart, apart) * ((1 + share) / (INVARIANCE.halves - 1))
        floor = (INVARIANCE.floor * (np.abs(whole) + np.abs(whole).max(axis=0))) ** 2
        spread += np.einsum("ik,kl->ikl", floor, np.eye(INVARIANTS))
        whitening = np.linalg.inv(np.linalg.cholesky(spread)).transpose(0, 2, 1)
        return cls(Population.of(released, unit), whole - (1 - share) * bias, whitening)

    def distances(self, rows: FloatArray) -> FloatArray:
        """How many standard deviations rows are from what each record's should be, a x m."""
        numbers = self.population.invariants(rows)
        apart = (numbers[None] - self.middle[:, None]) @ self.whitening
        return np.asarray(np.sqrt(np.einsum("imk,imk->im", apart, apart)))
