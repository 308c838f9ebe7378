# SPDX-License-Identifier: BSD-3-Clause
r"""A public sample against the axes: which attribute an axis cannot be, because its values are distributed otherwise.

If axis j is attribute c, with sign s and offset o, then the sample's column c and s * values + o are two draws from one
distribution. An option is struck out when a test says they are not, at a level so low that a *true* option is struck
out in one case of a million at most, over all attributes and tests together. What is left goes through the same
matchings as hard knowledge does: nothing is decided by being likelier than something else, so that attributes with the
same distribution, or a symmetric one and its mirror image, stay open whatever the sample says.

Tests, of S sample records against m rows:

- *Empirical distributions* differ by more than d nowhere, with probability 1 - C exp(-2 d^2 S m / (S + m)), for any
  distribution (Dvoretzky, Kiefer, Wolfowitz; Massart). As quantiles this is an interval of offsets.
- *Values beyond the rows' extremes*: that the k greatest of S + m exchangeable values are all the sample's has
  probability at most (S / (S + m))^k.
- *Counts* in bins of equal mass: the likelihood-ratio statistic G^2, chi-square with as many degrees of freedom.
- *Given the settled*: the same tests of what is left of an axis after regression on the axes that are settled, fitted
  to other rows. Columns of one table depend on each other, so that this tells most; repeated as more are settled.

Where nothing is settled to begin with, the axis with the fewest options is tried with each: an option from which a
contradiction follows is out.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isobreach._arrays import BoolArray, FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.attacks.lattice.offsets import SIGNS, Options
from isobreach.attacks.lattice.regression import AxisRegression
from isobreach.attacks.lattice.two_samples import TwoSamples


@dataclass(frozen=True)
class Sampling:
    """How a sample is compared with the rows."""

    least: int = 20  # Records, and rows, below which no test says anything at these levels.
    wrong: float = 1e-6  # Probability that a true option is struck out, over all tests: rarer than a claim by chance.
    constant: float = float(np.e)  # Of the two-sample inequality, which holds with e for any two sizes.
    most_offsets: int = 128  # Offsets tested one by one; an option with more stays possible with all of them.
    room: float = 1e-4  # Of a step: rounding does not move a value across the end of a bin.
    most_tried: int = 64  # Options of an axis that are assumed in turn; set by hand, it only decides what stays open.
    # Axes times attributes times records, over all rounds; set by hand, it only decides what stays open.
    work: int = 1 << 26
    few: int = 512  # Records below which a round costs no less.
    least_rounds: int = 4  # Rounds that a large table gets too.
    most_rounds: int = 128  # Each round lowers the level of all tests.


SAMPLING = Sampling()


def from_grid(table: FloatArray, steps: FloatArray) -> FloatArray:
    """The farthest that values are from whole numbers of steps apart, by axis and attribute."""
    apart = table - table[0]
    return np.stack([np.abs(apart - step * np.rint(apart / step)).max(axis=0) for step in steps.tolist()])


class Comparison:
    """A sample beside the rows' values along the recovered axes."""

    def __init__(self, sample: FloatArray, values: FloatArray, steps: FloatArray, progress: Progress) -> None:
        self.sample, self.values, self.steps = sample, values, steps
        self._progress = progress
        self._rounds = 0
        self._most_rounds = int(
            np.clip(
                SAMPLING.work // (len(steps) * sample.shape[1] * max(len(sample), SAMPLING.few)),
                SAMPLING.least_rounds,
                SAMPLING.most_rounds,
            )
        )
        # A true option meets two tests, and one in each round.
        self._level = SAMPLING.wrong / ((2 + self._most_rounds) * sample.shape[1])

    @cached_property
    def _regression(self) -> AxisRegression:
        return AxisRegression(self.values)

    def options(self, options: Options) -> Options | None:
        """What the tests leave; None where that is nothing."""
        low, high = self._by_distribution()
        state = options.within(low, high).matched()
        state = state and self._tested(state, np.empty(0, dtype=np.int64)).matched()
        state = state and self._given_settled(state)
        while state is not None:
            fewer = self._tried(state)
            if fewer is state:
                break
            state = fewer
        return state

    def _by_distribution(self) -> tuple[FloatArray, FloatArray]:
        """Offsets by axis, attribute and sign under which the empirical distributions are close enough."""
        records, rows = len(self.sample), len(self.values)
        most = np.sqrt(np.log(SAMPLING.constant / self._level) / 2 * (1 / records + 1 / rows))
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
        records = np.zeros((len(self.sample), len(self.steps)))
        records[:, given] = (self.sample[:, settled.columns[given]] - settled.offsets[given]) * settled.signs[given]
        explained = self._regression.given(given, records) if len(given) else None
        rooms = np.maximum(SAMPLING.room * self.steps, 4 * options.error.max(axis=1))
        for j, room in enumerate(rooms.tolist()):
            if explained is None:
                tests = TwoSamples(self.values[:, j], len(self.sample), self._level, room)
            else:
                beside = explained[0][:, j], explained[1][:, j]
                rest = self._regression.rows[:, j] - beside[0]
                tests = TwoSamples(rest, len(self.sample), self._level, room, beside)
            for k, sign in enumerate(SIGNS):
                attributes, offsets = self._tries(options, j, k)
                values = sign * (self.sample[:, attributes] - offsets)
                differs = tests.differ(values if explained is None else values - explained[1][:, j, None])
                np.minimum.at(lower[j, :, k], attributes[~differs], offsets[~differs])
                np.maximum.at(upper[j, :, k], attributes[~differs], offsets[~differs])
        untested = self._untested(options)
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
        if not high - low < SAMPLING.most_offsets * step:
            return None
        slack = 2 * options.error[axis, attribute] / step
        first, last = np.ceil((low - phase) / step - slack), np.floor((high - phase) / step + slack)
        return np.asarray(phase + step * np.arange(first, last + 1))

    def _given_settled(self, options: Options) -> Options | None:
        """Tests given what is settled, until no more is."""
        state, before = options, 0
        while self._rounds < self._most_rounds:
            settled = state.settled()
            given = np.flatnonzero((settled.columns >= 0) & (settled.signs != 0) & np.isfinite(settled.offsets))
            if len(given) == before:
                break
            before = len(given)
            self._rounds += 1
            self._progress("comparing with the sample", self._rounds, self._most_rounds)
            tested = self._tested(state, given).matched()
            if tested is None:
                return None
            state = tested
        return state

    def _tried(self, options: Options) -> Options | None:
        """Options without those of one axis that lead to a contradiction; the same object where none are found."""
        axes = range(len(self.steps))
        tries = {j: [(k, *one) for k in (0, 1) for one in zip(*self._tries(options, j, k), strict=True)] for j in axes}
        for axis in sorted(axes, key=lambda j: len(tries[j])):
            if (
                options.possible[axis].sum() == len(tries[axis]) == 1
                or not 1 <= len(tries[axis]) <= SAMPLING.most_tried
            ):
                continue
            found, left = self._untried(options, axis), 0
            for k, attribute, offset in tries[axis]:
                state = _assumed(options, axis, int(attribute), k, float(offset)).matched()
                state = state and self._given_settled(state)
                if state is not None:
                    found, left = state.either(found), left + 1
            if left < len(tries[axis]):
                return found
            if self._rounds >= self._most_rounds:
                break
        return options

    def _untested(self, options: Options) -> BoolArray:
        """Axis, attribute and sign with too many offsets to test."""
        return np.asarray(options.upper - options.lower >= SAMPLING.most_offsets * self.steps[:, None, None])

    def _untried(self, options: Options, axis: int) -> Options | None:
        """The axis has one of the options that are too many to try; None where it has no such."""
        other = np.zeros_like(options.possible)
        other[axis] = ~self._untested(options)[axis]
        return options.without(other).matched()


def _assumed(options: Options, axis: int, attribute: int, sign: int, offset: float) -> Options:
    """The axis is the attribute, with this sign and offset."""
    lower, upper = np.full_like(options.lower[axis], np.inf), np.full_like(options.upper[axis], -np.inf)
    lower[attribute, sign] = upper[attribute, sign] = offset
    low, high = np.full_like(options.lower, -np.inf), np.full_like(options.upper, np.inf)
    low[axis], high[axis] = lower, upper
    return options.within(low, high)
