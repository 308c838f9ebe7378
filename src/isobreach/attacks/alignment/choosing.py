# SPDX-License-Identifier: BSD-3-Clause
"""Every objective that the knowledge allows is tried; which result to trust is decided without the truth.

The density's is trusted where there is a sample: it is the likelihood. Independent components are sharper where
attributes are independent, which shows in two ways: rows held out are likelier under independent components than under
the density, and the sample does not object, that is, its F at the components' pose exceeds the least F by no more than
twice what the true pose does on average, h (h - 1) / (4 m) (Wilks 1938: half the number of parameters over m). What the
release or linked records show is trusted before both, unless the sample objects: first whatever leaves nothing to a
model, because links and axes leave nothing open or more equations than angles are solved, and by no other rotation
nearby. Of equals, axes of planes and products come first, those with more axes that links agree with, then groups of
attributes that people of a place share, jittered whole numbers, groups of squares, sums and those of logarithms,
columns that were scaled, and a series, which is a model. Equations that hold no better than by chance are trusted
unless attributes look independent and components fulfil them as well. Of what axes leave open, scaled columns are
sought too, and trusted before the axes alone by the same rule. Without a sample, components are trusted if attributes
look independent, otherwise links that leave nothing open but noise, then ranges. Components of directions come last:
nothing tells when they are better. Under noise links refute a motion that brings their rows further from them than
noise does.

In many columns a density has more parameters than there are rows, and descents take minutes. With a sample, transport
then takes the place of all others but links that leave nothing open. Where these leave fewer axes than are many, a
normal density places the sample as well, and is trusted unless its certificate says that nothing was found: of normal
tables it tells more. A rotation that is fast to compute is then rounded to its exact key (``structured``), which is
trusted before all others: chance makes none as near.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from isobreach._random import generator
from isobreach.attacks.alignment.by_axes import from_links, linked_axes, linked_sums, renamed
from isobreach.attacks.alignment.by_density import by_density
from isobreach.attacks.alignment.by_estimates import by_independence, by_ranges
from isobreach.attacks.alignment.by_transport import by_transport
from isobreach.attacks.alignment.certificate import NOT_FOUND
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.flats import by_sums
from isobreach.attacks.alignment.frames import Frame, frame_of
from isobreach.attacks.alignment.groups import linked_groups
from isobreach.attacks.alignment.logs import LogRelations, by_logarithms, log_relations
from isobreach.attacks.alignment.placing import Placing
from isobreach.attacks.alignment.quadrics import by_quadrics
from isobreach.attacks.alignment.scaled import (
    between_ends,
    by_ends,
    by_variances,
    frames_of,
    one_variance,
    scaled_alike,
)
from isobreach.attacks.alignment.series import by_series
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.attacks.alignment.structured import by_structure
from isobreach.attacks.alignment.studied import PLACES, STUDY, Studied
from isobreach.attacks.alignment.whole_numbers import with_whole_numbers
from isobreach.errors import InputError

FloatArray = NDArray[np.float64]

_NEEDS = {
    "density": "It needs a public sample of at least two records.",
    "independence": "It needs a linked record, a public sample or ranges of the attributes.",
    "ranges": "It needs ranges of the attributes.",
    "transport": "It needs a public sample of at least two records.",
    "planes": "It needs values that many records share, no noise, and a linked record, a sample or ranges.",
    "places": "It needs columns that many records share together, no noise, and a linked record.",
    "directions": "It needs a release without a translation, and a linked record, a sample or ranges.",
    "products": "It needs columns that are products, no noise, and a linked record, a sample or ranges.",
    "quadrics": "It needs columns whose squares have one sum, neither noise nor a translation, and a linked record.",
    "series": "It needs columns that are steps of time, and a linked record.",
    "variances": "It needs columns of variance one, or links that leave fewer angles than columns have moments.",
    "sums": "It needs columns that are sums of others, as linked records show, and no noise.",
    "logarithms": "It needs logarithms of amounts and of their sums, as linked records show, and no noise.",
    "whole numbers": "It needs linked records, no noise, and columns of whole numbers but for a little jitter.",
    "ends": "It needs linked records whose values lie between 0 and 1, -1 and 1, or 0 and 100, say, and no noise.",
}

_POSES = (
    "independence",
    "places",
    "planes",
    "products",
    "sums",
    "series",
    "variances",
    "ends",
)  # where a sample's may begin
_SCALED = {"variances": by_variances, "ends": by_ends}

# What shows itself in the release or in linked records, the most trustworthy first; those that only equations tell.
_SHOWN = ("places", "whole numbers", "quadrics", "logarithms", "sums", "ends", "variances", "series")
_SOLVED = ("logarithms", "ends", "variances")

_REFUTED = 1e-3  # probability of links' misfit below which they refute a motion; wrong ones were off by 2 to 50 times


def sought(
    situation: Situation, studied: Studied, objective: str, *, epsilon: float, most: int
) -> tuple[list[FittedMotion], int]:
    """What each objective finds, the most trustworthy first, and the evaluations of all that was looked for.

    There is nothing where the knowledge allows no objective.

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
    rows = studied.rows
    links = frame_of(
        situation.known, situation.released, rows, None, translates=situation.translates, noise=situation.noise
    )
    if not links.hidden and not situation.noise:
        return [FittedMotion("links", links, links.start(), 0)], 0
    sampled = situation.sample is not None and len(situation.sample) > 1
    if sampled and (objective == "transport" or (objective == "auto" and studied.wide)):
        rng = generator(studied.seed, "alignment", PLACES["transport"])
        matched = by_transport(situation, rows, effort=Evaluations(most), rng=rng)
        alone = [] if links.hidden else [_by_links(links, situation)]
        exact = by_structure(situation, matched, rng)
        if exact is not None:
            return [exact, *alone, matched], exact.evaluations
        if objective == "transport" or not len(situation.known) or links.hidden >= STUDY.wide:
            return [*alone, matched], matched.evaluations
        rng = generator(studied.seed, "alignment", PLACES["search"])
        placed = by_density(
            situation, studied.density, rows, epsilon=epsilon, effort=Evaluations(most), rng=rng, also=[matched]
        )
        missed = placed.certificate is not None and placed.certificate > NOT_FOUND
        both = [matched, placed] if missed else [placed, matched]
        return [*alone, *both], matched.evaluations + placed.evaluations
    if objective == "transport":
        raise InputError("objective", "must be one that the knowledge allows", repr(objective), _NEEDS[objective])
    logs = log_relations(situation.known) if not situation.noise else []
    allowed, parts = _allowed(situation, studied, logs)
    if objective != "auto" and objective not in allowed:
        raise InputError("objective", "must be one that the knowledge allows", repr(objective), _NEEDS[objective])
    wanted = allowed if objective == "auto" else {objective}
    found: dict[str, FittedMotion | None] = {}
    if not links.hidden and objective == "auto":
        found["links"] = _by_links(links, situation)
    if "independence" in wanted:
        found["independence"] = by_independence(situation, rows, studied.axes, Evaluations(most))
    if "directions" in wanted:
        turned = by_independence(situation, rows, studied.directions, Evaluations(most), judged=studied.unit)
        found["directions"] = replace(turned, objective="directions")
    for name in ("places", "planes", "products", "whole numbers"):
        if name in wanted:
            effort = Evaluations(most)
            told = _further(name, situation, studied, effort)
            if told is not None:
                further, count = told
                rest = by_independence(further, rows, studied.axes, effort)
                shown: dict[str, Any] = {"axes": count, "exact": not rest.frame.hidden and name != "whole numbers"}
                found[name] = from_links(rest, situation, rows, objective=name, **shown)
                if objective == "auto" and rest.frame.hidden:
                    found |= _scaled(_scales(further, rows), further, situation, studied, most, f" beside {name}")
    if "quadrics" in wanted:
        found["quadrics"] = by_quadrics(situation, rows, studied.images, Evaluations(most))
    if "sums" in wanted:
        rng = generator(studied.seed, "alignment", PLACES["sums"])
        found["sums"] = by_sums(situation, rows, Evaluations(most), rng)
    if "logarithms" in wanted:
        rng = generator(studied.seed, "alignment", PLACES["logarithms"])
        found["logarithms"] = by_logarithms(situation, rows, logs, Evaluations(most), rng)
    if "series" in wanted:
        rng = generator(studied.seed, "alignment", PLACES["series"])
        found["series"] = by_series(situation, rows, studied.series, rng, Evaluations(most))
    if "ranges" in wanted:
        rng = generator(studied.seed, "alignment", PLACES["ranges"])
        found["ranges"] = by_ranges(situation, rows, studied.axes, Evaluations(most), rng)
    found |= _scaled(wanted & _SCALED.keys(), situation, situation, studied, most)
    if "density" in wanted:
        rng = generator(studied.seed, "alignment", PLACES["search"])
        also = [one for name in (*_POSES, *(name for name in found if " beside " in name)) if (one := found.get(name))]
        found["density"] = by_density(
            situation, studied.density, rows, epsilon=epsilon, effort=Evaluations(most), rng=rng, also=also
        )
    made = {name: one for name, one in found.items() if one is not None}
    for name in ("planes", "products"):
        if name in made and "density" in made and not len(situation.known):
            effort = Evaluations(most, made[name].evaluations)
            made[name] = renamed(made[name], _placing(made[name], situation, studied), effort, made["density"])
    spent = sum(studied.spent[part] for part in parts) + sum(one.evaluations for one in made.values())
    return [made[name] for name in _trusted(made, situation, studied)], spent


def _further(name: str, situation: Situation, studied: Studied, effort: Evaluations) -> tuple[Situation, int] | None:
    """The situation with the links that groups and axes add, and how many axes these are; None where nothing does."""
    if name == "whole numbers":
        rng = generator(studied.seed, "alignment", PLACES[name])
        return with_whole_numbers(situation, studied.rows, effort, rng)
    axes = studied.products if name == "products" else studied.shared.axes
    if name == "products":
        return linked_axes(situation, studied.rows, axes)
    if name == "planes":
        own, normals = linked_axes(situation, studied.rows, axes), studied.shared.normals
        sums = linked_sums(situation if own is None else own[0], studied.rows, normals)
        return own if sums is None else (sums[0], sums[1] + (0 if own is None else own[1]))
    grouped = linked_groups(situation, studied.shared.groups, effort)
    if grouped is None:
        return None
    return linked_axes(grouped, studied.rows, axes) or (grouped, 0)


def _scales(situation: Situation, rows: FloatArray) -> set[str]:
    """Objectives of scaled columns that links and release allow."""
    if not len(situation.known):
        return set()
    frame, _ = frames_of(situation, rows)
    allowed = {
        "variances": scaled_alike(situation, rows),
        "ends": len(between_ends(situation, frame)) > 0,
    }
    return {name for name, yes in allowed.items() if yes}


def _scaled(
    wanted: set[str], further: Situation, situation: Situation, studied: Studied, most: int, beside: str = ""
) -> dict[str, FittedMotion]:
    """What scaled columns give with the links of a situation and further ones, in the frame of its own."""
    found = {}
    for name in sorted(wanted):
        rng = generator(studied.seed, "alignment", PLACES[name])
        one = _SCALED[name](further, studied.rows, Evaluations(most), rng)
        found[name + beside] = from_links(one, situation, studied.rows, objective=name + beside) if beside else one
    return found


def _by_links(links: Frame, situation: Situation) -> FittedMotion:
    """The motion of links that leave nothing open but noise."""
    loose = links.loosened(situation.known, situation.released, situation.noise, situation.translates)
    return FittedMotion("links", loose, loose.pose_of(*links.affine(links.start())), 0)


def _allowed(situation: Situation, studied: Studied, logs: list[LogRelations]) -> tuple[set[str], set[str]]:
    """Objectives that the knowledge and the release allow, and the parts of the study that say so."""
    sample, linked = situation.sample, len(situation.known) > 0
    named = sample is not None or situation.bounds is not None or linked
    exact, turned = named and not situation.noise, not situation.translates
    allowed = {
        "density": sample is not None and len(sample) > 1,
        "independence": named,
        "directions": named and turned,
        "ranges": situation.bounds is not None,
        "places": exact and linked and len(studied.shared.groups) > 0,
        "planes": exact and studied.shared.normals.shape[1] + studied.shared.axes.shape[1] > 0,
        "products": exact and studied.products.shape[1] > 0,
        "quadrics": exact and turned and linked and len(studied.images) > 0,
        "sums": exact and linked and studied.flat,
        "whole numbers": exact and linked,
        "logarithms": exact and linked and len(logs) > 0,
        "series": linked and len(studied.series) > 0,
        **dict.fromkeys(_scales(situation, studied.rows), True),
    }
    parts = {
        "axes": named and studied.axes is not None,
        "directions": allowed["directions"] and studied.directions is not None,
        "planes": exact,
        "relations": exact,
        "products": exact,
        "series": linked,
    }
    return {name for name, yes in allowed.items() if yes}, {name for name, yes in parts.items() if yes}


def _trusted(found: dict[str, FittedMotion], situation: Situation, studied: Studied) -> list[str]:
    """Names in the order of trust."""
    if len(found) < 2:
        return list(found)
    order = ["density", "links", "ranges", "independence"]
    if "density" in found:
        certified = found["density"].certificate
        if certified is not None and certified > NOT_FOUND:
            order = ["links", "ranges", "density", "independence"]
    components = found.get("independence") if studied.independent else None
    if components is not None and _not_rejected("independence", found, situation, studied):
        order = ["independence", "density", "links", "ranges"]
    order.append("directions")
    # Components that leave columns of one variance unequal are no columns: normal tables have some as well.
    sharper = components is not None and one_variance(components, studied.rows)
    shown = sorted(("planes", "products"), key=lambda name: -found[name].axes if name in found else 0)
    beside = [name for name in found if " beside " in name]  # before axes alone what they leave open
    sure = list[str]()
    for name in (one for one in (*beside, *shown, *_SHOWN) if one in found):
        told = name not in _SOLVED and name not in beside
        told = told or (found[name].determined and (found[name].beyond_chance or not sharper))
        (sure if told and _not_rejected(name, found, situation, studied) else order).append(name)
    sure.sort(key=lambda name: not found[name].exact)
    order = sure + order
    return [name for name in order if name in found]


def _not_rejected(asked: str, found: dict[str, FittedMotion], situation: Situation, studied: Studied) -> bool:
    """Whether links, and the sample's likelihood if there is one, allow the pose of an objective without a sample."""
    if situation.noise and _refuted(found[asked], situation):
        return False
    if "density" not in found or situation.sample is None:
        return True
    several = [found[name] for name in ("density", asked)]
    levels = [float(_placing(one, situation, studied).levels(one.pose).mean()) for one in several]
    h = found["density"].frame.hidden
    return levels[1] - levels[0] <= h * (h - 1) / (2 * len(situation.sample))


def _refuted(one: FittedMotion, situation: Situation) -> bool:
    """Whether noise does not explain how far linked rows are from their records: sum |x - image of y|^2 / s^2."""
    matrix, shift = one.frame.affine(one.pose)
    gaps = situation.released @ matrix + shift - situation.known
    return bool((gaps**2).sum() > chdtri(max(gaps.size, 1), _REFUTED) * situation.noise**2)


def _placing(one: FittedMotion, situation: Situation, studied: Studied) -> Placing:
    """The sample's likelihood at poses of a motion's frame."""
    sample, density = situation.sample, studied.density
    assert sample is not None
    return Placing(one.frame, density.whitening, density.mixture, sample, len(sample), np.zeros(0))
