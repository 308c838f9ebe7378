# SPDX-License-Identifier: BSD-3-Clause
r"""Match independent components of known records with those of the release (AK-ICA).

Guo and Wu (2007), reconstructed from first principles. If records are x = mean_x + A_x s with independent s, then so
are released rows under any invertible linear map, y = mean_y + A_y s, with the same s but for order and signs. FastICA
finds both; components are matched by their quantile functions, either sign (J), and

    x = mean_x + A_x J s_y.

Known records are not linked, they stand for the population: a public sample does as well. A few dozen of them give no
components. Nothing proves the result, so nothing is claimed.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._phrases import count
from isobreach._progress import Progress
from isobreach._random import generator
from isobreach._settings import setting
from isobreach._validation import check_epsilon, check_seed
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.components import Components, costs, independent, matched, rank
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.pairs import AS_FITTED, Affine, estimated
from isobreach.attacks.refine import Evidence, refined, variants
from isobreach.engine import Engine
from isobreach.release import ReleaseModel

_ROWS = 10_000  # of the release in which components are sought: they are then known better than those of known records


@dataclass(frozen=True)
class ComponentSettings:
    """Settings of the attacks by independent components."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")


class ByComponents(Attack):
    """What the attacks by independent components share."""

    needs_any = frozenset({"known", "sample"})
    uses = frozenset({"known", "sample", "bounds"})
    takes_narrow = True
    settings = ComponentSettings

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why rows are no invertible linear map of records, or None."""
        if model.distances:
            return "the release is a matrix of distances, not a table of rows"
        if model.mixes_rows:
            return "a released row depends on several records"
        if model.in_place:
            return "released columns are the attributes already, and no map mixes them"
        if model.lifted:
            return "records are lifted by their length, which depends on all attributes"
        if not model.maps:
            return "the release is no linear map of the records"
        return "the release has fewer columns than the records" if model.projection and not model.linear else None

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Seek components of the release, and match them."""
        epsilon = check_epsilon(ComponentSettings(**settings).epsilon)
        draws = generator(check_seed(seed) or 0, "components")
        rows, columns = release.shape[0], knowledge.columns(release.shape[1])
        evidence = Evidence.held(knowledge, columns, epsilon=epsilon)
        records = np.empty((0, columns)) if evidence.population is None else evidence.population
        some = release.gather(np.linspace(0, rows - 1, min(rows, _ROWS)).astype(np.intp))
        wanted = self.wanted(records)
        wrong = _too_little(records, some, wanted)
        if wrong:
            return Reconstruction(False, wrong, np.full((rows, columns), np.nan))
        theirs = independent(some, wanted, draws)
        affine, match = self.matched(release, knowledge, records, theirs, draws)
        raw = estimated(release, affine, progress)
        unclear = "" if theirs.converged else " FastICA did not converge."
        blind = theirs.gaussian
        if blind > 1:
            unclear += f" {count(blind, 'component')} may be Gaussian, and such ones cannot be told apart."
        reason = f"{count(wanted, 'component')} of the release matched, {match}; nothing confirms the match.{unclear}"
        found = {AS_FITTED: raw, **variants(raw, evidence)}
        return Reconstruction(False, reason, refined(raw, evidence), decided=False, variants=found)

    def wanted(self, records: FloatArray) -> int:
        """Return the number of components that are sought."""
        return rank(records) if len(records) > 1 else 0

    @abstractmethod
    def matched(
        self,
        release: Engine,
        knowledge: Knowledge,
        records: FloatArray,
        theirs: Components,
        draws: np.random.Generator,
    ) -> tuple[Affine, str]:
        """Return the map back, and in words what was matched with what."""


def _too_little(records: FloatArray, rows: FloatArray, wanted: int) -> str:
    """Why there are no components to match; empty where there are."""
    if len(records) < 2 or wanted < 1:
        return "the attacker holds too few different records."
    if rank(rows) < wanted:
        return f"the release has {count(rank(rows), 'dimension')}, too few for {wanted} independent components."
    return "" if len(rows) > wanted + 1 else "there are too few released rows."


class AkIca(ByComponents):
    """Match independent components of known records with those of the release."""

    name = "ak-ica"
    title = "AK-ICA attack"

    def wanted(self, records: FloatArray) -> int:
        """Return the rank of the records; none where they are not more than their columns."""
        return rank(records) if len(records) > records.shape[1] + 1 else 0

    def matched(
        self,
        release: Engine,
        knowledge: Knowledge,
        records: FloatArray,
        theirs: Components,
        draws: np.random.Generator,
    ) -> tuple[Affine, str]:
        """Return x = mean_x + A_x J s_y."""
        mine = independent(records, theirs.sources.shape[1], draws)
        order, signs = matched(costs(mine.sources, theirs.sources))
        matrix = (theirs.unmixing[:, order] * signs) @ mine.mixing.T
        said = f"those of {count(len(records), 'record')} that the attacker holds, by their distributions"
        return Affine(matrix, mine.mean - theirs.mean @ matrix), said


ATTACK = AkIca()
