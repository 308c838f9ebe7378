# SPDX-License-Identifier: BSD-3-Clause
"""Small facts about records and rows: distinct ones, how precisely they are stored, merged intervals."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray


def distinct_records(records: NDArray[Any]) -> tuple[FloatArray, IntArray]:
    """Distinct records, and the place of each record among them: equal ones are one."""
    values = records.astype(np.float64) + 0.0  # no negative zeros
    seen: dict[bytes, int] = {}
    which = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in values])
    return np.ascontiguousarray(values[np.unique(which, return_index=True)[1]]), which


def unit_roundoff(records: NDArray[Any]) -> float:
    """Unit roundoff of records stored in less than double precision, else 0."""
    unit = float(np.finfo(records.dtype).eps) / 2 if records.dtype.kind == "f" else 0.0
    return unit if unit > 2.0**-53 else 0.0


def merged(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Disjoint intervals, ascending, with the same union as the given ones."""
    order = np.argsort(low, kind="stable")
    low, high = low[order], np.maximum.accumulate(high[order])
    opens = np.concatenate([[True], low[1:] > high[:-1]])
    closes = np.concatenate([opens[1:], [True]])
    return low[opens], high[closes]
