# SPDX-License-Identifier: BSD-3-Clause
"""Which links a coalition finds at each of its sizes, computed by the owner, who knows the truth."""

from isobreach.audits.coalitions.copies import Shapes
from isobreach.audits.coalitions.growing import GrowingLinks, Growth

__all__ = [
    "GrowingLinks",
    "Growth",
    "Shapes",
]
