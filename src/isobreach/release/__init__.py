# SPDX-License-Identifier: BSD-3-Clause
"""What a release is, whatever scheme made it: its model, its precision, where its lengths may lie."""

from isobreach.release.bounds import Bounds
from isobreach.release.grid import on_grid, reads_exactly
from isobreach.release.model import Invariant, Motion, NoiseKind, ReleaseModel
from isobreach.release.precision import (
    EXACT,
    Precision,
    given_precision,
    released_precision,
)
from isobreach.release.steps import common_step, decimal_step, grid_spacing, offset_spacing
from isobreach.release.unfolding import behind, unfolded
from isobreach.release.values import distinct_records, merged, unit_roundoff

__all__ = [
    "EXACT",
    "Bounds",
    "Invariant",
    "Motion",
    "NoiseKind",
    "Precision",
    "ReleaseModel",
    "behind",
    "common_step",
    "decimal_step",
    "distinct_records",
    "given_precision",
    "grid_spacing",
    "merged",
    "offset_spacing",
    "on_grid",
    "reads_exactly",
    "released_precision",
    "unfolded",
    "unit_roundoff",
]
