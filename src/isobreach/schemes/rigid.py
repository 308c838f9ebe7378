# SPDX-License-Identifier: BSD-3-Clause
"""Rotate or reflect the records, and translate them."""

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach.release import ReleaseModel
from isobreach.schemes.key import Release
from isobreach.schemes.rotation import check_width, translated
from isobreach.schemes.scheme import Scheme


@dataclass(frozen=True)
class Rigid(Scheme):
    """Rotate or reflect, and translate: ``y = M x + t``.

    Parameters
    ----------
    width
        Columns of the release, at least as many as of the records; as many by default.
    """

    width: int | None = setting(None, "Columns of the release, if more than of the records.", type=int)

    name: ClassVar[str] = "rigid"
    model: ClassVar[ReleaseModel] = ReleaseModel("rigid")

    def __post_init__(self) -> None:
        check_width(self.width)

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        key = translated(self.name, records, self.width, source)
        return Release(key.apply(records), key)


SCHEME = Rigid()
