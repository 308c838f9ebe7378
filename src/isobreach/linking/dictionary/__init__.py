# SPDX-License-Identifier: BSD-3-Clause
"""Candidate records, any of which may be absent from the release."""

from isobreach.linking.dictionary.lookup import Anchors, exact_entries, noisy_entries

__all__ = ["Anchors", "exact_entries", "noisy_entries"]
