# SPDX-License-Identifier: BSD-3-Clause
"""What rounding means for links: its worst case, or noise; and whether chance has to be asked.

The worst case of rounding never excludes a true row. The errors of a distance add up to the root of the number of
columns in the worst case, and to one as noise: in wide releases of few bits the worst case leaves every record open.
"""

from dataclasses import dataclass

import numpy as np

from isobreach.engine import Engine
from isobreach.geometry import row_norms
from isobreach.linking.candidates import telling_order
from isobreach.linking.chance import Rates, log_sets, sampled, sampled_rows, telling_distances
from isobreach.linking.motions import Choice, Setting
from isobreach.linking.problem import Problem
from isobreach.release import Bounds, Precision


@dataclass(frozen=True)
class NoisyRounding:
    """When rounding is taken as noise because its worst case leaves all records open.

    Attributes
    ----------
    columns
        Of the release, at least: a cut at five deviations gains a factor of two on the worst case from 32 columns on.
    relative, step
        Precision that is coarse: that of 16 bits, not that of 32, which leaves no record open, nor what underflows
        in 32 bits.
    records
        Known records, the most telling ones, that say whether the worst case can link any.
    partial
        Partial assignments within the worst case, as many as chance makes, up to which it is tried first: a few
        seconds.
    """

    columns: int = 32
    relative: float = 1e-6
    step: float = 2.0**-100
    records: int = 32
    partial: float = 1e6


@dataclass(frozen=True)
class ChanceInCoarse:
    """When chance has to be ruled out in a coarse release, however it was moved.

    Attributes
    ----------
    columns
        Of the release, at least. Strangers fit together where the worst case is wide, which grows with the columns. In
        a table of a few columns whoever names its motion is believed that the records are in it: chance, which is
        counted a record at a time, would refuse twenty true links in 16 bits there.
    """

    columns: int = 32


NOISY_ROUNDING = NoisyRounding()
CHANCE_IN_COARSE = ChanceInCoarse()


def rounds_like_noise(setting: Setting, source: Engine) -> bool:
    """Whether rounding, taken as noise, leaves much less open than its worst case does.

    Parameters
    ----------
    setting
        Precision of the release, and whether it was given.
    source
        Released rows.
    """
    return not setting.given and source.shape[1] >= NOISY_ROUNDING.columns and _coarse(setting.precision)


def strangers_fit(precision: Precision, source: Engine) -> bool:
    """Whether a release is so coarse that strangers may find a place in it together, however it was moved.

    Parameters
    ----------
    precision
        Of the release.
    source
        Released rows.
    """
    return source.shape[1] >= CHANCE_IN_COARSE.columns and _coarse(precision)


def _coarse(precision: Precision) -> bool:
    fine = precision.step <= NOISY_ROUNDING.step and precision.relative <= NOISY_ROUNDING.relative
    return not fine or precision.rounding is not None


def worst_case_tells(problem: Problem, setting: Setting, motion: Choice) -> bool:
    """Whether the worst case of rounding can link: chance would not, and there are not too many partial assignments.

    Parameters
    ----------
    problem
        Known records and released rows.
    setting
        Precision of the release, limit of chance.
    motion
        What may have been done to the records.
    """
    if not setting.precision.bounded:
        return False
    rows, columns = problem.source.shape
    sample = problem.source.gather(sampled_rows(rows))
    norms = row_norms(sample) if motion in ("orthogonal", "auto") else None
    own = row_norms(problem.known) + (0.0 if norms is not None else float(row_norms(sample).max()))
    bounds = Bounds(problem.known, setting.precision.length_error(own, columns) + setting.known_unit * own)
    rates = Rates.between(sample)
    order = telling_order(bounds, rates, np.arange(len(own)))[: NOISY_ROUNDING.records]
    blur = float(bounds.radius.max())
    telling = telling_distances(problem.known[order], sampled(sample), blur, norms_kept=norms is not None, among=True)
    log = log_sets(bounds, rates, order, rows, norms, telling)
    least = log[min(3, len(order)) - 1 :].min()
    return bool(least <= np.log(setting.chance_limit) and log.max() <= np.log(NOISY_ROUNDING.partial))
