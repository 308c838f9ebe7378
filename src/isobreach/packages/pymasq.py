# SPDX-License-Identifier: BSD-3-Clause
"""Standardise, reflect, translate, rotate and push entries outwards, as geom_transform of the package pymasq does."""

from dataclasses import dataclass
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative
from isobreach.errors import InputError
from isobreach.packages.foreign import Foreign, secret
from isobreach.schemes import Release, ReleaseModel

_ONE_AT_A_TIME = Lock()  # the package draws from NumPy's global generator, which all threads share
_MOST_COLUMNS = 24  # its search for an angle takes n^6 steps: a minute at 24 columns


@dataclass(frozen=True)
class Pymasq(Foreign):
    """Geometric transform, as ``pymasq.mitigations.geom_transform`` has it (PABIDOT): ``y = S (R (z + t) + e) + m``.

    z are the standardised records, R a product of rotations by one angle in all planes and a reflection, both chosen by
    the correlations of the table, t uniform between 0 and 1 in every entry, and e of the sign of its entry, uniform up
    to ``magnitude``. Standard deviations S and means m of the columns are put back. So a released row is a linear map
    of its record, no motion unless all deviations are alike, with errors that do not cancel out.

    Parameters
    ----------
    magnitude
        The largest error, in standard deviations.
    """

    magnitude: float = setting(0.3, "Largest error of an entry, in standard deviations of its column.")

    name: ClassVar[str] = "foreign:pymasq"
    package: ClassVar[str] = "pymasq, with a joblib below 1.3"  # with a later one it cannot be imported
    module: ClassVar[str] = "pymasq"
    extra: ClassVar[str] = "packages-pymasq"
    least_columns: ClassVar[int] = 2
    model: ClassVar[ReleaseModel] = ReleaseModel(None, noise="uniform", linear=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("magnitude", self.magnitude)

    @property
    def least_rows(self) -> int:
        """Records that a table must have: correlations need two."""
        return 2

    def check_size(self, records: NDArray[Any]) -> None:
        """Refuse a table that is too wide for the package's search, or has a column of equal values."""
        super().check_size(records)
        if records.shape[1] > _MOST_COLUMNS:
            rule = f"must have {_MOST_COLUMNS} columns or fewer for {self.name}, whose search takes n^6 steps"
            raise InputError("X", rule, f"{records.shape[1]} columns")
        if (same := np.flatnonzero((records == records[0]).all(axis=0))).size:
            rule = f"must have columns that vary for the scheme {self.name}"
            raise InputError("X", rule, f"equal values in column {same[0] + 1}", "Leave it out.")

    def protected(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and a key that holds their order: the package keeps no other."""
        import pandas as pd
        from pymasq.mitigations.geom_transform import geom_transform

        frame = pd.DataFrame(np.asarray(records, dtype=np.float64))
        with _ONE_AT_A_TIME:
            before = np.random.get_state()  # noqa: NPY002
            try:
                np.random.seed(int.from_bytes(secret(source, 4), "big"))  # noqa: NPY002
                moved = geom_transform(frame, magnitude=self.magnitude, shuffle=False, keep_dtypes=False)
            finally:
                np.random.set_state(before)  # noqa: NPY002
        rows = np.asarray(moved, dtype=np.float64)
        noise = self.magnitude / float(np.sqrt(3)) * float(np.sqrt(np.mean(np.var(records, axis=0))))
        return self.shuffled(records, rows, source, noise=noise)
