# SPDX-License-Identifier: BSD-3-Clause
"""Mean and covariance of all released rows, in two passes."""

from functools import reduce
from operator import add

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._progress import Progress, no_progress
from isobreach.engine import Engine, tiles


def moments(release: Engine, progress: Progress = no_progress) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of all released rows: one sum a tile, added in row order.

    Parameters
    ----------
    release
        The released rows.
    progress
        Called as ``progress(label, done, total)``.
    """
    count = release.shape[0]
    mean = reduce(add, (part for block in release.scan(_sums, None, "averaging", progress) for part in block)) / count
    squares = reduce(add, (part for block in release.scan(_products, mean, "averaging", progress) for part in block))
    return np.asarray(mean), np.asarray(squares) / max(count - 1, 1)


def _sums(block: FloatArray, first_row: int, params: None) -> list[FloatArray]:
    return [block[part].sum(axis=0) for part in tiles(block)]


def _products(block: FloatArray, first_row: int, mean: FloatArray) -> list[FloatArray]:
    return [(block[part] - mean).T @ (block[part] - mean) for part in tiles(block)]
