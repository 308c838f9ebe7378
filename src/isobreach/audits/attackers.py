# SPDX-License-Identifier: BSD-3-Clause
"""Attackers beyond insiders: each takes the release, as it would be published, and gives estimates of its records.

They are a list of names, those of ``isobreach.attacks.reconstruct``: one that is added there can be named here. An
attack that makes no claim breaches nothing. One that does is judged twice: on its estimates as they are, and after the
owner has *named* them. An attack without any knowledge cannot tell which attribute is which, nor signs and offsets;
but names follow from what anyone may know of a table (ranges, a few marginals), so a defence should not rest on them.
Naming: the pairs of columns that correlate most (an assignment problem), with the sign of the correlation and the
difference of the medians. Attributes that the attack did not read are then guessed at their mean. To read one attribute
of everybody may be breach enough, so attributes are counted too.

Where a release has noise, attackers know how much: a defence should not rest on that either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress, no_progress
from isobreach.attacks import ATTACKS, Knowledge, reconstruct
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.kept import Kept
from isobreach.audits.views import viewed, views
from isobreach.geometry import row_norms
from isobreach.release import ReleaseModel
from isobreach.schemes import Release


@dataclass(frozen=True, eq=False)
class AttackerFigures:
    """What an attacker who knows no record achieved: shares of all records breached.

    ``share``: by the estimates as they are. ``named``: once each column is given its attribute, sign and offset.
    ``attributes``: of each, the share of records of which it is learned within tolerance, once named; 0 where it was
    not read. ``decided``: False where more effort or knowledge might find more.
    """

    name: str
    claimed: bool
    reason: str
    share: float
    named: float
    decided: bool
    attributes: FloatArray

    @property
    def read(self) -> IntArray:
        """Attributes that the attack reads of at least half of all records."""
        return np.flatnonzero(self.attributes >= 0.5)

    @property
    def worst(self) -> float:
        """The largest share of records that are breached, or of which one attribute is learned, once named."""
        return max(self.named, float(self.attributes.max()))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is kept of it."""
        return {
            "figures": np.array([self.claimed, self.share, self.named, self.decided], dtype=np.float64),
            "attributes": self.attributes,
            "reason": np.array(self.reason),
        }


def attackers(
    names: Sequence[str],
    table: OwnersTable,
    release: Release,
    noise: float,
    seed: int,
    kept: Kept,
    progress: Progress = no_progress,
    *,
    model: ReleaseModel | None = None,
    label: str = "release",
) -> tuple[AttackerFigures, ...]:
    """Figures of every attacker against one release; those of before are ``kept``, under the release's ``label``.

    ``model``: of the release, if it is known; an attack that cannot work on it says why, and is not played. ``noise``:
    deviation of a released coordinate.
    """
    found = []
    seen = [] if model is None else views(release, model, table.records)
    for name in names:
        part = f"{label}: {name}"
        saved = kept.part(part)
        if saved is not None:
            claimed, share, named, decided = saved["figures"].tolist()
            found.append(
                AttackerFigures(
                    name, bool(claimed), str(saved["reason"]), share, named, bool(decided), saved["attributes"]
                )
            )
            continue
        attack = ATTACKS.named("attacks", name)
        view = viewed(attack, seen)
        if model is None or view is not None:
            attacked = release if view is None else view.release
            one = _attacked(name, table, attacked, noise, seed, progress)
        else:
            attributes = len(table.groups.attributes(table.records.shape[1]))
            reason = attack.suits(seen[0].model) or ""
            one = AttackerFigures(name, False, reason, 0.0, 0.0, True, np.zeros(attributes))
        found.append(one)
        kept.done(part, one.arrays, whole=True)
    return tuple(found)


def _attacked(
    name: str, table: OwnersTable, release: Release, noise: float, seed: int, progress: Progress
) -> AttackerFigures:
    records = table.records
    knowledge = Knowledge(noise=noise) if noise else Knowledge()
    attacked = reconstruct(name, release.data, knowledge, seed=seed, progress=progress)
    share, named, learned = 0.0, 0.0, np.zeros(len(table.groups.attributes(records.shape[1])))
    if attacked.claimed:
        estimates = np.asarray(attacked.estimates, dtype=np.float64)[release.key.order]
        share = breached_share(records, estimates, table.epsilon)
        told = in_names(records, estimates)
        learned = table.groups.shares(np.abs(told - records) <= table.tolerance, told)  # NaN is not
        guessed = np.where(np.isnan(told), records.mean(axis=0), told)
        named = max(share, breached_share(records, guessed, table.epsilon))
    return AttackerFigures(name, attacked.claimed, attacked.reason, share, named, attacked.decided, learned)


def breached_share(records: FloatArray, estimates: FloatArray, epsilon: float) -> float:
    """Share of records that their estimate breaches; what is not known (NaN) is none."""
    if estimates.shape[1] != records.shape[1]:
        return 0.0
    errors = row_norms(estimates - records)
    return float(np.mean(errors <= epsilon * row_norms(records)))


def in_names(records: FloatArray, estimates: FloatArray) -> FloatArray:
    """Estimates with columns, signs and offsets as the owner knows them to be; columns without an estimate stay NaN."""
    named = np.full(records.shape, np.nan)
    known = np.flatnonzero(np.isfinite(estimates).all(axis=0))
    if not len(known):
        return named
    centred, truth = estimates[:, known] - estimates[:, known].mean(axis=0), records - records.mean(axis=0)
    scale = np.outer(np.sqrt((truth**2).sum(axis=0)), np.sqrt((centred**2).sum(axis=0)))
    correlation = np.divide(truth.T @ centred, scale, out=np.zeros_like(scale), where=scale > 0)
    # Constant columns correlate with nothing: of two that do not vary, the pair is as good as any.
    for attribute, column in zip(*linear_sum_assignment(-np.abs(correlation)), strict=True):
        sign = -1.0 if correlation[attribute, column] < 0 else 1.0
        values = sign * estimates[:, known[column]]
        named[:, attribute] = values + np.median(records[:, attribute] - values)
    return named
