# SPDX-License-Identifier: BSD-3-Clause
r"""The attacker's own choice among variants, without the truth.

A known record whose row is known is a rehearsal: estimated without it, it shows which variant comes near. The variant
that breaches most of the known records is taken, of several the one with the least sum of min(error, 2 epsilon |x|).
Without rehearsals every step that the knowledge allows is taken.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.refine.evidence import Evidence
from isobreach.attacks.refine.recipes import apply, recipes, variants

FloatArray = NDArray[np.float64]


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


def chosen(rehearsals: Iterable[Rehearsal], names: Iterable[str], epsilon: float) -> str | None:
    """Return the name of the variant that does best on rehearsals; None where nothing was rehearsed.

    Parameters
    ----------
    rehearsals
        Of known records.
    names
        Variants to choose from; of equal ones, the first.
    epsilon
        Relative error that counts as a breach.
    """
    rehearsed = list(rehearsals)
    if not rehearsed:
        return None

    def merit(name: str) -> tuple[int, float]:
        breached, far = 0, 0.0
        for one in rehearsed:
            reach = epsilon * float(np.linalg.norm(one.record))
            error = float(np.linalg.norm(one.estimates[name] - one.record)) if name in one.estimates else np.inf
            breached += error <= reach
            far += min(error, 2 * reach)
        return breached, -far

    return max(names, key=merit)


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
    name = chosen(rehearsals, found, evidence.epsilon)
    return apply(found[list(found)[-1] if name is None else name], raw, evidence)
