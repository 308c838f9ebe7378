# SPDX-License-Identifier: BSD-3-Clause
"""Placing a sample in the density of the release: the likelihood of a pose.

    F(P, u) = - mean over the sample of log q(image of s) - (<pull, P> - hold |u|^2 / 2) / m

is, but for a constant, -1/m times the log-likelihood of the motion, if q is the density of released rows; the second
part is that of noisy links (``frames``). Released rows with noise of known level are compared with sample records to
which as much noise was added: it is isotropic, so that no rotation changes it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.frames import Frame, Pose, planes
from isobreach.attacks.alignment.mixture import Mixture, Whitening

DEAR = 2e7  # products in an evaluation that counts once: a few milliseconds
_INFORMED_ROWS = 2_000  # released rows whose scores give the information: its square roots are then right within 2%


@dataclass(frozen=True, eq=False)
class Placing:
    """F of a sample under a mixture; as an ``Objective``.

    Attributes
    ----------
    frame
        What links leave open.
    whitening, mixture
        The density of released rows.
    sample
        Records, with the release's noise added where it has any; each may be there several times.
    records
        m: how many there are without the copies.
    information
        Of one record about each coordinate of a pose: see ``information``.
    """

    frame: Frame
    whitening: Whitening
    mixture: Mixture
    sample: FloatArray
    records: int
    information: FloatArray

    @cached_property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Whitened visible part, hidden coordinates, and By' W: the image is visible + hidden P' B + u B."""
        frame = self.frame
        apart = self.sample - frame.centre_x
        visible = self.whitening(apart @ frame.visible_x @ frame.visible_y.T + frame.centre_y)
        return visible, apart @ frame.hidden_x, frame.hidden_y.T @ self.whitening.basis

    @cached_property
    def cost(self) -> int:
        """Evaluations that one counts for: dear ones, of many rows, columns and components, count several times."""
        return max(1, int(len(self.sample) * self.sample.shape[1] ** 2 * self.mixture.size / DEAR))

    @cached_property
    def scale(self) -> FloatArray:
        """Inverse information, with a floor for planes in which nothing can be seen."""
        if not len(self.information):
            return self.information
        return np.asarray(1 / (self.information + 1e-3 * np.median(self.information) + np.finfo(np.float64).tiny))

    def _images(self, pose: Pose) -> FloatArray:
        visible, hidden, basis = self.parts
        images = visible + hidden @ (pose.rotation.T @ basis)
        images = images + pose.offset @ basis if len(pose.offset) else images
        return images.astype(self.mixture.means.dtype, copy=False)

    def terms(self, pose: Pose) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return (z - m_c)' U_c of each image z, its log w_c N(z; m_c, S_c), and the U_c: see ``Mixture.terms``."""
        return *self.mixture.terms(self._images(pose)), self.mixture.roots

    def levels(self, pose: Pose) -> FloatArray:
        """Return -log q of each sample record's image."""
        return -self.mixture.log_density(self._images(pose))

    def value(self, pose: Pose) -> float:
        """Return F."""
        return float(self.levels(pose).mean()) - self.frame.linked(pose) / self.records

    def gradient(self, pose: Pose) -> tuple[float, FloatArray, FloatArray]:
        """Return F, dF/dP and dF/du."""
        _, hidden, basis = self.parts
        density, score = self.mixture.scored(self._images(pose))
        along, pull = score @ basis.T, self.frame.pull
        by_rotation = -along.T @ hidden / len(hidden)
        if pull is not None:
            by_rotation -= pull / self.records
        by_offset = np.zeros(0)
        if len(pose.offset):
            by_offset = self.frame.hold * pose.offset / self.records - along.mean(axis=0)
        return -float(density.mean()) - self.frame.linked(pose) / self.records, by_rotation, by_offset


def information(frame: Frame, whitening: Whitening, mixture: Mixture, rows: FloatArray, records: int) -> FloatArray:
    """Fisher information of one record about each coordinate of a pose, over released rows.

    For the plane (i, j), with psi the score of q in hidden coordinates: I_ij = E[(psi_j y_i - psi_i y_j)^2]; for
    the offset E[psi_i^2]. Noisy links add theirs, shared among the sample's ``records``.
    """
    rows = rows[:_INFORMED_ROWS]
    score = mixture.scored(whitening(rows))[1] @ (frame.hidden_y.T @ whitening.basis).T
    hidden = (rows - frame.centre_y) @ frame.hidden_y
    squares = (hidden**2).T @ score**2 / len(rows)
    mixed = (hidden * score).T @ (hidden * score) / len(rows)
    told = squares + squares.T - 2 * mixed
    if frame.pull is not None:
        strength = np.linalg.norm(frame.pull, axis=1) / records
        told = told + strength[:, None] + strength[None, :]
    found = np.maximum(told, 0)[planes(frame.hidden)]
    offset = (score**2).mean(axis=0) + frame.hold / records if frame.floats else np.zeros(0)
    return np.concatenate([found, offset])
