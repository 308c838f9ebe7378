# SPDX-License-Identifier: BSD-3-Clause
"""Look whether the released columns are the attributes themselves."""

from dataclasses import dataclass

import numpy as np

from isobreach.attacks import Attack, Reconstruction, setting


@dataclass(frozen=True)
class Settings:
    """Settings of the attack."""

    rows: int = setting(1000, "Released rows to look at.")


class PlainSight(Attack):
    """Claim the released columns if all their values are whole numbers: no rotation leaves them so."""

    name = "plain-sight"
    title = "plain-sight attack"
    settings = Settings

    def suits(self, model):
        """Return why it cannot work on a release of this model, or None."""
        return "noise hides whole numbers" if model.noise else None

    def run(self, release, knowledge, *, seed, progress, **settings):
        """Return the release as it is, claimed where it is whole numbers."""
        rows = np.random.default_rng(seed).permutation(release.shape[0])[: settings["rows"]]
        values = release.everything("all rows are given back", progress)
        whole = bool((values[rows] == np.rint(values[rows])).all())
        what = "are" if whole else "are not"
        return Reconstruction(whole, f"{len(rows)} released rows {what} whole numbers.", values)


ATTACK = PlainSight()
