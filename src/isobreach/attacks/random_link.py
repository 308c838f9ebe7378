# SPDX-License-Identifier: BSD-3-Clause
"""Link every released row to a random record that the attacker holds: a baseline that does not look at the release."""

from typing import Any

import numpy as np

from isobreach._random import generator
from isobreach._validation import check_seed
from isobreach.attacks.base import Reconstruction
from isobreach.attacks.baseline import Baseline
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.refine import Evidence
from isobreach.engine import Engine


class RandomLink(Baseline):
    """A random record that the attacker holds, for every released row."""

    name = "random-link"
    title = "random link"
    needs_any = frozenset({"known", "sample"})
    uses = frozenset({"known", "sample"})

    def run(self, release: Engine, knowledge: Knowledge, *, seed: int | None, **asked: Any) -> Reconstruction:
        """Draw a record for every released row; ``seed``: of the draws."""
        evidence = Evidence.held(knowledge, knowledge.columns(release.shape[1]))
        records = np.empty((0, 0)) if evidence.population is None else evidence.population
        draws = generator(check_seed(seed) or 0, "random-link").integers(len(records), size=release.shape[0])
        reason = f"every released row is linked to a random one of {len(records)} records that the attacker holds."
        return Reconstruction(False, reason, records[draws])


ATTACK = RandomLink()
