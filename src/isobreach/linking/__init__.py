# SPDX-License-Identifier: BSD-3-Clause
"""Linking known records to released rows."""

from isobreach.linking.candidates import Cloud, TooManyError, all_candidates, distances_from
from isobreach.linking.chance import Rates
from isobreach.linking.given import given_links
from isobreach.linking.linkage import RULES, Linkage, Rule, linked_pairs
from isobreach.linking.linker import CHANCE_LIMIT, NODE_LIMIT, link
from isobreach.linking.motions import CHOICES, MOTIONS, Choice
from isobreach.linking.search import Budget, Geometry, Search, backbone, distance
from isobreach.linking.shared import SharedLinks, sharing_links
from isobreach.linking.solving import Noise
from isobreach.linking.wording import (
    dictionary_json,
    dictionary_sentence,
    link_document,
    link_records,
    link_sentences,
    link_table,
    motion_json,
    needs_presence,
    no_link,
    partial_json,
    partial_sentence,
    unlinked_reasons,
)
from isobreach.release import Motion

__all__ = [
    "CHANCE_LIMIT",
    "CHOICES",
    "MOTIONS",
    "NODE_LIMIT",
    "RULES",
    "Budget",
    "Choice",
    "Cloud",
    "Geometry",
    "Linkage",
    "Motion",
    "Noise",
    "Rates",
    "Rule",
    "Search",
    "SharedLinks",
    "TooManyError",
    "all_candidates",
    "backbone",
    "dictionary_json",
    "dictionary_sentence",
    "distance",
    "distances_from",
    "given_links",
    "link",
    "link_document",
    "link_records",
    "link_sentences",
    "link_table",
    "linked_pairs",
    "motion_json",
    "needs_presence",
    "no_link",
    "partial_json",
    "partial_sentence",
    "sharing_links",
    "unlinked_reasons",
]
