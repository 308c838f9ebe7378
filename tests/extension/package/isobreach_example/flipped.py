# SPDX-License-Identifier: BSD-3-Clause
"""Permute the columns and flip some of their signs."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isobreach.schemes import Key, Release, ReleaseModel, Scheme, setting


@dataclass(frozen=True)
class Flipped(Scheme):
    """A secret signed permutation of the columns: an orthogonal motion, and a weak one."""

    share: float = setting(0.5, "Share of the columns whose sign is flipped.")

    name: ClassVar[str] = "flipped"
    model = ReleaseModel("orthogonal", permutation=True)

    def release(self, records, source):
        """Return the released rows, shuffled, and their key."""
        n = records.shape[1]
        signs = np.where(np.arange(n) < self.share * n, -1.0, 1.0)
        rotation = np.diag(signs)[source.permutation(n)]
        key = Key(self.name, rotation, np.zeros(n), source.permutation(len(records)))
        return Release(key.apply(records), key)


SCHEME = Flipped()
