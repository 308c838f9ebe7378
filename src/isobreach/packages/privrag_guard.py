# SPDX-License-Identifier: BSD-3-Clause
"""Scale to length one, turn each record by a little and rotate, as the package privrag-guard does."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach.errors import InputError
from isobreach.packages.foreign import Foreign, secret
from isobreach.schemes import Release, ReleaseModel


@dataclass(frozen=True)
class PrivragGuard(Foreign):
    """Turn unit vectors by a little and rotate them, as privrag-guard does: ``y = M (u + g) / |u + g|``, in float32.

    g is orthogonal to u, Gaussian, and ``noise`` long in root mean square. Its mode of differential privacy
    (``strict_dp``) is not wrapped: at its default level noise is a thousand times a record.

    Parameters
    ----------
    noise
        Its ``noise_fraction``, from 0 to 0.45.
    """

    noise: float = setting(0.1, "Length of the noise, relative to the record.")

    name: ClassVar[str] = "foreign:privrag-guard"
    package: ClassVar[str] = "privrag-guard"
    module: ClassVar[str] = "privrag"
    directions: ClassVar[bool] = True
    least_columns: ClassVar[int] = 2
    model: ClassVar[ReleaseModel] = ReleaseModel("orthogonal", noise="orthogonal", unit_length=True, scale=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.noise <= 0.45:  # the package takes no more than that
            raise InputError("noise", f"must be from 0 to 0.45 for the scheme {self.name}", self.noise)

    def protected(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        from privrag import PrivRAGGuard

        n, key, drawn = records.shape[1], secret(source, 16), int.from_bytes(secret(source, 16), "big")
        guard = PrivRAGGuard(noise_fraction=self.noise, key_seed=key, random_state=drawn)
        exact = PrivRAGGuard(noise_fraction=0.0, key_seed=key)
        scale = 1 / float(np.hypot(1, self.noise))
        noise = scale * self.noise / float(np.sqrt(n))
        rows, images = guard.protect_batch(records), exact.protect_batch(np.eye(n))
        return self.keyed(records, rows, images, source, scale=scale, noise=noise)
