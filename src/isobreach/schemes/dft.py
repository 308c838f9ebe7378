# SPDX-License-Identifier: BSD-3-Clause
"""Release Fourier coefficients of each record, in a secret order."""

from dataclasses import dataclass
from typing import ClassVar

from isobreach.geometry import Transform
from isobreach.schemes.spectral import Spectral


@dataclass(frozen=True)
class Dft(Spectral):
    """Discrete Fourier transform in real numbers: ``y = P F x``, F orthonormal, P a secret order of the coefficients.

    The rows of F are real and imaginary parts of the Fourier coefficients up to half the sampling rate, times sqrt(2)
    where a conjugate coefficient repeats them. With all of them it is an orthogonal motion: norms, distances
    and inner products are kept. With fewer, those of the largest energy over the table, it is a projection.

    Reference: S. Mukherjee, Z. Chen and A. Gangopadhyay, A privacy-preserving technique for Euclidean distance-based
    mining algorithms using Fourier-related transforms, VLDB Journal 15 (2006). Formulated from first principles: a real
    and an imaginary part are two coefficients, which are chosen one by one.

    Parameters
    ----------
    coefficients
        How many are released, those with the largest sums of squares over the table; all by default.
    """

    name: ClassVar[str] = "dft"
    transform: ClassVar[Transform] = "dft"


SCHEME = Dft()
