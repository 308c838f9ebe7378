# SPDX-License-Identifier: BSD-3-Clause
"""Linking known records to released rows."""

from isobreach.linking.linkage import (
    CHANCE_LIMIT,
    MOTIONS,
    NODE_LIMIT,
    RULES,
    Linkage,
    Motion,
    Rule,
    link,
    linked_pairs,
)
from isobreach.linking.precision import Precision

__all__ = [
    "CHANCE_LIMIT",
    "MOTIONS",
    "NODE_LIMIT",
    "RULES",
    "Linkage",
    "Motion",
    "Precision",
    "Rule",
    "link",
    "linked_pairs",
]
