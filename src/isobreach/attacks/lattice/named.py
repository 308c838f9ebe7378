# SPDX-License-Identifier: BSD-3-Clause
"""What is settled of the axes of a lattice, and by what; ``naming`` finds it out."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach.attacks.lattice.offsets import Options


@dataclass(frozen=True, eq=False)
class Naming:
    """What is settled of each axis, and by what.

    Attributes
    ----------
    columns
        Attribute of each axis, -1 where it is open.
    signs
        +1 or -1, 0 where it is open.
    offsets
        attribute = sign * value + offset; NaN where it is open, and while the sign is, unless it is the origin's.
    column_by, sign_by, offset_by
        What settled it: ``"bounds"``, ``"known records"`` or ``"sample"``, ``"origin"`` for offsets; empty where open.
    varies
        Axes that were recovered and vary: the others have no values to be named by.
    notes
        Why some knowledge settled nothing, in sentences without a full stop.
    refuted_by
        The knowledge that no reading of the axes agrees with, ``"bounds"``, ``"known records"`` or ``"sample"``; empty
        where a reading is left. Nothing is settled then, and the first note says why.
    options
        What is possible of each axis that varies, all knowledge taken together; None where nothing is.
    """

    columns: IntArray
    signs: IntArray
    offsets: FloatArray
    column_by: tuple[str, ...]
    sign_by: tuple[str, ...]
    offset_by: tuple[str, ...]
    varies: NDArray[np.bool_] = field(repr=False)
    notes: tuple[str, ...] = ()
    refuted_by: str = ""
    options: Options | None = field(default=None, repr=False)

    @property
    def complete(self) -> bool:
        """Whether everything is settled of every axis that varies."""
        settled = (self.columns >= 0) & (self.signs != 0) & np.isfinite(self.offsets)
        return bool(settled[self.varies].all())

    def left(self) -> str | None:
        """What is open, in a sentence without a full stop; None where nothing is."""
        parts = [
            f"the {name} of {int(count)} of {int(self.varies.sum())} axes"
            for name, count in (
                ("attribute", (self.columns < 0)[self.varies].sum()),
                ("sign", (self.signs == 0)[self.varies].sum()),
                ("offset", (~np.isfinite(self.offsets))[self.varies].sum()),
            )
            if count
        ]
        if not parts:
            return None
        listed = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
        return f"{listed} {'is' if len(parts) == 1 else 'are'} open"
