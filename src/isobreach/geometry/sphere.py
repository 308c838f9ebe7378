# SPDX-License-Identifier: BSD-3-Clause
r"""How often an estimate is close enough: caps of spheres.

The attacker knows a record exactly but for a vector ``u``, uniform on the sphere of radius ``d`` (the residual)
in ``h`` dimensions (the hidden dimension). An estimate breaches when it is within ``c = epsilon * norm`` of the
record, so each estimator's breach probability is the fraction of that sphere within ``c`` of a point.

For a unit vector uniform on the sphere in h >= 2 dimensions, the squared cosine with a fixed direction is
Beta(1/2, (h-1)/2) distributed, hence (Li 2011, "Concise formulas for the area and volume of a hyperspherical cap")

    cap(x, h) = P(cos^2 >= 1 - x, cos >= 0) = 1/2 * I_x((h-1)/2, 1/2)

with I the regularised incomplete beta function.

``optimal``    estimate at radius sqrt(d^2 - c^2): the largest cap that a ball of radius c can cut out, one whose
               rim is a great circle of the ball. cap((c/d)^2, h); 1 when c >= d, where the centre is within reach.
``uniform``    the paper's estimate, a uniformly random point of the sphere itself: I_{(c/2d)^2}((h-1)/2, (h-1)/2).
``published``  the paper's equation for ``uniform`` as printed, which integrates over height instead of arc
               length and is wrong for h >= 3. For reproducing the paper only.
"""

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, gammaln

from isobreach._validation import check_choice, check_epsilon
from isobreach.errors import InputError

FloatArray = NDArray[np.float64]
Estimator = Literal["optimal", "uniform", "published"]
ESTIMATORS: tuple[Estimator, ...] = get_args(Estimator)


def _optimal(s: FloatArray, h: FloatArray) -> FloatArray:
    return np.where(h == 1, 0.5, 0.5 * betainc((h - 1) / 2, 0.5, s**2))


def _uniform(s: FloatArray, h: FloatArray) -> FloatArray:
    half = (h - 1) / 2
    return np.where(h == 1, 0.5, betainc(half, half, (s / 2) ** 2))


def _published(s: FloatArray, h: FloatArray) -> FloatArray:
    # Integral of sin^(h-1) over [0, arccos|1 - t|], t = s^2/2, as an incomplete beta function: sin^2 = t (2 - t).
    t = s**2 / 2
    log_constant = gammaln((h + 2) / 2) + gammaln(h / 2) - 2 * gammaln((h + 1) / 2)
    small = (h - 1) / (2 * h) * np.exp(log_constant) * betainc(h / 2, 0.5, np.clip(t * (2 - t), 0, 1))
    at_two = np.arccos(np.clip(1 - np.minimum(t, 2 - t), -1, 1)) / np.pi
    small = np.where(h == 2, at_two, small)
    return np.where(h == 1, 0.5, np.where(s <= np.sqrt(2), small, 1 - small))


# The fraction for 0 < s = c/d < reach and h >= 1; from ``reach`` on the whole sphere is within c.
_FRACTIONS: dict[str, tuple[float, Callable[[FloatArray, FloatArray], FloatArray]]] = {
    "optimal": (1.0, _optimal),
    "uniform": (2.0, _uniform),
    "published": (2.0, _published),
}


def breach_probability(
    residual: ArrayLike,
    norm: ArrayLike,
    hidden_dimension: ArrayLike,
    epsilon: float,
    estimator: Estimator = "optimal",
) -> Any:
    """Probability that the estimate is within ``epsilon * norm`` of the record.

    Parameters
    ----------
    residual
        d >= 0, distance of the released row from the span of the linked rows.
    norm
        Norm of the record (an orthogonal motion keeps it).
    hidden_dimension
        h >= 0, a whole number; 0 means that nothing is hidden.
    epsilon
        Relative error that counts as a breach.
    estimator
        ``optimal``, ``uniform`` or ``published``: see the module's text.

    Returns
    -------
    A float for numbers, an array of the broadcast shape otherwise; never NaN.

    Examples
    --------
    >>> breach_probability(1.0, 1.0, 12, 1.0)
    1.0
    >>> round(breach_probability(1.0, 1.0, 12, 1.0, "uniform"), 3)
    0.041
    """
    check_choice("estimator", estimator, ESTIMATORS)
    d = _nonnegative("residual", residual)
    c = check_epsilon(epsilon) * _nonnegative("norm", norm)
    h = _dimension(hidden_dimension)
    d, c, h = np.broadcast_arrays(d, c, h)
    reach, fraction = _FRACTIONS[estimator]
    result = np.ones(d.shape)
    open_ = (h > 0) & (c < reach * d)
    s = c[open_] / d[open_]
    result[open_] = np.clip(fraction(s, h[open_]), 0.0, 1.0)
    return result if result.ndim else float(result)


def estimate_radius(
    residual: ArrayLike, norm: ArrayLike, epsilon: float, estimator: Estimator = "optimal"
) -> FloatArray:
    """Length of the hidden part of the estimate: sqrt(max(d^2 - c^2, 0)) for ``optimal``, d for the paper's."""
    check_choice("estimator", estimator, ESTIMATORS)
    d = _nonnegative("residual", residual)
    if estimator != "optimal":
        return d
    c = check_epsilon(epsilon) * _nonnegative("norm", norm)
    # (d - c)(d + c) rather than d^2 - c^2: exact for c close to d.
    return np.sqrt(np.maximum(d - c, 0.0) * (d + c))


def attribute_breach_probability(
    residual: ArrayLike, spread: ArrayLike, hidden_dimension: ArrayLike, tolerance: ArrayLike
) -> Any:
    """Probability that the best guess of one attribute is within ``tolerance`` of its value.

    The hidden part of attribute l is d * s_l * t, with t a coordinate of a random unit vector in h dimensions and
    ``spread`` s_l the norm of the l-th row of the hidden basis. For h >= 3 the density of t is highest at the
    centre: P = I_{x^2}(1/2, (h-1)/2) with x = tolerance / (d s_l). For h = 1 and 2 the mass sits at the ends,
    and the guess whose interval ends there wins: 1/2 and arccos(1 - 2x) / pi.

    >>> attribute_breach_probability(2.0, 0.5, [1, 2, 3], 0.5).tolist()
    [0.5, 0.5, 0.5]
    """
    d = _nonnegative("residual", residual) * _nonnegative("spread", spread)
    d, tau, h = np.broadcast_arrays(d, _nonnegative("tolerance", tolerance), _dimension(hidden_dimension))
    result = np.ones(d.shape)
    open_ = (h > 0) & (tau < d)
    x, h_open = tau[open_] / d[open_], h[open_]
    centre = betainc(0.5, np.maximum(h_open - 1, 1) / 2, x**2)
    result[open_] = np.select([h_open == 1, h_open == 2], [0.5, np.arccos(1 - 2 * x) / np.pi], centre)
    return result if result.ndim else float(result)


def _nonnegative(name: str, value: ArrayLike) -> FloatArray:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(name, "must be real numbers >= 0", type(value).__name__) from None
    if not (array >= 0).all():  # NaN fails too
        raise InputError(name, "must be >= 0 everywhere", "a negative number or NaN")
    return array


def _dimension(value: ArrayLike) -> FloatArray:
    array = _nonnegative("hidden_dimension", value)
    if not (np.isfinite(array) & (np.floor(array) == array)).all():
        raise InputError("hidden_dimension", "must be a whole number >= 0", "a fraction or infinity")
    return array
