# SPDX-License-Identifier: BSD-3-Clause
r"""How close estimates come to the records: four measures of one attack on one release.

With x a record, e its estimate, for everyone but the known:

*breached*: share of records with |e - x| <= epsilon |x|. *Error*: median of |e - x| / |x| over records that are not
zero. *Learned*: of each attribute, the share of records whose estimate is within tolerance; of a category, whose
category is the nearest. *Privacy*: of each attribute, the standard deviation of e - x in units of the attribute's own
(Chen, Sun and Liu 2007): 0 where every record is known but for a constant, 1 where the estimate is the mean. The field
reports its least and its mean over attributes.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray
from isobreach.audits.groups import AttributeGroup, Groups
from isobreach.geometry import row_norms

_ROUNDING = 1e-9  # of a limit


@dataclass(frozen=True, eq=False)
class Marks:
    """What estimates are worth; NaN where there are none."""

    breached: float
    error: float
    learned: FloatArray
    privacy: FloatArray


def marks(truth: FloatArray, told: FloatArray, epsilon: float, tolerance: FloatArray, groups: Groups) -> Marks:
    """Return the measures of estimates of some records.

    Parameters
    ----------
    truth, told
        Records and their estimates, m x n; NaN where there is none. Estimates of another width count as none.
    epsilon, tolerance
        Relative error that counts as a breach, and error within which each column counts as learned.
    groups
        Columns that are one attribute together, with the categories of these records.
    """
    if told.shape != truth.shape:
        told = np.full(truth.shape, np.nan)
    errors, norms = told - truth, row_norms(truth)
    lengths = row_norms(errors)
    known = (norms > 0) & np.isfinite(lengths)
    allowed = tolerance * (1 + _ROUNDING) + _ROUNDING * np.abs(truth).max(axis=0)
    return Marks(
        breached=float(np.mean(lengths <= epsilon * norms * (1 + _ROUNDING))),
        error=float(np.median(lengths[known] / norms[known])) if known.any() else float("nan"),
        learned=groups.shares(np.abs(errors) <= allowed, told),
        privacy=_privacy(truth, errors, groups),
    )


def _privacy(truth: FloatArray, errors: FloatArray, groups: Groups) -> FloatArray:
    """Of each attribute; NaN of one without a spread or an estimate, the mean over the columns of a category."""
    spread, off = truth.std(axis=0), errors.std(axis=0)  # NaN where any estimate is missing
    ratio = np.divide(off, spread, out=np.full(len(off), np.nan), where=spread > 0)
    every = groups.attributes(len(ratio))
    return np.array([_mean(ratio[one.columns]) if isinstance(one, AttributeGroup) else ratio[one] for one in every])


def _mean(values: FloatArray) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else float("nan")
