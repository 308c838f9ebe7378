# SPDX-License-Identifier: BSD-3-Clause
"""From coalitions played to the figures of the result."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach.audits.bound import bounds
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.intervals import Sampled, clopper_pearson, mean_interval
from isobreach.audits.result import (
    AttributeFigures,
    RandomCoalitions,
    RecordFigures,
    SizeFigures,
    Smallest,
    WorstFound,
)
from isobreach.audits.settings import Settings
from isobreach.audits.trial import QUANTILES, Figures

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

TARGETS = {"one other record": 0.0, "1% of the others": 0.01, "half of the others": 0.5, "all others": 1.0}


@dataclass(frozen=True, eq=False)
class Played:
    """All coalitions that were played, the ``greedy`` ones first, and sums over the random ones for each record."""

    figures: Figures
    exposure: FloatArray
    breached: IntArray
    inside: IntArray
    greedy: int

    @property
    def random(self) -> Figures:
        """The random coalitions alone."""
        return self.figures.part(slice(self.greedy, None))


def summarise(
    played: Played, table: OwnersTable, settings: Settings, greedy: tuple[str, ...]
) -> tuple[tuple[SizeFigures, ...], tuple[Smallest, ...], RecordFigures, AttributeFigures]:
    """Figures by size, the smallest coalitions, figures by record and by attribute."""
    total, sizes = len(table.records), settings.sizes
    others = np.array([total - size for size in sizes])
    limits = bounds(table, sizes, settings.level)
    # Under noise a random coalition meets one release, and the worst of them would be the luckiest draw of noise.
    worst = played.figures.part(slice(len(greedy) if table.redrawn else None))
    per_size = tuple(
        SizeFigures(
            size,
            _random(played.random, place, size, int(others[place])),
            _worst(worst.worst[:, place], greedy),
            _worst(worst.mean[:, place], greedy),
            _worst(worst.breached[:, place].astype(np.float64), greedy),
            _worst(worst.guessed_worst[:, place], greedy),
            _worst(worst.guessed_breached[:, place].astype(np.float64), greedy),
            limits[place],
            int((~played.random.complete[:, place]).sum()),
        )
        for place, size in enumerate(sizes)
    )
    smallest = tuple(_smallest(target, share, played.random, worst, sizes, others) for target, share in TARGETS.items())
    trials = len(played.random.linked)
    present = trials - played.inside
    with np.errstate(invalid="ignore"):
        records = RecordFigures(played.exposure / present, played.breached / present, present)
    return (
        per_size,
        smallest,
        records,
        _attributes(played.random, table.tolerance, given=settings.tolerance is not None),
    )


def _random(figures: Figures, place: int, size: int, others: int) -> RandomCoalitions:
    return RandomCoalitions(
        linked=mean_interval(figures.linked[:, place] / size),
        hidden_dimension=float(figures.hidden[:, place].mean()),
        worst=mean_interval(figures.worst[:, place]),
        mean=mean_interval(figures.mean[:, place]),
        breached=mean_interval(figures.breached[:, place] / others),
        certain=mean_interval(figures.certain[:, place] / others),
        quantiles={q: mean_interval(figures.quantiles[:, place, k]) for k, q in enumerate(QUANTILES)},
    )


def _worst(values: FloatArray, greedy: tuple[str, ...]) -> WorstFound:
    """The largest; a random coalition only where no greedy one is as bad."""
    best = int(np.argmax(values))
    return WorstFound(float(values[best]), greedy[best] if best < len(greedy) else "random")


def _smallest(
    target: str, share: float, random: Figures, worst: Figures, sizes: tuple[int, ...], others: IntArray
) -> Smallest:
    wanted = np.maximum(np.ceil(share * others - 1e-9), 1).astype(np.int64)
    reached = (random.breached >= wanted).sum(axis=0)
    shares = [clopper_pearson(int(count), len(random.linked)) for count in reached]  # of "at least half"

    def first(enough: Iterable[Any]) -> int | None:
        return next((size for size, yes in zip(sizes, enough, strict=True) if yes), None)

    low = first(s.high >= 0.5 for s in shares)
    before = max((size for size in sizes if low is not None and size < low), default=0)  # sizes between were not tried

    return Smallest(
        target=target,
        random=first(s.value >= 0.5 for s in shares),
        low=None if low is None else before + 1,
        high=first(s.low >= 0.5 for s in shares),
        found=first((worst.breached >= wanted).any(axis=0)),
        certain=first((worst.certain >= wanted).any(axis=0)),
        guessed=first((worst.guessed_breached >= wanted).any(axis=0)),
    )


def _attributes(figures: Figures, tolerance: FloatArray, *, given: bool) -> AttributeFigures:
    _, sizes, columns = figures.attributes.shape
    cells: list[list[Sampled]] = [
        [mean_interval(figures.attributes[:, s, j]) for j in range(columns)] for s in range(sizes)
    ]
    value, low, high = (
        np.array([[getattr(cell, name) for cell in row] for row in cells]) for name in ("value", "low", "high")
    )
    return AttributeFigures(tolerance, given, value, low, high)
