# SPDX-License-Identifier: BSD-3-Clause
"""Every objective that the knowledge allows is tried; which result to trust is decided without the truth.

The density's is trusted where there is a sample: it is the likelihood. Independent components are sharper where
attributes are independent, which shows in two ways: rows held out are likelier under independent components than under
the density, and the sample does not object, that is, its F at the components' pose exceeds the least F by no more than
twice what the true pose does on average, h (h - 1) / (4 m) (Wilks 1938: half the number of parameters over m). Axes of
planes are exact, and trusted before all others unless the sample objects to their names. Without a sample, components
are trusted if attributes look independent, otherwise links that leave nothing open but noise, then ranges.
"""

import numpy as np
from numpy.typing import NDArray

from isobreach._random import generator
from isobreach.attacks.alignment.by_density import by_density
from isobreach.attacks.alignment.by_estimates import by_independence, by_ranges
from isobreach.attacks.alignment.by_planes import by_planes
from isobreach.attacks.alignment.certificate import NOT_FOUND
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.frames import frame_of
from isobreach.attacks.alignment.placing import Placing
from isobreach.attacks.alignment.quadrics import by_quadrics
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.attacks.alignment.studied import PLACES, Studied
from isobreach.errors import InputError

FloatArray = NDArray[np.float64]

_NEEDS = {
    "density": "It needs a public sample of at least two records.",
    "independence": "It needs a linked record, a public sample or ranges of the attributes.",
    "ranges": "It needs ranges of the attributes.",
    "planes": "It needs values that many records share, no noise, and a linked record, a sample or ranges.",
}


def sought(situation: Situation, studied: Studied, objective: str, *, epsilon: float, most: int) -> list[FittedMotion]:
    """What each objective finds, the most trustworthy first; nothing where the knowledge allows none.

    Parameters
    ----------
    situation
        Links, motion, noise, sample and ranges.
    studied
        What the release gives.
    objective
        Its name, or ``"auto"`` for all that the knowledge allows.
    epsilon
        Relative error that counts as a breach.
    most
        Evaluations of each search.
    """
    rows, sample = studied.rows, situation.sample
    links = frame_of(
        situation.known, situation.released, rows, None, translates=situation.translates, noise=situation.noise
    )
    if not links.hidden and not situation.noise:
        return [FittedMotion("links", links, links.start(), 0)]
    named = sample is not None or situation.bounds is not None or len(situation.known) > 0
    allowed = {
        "density": sample is not None and len(sample) > 1,
        "independence": named,
        "ranges": situation.bounds is not None,
        "planes": named and not situation.noise and studied.planes.shape[1] > 0,
    }
    if objective != "auto" and not allowed[objective]:
        raise InputError("objective", "must be one that the knowledge allows", repr(objective), _NEEDS[objective])
    wanted = {name for name in allowed if allowed[name] and objective in ("auto", name)}
    found: dict[str, FittedMotion] = {}
    if not links.hidden and objective == "auto":
        loose = links.loosened(situation.known, situation.released, situation.noise, situation.translates)
        found["links"] = FittedMotion("links", loose, loose.pose_of(*links.affine(links.start())), 0)
    if "independence" in wanted:
        found["independence"] = by_independence(situation, rows, studied.axes, Evaluations(most))
    if "planes" in wanted:
        found["planes"] = by_planes(situation, rows, studied.planes, studied.axes, Evaluations(most))
    if objective == "auto" and len(situation.known) and not (situation.noise or situation.translates):
        quadrics = by_quadrics(situation, rows, studied.images) if studied.images else None
        found |= {} if quadrics is None else {"quadrics": quadrics}
    if "ranges" in wanted:
        rng = generator(studied.seed, "alignment", PLACES["ranges"])
        found["ranges"] = by_ranges(situation, rows, studied.axes, Evaluations(most), rng)
    if "density" in wanted:
        rng = generator(studied.seed, "alignment", PLACES["search"])
        also = [found[name] for name in ("independence", "planes") if name in found]
        found["density"] = by_density(
            situation, studied.density, rows, epsilon=epsilon, effort=Evaluations(most), rng=rng, also=also
        )
    return [found[name] for name in _trusted(found, situation, studied)]


def _trusted(found: dict[str, FittedMotion], situation: Situation, studied: Studied) -> list[str]:
    """Names in the order of trust."""
    if len(found) < 2:
        return list(found)
    order = ["density", "links", "ranges", "independence"]
    if "density" in found:
        certified = found["density"].certificate
        if certified is not None and certified > NOT_FOUND:
            order = ["links", "ranges", "density", "independence"]
    if "independence" in found and studied.independent and _not_rejected("independence", found, situation, studied):
        order = ["independence", "density", "links", "ranges"]
    if "quadrics" in found:
        order.insert(0, "quadrics")
    if "planes" in found:
        order.insert(0 if _not_rejected("planes", found, situation, studied) else len(order), "planes")
    return [name for name in order if name in found]


def _not_rejected(asked: str, found: dict[str, FittedMotion], situation: Situation, studied: Studied) -> bool:
    """Whether the sample's likelihood, if there is one, allows the pose of an objective that does without it."""
    sample = situation.sample
    if "density" not in found or sample is None:
        return True
    density, levels = studied.density, []
    for name in ("density", asked):
        one = found[name]
        placing = Placing(one.frame, density.whitening, density.mixture, sample, len(sample), np.zeros(0))
        levels.append(float(placing.levels(one.pose).mean()))
    h = found["density"].frame.hidden
    return levels[1] - levels[0] <= h * (h - 1) / (2 * len(sample))
