# SPDX-License-Identifier: BSD-3-Clause
"""The public functions: tables of any kind in, names and ids out again, the work done by the packages below."""

from isobreach._interface.attacking import attack, link, reconstruct, scan
from isobreach._interface.auditing import attackers_of, audit, classes_of, compare
from isobreach._interface.protecting import invert, perturb, prepare

__all__ = [
    "attack",
    "attackers_of",
    "audit",
    "classes_of",
    "compare",
    "invert",
    "link",
    "perturb",
    "prepare",
    "reconstruct",
    "scan",
]
