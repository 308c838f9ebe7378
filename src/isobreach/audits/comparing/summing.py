# SPDX-License-Identifier: BSD-3-Clause
"""From trials to cells: which variant of an attack's estimates is told, and what it gives.

The variant is chosen on one half of the trials and told from the other, both ways round, as in the audit's matrix; by
the share breached, then by the share of attributes learned, then by the error. A variant that an attack does not offer
in a trial is its plain estimate there.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks import ATTACKS
from isobreach.audits.comparing.asked import Contestant
from isobreach.audits.comparing.contest import Play, TrialOutcome, unsuited
from isobreach.audits.comparing.result import CellFigures, SchemeFigures
from isobreach.audits.comparing.usefulness import Utility
from isobreach.audits.intervals import mean_interval
from isobreach.audits.players import PLAIN

FloatArray = NDArray[np.float64]


def scheme_figures(
    contestant: Contestant, outcomes: Sequence[TrialOutcome], *, unfolds: bool, blind: float | None = None
) -> SchemeFigures:
    """What a scheme leaves, of all its trials; ``unfolds``, ``blind``: see ``SchemeFigures``."""
    measured = [one.utility for one in outcomes if one.utility is not None]
    refused = [one.refused for one in outcomes if one.refused is not None]
    return SchemeFigures(
        label=contestant.label,
        name=contestant.scheme.name,
        parameters=contestant.parameters,
        keeps=contestant.scheme.keeps,
        refusal=refused[0] if len(refused) == len(outcomes) else None,
        utility=Utility.mean(measured) if measured else None,
        unfolds=unfolds,
        blind=blind,
    )


def cell_figures(contestant: Contestant, attack: str, people: int, outcomes: Sequence[TrialOutcome]) -> CellFigures:
    """What an attack does to a scheme, of all trials in which it was played; ``people``: others in each of them."""
    label = contestant.label
    reason = unsuited(ATTACKS[attack], contestant.scheme.model)
    if reason is not None:
        return CellFigures(label, attack, reason)
    trials = [own for one in outcomes if (own := {play.variant: play for play in one.plays if play.attack == attack})]
    if not trials:
        refused = next(one.refused for one in outcomes if one.refused is not None)
        return CellFigures(label, attack, f"the scheme cannot protect this table: {refused}")
    refusals = [why for own in trials if (why := own[PLAIN].refused) is not None]
    if len(refusals) == len(trials):
        return CellFigures(label, attack, refusals[0])
    told, variant = _told(trials)
    errors = [play.marks.error for play in told if np.isfinite(play.marks.error)]
    return CellFigures(
        scheme=label,
        attack=attack,
        reason=None,
        variant=variant,
        trials=len(trials),
        breached=mean_interval([play.marks.breached for play in told], people),
        error=float(np.median(errors)) if errors else None,
        learned=np.mean([play.marks.learned for play in told], axis=0),
        privacy=_mean([play.marks.privacy for play in told]),
        claimed=float(np.mean([play.claimed for play in told])),
        refused=len(refusals) / len(trials),
        refusal=refusals[0] if refusals else None,
        seconds=float(np.mean([play.seconds for play in told])),
    )


def _told(trials: Sequence[dict[str, Play]]) -> tuple[list[Play], str]:
    """Of each trial, what the variant gives that was chosen on the trials of the other half; and the best of all."""
    variants = sorted({variant for own in trials for variant in own}, key=lambda one: (one != PLAIN, one))
    plays = [[own.get(variant, own[PLAIN]) for variant in variants] for own in trials]
    told = []
    for place, own in enumerate(plays):
        others = [one for other, one in enumerate(plays) if other % 2 != place % 2] or plays
        told.append(own[_best(others)])
    return told, variants[_best(plays)]


def _best(plays: Sequence[Sequence[Play]]) -> int:
    """Place of the best variant; of equals the first."""
    merits = [
        (
            float(np.mean([one.marks.breached for one in several])),
            float(np.mean([one.marks.learned.mean() for one in several])),
            -float(np.median([np.nan_to_num(one.marks.error, nan=np.inf) for one in several])),
        )
        for several in zip(*plays, strict=True)
    ]
    return max(range(len(merits)), key=lambda place: (merits[place], -place))


def _mean(several: Sequence[FloatArray]) -> FloatArray:
    """Mean of each entry over those that have it; NaN where none has."""
    table = np.array(several)
    there = np.isfinite(table)
    sums, counts = np.where(there, table, 0.0).sum(axis=0), there.sum(axis=0)
    return np.asarray(np.divide(sums, counts, out=np.full(table.shape[1], np.nan), where=counts > 0))
