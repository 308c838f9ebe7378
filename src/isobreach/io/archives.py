# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in one file: NumPy's .npz, plain numbers and text without pickled objects, so that reading runs no code."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach.io.content import readable


def read_arrays(path: Path, name: str) -> dict[str, NDArray[Any]] | None:
    """Return the arrays in a file by their names; None for a damaged file, or one that was never an archive.

    Parameters
    ----------
    path
        A regular file. Pipes and devices count as damaged: opening one may wait for ever.
    name
        What an error calls the file.
    """
    if not path.is_file():
        return None
    with readable(path, name), path.open("rb") as file:  # opened here, because np.load leaves it open where it fails
        return unpacked(file)


def unpacked(file: Any) -> dict[str, NDArray[Any]] | None:
    """Return the arrays in an open file by their names; None where it is damaged, or holds Python objects."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {field: np.asarray(archive[field]) for field in archive.files}
    except PermissionError:
        raise
    except Exception:  # noqa: BLE001  damage shows as any error of zipfile, zlib or NumPy
        return None
