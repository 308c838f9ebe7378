# SPDX-License-Identifier: BSD-3-Clause
"""Permute the columns, scale them and add noise from a ball, as the package quiver-client does."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative
from isobreach.packages.foreign import Foreign, permuted, secret
from isobreach.schemes import Release, ReleaseModel

_NONCE = 12


@dataclass(frozen=True)
class QuiverClient(Foreign):
    """Permute, scale and perturb, as quiver-client does (``quiver.dcpe``): ``y = s P x + e``, in float32.

    s is secret, from 1 to 2, and e is uniform in a ball of radius ``s * beta / 4``. Its normalisation, a fixed shift
    and factor that are not secret, is left to the owner. ``DcpeCipher.encrypt`` draws its noise from the system; here
    the nonce of each vector comes from the seed, so that a release can be repeated. The package is under the AGPL and
    is imported only when a table is released by this scheme.

    Parameters
    ----------
    beta
        Its ``approximation_factor``; 0.02 is the one of its documents.
    """

    beta: float = setting(0.02, "Distances that differ by more keep their order.")

    name: ClassVar[str] = "foreign:quiver-client"
    package: ClassVar[str] = "quiver-client[dcpe]"
    module: ClassVar[str] = "quiver"
    extra: ClassVar[str] = "packages-agpl"
    least_columns: ClassVar[int] = 2
    model: ClassVar[ReleaseModel] = ReleaseModel("orthogonal", noise="ball", scale=True, permutation=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("beta", self.beta)

    def protected(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        from quiver.dcpe import DcpeCipher

        n, key = records.shape[1], secret(source, 32)
        images, scale = permuted(_encrypted(DcpeCipher(key, 0.0), np.eye(n), source))
        rows = _encrypted(DcpeCipher(key, self.beta), records, source)
        noise = scale * self.beta / 4 / float(np.sqrt(n + 2))
        return self.keyed(records, rows, images, source, scale=scale, noise=noise)


def _encrypted(cipher: Any, records: NDArray[Any], source: RandomSource) -> NDArray[np.float32]:
    """Return what the package makes of records, each under a nonce from the source."""
    # Its public function takes no nonce: the two steps of ``encrypt`` are called one by one.
    return np.array(
        [
            cipher._scale_and_perturb(cipher._pretransform(record), secret(source, _NONCE))
            for record in records.tolist()
        ],
        dtype=np.float32,
    )
