# SPDX-License-Identifier: BSD-3-Clause
r"""Whether a scheme is what it declares, as far as one release of the owner's own table shows.

An audit plays attacks on the *declared* model. A declaration that is wrong would reassure falsely: a translation that
is not declared leaves a fit through the origin with errors that look like safety. At the records' scale released rows
are y_i = M u_i + t + e_i.

*No noise declared.* Distances of many pairs, and norms where there is no translation, must be those of the records up
to what the release's own numbers may err. That needs no fit, so that columns of very different size do no harm.

*Noise declared.* The best motion of the declared kind is fitted to all records and their rows, and what it leaves must
be noise of the key's level.

Nor may norms be kept, or a fit through the origin be as good, where a translation is declared: insiders would know
lengths that the audit supposes to be hidden. Of what no motion describes only the shape is checked: attacks are then
played on releases as they are (``isobreach.audits.attacked``), and no formula rests on the model.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.errors import InputError
from isobreach.geometry import row_norms
from isobreach.release import EXACT, Precision, ReleaseModel
from isobreach.schemes import Release, Scheme


@dataclass(frozen=True)
class Allowance:
    """How far a release may be from its model.

    Attributes
    ----------
    rounding
        Errors of lengths, in units of the error that the release's own numbers may carry: a worst case, so that 2
        leaves room enough.
    arithmetic
        Errors of lengths that double precision may make, in units of columns, machine precision and the longest record:
        products and sums err by a few of these.
    fit
        What a fit may leave, relative to the longest record: directions in which records reach less far than that are
        lost to it, because it works with squares.
    more, less
        Measured noise over declared noise. Laws other than the normal one and a motion fitted to much noise move the
        ratio by less than this; noise that is wrong by less changes no figure much.
    sampling
        Added on both sides, over the square root of the degrees of freedom: four standard errors, and more.
    least
        Degrees of freedom below which a level of noise cannot be told.
    same
        Variance about a motion through the origin over that about one with a translation, below which there is none.
    """

    rounding: float = 2.0
    arithmetic: float = 64.0
    fit: float = 1e-7
    more: float = 1.25
    less: float = 0.6
    sampling: float = 4.0
    least: int = 30
    same: float = 1.05


ALLOWED = Allowance()


def playable(scheme: Scheme) -> ReleaseModel:
    """Return the model of a scheme; one that declares none cannot be audited.

    Parameters
    ----------
    scheme
        The scheme that is asked for.
    """
    model = getattr(scheme, "model", None)
    if not isinstance(model, ReleaseModel):
        raise InputError(
            "scheme",
            "must declare what it does to a record",
            f"{scheme.name}, which has no model",
            "Give its class one, such as model = isobreach.schemes.ReleaseModel(motion='rigid', noise='gaussian').",
        )
    return model


def directions(records: FloatArray) -> FloatArray:
    """Return records scaled to length one; those of zeros stay as they are.

    Parameters
    ----------
    records
        The table, m x n.
    """
    largest = np.abs(records).max(axis=1, keepdims=True)  # divided first: squares of small entries underflow
    scaled = np.divide(records, largest, out=np.zeros_like(records), where=largest > 0)
    norms = row_norms(scaled)[:, None]
    return np.asarray(np.divide(scaled, norms, out=scaled, where=norms > 0))


def written(release: Release) -> Precision:
    """Return the precision of the type in which a release is written: packages write 32 bits, this one 64.

    Parameters
    ----------
    release
        A release of any scheme.
    """
    kind = np.asarray(release.data).dtype
    unit = float(np.finfo(kind).eps) / 2 if kind.kind == "f" else 0.0
    return EXACT if unit <= EXACT.unit else Precision(0.0, unit, unit, f"{kind} values")


def unrounded(values: FloatArray, release: Release) -> Precision | None:
    """Return the precision of a release in few bits if nothing else was rounded, as the owner can see; else None.

    Sums of whole numbers over a power of two, as Hadamard matrices make them, look like rounded numbers to whoever
    looks at the release alone. Attackers may know the scheme, and so what they see.

    Parameters
    ----------
    values
        The records.
    release
        Of these records, by a scheme that keeps their distances.
    """
    precision, rows = written(release), np.asarray(release.data, dtype=np.float64)[release.key.order]
    most = ALLOWED.rounding * float(precision.radius(row_norms(values) + row_norms(rows), rows.shape[1]).max())
    return None if precision is EXACT or _errors(values, rows)[1].max() > most else precision


def shown(scheme: Scheme, values: FloatArray, release: Release, radius: FloatArray | None = None) -> FloatArray:
    """Return how far each released row, at the records' scale, is from the image of its record; refuse a false model.

    Parameters
    ----------
    scheme
        Whose model is a motion.
    values
        The records, of length one where the model says so.
    release
        Of these records, by this scheme.
    radius
        Error that each row of the release may carry by itself; that of its type of numbers by default.
    """
    model, key = playable(scheme), release.key
    rows = np.asarray(release.data, dtype=np.float64)
    _check_shape(scheme, values, rows, key.order)
    if rows.shape[1] != key.width:
        _refuse(scheme, "another number of columns than its key")
    if key.scale != 1 and not model.scales:
        _refuse(scheme, "a scale that is not declared", "Declare scale=True.")
    rows = rows[key.order] / key.scale
    if radius is None:
        lengths = row_norms(values) + (row_norms(rows) if model.translates else 0.0)
        radius = written(release).radius(lengths, rows.shape[1])
    longest = float(max(row_norms(values).max(), row_norms(rows).max()))
    if model.noise is None:
        least = ALLOWED.arithmetic * rows.shape[1] * np.finfo(np.float64).eps * longest
        norms, apart = _errors(values, rows)
        most = ALLOWED.rounding * float(radius.max()) + least
        if max(apart.max(), 0.0 if model.translates else norms.max()) > most:
            _refuse(scheme, "other errors than rounding: a translation, a scale or noise that is not declared")
        if model.translates and norms.max() <= most:
            _refuse(scheme, "no translation", "Declare an orthogonal motion.")
        return apart
    level, least = key.noise / key.scale, ALLOWED.fit * longest
    variance, degrees = _variance(values, rows, model.translates)
    if degrees >= ALLOWED.least:
        found, room = float(np.sqrt(variance)), ALLOWED.sampling / np.sqrt(degrees)
        if not (ALLOWED.less - room) * level - least <= found <= (ALLOWED.more + room) * level + least:
            more = "more" if found > level else "less"
            _refuse(scheme, f"{more} noise than the key's, or a translation or scale that is not declared")
        # What an affine map explains is no noise: a constant vector, or a distortion, which insiders can fit as well.
        explained, free = _affine_variance(values, rows)
        if free >= ALLOWED.least and np.sqrt(explained) < (ALLOWED.less - ALLOWED.sampling / np.sqrt(free)) * found:
            _refuse(scheme, "errors that are the same map of every record, which is no noise")
        if model.translates and _variance(values, rows, False)[0] <= ALLOWED.same * variance + least**2:
            _refuse(scheme, "no translation", "Declare an orthogonal motion.")
    return np.zeros(len(values))


def _errors(values: FloatArray, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How much the norm of every row differs from its record's, and at most its distances from some other rows."""
    total, apart = len(values), np.zeros(len(values))
    for step in {1, total // 3, total // 2}:
        pairs = (row_norms(table - np.roll(table, step, axis=0)) for table in (values, rows))
        apart = np.maximum(apart, np.abs(np.subtract(*pairs)))
    return np.abs(row_norms(values) - row_norms(rows)), apart


def _variance(values: FloatArray, rows: FloatArray, translates: bool) -> tuple[float, int]:
    """Variance of a coordinate about the best motion, and its degrees of freedom: see ``procrustes_residual``."""
    if translates:
        values, rows = values - values.mean(axis=0), rows - rows.mean(axis=0)
    inner, scale, outer = np.linalg.svd(rows.T @ values, full_matrices=False)
    k = int((scale > np.finfo(np.float64).eps * max(values.shape) * scale[0]).sum())
    q, wide = rows.shape
    degrees = q * wide - wide * k + k * (k + 1) // 2 - (wide if translates else 0)
    left = rows - values @ (inner @ outer).T
    return float(np.einsum("ij,ij->", left, left)) / max(degrees, 1), degrees


def _affine_variance(values: FloatArray, rows: FloatArray) -> tuple[float, int]:
    """Variance of a coordinate about the best affine map of the records, and its degrees of freedom."""
    design = np.column_stack([values, np.ones(len(values))])
    fitted, _, rank, _ = np.linalg.lstsq(design, rows, rcond=None)
    degrees = (len(rows) - int(rank)) * rows.shape[1]
    left = rows - design @ fitted
    return float(np.einsum("ij,ij->", left, left)) / max(degrees, 1), degrees


def _check_shape(scheme: Scheme, values: FloatArray, rows: NDArray[Any], order: NDArray[np.int64]) -> None:
    if rows.ndim != 2 or len(rows) != len(values) or len(order) != len(values):
        _refuse(scheme, "another number of rows than there are records")
    if rows.shape[1] < values.shape[1]:
        _refuse(scheme, "fewer columns than the records have: a projection that is not declared")


def _refuse(scheme: Scheme, shows: str, then: str = "Correct its model, or its key.") -> None:
    rule = "must release what its model says: figures for another model would mislead"
    raise InputError("scheme", rule, f"{scheme.name}, whose release shows {shows}", then)
