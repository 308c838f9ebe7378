# SPDX-License-Identifier: BSD-3-Clause
"""Reflections that lead out of a local optimum: the mirror is sought, not one of the axes taken.

A wrong optimum mostly differs from the right one by a few reflections, each in a direction v that mixes axes of similar
variance: flipping one of these axes is too far from it to descend there. So v itself is sought. With z the whitened
image of a sample record, a = v'P s its hidden coordinate along v, and g_c = U_c' B' v, the reflection
P <- (I - 2 v v') P moves the image by -2 a B'v, and in component c

    |(z - 2 a B'v - m_c)' U_c|^2 = |t_c|^2 - 4 a <t_c, g_c> + 4 a^2 |g_c|^2,      t_c = (z - m_c)' U_c.

t_c does not depend on v: a value with its gradient costs m C n products instead of the m C n^2 of a likelihood, so that
descents over the sphere from every axis cost as much as a few evaluations.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import Pose
from isobreach.attacks.alignment.placing import Placing


@dataclass(frozen=True)
class ReflectionTuning:
    """How mirrors are sought; on a table of 61 columns, 15 steps from each axis showed all that were wrong."""

    steps: int = 15  # from each axis, at most
    apart: float = 0.9  # |cosine| above which two mirrors are one


TUNING = ReflectionTuning()
_PASSES = 4  # products of m C n in a value with its gradient


@dataclass(frozen=True, eq=False)
class Mirrors:
    """F after a reflection of a pose, as a function of the mirror's normal.

    Attributes
    ----------
    apart, terms
        t_c of each record, C x m x n, and log w_c N(z; m_c, S_c), m x C.
    hidden, roots
        P s of each record, m x h; B U_c side by side, h x (C n).
    """

    apart: FloatArray
    terms: FloatArray
    hidden: FloatArray
    roots: FloatArray

    @classmethod
    def of(cls, placing: Placing, pose: Pose) -> "Mirrors":
        """Return those of a pose."""
        apart, terms, roots = placing.terms(pose)
        kind = apart.dtype
        _, hidden, basis = placing.parts
        turned = (hidden @ pose.rotation.T).astype(kind)
        return cls(np.ascontiguousarray(apart.transpose(1, 0, 2)), terms, turned, basis.astype(kind) @ roots)

    def gradient(self, normal: FloatArray) -> tuple[float, FloatArray]:
        """Return F, without what noisy links add, and its derivative by a normal of any length."""
        length = np.linalg.norm(normal)
        unit = normal / length
        v = unit.astype(self.apart.dtype)
        a, g = self.hidden @ v, (v @ self.roots).reshape(len(self.apart), -1)
        along, squares = np.matmul(self.apart, g[:, :, None])[:, :, 0].T, (g * g).sum(axis=1)
        terms = self.terms + 2 * a[:, None] * (along - a[:, None] * squares)
        top = terms.max(axis=1, keepdims=True)
        shares = np.exp(terms - top)
        total = shares.sum(axis=1, keepdims=True)
        shares /= total
        by_a = (shares * (2 * along - 4 * a[:, None] * squares)).sum(axis=1)
        weighted = (shares * a[:, None]).T
        by_g = 2 * np.matmul(weighted[:, None, :], self.apart)[:, 0] - 4 * (weighted @ a)[:, None] * g
        slope = -np.asarray(self.hidden.T @ by_a + self.roots @ by_g.ravel(), dtype=np.float64) / len(a)
        return -float((top + np.log(total)).mean()), (slope - (slope @ unit) * unit) / length


def reflected(placing: Placing, pose: Pose, effort: Evaluations) -> list[tuple[float, Pose]]:
    """Best reflections of a pose, one for each mirror that a descent from an axis ends at; the least F first.

    Parameters
    ----------
    placing
        F, perhaps of a blurred density.
    pose
        What is reflected.
    effort
        Counts evaluations: so many of a mirror count as one of F as cost as much.
    """
    h, n = len(pose.rotation), placing.sample.shape[1]
    mirrors = Mirrors.of(placing, pose)
    ends, count = [], 0
    for axis in np.eye(h):
        end = minimize(mirrors.gradient, axis, jac=True, method="L-BFGS-B", options={"maxiter": TUNING.steps})
        ends.append((float(end.fun), end.x / np.linalg.norm(end.x)))
        count += end.nfev
    effort.spend(placing.cost * max(1, round(_PASSES * count / n)))
    kept: list[tuple[float, FloatArray]] = []
    for value, v in sorted(ends, key=lambda one: one[0]):
        if all(abs(v @ other) < TUNING.apart for _, other in kept):
            kept.append((value, v))
    return [(value, replace(pose, rotation=_mirrored(pose.rotation, v))) for value, v in kept]


def _mirrored(rotation: FloatArray, normal: FloatArray) -> FloatArray:
    """(I - 2 v v') P."""
    return np.asarray(rotation - 2 * np.outer(normal, normal @ rotation))
