# SPDX-License-Identifier: BSD-3-Clause
"""A known-input attack in plain words, tables, a chart and JSON."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any, Literal

import numpy as np

from isobreach._phrases import KINDS, MOTIONS, count, percent, probability
from isobreach.attacks.known_input.attack import AttackResult, within
from isobreach.attacks.known_input.summary import AttackSummary, summarise
from isobreach.document import Chart, Column, Columns, Document, Line, Panel, Section, Table, Text, in_one_part
from isobreach.linking import (
    Linkage,
    dictionary_json,
    dictionary_sentence,
    link_records,
    link_sentences,
    link_table,
    motion_json,
    needs_presence,
    no_link,
    partial_json,
)

SCHEMA = "isobreach/attack/1"
MOST = 100  # links that a page shows: as many as a reader looks through
_MEANING = {
    "chance": "Chance: expected matches that chance alone would make.",
    "posterior": "Posterior: probability of the link, given the release.",
}


def verdict(summary: AttackSummary) -> str:
    """The outcome in one sentence."""
    if summary.best_row is None or summary.best_probability is None:
        return "Every released row is a known record: nothing else is left to estimate."
    nothing = no_link(summary.linkage, summary.released_rows, normalised=summary.normalised)
    if nothing is not None:
        return nothing
    if summary.linked_records and _all_certain(summary):
        return (
            f"With {count(summary.linked_records, 'linked record')} every other record can be estimated within "
            f"{percent(summary.epsilon)} of its length, with certainty."
        )
    rate = probability(summary.best_probability, summary.kind)
    outcome = f"the most exposed other record can be estimated within {percent(summary.epsilon)} of its length"
    if not summary.linked_records:
        if summary.baseline_probability is None:
            return "No known record could be linked with certainty: nothing can be said of the others."
        return f"No known record could be linked with certainty: {outcome} with probability {rate}, as without any."
    return f"With {count(summary.linked_records, 'linked record')} {outcome} with probability {rate}."


def _all_certain(summary: AttackSummary) -> bool:
    """Whether every other row is breached for certain; an approximation never is, whatever it is rounded to."""
    return summary.kind != "approximation" and summary.rows_at_least[1.0] == summary.other_rows


def sentences(summary: AttackSummary) -> list[str]:
    """What the attacker learned, a sentence each."""
    links = summary.links
    sure = "" if summary.linkage.posterior is not None or needs_presence(summary.linkage) else " with certainty"
    lines = [
        f"{links['linked']} of {count(summary.known_records, 'known record')} linked to a released row{sure}"
        + (f", {links['ambiguous']} ambiguous" if links["ambiguous"] else "")
        + (f", {links['absent']} absent from the release" if links["absent"] else "")
        + f"; the release holds {summary.linkage.precision.reason}.",
        *link_sentences(summary.linkage, summary.columns, summary.known_columns),
    ]
    if summary.normalised:
        lines.append("The known records were scaled to length one first: estimates are of that length too.")
    if summary.placed:
        dimensions = count(summary.known_columns, "dimension")
        lines.append(f"That leaves {summary.hidden_dimension} of {dimensions} of the secret motion hidden.")
        lines += _exposure(summary)
    if summary.estimator == "published":
        lines.append("Probabilities follow the paper's formula as printed, wrong for 3 or more hidden dimensions.")
    return lines


def _exposure(summary: AttackSummary) -> list[str]:
    """What follows for the other rows, and what kind of figures these are."""
    if summary.best_probability is None:
        return []
    at_least = summary.rows_at_least
    # An approximation is never a certainty, whatever it is rounded to.
    most = (
        f"{at_least[0.95]:,} with 0.95 or more"
        if summary.kind == "approximation"
        else f"{at_least[1.0]:,} with certainty"
    )
    sure = summary.kind != "approximation" and at_least[0.5] == at_least[1.0]
    surely = "with certainty" if sure and at_least[0.5] else f"with probability 0.5 or more, {most}"
    first = (
        f"Of {count(summary.other_rows, 'other row')}, {at_least[0.5]:,} can be estimated within "
        f"{percent(summary.epsilon)} of the record's length {surely}. Columns with large values carry most of a "
        "record's length."
    )
    lines = [first]
    if summary.kind == "approximation":
        lines.append("The release is noisy: probabilities are approximations, to first order in the noise.")
    elif summary.kind == "lower bound" and summary.linked_records and not _all_certain(summary):
        lines.append(
            "The release's own precision limits what can be claimed: probabilities are lower bounds, "
            "and where none can be given the attack may still succeed."
        )
    if summary.linkage.motion != "orthogonal" and summary.hidden_dimension:
        lines.append(_without_lengths(summary))
    if summary.baseline_probability is not None:
        baseline = probability(summary.baseline_probability)
        lines.append(
            f"For comparison: a guess at random of a record's direction is that near with probability {baseline}. A "
            "guess of common values may do better, without the release; an audit measures that."
        )
    return lines


def _without_lengths(summary: AttackSummary) -> str:
    """What figures mean behind a translation: a certainty needs no length, and every other figure a model of it."""
    certain, hidden = summary.rows_at_least[1.0], "A translation hides the records' lengths"
    if summary.kind == "model-based" and _all_certain(summary):
        return f"{hidden}. These figures do not need them: the estimates hold whatever the hidden part of a record is."
    model = (
        "model-based, those of an attacker to whom all hidden directions are alike. For a given table they can be too "
        "high, with few links by a factor of two; the owner, who knows the lengths, can compute them without that "
        "assumption."
    )
    if summary.kind != "model-based" or not certain:
        return f"{hidden}: probabilities are {model}"
    return f"{hidden}. A probability of 1 holds whatever the hidden part of the record is. The others are {model}"


def _kind(summary: AttackSummary) -> str:
    """What the figures of a table are."""
    if summary.kind != "exact" and _all_certain(summary):
        return "certain"
    mixed = summary.kind == "model-based" and summary.rows_at_least[1.0]
    return "model-based, but for those of 1, which are certain" if mixed else KINDS[summary.kind]


def result_json(summary: AttackSummary, best_id: Any = None) -> dict[str, Any]:
    """The machine-readable result; holds no private value and no time."""
    linkage = summary.linkage
    return {
        "schema": SCHEMA,
        "verdict": verdict(summary),
        "kind": f"{KINDS[summary.kind]}, given the links",
        **motion_json(linkage),
        "released": {"rows": summary.released_rows, "columns": summary.columns, "precision": linkage.precision.reason},
        "known": {
            "records": summary.known_records,
            "columns": summary.known_columns,
            "normalised": summary.normalised,
            **summary.links,
            **partial_json(linkage),
            "search_complete": linkage.complete,
        },
        "dictionary": dictionary_json(linkage),
        "hidden_dimension": summary.hidden_dimension,
        "epsilon": summary.epsilon,
        "estimator": summary.estimator,
        "best": {"row": summary.best_row, "id": best_id, "breach_probability": summary.best_probability},
        "other_rows": {
            "rows": summary.other_rows,
            "mean": summary.mean_probability,
            "quantiles": {f"{q:g}": v for q, v in summary.quantiles.items()},
            "rows_at_least": {f"{level:g}": number for level, number in summary.rows_at_least.items()},
        },
        "baseline": {"no_known_record": summary.baseline_probability},
        "links": link_records(linkage),
    }


def document(
    result: AttackResult, summary: AttackSummary, findings: Sequence[str] = (), *, title: str = "Known-input attack"
) -> Document:
    """The document of an attack; ``findings``: further sentences, such as what only the owner can know."""
    ids, best = result.linkage.released_ids, summary.best_row
    best_id = None if ids is None or best is None else ids[best].item()
    entries = result.linkage.dictionary
    frames: dict[str, Callable[[], Iterable[Columns]]] = {"per_record": lambda: _per_record(result)}
    if entries is not None:
        frames["dictionary"] = in_one_part(_dictionary_columns, entries)
    return Document(
        title,
        verdict(summary),
        (*sentences(summary), *findings),
        sections(summary),
        {**result_json(summary, best_id), "findings": list(findings)},
        frames,
    )


def attack_document(result: AttackResult) -> Document:
    """Return the document of an attack by what it found alone.

    Parameters
    ----------
    result
        The attack.
    """
    return document(result, summarise(result))


def sections(summary: AttackSummary) -> tuple[Section, ...]:
    """The chart, the numbers, the links and the threat model."""
    linkage = summary.linkage
    found = [Section("", (chart(summary),)), Section(*_numbers(summary))] if summary.placed else []
    found.append(Section("Known records", (_links(linkage, range(summary.known_records), "known record"),)))
    if linkage.dictionary is not None:
        found.append(Section("Dictionary", _dictionary(linkage.dictionary)))
    threat = (
        f"{_threat(summary)} Not being breached by this attack is no proof of safety: other attacks, and attackers who "
        "know more, may succeed."
    )
    return (*found, Section("Threat model", (Text(threat),)))


def chart(summary: AttackSummary) -> Chart:
    """Breach probabilities of all other rows, and of the most exposed one against the error that counts."""
    entries = summary.linkage.dictionary
    more = "" if entries is None else f" and {len(entries.linked):,} of a dictionary"
    level = "breach probability (higher is worse)"
    others: cycle[Literal["third", "second"]] = cycle(("third", "second"))
    ranks = tuple(
        Line(f"within {100 * epsilon:.4g}%", x, y, style="main" if epsilon == summary.epsilon else next(others))
        for epsilon, (x, y) in summary.rank_curves.items()
    )
    names = {"optimal": "optimal estimate", "uniform": "the paper's uniform estimate"}
    epsilons = tuple(
        Line(names[name], 100 * x, y, style="main" if name == summary.estimator else "third")
        for name, (x, y) in summary.epsilon_curves.items()
    )
    left = f"Every other released row ({summary.estimator} estimate)"
    mark = (100 * summary.epsilon, f"chosen: {100 * summary.epsilon:g}%")
    return Chart(
        "exposure",
        f"{summary.links['linked']} of {summary.known_records} known records{more} linked: "
        f"{summary.hidden_dimension} of {summary.known_columns} dimensions stay hidden",
        "First: breach probability of every other released row, most exposed first. "
        "Second: that of the most exposed row against the error that counts as a breach. Higher is worse.",
        (
            Panel(left, "other released rows, most exposed first", level, ranks, "log"),
            Panel(
                "The most exposed of them", "relative error that counts as a breach", level, epsilons, "percent", mark
            ),
        ),
    )


def _numbers(summary: AttackSummary) -> tuple[str, tuple[Text | Table, ...]]:
    def say(value: float) -> str:
        return probability(value, summary.kind)

    rows = []
    if summary.best_row is not None and summary.best_probability is not None:
        most = f"the most exposed: released row {summary.best_row} (counted from 0)"
        rows.append((most, say(summary.best_probability)))
    several = {q: value for q, value in summary.quantiles.items() if (1 - q) * summary.other_rows >= 1}
    for quantile, value in sorted(several.items(), reverse=True):
        rows.append((f"the {100 * (1 - quantile):.3g}% most exposed rows: this or more", say(value)))
    if summary.mean_probability is not None:
        rows.append(("mean", say(summary.mean_probability)))
    if summary.baseline_probability is not None:
        rows.append(("baseline: an attacker who knows no record", probability(summary.baseline_probability)))
    what = (
        f"{_kind(summary).capitalize()}, given the links. Higher is worse. A breach is an estimate within "
        f"{percent(summary.epsilon)} of the record's length (its Euclidean norm)."
    )
    return (
        "Breach probability of the other released rows",
        (
            Text(what, soft=True),
            Table(
                "Breach probability of the other released rows",
                ("rows", Column("probability", _kind(summary), number=True)),
                tuple(rows),
            ),
        ),
    )


def _links(linkage: Linkage, which: Sequence[int], noun: str, rest: str = "result.json") -> Table:
    head, cells = link_table(linkage, which, noun)
    return Table(
        f"Links of every {noun}",
        head,
        tuple(cells),
        " ".join(_MEANING[name] for name in head if name in _MEANING),
        MOST,
        rest,
    )


def _dictionary(entries: Linkage) -> tuple[Text | Table, ...]:
    linked = entries.linked.tolist()
    said = Text(dictionary_sentence(entries))
    return (said, _links(entries, linked, "dictionary record", "dictionary.parquet")) if linked else (said,)


def _threat(summary: AttackSummary) -> str:
    linkage = summary.linkage
    if not summary.placed:
        made = "supposes that it keeps the distances of the records"
    else:
        noise = ", with noise," if linkage.noise else ""
        made = f"{'finds' if linkage.reason else 'knows'} that it is {MOTIONS[linkage.motion]}{noise} of the records"
    more = ""
    if linkage.dictionary is not None:
        more = f", besides {count(len(linkage.dictionary.rows), 'record')} that may be in it or not"
    return f"The attacker holds the release, {made}, and knows some of them but not which rows they are{more}."


def _per_record(result: AttackResult) -> Iterator[Columns]:
    ids, linked = result.linkage.released_ids, result.linked_rows
    for rows, residual, claim in result.by_row():
        known = np.zeros(len(rows), dtype=np.bool_)
        known[within(linked, int(rows[0]), len(rows))] = True
        yield {
            "row": rows,
            **({} if ids is None else {"id": ids[rows[0] : rows[-1] + 1]}),
            "linked": known,
            "relative_residual": residual,
            "breach_probability": claim,
        }


def _dictionary_columns(entries: Linkage) -> Columns:
    """Every record of a dictionary: ``released_row`` is -1 where it is not linked."""
    count = len(entries.rows)
    unknown = np.full(count, np.nan)
    return {
        "index": np.arange(count),
        **({} if entries.known_ids is None else {"id": entries.known_ids}),
        "status": entries.status,
        "released_row": entries.rows,
        "chance": unknown if entries.chance is None else entries.chance,
        "posterior": unknown if entries.posterior is None else entries.posterior,
    }
