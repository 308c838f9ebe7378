# SPDX-License-Identifier: BSD-3-Clause
"""Releases and true links made by hand: attacks can be tested without linking."""

import numpy as np

from isobreach.linking import Linkage
from isobreach.release import Precision
from oracles import rotation

DOUBLE = Precision(0.0, 0.0, 2.0**-53, "float64 values")


class Release:
    """Records behind a motion into ``wide`` columns, shuffled, with noise and a scale; ``linkage`` gives true links."""

    def __init__(self, records, rng, motion="rigid", *, wide=None, scale=1.0, noise=0.0, translation=5.0, store=None):
        m, n = records.shape
        wide = n if wide is None else wide
        self.records, self.motion, self.scale, self.noise = records, motion, scale, noise
        self.rotation = rotation(wide, rng)[:, :n]
        self.translation = np.zeros(wide) if motion == "orthogonal" else translation * rng.standard_normal(wide)
        self.order = rng.permutation(m)
        self.exact = scale * records @ self.rotation.T + self.translation
        self.released = np.empty((m, wide))
        self.released[self.order] = self.exact + noise * rng.standard_normal((m, wide))
        self.store = store
        if store is not None:
            self.released = store(self.released)

    def linkage(self, linked, precision=DOUBLE, known=None):
        """The known records are the ``linked`` ones, each with its true row."""
        rows = self.order[np.asarray(linked, dtype=int)]
        lengths = np.linalg.norm(self.exact, axis=1) + self.scale * np.linalg.norm(self.records, axis=1)
        candidates = tuple(np.flatnonzero((self.released == self.released[row]).all(axis=1)) for row in rows)
        return Linkage(
            rows=np.array([same[0] for same in candidates], dtype=np.int64),
            status=np.full(len(rows), "linked", dtype="U9"),
            candidates=candidates,
            complete=True,
            chance=None,
            precision=precision,
            radius=precision.radius(lengths, self.released.shape[1])[np.asarray(linked, dtype=int)],
            rule="backbone",
            motion=self.motion,
            scale=self.scale,
            noise=self.noise,
        )
