# SPDX-License-Identifier: BSD-3-Clause
"""Released values that known records could be: by norm, and by the distances between them."""

from isobreach.linking.candidates.by_norm import (
    Candidates,
    all_candidates,
    check_entries,
    distinct_values,
    norm_candidates,
)
from isobreach.linking.candidates.narrowing import (
    NARROWING,
    Field,
    Lists,
    cores,
    distances_from,
    extension,
    lists_of_all,
    lists_of_some,
    neighbours,
    telling_order,
    values_agreeing,
)
from isobreach.linking.candidates.pairs import Cloud, TooManyError

__all__ = [
    "NARROWING",
    "Candidates",
    "Cloud",
    "Field",
    "Lists",
    "TooManyError",
    "all_candidates",
    "check_entries",
    "cores",
    "distances_from",
    "distinct_values",
    "extension",
    "lists_of_all",
    "lists_of_some",
    "neighbours",
    "norm_candidates",
    "telling_order",
    "values_agreeing",
]
