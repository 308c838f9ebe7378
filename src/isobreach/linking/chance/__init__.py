# SPDX-License-Identifier: BSD-3-Clause
"""What chance alone would make of a release: rates of distances, and expected matches."""

from isobreach.linking.chance.matches import chance_matches, least_telling, sampled_rows, telling_distances
from isobreach.linking.chance.rates import Rates, sampled
from isobreach.linking.chance.sets import log_sets, most_telling_pair
from isobreach.linking.chance.sheets import free_columns, log_matches_on_sheets
from isobreach.linking.chance.symmetries import log_images

__all__ = [
    "Rates",
    "chance_matches",
    "free_columns",
    "least_telling",
    "log_images",
    "log_matches_on_sheets",
    "log_sets",
    "most_telling_pair",
    "sampled",
    "sampled_rows",
    "telling_distances",
]
