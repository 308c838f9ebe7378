# SPDX-License-Identifier: BSD-3-Clause
"""Release cosine coefficients of each record, in a secret order."""

from dataclasses import dataclass
from typing import ClassVar

from isobreach.geometry import Transform
from isobreach.schemes.spectral import Spectral


@dataclass(frozen=True)
class Dct(Spectral):
    """Discrete cosine transform: ``y = P C x``, C orthonormal (type II), P a secret order of the coefficients.

    With all coefficients it is an orthogonal motion, which keeps norms, distances and inner products. With fewer, those
    of the largest energy over the table, it is a projection: no distance grows.

    Reference: S. Mukherjee, Z. Chen and A. Gangopadhyay, A privacy-preserving technique for Euclidean distance-based
    mining algorithms using Fourier-related transforms, VLDB Journal 15 (2006). Formulated from first principles.

    Parameters
    ----------
    coefficients
        How many are released, those with the largest sums of squares over the table; all by default.
    """

    name: ClassVar[str] = "dct"
    transform: ClassVar[Transform] = "dct"


SCHEME = Dct()
