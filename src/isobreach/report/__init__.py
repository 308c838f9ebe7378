# SPDX-License-Identifier: BSD-3-Clause
"""Results as words, JSON, figures and pages: nothing is computed here."""

from isobreach._phrases import count, percent, probability
from isobreach.linking import dictionary_json, link_records, link_sentences, link_table, motion_json, no_link
from isobreach.report.audit_json import audit_json
from isobreach.report.audit_page import audit_page
from isobreach.report.audit_wording import attacker_reads
from isobreach.report.audit_wording import sentences as audit_sentences
from isobreach.report.audit_wording import verdict as audit_verdict
from isobreach.report.figures import attack_figure, figure_files, require_matplotlib
from isobreach.report.lattice import LatticeFindings, lattice_json, lattice_sentences, lattice_table, lattice_verdict
from isobreach.report.lattice_page import lattice_page
from isobreach.report.page import attack_page
from isobreach.report.wording import result_json, sentences, verdict

__all__ = [
    "LatticeFindings",
    "attack_figure",
    "attack_page",
    "attacker_reads",
    "audit_json",
    "audit_page",
    "audit_sentences",
    "audit_verdict",
    "count",
    "dictionary_json",
    "figure_files",
    "lattice_json",
    "lattice_page",
    "lattice_sentences",
    "lattice_table",
    "lattice_verdict",
    "link_records",
    "link_sentences",
    "link_table",
    "motion_json",
    "no_link",
    "percent",
    "probability",
    "require_matplotlib",
    "result_json",
    "sentences",
    "verdict",
]
