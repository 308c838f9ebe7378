# SPDX-License-Identifier: BSD-3-Clause
r"""How likely a row that fits an absent record is that of a near twin, such as a reworded text.

A row with misfit Q (chi-square of k numbers, where the row is the record) may belong to another record at a squared
offset r^2 from this one, in units of the noise. In any direction alike, Q is then noncentral chi-square, and

    f(Q; r^2) / f(Q; 0) = exp(-r^2 / 2) 0F1(k / 2; r^2 Q / 4)

is how much likelier such a twin makes the misfit. The expected number N(dr) of twins of a record is read off the other
candidates: each shows the nearest row that is certainly not its own, its misfit beyond any that noise makes. Twins
nearer than that edge do not show. Their number is extrapolated by a power law, N(< r) ~ r^u, u fitted to the nearest of
those that show, and at least 2: of 3,000 sentences .07, .13, .37, .73 and 1.6 per cent have another one within .05,
.1, .15, .2 and .3. So

    doubt = integral of f(Q; r^2) / f(Q; 0) N(dr)

competes with the record's own presence. Well below the edge nothing tells a twin from the record itself: there the
doubt is their number alone, and a store whose twins all hide there shows none of them.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from isobreach._arrays import FloatArray


@dataclass(frozen=True)
class Twins:
    """How twins are counted.

    Attributes
    ----------
    edge
        Probability that noise makes a misfit that counts as another record: one in a thousand tables of a thousand.
    reach
        Times the edge, the offset up to which twins give the power law.
    least
        Of them, at least: a tenth decides on the power within a third.
    shown, steps
        Offsets, seen and extrapolated, that the integral is summed over; beyond four times the edge nothing fits.
    powers
        Least and largest power: see above; beyond the largest nothing changes.
    """

    edge: float = 1e-6
    reach: float = 2.0
    least: int = 10
    shown: int = 256
    steps: int = 32
    powers: tuple[float, float] = (2.0, 100.0)


TWINS = Twins()


def log_doubt(misfit: FloatArray, freedom: FloatArray, offset: FloatArray, edge: float) -> FloatArray:
    """Log of the doubt that near twins cast on each record.

    Parameters
    ----------
    misfit, freedom
        Of each record's likeliest row: Q and k.
    offset
        Squared offset of the nearest row that is certainly another record's, inf where there is none.
    edge
        The least squared offset that shows.
    """
    count, ordered = len(offset), np.sort(np.sqrt(offset[np.isfinite(offset)]))
    if not len(ordered):
        return np.full(count, -np.inf)
    nearest = float(np.sqrt(edge))
    shown = ordered[ordered <= 4 * nearest]
    chosen = (
        shown[np.linspace(0, len(shown) - 1, min(len(shown), TWINS.shown)).astype(np.int64)] if len(shown) else shown
    )
    furthest = max(TWINS.reach * nearest, float(ordered[min(TWINS.least, len(ordered)) - 1]))
    near, most = ordered[ordered <= furthest], float(np.log(furthest / nearest))
    power = _power(np.log(furthest / np.maximum(near, nearest)), most)
    below = len(near) / count / np.expm1(power * most)
    ends = np.linspace(0, 1, TWINS.steps + 1)
    offsets = np.concatenate([chosen, nearest * (ends[1:] + ends[:-1]) / 2])
    weights = np.full(len(chosen), len(shown) / max(len(chosen), 1) / count)
    weights = np.concatenate([weights, below * np.diff(ends**power)])
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    return np.asarray(
        np.logaddexp.reduce(log_ratio(misfit[:, None], freedom[:, None], offsets**2) + log_weights, axis=1)
    )


def log_ratio(misfit: FloatArray, freedom: FloatArray, offset: FloatArray) -> FloatArray:
    """Log of f(Q; r^2) / f(Q; 0), by the leading term of 0F1 for many degrees of freedom, exact at an offset of 0."""
    order = np.maximum(freedom / 2 - 1, 0.5)
    root = np.sqrt(order**2 + offset * misfit)
    log_0f1 = root - order + order * np.log(2 * order / (order + root)) - np.log(root / order) / 2
    return np.asarray(log_0f1 - offset / 2)


def _power(gaps: FloatArray, most: float) -> float:
    """Power u of a density of r^(u - 1) between two ends; ``gaps``: log of the upper end over r, up to ``most``."""
    mean = float(gaps.mean())

    def excess(power: float) -> float:
        return float(1 / power - most / np.expm1(power * most) - mean)

    low, high = TWINS.powers
    if excess(low) <= 0:
        return low
    return high if excess(high) >= 0 else float(brentq(excess, low, high))
