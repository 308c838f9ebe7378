# SPDX-License-Identifier: BSD-3-Clause
"""The full tables that stand under the details of an audit's page."""

import numpy as np

from isobreach._phrases import count
from isobreach.audits import AuditResult, Sampled
from isobreach.document import Column, Table
from isobreach.report.audit_matrix import public_knowledge
from isobreach.report.audit_words import (
    INTERVAL,
    attack_name,
    column,
    knows,
    listed,
    method_name,
    typical_number,
    within,
)
from isobreach.report.numbers import amount, sampled, share

_CELLS = 4  # kinds of knowledge that a line names
_READ = ("Read: own vector nearest", "Among the five nearest")
_TRIED = "exact for the groups tried"


def matrix_table(result: AuditResult) -> Table:
    """The matrix as a list, with all intervals."""
    several = result.read_out(result.matrix.sizes[-1], result.matrix.samples[-1]) is not None
    rows = []
    for sample, ranges in public_knowledge(result):
        for size in result.matrix.sizes:
            one = result.reached(size, sample, ranges=ranges)
            known = [f"{sample:,} public records"] if sample else []
            known += ["ranges"] if ranges else []
            attack = "blind guess" if one.attack is None else method_name(result, one)
            read = result.read_out(size, sample, ranges=ranges)
            told = ("–", "–") if read is None else (sampled(read.top_1), sampled(read.top_5))
            row = (listed(known) if known else "nothing", str(size), sampled(one.breached), attack)
            rows.append((*row, *told) if several else row)
    heads: tuple[Column | str, ...] = (
        "The attacker knows",
        Column("Insiders", number=True),
        Column("Others breached", INTERVAL, number=True),
        "Best attack",
        *(Column(head, INTERVAL, number=True) for head in _READ if several),
    )
    return Table("The matrix as a list", heads, tuple(rows))


def attackers_table(result: AuditResult) -> Table:
    """Each attack with the least knowledge for what it achieves, the most dangerous first."""
    every = result.matrix.attackers
    rows = tuple(
        (
            attack_name(one.name),
            str(one.insiders),
            f"{one.sample:,}",
            "known" if one.ranges else "not known",
            one.variant,
            str(one.splits),
            sampled(one.breached),
        )
        for one in every
        if not any(
            other.name == one.name
            and other.cell != one.cell
            and other.cell.within(one.cell)
            and other.breached.value >= one.breached.value
            for other in every
        )
    )
    heads = (
        "Attack",
        Column("Insiders", number=True),
        Column("Public records", number=True),
        "Ranges",
        "Estimates",
        Column("Splits", number=True),
        Column("Others breached", INTERVAL, number=True),
    )
    note = "Where everything is read with less knowledge on a split, nobody plays there. "
    note += "The same attacks with more knowledge that does not help them are in result.json."
    return Table("The attackers who were played", heads, rows, note)


def refused_table(result: AuditResult) -> Table:
    """Attacks that did not play with some knowledge, and why."""
    every = result.matrix.refused
    pairs = dict.fromkeys((one.name, one.reason) for one in every)
    rows = []
    for name, reason in pairs:
        cells = [one for one in every if (one.name, one.reason) == (name, reason)]
        told = "; ".join(knows(one.cell) for one in cells[:_CELLS]) + ("; ..." if len(cells) > _CELLS else "")
        rows.append((attack_name(name), told, str(max(one.splits for one in cells)), reason))
    heads = ("Attack", "With", Column("Splits, at most", number=True), "Not played, because")
    return Table("Attacks that were not played everywhere", heads, tuple(rows))


def sizes_table(result: AuditResult) -> Table:
    """The distance attack by every number of insiders."""
    heads = (
        Column("Insiders"),
        Column("Find their own row", INTERVAL, number=True),
        Column("Others breached, typical group", INTERVAL, number=True),
        Column("Mean breach probability", INTERVAL, number=True),
        Column("Others breached, worst group found", _TRIED, number=True),
        Column("The same, if the group knows its rows", _TRIED, number=True),
        Column("No group exceeds", "proven, distance attack only", number=True),
    )
    rows = []
    for one in result.per_size:
        others = result.rows - one.size
        rows.append(
            (
                str(one.size),
                "rows known" if result.rows_known else sampled(one.random.linked),
                sampled(one.random.breached),
                sampled(one.random.mean),
                f"{amount(one.worst_breached.value)} ({share(one.worst_breached.value / others)})",
                amount(one.guessed_breached.value),
                f"{one.bound.records:,} ({share(one.bound.records / others)})" if one.bound.records < others else "–",
            )
        )
    return Table(f"The {result.method}, by the number of insiders", heads, tuple(rows))


def smallest_table(result: AuditResult) -> Table:
    """How few insiders are enough."""
    largest = result.sizes[-1]
    heads = (
        "To breach",
        Column("Fewest found", _TRIED, number=True),
        Column("With certainty", _TRIED, number=True),
        Column("Guessing rows", _TRIED, number=True),
        Column("Half of random groups", INTERVAL, number=True),
    )
    rows = []
    for one in result.smallest:
        found, certain, guessed = (
            f"more than {largest}" if value is None else str(value) for value in (one.found, one.certain, one.guessed)
        )
        rows.append((one.target, found, certain, guessed, typical_number(one, result.sizes)))
    return Table(f"How few insiders are enough, {result.method} alone", heads, tuple(rows))


def attributes_table(result: AuditResult) -> Table:
    """What is learned of each attribute, by whom."""
    figures, last = result.attributes, len(result.sizes) - 1
    places = sorted({0, last // 3, 2 * last // 3, last})
    best, blind = result.learned_shares(result.sizes[-1], result.matrix.samples[-1]), result.baselines.blind_attributes
    heads: tuple[Column | str, ...] = (
        "Attribute",
        Column("Guess of the mean", "exact", number=True),
        Column("Best blind guess", "exact", number=True),
        Column("Best attacker", INTERVAL, number=True),
        *(Column(f"{count(result.sizes[k], 'insider')}, {result.method}", INTERVAL, number=True) for k in places),
        *(
            Column(f"{attack_name(one.name)}, columns named".capitalize(), "exact", number=True)
            for one in result.readers
        ),
        Column("Within"),
    )
    rows = []
    for place in np.argsort(-(best.value - blind), kind="stable").tolist():
        by_size = [
            Sampled(*(float(part[k, place]) for part in (figures.value, figures.low, figures.high))) for k in places
        ]
        rows.append(
            (
                column(result, place),
                share(float(result.baselines.attributes[place])),
                share(float(blind[place])),
                sampled(best.of(place)),
                *(sampled(one) for one in by_size),
                *(share(float(one.attributes[place])) for one in result.readers),
                within(result, place),
            )
        )
    return Table("All attributes", heads, tuple(rows), most=100, rest="per_attribute.parquet")
