# SPDX-License-Identifier: BSD-3-Clause
r"""The known-input attack (Giannella, Liu, Kargupta), with the optimal estimate.

1. Link known records to released rows (``isobreach.linking``).
2. The linked pairs fix the motion on the span of the linked records, or, where it has a translation, on their affine
   hull; h = n - k dimensions stay hidden. A scale is put into the records first: a breach is relative.
3. For a released row y at distance d from the span (hull) of the linked released rows, the record is known up to a
   vector uniform on a sphere of radius d in the h hidden dimensions: ``isobreach.attacks.known_input.exposure``.
4. Estimate: the foot p, M'y on the span (hull); in the hidden dimensions one random map for all rows, shrunk to
   the estimator's radius. Where a translation hides norms, the optimal hidden part is r times the unit vector of WW'p,
   the same for all rows: records that lie further out are larger, and so easier to breach.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._progress import Progress, no_progress
from isobreach._random import random_source
from isobreach._validation import check_choice, check_epsilon, check_integer, check_seed
from isobreach.attacks.known_input.exposure import Exposure, Kind
from isobreach.attacks.known_input.measuring import measure, translates
from isobreach.blocks import Source, as_source, tiles
from isobreach.errors import InputError
from isobreach.geometry import ESTIMATORS, ConsistentMotions, Estimator, row_norms
from isobreach.linking import Choice, Linkage, Noise, Rule, link

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_CHUNK = 1 << 18


def _plain(values: FloatArray, rows: IntArray) -> Any:
    return values


@dataclass(frozen=True, eq=False)
class AttackResult:
    """What the attacker learned.

    Attributes
    ----------
    linkage
        Which released row each known record is; those of a dictionary are in ``linkage.dictionary``.
    hidden_dimension
        h = n - k: what the links leave undetermined.
    epsilon, estimator
        As asked for.
    kind
        What probabilities are: ``"exact"``, ``"model-based"``, a ``"lower bound"``, or an ``"approximation"``.
    container
        Function of values and released rows that puts estimates into the kind of table that came in.
    """

    linkage: Linkage
    epsilon: float
    estimator: Estimator
    _links: Linkage = field(repr=False)
    _exposure: Exposure = field(repr=False)
    _motions: ConsistentMotions = field(repr=False)
    _hidden_map: FloatArray = field(repr=False)
    _known: FloatArray = field(repr=False)
    _known_error: float = field(repr=False)
    _source: Source = field(repr=False)
    container: Callable[[FloatArray, IntArray], Any] = field(default=_plain, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the release."""
        return self._source.shape

    @property
    def hidden_dimension(self) -> int:
        """Dimensions that the links leave undetermined."""
        return self._motions.hidden_dimension

    @property
    def known_columns(self) -> int:
        """Columns of the records: fewer than the release's where it was padded."""
        return int(self._known.shape[1])

    @cached_property
    def kind(self) -> Kind:
        """Exact if the release's own error is negligible beside epsilon; approximations under noise.

        Model-based where a translation hides norms and dimensions are left: the hidden part of a record is then taken
        to have no preferred direction, and for a given table probabilities may be too high. Those of 1 are not.
        """
        return self._exposure.kind(self.epsilon)

    @property
    def is_exact(self) -> bool:
        """Whether probabilities are exact."""
        return self.kind == "exact"

    @cached_property
    def linked_rows(self) -> IntArray:
        """Released rows that hold a linked value, ascending: linked rows and whatever equals them."""
        candidates = [self._links.candidates[i] for i in self._links.linked]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *candidates]))

    @cached_property
    def _record_of(self) -> dict[int, int]:
        """Known record of each row that is one for certain: of equal rows, another one may be it."""
        if self._known_error > self.epsilon:
            return {}  # the attacker's own records are not that precise
        links = [(i, self._links.candidates[i]) for i in self._links.linked.tolist()]
        return {int(rows[0]): i for i, rows in links if len(rows) == 1}

    @cached_property
    def relative_residual(self) -> FloatArray:
        """d / |y| of every released row: the smaller, the more exposed. With a translation d / sqrt(|p|^2 + d^2)."""
        return self._exposure.relative_residual(slice(None))

    @cached_property
    def breach_probability(self) -> FloatArray:
        """Breach probability of every released row; 1 for linked ones."""
        return self.probability()

    def probability(
        self,
        epsilon: float | None = None,
        rows: ArrayLike | None = None,
        estimator: Estimator | None = None,
        *,
        norms: ArrayLike | None = None,
    ) -> FloatArray:
        """Return breach probabilities under other settings than the attack's own.

        Parameters
        ----------
        epsilon, estimator
            As for the attack, and its own by default.
        rows
            Released rows; all by default.
        norms
            The true norm of each of these rows' records, which a translation hides from the attacker but not from the
            owner. The probability is then that of a random hidden direction, for the record as it is.
        """
        epsilon = self.epsilon if epsilon is None else check_epsilon(epsilon)
        estimator = self.estimator if estimator is None else _checked_estimator(estimator, self.linkage)
        wanted = None if rows is None else self._checked(rows)
        result = np.empty(self.shape[0] if wanted is None else len(wanted))
        true_norms = None if norms is None else _checked_norms(norms, len(result)) * self.linkage.scale
        for start in range(0, len(result), _CHUNK):  # intermediate arrays stay small beside the release
            part = slice(start, start + _CHUNK)
            chosen = part if wanted is None else wanted[part]
            theirs = None if true_norms is None else true_norms[part]
            result[part] = self._exposure.claim(chosen, epsilon, estimator, theirs)
        sure = list(self._record_of)
        result[sure if wanted is None else np.isin(wanted, sure)] = 1.0
        return result

    @cached_property
    def best(self) -> int | None:
        """The unlinked released row with the highest breach probability, ties as in ``top``; None if all are linked."""
        top = self.top(1)
        return int(top[0]) if len(top) else None

    def top(self, count: int) -> IntArray:
        """Return the unlinked released rows with the highest breach probability, highest first.

        Of rows with the same probability the one with the smaller relative residual comes first, because its estimate
        is the closer one.

        Parameters
        ----------
        count
            How many rows; fewer come back where fewer are unlinked.
        """
        check_integer("count", count, least=1)
        rank = self._exposure.rank(self.epsilon, self.estimator)
        chosen = _smallest(rank, count, self.linked_rows)
        residual = self._exposure.relative_residual(chosen)
        return chosen[np.lexsort((chosen, residual, rank[chosen]))[:count]]

    @property
    def estimates(self) -> Any:
        """Estimate of every released row's record, m x n with n the records' columns: as large as the release."""
        estimates = np.empty((self.shape[0], self.known_columns))

        def kernel(start: int, block: FloatArray) -> tuple[int, FloatArray]:
            rows = np.arange(start, start + len(block))
            return start, np.concatenate([self._estimate(block[part], rows[part]) for part in tiles(block)])

        for start, part in self._source.map(kernel, "estimating"):
            estimates[start : start + len(part)] = part
        return self.container(estimates, np.arange(self.shape[0]))

    def estimate(self, rows: ArrayLike) -> Any:
        """Return estimates of some released rows' records.

        Parameters
        ----------
        rows
            Released rows, counted from 0.
        """
        wanted = self._checked(rows)
        return self.container(self._estimate(self._source.take(wanted), wanted), wanted)

    def _estimate(self, released: FloatArray, rows: IntArray) -> FloatArray:
        motions = self._motions
        centred = released - motions.released_centre
        hidden = centred @ motions.released_hidden
        foot = motions.known_centre + (centred @ motions.released) @ motions.known.T
        residual = row_norms(hidden)
        norm = np.hypot(row_norms(foot), residual)
        radius = self._exposure.radius(rows, residual, norm, self.epsilon, self.estimator)
        outward = motions.known_hidden.T @ motions.known_centre
        if self.estimator == "optimal" and outward.any():
            towards = np.broadcast_to(outward / np.linalg.norm(outward), (len(rows), len(outward)))
        else:
            towards = hidden @ self._hidden_map
            lengths = row_norms(towards)[:, None]
            towards = np.divide(towards, lengths, out=np.zeros_like(towards), where=lengths > 0)
        estimates = (foot + (radius[:, None] * towards) @ motions.known_hidden.T) / self.linkage.scale
        for place in np.flatnonzero(np.isin(rows, list(self._record_of))):
            estimates[place] = self._known[self._record_of[int(rows[place])]]
        return np.asarray(estimates)

    def _checked(self, rows: ArrayLike) -> IntArray:
        wanted = np.atleast_1d(np.asarray(rows))
        wanted = wanted if wanted.size else wanted.astype(np.int64)  # an empty list has no type of its own
        total = self._source.shape[0]
        if wanted.dtype.kind not in "iu" or wanted.ndim != 1 or ((wanted < 0) | (wanted >= total)).any():
            raise InputError("rows", f"must be whole numbers from 0 to {total - 1}", repr(rows)[:40])
        return wanted.astype(np.int64)


def attack(
    known: NDArray[Any],
    released: NDArray[Any] | Source,
    epsilon: float = 0.1,
    *,
    motion: Choice = "orthogonal",
    estimator: Estimator = "optimal",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    noise: Noise = None,
    dictionary: NDArray[Any] | None = None,
    seed: int | None = None,
    progress: Progress = no_progress,
) -> AttackResult:
    """Attack a release with known records; no link at all is a valid outcome.

    ``epsilon``: relative error that counts as a breach. ``estimator``: ``optimal``, ``uniform`` or ``published``.
    ``seed``: of the random direction in the hidden dimensions. The others are those of ``link``.
    """
    epsilon = check_epsilon(epsilon)
    check_choice("estimator", estimator, ESTIMATORS)
    check_seed(seed)
    source, known = as_source(released), np.asarray(known)
    linkage = link(
        known,
        source,
        motion=motion,
        rule=rule,
        tolerance=tolerance,
        noise=noise,
        dictionary=dictionary,
        progress=progress,
    )
    records = known if dictionary is None else np.concatenate([known, np.asarray(dictionary)])
    return attack_linked(records, source, linkage, epsilon, estimator=estimator, seed=seed, progress=progress)


def attack_linked(
    known: NDArray[Any],
    released: NDArray[Any] | Source,
    linkage: Linkage,
    epsilon: float = 0.1,
    *,
    estimator: Estimator = "optimal",
    seed: int | None = None,
    progress: Progress = no_progress,
) -> AttackResult:
    """What follows from the links: the attack after ``link``. ``known``: with the dictionary's records after them."""
    epsilon = check_epsilon(epsilon)
    estimator = _checked_estimator(estimator, linkage)
    check_seed(seed)
    source, known = as_source(released), np.asarray(known)
    links = linkage.joined
    motions, exposure = measure(known, source, links, progress)
    return AttackResult(
        linkage=linkage,
        epsilon=epsilon,
        estimator=estimator,
        _links=links,
        _exposure=exposure,
        _motions=motions,
        _hidden_map=motions.choose_hidden(random_source(seed, "estimate")),
        _known=np.asarray(known, dtype=np.float64),
        _known_error=float(np.finfo(str(known.dtype)).eps) if known.dtype.kind == "f" else 0.0,
        _source=source,
    )


def _checked_estimator(estimator: Estimator, linkage: Linkage) -> Estimator:
    check_choice("estimator", estimator, ESTIMATORS)
    if estimator == "published" and (translates(linkage) or linkage.noise):
        rule = "must be optimal or uniform unless the motion is orthogonal and without noise"
        raise InputError("estimator", rule, repr(estimator))
    return estimator


def _checked_norms(norms: ArrayLike, count: int) -> FloatArray:
    array = np.asarray(norms, dtype=np.float64)
    if array.shape != (count,) or not (np.isfinite(array) & (array >= 0)).all():
        raise InputError("norms", f"must be {count} finite numbers >= 0, one a row", f"shape {array.shape}")
    return array


def _smallest(values: FloatArray, count: int, excluded: IntArray) -> IntArray:
    """Indices of the ``count`` smallest values and of all that equal the last of them, without the ``excluded``."""
    wanted, total = count + len(excluded), len(values)
    chosen = None
    if total > 8 * wanted:
        # A threshold from a sample leaves a few times what is wanted: one comparison a row instead of a selection.
        sample = values[:: max(1, total // 65536)]
        place = min(len(sample) - 1, int(4 * wanted / total * len(sample)) + 16)
        chosen = np.flatnonzero(values <= np.partition(sample, place)[place])
    if chosen is None or len(chosen) < wanted:
        chosen = np.arange(total)
    chosen = chosen[~np.isin(chosen, excluded, assume_unique=True)]
    if len(chosen) <= count:
        return chosen
    theirs = values[chosen]
    return np.asarray(chosen[theirs <= np.partition(theirs, count - 1)[count - 1]])
