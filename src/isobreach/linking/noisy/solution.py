# SPDX-License-Identifier: BSD-3-Clause
"""Links under noise with their posteriors, and how seeds are grown to them."""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray, IntArray

Links = dict[int, int]


@dataclass(frozen=True)
class Growing:
    """How seeds are grown to links.

    Attributes
    ----------
    weighed
        Seeds, those of the least misfit, that are weighed by the other records.
    grown
        Of these, the weightiest, which are grown to whole solutions.
    rounds
        Of fitting and judging, at most; they end where no link changes.
    folds
        Parts of the links, each judged by a fit to the others, which loses an eighth of them.
    alone
        Links beyond which their own weight in the fit hardly matters, so that nobody is judged apart.
    likely
        Posterior above which a row becomes a link of the next round: no other row can be as likely.
    least
        Links that bear each other out: two can be swapped.
    beginnings
        Records that the search begins with in turn, where the first lead nowhere.
    hopeless
        Partial assignments of all seed records that are too many to find the truth among.
    levels, factor
        Noise levels that are tried, each so many times the one before: the lowest is 1/450 of the largest.
    partners
        Links whose lengths are counted in chance matches: more would make these rarer still, as in ``chance``.
    cut
        Standard deviations within which a length counts as a match.
    """

    weighed: int = 32
    grown: int = 4
    rounds: int = 12
    folds: int = 8
    alone: int = 1024
    likely: float = 0.5
    least: int = 3
    beginnings: int = 4
    hopeless: int = 1000
    levels: int = 14
    factor: float = 1.6
    partners: int = 32
    cut: float = 2.0


GROWING = Growing()


@dataclass(frozen=True, eq=False)
class NoisySolution:
    """Links with posteriors, over the values of a field; ``deviation`` and ``scale`` as given or found.

    ``complete``: the search was not cut short. ``crowded``: at this noise too many assignments of a few records pass.
    ``unit``: rows have one length, up to the noise.
    """

    links: Links
    posterior: FloatArray
    absence: FloatArray
    candidates: tuple[IntArray, ...]
    chance: FloatArray
    deviation: float
    scale: float
    complete: bool = True
    crowded: bool = False
    unit: bool = False

    def certain(self, limit: float) -> Links:
        """Links that leave less than ``limit`` to everything else; none if they are too few to bear each other out."""
        links = {r: v for r, v in self.links.items() if self.posterior[r] >= 1 - limit and self.chance[r] <= limit}
        return links if len(links) >= min(GROWING.least, len(self.posterior)) else {}

    def absent(self, limit: float) -> list[int]:
        """Records that are not there, as far as the certain links tell."""
        return np.flatnonzero(self.absence >= 1 - limit).tolist() if self.certain(limit) else []
