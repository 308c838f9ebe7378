# SPDX-License-Identifier: BSD-3-Clause
r"""What no coalition of a given size can exceed, whoever its members are.

Let t_i = d_i / |x_i| be the relative residual of record i, and suppose that all of k insiders are linked. Under an
orthogonal motion they determine at most k dimensions, and the sum of squared projections of the normalised records on
any k dimensions is at most the sum of the k largest eigenvalues of their Gram matrix (Ky Fan):

    sum_i (1 - t_i^2)  <=  lambda_1 + ... + lambda_k.

A record is breached with probability p(t_i, h) only, which falls with t and with the hidden dimension h >= n - k. If N
records have p >= level, then t_i <= tau for them, tau the largest t with p(t, n - k) >= level, hence

    N  <=  (lambda_1 + ... + lambda_k) / (1 - tau^2),

and with q the least concave function above p(sqrt(s), n - k) on 0 <= s <= 1, Jensen's inequality bounds the mean of all
breach probabilities by q(1 - (lambda_1 + ... + lambda_k) / m).

The one most exposed record has a bound of its own. Let mu be the largest |cosine| between two records, the *coherence*
of the table. The Gram matrix of k directions has no eigenvalue below 1 - (k - 1) mu (Gershgorin), so that

    1 - t_i^2  <=  k mu^2 / (1 - (k - 1) mu)      where that is below 1,

and no record has a higher breach probability than p at that t. For one insider it is reached, by the two nearest.

A rigid motion determines k - 1 dimensions of an affine hull that lies within the span of the k records: residuals are
no smaller, hidden dimensions no fewer, so the same bounds hold. Records of zeros count as breached.
"""

from dataclasses import dataclass

import numpy as np

from isobreach.audits.exposure import OwnersTable
from isobreach.geometry import breach_probability

_STEPS = 2000  # of squared residuals: the bound is then too high by at most what p falls within one of them


@dataclass(frozen=True)
class Bound:
    """No coalition of ``size`` breaches more than ``records`` others, nor has a higher mean than ``mean``.

    ``worst``: nor breaches any one other record with a higher probability.
    """

    size: int
    records: int
    mean: float
    worst: float


def bounds(table: OwnersTable, sizes: tuple[int, ...], level: float) -> list[Bound]:
    """Bounds for each size; ``level``: breach probability from which on a record counts as breached."""
    epsilon, total = table.epsilon, table.total
    if not table.proved:
        return [Bound(size, total - size, 1.0, 1.0) for size in sizes]
    gram, zero = table.gram
    energy = np.concatenate([[0.0], np.cumsum(np.linalg.eigvalsh(gram)[::-1])])
    some, n = total - zero, len(gram)
    found = []
    for size in sizes:
        hidden = max(n - size, 0)
        seen = min(float(energy[min(size, n)]) * (1 + 1e-9), some)
        most, mean = _most(seen, hidden, epsilon, level), _mean(1 - seen / max(some, 1), hidden, epsilon)
        most = min(most + zero, total - size)
        # The insiders, who know their own records, are among those that the mean is of.
        rest = max(total - size, 1)
        worst = 1.0 if zero else _worst(size, table.coherence, hidden, epsilon)
        found.append(Bound(size, max(int(most), 0), min((mean * some + zero) / rest, 1.0), worst))
    return found


def _most(seen: float, hidden: int, epsilon: float, level: float) -> float:
    """(lambda_1 + ... + lambda_k) / (1 - tau^2), infinite where tau = 1."""
    if hidden == 0 or breach_probability(1.0, 1.0, hidden, epsilon) >= level:
        return np.inf
    low, high = 0.0, 1.0  # p(low) >= level > p(high)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if breach_probability(middle, 1.0, hidden, epsilon) >= level else (low, middle)
    return float(np.floor(seen / (1 - high**2) * (1 + 1e-9)))


def _worst(size: int, coherence: float, hidden: int, epsilon: float) -> float:
    """p at the smallest relative residual that ``size`` records can leave of another; 1 where that is 0."""
    least = 1 - (size - 1) * coherence
    seen = size * coherence**2 / least if least > 0 else 1.0
    return float(breach_probability(np.sqrt(max(1 - seen, 0.0)), 1.0, hidden, epsilon))


def _mean(share: float, hidden: int, epsilon: float) -> float:
    """q(share) for the least concave q above p(sqrt(s)), p taken at the left end of each step: never too low."""
    if hidden == 0:
        return 1.0
    s = np.linspace(0.0, 1.0, _STEPS + 1)
    p = np.asarray(breach_probability(np.sqrt(s), 1.0, hidden, epsilon))
    p = np.concatenate([p[:1], p[:-1]])  # falls with s: the left end is the largest of a step
    hull: list[int] = []
    for i in range(len(s)):
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (p[b] - p[a]) * (s[i] - s[a]) > (p[i] - p[a]) * (s[b] - s[a]):
                break
            hull.pop()
        hull.append(i)
    return float(np.interp(max(share, 0.0), s[hull], p[hull]))
