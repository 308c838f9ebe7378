# SPDX-License-Identifier: BSD-3-Clause
r"""Compute records from a released matrix of distances, with known records and their rows or without.

Turgay, Pedersen, Saygin, Savas and Levi (2008) suppose that the m x m matrix of distances, or of similarities (inner
products), is public. **With rows of p known records**, distances to them give linear equations for every record. With c
the mean of the known records, a_k = |x_k - c|^2 and q_k the squared distances of a row,

    -2 (x_k - c)'(x - c) = (q_k - a_k) - mean(q - a),      |x - c|^2 = mean(q - a).

n + 1 known records in general position determine x, and the second equation then checks every row. Fewer give the foot
of x on their affine hull, and the length of what is left: a sphere around the foot. Estimates and probabilities are
those of a rigid motion (``docs/known-input.md``). Where there are more equations than unknowns they are solved by least
squares.

**Without rows** classical scaling (Torgerson 1952) of the matrix gives rows that are a rigid motion of the records, and
the known-input attack goes on from there: linking, fit, estimates.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import pdist, squareform

from isobreach._arrays import FloatArray, IntArray
from isobreach._phrases import count
from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach._validation import check_choice, check_epsilon
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.known_input import KnownInput, KnownInputReconstruction
from isobreach.attacks.pairs import AS_FITTED
from isobreach.attacks.refine import Evidence, refined, variants
from isobreach.document import Document
from isobreach.engine import Engine, as_engine
from isobreach.errors import InputError
from isobreach.geometry import breach_probability, row_norms
from isobreach.release import ReleaseModel

MATRICES = ("auto", "distances", "similarities")


@dataclass(frozen=True)
class LaterationLimits:
    """What counts as exact, and what fits into memory.

    Attributes
    ----------
    exact
        Of squared lengths: what rounding leaves after equations are solved.
    rank
        Singular values beside the largest that count as a direction of the known records.
    most
        Rows of a matrix for classical scaling, which holds it three times.
    """

    exact: float = 1e-6
    rank: float = 1e-7
    most: int = 12_000


_LIMITS = LaterationLimits()


@dataclass(frozen=True, eq=False)
class LaterationReconstruction(Reconstruction):
    """What lateration gives back.

    Attributes
    ----------
    hidden_dimension
        Dimensions that the known records leave open.
    residuals
        Length of what is open of every row's record.
    """

    hidden_dimension: int = 0
    residuals: FloatArray | None = None


@dataclass(frozen=True)
class LaterationSettings:
    """Settings of lateration."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")
    matrix: str = setting(
        "auto",
        "What is released: distances or similarities (inner products). auto takes zeros on the diagonal for distances.",
        choices=MATRICES,
    )


class Lateration(Attack):
    """Compute records from a released matrix of distances and known records."""

    name = "lateration"
    title = "lateration attack"
    needs = frozenset({"known"})
    uses = frozenset({"rows", "sample", "bounds"})
    takes_narrow = True
    settings = LaterationSettings

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why there is no matrix of distances, or None."""
        return None if model.distances else "the release is a table of rows, not a matrix of distances"

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Solve for every row by its distances to known ones, or scale the matrix and link."""
        chosen = LaterationSettings(**settings)
        epsilon = check_epsilon(chosen.epsilon)
        check_choice("matrix", chosen.matrix, MATRICES)
        rows, columns = release.shape
        if rows != columns:
            rule = "must be a square matrix of distances or similarities for this attack"
            raise InputError("released", rule, f"{rows:,} x {columns:,}", "Use the known-input attack on rows.")
        diagonal = release.column(_diagonal, None, "reading the diagonal", progress).values()
        kind = chosen.matrix if chosen.matrix != "auto" else "similarities" if diagonal.any() else "distances"
        if kind == "distances" and diagonal.any():
            raise InputError("released", "must have zeros on the diagonal, as distances have", "others")
        table = _Table(release, diagonal if kind == "similarities" else None)
        if knowledge.rows is not None and (np.asarray(knowledge.rows) >= 0).any():
            return _linked(table, knowledge, epsilon, progress)
        return _scaled(table, knowledge, epsilon, seed, progress)

    def describe(self, found: Reconstruction) -> Document:
        """Return the reason; without rows, what the known-input attack says of the scaled matrix."""
        if isinstance(found, KnownInputReconstruction):
            return KnownInput().describe(found)
        return super().describe(found)


ATTACK = Lateration()


@dataclass(frozen=True, eq=False)
class _Table:
    """The matrix; ``diagonal``: of similarities, None for distances."""

    release: Engine
    diagonal: FloatArray | None

    def squares(self, rows: IntArray, progress: Progress) -> FloatArray:
        """Squared distances of every row from some of them, m x p."""
        values = self.release.column(_taken, rows, "reading distances", progress).values()
        if self.diagonal is None:
            return values**2
        return np.maximum(self.diagonal[:, None] + self.diagonal[rows] - 2 * values, 0.0)


def _diagonal(block: FloatArray, first_row: int, params: None) -> FloatArray:
    own = np.arange(len(block))
    return block[own, first_row + own]


def _taken(block: FloatArray, first_row: int, columns: IntArray) -> FloatArray:
    return np.ascontiguousarray(block[:, columns])


def _linked(table: _Table, knowledge: Knowledge, epsilon: float, progress: Progress) -> Reconstruction:
    """Estimates by distances to known rows."""
    places = np.asarray(knowledge.rows)
    linked = np.flatnonzero(places >= 0)
    records = np.asarray(knowledge.known, dtype=np.float64)[linked]
    squares = table.squares(places[linked], progress)
    kept = _kept(records, squares[places[linked]])
    centre = records.mean(axis=0)
    centred = records - centre
    left, strength, right = np.linalg.svd(centred, full_matrices=False)
    seen = strength > _LIMITS.rank * max(strength[0], np.finfo(np.float64).tiny)
    basis = right[seen].T
    beyond = squares - (centred**2).sum(axis=1)
    along = -(beyond - beyond.mean(axis=1, keepdims=True)) / 2 @ (left[:, seen] / strength[seen])
    feet = centre + along @ basis.T
    square = beyond.mean(axis=1) - (along**2).sum(axis=1)
    hidden = records.shape[1] - basis.shape[1]
    residuals = np.sqrt(np.maximum(square, 0.0)) if hidden else np.zeros(len(feet))
    evidence = Evidence.held(knowledge, records.shape[1], epsilon=epsilon)
    size = float(squares.max()) or 1.0
    wrong = (
        float(np.abs(square).max()) > _LIMITS.exact * size
        if not hidden
        else bool((square < -_LIMITS.exact * size).any())
    )
    exact = kept and not wrong
    if hidden:
        evidence = evidence.about(visible=basis, centre=centre, residuals=residuals)
    estimates = feet if exact and not hidden else refined(feet, evidence)
    estimates = estimates.copy()
    estimates[places[linked]] = records
    offset = float(np.linalg.norm(centre - basis @ (basis.T @ centre)))
    norms = np.hypot(row_norms(feet), residuals)
    probability = breach_probability(residuals, norms, hidden, epsilon, offset=offset) if exact else None
    return LaterationReconstruction(
        exact,
        _reason(len(linked), hidden, kept=kept, wrong=wrong),
        estimates,
        probability,
        variants={AS_FITTED: feet, **variants(feet, evidence)},
        hidden_dimension=hidden,
        residuals=residuals,
    )


def _kept(records: FloatArray, squares: FloatArray) -> bool:
    """Whether the matrix has the distances of the known records between their rows."""
    own = squareform(pdist(records)) ** 2
    return bool((np.abs(own - squares) <= _LIMITS.exact * max(float(own.max()), float(squares.max()), 1e-300)).all())


def _reason(linked: int, hidden: int, *, kept: bool, wrong: bool) -> str:
    said = f"{count(linked, 'known record')} with rows"
    if not kept:
        return f"{said} do not have their distances in the matrix: it carries noise, or it is another one."
    if wrong:
        return f"{said} do not fit the distances of all other rows: estimates are least squares."
    if hidden:
        return f"{said} leave {count(hidden, 'dimension')} hidden: records lie on spheres around their feet."
    return f"{said} determine every record, and one more equation for each row holds."


def _scaled(
    table: _Table, knowledge: Knowledge, epsilon: float, seed: int | None, progress: Progress
) -> Reconstruction:
    """The known-input attack on the rows that classical scaling gives."""
    release, columns = table.release, np.asarray(knowledge.known).shape[1]
    rows = release.shape[0]
    if rows > _LIMITS.most:
        rule = f"must have at most {_LIMITS.most:,} rows where no row of a known record is given"
        raise InputError("released", rule, f"{rows:,}", "Give the rows of known records.")
    values = release.everything("classical scaling compares every row with every other one", progress)
    squares = values**2 if table.diagonal is None else np.add.outer(table.diagonal, table.diagonal) - 2 * values
    points = scaled(squares, columns)
    some = np.linspace(0, rows - 1, min(rows, 400)).astype(np.intp)
    found = squareform(pdist(points[some]))
    misfit = float(np.abs(found - np.sqrt(np.maximum(squares[np.ix_(some, some)], 0.0))).max())
    asked = {"epsilon": epsilon, "motion": "rigid", "tolerance": misfit + 1e-9 * float(np.abs(points).max())}
    attack = KnownInput()
    return attack.run(as_engine(points), knowledge, seed=seed, progress=progress, **attack.checked(asked))


def scaled(squares: FloatArray, columns: int) -> FloatArray:
    """Return rows, about their mean, with these squared distances: classical scaling.

    Parameters
    ----------
    squares
        Squared distances, m x m.
    columns
        Columns of the rows; zeros where distances need fewer.
    """
    means = squares.mean(axis=0)
    inner = (means[:, None] + means - squares - means.mean()) / 2
    inner = (inner + inner.T) / 2
    rows, wanted = len(inner), min(columns, len(inner) - 1)
    if wanted < 1:
        return np.zeros((rows, columns))
    if rows <= max(200, 4 * columns):
        values, vectors = np.linalg.eigh(inner)
        values, vectors = values[-wanted:], vectors[:, -wanted:]
    else:  # a few eigenvectors of a large matrix; the start makes them repeatable
        values, vectors = eigsh(inner, k=wanted, which="LA", v0=np.cos(np.arange(rows)))
    points = np.zeros((rows, columns))
    points[:, :wanted] = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    return points
