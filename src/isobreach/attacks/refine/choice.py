# SPDX-License-Identifier: BSD-3-Clause
r"""The attacker's own choice among variants, without the truth.

By default every step that the knowledge allows is taken. A known record whose row is known is a rehearsal: estimated
without it, it shows which variant comes near. Another variant is taken if it breaches two known records more than the
default does: one may be luck. Of several the one with the least mean relative error is taken. A variant that cannot be
had without the record counts as wrong by its whole length.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.refine.evidence import Evidence
from isobreach.attacks.refine.recipes import apply, every_step, recipes, variants

_CLEARLY = 2  # rehearsals that a variant must breach more than the default


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """A known record and what the attacker would have estimated of it without it.

    Attributes
    ----------
    record
        The known record, n numbers.
    estimates
        Estimates of it by name, n numbers each.
    """

    record: FloatArray
    estimates: Mapping[str, FloatArray]

    @classmethod
    def of(cls, record: FloatArray, raw: FloatArray, evidence: Evidence) -> "Rehearsal":
        """Return the rehearsal of one record.

        Parameters
        ----------
        record
            The known record.
        raw
            Estimate of it that was made without it.
        evidence
            What the attacker knows without it.
        """
        named = {name: values[0] for name, values in variants(raw[None], evidence).items()}
        return cls(record, {"": raw, **named})


def chosen(rehearsals: Iterable[Rehearsal], names: Iterable[str], default: str, epsilon: float) -> str:
    """Return the name of the variant to take.

    Parameters
    ----------
    rehearsals
        Of known records.
    names
        Variants to choose from; of equal ones, the first.
    default
        The one that is taken unless another does clearly better.
    epsilon
        Relative error that counts as a breach.
    """
    rehearsed = list(rehearsals)

    def merit(name: str) -> tuple[int, float]:
        breached, far = 0, 0.0
        for one in rehearsed:
            norm = float(np.linalg.norm(one.record))
            error = float(np.linalg.norm(one.estimates[name] - one.record)) if name in one.estimates else norm
            breached += error <= epsilon * norm
            far += error / (norm or 1.0)
        return breached, -far

    best = max(names, key=merit)
    return best if merit(best)[0] >= merit(default)[0] + _CLEARLY else default


def refined(raw: FloatArray, evidence: Evidence, rehearsals: Iterable[Rehearsal] = ()) -> FloatArray:
    """Return the estimates that the attacker would choose.

    Parameters
    ----------
    raw
        Estimates, m x n; NaN where an attribute was not estimated.
    evidence
        What the attacker knows.
    rehearsals
        How known records would have been estimated without them.
    """
    found = {"": (), **recipes(evidence)}
    return apply(found[chosen(rehearsals, found, every_step(found), evidence.epsilon)], raw, evidence)
