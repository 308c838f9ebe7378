# SPDX-License-Identifier: BSD-3-Clause
"""What attackers achieve who do not attack: beside every figure of the audit stands one of these.

*Column means*: everyone's record is guessed to be the mean record, which public statistics may tell. Counted on all
records, so exact.

*Random link*: a released row is taken for the row of a record drawn at random. Its share of breaches is that of pairs
of records within epsilon of each other, sampled; its links are right once in as many times as there are rows.

*No known record*: of an orthogonal motion the length of a record is known and nothing else; a closed form. Behind a
translation not even that is known, and there is no such attacker.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.audits.intervals import Sampled, wilson
from isobreach.geometry import breach_probability, row_norms

FloatArray = NDArray[np.float64]

_PAIRS = 20_000


@dataclass(frozen=True, eq=False)
class Baselines:
    """Shares of records breached without an attack; ``attributes``: within tolerance of the column mean."""

    column_means: float
    random_link: Sampled
    random_link_right: float
    no_known_record: float | None
    attributes: FloatArray


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
    return Baselines(
        column_means=float(np.mean(row_norms(centred) <= epsilon * norms)),
        random_link=wilson(int(close.sum()), _PAIRS),
        random_link_right=1 / total,
        no_known_record=float(breach_probability(1.0, 1.0, n, epsilon)) if norms_kept else None,
        attributes=np.asarray(np.mean(np.abs(centred) <= tolerance, axis=0)),
    )
