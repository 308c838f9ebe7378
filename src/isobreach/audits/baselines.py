# SPDX-License-Identifier: BSD-3-Clause
"""What attackers achieve who do not attack: beside every figure of the audit stands one of these.

*Blind guess*: one record is guessed for everybody, or one value of an attribute. Which one, public statistics may tell:
the mean, the median, the most common values, the most common record, or one of many records of the table. The best of
them counts, on all records but the guess itself. For an attribute it is the middle of the interval, twice the tolerance
wide, that holds most values.

*Column means*: the mean record alone.

*Random link*: a released row is taken for the row of a record drawn at random. Its share of breaches is that of pairs
of records within epsilon of each other, sampled; its links are right once in as many times as there are rows.

*No known record*: of an orthogonal motion the length of a record is known and nothing else; a closed form. Behind a
translation not even that is known, and there is no such attacker.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.audits.intervals import Sampled, wilson
from isobreach.engine import tiles
from isobreach.geometry import breach_probability, row_norms

FloatArray = NDArray[np.float64]

_PAIRS = 20_000
_GUESSES = 200  # records of the table that are tried as everybody's: more found no better ones on the tables tried
_ROUNDING = 1e-9  # of a tolerance


@dataclass(frozen=True, eq=False)
class Baselines:
    """Shares of records breached without an attack.

    ``attributes``: of each, the share of records within tolerance of the column mean. ``blind``: share breached by the
    best blind guess, which ``guess`` names; ``blind_attributes``: of each attribute, the share within tolerance of its
    best blind guess.
    """

    column_means: float
    random_link: Sampled
    random_link_right: float
    no_known_record: float | None
    attributes: FloatArray
    blind: float
    guess: str
    blind_attributes: FloatArray


def baselines(
    records: FloatArray,
    norms: FloatArray,
    epsilon: float,
    tolerance: FloatArray,
    *,
    norms_kept: bool,
    draws: np.random.Generator,
) -> Baselines:
    """Return the baselines of a table."""
    total, n = records.shape
    centred = records - records.mean(axis=0)
    first = draws.integers(0, total, _PAIRS)
    second = (first + 1 + draws.integers(0, max(total - 1, 1), _PAIRS)) % total
    close = row_norms(records[first] - records[second]) <= epsilon * norms[first]
    means = float(np.mean(row_norms(centred) <= epsilon * norms))
    blind, guess = _blind(records, norms, epsilon, draws)
    return Baselines(
        column_means=means,
        random_link=wilson(int(close.sum()), _PAIRS),
        random_link_right=1 / total,
        no_known_record=float(breach_probability(1.0, 1.0, n, epsilon)) if norms_kept else None,
        attributes=np.asarray(np.mean(np.abs(centred) <= tolerance, axis=0)),
        blind=blind if blind > means else means,
        guess=guess if blind > means else "the column means",
        blind_attributes=np.array([_densest(column, t) for column, t in zip(records.T, tolerance, strict=True)]),
    )


def _blind(records: FloatArray, norms: FloatArray, epsilon: float, draws: np.random.Generator) -> tuple[float, str]:
    """The best of the blind guesses but the mean: the share of records that it breaches, and its name."""
    total = len(records)
    rows, counts = np.unique(records, axis=0, return_counts=True)
    some = records[draws.choice(total, min(total, _GUESSES), replace=False)]
    guesses = np.vstack([np.median(records, axis=0), _most_common(records), rows[counts.argmax()], some])
    names = ["the column medians", "the most common values", "the most common record", *("one record",) * len(some)]
    hits = np.zeros(len(guesses))
    squares = (guesses**2).sum(axis=1)
    for tile in tiles(records):
        distance = (norms[tile] ** 2)[:, None] - 2 * records[tile] @ guesses.T + squares
        hits += (distance <= ((epsilon * norms[tile]) ** 2)[:, None]).sum(axis=0)
    own = np.array([name in ("the most common record", "one record") for name in names])  # it breaches itself
    best = int((hits - own).argmax())
    found = int((row_norms(records - guesses[best]) <= epsilon * norms).sum())  # without the product's rounding
    return float((found - own[best]) / max(total - own[best], 1)), names[best]


def _most_common(records: FloatArray) -> FloatArray:
    """The most common value of each column, the least of several."""
    found = [np.unique(column, return_counts=True) for column in records.T]
    return np.array([values[counts.argmax()] for values, counts in found])


def _densest(values: FloatArray, tolerance: float) -> float:
    """Largest share of values within tolerance of any one number.

    >>> float(_densest(np.array([0.0, 0.0, 1.0, 2.0]), 0.5))
    0.75
    """
    ordered = np.sort(values)
    ends = np.searchsorted(ordered, ordered + 2 * tolerance * (1 + _ROUNDING), side="right")
    return float((ends - np.arange(len(ordered))).max() / len(ordered))
