# SPDX-License-Identifier: BSD-3-Clause
"""isobreach: who can undo a distance-preserving transform, knowing how little, and how surely.

>>> import isobreach as ib
>>> letter = ib.datasets.load("letter").values
>>> release = ib.perturb(letter, "orthogonal", seed=0)
>>> result = ib.attack(letter[:4], release.data, epsilon=0.15, seed=0)
>>> result.linkage.counts()["linked"], result.hidden_dimension
(4, 12)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isobreach._version import __version__

if TYPE_CHECKING:
    from isobreach import datasets, schemes
    from isobreach._interface import attack, audit, compare, invert, link, perturb, prepare, reconstruct, scan
    from isobreach._reports import AuditReport, ComparisonReport
    from isobreach.attacks import AttackResult, Knowledge, Reconstruction
    from isobreach.errors import (
        InputError,
        IsobreachError,
        LeftOutWarning,
        MissingExtraError,
        NothingLinkedWarning,
        NotPlayedWarning,
        OutputError,
    )
    from isobreach.geometry import attribute_breach_probability, breach_probability
    from isobreach.io import read_key, write_key
    from isobreach.linking import Linkage
    from isobreach.preparation import PreparedTable
    from isobreach.schemes import Key, Release

# Where each public name lives; loaded when first used, so that importing isobreach costs nothing.
_HOMES = {
    "AttackResult": "attacks",
    "AuditReport": "_reports",
    "ComparisonReport": "_reports",
    "InputError": "errors",
    "IsobreachError": "errors",
    "Key": "schemes",
    "Knowledge": "attacks",
    "LeftOutWarning": "errors",
    "Linkage": "linking",
    "MissingExtraError": "errors",
    "NotPlayedWarning": "errors",
    "NothingLinkedWarning": "errors",
    "OutputError": "errors",
    "PreparedTable": "preparation",
    "Reconstruction": "attacks",
    "Release": "schemes",
    "attack": "_interface",
    "attribute_breach_probability": "geometry",
    "audit": "_interface",
    "breach_probability": "geometry",
    "compare": "_interface",
    "invert": "_interface",
    "link": "_interface",
    "perturb": "_interface",
    "prepare": "_interface",
    "read_key": "io",
    "reconstruct": "_interface",
    "scan": "_interface",
    "write_key": "io",
}

__all__ = [
    "AttackResult",
    "AuditReport",
    "ComparisonReport",
    "InputError",
    "IsobreachError",
    "Key",
    "Knowledge",
    "LeftOutWarning",
    "Linkage",
    "MissingExtraError",
    "NotPlayedWarning",
    "NothingLinkedWarning",
    "OutputError",
    "PreparedTable",
    "Reconstruction",
    "Release",
    "__version__",
    "attack",
    "attribute_breach_probability",
    "audit",
    "breach_probability",
    "compare",
    "datasets",
    "invert",
    "link",
    "perturb",
    "prepare",
    "read_key",
    "reconstruct",
    "scan",
    "schemes",
    "write_key",
]


def __getattr__(name: str) -> Any:
    if name in ("datasets", "schemes"):
        return import_module(f"isobreach.{name}")
    if name.endswith("Perturbation"):  # a class for every scheme: not listed, because it needs scikit-learn
        return getattr(import_module("isobreach.transformers"), name)
    if name not in _HOMES:
        raise AttributeError(f"module 'isobreach' has no attribute {name!r}")
    value = getattr(import_module(f"isobreach.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
