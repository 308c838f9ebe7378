# SPDX-License-Identifier: BSD-3-Clause
"""What a bundled data set consists of: the numbers, their names, and whom to thank for them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table that comes with isobreach.

    Attributes
    ----------
    name
        By which it is loaded.
    values, columns
        The numbers, and the names of their columns.
    description
        What they are, a sentence.
    citation
        Whom to thank for them.
    """

    name: str
    values: NDArray[np.int64]
    columns: tuple[str, ...]
    description: str
    citation: str
