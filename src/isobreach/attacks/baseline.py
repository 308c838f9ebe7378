# SPDX-License-Identifier: BSD-3-Clause
"""What the baselines share: they ignore what a scheme does, and every result stands beside them."""

from typing import Any

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.refine import Evidence, blind
from isobreach.engine import Engine
from isobreach.release import ReleaseModel


class Baseline(Attack):
    """An attack that needs no structure of the release. It never claims anything, and nothing is refined."""

    takes_narrow = True
    baseline = True

    def suits(self, model: ReleaseModel) -> str | None:
        """Return None: a baseline can be had for every release."""
        return None


class Guess(Baseline):
    """A baseline that does not look at the release: one guess for all rows.

    Attributes
    ----------
    guess
        Its name among the blind guesses (``refine.blind``); the others are variants.
    """

    needs_any = frozenset({"known", "sample"})
    uses = frozenset({"known", "sample"})
    guess: str

    def run(self, release: Engine, knowledge: Knowledge, **asked: Any) -> Reconstruction:
        """Return the guess for every released row."""
        evidence = Evidence.held(knowledge, knowledge.columns(release.shape[1]))
        guesses = {name: _repeated(values, release.shape[0]) for name, values in blind(evidence).items()}
        estimates = guesses.pop(self.guess)
        held = 0 if evidence.population is None else len(evidence.population)
        reason = f"a blind guess: the {self.guess} of {held} records that the attacker holds, the same for every row."
        return Reconstruction(False, reason, estimates, variants=guesses)


def _repeated(values: FloatArray, rows: int) -> FloatArray:
    return np.broadcast_to(values, (rows, len(values)))
