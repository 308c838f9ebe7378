# SPDX-License-Identifier: BSD-3-Clause
"""The tables of an audit's page, each with its heading and what its columns mean."""

from typing import Any

import numpy as np

from isobreach._phrases import cell, count, percent
from isobreach._text import escape
from isobreach.audits import AuditResult, Remedies, Sampled
from isobreach.report.audit_cells import Cell, amount, share, table
from isobreach.report.audit_wording import (
    attack_titles,
    attacker_sentence,
    column,
    jitter_sentences,
    remedy_sentence,
    tolerance,
)

MOST, MOST_ATTRIBUTES = 25, 100  # records and attributes that the page shows

_NOT_TRIED = ("not tried", None)


def sizes(result: AuditResult) -> str:
    """Random coalitions of every size, and the worst of all."""
    head = ("insiders", "linked", "worst record", "99% quantile", "median", "mean", "breached")
    rows: list[list[Cell]] = [
        [
            (str(one.size), one.size),
            ("rows known", None) if result.rows_known else _sampled(one.random.linked),
            _sampled(one.random.worst),
            *(_sampled(one.random.quantiles[quantile]) for quantile in (0.99, 0.5)),
            _sampled(one.random.mean),
            _sampled(one.random.breached),
        ]
        for one in result.per_size
    ]
    note = (
        "Closed form, of insiders who guess at random what their records do not determine. Random coalitions: breach "
        "probabilities of the others and the share that is breached, means over coalitions "
        "with 95% intervals in brackets; the mean is an expected share of breaches, not a likely one. Guessing the "
        f"column means breaches {share(result.baselines.column_means)} of all records."
    )
    return (
        f'<h2>Coalition sizes</h2><p class="soft">{escape(note)}</p>{table(head, rows, sortable=True)}{_worst(result)}'
    )


def _worst(result: AuditResult) -> str:
    head = ["insiders", "worst record", "proved: at most", "others breached", "proved: at most"]
    known = not result.rows_known
    head += ["worst record, guessing rows", "breached, guessing rows"] if known else []
    rows: list[list[Cell]] = []
    for one in result.per_size:
        found = [one.worst_record.value, one.bound.worst, one.worst_breached.value, one.bound.records]
        found += [one.guessed_record.value, one.guessed_breached.value] if known else []
        cells = [_percent(v) if k in (0, 1, 4) else (amount(v), v) for k, v in enumerate(found)]
        rows.append([(str(one.size), one.size), *cells])
    tried = "greedy and the random coalitions"
    tried += ", means over draws of noise," if result.noise else ""
    note = (
        f"The worst of the {tried} of up to that size, who may leave records out: at least this bad. What is proved "
        "holds for every coalition of that size that guesses the rest at random. Attackers who are played may do more. "
    )
    if known:
        note += (
            "Insiders count as linked where their own row is certain. Those who are not may guess their rows, or know "
            "them otherwise: at most as bad as the last two columns, exact for the coalitions tried."
        )
    return f'<p class="soft">{escape(note)}</p>{table(head, rows, sortable=True)}'


def smallest(result: AuditResult) -> str:
    """How few insiders are enough."""
    head = (
        "to breach",
        "fewest insiders found",
        "with certainty",
        "guessing rows",
        "half of the random coalitions",
        "95% interval",
    )
    largest = result.sizes[-1]
    rows: list[list[Cell]] = []
    for one in result.smallest:
        sizes = [one.found, one.certain, one.guessed, one.random, one.low, one.high]
        *said, low, high = (f"more than {largest}" if v is None else str(v) for v in sizes)
        between = low if low == high else f"{low} to {high}"
        rows.append([(text, None) for text in (one.target, *said, between)])
    tried = ", ".join(map(str, result.sizes)) if result.sizes != tuple(range(1, largest + 1)) else f"1 to {largest}"
    greedy = [size for size in result.covered if size not in result.sizes]
    also = f"; of greedy coalitions also {', '.join(map(str, greedy))}" if greedy else ""
    note = f"Of the sizes that were tried: {tried}{also}."
    if result.matrix.splits:
        note = f"Closed form: insiders who guess the rest at random; attackers who are played may need fewer. {note}"
    return f'<h2>How few insiders are enough</h2><p class="soft">{note}</p>{table(head, rows)}'


def records(result: AuditResult) -> str:
    """The most exposed records."""
    largest, figures = result.sizes[-1], result.records
    ids = () if result.ids is None else ("id",)
    head = ("row", *ids, "exposure", f"exposure to {largest}", "insiders needed")
    rows: list[list[Cell]] = []
    means, last = figures.limits(), figures.limits(len(result.sizes) - 1)
    for row in result.most_exposed(MOST).tolist():
        if figures.mean[row] < 0:
            continue
        exposures = ((figures.mean, means), (figures.exposure[-1], last))
        cells = [_sampled(Sampled(*(float(part[row]) for part in (value, *ends)))) for value, ends in exposures]
        needed = int(figures.needed[row])
        insiders = (str(result.sizes[needed]), needed) if needed < len(result.sizes) else (f"> {largest}", needed)
        named: list[Cell] = [] if result.ids is None else [(str(result.ids[row]), None)]
        rows.append([(str(row), row), *named, *cells, insiders])
    note = (
        "Exposure: mean breach probability over the random coalitions without the record, of all sizes and of the "
        "largest, with 95% intervals: records whose intervals overlap may change places with other coalitions, and the "
        "highest means tend to be too high. Insiders needed: the smallest size at which half of these coalitions "
        f"breach it. Rows are counted from 0. The first {len(rows):,} of {result.rows:,}: per_record.parquet has all."
    )
    return f'<h2>The most exposed records</h2><p class="soft">{escape(note)}</p>{table(head, rows, sortable=True)}'


def attributes(result: AuditResult) -> str:
    """What is learned of each attribute."""
    figures = result.attributes
    last = len(result.sizes) - 1
    places = sorted({0, last // 3, 2 * last // 3, last})
    attacks = [(f"learned by the {one.name} attack", one.attributes) for one in result.readers]
    head = (
        "attribute",
        "learned by the best attacker",
        "blind guess",
        "added by the release",
        *(f"learned by {count(result.sizes[place], 'random insider')}" for place in places),
        *(name for name, _ in attacks),
        "guessing its mean",
        "within",
    )
    best, blind = result.learned(result.sizes[-1], result.matrix.samples[-1]), result.baselines.blind_attributes
    most = np.max([best - blind, *(learned - blind for _, learned in attacks)], axis=0)
    shown = np.argsort(-most, kind="stable")[:MOST_ATTRIBUTES]
    rows: list[list[Cell]] = []
    for place in shown.tolist():
        values = [[float(part[k, place]) for part in (figures.value, figures.low, figures.high)] for k in places]
        own = float(figures.tolerance[place])
        within = (tolerance(result, place), own if figures.given and np.isfinite(own) else None)
        cells = [_percent(float(one[place])) for one in (best, blind, best - blind)]
        cells += [_sampled(Sampled(*value)) for value in values]
        cells += [_percent(float(learned[place])) for _, learned in attacks]
        rows.append(
            [(column(result, place), None), *cells, _percent(float(result.baselines.attributes[place])), within]
        )
    note = (
        "Share of the others of whom the attribute is learned, counted. Best attacker: with all insiders and the "
        "largest public sample, of all who were played. Blind guess: the one value that is within tolerance of most "
        "people, without the release. Those to which the release adds most come first. Random insiders: with 95% "
        "intervals over coalitions. Attacks without knowledge: of all records, counted on one release, once attributes "
        "are named."
    )
    if len(shown) < result.attribute_count:
        note += f" The {len(shown):,} most learned of {result.attribute_count:,}: per_attribute.parquet has all."
    return f'<h2>Attributes</h2><p class="soft">{escape(note)}</p>{table(head, rows, sortable=True)}'


def remedies(result: AuditResult) -> str:
    """What would help, where that was asked."""
    tried = result.remedies
    if tried is None:
        return ""
    head = (
        "noise",
        "breached by insiders",
        "read without knowledge",
        "breached by attackers played",
        "neighbours kept",
        "clusters agree",
    )
    rows = [
        [
            (f"{one.noise:g}", one.noise),
            _sampled(one.breach_rate),
            (share(worst), worst) if (worst := max(one.attackers.values(), default=None)) is not None else _NOT_TRIED,
            _NOT_TRIED if one.played is None else (share(one.played.share), one.played.share),
            _sampled(one.neighbours),
            _number(one.clusters),
        ]
        for one in tried.levels
    ]
    note = (
        f"Insiders: {tried.insiders}, who know their own rows, so that rates are upper bounds for those who have to "
        f"find them; {tried.repeats} releases each, means of breach probabilities with 95% intervals; a breach is an "
        f"estimate within {percent(result.epsilon)}. Read: share of records that an attack without knowledge "
        "breaches or of which it learns an attribute, counted on one release. Attackers played: the most that any of "
        "them breaches, or what was reached when the target was exceeded; weaker levels that insiders already break "
        f"were not tried. Guessing {tried.guess} breaches {share(tried.blind)}. "
        f"k-means on the original, started elsewhere, agrees with itself to {tried.stability:.2f}."
    )
    said = " ".join([remedy_sentence(result), *jitter_sentences(result)])
    return (
        f"<h2>What would help</h2><p>{escape(said)}</p>"
        f'<p class="soft">{escape(note)}</p>{table(head, rows)}{_jitter(tried)}'
    )


def _jitter(tried: Remedies) -> str:
    if not tried.jitter:
        return ""
    head = (
        "jitter, of a step",
        "read without knowledge",
        "breached by insiders",
        "breached by attackers played",
        "neighbours kept",
        "clusters agree",
    )
    rows = [
        [
            (f"{one.jitter:g}", one.jitter),
            (share(one.breach_rate), one.breach_rate),
            _sampled(one.insiders),
            _NOT_TRIED if one.played is None else (share(one.played.share), one.played.share),
            _sampled(one.neighbours),
            _number(one.clusters),
        ]
        for one in tried.jitter
    ]
    stopped = attack_titles(tried.jitter[0].attackers)
    note = f"Levels are tried upwards until one stops everyone; {stopped}: on one release each, counted."
    return f'<p class="soft">{escape(note)}</p>{table(head, rows)}'


def readers(result: AuditResult) -> str:
    """Attacks that need no knowledge, where there are any."""
    if not result.readers:
        return ""
    lines = "".join(f"<li>{escape(attacker_sentence(result, k))}</li>" for k in range(len(result.readers)))
    return f"<h2>Attackers without any knowledge</h2><ul>{lines}</ul>"


def _interval(value: Sampled, say: Any) -> str:
    return f"{say(value.value)} [{say(value.low)},\u00a0{say(value.high)}]"  # a line may end before the bracket


def _sampled(value: Sampled) -> Cell:
    return _interval(value, lambda one: cell(share(one))), value.value


def _percent(value: float) -> Cell:
    return cell(share(value)), value


def _number(value: float) -> Cell:
    return f"{value:.2f}", value
