# SPDX-License-Identifier: BSD-3-Clause
"""Sources of released rows."""

from typing import Any

import numpy as np

from isobreach.blocks.array import ArraySource
from isobreach.blocks.source import FloatArray, Kernel, Source, tile_rows, tiles
from isobreach.engine.threads import ONE_BLAS_THREAD, processors, run_in_order

__all__ = [
    "ONE_BLAS_THREAD",
    "ArraySource",
    "FloatArray",
    "Kernel",
    "Source",
    "as_source",
    "processors",
    "run_in_order",
    "tile_rows",
    "tiles",
]


def as_source(rows: Any) -> Source:
    """A source as it is; an array as an ``ArraySource``."""
    return rows if isinstance(rows, Source) else ArraySource(np.asarray(rows))
