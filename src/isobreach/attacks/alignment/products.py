# SPDX-License-Identifier: BSD-3-Clause
"""Axes that relations between products show: amounts are prices times quantities, an index weight over squared height.

The forms A_k of such relations are products of few axes of attributes: nearly all of their entries are zero, and in any
other frame they are not. With T_k the form in a frame R, T_k = R' A_k R for degree two, and orthonormal forms,

    F(R) = - sum over products (a, b) of d_ab^2,     d_ab = sum over k, and over the orders of a and b, of T_k,ab^2,

d_ab the squared length of what a product has in the space of forms. These lengths have a fixed sum, so that F is least
where few are large: the quartimax rotation of factor analysis (Neuhaus and Wrigley 1954), over frames. The release
alone says so, exactly, behind a translation too. An attribute that is a product and in none itself lies across all
forms: where a product is a form of its own, the linear part of its relation points along it.

A plane has wrong optima half a right angle off: (a + b)^2 - (a - b)^2 = 4 a b, and two flags, a^2 = a and b^2 = b, keep
half of what they have. So after each descent every plane is turned by as much, and the best turn kept, while it gains.

F is minus the number of forms where each product is a form of its own, and cannot be less. Axes count where independent
starts find the same: those of a circle, which any rotation keeps, do not.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.descent import Evaluations, descend
from isobreach.attacks.alignment.frames import Pose
from isobreach.attacks.alignment.placing import DEAR
from isobreach.attacks.alignment.relations import Relations, orders
from isobreach.attacks.alignment.relations import turned as in_frame
from isobreach.geometry import haar


@dataclass(frozen=True)
class ProductTuning:
    """How the frame is sought."""

    starts: int = 12  # random frames at most: of 14 flags, too, each of them finds the least F
    steps: int = 200  # of a descent at most, which ends by what it gains
    gain: float = 1e-14  # of a step: axes are then right within 1e-7
    agreeing: int = 2  # starts that find the least F
    same: float = 1e-6  # difference of values of F, and of a cosine from one
    none: float = 1e-6  # squared length that a direction has in no form
    dear: float = 2e6  # entries of all forms times columns: a second of a processor


TUNING = ProductTuning()


@dataclass(frozen=True, eq=False)
class Sparse:
    """F of a frame; as an ``Objective``."""

    forms: FloatArray

    @cached_property
    def orders(self) -> FloatArray:
        """How often the square of an entry counts."""
        return orders(self.forms.shape[1], self.forms.ndim - 1)

    def lengths(self, frame: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the T_k and the sums of their squares."""
        turned = in_frame(self.forms, frame, range(1, self.forms.ndim))
        return turned, (turned**2).sum(axis=0)

    def value(self, pose: Pose) -> float:
        """Return F."""
        return self.gradient(pose)[0]

    def gradient(self, pose: Pose) -> tuple[float, FloatArray, FloatArray]:
        """Return F, dF/dR and nothing for an offset."""
        degree, frame = self.forms.ndim - 1, pose.rotation
        nearly = in_frame(self.forms, frame, range(2, self.forms.ndim))  # but for the first index
        turned = in_frame(nearly, frame, (1,))
        squares = (turned**2).sum(axis=0)
        weighted = self.orders * squares
        others = [0, *range(2, self.forms.ndim)]
        slope = -4 * degree * np.tensordot(nearly, weighted * turned, (others, others))
        return -float((weighted * squares).sum()), slope, np.zeros(0)

    @property
    def cost(self) -> int:
        """Evaluations that one counts for."""
        return max(1, int(2 * self.forms.ndim * self.forms.size * self.forms.shape[1] / DEAR))

    @property
    def scale(self) -> FloatArray:
        """All planes alike: curvatures are those of a sum of squares of orthonormal forms."""
        n = self.forms.shape[1]
        return np.full(n * (n - 1) // 2, 1 / 16)


def product_axes(relations: Relations, rng: np.random.Generator, effort: Evaluations) -> FloatArray:
    """Orthonormal axes in which products stand for themselves, one a column; there may be none.

    Parameters
    ----------
    relations
        Of the released rows.
    rng
        Draws starts.
    effort
        Counts evaluations.
    """
    n = relations.forms.shape[1]
    if not len(relations) or relations.forms.size * n > TUNING.dear:
        return np.zeros((n, 0))
    others = [0, *range(2, relations.degree + 1)]
    lengths, basis = np.linalg.eigh(np.tensordot(relations.forms, relations.forms, (others, others)))
    across, within = basis[:, lengths <= TUNING.none], basis[:, lengths > TUNING.none]
    sparse = Sparse(in_frame(relations.forms, within, range(1, relations.degree + 1)))
    found: list[tuple[Pose, float]] = []
    bound = -len(sparse.forms) + TUNING.same
    while len(found) < TUNING.starts and sum(value < bound for _, value in found) < TUNING.agreeing:
        found.append(_settled(sparse, Pose(haar(within.shape[1], rng), np.zeros(0)), effort))
    least = min(value for _, value in found)
    frames = [pose.rotation for pose, value in found if value < least + TUNING.same * abs(least)]
    if len(frames) < TUNING.agreeing:
        return np.zeros((n, 0))
    alike = np.array([np.abs(frames[0].T @ other).max(axis=1) for other in frames[1:]]).min(axis=0)
    axes = within @ frames[0][:, alike > 1 - TUNING.same]
    axes = np.hstack([axes, *_products(relations, sparse, frames[0], across)])
    return np.hstack([axes, np.linalg.svd(axes)[0][:, -1:]]) if axes.shape[1] == n - 1 else axes


def _settled(sparse: Sparse, pose: Pose, effort: Evaluations) -> tuple[Pose, float]:
    """Descend from a pose, and on from the best plane that half a right angle improves, until there is none."""
    pose, value = descend(sparse, pose, effort, steps=TUNING.steps, gain=TUNING.gain)
    h = len(pose.rotation)
    while h > 1:
        turns = [Pose(_half_turned(pose.rotation, *pair), pose.offset) for pair in combinations(range(h), 2)]
        values = [sparse.value(turn) for turn in turns]
        effort.spend(len(turns) * sparse.cost)
        if min(values) >= value - TUNING.same:
            break
        best = turns[int(np.argmin(values))]
        pose, value = descend(sparse, best, effort, steps=TUNING.steps, gain=TUNING.gain)
    return pose, value


def _half_turned(frame: FloatArray, first: int, second: int) -> FloatArray:
    """A frame with two of its axes turned by half a right angle."""
    turned = frame.copy()
    turned[:, first] = (frame[:, first] + frame[:, second]) / np.sqrt(2)
    turned[:, second] = (frame[:, first] - frame[:, second]) / np.sqrt(2)
    return turned


def _products(relations: Relations, sparse: Sparse, frame: FloatArray, across: FloatArray) -> list[FloatArray]:
    """Directions across all forms, at right angles, of the linear parts of relations with a single product."""
    turned, squares = sparse.lengths(frame)
    chosen: list[FloatArray] = []
    for term in zip(*np.nonzero(sparse.orders * squares > 1 - TUNING.same), strict=True):
        direction = across @ (across.T @ (turned[:, *term] @ relations.linear))
        size = float(np.linalg.norm(direction))
        direction = (direction / max(size, np.finfo(np.float64).tiny))[:, None]
        if size > TUNING.none and all(abs(float((one * direction).sum())) < TUNING.same for one in chosen):
            chosen.append(direction)
    return chosen
