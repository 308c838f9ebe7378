# SPDX-License-Identifier: BSD-3-Clause
r"""How many matches chance alone would make.

A link is certain *if the record is in the release*. Once a known record is found absent, others may be too, and in a
coarse table an absent record can match by chance. For links L of K known records this module estimates

    set:   C(K, |L|) * prod_i N_i * prod_(i<j) p_ij     chance assignments of that many records
    one:   N_i * prod_j p_ij                            chance matches of record i beside true links

where N_i is the expected number of released values with the norm of record i, and p_ij the chance that such a value
stands at the record's distance from the linked row j. In n dimensions a norm and n - 1 distances determine a point up
to a reflection, and linked rows that depend on each other tell less, so only so many distances count for a record, the
least telling ones. (Where norms are not kept: N_i is the number of rows, and n distances count.)

In a coarse table there are other values with the record's norm, and both rates are counted on them: not on all rows,
because on a grid the norms fix the parity of the distance. Where there are few such values, as in a fine table, rates
come from a sample of the release: the count within a window that holds ten rows, scaled to the tolerance, which on a
grid of spacing g is never taken below g^2. Nor is a distance's rate taken below the share of equal ones among the
distances between all rows: where values repeat, on whatever grid, that is what chance makes. There distances are not
independent either: if two rows differ as two records do, up to a symmetry of the grid, and two more by the same one,
the third distance is implied. So without norms a record that follows t others, and has its distances from the rest by
chance, counts for no less than

    s * images * prod_(rest) p_ij

with s the share of equal differences and ``images`` in how many ways symmetries that fix the t others can move it
(``isobreach.linking.chance.symmetries``) on a decimal grid, 2 otherwise; whichever t makes it the likeliest.

All this reads rates off the release, and multiplies them. Where columns are on a grid, no fewer matches are expected
than drawn strangers make (``isobreach.linking.chance.strangers``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from isobreach._arrays import FloatArray, IntArray
from isobreach.engine import Engine
from isobreach.geometry import row_norms
from isobreach.linking.chance.rates import Rates, same_difference
from isobreach.linking.chance.strangers import log_matches_of_strangers
from isobreach.linking.chance.symmetries import log_images
from isobreach.release import grid_spacing, offset_spacing


@dataclass(frozen=True)
class MatchCounting:
    """On how much chance matches are counted.

    Attributes
    ----------
    rows
        Released rows that are looked at: rates are then right within a few per cent.
    window
        Nearest rows from which a density is read.
    partners
        Links whose distances are counted: more would make chance matches rarer still.
    enough
        Other values with a record's norm, to count rates on.
    """

    rows: int = 4096
    window: int = 10
    partners: int = 32
    enough: int = 20


_COUNTING = MatchCounting()


@lru_cache(maxsize=8)
def sampled_rows(rows: int) -> IntArray:
    """Rows of a release of so many on which chance is estimated, ascending. Do not write into it."""
    if rows <= _COUNTING.rows:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).choice(rows, _COUNTING.rows, replace=False))


def chance_matches(
    everyone: FloatArray,
    records: IntArray,
    radius: FloatArray,
    linked: FloatArray,
    others: Sequence[FloatArray],
    counts: Sequence[int],
    source: Engine,
    *,
    norms_kept: bool = True,
    scale: float | None = None,
) -> FloatArray:
    """Expected chance matches of each link.

    Of all known records, ``everyone``, the q ``records``, with error ``radius``, are linked to the points ``linked``;
    ``others[i]`` are other released values that have the norm of record i, ``counts[i]`` how many there are. Where
    norms are not kept, every row has every norm, and a distance more is needed to determine a point. A ``scale`` that
    was not known takes one distance to be found, the most telling one.
    """
    known, known_total = everyone[records], len(everyone)
    rows, count = source.shape[0], len(known)
    sample = source.gather(sampled_rows(rows))
    spacing = grid_spacing(known) if norms_kept else _shared_step(known)
    error = float(radius.max())
    telling = telling_distances(linked, sample, error, norms_kept=norms_kept, among=True)
    repeats = _log(Rates.between(sample).collision(2 * error))
    same = -np.inf if norms_kept else _log(same_difference(sample, error))
    implied = partial(_implied, known, same, telling=telling, on_grid=spacing > 0)
    norms, sample_squares = row_norms(known), row_norms(sample) ** 2
    partners = min(count, _COUNTING.partners)
    sample_gaps = [row_norms(sample - row) ** 2 for row in linked[:partners]]
    log_expected = np.empty(count)
    log_pair = np.full((count, partners), -np.inf)
    for i in range(count):
        slack = max(2 * norms[i] * radius[i] + radius[i] ** 2, spacing**2)
        log_expected[i] = np.log(rows) + (_log_rate(sample_squares, norms[i] ** 2, slack) if norms_kept else 0.0)
        log_expected[i] = max(log_expected[i], np.log(max(counts[i], 1e-300)))
        field = others[i] if norms_kept and len(others[i]) >= _COUNTING.enough else None
        for j in range(partners):
            if i == j:
                continue
            distance, reach = float(np.linalg.norm(known[i] - known[j])), radius[i] + radius[j]
            slack = max(2 * distance * reach + reach**2, spacing**2)
            gaps = sample_gaps[j] if field is None else row_norms(field - linked[j]) ** 2
            log_pair[i, j] = max(_log_rate(gaps, distance**2, slack), repeats)
    log_pair[:partners] = np.maximum(log_pair[:partners], log_pair[:partners].T)
    places = np.arange(partners)
    together = [implied(i, places[places != i], log_pair[i]) for i in range(count)]
    one = log_expected + np.maximum(least_telling(log_pair, telling), together)
    whole = gammaln(known_total + 1) - gammaln(partners + 1) - gammaln(known_total - partners + 1)
    order = np.argsort(log_expected[:partners])
    for place in range(partners):
        i = order[place]
        factor = least_telling(log_pair[i, order[:place]][None], telling)[0]
        whole += log_expected[i] + max(factor, implied(i, order[:place], log_pair[i]))
    scales = -float(log_pair[np.isfinite(log_pair)].min()) if scale is not None and count > 1 else 0.0
    whole += scales
    drawn = log_matches_of_strangers(
        everyone, records, radius, rows, partners=partners, norms_kept=norms_kept, scale=scale or 1.0, scales=scales
    )
    return np.asarray(np.exp(np.minimum(np.maximum(np.maximum(one, whole), drawn), 700.0)))


def _shared_step(known: FloatArray) -> float:
    """Step of the grid that differences of records lie on, the same in all columns; 0 where there is none."""
    steps = [offset_spacing(column) for column in known.T if np.ptp(column)]
    return grid_spacing(np.array(steps)) if steps and all(steps) else 0.0


def _implied(
    known: FloatArray,
    same: float,
    record: int,
    others: NDArray[np.intp],
    log_pair: FloatArray,
    *,
    telling: int,
    on_grid: bool,
) -> float:
    """Log of the chance that a record follows some of the others, those named first, and fits the rest by chance."""
    if same == -np.inf or not len(others):
        return -np.inf
    differences = known[others[1:]] - known[others[0]]
    moved, best = known[record] - known[others[0]], -np.inf
    for followed in range(1, len(others) + 1):
        images = log_images(differences[: followed - 1], moved) if on_grid else np.log(2)
        followed = len(others) if images == 0 else followed  # no way is left: to follow all is the likeliest
        # What follows has the right distances from what it follows, so it is no likelier than these.
        following = min(same + images, float(log_pair[others[:followed]].max()))
        rest = least_telling(log_pair[None, others[followed:]], max(telling - followed, 0))[0]
        best = max(best, following + float(rest))
        if images == 0:
            break
    return best


def _log(share: float) -> float:
    return float(np.log(share)) if share > 0 else -np.inf


def telling_distances(
    linked: FloatArray, sample: FloatArray, error: float, *, norms_kept: bool, among: bool = False
) -> int:
    """How many distances from linked rows tell something of a row that the others do not.

    As many as there are independent linked rows, and no more than determine a row, among those of the ``sample``, up to
    a reflection. ``among``: of a row that is itself one of the linked ones.
    """
    if norms_kept:
        return max(1, min(_rank(sample, error) - 1, _rank(linked, error) - among))
    whole = _rank(sample - sample.mean(axis=0), error)
    return max(1, min(whole, _rank(linked - linked.mean(axis=0), error) + 1 - among))


def _rank(rows: FloatArray, error: float) -> int:
    """Dimension of the span of rows, as far as their error lets it be seen."""
    strength = np.linalg.svd(rows, compute_uv=False)
    return int(np.count_nonzero(strength > max(float(strength[0]) * 1e-9, error * np.sqrt(len(rows)))))


def least_telling(log_pair: FloatArray, most: int) -> FloatArray:
    """Sum of the ``most`` largest finite entries of each row."""
    ordered = np.sort(log_pair, axis=1)[:, ::-1][:, :most]
    return np.asarray(np.where(np.isfinite(ordered), ordered, 0.0).sum(axis=1))


def _log_rate(squares: FloatArray, wanted: float, slack: float) -> float:
    """Log of the share of squared lengths within ``slack`` of ``wanted``; at most 0."""
    gaps = np.abs(squares - wanted)
    window = float(np.partition(gaps, min(_COUNTING.window, len(gaps)) - 1)[: min(_COUNTING.window, len(gaps))].max())
    within = 1 + int(np.count_nonzero(gaps <= max(slack, window)))
    share = within / len(gaps) * (1.0 if slack >= window else slack / window)
    return float(np.log(max(min(share, 1.0), 1e-300)))
