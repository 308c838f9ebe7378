# SPDX-License-Identifier: BSD-3-Clause
"""Figures of an audit by size, record, attribute and person, each with its interval where it was sampled."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.audits.bound import Bound
from isobreach.audits.intervals import Sampled, SampledShares, wilson_limits


@dataclass(frozen=True)
class RandomCoalitions:
    """Random coalitions of one size: means over trials, with 95% intervals, of what each coalition achieves.

    Under noise figures may fall with the size, and insiders may leave records out: the mean is then that of the best
    size up to this one.
    ``worst``: breach probability of the coalition's most exposed other record. ``mean``: mean breach probability of all
    others. ``breached``, ``certain``: share of others with a probability of at least the level, and of 1.
    ``quantiles``: of the others' probabilities.
    """

    linked: Sampled
    hidden_dimension: float
    worst: Sampled
    mean: Sampled
    breached: Sampled
    certain: Sampled
    quantiles: Mapping[float, Sampled]


@dataclass(frozen=True)
class WorstFound:
    """The largest of a figure among all coalitions of up to one size that were tried, greedy and random ones.

    Smaller ones count, because insiders may leave records out: ``coalition`` then says how many are used. Under noise
    figures are means over releases, and random coalitions count by their mean.
    """

    value: float
    coalition: str


@dataclass(frozen=True)
class SizeFigures:
    """Everything about coalitions of one size. ``worst_*``: at least so bad; ``bound``: no coalition is worse.

    ``guessed_*``: the same coalitions, if they know all of their rows, which no guess of those that they are not
    certain of exceeds.
    ``undecided``: random coalitions of this size whose linking was given up: theirs are lower bounds.
    """

    size: int
    random: RandomCoalitions
    worst_record: WorstFound
    worst_mean: WorstFound
    worst_breached: WorstFound
    guessed_record: WorstFound
    guessed_breached: WorstFound
    bound: Bound
    undecided: int


@dataclass(frozen=True)
class Smallest:
    """The smallest coalition that breaches so many of the others, in words ``target``.

    ``random``: the smallest size at which at least half of the random coalitions do, ``low`` and ``high`` the sizes
    between which it lies as far as the trials tell (95%). ``found``: the smallest of all coalitions tried; ``certain``:
    the smallest that does so with probability 1; ``guessed``: the smallest that may do so by guessing rows. None where
    no size that was tried is enough.
    """

    target: str
    random: int | None
    low: int | None
    high: int | None
    found: int | None
    certain: int | None
    guessed: int | None


@dataclass(frozen=True, eq=False)
class AttributeFigures:
    """By size and attribute, share of the others of whom it is learned within ``tolerance``.

    ``value``, ``low``, ``high``: S x n, means over random coalitions with their 95% intervals. ``given``: tolerances
    are the owner's; otherwise 5% of each range, which no report shows, because they tell the range. NaN for attributes
    that are learned when their category is.
    """

    tolerance: FloatArray
    given: bool
    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class RecordFigures:
    """By size and record: mean breach probability over the random coalitions without that record, S x m.

    ``breached``: share of these coalitions that breach it. ``coalitions``: how many they are. NaN for a record that was
    in all of them.
    """

    exposure: FloatArray
    breached: FloatArray
    coalitions: IntArray

    @classmethod
    def of(cls, exposure: FloatArray, breached: IntArray, inside: IntArray, trials: int) -> "RecordFigures":
        """Figures from sums over so many coalitions, and from how many of them each record was in."""
        present = trials - inside
        with np.errstate(invalid="ignore"):
            return cls(exposure / present, breached / present, present)

    def some(self, rows: slice) -> "RecordFigures":
        """The same of some records."""
        return RecordFigures(self.exposure[:, rows], self.breached[:, rows], self.coalitions[:, rows])

    @cached_property
    def mean(self) -> FloatArray:
        """Exposure of each record, mean over the sizes; -1 for a record that was in all coalitions of some size."""
        return np.asarray(np.nan_to_num(self.exposure.mean(axis=0), nan=-1.0))

    def limits(self, place: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Ends of the 95% intervals of all records' exposures at the size in a place, or of their means over sizes.

        Wilson's, as if each coalition breached a record or not: no figures between 0 and 1 vary more.
        """
        exposure = self.mean if place is None else self.exposure[place]
        coalitions = self.coalitions[-1 if place is None else place]
        none = (coalitions == 0) | ~(exposure >= 0)
        low, high = wilson_limits(np.where(none, 0.0, exposure), np.maximum(coalitions, 1))
        return np.where(none, np.nan, low), np.where(none, np.nan, high)

    @cached_property
    def needed(self) -> IntArray:
        """Place of the smallest size at which at least half of the coalitions breach a record; S where none does."""
        half = np.vstack([self.breached >= 0.5, np.ones(self.breached.shape[1], dtype=np.bool_)])  # NaN is not
        return np.asarray(half.argmax(axis=0))


@dataclass(frozen=True)
class ExposedPerson:
    """A person whom random coalitions breach and a blind guess does not, and what makes the record easy.

    Attributes
    ----------
    row
        Of the table.
    exposure
        Mean breach probability over the random coalitions of all sizes.
    needed
        The smallest size at which at least half of the random coalitions breach the record; None where none does.
    near_average, large
        Whether the record is nearer to the column means, and longer, than nine tenths of all records.
    copies
        Other records that differ from it by at most epsilon times its length.
    rank, alike
        1 for the most exposed; how many share the rank, this person among them, because their figures are equal.
    """

    row: int
    exposure: Sampled
    needed: int | None
    near_average: bool
    large: bool
    copies: int
    rank: int
    alike: int


@dataclass(frozen=True)
class SingleInsider:
    """The insider, among the ``tried``, who alone breaches the most others: an expected number; None if none links."""

    record: int | None
    expected: float
    tried: int


@dataclass(frozen=True)
class Leak:
    """An attribute that is learned of more people than a blind guess is right for.

    ``place``: which attribute. ``learned``, ``blind``: share of other people of whom the best attacker learns it, and
    of whom a guess does.
    """

    place: int
    learned: Sampled
    blind: float


def leaks(learned: SampledShares, blind: FloatArray, more: float = 0.0) -> list[Leak]:
    """Attributes that are learned, beyond doubt, of a share of people that exceeds the guess's by over ``more``.

    The one to which most is added comes first.
    """
    sure = np.flatnonzero(learned.low - blind > more)
    order = sure[np.argsort(-(learned.value - blind)[sure], kind="stable")]
    return [Leak(place, learned.of(place), float(blind[place])) for place in order.tolist()]
