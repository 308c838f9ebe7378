# SPDX-License-Identifier: BSD-3-Clause
"""From coalitions played to the figures of the result.

Insiders may leave some of their records out. So for every coalition of j insiders that breaches so many others there
is one of k > j that breaches as many, if there are so many others: the j, and k - j of those whom they breach least.
*Worst found* is therefore the worst of all sizes up to the asked one. Under noise figures are expectations over
releases: a greedy coalition counts by its mean over those that it meets; random coalitions, which meet one release
each, count by their mean over all of them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.attacks import QUANTILES
from isobreach.audits.bound import Bound, bounds
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.figures import (
    AttributeFigures,
    RandomCoalitions,
    SingleInsider,
    SizeFigures,
    Smallest,
    WorstFound,
)
from isobreach.audits.intervals import Sampled, clopper_pearson, mean_interval
from isobreach.audits.settings import Settings
from isobreach.audits.trial import Figures

TARGETS = {"one other record": 0.0, "1% of the others": 0.01, "half of the others": 0.5, "all others": 1.0}


@dataclass(frozen=True, eq=False)
class Played:
    """All coalitions that were played."""

    greedy: Figures
    random: Figures


def summarise(
    played: Played, table: OwnersTable, settings: Settings, insider: SingleInsider, greedy: tuple[str, ...]
) -> tuple[tuple[SizeFigures, ...], tuple[Smallest, ...], AttributeFigures]:
    """Figures by size, the smallest coalitions, figures by attribute."""
    sizes, tried = (
        settings.sizes,
        _TriedCoalitions(played, settings, insider, greedy, table.total, table.redrawn),
    )
    limits = bounds(table, sizes, settings.level)
    random = _random(played.random, sizes, table.total, limits, falls=table.redrawn)
    worst, mean, breached, guessed_worst, guessed_breached = (
        tried.worst(name) for name in ("worst", "mean", "breached", "guessed_worst", "guessed_breached")
    )
    per_size = tuple(
        SizeFigures(
            size=size,
            random=random[place],
            worst_record=worst[size],
            worst_mean=mean[size],
            worst_breached=breached[size],
            guessed_record=guessed_worst[size],
            guessed_breached=guessed_breached[size],
            bound=limits[place],
            undecided=int((~played.random.complete[:, place]).sum()),
        )
        for place, size in enumerate(sizes)
    )
    smallest = tuple(tried.smallest(target, share) for target, share in TARGETS.items())
    given = settings.tolerance is not None
    tolerance = table.groups.merged(table.tolerance, [np.nan] * len(table.groups.groups))
    return per_size, smallest, _attributes(played.random, tolerance, given=given, falls=table.redrawn)


@dataclass(frozen=True, eq=False)
class _TriedCoalitions:
    """Coalitions of all covered sizes, by the figure that they reach."""

    played: Played
    settings: Settings
    insider: SingleInsider
    greedy: tuple[str, ...]
    total: int
    redrawn: bool

    def of(self, name: str, size: int) -> list[tuple[float, str]]:
        """A figure of every coalition of a size, and who they are: greedy ones first."""
        values = getattr(self.played.greedy, name)[:, self.settings.covered.index(size)].tolist()
        found = list(zip(values, self.greedy, strict=True))
        if size in self.settings.sizes:
            drawn = getattr(self.played.random, name)[:, self.settings.sizes.index(size)]
            # Under noise the worst of these would be the luckiest draw of noise.
            found.append(
                (float(drawn.mean()), "random, on average") if self.redrawn else (float(drawn.max()), "random")
            )
        if self.redrawn and name == "mean" and size == 1:
            found.append((self.insider.expected / max(self.total - 1, 1), "single insider"))
        return found

    def worst(self, name: str) -> dict[int, WorstFound]:
        """By size, the largest of a figure that coalitions of up to that size reach."""
        worst: dict[int, WorstFound] = {}
        value, who, used = -1.0, "", 0
        for size in self.settings.covered:
            value = min(value, self.total - size) if "breached" in name else value
            best, coalition = max(self.of(name, size), key=lambda pair: pair[0])
            if best >= value:
                value, who, used = best, coalition, size
            fewer = "" if used == size else f", {used} record{'s' if used > 1 else ''} used"
            worst[size] = WorstFound(float(value), who + fewer)
        return worst

    def smallest(self, target: str, share: float) -> Smallest:
        """How few insiders breach a share of the others, or one."""

        def wanted(size: int) -> int:
            return max(int(np.ceil(share * (self.total - size) - 1e-9)), 1)

        def first(sizes: Iterable[int], enough: Callable[[int], bool]) -> int | None:
            return next((size for size in sizes if enough(size)), None)

        def reached(count: str, probability: str) -> int | None:
            """By an expected number; of one record also by its probability, which says the same without noise."""

            def enough(size: int) -> bool:
                if not share and max(self.of(probability, size))[0] >= self.settings.level:
                    return True
                return max(self.of(count, size))[0] >= wanted(size)

            found = first(self.settings.covered, enough)
            return min((size for size in (found, random) if size is not None), default=None)

        sizes, drawn = self.settings.sizes, self.played.random.breached
        counts = {size: int((drawn[:, place] >= wanted(size)).sum()) for place, size in enumerate(sizes)}
        shares = {size: clopper_pearson(count, len(drawn)) for size, count in counts.items()}  # of "at least half"
        random = first(sizes, lambda size: shares[size].value >= 0.5)
        low = first(sizes, lambda size: shares[size].high >= 0.5)
        before = max((size for size in sizes if low is not None and size < low), default=0)  # between: not tried
        return Smallest(
            target=target,
            random=random,
            low=None if low is None else before + 1,
            high=first(sizes, lambda size: shares[size].low >= 0.5),
            found=reached("breached", "worst"),
            certain=first(self.settings.covered, lambda size: max(self.of("certain", size))[0] >= wanted(size)),
            guessed=reached("guessed_breached", "guessed_worst"),
        )


def _random(
    figures: Figures, sizes: tuple[int, ...], total: int, proven: Sequence[Bound], *, falls: bool
) -> list[RandomCoalitions]:
    """Means over random coalitions, by size; where figures may fall with it, each is that of the best size up to it."""
    others = total - np.array(sizes)

    def sampled(values: FloatArray, *, share: bool = False) -> list[Sampled]:
        people = others.tolist() if share else [None] * len(sizes)  # of whom a value is a share
        means = [mean_interval(values[:, k], people[k], expected=share) for k in range(len(sizes))]
        return _rising(means) if falls else means

    linked = [mean_interval(figures.linked[:, place] / size) for place, size in enumerate(sizes)]
    worst, mean = sampled(figures.worst), sampled(figures.mean, share=True)
    mean = [_within(one, limit) for one, limit in zip(mean, proven, strict=True)]
    breached, certain = (sampled(counts / others, share=True) for counts in (figures.breached, figures.certain))
    quantiles = {q: sampled(figures.quantiles[:, :, k]) for k, q in enumerate(QUANTILES)}
    return [
        RandomCoalitions(
            linked=linked[place],
            hidden_dimension=float(figures.hidden[:, place].mean()),
            worst=worst[place],
            mean=mean[place],
            breached=breached[place],
            certain=certain[place],
            quantiles={q: values[place] for q, values in quantiles.items()},
        )
        for place in range(len(sizes))
    ]


def _within(mean: Sampled, proven: Bound) -> Sampled:
    """A mean whose interval ends where no coalition can be."""
    return replace(mean, high=min(mean.high, max(mean.value, min(proven.mean, proven.worst))))


def _rising(means: Sequence[Sampled]) -> list[Sampled]:
    """The largest mean so far."""
    return [max(means[: place + 1], key=lambda one: one.value) for place in range(len(means))]


def _attributes(figures: Figures, tolerance: FloatArray, *, given: bool, falls: bool) -> AttributeFigures:
    _, sizes, columns = figures.attributes.shape
    cells = [[mean_interval(figures.attributes[:, s, j]) for s in range(sizes)] for j in range(columns)]
    cells = [_rising(column) if falls else column for column in cells]
    parts: list[NDArray[Any]] = [
        np.array([[getattr(cell, name) for cell in column] for column in cells]).T for name in ("value", "low", "high")
    ]
    return AttributeFigures(tolerance, given, *parts)
