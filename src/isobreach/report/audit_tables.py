# SPDX-License-Identifier: BSD-3-Clause
"""The tables of an audit's page, each with its heading and what its columns mean."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from isobreach._phrases import cell, count, percent
from isobreach._text import escape
from isobreach.audits import AuditResult, Remedies, Sampled
from isobreach.report.audit_wording import (
    amount,
    attack_titles,
    attacker_sentence,
    column,
    jitter_sentences,
    remedy_sentence,
    share,
    tolerance,
)

MOST, MOST_ATTRIBUTES = 25, 100  # records and attributes that the page shows
_SHORT, _BROKEN, _PHONE = 12, 10, 47  # letters: never broken, least width of longer names, width of a phone
Cell = tuple[str, float | None]  # text, and the number to sort by

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
        "Random coalitions: breach probabilities of the others and the share that is breached, means over coalitions "
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
        "holds for every coalition of that size. "
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
    attacks = [(f"learned by the {one.name} attack", one.attributes) for one in result.attackers]
    head = (
        "attribute",
        *(f"learned by {count(result.sizes[place], 'random insider')}" for place in places),
        *(name for name, _ in attacks),
        "guessing its mean",
        "within",
    )
    most = np.max([figures.value.max(axis=0), *(learned for _, learned in attacks)], axis=0)
    shown = np.sort(np.argsort(-most, kind="stable")[:MOST_ATTRIBUTES])
    rows: list[list[Cell]] = []
    for place in shown.tolist():
        values = [[float(part[k, place]) for part in (figures.value, figures.low, figures.high)] for k in places]
        within = (tolerance(result, place), float(figures.tolerance[place]) if figures.given else None)
        cells = [*(_sampled(Sampled(*value)) for value in values)]
        cells += [_percent(float(learned[place])) for _, learned in attacks]
        rows.append(
            [(column(result, place), None), *cells, _percent(float(result.baselines.attributes[place])), within]
        )
    note = (
        "Share of the others of whom the attribute is learned, counted, with 95% intervals over random coalitions. "
        "Attacks without insiders: of all records, counted on one release, once attributes are named. Higher is worse."
    )
    if len(shown) < result.columns:
        note += f" The {len(shown):,} most learned of {result.columns:,}: per_attribute.parquet has all."
    return f'<h2>Attributes</h2><p class="soft">{escape(note)}</p>{table(head, rows, sortable=True)}'


def remedies(result: AuditResult) -> str:
    """What would help, where that was asked."""
    tried = result.remedies
    if tried is None:
        return ""
    head = ("noise", "breached by insiders", "read without insiders", "neighbours kept", "clusters agree")
    rows = [
        [
            (f"{one.noise:g}", one.noise),
            _sampled(one.breach_rate),
            (share(worst), worst) if (worst := max(one.attackers.values(), default=None)) is not None else _NOT_TRIED,
            _sampled(one.neighbours),
            _number(one.clusters),
        ]
        for one in tried.levels
    ]
    note = (
        f"Insiders: {tried.insiders}, who know their own rows, so that rates are upper bounds for those who have to "
        f"find them; {tried.repeats} releases each, means of breach probabilities with 95% intervals; a breach is an "
        f"estimate within {percent(result.epsilon)}. Read: share of records that an attack without insiders "
        "breaches or of which it learns an attribute, counted on one release. Guessing "
        f"the column means breaches {share(tried.column_means)}. "
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
        "read without insiders",
        "breached by insiders",
        "neighbours kept",
        "clusters agree",
    )
    rows = [
        [
            (f"{one.jitter:g}", one.jitter),
            (share(one.breach_rate), one.breach_rate),
            _sampled(one.insiders),
            _sampled(one.neighbours),
            _number(one.clusters),
        ]
        for one in tried.jitter
    ]
    stopped = attack_titles(tried.jitter[0].attackers)
    note = f"Levels are tried upwards until one stops {stopped}; one release each, counted."
    return f'<p class="soft">{escape(note)}</p>{table(head, rows)}'


def attackers(result: AuditResult) -> str:
    """Attackers without insiders, where there are any."""
    if not result.attackers:
        return ""
    lines = "".join(f"<li>{escape(attacker_sentence(result, k))}</li>" for k in range(len(result.attackers)))
    return f"<h2>Attackers without insiders</h2><ul>{lines}</ul>"


def _interval(value: Sampled, say: Any) -> str:
    return f"{say(value.value)} [{say(value.low)},\u00a0{say(value.high)}]"  # a line may end before the bracket


def _sampled(value: Sampled) -> Cell:
    return _interval(value, lambda one: cell(share(one))), value.value


def _percent(value: float) -> Cell:
    return cell(share(value)), value


def _number(value: float) -> Cell:
    return f"{value:.2f}", value


def table(head: Sequence[str], rows: Sequence[Sequence[Cell]], *, sortable: bool = False) -> str:
    """A table; where it is too wide for a phone, its rows are stacked there, with the head's words before each figure.

    Roles are spelled out, because a stacked table is none to some screen readers.
    """

    def one_cell(name: str, text: str, number: float | None) -> str:
        label = f' data-label="{escape(name)}"' if name else ""
        if number is None:
            if len(text) <= _SHORT:
                return f'<td role="cell" class="name short"{label}>{escape(text)}</td>'
            parts = escape(text)
            if " " not in text:  # a long name: where a line had better end
                parts = re.sub(r"([_@-])(?=\w)", r"\1<wbr/>", parts)
            return f'<td role="cell" class="name"{label}>{parts}</td>'
        parts = " ".join(f"<span>{escape(part)}</span>" for part in _pieces(text))
        return f'<td role="cell" data-value="{number!r}"{label}>{parts}</td>'

    header = "".join(f'<th scope="col" role="columnheader">{escape(name)}</th>' for name in head)
    body = "".join(
        '<tr role="row">' + "".join(one_cell(name, *one) for name, one in zip(head, row, strict=True)) + "</tr>"
        for row in rows
    )
    kinds = [name for name, so in (("sortable", sortable), ("stack", _too_wide(head, rows))) if so]
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    top = f'<thead role="rowgroup"><tr role="row">{header}</tr></thead>' if any(head) else ""
    table = f'<table role="table"{kind}>{top}<tbody role="rowgroup">{body}</tbody></table>'
    return f'<div class="wide" tabindex="0">{table}</div>'


def _pieces(text: str) -> list[str]:
    """A number and its interval: a line may end between them, and nowhere else."""
    value, bracket, interval = text.partition(" [")
    return [value, f"[{interval}"] if bracket else [value]


def _too_wide(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether a phone would have to scroll sideways: by the longest part of each column that stays in one line."""

    def least(text: str, number: float | None) -> int:
        if number is not None:
            return max(map(len, _pieces(text)))
        return len(text) if len(text) <= _SHORT else _BROKEN

    columns = zip(*rows, strict=True)
    widths = [
        max(max(map(len, name.split()), default=0), *(least(*one) for one in column))
        for name, column in zip(head, columns, strict=False)
    ]
    return sum(widths) + len(widths) > _PHONE
