# SPDX-License-Identifier: BSD-3-Clause
"""The figures that a report shows of an attack; computed here, drawn elsewhere.

The headline is the worst record, then quantiles, then the mean. Beside it stands the baseline: the breach probability
of an attacker who knows no record at all, which is the same for every row. Where a motion has a translation, such an
attacker does not even know where the records are: there is none.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.known_input.attack import AttackResult
from isobreach.attacks.known_input.exposure import Kind
from isobreach.geometry import ESTIMATORS, Estimator, breach_probability
from isobreach.linking import Linkage

FloatArray = NDArray[np.float64]

QUANTILES = (0.5, 0.9, 0.99, 0.999)
LEVELS = (0.5, 0.95, 1.0)
_CURVE_POINTS = 200


@dataclass(frozen=True, eq=False)
class AttackSummary:
    """An attack in figures; ``kind`` says what the probabilities are, given the links.

    ``columns`` are the release's, ``known_columns`` the records'; a padded release has more. ``normalised``: the
    records were scaled to length one before.
    """

    linkage: Linkage
    normalised: bool
    released_rows: int
    other_rows: int
    kind: Kind
    columns: int
    known_columns: int
    hidden_dimension: int
    epsilon: float
    estimator: Estimator
    best_row: int | None
    best_probability: float | None
    quantiles: dict[float, float]
    mean_probability: float | None
    rows_at_least: dict[float, int]
    baseline_probability: float | None
    rank_curves: dict[float, tuple[NDArray[np.int64], FloatArray]]
    epsilon_curves: dict[Estimator, tuple[FloatArray, FloatArray]]

    @property
    def known_records(self) -> int:
        """How many records the attacker holds for certain: without those of a dictionary."""
        return len(self.linkage.rows)

    @property
    def links(self) -> dict[str, int]:
        """Number of known records of each status."""
        return self.linkage.counts()

    @property
    def linked_records(self) -> int:
        """Linked records, those of a dictionary among them."""
        return len(self.linkage.joined.linked)

    @property
    def placed(self) -> bool:
        """Whether anything is known of the other rows: behind a translation nothing is without a link."""
        return self.linkage.motion == "orthogonal" or self.linked_records > 0


def summarise(result: AttackResult, *, normalised: bool = False) -> AttackSummary:
    """Return the figures of an attack; rows that hold a linked value are left out of all statistics."""
    rows, columns = result.shape
    unlinked = np.delete(result.breach_probability, result.linked_rows)
    best = result.best
    return AttackSummary(
        linkage=result.linkage,
        normalised=normalised,
        released_rows=rows,
        other_rows=rows - len(result.linked_rows),
        kind=result.kind,
        columns=columns,
        known_columns=result.known_columns,
        hidden_dimension=result.hidden_dimension,
        epsilon=result.epsilon,
        estimator=result.estimator,
        best_row=best,
        best_probability=None if best is None else float(result.breach_probability[best]),
        quantiles=_quantiles(unlinked),
        mean_probability=float(unlinked.mean()) if len(unlinked) else None,
        rows_at_least={level: int((unlinked >= level).sum()) for level in LEVELS},
        baseline_probability=_baseline(result),
        rank_curves=_rank_curves(result),
        epsilon_curves=_epsilon_curves(result),
    )


def _baseline(result: AttackResult) -> float | None:
    if result.linkage.motion != "orthogonal":
        return None
    return float(breach_probability(1.0, 1.0, result.known_columns, result.epsilon, result.estimator))


def _quantiles(probabilities: FloatArray) -> dict[float, float]:
    if not len(probabilities):
        return {}
    return {q: float(v) for q, v in zip(QUANTILES, np.quantile(probabilities, QUANTILES), strict=True)}


def _rank_curves(result: AttackResult) -> dict[float, tuple[NDArray[np.int64], FloatArray]]:
    """Breach probability of the 1st, 2nd, ... most exposed row, at ranks even on a logarithmic scale."""
    others = result.shape[0] - len(result.linked_rows)
    if not others:
        return {}
    ranks = np.unique(np.geomspace(1, others, _CURVE_POINTS).round().astype(np.int64))
    curves = {}
    for epsilon in (result.epsilon / 2, result.epsilon, result.epsilon * 1.5):
        probabilities = np.delete(result.probability(epsilon), result.linked_rows)
        curves[epsilon] = (ranks, np.sort(probabilities)[::-1][ranks - 1])
    return curves


def _epsilon_curves(result: AttackResult) -> dict[Estimator, tuple[FloatArray, FloatArray]]:
    """Breach probability of the most exposed row against epsilon, for the optimal estimate and the paper's."""
    if result.best is None:
        return {}
    epsilons = np.linspace(result.epsilon / 50, 2 * result.epsilon, _CURVE_POINTS)
    return {
        name: (epsilons, np.concatenate([result.probability(float(e), result.best, name) for e in epsilons]))
        for name in ESTIMATORS
        if name != "published"
    }
