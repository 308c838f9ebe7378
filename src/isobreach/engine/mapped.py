# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as long as the rows: in memory where they are small, else in a temporary file that the system maps."""

import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from isobreach.errors import OutputError

_HELD = 1 << 27  # bytes: 128 MiB


def long_array(shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Return an array of zeros; a large one is in a temporary file without a name, which ends with the array.

    The system keeps of it what fits into memory, and writes the rest.

    Parameters
    ----------
    shape, dtype
        Of the array.
    """
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    if size <= _HELD:
        return np.zeros(shape, dtype=dtype)
    with tempfile.TemporaryFile() as file:  # mapped, it stays until nobody holds the array
        try:
            os.posix_fallocate(file.fileno(), 0, size)  # a page that the disk has no room for would end the process
        except OSError as error:
            reason, step = os.strerror(error.errno or 0), "Set TMPDIR to a folder with more room."
            message = f"{tempfile.gettempdir()}: {size / 1e9:.1f} GB do not fit there: {reason}. {step}"
            raise OutputError(message) from None
        return np.memmap(file, dtype=dtype, mode="r+", shape=shape)
