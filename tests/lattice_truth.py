# SPDX-License-Identifier: BSD-3-Clause
"""Whether what the lattice attack claims of a release is true, judged against the records that were released."""

from types import SimpleNamespace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

import isobreach as ib
from isobreach.attacks.lattice import EFFORT
from oracles import rotation as random_rotation

TURNED = 5e-2  # noise turns axes a little; wrong ones are turned by more

letter = ib.datasets.load("letter").values


def release_of(records, *, translate, seed, decimals=None, single=False, noise=0.0):
    """Records published with ``perturb``: released rows, the records in their order, the rotation."""
    release = ib.perturb(records, "rigid" if translate else "orthogonal", seed=seed)
    rows = release.data + noise * np.random.default_rng(seed).standard_normal(records.shape)
    rows = rows if decimals is None else np.round(rows, decimals)
    rows = rows.astype(np.float32) if single else rows
    return SimpleNamespace(rows=rows, records=records[np.argsort(release.key.order)], rotation=release.key.rotation)


class Planted:
    """Records behind a rotation, a translation and noise, in released order; ``store`` is what publishing does to it.

    ``rotation`` is given where the release is to be turned by no random one.
    """

    def __init__(
        self, records, rng, *, translation=0.0, noise=0.0, law="normal", store=None, rotation=None, scale=1.0, wide=0
    ):
        self.records = scale * np.asarray(records, dtype=float)
        rows, columns = self.records.shape
        width = columns + wide
        turned = random_rotation(width, rng) if rotation is None else rotation
        self.rotation = turned[:, :columns]
        shift = translation * rng.standard_normal(width) if np.isscalar(translation) else translation @ turned.T
        draw = rng.standard_normal if law == "normal" else (lambda size: rng.uniform(-np.sqrt(3), np.sqrt(3), size))
        self.released = self.records @ self.rotation.T + shift + noise * draw((rows, width))
        if store is not None:
            self.released = store(self.released)

    def attack(self, *, seed=0, effort=EFFORT, **knowledge):
        """What the attack finds, after checking that it is true."""
        found = ib.reconstruct("lattice", self.released, ib.Knowledge(**knowledge), seed=seed, effort=effort)
        assert falsehoods(found, self.records, self.rotation) == [], found.reason
        return found


def falsehoods(found, records, rotation):
    """What is untrue of a claim: sentences, none of them where all of it is true.

    ``records`` in released order; ``rotation`` takes them to released coordinates (N x n). An axis must be an
    attribute's, an estimated column a true one up to an open sign and offset, no attribute twice, and what knowledge
    settled must be so. Attributes that depend on each other have no axes of their own: their estimates decide.
    """
    if not found.claimed:
        silent = not found.recovered.any() and np.isnan(found.estimates).all()
        silent = silent and not any(found.column_by + found.sign_by + found.offset_by)
        return [] if silent else ["claims beside no claim"]
    width = len(rotation)
    truth = np.hstack([records, np.zeros((len(records), width - records.shape[1]))])
    wrong = [] if found.recovered.any() else ["a claim of nothing"]
    if not np.allclose(found.axes @ found.axes.T, np.eye(width), atol=1e-6):
        wrong.append("axes are not orthogonal")
    if np.isnan(found.estimates[:, found.recovered]).any():
        wrong.append("a recovered column without estimates")
    centred = records - records.mean(axis=0)
    moving = centred[:, np.ptp(records, axis=0) > 0]
    sizes = np.linalg.svd(moving / np.maximum(np.linalg.norm(moving, axis=0), 1e-300), compute_uv=False)
    if (sizes > 1e-9).sum() == moving.shape[1]:
        for j in np.flatnonzero(found.recovered):
            shares = np.sort(np.abs(found.axes[j] @ rotation)[np.ptp(records, axis=0) > 0])
            if np.abs(shares - (np.arange(len(shares)) == len(shares) - 1)).max() > TURNED:
                wrong.append(f"axis {j} is no attribute's: {shares[-3:]}")
    return wrong + _wrong_columns(found, truth)


def _wrong_columns(found, truth):
    """What is untrue of the estimates and of what is settled."""
    width = truth.shape[1]
    stated = np.flatnonzero(~np.isnan(found.estimates).all(axis=0))
    possible = np.zeros((width, width), dtype=bool)
    wrong = []
    for j in range(width):
        if j not in stated:
            possible[j] = True
            continue
        columns = [j] if found.column_by[j] else range(width)
        possible[j, list(columns)] = [_is_same(found, j, truth[:, c]) for c in columns]
        if not possible[j].any():
            settled = found.column_by[j], found.sign_by[j], found.offset_by[j]
            wrong.append(f"column {j} (settled by {settled}) is no attribute")
    if not wrong and (maximum_bipartite_matching(csr_array(possible), perm_type="column") < 0).any():
        wrong.append("one attribute is claimed several times")
    return wrong


def _is_same(found, j, attribute):
    """Whether column j of the estimates is this attribute, as far as its sign and offset are settled."""
    column = found.estimates[:, j]
    step = found.steps[j] if np.isfinite(found.steps[j]) else np.ptp(column) + 1e-9 * (1 + np.abs(column).max())
    # Noise moves a few entries by whole steps, and hides what a step is off by.
    slack = min(1e-5 * step + 20 * found.noise, 0.25 * step) + 1e-9 * np.abs(attribute).max()
    most = 0 if found.misread <= 1e-9 else 3 + 3 * found.misread * len(column)
    signs = (1,) if found.sign_by[j] else (1, -1)
    for sign in signs:
        gaps = column - sign * attribute
        offset = 0.0 if found.offset_by[j] else np.median(gaps)
        if (np.abs(gaps - offset) > slack).sum() <= most:
            return True
    return False
