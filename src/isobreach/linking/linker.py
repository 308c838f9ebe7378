# SPDX-License-Identifier: BSD-3-Clause
"""Linking known records to their released rows.

``link`` finds which released row each known record must be: candidates by norm (one pass over the release) or by the
distances between them, then the assignments of all known records that keep every length that the motion keeps, then
what these have in common. It reports a link only when it is certain, within the release's precision; under noise, when
its posterior leaves next to nothing for anything else.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress, no_progress
from isobreach._validation import (
    check_choice,
    check_integer,
    check_limit,
    check_not_negative,
    check_same_width,
    check_table,
    check_tolerance,
    check_widths,
)
from isobreach.engine import ONE_BLAS_THREAD, Engine, as_engine
from isobreach.errors import InputError
from isobreach.linking.candidates import check_entries
from isobreach.linking.chance import sampled_rows
from isobreach.linking.linkage import RULES, Linkage, Rule
from isobreach.linking.looking_up import dictionary_linkage
from isobreach.linking.motions import CHOICES, Choice, Setting
from isobreach.linking.narrow import NARROW, truncated
from isobreach.linking.partial import with_partial
from isobreach.linking.problem import Problem
from isobreach.linking.rounding import strangers_fit
from isobreach.linking.shared import shareable
from isobreach.linking.solving import Noise, no_linkage, noisy_linkage, projected_linkage, rounded_linkage
from isobreach.release import distinct_records, given_precision, released_precision, unit_roundoff

NODE_LIMIT = 2_000_000  # of a search, set by hand: beyond it links are ambiguous
CHANCE_LIMIT = 1e-3  # matches that chance may make, on average, set by hand

_TRUNCATED = "the release is narrower than the records: it holds the first attributes, moved"


@shareable
@ONE_BLAS_THREAD
def link(
    known: NDArray[Any],
    released: NDArray[Any] | Engine,
    *,
    motion: Choice = "auto",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    noise: Noise = None,
    dictionary: NDArray[Any] | None = None,
    sample: NDArray[Any] | None = None,
    chance_limit: float = CHANCE_LIMIT,
    node_limit: int = NODE_LIMIT,
    progress: Progress = no_progress,
) -> Linkage:
    """Link known records to released rows; the other parameters are those of ``isobreach.link``.

    Parameters
    ----------
    known
        Records the attacker holds, a x n; NaN where an attribute is not known. Complete records are linked first; their
        links complete the others where they can, always within ``chance_limit``.
    released
        Released rows, m x N: an array or an engine. With 32 <= N < n, the first N attributes are tried; then a
        projection, where distances agree within a band: posteriors, and no link.
    dictionary
        Looked for once the complete known ones are linked.
    sample
        Where norms tell too little and a release has too many pairs of rows to compare them all, it proposes rows,
        which exact distances confirm; a record that is not found so is ambiguous.
    """
    check_choice("motion", motion, CHOICES)
    check_choice("rule", rule, RULES)
    tolerance = check_tolerance(tolerance)
    check_integer("node_limit", node_limit, least=1)
    chance_limit = check_limit("chance_limit", chance_limit)
    noise = _checked_noise(noise)
    known = np.asarray(known)
    check_table("known", known, partial=True)
    source = as_engine(released)
    if dictionary is not None:
        dictionary = np.asarray(dictionary)
        check_table("dictionary", dictionary)
        check_same_width(known.shape[1], dictionary.shape[1])
    if sample is not None:
        sample = np.asarray(sample, dtype=np.float64)
        check_table("sample", sample)
        check_same_width(known.shape[1], sample.shape[1], table="sample")
    lacking = np.isnan(known).any(axis=1)
    source.keep(sampled_rows(source.shape[0]))  # picked up while norms are looked up
    if noise and lacking.any():
        got = f"{lacking.sum()} with missing cells"
        raise InputError("known", "must hold complete records where there is noise", got, "Leave those out.")
    narrow = known.shape[1] > source.shape[1]
    # Of a table of a few columns some were left out by mistake; vectors are cut and projected.
    if lacking.any() or dictionary is not None or source.shape[1] < NARROW.columns:
        check_widths(known.shape[1], source.shape[1])
    if narrow:
        # The first attributes, as a release of its own; where they are not what is released, a projection.
        cut = truncated(known, source.shape[1], source.gather(sampled_rows(source.shape[0])))
        linkage = link(
            cut,
            source,
            motion=motion,
            rule=rule,
            tolerance=tolerance,
            noise=noise,
            chance_limit=chance_limit,
            node_limit=node_limit,
            progress=progress,
        )
        if len(linkage.linked):
            return replace(linkage, reason=_TRUNCATED)
    precision = released_precision(source) if tolerance is None else given_precision(tolerance)
    doubt = motion == "auto" or strangers_fit(precision, source)
    setting = Setting(precision, unit_roundoff(known), tolerance is not None, chance_limit, doubt, bool(lacking.any()))
    if lacking.all():
        check_entries(source)
        return with_partial(known, no_linkage(setting, motion, rule), None, source, chance_limit, progress)
    distinct, which = distinct_records(known[~lacking])
    problem = Problem(distinct, source, rule, node_limit, progress, sample)
    if narrow:
        return projected_linkage(problem, setting, motion, noise, which)
    if noise:
        linkage = noisy_linkage(problem, setting, motion, noise, which)
    else:
        linkage = rounded_linkage(problem, setting, motion, rule, which)
    if dictionary is not None:
        linkage = replace(linkage, dictionary=dictionary_linkage(problem, setting, linkage, which, dictionary))
    return with_partial(known, linkage, dictionary, source, chance_limit, progress) if lacking.any() else linkage


def _checked_noise(noise: Any) -> Noise:
    if isinstance(noise, str) and noise != "estimate":
        raise InputError("noise", "must be None, a number >= 0 or 'estimate'", repr(noise))
    return noise if noise is None or noise == "estimate" else check_not_negative("noise", noise)
