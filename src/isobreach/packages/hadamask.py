# SPDX-License-Identifier: BSD-3-Clause
"""Pad by zeros and rotate, as the package hadamask does, by Hadamard matrices or by a dense one."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_choice
from isobreach.packages.foreign import Foreign, secret
from isobreach.schemes import Release, ReleaseModel

_KINDS = ("hadamard", "dense")


@dataclass(frozen=True)
class Hadamask(Foreign):
    """Rotate as hadamask does: ``y = Q x``, in float32, lengths kept.

    ``hadamard`` pads records by zeros to the next power of two, and Q = H D P H D: Hadamard matrices, secret signs and
    a secret permutation. No part of that is Haar-distributed, and a rough fit of Q can be rounded to the exact key
    (``isobreach.attacks``, alignment). ``dense`` keeps the number of columns, and all of Q is Haar-distributed.

    Parameters
    ----------
    transform
        Which of the two.
    """

    transform: str = setting("hadamard", "Kind of the rotation.", choices=_KINDS)

    name: ClassVar[str] = "foreign:hadamask"
    package: ClassVar[str] = "hadamask"
    module: ClassVar[str] = "hadamask"
    model: ClassVar[ReleaseModel] = ReleaseModel("orthogonal")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("transform", self.transform, _KINDS)

    def protected(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        from hadamask import MasterKey, Protector

        protector = Protector(MasterKey(secret(source, 32)), transform=self.transform)
        return self.keyed(records, protector.encode(records), protector.encode(np.eye(records.shape[1])), source)
