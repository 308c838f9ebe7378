# SPDX-License-Identifier: BSD-3-Clause
"""Compilation of kernels: without the interpreter lock, kept on disk.

They are kept beside the package, in the user's cache folder where that is not writable, or where NUMBA_CACHE_DIR says.
Whoever wants to show that a kernel is being compiled hears of it: ``isobreach._progress.compiling``.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba as nb
import numpy as np
from numba import carray  # type: ignore[attr-defined]
from numba.core import cgutils, event, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from isobreach._progress import compiling

F = TypeVar("F", bound=Callable[..., Any])

# A product and a sum may become one operation, and sums be reordered for speed; NaN and infinity keep their meaning:
# they are how bad entries are found.
FUSED = frozenset({"contract", "nsz"})
REORDERED = FUSED | {"reassoc"}


class _Compilations(event.Listener):
    """Passes on what numba says of its work; what it finds on the disk is none."""

    def on_start(self, event: Any) -> None:
        compiling(True)

    def on_end(self, event: Any) -> None:
        compiling(False)


event.register("numba:compile", _Compilations())  # type: ignore[no-untyped-call]  # numba has no types


def compiled(*, reorder: bool = False, fuse: bool = False) -> Callable[[F], F]:
    """Compile a kernel when it is first called; ``reorder`` allows sums to be reordered, ``fuse`` products and sums."""
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": set(REORDERED if reorder else FUSED) if reorder or fuse else False,
    }

    def decorate(function: F) -> F:
        kernel: Any
        try:
            kernel = nb.njit(cache=True, **options)(function)
        except RuntimeError:  # no place for the cache: a read-only installation and no home
            kernel = nb.njit(**options)(function)
        return cast(F, kernel)

    return decorate


# Kernels are loops over arrays that are there or made by np.empty. What else NumPy has, numba compiles for each kernel
# anew: an array of zeros takes 0.2 s, a sum of all before 0.3 s, a slice assigned to 2 s, because of the text of an
# error that no kernel raises.


@compiled()
def copy(into: NDArray[Any], values: NDArray[Any]) -> None:
    """Copy numbers to the beginning of an array of one dimension."""
    for place in range(len(values)):
        into[place] = values[place]


@compiled()
def fill(into: NDArray[Any], value: int) -> None:
    """Set all entries of an array of one dimension to a number."""
    for place in range(len(into)):
        into[place] = value


@compiled()
def grown(values: NDArray[Any]) -> NDArray[Any]:
    """Return an array twice as long that begins with the given one: for results whose number is not known before."""
    longer = np.empty(2 * len(values), dtype=values.dtype)
    copy(longer, values)
    return longer


@compiled()
def grown_rows(rows: NDArray[Any]) -> NDArray[Any]:
    """Return twice as many rows that begin with the given ones."""
    longer = np.empty((2 * len(rows), rows.shape[1]), dtype=rows.dtype)
    for row in range(len(rows)):
        for column in range(rows.shape[1]):
            longer[row, column] = rows[row, column]
    return longer


@compiled()
def first_from(ascending: NDArray[np.float64], least: float) -> int:
    """Return the place of the first number that is at least so large, as ``np.searchsorted`` does."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


def _to_pointer(context: Any, address: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), code


_pointer: Any = intrinsic(_to_pointer)


@nb.njit(inline="always")
def stretch(addresses: NDArray[np.intp], place: int, first: int, rows: int) -> NDArray[np.float64]:
    """Return some rows of a column, inside a compiled kernel.

    Parameters
    ----------
    addresses
        Those of the columns of a block.
    place
        Which column.
    first, rows
        The first row, and how many.
    """
    found: NDArray[np.float64] = carray(_pointer(addresses[place] + 8 * first), rows, dtype=np.float64)
    return found
