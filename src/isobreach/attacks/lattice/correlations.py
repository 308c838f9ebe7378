# SPDX-License-Identifier: BSD-3-Clause
r"""Axes matched to attributes by how they go together, not one by one.

Let A be the inverse of the correlations of the axes over all rows, B the correlations of the attributes in m sample
records, and P the signed assignment (P_jc = sign where axis j is attribute c, else 0). Were records normal, the
log-likelihood of the sample would be a constant less (m - 1)/2 tr(P' A P B). Added to the log-likelihoods of single
axes, it is climbed from their best matching, with a part of its weight at first: two axes change attributes, or one its
sign, as long as that gains. Then a few axes are dealt anew, and the better of both ends stays, so many times.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks.lattice.offsets import SIGNS


@dataclass(frozen=True)
class Joint:
    """How correlations are climbed."""

    ridge: float = 1e-3  # Added to correlations of axes, some of which may be sums of others.
    sweeps: int = 50  # Over all axes; set by hand, as climbs end by themselves.
    tried: int = (
        8  # Attributes of an axis, the likeliest given all others; set by hand, it only decides what is missed.
    )
    gain: float = 1e-9  # Of a log-likelihood, that is no roundoff.
    weights: tuple[float, ...] = (
        0.03,
        0.1,
        0.3,
        1.0,
    )  # Of correlations, in turn: at once, they end in the next maximum.
    deals: int = 40  # Times that axes are dealt anew; set by hand on 20 and 50 records of Letter.
    dealt: int = 4  # Axes.
    seed: int = 0  # Of what is dealt.


_JOINT = Joint()


class Correlations:
    """Correlations of axes and of attributes; of no weight where there are fewer than three sample records."""

    def __init__(self, values: FloatArray, sample: FloatArray | None, attributes: int) -> None:
        self._weight = 0.0 if sample is None or len(sample) < 3 else float(len(sample) - 1)
        axes = values.shape[1]
        self._inverse: FloatArray = np.zeros((axes, axes))
        self._between: FloatArray = np.zeros((attributes, attributes))
        if sample is not None and self._weight:
            own = _correlations(values) + _JOINT.ridge * np.eye(axes)
            self._inverse, self._between = np.asarray(np.linalg.inv(own), dtype=np.float64), _correlations(sample)

    def assigned(self, scores: FloatArray) -> tuple[IntArray, IntArray]:
        """Attribute of every axis, and the place of its sign, by log-likelihoods of axis, attribute and sign."""
        attributes = np.asarray(linear_sum_assignment(-scores.max(axis=2))[1], dtype=np.int64)
        signs = np.asarray(scores[np.arange(len(attributes)), attributes].argmax(axis=1), dtype=np.int64)
        if not self._weight:
            return attributes, signs
        state = attributes, signs
        for weight in _JOINT.weights:
            state = self._climbed(scores / weight, *state)
        random = np.random.default_rng(_JOINT.seed)
        for _ in range(_JOINT.deals):
            dealt = random.permutation(len(attributes))[: _JOINT.dealt]
            attributes, signs = state[0].copy(), state[1].copy()
            attributes[dealt] = random.permutation(attributes[dealt])
            signs[dealt] = random.integers(0, 2, len(dealt))
            other = self._climbed(scores, attributes, signs)
            mirrored = self._climbed(scores, other[0], 1 - other[1])  # correlations do not see all signs change
            state = max(state, other, mirrored, key=lambda one: self.likelihood(scores, *one))
        return state

    def _climbed(self, scores: FloatArray, attributes: IntArray, signs: IntArray) -> tuple[IntArray, IntArray]:
        """Where an assignment ends if axes move in turn, each to one of its likeliest attributes given the rest."""
        best = self.likelihood(scores, attributes, signs)
        for _ in range(_JOINT.sweeps):
            before = best
            for axis in range(len(attributes)):
                likely = np.argsort(-self._of(axis, scores, attributes, signs).max(axis=1), kind="stable")
                for attribute in likely[: _JOINT.tried]:
                    moved = self._moved(scores, attributes, signs, axis, int(attribute))
                    value = self.likelihood(scores, *moved)
                    if value > best + _JOINT.gain:
                        best, (attributes, signs) = value, moved
                        break
            if best == before:
                break
        return attributes, signs

    def _moved(
        self, scores: FloatArray, attributes: IntArray, signs: IntArray, axis: int, attribute: int
    ) -> tuple[IntArray, IntArray]:
        """The assignment with this axis at this attribute, and whatever had it at the axis' own."""
        other = np.flatnonzero(attributes == attribute)
        attributes, signs = attributes.copy(), signs.copy()
        attributes[other], attributes[axis] = attributes[axis], attribute
        for place in (axis, *other):
            signs[place] = self._of(place, scores, attributes, signs)[attributes[place]].argmax()
        return attributes, signs

    def likelihood(self, scores: FloatArray, attributes: IntArray, signs: IntArray) -> float:
        """Log-likelihood of an assignment."""
        along = SIGNS[signs]
        between = self._between[np.ix_(attributes, attributes)] * np.outer(along, along)
        own = float(scores[np.arange(len(attributes)), attributes, signs].sum())
        return own - self._weight / 2 * float((self._inverse * between).sum())

    def given(self, scores: FloatArray, attributes: IntArray, signs: IntArray) -> FloatArray:
        """Log-likelihoods of axis, attribute and sign, given what all other axes are."""
        return np.stack([self._of(axis, scores, attributes, signs) for axis in range(len(attributes))])

    def _of(self, axis: int, scores: FloatArray, attributes: IntArray, signs: IntArray) -> FloatArray:
        """Of one axis."""
        along = self._inverse[axis] * SIGNS[signs]
        along[axis] = 0.0
        return np.asarray(scores[axis] - self._weight * (along @ self._between[attributes])[:, None] * SIGNS)


def _correlations(table: FloatArray) -> FloatArray:
    """Correlations of the columns, those that do not vary with none."""
    centred = table - table.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    scaled = centred / np.where(lengths > 0, lengths, 1.0)
    out = scaled.T @ scaled
    out[np.diag_indices_from(out)] = 1.0
    return np.asarray(out)
