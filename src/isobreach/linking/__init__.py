# SPDX-License-Identifier: BSD-3-Clause
"""Linking known records to released rows."""

from isobreach.linking.candidates import Cloud, TooManyError, distances_from
from isobreach.linking.growing import GrowingLinks, Growth
from isobreach.linking.linkage import RULES, Linkage, Rule, linked_pairs
from isobreach.linking.linker import CHANCE_LIMIT, NODE_LIMIT, Noise, link
from isobreach.linking.motions import CHOICES, MOTIONS, Choice, Motion
from isobreach.linking.precision import EXACT, Precision, grid_spacing, released_precision
from isobreach.linking.wording import (
    dictionary_json,
    dictionary_sentence,
    link_records,
    link_sentences,
    link_table,
    motion_json,
    no_link,
    unlinked_reasons,
)

__all__ = [
    "CHANCE_LIMIT",
    "CHOICES",
    "EXACT",
    "MOTIONS",
    "NODE_LIMIT",
    "RULES",
    "Choice",
    "Cloud",
    "GrowingLinks",
    "Growth",
    "Linkage",
    "Motion",
    "Noise",
    "Precision",
    "Rule",
    "TooManyError",
    "dictionary_json",
    "dictionary_sentence",
    "distances_from",
    "grid_spacing",
    "link",
    "link_records",
    "link_sentences",
    "link_table",
    "linked_pairs",
    "motion_json",
    "no_link",
    "released_precision",
    "unlinked_reasons",
]
