# SPDX-License-Identifier: BSD-3-Clause
"""The largest assignments of known records to released values, and what they share."""

from isobreach.linking.search.agreement import Agreement, backbone, uniquely_valid
from isobreach.linking.search.assignment import Budget, Geometry, Search
from isobreach.linking.search.cliques import distance

__all__ = ["Agreement", "Budget", "Geometry", "Search", "backbone", "distance", "uniquely_valid"]
