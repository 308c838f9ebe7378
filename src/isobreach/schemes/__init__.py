# SPDX-License-Identifier: BSD-3-Clause
"""What an owner does: schemes as objects with parameters, and by name with their defaults."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach import _registry
from isobreach._random import random_source
from isobreach._settings import setting
from isobreach._validation import check_seed, check_table
from isobreach.errors import InputError
from isobreach.release import Invariant, ReleaseModel
from isobreach.schemes.additive_noise import AdditiveNoise
from isobreach.schemes.aspe import Aspe
from isobreach.schemes.attribute_pairs import AttributePairs
from isobreach.schemes.ball import Ball
from isobreach.schemes.component_noise import ComponentNoise
from isobreach.schemes.condensation import Condensation
from isobreach.schemes.dct import Dct
from isobreach.schemes.dft import Dft
from isobreach.schemes.distance_matrix import DistanceMatrix
from isobreach.schemes.geometric import Geometric
from isobreach.schemes.k_anonymity import KAnonymity
from isobreach.schemes.kd_tree import KdTree
from isobreach.schemes.key import AnyKey, Key, Release, SchemeKey
from isobreach.schemes.log_noise import LogNoise
from isobreach.schemes.multiplicative_noise import MultiplicativeNoise
from isobreach.schemes.noisy import Noisy
from isobreach.schemes.orthogonal import Orthogonal
from isobreach.schemes.orthogonal_noise import OrthogonalNoise
from isobreach.schemes.permutation import Permutation
from isobreach.schemes.random_projection import RandomProjection
from isobreach.schemes.rigid import Rigid
from isobreach.schemes.row_mixing import RowMixing
from isobreach.schemes.scheme import Scheme
from isobreach.schemes.shuffling import Shuffling
from isobreach.schemes.swapping import Swapping

__all__ = [
    "SCHEMES",
    "AdditiveNoise",
    "AnyKey",
    "Aspe",
    "AttributePairs",
    "Ball",
    "ComponentNoise",
    "Condensation",
    "Dct",
    "Dft",
    "DistanceMatrix",
    "Geometric",
    "Invariant",
    "KAnonymity",
    "KdTree",
    "Key",
    "LogNoise",
    "MultiplicativeNoise",
    "Noisy",
    "Orthogonal",
    "OrthogonalNoise",
    "Permutation",
    "RandomProjection",
    "Release",
    "ReleaseModel",
    "Rigid",
    "RowMixing",
    "Scheme",
    "SchemeKey",
    "Shuffling",
    "Swapping",
    "perturb",
    "scheme_by_name",
    "setting",
]

SCHEMES: _registry.Registry[Scheme] = _registry.SCHEMES  # with those of other packages


def scheme_by_name(name: str, **parameters: Any) -> Scheme:
    """Return the scheme of a name; parameters that are not given keep their defaults.

    Parameters
    ----------
    name
        One of ``SCHEMES``.
    parameters
        Fields of the scheme.

    >>> scheme_by_name("ball", scale=2.0)
    Ball(scale=2.0, beta=None)
    """
    scheme = SCHEMES.named("scheme", name)
    own = [field.name for field in fields(scheme)]
    for parameter, value in parameters.items():
        if parameter not in own:
            raise InputError(parameter, f"is no parameter of the scheme {name}", value, f"It has: {', '.join(own)}.")
    return replace(scheme, **parameters)


def perturb(records: NDArray[Any], scheme: str | Scheme = "rigid", seed: int | None = None) -> Release:
    """Return the release of the records under a scheme, shuffled, with its key.

    Parameters
    ----------
    records
        The table, m x n.
    scheme
        A name, or an object with parameters.
    seed
        See below.

    Without a seed the key comes from the operating system's secure source. A seed makes the key reproducible, and
    guessable: for experiments only.
    """
    check_table("X", records)
    if isinstance(scheme, str):
        scheme = scheme_by_name(scheme)
    scheme.check_size(records)
    with np.errstate(over="ignore", invalid="ignore"):  # said below, in words
        release = scheme.release(records, random_source(check_seed(seed), "key"))
    check_table("released", release.data)
    return release
