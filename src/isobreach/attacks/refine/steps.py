# SPDX-License-Identifier: BSD-3-Clause
r"""The steps of refining, each a function of estimates and evidence.

A record is x = p + u: the foot p, which the attacker has right, and the hidden part u of known length d (the residual).

**Regression.** What is hidden follows in part from what is visible. From records of the population, v their visible
coordinates, the hidden part is predicted by ridge regression: h = a + v B. The penalty is the one with the least error
on records left out (closed form). With noise s on a visible coordinate a prediction errs by s^2 |B|^2 more, which is
added: the records are exact, the rows are not. All of x is then predicted, so that the visible part shrinks as well
(Wiener).

**Aim.** Which length should an estimate have that points into the hidden direction g? With G the part of p across the
visible directions (the same for all rows, 0 without a translation) and q the estimate's hidden part, a breach
|u - q|^2 <= epsilon^2 |p + u|^2 is the half-space

    u.(q + epsilon^2 G) >= (A + |q|^2) / 2,    A = d^2 - epsilon^2 (|p|^2 + d^2).

For a normal of direction g, q = s g - epsilon^2 G, the cap is largest at s = sqrt(A + epsilon^4 |G|^2). Where the root
is not real the breach is certain, with s = 0. Without a translation the estimate then has the length
|y| sqrt(1 - epsilon^2); with one, g = G / |G| makes the largest cap of all: the outward direction.

**Length.** Without a visible part: under any posterior of its direction, the best estimate w of a record of length |x|
has length |x| sqrt(1 - epsilon^2), because |x - w| <= epsilon |x| means cos(x, w) >= (|w|^2 + (1 - epsilon^2) |x|^2) /
(2 |w| |x|), which is least there. So has the best blind guess of a row whose length is known: it shares the direction
of the mean, or of the middle of the ranges.

**Nearest record.** Where people resemble each other, a record is close to one that the attacker holds. A held record
z = z_v + z_h (visible and hidden part) cannot be nearer to x than sqrt(|p - z_v|^2 + (d - |z_h|)^2), and is that near
under some rotation of what is hidden. Without noise the record with the least such distance is taken; for a linked one
it is the distance itself. Under noise s the likeliest is: least distance^2 / (2 s^2) - log (how often it occurs).
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.refine.evidence import Evidence
from isobreach.engine import tiles
from isobreach.geometry import complement, row_norms


@dataclass(frozen=True)
class StepTuning:
    """How the steps are tuned.

    Attributes
    ----------
    penalties
        Of the ridge, in mean squared singular values: from none to all, half a decade apart.
    values
        Values on an attribute's grid, over the attacker's records, up to which frequencies are worth counting: with
        fewer records than values most are seen once or never.
    pseudo
        Count that every value has before any record is seen. At 1/2, 16 records of five equally likely values cost 3
        points of breaches, at 2 one, and sparse 0/1 values gain as much either way.
    compared
        Held records with which every estimate is compared, at most: time grows with them, and of 2,000 the nearest is
        hardly farther away than of more.
    """

    penalties: tuple[float, ...] = tuple(10.0 ** (half / 2) for half in range(-16, 9))
    values: float = 1.0
    pseudo: float = 2.0
    compared: int = 2_000


_TUNING = StepTuning()


def filled(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return estimates with the mean of the attacker's records where an attribute was not estimated."""
    missing, guesses = np.isnan(estimates), evidence.means
    return estimates if guesses is None or not missing.any() else np.where(missing, guesses, estimates)


def foot(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return what is visible of each estimate: of all estimates, the least mean squared error."""
    basis, centre = _visible(evidence)
    return np.asarray(centre + (estimates - centre) @ basis @ basis.T)


def regression(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return each foot together with what the visible part predicts of the hidden one."""
    basis, centre = _visible(evidence)
    records = predictors(evidence)
    assert records is not None
    seen = (records - centre) @ basis
    coordinates = (estimates - centre) @ basis
    if evidence.noise:
        return ridge(seen, records, coordinates, evidence.noise)
    hidden = complement(basis)
    predicted = ridge(seen, (records - centre) @ hidden, coordinates)
    return np.asarray(centre + coordinates @ basis.T + predicted @ hidden.T)


def predictors(evidence: Evidence) -> FloatArray | None:
    """Return records from which hidden parts can be predicted: linked ones have none, unless noise hides it."""
    held = (evidence.sample, evidence.known if evidence.noise else None)
    tables = [np.asarray(one, dtype=np.float64) for one in held if one is not None]
    records = np.concatenate(tables) if tables else np.empty((0, 0))
    records = records[np.isfinite(records).all(axis=1)]
    return records if len(records) > 2 else None


def aimed(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return estimates with the best hidden part in the direction of their own."""
    basis, centre = _visible(evidence)
    feet = foot(estimates, evidence)
    hidden = estimates - feet
    return _aimed(feet, hidden, centre - basis @ (basis.T @ centre), evidence)


def outward(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return estimates whose hidden part points outwards: behind a translation, longer records are breached more."""
    basis, centre = _visible(evidence)
    across = centre - basis @ (basis.T @ centre)
    return _aimed(foot(estimates, evidence), np.broadcast_to(across, estimates.shape), across, evidence)


def has_outward(evidence: Evidence) -> bool:
    """Return whether there is an outward direction."""
    if evidence.visible is None or evidence.centre is None or evidence.residuals is None:
        return False
    basis, centre = _visible(evidence)
    return float(np.linalg.norm(centre - basis @ (basis.T @ centre))) > 1e-9 * float(np.linalg.norm(centre))


def length(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return estimates of the best length."""
    lengths = evidence.lengths if evidence.norms is None else evidence.norms
    assert lengths is not None
    own = row_norms(estimates)
    best = lengths * np.sqrt(max(1 - evidence.epsilon**2, 0.0))
    return np.asarray(estimates * np.divide(best, own, out=np.ones_like(own), where=own > 0)[:, None])


def mean_direction(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return the mean of the attacker's records at the best length of each row: of estimates only the lengths count."""
    assert evidence.means is not None
    return length(np.broadcast_to(evidence.means, estimates.shape), evidence)


def middle_direction(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return the middle of the ranges at the best length of each row."""
    assert evidence.ranges is not None
    return length(np.broadcast_to(np.mean(evidence.ranges, axis=0), estimates.shape), evidence)


def clipped(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return estimates moved into the ranges: never farther from a record that lies within them."""
    assert evidence.ranges is not None
    return np.clip(estimates, *evidence.ranges)


def rounded(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return estimates on the grid and within the ranges: exact where they were within half a step."""
    grid = evidence.steps
    assert grid is not None
    nowhere = np.full(estimates.shape[1], np.inf)
    return grid.rounded(estimates, *(evidence.ranges or (-nowhere, nowhere)))


def likely(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return, under noise s, the likeliest value v of a list or a grid: least (e - v)^2 / (2 s^2) - log p(v).

    p: frequency among the attacker's records, each value within the range counted ``pseudo`` times more. Where several
    attributes share a list, v is one of its combinations.
    """
    result = estimates.copy() if evidence.steps is None else _likely_on_grid(estimates, evidence)
    for part in evidence.lists:
        result[:, part.columns] = part.likely(estimates[:, part.columns], evidence.noise)
    return result


def _likely_on_grid(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """The likeliest value of every attribute that has a grid of few values; others are rounded."""
    result = rounded(estimates, evidence)
    grid, ranges, records = evidence.steps, evidence.ranges, evidence.population
    assert grid is not None
    assert ranges is not None
    assert records is not None
    for j in np.flatnonzero(grid.there & np.isfinite(ranges[0]) & np.isfinite(ranges[1])):
        own = records[np.isfinite(records[:, j]), j]
        step, offset = grid.step[j], grid.offset[j]
        least, most = np.ceil((ranges[0][j] - offset) / step - 1e-9), np.floor((ranges[1][j] - offset) / step + 1e-9)
        if not 1 <= most - least < _TUNING.values * len(own):  # before the values are listed: there may be 10^15
            continue
        values = offset + step * np.arange(least, most + 1)
        counts = np.bincount(np.abs(own[:, None] - values).argmin(axis=1), minlength=len(values)) + _TUNING.pseudo
        prior = 2 * evidence.noise**2 * np.log(counts)
        best, least_cost = np.full(len(result), values[0]), np.full(len(result), np.inf)
        for value, credit in zip(values, prior, strict=True):
            cost = (estimates[:, j] - value) ** 2 - credit
            best, least_cost = np.where(cost < least_cost, value, best), np.minimum(cost, least_cost)
        result[:, j] = best
    return result


def rounded_direction(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return the likeliest directions of whole-number records: see ``refine.rays``."""
    assert evidence.rays is not None
    return evidence.rays.likely(estimates, evidence.noise)[0]


def nearest(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Return the nearest record that the attacker holds, by what is visible and how much is not."""
    assert evidence.occurring is not None
    records, counts = evidence.occurring
    some = np.linspace(0, len(records) - 1, min(len(records), _TUNING.compared)).astype(np.intp)
    records, counts = records[some], counts[some]
    places, theirs = estimates, records
    if evidence.visible is not None and evidence.visible.shape[1] < len(evidence.visible):
        basis, centre = _visible(evidence)
        places, theirs = (
            np.column_stack([(points - centre) @ basis, lengths])
            for points, lengths in (
                (estimates, _hidden_lengths(estimates, evidence)),
                (records, row_norms(records - foot(records, evidence))),
            )
        )
    # Squared distances but for a term that all records share. Of equally near ones the first is taken.
    offset = (theirs**2).sum(axis=1) - 2 * evidence.noise**2 * np.log(counts)
    rows = [(offset - 2 * places[part] @ theirs.T).argmin(axis=1) for part in tiles(places)]
    return np.asarray(records[np.concatenate(rows)])


def _hidden_lengths(estimates: FloatArray, evidence: Evidence) -> FloatArray:
    """Length of each hidden part, or that of the estimate where nothing shows it."""
    feet = foot(estimates, evidence)
    shown = evidence.residuals is not None or evidence.norms is not None
    return residuals(feet, evidence) if shown else row_norms(estimates - feet)


def _visible(evidence: Evidence) -> tuple[FloatArray, FloatArray]:
    basis = evidence.visible
    assert basis is not None
    return basis, np.zeros(len(basis)) if evidence.centre is None else evidence.centre


def residuals(feet: FloatArray, evidence: Evidence) -> FloatArray:
    """Return the length of each hidden part: as given, or what is left of the length of the record."""
    if evidence.residuals is not None:
        return evidence.residuals
    assert evidence.norms is not None
    return np.sqrt(np.maximum(evidence.norms**2 - row_norms(feet) ** 2, 0.0))


def _aimed(feet: FloatArray, hidden: FloatArray, across: FloatArray, evidence: Evidence) -> FloatArray:
    square = evidence.epsilon**2
    d, own = residuals(feet, evidence), row_norms(hidden)
    reach = d**2 - square * (row_norms(feet) ** 2 + d**2) + square**2 * float(across @ across)
    share = np.divide(np.sqrt(np.maximum(reach, 0.0)), own, out=np.zeros_like(own), where=own > 0)
    return np.asarray(feet + share[:, None] * hidden - square * across)


def ridge(inputs: FloatArray, targets: FloatArray, queries: FloatArray, noise: float = 0.0) -> FloatArray:
    """Return predictions of targets by ridge regression, the penalty chosen by leaving one record out.

    Parameters
    ----------
    inputs, targets
        Of the records, one row each.
    queries
        Inputs at which targets are predicted.
    noise
        Standard deviation of an error of the queries that the inputs do not have.
    """
    middle, mean = inputs.mean(axis=0), targets.mean(axis=0)
    left, scale, right = np.linalg.svd(inputs - middle, full_matrices=False)
    count = len(inputs)
    size = float((scale**2).sum()) / max(len(scale), 1)
    if size == 0:
        return np.broadcast_to(mean, (len(queries), len(mean)))
    parts = left.T @ (targets - mean)

    def missed(penalty: float) -> float:
        # Without record i the error is its residual over 1 - (its share in its own prediction, the mean's among it).
        shrunk = scale**2 / (scale**2 + penalty)
        own = 1 / count + (left**2) @ shrunk
        wrong = (targets - mean - (left * shrunk) @ parts) / np.maximum(1 - own, 1e-12)[:, None]
        passed_on = (((scale / (scale**2 + penalty))[:, None] * parts) ** 2).sum()
        return float((wrong**2).sum() + count * noise**2 * passed_on)

    penalty = min((one * size for one in _TUNING.penalties), key=missed)
    return np.asarray(mean + ((queries - middle) @ right.T * (scale / (scale**2 + penalty))) @ parts)
