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

A translation hides norms. The record is p + u with p, the foot on the linked records' affine hull, known; with g the
length of p's part orthogonal to the hull's directions (the *offset*) and u1 the coordinate of u along that part,

    |p + u|^2 = norm^2 + 2 g u1,   norm^2 = |p|^2 + d^2.

An estimate p + w breaches when |u - w|^2 <= epsilon^2 |p + u|^2, that is, when u lies in a half-space:

    2 u.(w + e e1) >= A + |w|^2,   A = d^2 - (epsilon norm)^2,   e = epsilon^2 g,   e1 the direction of the offset.

Of all w the one with the lowest threshold is w = r e1, r = -e + sqrt(e^2 + A), and its threshold is u1 >= r itself:

    P(u1 >= r) = cap(1 - (r/d)^2, h), its complement for r < 0;   1 where A + e^2 <= 0 or r <= -d.

For g = 0 that is the formula above. ``uniform`` averages its formula over the law of u1.
"""

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import beta, betainc, betaincinv, betaln, gammaln

from isobreach._arrays import FloatArray
from isobreach._compiled import compiled
from isobreach._validation import check_choice, check_epsilon
from isobreach.errors import InputError

Estimator = Literal["optimal", "uniform", "published"]
ESTIMATORS: tuple[Estimator, ...] = get_args(Estimator)

_LARGE = 1e100  # instead of infinity: its square is a number
_TAIL = 1e-13  # of the probability, which a quadrature may leave out
_NODE_ROWS = 4096  # whose nodes are held at once
# I_x((h-1)/2, 1/2) is a power series in x whose terms fall faster than x^k: for smaller x so many of them are exact to
# rounding. The library's function, asked for the other rows, takes five times as long.
_SMALL, _TERMS = 1 / 8, 18  # terms beside the first: whole threes
_STRETCH = 256  # numbers that take a step of the series together: side by side in registers


def _clustered_nodes(count: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights on [0, 1]: Gauss-Legendre in v with sin^2(pi v / 2), which smooths roots at the ends."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    angle = np.pi * (nodes + 1) / 4
    return np.sin(angle) ** 2, np.pi / 4 * weights * np.sin(2 * angle)


_NEARLY = 1 - 2.0**-53  # the largest probability that is no certainty
_NODES, _WEIGHTS = _clustered_nodes(64)


def _cap(sine: FloatArray, h: FloatArray) -> FloatArray:
    """cap(x, h) for x = sine^2 and h >= 1: arrays of one dimension."""
    if len(h) and h[0] == h[-1] and (h == h[0]).all():
        return _equal_cap(sine, int(h[0]))
    found = np.empty(len(sine))
    for one in np.unique(h):
        found[h == one] = _equal_cap(sine[h == one], int(one))
    return found


def _equal_cap(sine: FloatArray, h: int) -> FloatArray:
    """The same for one h. I_x(a, 1/2) = x^a sqrt(1 - x) / (a B(a, 1/2)) F(a + 1/2, 1; a + 1; x), DLMF 8.17.8."""
    if h == 1:
        return np.full(len(sine), 0.5)
    a, k = (h - 1) / 2, np.arange(_TERMS)
    factors = 0.5 / (a * beta(a, 0.5)) * np.concatenate([[1.0], np.cumprod((a + 0.5 + k) / (a + 1 + k))])
    found = _series(np.ascontiguousarray(sine), factors, h - 1)
    large = np.flatnonzero(sine * sine >= _SMALL)
    if len(large):
        found[large] = 0.5 * betainc(a, 0.5, np.minimum(sine[large] * sine[large], 1.0))
    return found


@compiled()
def _series(sine: FloatArray, factors: FloatArray, exponent: int) -> FloatArray:
    """sine^exponent sqrt(1 - x) times the power series in x = sine^2; the exponent is a whole number from 1 on.

    The power is made by products: the errors of few roundings, and faster than the library's.
    """
    found = np.empty(len(sine))
    x, series, power, square = np.empty(_STRETCH), np.empty(_STRETCH), np.empty(_STRETCH), np.empty(_STRETCH)
    for start in range(0, len(sine), _STRETCH):
        size = min(_STRETCH, len(sine) - start)
        for i in range(size):
            here = sine[start + i]
            x[i], series[i], power[i], square[i] = here * here, factors[-1], 1.0, here
        for k in range(len(factors) - 2, 0, -3):  # three terms at a time: fewer numbers are loaded and stored
            a, b, c = factors[k], factors[k - 1], factors[k - 2]
            for i in range(size):
                series[i] = ((series[i] * x[i] + a) * x[i] + b) * x[i] + c
        left = exponent
        while left:
            if left % 2:
                for i in range(size):
                    power[i] = power[i] * square[i]
            for i in range(size):
                square[i] = square[i] * square[i]
            left //= 2
        for i in range(size):
            near = x[i] if x[i] < _SMALL else _SMALL
            found[start + i] = series[i] * np.sqrt(1.0 - near) * power[i]
    return found


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
    "optimal": (1.0, _cap),
    "uniform": (2.0, _uniform),
    "published": (2.0, _published),
}


def breach_probability(
    residual: ArrayLike,
    norm: ArrayLike,
    hidden_dimension: ArrayLike,
    epsilon: float,
    estimator: Estimator = "optimal",
    *,
    offset: ArrayLike = 0.0,
) -> Any:
    """Probability that the estimate is within ``epsilon`` times the record's norm of the record.

    Parameters
    ----------
    residual
        d >= 0, distance of the released row from the span (affine hull) of the linked rows.
    norm
        Norm of the record, which an orthogonal motion keeps; with an offset sqrt(|p|^2 + d^2).
    hidden_dimension
        h >= 0, a whole number; 0 means that nothing is hidden.
    epsilon
        Relative error that counts as a breach.
    estimator
        ``optimal``, ``uniform`` or ``published``: see the module's text.
    offset
        g >= 0, distance of the linked records' affine hull from the origin, seen across the hull; 0 for orthogonal
        motions.

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
    epsilon = check_epsilon(epsilon)
    c = epsilon * _nonnegative("norm", norm)
    e = epsilon**2 * _nonnegative("offset", offset)
    d, c, h, e = np.broadcast_arrays(d, c, _dimension(hidden_dimension), e)
    if estimator == "published" and e.any():
        raise InputError("estimator", "must be optimal or uniform where norms are hidden", repr(estimator))
    result = np.ones(d.shape)
    if e.any():
        open_ = (h > 0) & (d > 0)
        with np.errstate(over="ignore"):  # what is that large is certain
            s, shift = np.minimum(c[open_] / d[open_], _LARGE), np.minimum(e[open_] / d[open_], _LARGE)
        result[open_] = (_optimal_offset if estimator == "optimal" else _uniform_offset)(s, shift, h[open_])
        return result if result.ndim else float(result)
    reach, fraction = _FRACTIONS[estimator]
    open_ = (h > 0) & (c < reach * d)
    s = c[open_] / d[open_]
    result[open_] = np.clip(fraction(s, h[open_]), 0.0, 1.0)
    return result if result.ndim else float(result)


def estimate_radius(
    residual: ArrayLike,
    norm: ArrayLike,
    epsilon: float,
    estimator: Estimator = "optimal",
    *,
    offset: ArrayLike = 0.0,
) -> FloatArray:
    """Length of the hidden part of the estimate: sqrt(max(d^2 - c^2, 0)) for ``optimal``, d for the paper's.

    With an offset the optimal one is signed, along the offset: r = -e + sqrt(e^2 + d^2 - c^2). Where that is certain,
    so is all of -e ... l - d with l = sqrt(c^2 - 2 e d), epsilon times the shortest record on the sphere: then r is 0
    if that is among them, which errs least, else their middle, away from where rounding decides.
    """
    check_choice("estimator", estimator, ESTIMATORS)
    d = _nonnegative("residual", residual)
    e = check_epsilon(epsilon) ** 2 * _nonnegative("offset", offset)
    if estimator != "optimal":
        return d
    c = epsilon * _nonnegative("norm", norm)
    r = _height(d, c, e)
    last = np.sqrt(np.maximum(c**2 - 2 * e * d, 0.0)) - d
    certain = (e > 0) & ((e**2 + (d - c) * (d + c) <= 0) | (r <= -d))
    return np.where(certain, np.where(last >= 0, 0.0, (last - e) / 2), r)


def _height(d: FloatArray, c: FloatArray, e: FloatArray) -> FloatArray:
    """r = -e + sqrt(max(e^2 + d^2 - c^2, 0)), without cancellation."""
    apart = (d - c) * (d + c)  # rather than d^2 - c^2: exact for c close to d
    root = np.sqrt(np.maximum(e**2 + apart, 0.0))
    apart, e, root = np.broadcast_arrays(apart, e, root)
    signed = np.divide(apart, e + root, out=np.array(-e), where=(e > 0) & (root > 0))
    return np.asarray(np.where(e > 0, signed, root))


def _optimal_offset(s: FloatArray, e: FloatArray, h: FloatArray) -> FloatArray:
    # In units of d: s = c/d, e = epsilon^2 g/d. 1 - r^2 = s^2 + 2 e r, which does not cancel for r near 1.
    sure = (e >= 1) | (s**2 >= 1 + e**2)
    s, e = np.where(sure, 1.0, s), np.where(sure, 0.0, e)
    r = _height(np.ones_like(s), s, e)
    cap = _cap(np.sqrt(np.clip(s**2 + 2 * e * r, 0.0, 1.0)), h)
    share = np.minimum(np.where(r >= 0, cap, 1 - cap), _NEARLY)  # a cap too small to be seen is left all the same
    return np.where(sure | (r <= -1), 1.0, share)


def _uniform_offset(s: FloatArray, e: FloatArray, h: FloatArray) -> FloatArray:
    """Mean of I_x((h-1)/2, (h-1)/2), x = min(1, (s^2 + 2 e t)/4), over t = u1/d, (1 + t)/2 ~ Beta((h-1)/2, (h-1)/2)."""
    ends = s[:, None] ** 2 + 2 * e[:, None] * np.array([-1.0, 1.0])
    result: FloatArray = np.where(ends < 4, 0.5, 1.0).mean(axis=1)  # h = 1: t is -1 or 1
    for start in range(0, len(s), _NODE_ROWS):
        part = np.arange(start, min(start + _NODE_ROWS, len(s)))
        part = part[h[part] > 1]
        result[part] = _uniform_mean(s[part], e[part], (h[part] - 1) / 2)
    return result


def _uniform_mean(s: FloatArray, e: FloatArray, half: FloatArray) -> FloatArray:
    # Beyond t = top everything is within reach. Below, t = cos(angle), an interval of angles that leaves out next to
    # no mass, and nodes dense at its ends, where the integrand may go as a root: exact to 1e-11 or so.
    excess = np.clip(4 - s**2, -2 * e, 2 * e)
    top = np.divide(excess, 2 * e, out=np.sign(4 - s**2), where=e > 0)
    edge = np.arccos(1 - 2 * betaincinv(half, half, _TAIL))
    first = np.maximum(np.arccos(top), edge)
    length = np.maximum(np.pi - edge - first, 0.0)
    angle = first[:, None] + length[:, None] * _NODES
    x = np.clip((s[:, None] ** 2 + 2 * e[:, None] * np.cos(angle)) / 4, 0.0, 1.0)
    with np.errstate(divide="ignore"):  # an empty interval
        density = np.exp((2 * half[:, None] - 1) * np.log(np.sin(angle)) - betaln(half, 0.5)[:, None])
    share = length * ((betainc(half[:, None], half[:, None], x) * density) @ _WEIGHTS)
    return np.asarray(np.clip(betainc(half, half, (1 - top) / 2) + share, 0.0, 1.0))


def attribute_breach_probability(
    residual: ArrayLike, spread: ArrayLike, hidden_dimension: ArrayLike, tolerance: ArrayLike
) -> Any:
    """Probability that the best guess of one attribute is within ``tolerance`` of its value.

    The hidden part of attribute l is d * s_l * t, with t a coordinate of a random unit vector in h dimensions and
    ``spread`` s_l the norm of the l-th row of the hidden basis. For h >= 3 the density of t is highest at the
    centre: P = I_{x^2}(1/2, (h-1)/2) with x = tolerance / (d s_l). For h = 1 and 2 the mass sits at the ends,
    and the guess whose interval ends there wins: 1/2 and arccos(1 - 2x) / pi.

    Parameters
    ----------
    residual
        Distance d of the released row from the linked rows' span.
    spread
        The norm s_l.
    hidden_dimension
        The number h of dimensions that the links leave undetermined.
    tolerance
        Largest error of a right guess.

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
