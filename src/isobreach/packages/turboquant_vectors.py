# SPDX-License-Identifier: BSD-3-Clause
"""Scale to length one and rotate, as the package turboquant-vectors does; with bits, quantise as well."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_integer
from isobreach.errors import InputError
from isobreach.packages.foreign import Foreign, secret
from isobreach.schemes import Release, ReleaseModel

_MOST_BITS = 8
_LEAST_SEED = 2**128  # the package refuses seeds below 2^64, which can be guessed, and advises 128 bits or more


@dataclass(frozen=True)
class TurboquantVectors(Foreign):
    """Rotate unit vectors by a Haar-distributed matrix, as turboquant-vectors does: ``y = M x / |x|``, in float32.

    ``PrivateEncoder.rotate``, and with ``bits`` ``rotate_and_compress``: each coordinate becomes the nearest of 2^bits
    values. These are means of their cells, so that y = s M u + e with 1 - s the share of a coordinate's variance
    that is lost, and errors e that look like noise. Factor and level in the key are fitted to the release. The lengths
    that the package stores beside compressed vectors are not part of the release here.

    Parameters
    ----------
    bits
        Of a coordinate after ``rotate_and_compress``; none by default: 32-bit numbers.
    """

    bits: int | None = setting(None, "Bits of a stored coordinate, if vectors are compressed.", type=int)

    name: ClassVar[str] = "foreign:turboquant-vectors"
    package: ClassVar[str] = "turboquant-vectors"
    module: ClassVar[str] = "turboquant_vectors"
    directions: ClassVar[bool] = True
    least_columns: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bits is not None and check_integer("bits", self.bits, least=1) > _MOST_BITS:
            raise InputError("bits", f"must be at most {_MOST_BITS}", self.bits)

    @property
    def model(self) -> ReleaseModel:
        """A rotation of unit vectors; compressed, with a factor and errors."""
        if self.bits is None:
            return ReleaseModel("orthogonal", unit_length=True)
        return ReleaseModel("orthogonal", noise="gaussian", unit_length=True, scale=True)

    def protected(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        from turboquant_vectors import PrivateEncoder

        n = records.shape[1]
        encoder = PrivateEncoder.from_seed(n, seed=_LEAST_SEED + int.from_bytes(secret(source, 16), "big"))
        images, rotated = encoder.rotate(np.eye(n)), encoder.rotate(records)
        if self.bits is None:
            return self.keyed(records, rotated, images, source)
        packed = encoder.rotate_and_compress(records, bits=self.bits)
        rows = np.asarray(packed.codebook, dtype=np.float32)[packed.indices]
        scale = float(np.vdot(rows, rotated) / np.vdot(rotated, rotated))
        noise = float(np.sqrt(np.mean((rows - scale * rotated) ** 2)))
        return self.keyed(records, rows, images, source, scale=scale, noise=noise)
