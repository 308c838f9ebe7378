# SPDX-License-Identifier: BSD-3-Clause
r"""A public sample against the axes: which attribute an axis cannot be, because its values are distributed otherwise.

If axis j is attribute c, with sign s and offset o, then the sample's column c and s * values + o are two draws from one
distribution. An option is struck out when a test says they are not, at a level so low that a *true* option is struck
out in one case of ``1 / _WRONG`` at most, over all attributes and tests together. What is left goes through the same
matchings as hard knowledge does: nothing is decided by being likelier than something else, so that attributes with the
same distribution, or a symmetric one and its mirror image, stay open whatever the sample says.

Tests, of S sample records against m rows:

- *Empirical distributions* differ by more than d nowhere, with probability 1 - C exp(-2 d^2 S m / (S + m)), for any
  distribution (Dvoretzky, Kiefer, Wolfowitz; Massart). As quantiles this is an interval of offsets.
- *Values beyond the rows' extremes*: that the k greatest of S + m exchangeable values are all the sample's has
  probability at most (S / (S + m))^k.
- *Counts* in bins of equal mass: the likelihood-ratio statistic G^2, chi-square with as many degrees of freedom.
- *Given the settled*: the same tests of what is left of an axis after regression on the axes that are settled. Columns
  of one table depend on each other, so that this tells most; it is repeated as more are settled.

Where nothing is settled to begin with, the axis with the fewest options is tried with each: an option from which a
contradiction follows is out.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from isobreach.attacks.lattice.offsets import SIGNS, Options

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

LEAST_SAMPLE = 20  # records, and rows, below which no test says anything
_WRONG = 1e-6
_TESTS = 256  # that a true option meets at most
_CONSTANT = np.e  # of the two-sample inequality, for any two sizes
_MOST_OFFSETS = 128
_MOST_ROWS = 20_000  # of the release, for regressions
_BIN_COUNT, _MOST_BINS = 10.0, 12
_MOST_TRIED = 48
_MOST_ROUNDS = 8


def from_grid(table: FloatArray, steps: FloatArray) -> FloatArray:
    """The farthest that values are from whole numbers of steps apart, by axis and attribute."""
    apart = table - table[0]
    return np.stack([np.abs(apart - step * np.rint(apart / step)).max(axis=0) for step in steps.tolist()])


@dataclass(frozen=True, eq=False)
class Comparison:
    """A sample beside the rows' values along the recovered axes."""

    sample: FloatArray
    values: FloatArray
    steps: FloatArray

    @property
    def level(self) -> float:
        """Probability that a test strikes out a true option."""
        return _WRONG / (_TESTS * self.sample.shape[1])

    def options(self, options: Options) -> Options | None:
        """What the tests leave; None where that is nothing."""
        low, high = self._by_distribution()
        state = options.within(low, high).matched()
        state = state and self._tested(state, np.empty(0, dtype=np.int64)).matched()
        state = state and self._given_settled(state)
        for _ in range(_TESTS // _MOST_TRIED):
            if state is None:
                return None
            fewer = self._tried(state)
            if fewer is None or fewer is state:
                return fewer
            state = self._given_settled(fewer)
        return state

    def _by_distribution(self) -> tuple[FloatArray, FloatArray]:
        """Offsets by axis, attribute and sign under which the empirical distributions are close enough."""
        records, rows = len(self.sample), len(self.values)
        most = np.sqrt(np.log(_CONSTANT / self.level) / 2 * (1 / records + 1 / rows))
        ordered = np.sort(self.sample, axis=0)
        rank = np.arange(records)
        # Strictly below the record of this rank are at most so many rows, and up to it at least so many.
        last = np.floor((rank / records + most) * rows).astype(np.int64)
        first = np.ceil(((rank + 1) / records - most) * rows).astype(np.int64) - 1
        below, above = last < rows, first >= 0
        shape = (self.values.shape[1], self.sample.shape[1], 2)
        low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
        for k, sign in enumerate(SIGNS):
            axes = np.sort(sign * self.values, axis=0)
            for j in range(shape[0]):
                low[j, :, k] = (ordered[below] - axes[last[below], j, None]).max(axis=0, initial=-np.inf)
                high[j, :, k] = (ordered[above] - axes[first[above], j, None]).min(axis=0, initial=np.inf)
        return low, high

    def _tested(self, options: Options, given: IntArray) -> Options:
        """Offsets that pass the tests, given axes that are settled; the least and greatest of them."""
        settled = options.settled()
        lower, upper = np.full_like(options.lower, np.inf), np.full_like(options.upper, -np.inf)
        rows = self.values[:: max(1, len(self.values) // _MOST_ROWS)] if len(given) else self.values
        for j in range(len(self.steps)):
            others = given[given != j]
            slopes = _slopes(rows[:, others], rows[:, j])
            left = rows[:, j] - rows[:, others] @ slopes
            beside = (self.sample[:, settled.columns[others]] - settled.offsets[others]) * settled.signs[others]
            for k, sign in enumerate(SIGNS):
                attributes, offsets = self._tries(options, j, k)
                if not len(attributes):
                    continue
                axis = _Axis.of(sign * left, self.steps[j], self.level, len(self.sample))
                differs = axis.differs(self.sample[:, attributes] - sign * (beside @ slopes)[:, None] - offsets)
                np.minimum.at(lower[j, :, k], attributes[~differs], offsets[~differs])
                np.maximum.at(upper[j, :, k], attributes[~differs], offsets[~differs])
        untested = options.upper - options.lower >= _MOST_OFFSETS * self.steps[:, None, None]
        lower[untested], upper[untested] = -np.inf, np.inf
        return options.within(lower, upper)

    def _tries(self, options: Options, axis: int, sign: int) -> tuple[IntArray, FloatArray]:
        """Attributes and offsets of an axis with a sign, all pairs of them that are possible; none where too many."""
        several = {
            c: self._offsets(options, axis, int(c), sign) for c in np.flatnonzero(options.possible[axis, :, sign])
        }
        found = {c: offsets for c, offsets in several.items() if offsets is not None}
        if not found:
            return np.empty(0, dtype=np.int64), np.empty(0)
        attributes = np.repeat(np.array(list(found)), [len(offsets) for offsets in found.values()])
        return attributes, np.concatenate(list(found.values()))

    def _offsets(self, options: Options, axis: int, attribute: int, sign: int) -> FloatArray | None:
        """Offsets on the grid within the options; None where they are too many."""
        step = self.steps[axis]
        phase = self.sample[0, attribute] - SIGNS[sign] * self.values[0, axis]
        low, high = options.lower[axis, attribute, sign], options.upper[axis, attribute, sign]
        if not high - low < _MOST_OFFSETS * step:
            return None
        slack = 2 * options.error[axis, attribute] / step
        first, last = np.ceil((low - phase) / step - slack), np.floor((high - phase) / step + slack)
        return np.asarray(phase + step * np.arange(first, last + 1))

    def _given_settled(self, options: Options) -> Options | None:
        """Tests given what is settled, until no more is."""
        state, before = options, 0
        for _ in range(_MOST_ROUNDS):
            settled = state.settled()
            given = np.flatnonzero((settled.columns >= 0) & (settled.signs != 0) & np.isfinite(settled.offsets))
            if len(given) == before:
                break
            before = len(given)
            tested = self._tested(state, given).matched()
            if tested is None:
                return None
            state = tested
        return state

    def _tried(self, options: Options) -> Options | None:
        """Options without those of one axis that lead to a contradiction; the same object where there are none."""
        choices = options.possible.sum(axis=(1, 2))
        choices[choices == 1] = _MOST_TRIED + 1
        axis = int(choices.argmin())
        if choices[axis] > _MOST_TRIED:
            return options
        found = None
        for c, k in zip(*np.nonzero(options.possible[axis]), strict=True):
            offsets = self._offsets(options, axis, int(c), int(k))
            if offsets is None:
                return options
            for offset in offsets:
                state = _assumed(options, axis, int(c), int(k), float(offset)).matched()
                state = state and self._given_settled(state)
                if state is not None:
                    found = state.either(found)
        if found is None:
            return None
        same = (found.possible == options.possible).all() and (found.lower == options.lower).all()
        return options if same else found


def _assumed(options: Options, axis: int, attribute: int, sign: int, offset: float) -> Options:
    """The axis is the attribute, with this sign and offset."""
    lower, upper = np.full_like(options.lower[axis], np.inf), np.full_like(options.upper[axis], -np.inf)
    lower[attribute, sign] = upper[attribute, sign] = offset
    low, high = np.full_like(options.lower, -np.inf), np.full_like(options.upper, np.inf)
    low[axis], high[axis] = lower, upper
    return options.within(low, high)


def _slopes(about: FloatArray, own: FloatArray) -> FloatArray:
    """Least-squares slopes of one axis on others; the constant is left where it is."""
    centred = about - about.mean(axis=0)
    return np.asarray(np.linalg.lstsq(centred, own - own.mean(), rcond=None)[0])


@dataclass(frozen=True, eq=False)
class _Axis:
    """Bins of an axis' values, ready for tests."""

    cuts: FloatArray
    counts: FloatArray
    least: float
    greatest: float
    level: float

    @classmethod
    def of(cls, values: FloatArray, step: float, level: float, records: int) -> "_Axis":
        """Bins of about equal mass, as far as values that repeat allow it, with enough of the sample in each."""
        ordered = np.sort(values)
        rows = len(ordered)
        bins = int(np.clip(min(records, rows) / _BIN_COUNT, 2, _MOST_BINS))
        room = 1e-4 * step  # a value that repeats is on one side of every cut, however it was rounded
        cuts, ends = [], [0]
        for cut in np.unique(ordered[np.arange(1, bins) * rows // bins] + room):
            end = int(np.searchsorted(ordered, cut, "right"))
            if min(end - ends[-1], rows - end) * 2 * bins >= rows:
                cuts.append(cut)
                ends.append(end)
        counts = np.diff([*ends, rows]).astype(np.float64)
        return cls(np.array(cuts), counts, float(ordered[0]) - room, float(ordered[-1]) + room, level)

    def differs(self, sample: FloatArray) -> BoolArray:
        """Columns of the sample that are no draws from the same distribution."""
        (records, columns), rows, bins = sample.shape, self.counts.sum(), len(self.counts)
        beyond = np.maximum((sample < self.least).sum(axis=0), (sample > self.greatest).sum(axis=0))
        out = beyond * np.log(records / (records + rows)) < np.log(self.level / 2)
        if bins == 1:
            return np.asarray(out)
        places = np.searchsorted(self.cuts, sample) + bins * np.arange(columns)
        counts = np.bincount(places.ravel(), minlength=bins * columns).reshape(columns, bins)
        total = (
            _sum_logs(np.array([[records + rows]])) - _sum_logs(np.array([[records]])) - _sum_logs(np.array([[rows]]))
        )
        statistic = 2 * (_sum_logs(counts) + _sum_logs(self.counts[None]) - _sum_logs(counts + self.counts) + total)
        return np.asarray(out | (statistic > chdtri(bins - 1, self.level)))


def _sum_logs(counts: NDArray[Any]) -> FloatArray:
    """Sum of n log n over each row."""
    return np.asarray((counts * np.log(np.maximum(counts, 1))).sum(axis=1))
