# SPDX-License-Identifier: BSD-3-Clause
r"""The known-input attack with links given: the attacker knows the released row of each known record.

Liu, Giannella and Kargupta (2006): of the orthogonal matrices that take the known records to their rows,

    M = M_T U U' + V P W',   P orthogonal,

one is chosen uniformly. That is the known-input attack after its linking, and everything else is the same: residuals,
probabilities, the optimal estimate, other motions, noise. As many independent records as there are attributes leave one
matrix, one fewer leaves two. Rotations of pairs of columns need one record: ``column_pairs``.
"""

from typing import Any

from isobreach._progress import Progress
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.column_pairs import by_column_pairs
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.known_input import KnownInput
from isobreach.attacks.pairs import Pairs, PairsReconstruction, pairs_document
from isobreach.attacks.refine import Evidence
from isobreach.document import Document
from isobreach.engine import Engine
from isobreach.release import released_precision


class KnownInputOutput(KnownInput):
    """Known records, whose released rows are known too, tell everyone else's record."""

    name = "known-input-output"
    title = "known-input-output attack"
    plain = explained = ""
    needs = frozenset({"known", "rows"})
    uses = frozenset({"noise", "sample", "bounds"})
    takes_partial = False

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Fit, measure: see the known-input attack."""
        pairs = Pairs.given(release, knowledge)
        if not knowledge.noise and not settings["normalise"]:
            evidence = Evidence.held(knowledge, pairs.records.shape[1], epsilon=settings["epsilon"])
            found = by_column_pairs(release, pairs, evidence, released_precision(release))
            if found is not None:
                return found
        return super().run(release, knowledge, seed=seed, progress=progress, **settings)

    def describe(self, found: Reconstruction) -> Document:
        """Return the verdict, the figures of all other rows, and the links."""
        if isinstance(found, PairsReconstruction):
            return pairs_document(Attack.describe(self, found), found)
        return super().describe(found)


ATTACK = KnownInputOutput()
