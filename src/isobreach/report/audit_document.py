# SPDX-License-Identifier: BSD-3-Clause
"""An audit as a document: decision, reason, action, then evidence; a page for the file; details folded."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any, cast

import numpy as np

from isobreach._phrases import count, day, left_out
from isobreach.audits import AuditResult
from isobreach.document import Bullets, Details, Document, Fact, Facts, Section, Table, Text, in_one_part
from isobreach.report.audit_caveats import caveats, kinds, method
from isobreach.report.audit_charts import attributes_lead, attributes_section, risk_lead, risk_section
from isobreach.report.audit_decision import decision
from isobreach.report.audit_file import file_section, protection
from isobreach.report.audit_frames import attribute_columns, record_parts
from isobreach.report.audit_json import audit_data
from isobreach.report.audit_matrix import matrix_lead, matrix_section
from isobreach.report.audit_people import people_lead, people_section
from isobreach.report.audit_preparation import (
    beside_section,
    header_texts,
    is_standardised,
    length_sentences,
    preparation_details,
)
from isobreach.report.audit_remedies import remedies_lead, remedies_section
from isobreach.report.audit_tables import (
    attackers_table,
    attributes_table,
    matrix_table,
    refused_table,
    sizes_table,
    smallest_table,
)
from isobreach.report.audit_words import (
    capital,
    no_claim,
    of_a_part,
    person,
    samples_left_out,
    table_size,
    worst_group,
)
from isobreach.report.numbers import amount, sampled, share


def audit_document(
    result: AuditResult, run: Mapping[str, Any] | None = None, title: str = "", when: date | None = None
) -> Document:
    """Return everything there is to say of an audit.

    Parameters
    ----------
    result
        The audit.
    run
        The record of the run; without one there is no page for the file.
    title
        What the table is called.
    when
        The day of the audit.
    """
    decided = decision(result)
    verdict = " ".join([decided.said, *decided.also])
    named = title or "Audit before publishing"
    sections = [
        Section("", (_about(result, run), *header_texts(result), decided), brief=True),
        *([matrix_section(result)] if result.matrix.splits else []),
        *([beside_section(result)] if result.beside else []),
        replace(risk_section(result), page=not result.beside),
        people_section(result),
        attributes_section(result),
        *([remedies_section(result)] if result.remedies is not None else []),
        *([file_section(result, decided, run, title, when)] if run is not None and when is not None else []),
        _details(result),
    ]
    return Document(
        f"{named}, {day(when)}" if when is not None else named,
        verdict,
        tuple(_leads(result) + _notes(result)),
        tuple(sections),
        cast(Mapping[str, Any], audit_data(result, verdict, audit_findings(result))),
        {"per_record": partial(record_parts, result), "per_attribute": in_one_part(attribute_columns, result)},
        kind="isobreach audit before publishing",
    )


def audit_verdict(result: AuditResult) -> str:
    """The decision, why, and what else has to be heard."""
    decided = decision(result)
    return " ".join([decided.said, *decided.also])


def audit_findings(result: AuditResult) -> list[str]:
    """What was found, a sentence or two each: the lead of every section, and what stands under details."""
    matrix = [matrix_lead(result)] if result.matrix.splits else []
    return matrix + _leads(result) + _more(result)


def _leads(result: AuditResult) -> list[str]:
    """Leads of the sections that the terminal does not print, but of those that would repeat another one."""
    return [
        risk_lead(result),
        *([people_lead(result)] if result.people_by_insiders[:-1].any() else []),
        attributes_lead(result),
        *([remedies_lead(result)] if result.remedies is not None else []),
    ]


def _more(result: AuditResult) -> list[str]:
    """Findings that no section leads with."""
    last, baselines = result.per_size[-1], result.baselines
    others = result.rows - last.size
    lines = [
        *_worst(result, others),
        _insider(result),
        (
            f"Without the release, guessing {baselines.guess} for everybody breaches {share(baselines.blind)} of all "
            f"people; guessing somebody else's record, drawn at random, breaches {sampled(baselines.random_link)}."
        ),
    ]
    if not result.rows_known:
        lines.append(
            f"Of {count(last.size, 'random insider')}, {sampled(last.random.linked)} find their own row with certainty."
        )
    return lines + _notes(result)


def _notes(result: AuditResult) -> list[str]:
    """What nobody should overlook: who found nothing, what was not tried or left out, and what weighs most."""
    lines = [no_claim(one) for one in result.readers if not one.claimed and one.decided]
    lines += samples_left_out(result) + of_a_part(result)
    repeated = 0 if result.ids is None else result.rows - len(np.unique(result.ids))
    if repeated:
        lines.append(f"Ids repeat ({repeated:,} of them): the row, counted from 0, tells such records apart.")
    if result.undecided:
        lines.append(
            f"For {count(result.undecided, 'random group')} the search for links was given up: the table is so "
            "symmetric that figures are lower bounds there."
        )
    return lines + length_sentences(result) + left_out(result.left_out)


def _worst(result: AuditResult, others: int) -> list[str]:
    """The worst group, and the person who is most exposed of all, and what is proven."""
    one, bound = max(result.per_size, key=lambda figures: figures.worst_record.value), result.per_size[-1].bound.worst
    last, found = result.per_size[-1], one.worst_record.value
    if found == 0:
        return [f"No group that was tried breaches anybody with the {result.method}: the highest probability is 0."]
    group = (
        f"{capital(worst_group(last.size))} breaches "
        f"{amount(last.worst_breached.value)} of {others:,} others with the {result.method}."
    )
    most = (
        f"The most exposed person is breached with a probability of {share(found)} by the worst group found "
        f"({count(one.size, 'insider')}), with the {result.method}."
    )
    if found == 1 or bound == 1:
        return [group, most]
    return [group, f"{most} No group of up to {result.sizes[-1]} exceeds {share(bound)} (proven)."]


def _insider(result: AuditResult) -> str:
    one = result.insider
    if one.record is None:
        tried = f"From distances alone, no single insider could identify their own row ({one.tried:,} tried)"
        return f"{tried}; attackers who are played know it." if result.matrix.splits else f"{tried}."
    return (
        f"The single insider who exposes the most, of {one.tried:,} tried, is {person(result, one.record)}: alone, "
        f"{one.expected:.3g} other people are expected to be breached with the {result.method}."
    )


def _about(result: AuditResult, run: Mapping[str, Any] | None) -> Facts:
    """Is this my table?"""
    remarks = ["one row stands for one person"]
    several = result.columns > result.attribute_count
    remarks += [f"in {result.columns} columns of numbers"] if several else []
    remarks += ["standardised"] if is_standardised(result) else []
    facts = [Fact("Table", table_size(result), "; ".join(remarks)), protection(result)]
    if run is not None:
        facts.append(Fact("Tool", f"isobreach {run['versions']['isobreach']}", f"seed {result.seed}"))
    return Facts("What was audited", tuple(facts), heading=True)


def _details(result: AuditResult) -> Section:
    """Full tables, method, and what each number means."""
    played = (
        [
            Details("The matrix as a list, with all intervals", (matrix_table(result),)),
            Details("The attackers who were played", (attackers_table(result),)),
            *([Details("Not played", (refused_table(result),))] if result.matrix.refused else []),
        ]
        if result.matrix.splits
        else []
    )
    numbers = Table("What each number means", ("Number", "Kind"), tuple(kinds(result).items()))
    return Section(
        "Details",
        (
            *played,
            Details(f"All numbers of insiders ({result.method} alone)", (sizes_table(result),)),
            Details(f"How few insiders are enough ({result.method} alone)", (smallest_table(result),)),
            Details("All attributes", (attributes_table(result),)),
            *preparation_details(result),
            Details("More findings", (Bullets(tuple(_more(result))),)),
            Details("What the figures do not say", (Bullets(tuple(caveats(result))),)),
            Details("Method", tuple(Text(text, title=title) for title, text in method(result))),
            Details("What each number means", (numbers,)),
        ),
    )
