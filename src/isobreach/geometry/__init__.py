# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in, arrays out: spheres, subspaces and motions."""

from isobreach.geometry.motion import ConsistentMotions, fit_motions, haar, procrustes_residual
from isobreach.geometry.noise import Hidden, Noise, NoisyRows, Spread, noisy_rows
from isobreach.geometry.noisy_breach import noisy_breach_probability, noisy_radius
from isobreach.geometry.residual import HiddenBasis, squared_residuals
from isobreach.geometry.sphere import (
    ESTIMATORS,
    Estimator,
    attribute_breach_probability,
    breach_probability,
    estimate_radius,
)
from isobreach.geometry.squares import squares_of_stretch
from isobreach.geometry.subspace import complement, residuals, row_basis, row_norms
from isobreach.geometry.transforms import TRANSFORMS, Transform, public_transform

__all__ = [
    "ESTIMATORS",
    "TRANSFORMS",
    "ConsistentMotions",
    "Estimator",
    "Hidden",
    "HiddenBasis",
    "Noise",
    "NoisyRows",
    "Spread",
    "Transform",
    "attribute_breach_probability",
    "breach_probability",
    "complement",
    "estimate_radius",
    "fit_motions",
    "haar",
    "noisy_breach_probability",
    "noisy_radius",
    "noisy_rows",
    "procrustes_residual",
    "public_transform",
    "residuals",
    "row_basis",
    "row_norms",
    "squared_residuals",
    "squares_of_stretch",
]
