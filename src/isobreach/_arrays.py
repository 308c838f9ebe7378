# SPDX-License-Identifier: BSD-3-Clause
"""Types of arrays, by the name that all modules give them."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
