# SPDX-License-Identifier: BSD-3-Clause
"""Columns that are steps of time: their covariance has few parameters, which the variances of the release show.

A series x(t) = r x(t - 1) + shock, with a level of each person and errors of measurement, has the covariance

    C = L D L' + v 1 1' + w I,     L_ij = r^(i - j) for i >= j,   D = diag(a, s, ..., s),

a the variance at the start, s that of a shock; standardised, each column is divided by its deviation. A rotation keeps
the eigenvalues of the release's covariance. Random walks, stationary series and others of two to four parameters are
fitted to these n by the likelihood of normal rows, and the criterion of Schwarz (1978) chooses: more parameters find
other series with the same eigenvalues. Of those that it leaves, the one is taken that links agree with. Then C is what
a public sample would have shown, the covariance of the records themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import minimize

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.covariance import Explorer, Quadratic
from isobreach.attacks.alignment.descent import Evaluations, descend
from isobreach.attacks.alignment.frames import Frame, Pose, frame_of, planes
from isobreach.attacks.alignment.mixture import Whitening
from isobreach.attacks.alignment.placing import DEAR
from isobreach.attacks.alignment.situation import Situation
from isobreach.attacks.alignment.solution import FittedMotion

# What is fitted. Without a rate, r = 1; without a start, a is that of a stationary series; others are zero.
_MODELS = (
    ("rate", "shock"),
    ("start", "shock"),
    ("rate", "shock", "level"),
    ("rate", "shock", "error"),
    ("start", "shock", "error"),
    ("rate", "start", "shock"),
    ("rate", "shock", "level", "error"),
)


@dataclass(frozen=True)
class SeriesTuning:
    """When columns are taken for a series."""

    columns: int = 8  # at least: of 12 tables of 6 columns and 1,000 rows that are none, 2 would fit
    rows: int = 25  # times as many as columns, at least: of 12 that are none, 3 of 8 x 40 would fit, none of 8 x 1,000
    misfit: float = 0.005  # mean of v - 1 - log v, v the ratio of eigenvalues: these are then a tenth apart
    by_chance: float = 3.0  # times as large as chance makes N n times that mean, which is the number of eigenvalues
    unlike: float = 4.0  # times as unlike as those of a sphere would be by chance: equal eigenvalues show no axis
    rate: float = 0.8  # r where fits begin
    fastest: float = 1.2  # r at most, in size: what grows faster is seen in the last columns only
    steps: int = 600  # of a fit, each an eigenvalue decomposition
    rivals: float = 7.0  # criterion above the least: e^-7 times as likely
    models: int = 3  # that links choose from
    apart: float = 0.05  # relative difference of two covariances that are not the same


TUNING = SeriesTuning()


def _covariance(free: tuple[str, ...], values: FloatArray, n: int, *, standard: bool) -> FloatArray:
    given = dict(zip(free, np.exp(np.clip(values, -30, 30)), strict=True))
    rate = TUNING.fastest * float(np.tanh(values[0])) if "rate" in given else 1.0
    shock = given["shock"]
    start = given.get("start", shock / max(1 - rate**2, 1e-6))
    steps = np.arange(n)
    lags = np.tril(rate ** np.maximum(steps[:, None] - steps, 0))
    found = (lags * np.where(steps == 0, start, shock)) @ lags.T
    found = found + given.get("level", 0.0) + given.get("error", 0.0) * np.eye(n)
    if standard:
        deviations = np.sqrt(np.diag(found))
        found = found / np.outer(deviations, deviations) * shock
    return np.asarray(found)


def series_covariances(rows: FloatArray, effort: Evaluations) -> list[FloatArray]:
    """Covariances that records may have if they are series, n x n, the likeliest first; none where they are not.

    Parameters
    ----------
    rows
        Released rows.
    effort
        Counts evaluations.
    """
    count, n = rows.shape
    if n < TUNING.columns or count < TUNING.rows * n:
        return []
    seen = np.asarray(np.linalg.eigvalsh(np.cov(rows.T)), dtype=np.float64)
    if seen[0] <= 0 or count * _unlike(seen, np.full(n, seen.mean())) < TUNING.unlike * (n + 1) / 2:
        return []
    fits: list[tuple[float, FloatArray]] = []
    for free in _MODELS:
        begin = np.full(len(free), np.log(seen.mean()) - 1)
        begin[0] = np.arctanh(TUNING.rate / TUNING.fastest) if free[0] == "rate" else begin[0]
        for standard in (False, True):
            model = partial(_covariance, free, n=n, standard=standard)
            options = {"maxfev": TUNING.steps, "xatol": 1e-3, "fatol": 1e-6}
            fit = minimize(lambda x, model=model: _misfit(seen, model(x)), begin, method="Nelder-Mead", options=options)
            effort.spend(1 + int(10 * fit.nfev * n**3 / DEAR))
            if fit.fun <= max(TUNING.misfit, TUNING.by_chance / count):
                fits.append((count * n * fit.fun / 2 + len(free) * np.log(count) / 2, model(fit.x)))
    fits.sort(key=lambda fit: fit[0])
    found: list[FloatArray] = []
    for criterion, one in fits:
        new = all(np.linalg.norm(one - other) > TUNING.apart * np.linalg.norm(other) for other in found)
        if new and criterion < fits[0][0] + TUNING.rivals:
            found.append(one)
    return found[: TUNING.models]


def _misfit(seen: FloatArray, covariance: FloatArray) -> float:
    return _unlike(seen, np.maximum(np.linalg.eigvalsh(covariance), 1e-9 * seen[0]))


def _unlike(seen: FloatArray, model: FloatArray) -> float:
    """Mean of v - 1 - log v, v the ratio of eigenvalues: -2 / (N n) times the logarithm of a likelihood ratio."""
    return float((seen / model - 1 - np.log(seen / model)).mean())


def by_series(
    situation: Situation,
    rows: FloatArray,
    covariances: Sequence[FloatArray],
    rng: np.random.Generator,
    effort: Evaluations,
) -> FittedMotion:
    """Turn a covariance of the records to that of the release, within what links allow; deviations from the mean only.

    Parameters
    ----------
    situation
        Links, motion and noise; at least one link, which says which way axes point.
    rows, covariances
        Released rows; covariances that the records may have.
    rng
        Draws signs.
    effort
        Counts evaluations.
    """
    links = situation.known, situation.released
    frame = frame_of(*links, rows, None, translates=situation.translates, noise=situation.noise)
    theirs = np.linalg.eigh(np.cov(rows.T))[1]
    here, there = (frame.centre_y, frame.centre_x) if situation.translates else (0.0, 0.0)
    found: list[tuple[float, Frame, Pose]] = []
    for covariance in covariances:
        ours = np.linalg.eigh(covariance)[1]
        agree = (((links[1] - here) @ theirs) * ((links[0] - there) @ ours)).sum(axis=0)
        pose, loose = frame.pose_of((theirs * np.where(agree < 0, -1.0, 1.0)) @ ours.T), frame
        if frame.hidden:
            pose = Explorer(_quadratic(frame, rows, covariance), rng).explored([pose])[0]
            effort.spend(1)  # a value costs microseconds: all descents together as much as some evaluations
        if situation.noise:
            loose = frame.loosened(*links, situation.noise, situation.translates)
            pose, _ = descend(_quadratic(loose, rows, covariance), loose.pose_of(frame.matrix(pose)), effort)
        # Visible part and logarithm make values comparable: minus the likelihood of a record, but for a constant.
        value = _quadratic(loose, rows, covariance).value(pose) + _visible(loose, rows, covariance)
        found.append((value, loose, pose))
    _, frame, pose = min(found, key=lambda one: one[0])
    return FittedMotion("series", frame, pose, effort.used)


def _visible(frame: Frame, rows: FloatArray, covariance: FloatArray) -> float:
    """What the likelihood of a pose has besides the quadratic: the visible part, and the size of the covariance."""
    image = Whitening.of(rows).basis.T @ frame.visible_y @ frame.visible_x.T
    return float(np.trace(image @ covariance @ image.T) - np.linalg.slogdet(covariance)[1]) / 2


def _quadratic(frame: Frame, rows: FloatArray, covariance: FloatArray) -> Quadratic:
    """The likelihood of a pose: deviations of records from their mean under the covariance of the release."""
    basis = Whitening.of(rows).basis
    image, hidden = basis.T @ frame.visible_y @ frame.visible_x.T, frame.hidden_y.T @ basis
    linear = hidden @ image @ covariance @ frame.hidden_x
    if frame.pull is not None:
        linear = linear - frame.pull / len(rows)
    release, sample = hidden @ hidden.T, frame.hidden_x.T @ covariance @ frame.hidden_x
    told = np.outer(np.diag(release), np.diag(frame.hidden_y.T @ np.cov(rows.T) @ frame.hidden_y))
    scale = 1 / (told + told.T)[planes(frame.hidden)]
    return Quadratic(linear, sample, release, scale)
