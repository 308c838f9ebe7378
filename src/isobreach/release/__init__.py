# SPDX-License-Identifier: BSD-3-Clause
"""What a release is, whatever scheme made it."""

from isobreach.release.model import Invariant, Motion, NoiseKind, ReleaseModel

__all__ = ["Invariant", "Motion", "NoiseKind", "ReleaseModel"]
