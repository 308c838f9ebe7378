# SPDX-License-Identifier: BSD-3-Clause
"""What attackers achieve who do not attack: beside every figure of the audit stands one of these.

*Blind guess*: one record is guessed for everybody, or one value of an attribute. Which one, public statistics may tell:
the attacker's own guesses (``isobreach.attacks.blind``, ``interval_guess``), made of the whole table. The best of them
counts, on all records but the guess itself.

*Column means*: the mean record alone.

*Random link*: a released row is taken for the row of a record drawn at random. Its share of breaches is that of pairs
of records within epsilon of each other, sampled; its links are right once in as many times as there are rows.

*No known record*: of an orthogonal motion the length of a record is known and nothing else; a closed form. Behind a
translation not even that is known, and there is no such attacker.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._naming import way
from isobreach._phrases import percent
from isobreach.attacks import Evidence, blind, interval_guess
from isobreach.audits.groups import Groups
from isobreach.audits.intervals import Sampled, wilson
from isobreach.geometry import breach_probability, row_norms

HARDLY = 0.05  # share breached by a blind guess, up to which that is hardly anyone: figures then say so by themselves
_PAIRS = 20_000  # of people: a share is then known within 0.007
# Guesses in words; the typical record is one of the table, which it breaches without being a guess of it.
OWN_GUESS = "typical record"
WORDS = {
    "mean": "the column means",
    "median": "the column medians",
    "most common value": "the most common values",
    OWN_GUESS: "one record",
}
_ROUNDING = 1e-9  # of a tolerance
# Epsilons to try where a blind guess breaches many: below the last one only records that are the same are near.
_ROUND = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


@dataclass(frozen=True, eq=False)
class Baselines:
    """Shares of records breached without an attack.

    ``attributes``: of each, the share of records within tolerance of the column mean. ``blind``: share breached by the
    best blind guess, which ``guess`` names, ``blind_records`` which these are; ``blind_attributes``: of each attribute,
    the share within tolerance of its best blind guess. ``finer``: smaller epsilons and what the best blind guess
    breaches there, down to the first at which that is hardly anyone; only where it breaches many.
    """

    column_means: float
    random_link: Sampled
    random_link_right: float
    no_known_record: float | None
    attributes: FloatArray
    blind: float
    guess: str
    blind_attributes: FloatArray
    blind_records: NDArray[np.bool_]
    finer: tuple[tuple[float, float], ...] = ()


def baselines(
    records: FloatArray,
    norms: FloatArray,
    epsilon: float,
    tolerance: FloatArray,
    *,
    norms_kept: bool,
    draws: np.random.Generator,
    groups: Groups | None = None,
    hardly: float = 1.0,
) -> Baselines:
    """Return the baselines of a table; ``groups``: columns that are one attribute together.

    ``hardly``: the share up to which a blind guess breaches hardly anyone: above, smaller epsilons are tried.
    """
    groups = Groups() if groups is None else groups
    total, n = records.shape
    centred = records - records.mean(axis=0)
    first = draws.integers(0, total, _PAIRS)
    second = (first + 1 + draws.integers(0, max(total - 1, 1), _PAIRS)) % total
    close = row_norms(records[first] - records[second]) <= epsilon * norms[first]
    means = float(np.mean(row_norms(centred) <= epsilon * norms))
    best, guess, hit = _blind(records, norms, epsilon)
    middles = interval_guess(Evidence(known=records), tolerance)
    assert middles is not None  # there are records
    return Baselines(
        column_means=means,
        random_link=wilson(int(close.sum()), _PAIRS),
        random_link_right=1 / total,
        no_known_record=float(breach_probability(1.0, 1.0, n, epsilon)) if norms_kept else None,
        attributes=groups.shares(np.abs(centred) <= tolerance, records - centred),
        blind=best,
        guess=guess,
        blind_attributes=groups.most_common(
            np.asarray(np.mean(np.abs(records - middles) <= tolerance * (1 + _ROUNDING), axis=0))
        ),
        blind_records=hit,
        finer=tuple(_finer(records, norms, epsilon, hardly)) if best > hardly else (),
    )


def beforehand(found: Baselines, epsilon: float, limit: float) -> str:
    """What is known before anybody is played, where the blind guess exceeds the limit: no protection can meet it."""
    said = (
        f"A blind guess breaches {percent(float(f'{found.blind:.3g}'))} of all people at an epsilon of {epsilon:g}, "
        f"whatever the protection, and the limit is {percent(limit)}: this audit will say not to publish."
    )
    helps = next(((finer, left) for finer, left in found.finer if left <= limit), None)
    if helps is None:
        return f"{said} No smaller epsilon helps."
    smaller = way(f"--epsilon {helps[0]:g}", f"epsilon={helps[0]:g}")
    return f"{said} With {smaller} the guess breaches {percent(float(f'{helps[1]:.3g}'))}."


def _finer(records: FloatArray, norms: FloatArray, epsilon: float, hardly: float) -> Iterator[tuple[float, float]]:
    """Round epsilons below the given one and what a blind guess breaches there, until that is hardly anyone."""
    for step in _ROUND:
        if step < epsilon:
            share = _blind(records, norms, step)[0]
            yield step, share
            if share <= hardly:
                return


def _blind(records: FloatArray, norms: FloatArray, epsilon: float) -> tuple[float, str, NDArray[np.bool_]]:
    """The best of the blind guesses: the share of records that it breaches, its name, and which records."""
    shares, breached = {}, {}
    for name, guess in blind(Evidence(known=records, epsilon=epsilon)).items():
        hit, own = row_norms(records - guess) <= epsilon * norms, int(name == OWN_GUESS)
        if own:
            hit[int((records == guess).all(axis=1).argmax())] = False  # whose record is the guess
        shares[WORDS[name]] = int(hit.sum()) / max(len(records) - own, 1)
        breached[WORDS[name]] = hit
    best = max(shares, key=lambda name: shares[name])
    return shares[best], best, breached[best]
