# SPDX-License-Identifier: BSD-3-Clause
"""Orthonormal transforms that anyone knows: of cosines, and of Fourier in real numbers."""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from isobreach._arrays import FloatArray

Transform = Literal["dct", "dft"]
TRANSFORMS: tuple[Transform, ...] = get_args(Transform)


def public_transform(name: Transform, n: int) -> FloatArray:
    """Return the n x n matrix whose rows give the coefficients of a record.

    >>> matrix = public_transform("dft", 5)
    >>> bool(np.allclose(matrix @ matrix.T, np.eye(5)))
    True
    """
    return _MATRICES[name](n)


def _cosines(n: int) -> FloatArray:
    """Type II."""
    from scipy.fft import dct  # few releases are asked for these

    return np.asarray(dct(np.eye(n), axis=0, norm="ortho"))


def _fourier(n: int) -> FloatArray:
    """Real and imaginary parts up to half the sampling rate, times sqrt(2) where a conjugate repeats them."""
    from scipy.fft import rfft

    complex_rows = rfft(np.eye(n), axis=0, norm="ortho")
    twice = slice(1, (n + 1) // 2)  # neither the mean nor, for even n, half the sampling rate: these are real
    single = complex_rows.real.copy()
    single[twice] *= np.sqrt(2)
    return np.vstack([single, np.sqrt(2) * complex_rows.imag[twice]])


_MATRICES: dict[Transform, Callable[[int], FloatArray]] = {"dct": _cosines, "dft": _fourier}
