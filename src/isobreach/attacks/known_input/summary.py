# SPDX-License-Identifier: BSD-3-Clause
"""The figures that a report shows of an attack; computed here, drawn elsewhere.

The headline is the worst record, then quantiles, then the mean. Beside it stands the baseline: the breach probability
of an attacker who knows no record at all, which is the same for every row. Where a motion has a translation, such an
attacker does not even know where the records are: there is none.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.attacks.known_input.attack import AttackResult
from isobreach.attacks.known_input.exposure import Kind
from isobreach.geometry import ESTIMATORS, Estimator, breach_probability
from isobreach.linking import Linkage

QUANTILES = (0.5, 0.9, 0.99, 0.999)  # of breach probabilities: the typical record, and the most exposed ones
LEVELS = (0.5, 0.95, 1.0)  # of breach probabilities: likely, nearly certain, certain
_CURVE_POINTS = 200  # of a curve: as many as a small figure shows


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
    best, others = result.best, _Others(result)
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
        best_probability=None if best is None else float(result.probability(rows=[best])[0]),
        quantiles=others.quantiles(),
        mean_probability=others.mean(),
        rows_at_least=others.at_least(),
        baseline_probability=_baseline(result),
        rank_curves=others.curves(),
        epsilon_curves=_epsilon_curves(result),
    )


def _baseline(result: AttackResult) -> float | None:
    if result.linkage.motion != "orthogonal":
        return None
    return float(breach_probability(1.0, 1.0, result.known_columns, result.epsilon, result.estimator))


class _Others:
    """Breach probabilities of the rows that are not linked, read off their order: no array as long as the release."""

    def __init__(self, result: AttackResult) -> None:
        self._result, self._ranking = result, result.ranking
        self._order = self._ranking.numbers.ordered(result.linked_rows)
        count = len(self._order)
        # The q-quantile lies between two rows; the most exposed come first in the order.
        self._positions = (count - 1) * (1 - np.array(QUANTILES)) if count else np.empty(0)
        self._ranks = np.unique(np.geomspace(1, max(count, 1), _CURVE_POINTS).round().astype(np.int64))
        before = np.floor(self._positions).astype(np.int64)
        self._places = np.concatenate([self._ranks - 1, before, np.minimum(before + 1, count - 1)])
        self._numbers = self._order.at(self._places) if count else np.empty(0)

    def quantiles(self) -> dict[float, float]:
        """Probabilities that these shares of the rows stay below, between rows by a straight line."""
        if not len(self._order):
            return {}
        sides = self._ranking.probability(self._numbers[len(self._ranks) :]).reshape(2, -1)
        values = sides[0] + (sides[1] - sides[0]) * (self._positions - np.floor(self._positions))
        return dict(zip(QUANTILES, values.tolist(), strict=True))

    def mean(self) -> float | None:
        """Mean probability."""
        return self._order.mean(self._ranking.probability) if len(self._order) else None

    def at_least(self) -> dict[float, int]:
        """How many rows reach each level."""
        return dict(zip(LEVELS, self._order.reaching(LEVELS, self._ranking.probability).tolist(), strict=True))

    def curves(self) -> dict[float, tuple[NDArray[np.int64], FloatArray]]:
        """Breach probability of the 1st, 2nd, ... most exposed row, at ranks even on a logarithmic scale."""
        found, epsilon = {}, self._result.epsilon
        for other in (epsilon / 2, epsilon, epsilon * 1.5) if len(self._order) else ():
            ranking = self._ranking if other == epsilon else self._result.ranked(other)
            if ranking.numbers is self._ranking.numbers:  # whatever epsilon is, the order is the same
                numbers = self._numbers[: len(self._ranks)]
            else:
                numbers = ranking.numbers.ordered(self._result.linked_rows).at(self._ranks - 1)
            found[other] = (self._ranks, ranking.probability(numbers))
        return found


def _epsilon_curves(result: AttackResult) -> dict[Estimator, tuple[FloatArray, FloatArray]]:
    """Breach probability of the most exposed row against epsilon, for the optimal estimate and the paper's."""
    if result.best is None:
        return {}
    epsilons = np.linspace(result.epsilon / 50, 2 * result.epsilon, _CURVE_POINTS)
    names = (name for name in ESTIMATORS if name != "published")
    return {name: (epsilons, result.by_epsilon(result.best, epsilons, name)) for name in names}
