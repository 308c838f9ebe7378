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

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress, no_progress
from isobreach._random import random_source
from isobreach._validation import check_choice, check_epsilon, check_integer, check_seed, check_widths
from isobreach.attacks.known_input.exposure import Exposure, Kind, Ranking
from isobreach.attacks.known_input.measuring import measure, translates
from isobreach.engine import ONE_BLAS_THREAD, ColumnHandle, Engine, as_engine, tiles
from isobreach.errors import InputError
from isobreach.geometry import ESTIMATORS, ConsistentMotions, Estimator, row_norms
from isobreach.linking import Choice, Linkage, Noise, Rule, link

_CHUNK = 1 << 15  # rows whose probabilities are computed at a time: intermediate arrays stay in the cache


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
    _measured: ColumnHandle = field(repr=False)
    _motions: ConsistentMotions = field(repr=False)
    _hidden_map: FloatArray = field(repr=False)
    _known: FloatArray = field(repr=False)
    _known_error: float = field(repr=False)
    _source: Engine = field(repr=False)
    container: Callable[[FloatArray, IntArray], Any] = field(default=_plain, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the release."""
        return self._source.shape

    @property
    def plain(self) -> "AttackResult":
        """The same with estimates as plain arrays, whatever table came in."""
        return replace(self, container=_plain)

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

        Without a link nothing confirms the motion: what follows from one that was named is model-based as well.
        """
        kind = self._exposure.kind(self._measured, self.epsilon)
        return "model-based" if kind == "exact" and not len(self._links.linked) else kind

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
        # A completed record errs by what its row does, times the condition of its equations.
        reach = self.epsilon * self.linkage.scale * row_norms(self._known[self.linkage.completed])
        vague = set(self.linkage.completed[self.linkage.radius[self.linkage.completed] > reach].tolist())
        links = [(i, self._links.candidates[i]) for i in self._links.linked.tolist() if i not in vague]
        return {int(rows[0]): i for i, rows in links if len(rows) == 1}

    @cached_property
    def relative_residual(self) -> FloatArray:
        """d / |y| of every released row: the smaller, the more exposed. With a translation d / sqrt(|p|^2 + d^2)."""
        return self._exposure.residuals(self._measured).values()

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
        for start in range(0, len(result), _CHUNK):
            part = slice(start, start + _CHUNK)
            measured = self._measured.take(part if wanted is None else wanted[part])
            theirs = None if true_norms is None else true_norms[part]
            result[part] = self._exposure.claim(measured, epsilon, estimator, theirs)
        sure = list(self._record_of)
        result[sure if wanted is None else np.isin(wanted, sure)] = 1.0
        return result

    def by_epsilon(self, row: int, epsilons: ArrayLike, estimator: Estimator | None = None) -> FloatArray:
        """Return the breach probability of one row that is not linked, under several relative errors.

        Parameters
        ----------
        row
            A released row, counted from 0.
        epsilons
            Relative errors that count as a breach.
        estimator
            As for the attack, and its own by default.
        """
        estimator = self.estimator if estimator is None else _checked_estimator(estimator, self.linkage)
        asked = np.array([check_epsilon(epsilon) for epsilon in np.asarray(epsilons).tolist()])
        return self._exposure.by_epsilon(self._measured.take(self._checked(row)), asked, estimator)

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
        residuals = self._exposure.residuals(self._measured)
        return self.ranking.numbers.top(count, self.linked_rows, residuals)

    @cached_property
    def ranking(self) -> Ranking:
        """All rows by their breach probability, without that of linked ones being 1."""
        return self.ranked(self.epsilon)

    def ranked(self, epsilon: float) -> Ranking:
        """Return the rows by their breach probability under another epsilon.

        Parameters
        ----------
        epsilon
            Relative error that counts as a breach.
        """
        return self._exposure.ranking(self._measured, epsilon, self.estimator)

    def by_row(self) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Return released rows, their relative residuals and breach probabilities, some rows at a time."""
        sure = np.array(sorted(self._record_of), dtype=np.int64)
        for start, measured in self._measured.chunks():
            claim = np.empty(len(measured))
            for place in range(0, len(measured), _CHUNK):
                part = slice(place, place + _CHUNK)
                claim[part] = self._exposure.claim(measured[part], self.epsilon, self.estimator)
            claim[within(sure, start, len(claim))] = 1.0
            yield np.arange(start, start + len(claim)), self._exposure.relative_residual(measured), claim

    @property
    def estimates(self) -> Any:
        """Estimate of every released row's record, m x n with n the records' columns: as large as the release."""
        estimates = self._source.column(_estimated, self._guess, "estimating", beside=self._measured)
        return self.container(estimates.values(), np.arange(self.shape[0]))

    def estimate(self, rows: ArrayLike) -> Any:
        """Return estimates of some released rows' records.

        Parameters
        ----------
        rows
            Released rows, counted from 0.
        """
        wanted = self._checked(rows)
        estimates = self._guess.estimates(self._source.gather(wanted), wanted, self._measured.take(wanted))
        return self.container(estimates, wanted)

    @property
    def _guess(self) -> "_Guess":
        rows = np.array(sorted(self._record_of), dtype=np.int64)
        records = self._known[[self._record_of[int(row)] for row in rows]]
        scale, hidden = self.linkage.scale, self._hidden_map
        return _Guess(self._motions, self._exposure, hidden, scale, self.epsilon, self.estimator, rows, records)

    def _checked(self, rows: ArrayLike) -> IntArray:
        wanted = np.atleast_1d(np.asarray(rows))
        wanted = wanted if wanted.size else wanted.astype(np.int64)  # an empty list has no type of its own
        total = self._source.shape[0]
        if wanted.dtype.kind not in "iu" or wanted.ndim != 1 or ((wanted < 0) | (wanted >= total)).any():
            raise InputError("rows", f"must be whole numbers from 0 to {total - 1}", repr(rows)[:40])
        return wanted.astype(np.int64)


def within(rows: IntArray, start: int, count: int) -> IntArray:
    """Places of some rows, ascending, among so many from ``start`` on."""
    return rows[slice(*np.searchsorted(rows, [start, start + count]))] - start


@dataclass(frozen=True, eq=False)
class _Guess:
    """How records are estimated: the motions, what is exposed, and the hidden map; and the records of certain rows."""

    motions: ConsistentMotions
    exposure: Exposure
    hidden_map: FloatArray
    scale: float
    epsilon: float
    estimator: Estimator
    rows: IntArray
    records: FloatArray

    def estimates(self, released: FloatArray, rows: IntArray, measured: FloatArray) -> FloatArray:
        """Estimates for the released rows with these numbers, and what was measured of them."""
        motions = self.motions
        centred = released - motions.released_centre
        hidden = centred @ motions.released_hidden
        foot = motions.known_centre + (centred @ motions.released) @ motions.known.T
        residual = row_norms(hidden)
        norm = np.hypot(row_norms(foot), residual)
        radius = self.exposure.radius(measured, residual, norm, self.epsilon, self.estimator)
        outward = motions.known_hidden.T @ motions.known_centre
        if self.estimator == "optimal" and outward.any():
            towards = np.broadcast_to(outward / np.linalg.norm(outward), (len(rows), len(outward)))
        else:
            towards = hidden @ self.hidden_map
            lengths = row_norms(towards)[:, None]
            towards = np.divide(towards, lengths, out=np.zeros_like(towards), where=lengths > 0)
        estimates = (foot + (radius[:, None] * towards) @ motions.known_hidden.T) / self.scale
        sure = np.isin(rows, self.rows)
        estimates[sure] = self.records[np.searchsorted(self.rows, rows[sure])]
        return np.asarray(estimates)


def _estimated(block: FloatArray, first_row: int, guess: _Guess, measured: FloatArray) -> FloatArray:
    """Estimates of the records of a block."""
    rows = np.arange(first_row, first_row + len(block))
    return np.concatenate([guess.estimates(block[part], rows[part], measured[part]) for part in tiles(block)])


@ONE_BLAS_THREAD
def attack(
    known: NDArray[Any],
    released: NDArray[Any] | Engine,
    epsilon: float = 0.1,
    *,
    motion: Choice = "auto",
    estimator: Estimator = "optimal",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    noise: Noise = None,
    dictionary: NDArray[Any] | None = None,
    sample: NDArray[Any] | None = None,
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
    source, known = as_engine(released), np.asarray(known)
    if known.ndim == 2:  # a narrower release has no motion to estimate records by
        check_widths(known.shape[1], source.shape[1])
    linkage = link(
        known,
        source,
        motion=motion,
        rule=rule,
        tolerance=tolerance,
        noise=noise,
        dictionary=dictionary,
        sample=sample,
        progress=progress,
    )
    records = known if dictionary is None else np.concatenate([known, np.asarray(dictionary)])
    return attack_linked(records, source, linkage, epsilon, estimator=estimator, seed=seed, progress=progress)


def attack_linked(
    known: NDArray[Any],
    released: NDArray[Any] | Engine,
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
    source, known = as_engine(released), np.asarray(known)
    links = linkage.joined
    motions, exposure, measured = measure(known, source, links, progress)
    return AttackResult(
        linkage=linkage,
        epsilon=epsilon,
        estimator=estimator,
        _links=links,
        _exposure=exposure,
        _measured=measured,
        _motions=motions,
        _hidden_map=motions.choose_hidden(random_source(seed, "estimate")),
        _known=linkage.complete_known(known),
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
