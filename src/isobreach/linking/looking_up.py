# SPDX-License-Identifier: BSD-3-Clause
"""A dictionary looked up: the linkage of candidate records, by the known ones that are linked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.geometry import row_norms
from isobreach.linking.dictionary import Anchors, exact_entries, noisy_entries
from isobreach.linking.linkage import Linkage, assemble
from isobreach.linking.motions import Setting
from isobreach.linking.problem import Problem
from isobreach.release import distinct_records, unit_roundoff


def dictionary_linkage(
    problem: Problem, setting: Setting, linkage: Linkage, which: IntArray, dictionary: NDArray[Any]
) -> Linkage:
    """Linkage of candidate records, by the known ones that are linked.

    Parameters
    ----------
    problem
        Known records and released rows.
    setting
        How precise both are, limit of chance.
    linkage
        Of the known records.
    which
        Distinct record of each known one.
    dictionary
        Candidate records.
    """
    candidates, place = distinct_records(dictionary)
    candidates = candidates * linkage.scale
    found = problem.values(setting.precision.unit)
    value_of = np.empty(problem.source.shape[0], dtype=np.int64)
    value_of[found.rows] = np.repeat(np.arange(len(found.points)), found.copies)
    linked, first = np.unique(which[linkage.linked], return_index=True)
    values = value_of[linkage.rows[linkage.linked[first]]]
    columns, longest = found.points.shape[1], found.longest

    def norms_of(records: FloatArray) -> FloatArray:
        own = row_norms(records)
        return own if linkage.motion == "orthogonal" else own + longest

    known = problem.known[linked] * linkage.scale

    def error_of(records: FloatArray) -> FloatArray:
        norms = norms_of(records)
        error = linkage.precision.length_error(norms, columns) + setting.known_unit * norms
        if linkage.motion != "similarity" or len(known) < 2:
            return error
        # A scale found from the anchors is known as well as their distances are, and errs the more far from them.
        away = row_norms(known - known.mean(axis=0)).max()
        return np.asarray(error + 2 * float(error.max()) / away * row_norms(records - known.mean(axis=0)))

    anchors = Anchors(known, values, error_of(known))
    limit, progress = setting.posterior_limit if linkage.noise else setting.chance_limit, problem.progress
    rest = {
        "complete": linkage.complete,
        "precision": linkage.precision,
        "radius": linkage.precision.radius(norms_of(candidates), columns)
        + unit_roundoff(dictionary) * norms_of(candidates),
        "rule": linkage.rule,
        "motion": linkage.motion,
        "scale": linkage.scale,
        "noise": linkage.noise,
    }
    if not len(values):
        everything = dict.fromkeys(range(len(candidates)), np.arange(len(found.points)))
        return assemble(found, {}, everything, place, chance=None, **rest)
    if linkage.noise:
        translates = linkage.motion != "orthogonal"
        entries = noisy_entries(
            candidates, anchors, found, linkage.noise, translates=translates, limit=limit, progress=progress
        )
    else:
        error = error_of(candidates) + unit_roundoff(dictionary) * row_norms(candidates)
        kept = linkage.motion == "orthogonal"
        entries = exact_entries(candidates, error, anchors, found, norms_kept=kept, limit=limit, progress=progress)
    return assemble(
        found, entries.links, entries.possible, place, chance=entries.chance, posterior=entries.posterior, **rest
    )
