# SPDX-License-Identifier: BSD-3-Clause
"""Compilation of kernels: without the interpreter lock, kept on disk where a disk allows it."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba as nb
import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

# Sums may be reordered for speed; NaN and infinity keep their meaning: they are how bad entries are found.
REORDERED = frozenset({"reassoc", "contract", "nsz"})


def compiled(*, reorder: bool = False) -> Callable[[F], F]:
    """Compile a kernel when it is first called; ``reorder`` allows sums to be reordered."""
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": set(REORDERED) if reorder else False,
    }

    def decorate(function: F) -> F:
        kernel: Any
        try:
            kernel = nb.njit(cache=True, **options)(function)
        except RuntimeError:  # no place for the cache: a read-only installation and no home
            kernel = nb.njit(**options)(function)
        return cast(F, kernel)

    return decorate


@compiled()
def grown(rows: NDArray[Any]) -> NDArray[Any]:
    """Return an array twice as long that begins with the given one: for results whose number is not known before."""
    longer = np.empty((2 * len(rows), *rows.shape[1:]), dtype=rows.dtype)
    longer[: len(rows)] = rows
    return longer
