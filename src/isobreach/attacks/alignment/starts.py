# SPDX-License-Identifier: BSD-3-Clause
"""Where the search begins: rotations from moments of sample and release, which have no parameters to fit.

Principal axes are matched in the order of their variances, each with the sign that its one-dimensional distribution
shows (Liu, Giannella and Kargupta 2006, the known-sample attack); what links show linearly, the mean and the covariance
of hidden and visible part, gives P up to what it leaves open. Spectra alone are starts, not answers: axes of nearly
equal variance are mixed.
"""

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.attacks.alignment.frames import Frame, polar

_QUANTILES = 400  # points at which one-dimensional distributions are compared; more change no sign


def quantiles(values: FloatArray, count: int = _QUANTILES) -> FloatArray:
    """Values at so many equally likely levels, of each column."""
    return np.quantile(values, (np.arange(count) + 0.5) / count, axis=0, method="hazen")


def principal_axes(sample: FloatArray, rows: FloatArray, *, centred: bool = True) -> FloatArray:
    """The rotation P that takes principal axes of the sample to those of the rows, in order, with the likelier signs.

    Parameters
    ----------
    sample, rows
        Hidden coordinates.
    centred
        About the mean, or about the origin.
    """
    a, b = (sample - sample.mean(axis=0), rows - rows.mean(axis=0)) if centred else (sample, rows)
    of_sample, of_rows = (np.linalg.eigh(one.T @ one)[1][:, ::-1] for one in (a, b))
    mine, theirs = quantiles(sample @ of_sample), quantiles(rows @ of_rows)
    as_is, turned = ((theirs - mine) ** 2).mean(axis=0), ((-theirs[::-1] - mine) ** 2).mean(axis=0)
    return np.asarray((of_rows * np.where(as_is <= turned, 1.0, -1.0)) @ of_sample.T)


def starts(frame: Frame, sample: FloatArray, rows: FloatArray) -> list[FloatArray]:
    """Rotations P to begin with.

    Parameters
    ----------
    frame
        What links leave open.
    sample, rows
        Records of the sample, and released rows.
    """
    x, y = sample - frame.centre_x, rows - frame.centre_y
    hidden_x, hidden_y = x @ frame.hidden_x, y @ frame.hidden_y
    found = [principal_axes(hidden_x, hidden_y, centred=centred) for centred in (True, False)]
    if frame.visible_x.shape[1]:  # the same in all dimensions, cut to the hidden ones
        whole = [principal_axes(x, y, centred=centred) for centred in (True, False)]
        found += [polar(frame.hidden_y.T @ one @ frame.hidden_x) for one in whole]
    linear = np.outer(hidden_y.mean(axis=0), hidden_x.mean(axis=0))
    if frame.visible_x.shape[1]:
        linear += _covariance(hidden_y, y @ frame.visible_y) @ _covariance(hidden_x, x @ frame.visible_x).T
    size = np.linalg.norm(linear, 2)
    if size > 0:
        found += [polar(linear + share * size * found[0]) for share in (1e-3, 0.1)]
    if frame.hidden > 2 and size > 0:
        found.append(_mean_first(hidden_x, hidden_y))
    return found


def _covariance(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray((a - a.mean(axis=0)).T @ (b - b.mean(axis=0)) / len(a))


def _mean_first(hidden_x: FloatArray, hidden_y: FloatArray) -> FloatArray:
    """The mean to the mean, then the principal axes of what is left."""
    bases = []
    for one in (hidden_x, hidden_y):
        q, r = np.linalg.qr(one.mean(axis=0)[:, None], mode="complete")
        bases.append(np.hstack([q[:, :1] * np.sign(r[0, 0] or 1.0), q[:, 1:]]))
    of_x, of_y = bases
    rest = principal_axes(hidden_x @ of_x[:, 1:], hidden_y @ of_y[:, 1:])
    return np.asarray(np.outer(of_y[:, 0], of_x[:, 0]) + of_y[:, 1:] @ rest @ of_x[:, 1:].T)
