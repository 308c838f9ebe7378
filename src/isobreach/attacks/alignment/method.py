# SPDX-License-Identifier: BSD-3-Clause
"""The alignment attack under the protocol that all attacks share."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach._validation import check_choice, check_epsilon, check_integer, check_seed
from isobreach.attacks.alignment.choosing import sought
from isobreach.attacks.alignment.confirmation import confirmation
from isobreach.attacks.alignment.estimates import cleaned, estimates
from isobreach.attacks.alignment.mirrored import untold_mirrors
from isobreach.attacks.alignment.reconstruction import AlignmentReconstruction, document, reason
from isobreach.attacks.alignment.refitting import refitted
from isobreach.attacks.alignment.situation import MOTIONS, Situation, situation_of
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.attacks.alignment.studied import Studied
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.readout import read_out
from isobreach.attacks.refine import Evidence, refined, variants
from isobreach.document import Document
from isobreach.engine import ONE_BLAS_THREAD, Engine
from isobreach.geometry import row_norms
from isobreach.release import ReleaseModel, decimal_step, released_precision

FloatArray = NDArray[np.float64]

OBJECTIVES = (
    "auto",
    "density",
    "transport",
    "independence",
    "directions",
    "ranges",
    "places",
    "planes",
    "products",
    "quadrics",
    "sums",
    "logarithms",
    "whole numbers",
    "series",
    "variances",
    "ends",
)
EFFORT = 4_000  # set by hand: searches mostly end earlier, where their starts agree


@dataclass(frozen=True)
class AlignmentSettings:
    """Settings of the alignment attack."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach: for the best length and the forecast.")
    motion: str = setting(
        "auto",
        "What the release keeps: norms and distances, distances, or their ratios. auto asks the links, and without any "
        "compares the lengths of sample and release.",
        choices=MOTIONS,
    )
    objective: str = setting(
        "auto", "What the hidden rotation is fitted to. auto tries all that the knowledge allows.", choices=OBJECTIVES
    )
    effort: int = setting(EFFORT, "Most evaluations of an objective in a search; it ends earlier where starts agree.")
    set_aside: int = setting(0, "Linked known records that the fit does not use, so that they can confirm it.")


class Alignment(Attack):
    """A public sample, ranges or independent attributes determine the rotation that links leave open."""

    name = "alignment"
    title = "alignment attack"
    explained = (
        "A density is fitted to the released rows, and a public sample is moved until it lies as the released rows do."
    )
    needs_any = frozenset({"known", "sample", "bounds"})
    uses = frozenset({"known", "sample", "bounds", "noise", "dictionary"})
    settings = AlignmentSettings
    costly = True
    audited = True

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why no motion takes records to rows, or None."""
        return model.unmoved

    def study(
        self, release: Engine, *, noise: float | None, seed: int | None, progress: Progress, **settings: Any
    ) -> Studied:
        """Draw the rows that are modelled, and fit their density."""
        with ONE_BLAS_THREAD:
            studied = Studied.of(release, check_seed(seed))
            if studied.varied:
                studied.complete(progress)
        return studied

    def run(
        self,
        release: Engine,
        knowledge: Knowledge,
        *,
        seed: int | None,
        progress: Progress,
        studied: Studied | None = None,
        **settings: Any,
    ) -> AlignmentReconstruction:
        """Link, decide on the motion, and seek the rotation that is left."""
        chosen = AlignmentSettings(**settings)
        check_epsilon(chosen.epsilon)
        check_choice("motion", chosen.motion, MOTIONS)
        check_choice("objective", chosen.objective, OBJECTIVES)
        check_integer("effort", chosen.effort, least=1)
        check_integer("set_aside", chosen.set_aside, least=0)
        seed = check_seed(seed)
        return _run(release, knowledge, chosen, studied or Studied.of(release, seed), progress)

    def describe(self, found: Reconstruction) -> Document:
        """Return the verdict, the figures, what they mean, and the links."""
        assert isinstance(found, AlignmentReconstruction)
        return document(found, self.title.capitalize())


def _run(
    release: Engine, knowledge: Knowledge, chosen: AlignmentSettings, studied: Studied, progress: Progress
) -> AlignmentReconstruction:
    columns = knowledge.columns(release.shape[1])
    nothing = np.full((release.shape[0], columns), np.nan)
    if len(studied.rows) <= columns or not studied.varied:
        return AlignmentReconstruction(False, "there are too few different released rows for a model.", nothing)
    situation = situation_of(
        release, studied.rows, knowledge, motion=chosen.motion, set_aside=chosen.set_aside, progress=progress
    )
    studied = studied.reduced(situation)
    linked, situation = situation, _calibrated(situation, studied)
    solutions, spent = sought(situation, studied, chosen.objective, epsilon=chosen.epsilon, most=chosen.effort)
    facts: dict[str, Any] = {
        "motion": situation.motion,
        "linked": len(situation.known),
        "unused": len(situation.unused),
        "linkage": situation.linkage,
    }
    if not solutions:
        told = "what is known says nothing of the rotation: no record is linked, and there is no sample and no range."
        return AlignmentReconstruction(False, told, nothing, **facts)
    best = solutions[0]
    rough = best.agreement is not None  # estimates are told apart, but not exact
    confirmed = confirmation(release, situation, best, 1.0 if rough else chosen.epsilon)
    asks = confirmed.complete and not rough
    mirrors = untold_mirrors(situation, studied, best, chosen.epsilon) if asks else []
    claimed, why = reason(best, confirmed, coarse=_coarse(knowledge), mirrors=mirrors)
    several = _estimates(release, linked, studied, knowledge, solutions, chosen.epsilon, progress)
    matrix, shift = _whole(situation, best)
    own = several.pop("")
    return AlignmentReconstruction(
        claimed,
        why,
        own,
        decided=claimed,
        variants=several,
        objective=best.objective,
        motion_matrix=matrix,
        offset=shift,
        hidden_dimension=best.frame.hidden,
        certificate=best.certificate,
        forecast=best.forecast,
        agreement=best.agreement,
        read=None if knowledge.dictionary is None else read_out(own, knowledge.dictionary),
        confirmed=confirmed.found,
        evaluations=spent + situation.evaluations,
        **facts,
    )


def _calibrated(situation: Situation, studied: Studied) -> Situation:
    """Links with rows freed of noise: E[record | row] = E[exact image | row] R + t, so that they fit R without bias.

    This is regression calibration (Carroll et al. 2006): rows as released would be fitted by too small a motion.
    """
    if not situation.noise or not len(situation.known):
        return situation
    density = studied.density
    rows = cleaned(situation.released, situation.noise**2, density.whitening, density.mixture)
    return replace(situation, released=rows)


def _coarse(knowledge: Knowledge) -> bool:
    """Whether values of known records are on a grid."""
    if knowledge.known is None:
        return False
    return any(decimal_step(column) > 0 for column in np.asarray(knowledge.known, dtype=np.float64).T)


def _whole(situation: Situation, solution: FittedMotion) -> tuple[FloatArray, FloatArray]:
    """Matrix and offset that take a released row, as wide as it is, to the estimate."""
    matrix, shift = solution.frame.affine(solution.pose)
    whole = situation.axes @ matrix / situation.scale
    return whole, shift - situation.centre @ whole


def _estimates(
    release: Engine,
    situation: Situation,
    studied: Studied,
    knowledge: Knowledge,
    solutions: list[FittedMotion],
    epsilon: float,
    progress: Progress,
) -> dict[str, FloatArray]:
    """Estimates by name; the attacker's own choice has the empty one."""
    density = (studied.density.whitening, studied.density.mixture) if situation.noise else None
    raw = estimates(release, situation, solutions[0], density, progress)
    loud = raw if density is None else estimates(release, situation, solutions[0], None, progress)
    # E|y|^2 = |x|^2 + n s^2
    squares = row_norms(loud) ** 2 - raw.shape[1] * situation.noise**2
    keeps = not situation.translates and not situation.noise and solutions[0].frame.hidden > 0  # else all is exact
    evidence = Evidence(
        known=knowledge.known,
        sample=knowledge.sample,
        bounds=situation.bounds,
        epsilon=epsilon,
        noise=situation.noise,
        norms=row_norms(raw) if keeps else None,  # a rotation keeps them
        lengths=None if situation.translates else np.sqrt(np.maximum(squares, 0.0)),
    )

    def own(one: FittedMotion, raw: FloatArray) -> FloatArray:
        better = refined(raw, evidence)
        if situation.noise or (one.frame.hidden and not one.exact):
            return better
        # An exact motion knows better than records which values there are: it may only lack the last digits.
        radius = released_precision(release).radius(row_norms(raw), release.shape[1]) / situation.scale
        return np.where(np.abs(better - raw) <= 4 * radius[:, None], better, raw)

    chosen = own(solutions[0], raw)
    found = {"": chosen, "as fitted": raw, **variants(raw, evidence)}
    if density is not None:
        found["noise left in"] = loud
    # Each under its own name too, the first one as well: what an objective does must not hang on who is trusted.
    for place, one in enumerate(solutions):
        fitted = estimates(release, situation, one, density, progress) if place else raw
        found[one.objective] = own(one, fitted) if place else chosen
        found[f"{one.objective}, as fitted"] = fitted
    return found | refitted(release, situation, studied.rows, solutions, evidence)
