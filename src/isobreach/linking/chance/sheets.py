# SPDX-License-Identifier: BSD-3-Clause
r"""What chance makes of records whose columns are partly on a coarse grid.

Distances are not independent where some columns hold a few values only. The records then lie on *sheets*: one for each
combination of values of the grid columns, with the f *free* columns as its dimensions. Two records on one sheet agree
in every grid column already, so that f distances decide whether they agree in all of them, however many distances are
asked. A stranger may share its sheet with a released row even if the sheet is rare: records of one population do, and
near copies always do. So of K candidates, on a release of m rows, no fewer chance matches are expected than

    K * max(1, m * s_k) * q_k

as telling as candidate k. s_k is the share of candidates on its sheet. q_k is the share of records that would agree
with it in all distances if they were moved to its sheet: if they had its values in the grid columns and kept their own
in the free ones. Where fewer than ten of them agree, the distances are asked for less and less closely until ten do,
and the share is scaled back by the volume, which falls with the power f.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.linking.chance.rates import sampled
from isobreach.release import grid_spacing


@dataclass(frozen=True)
class SheetCounting:
    """On how much chance matches are counted.

    Attributes
    ----------
    enough
        Records that agree with a candidate, as in ``isobreach.linking.chance.rates``.
    part
        Numbers at a time: 32 MB.
    """

    enough: int = 10
    part: int = 1 << 22


_COUNTING = SheetCounting()


def free_columns(records: FloatArray, error: float) -> NDArray[np.bool_]:
    """Columns that lie on no grid, or on one so fine that lengths with this ``error`` do not tell its steps apart.

    Two lengths agree if they differ by no more than two errors each.
    """
    return np.array([grid_spacing(column[:, None]) <= 4 * error for column in records.T])


def log_matches_on_sheets(
    candidates: FloatArray, origins: FloatArray, low: FloatArray, high: FloatArray, rows: int, error: float, most: int
) -> FloatArray:
    """Log of the expected chance matches of each candidate (K x n) on its sheet; -inf where there are no sheets.

    Parameters
    ----------
    candidates
        Candidate records, K x n, in the release's units.
    origins
        Points from which distances are known, q x n: anchors, and the origin where norms are kept.
    low, high
        Least and largest distance of each candidate from each origin, q x K.
    rows
        Rows of the release, m.
    error
        Largest error of a length.
    most
        Largest number of distances that are independent of each other.
    """
    records = np.unique(np.vstack([candidates, origins]), axis=0)
    free = free_columns(records, error)
    if free.all() or not free.any():
        return np.full(len(candidates), -np.inf)
    _, sheet, sizes = np.unique(candidates[:, ~free], axis=0, return_inverse=True, return_counts=True)
    together = np.maximum(1.0, rows * sizes[sheet.ravel()] / len(candidates))
    pool = sampled(records)[:, free]
    below, above = np.maximum(low, 0.0) ** 2, high**2
    # Squared distances from each origin: what the free part of a record adds, and what it must add for a candidate.
    added = np.stack([((pool - origin) ** 2).sum(axis=1) for origin in origins[:, free]])
    wanted = (below + above) / 2 - np.stack(
        [((candidates[:, ~free] - origin) ** 2).sum(axis=1) for origin in origins[:, ~free]]
    )
    reach = np.maximum((above - below) / 2, 1e-300)
    dimension = min(most, int(np.count_nonzero(free)))
    step = max(1, _COUNTING.part // added.size)
    parts = [slice(start, start + step) for start in range(0, len(candidates), step)]
    shares = [_log_share(added, wanted[:, part], reach[:, part], dimension) for part in parts]
    return np.asarray(np.log(len(candidates) * together) + np.concatenate(shares))


def _log_share(added: FloatArray, wanted: FloatArray, reach: FloatArray, dimension: int) -> FloatArray:
    """Log of the share of records (q x N) within ``reach`` of what is wanted of each candidate (q x K), all at once."""
    misses = (np.abs(added[:, None, :] - wanted[:, :, None]) / reach[:, :, None]).max(axis=0)
    total = misses.shape[1]
    enough = min(_COUNTING.enough, total - 1)
    near = np.count_nonzero(misses <= 1, axis=1)
    furthest = np.maximum(np.partition(misses, enough, axis=1)[:, enough], 1.0)  # the candidate itself is one of them
    scaled = np.minimum(np.log((enough + 1) / total) - dimension * np.log(furthest), 0.0)
    return np.asarray(np.where(near > enough, np.log(np.maximum(near, 1) / total), scaled))
