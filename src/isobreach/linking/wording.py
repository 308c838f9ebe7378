# SPDX-License-Identifier: BSD-3-Clause
"""Links in plain words, in cells and in JSON: of the known records, and of a dictionary."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from isobreach._naming import way
from isobreach._phrases import MOTIONS, cell, count, expected, probability
from isobreach.document import Document, Section, Table
from isobreach.linking.linkage import Linkage
from isobreach.linking.linker import CHANCE_LIMIT

HeadAndCells = tuple[tuple[str, ...], list[tuple[str, ...]]]

_NONE_COMPLETE = "no known record is complete, and partial ones are completed by the links of complete ones"
_AUTO, _RIGID, _ESTIMATE = "motion='auto'", "motion='rigid'", "noise='estimate'"
_NORMALISED = "records divided by their lengths"
_FEW = 3  # known records that a motion with a translation can take for one another


def link_records(linkage: Linkage, which: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """One entry for each record, or for some, for JSON; rows are counted from 0."""

    def label(ids: Any, index: int) -> Any:
        return None if ids is None else ids[index].item()

    def number(values: Any, index: int) -> float | None:
        return None if values is None or not np.isfinite(values[index]) else float(values[index])

    rows, lacking = linkage.rows.tolist(), set(linkage.partial.tolist())
    return [
        {
            "known": i,
            "id": label(linkage.known_ids, i),
            "status": str(linkage.status[i]),
            "partial": i in lacking,
            "row": rows[i] if rows[i] >= 0 else None,
            "released_id": label(linkage.released_ids, rows[i]) if rows[i] >= 0 else None,
            "candidates": len(linkage.candidates[i]),
            "chance": number(linkage.chance, i) if rows[i] >= 0 else None,
            "posterior": number(linkage.posterior, i) if rows[i] >= 0 else None,
        }
        for i in (range(len(rows)) if which is None else which)
    ]


def link_table(linkage: Linkage, which: Sequence[int] | None = None, noun: str = "known record") -> HeadAndCells:
    """Head and cells; ids stand in for row numbers where there are any, and what is not known has no column.

    ``chance``: expected matches that chance alone would make.
    """
    records = link_records(linkage, which)
    extra = [name for name in ("chance", "posterior") if any(record[name] is not None for record in records)]
    said: dict[str, Callable[[float], str]] = {"chance": expected, "posterior": probability}
    cells = [
        (
            str(link["known"] if link["id"] is None else link["id"]),
            link["status"],
            "" if link["row"] is None else str(link["row"] if link["released_id"] is None else link["released_id"]),
            f"{link['candidates']:,}",
            *("" if link[name] is None else cell(said[name](link[name])) for name in extra),
        )
        for link in records
    ]
    return (noun, "status", "released row", "candidates", *extra), cells


def link_document(linkage: Linkage) -> Document:
    """Return the links as a document.

    Parameters
    ----------
    linkage
        What was linked.
    """
    counts = linkage.counts()
    total = count(len(linkage.rows), "known record")
    said = f"{counts['linked']} of {total} linked, {counts['ambiguous']} ambiguous, {counts['absent']} absent."
    head, cells = link_table(linkage)
    table = Section("Known records", (Table("Links of every known record", head, tuple(cells)),), brief=True)
    data = {
        "schema": "isobreach/link/1",
        "rule": linkage.rule,
        **motion_json(linkage),
        **counts,
        **partial_json(linkage),
        "search_complete": linkage.complete,
        "precision": linkage.precision.reason,
        "links": link_records(linkage),
    }
    return Document("Links", said, sections=(table,), data=data)


def no_link(linkage: Linkage, rows: int, *, normalised: bool = False) -> str | None:
    """What it may mean that no record found a place among the release's ``rows``; None if one did."""
    if len(linkage.linked):
        return None
    if (doubted := _by_chance(linkage)) is not None:
        return f"No link: {doubted}."
    if any(0 < len(places) < rows for places in linkage.candidates):
        return None
    if len(linkage.partial) == len(linkage.rows):
        return f"No link: {_NONE_COMPLETE}. Give at least one complete record, as a rule one for each missing cell."
    if not linkage.complete:
        named = way("--motion", "motion=")
        return (
            f"No link: {_limit(linkage)} before any record found a place. "
            f"It goes further with the motion named ({named}) or with more known records."
        )
    few = ", they are too few (a translation takes three or more)" if len(linkage.rows) < _FEW else ""
    maps = "another map" + ("" if linkage.reason else f" (try {way('--motion auto', _AUTO)})")
    noisy = linkage.posterior is not None
    noise = "noise of another level or kind" if noisy else f"noise (try {way('--noise estimate', _ESTIMATE)})"
    scaled = "" if normalised else f", vectors scaled to length one (try {way('--normalise', _NORMALISED)})"
    return (
        f"No link: none of the known records is in the release{few}, or its distances are not those of the records: "
        f"{maps}, {noise}{scaled}. "
        + ("Or they are there, and too few for so much noise." if noisy else "Or chance could have made what fits.")
    )


def _limit(linkage: Linkage) -> str:
    """That a search was cut short, and by what."""
    return "the search reached its limit" + (f", because {linkage.limit}," if linkage.limit else "")


def _by_chance(linkage: Linkage) -> str | None:
    """What is found but not linked, because chance could have placed it, and what to do; None where nothing is."""
    if linkage.posterior is not None or linkage.chance is None or len(linkage.linked):
        return None
    chances = linkage.chance[np.isfinite(linkage.chance)]
    if not len(chances):
        return None
    advice = "give more known records"
    if linkage.motion == "similarity" and not linkage.reason:
        advice += f", or try {way('--motion rigid', _RIGID)} if the release has no scale of its own"
    placed = "all" if len(chances) == len(linkage.rows) else f"{len(chances)} of"
    return (
        f"{placed} {count(len(linkage.rows), 'known record')} find a place together in the release, but chance alone "
        f"would make {expected(float(chances.min()))} such places: {advice}"
    )


def unlinked_reasons(linkage: Linkage) -> tuple[str, ...]:
    """What it may mean that no known record is linked, the likeliest first, with what to try."""
    reasons = []
    if len(linkage.partial) == len(linkage.rows):
        return (f"{_NONE_COMPLETE} (give some that are)",)
    if not linkage.complete:
        reasons.append(f"{_limit(linkage)} (name the motion, or give more known records)")
    doubted = _by_chance(linkage)
    if doubted is not None:
        reasons.append(doubted)
    elif not linkage.reason:
        reasons.append(
            f"the release is not behind {MOTIONS[linkage.motion]}, as named, or it is on another scale "
            f"(try {way('--motion auto', _AUTO)})"
        )
    if linkage.if_named is not None:
        motion, links = linkage.if_named
        named = way(f"--motion {motion}", f"motion={motion!r}")
        hint = f"name the motion if you know it: {named} would link {links} of {len(linkage.rows)}"
        reasons.append(f"chance alone could place so few records in so coarse a release ({hint})")
    reasons.append("they are not in the release")
    if linkage.posterior is None:
        reasons.append(f"the release carries noise (try {way('--noise estimate', _ESTIMATE)})")
    else:
        reasons.append("the noise is of another level or kind")
    reasons.append("they are too few (behind a translation it takes three or more, under noise or rounding still more)")
    reasons.append(f"its values were rounded by more than they show (try {way('--tolerance', 'tolerance=')})")
    if linkage.reason:
        named = way("--motion similarity", "motion='similarity'")
        reasons.append(f"it is on another scale (name {named}, or bring the records to its scale)")
    return tuple(reasons)


def link_sentences(linkage: Linkage, columns: int, known_columns: int) -> list[str]:
    """How the links were found and how far they can be trusted, a sentence each."""
    lines = []
    if len(linkage.linked):
        why = linkage.reason or "as asked"
        lines.append(f"The motion was taken for {MOTIONS[linkage.motion]}: {why}.")
        if abs(linkage.scale - 1) > 1e-9:
            lines.append(f"Released lengths are {linkage.scale:.6g} times those of the records.")
        lines += _doubts(linkage)
    elif linkage.if_named is not None:
        motion, links = linkage.if_named
        lines.append(
            "Chance alone could place so few records in so coarse a release. Name the motion if you know it: "
            f"{way(f'--motion {motion}', f'motion={motion!r}')} would link {links} of {len(linkage.rows)}."
        )
    lines += filter(None, [partial_sentence(linkage)])
    if columns > known_columns:
        lines.append(
            f"The release is wider than the records, {count(columns, 'column')} against {known_columns}: "
            f"{columns - known_columns} of them were taken for padding."
        )
        if not len(linkage.linked):
            alike = way(
                "add --steps FILE, which lies beside the key", "prepare the records alike: table.apply(records)"
            )
            lines.append(f"If the table was prepared before its release, {alike}.")
    if not linkage.complete:
        cut = f" ({linkage.limit})" if linkage.limit else ""
        lines.append(f"The search for links reached its limit{cut}: what it left open counts as ambiguous.")
    if linkage.dictionary is not None:
        lines.append(dictionary_sentence(linkage.dictionary))
    return lines


def _doubts(linkage: Linkage) -> list[str]:
    lines = []
    if linkage.posterior is not None:
        least = probability(float(linkage.posterior[linkage.linked].min()))
        lines.append(
            f"A released coordinate carries noise of standard deviation {linkage.noise:.4g}; the least sure link has "
            f"posterior {least}."
        )
    if (most := needs_presence(linkage)) is not None:
        lines.append(
            "The links hold only if the known records are in the release: chance alone would make "
            f"{expected(most)} such matches."
        )
    return lines


def needs_presence(linkage: Linkage) -> float | None:
    """Return the chance matches of links that hold only if the records are in the release; None where all are certain.

    Parameters
    ----------
    linkage
        What was linked.
    """
    if linkage.chance is None or not len(linkage.linked) or (linkage.status == "absent").any():
        return None
    most = float(np.nanmax(linkage.chance[linkage.linked], initial=0.0))
    return most if most > CHANCE_LIMIT else None


def partial_sentence(linkage: Linkage) -> str:
    """How many partial records were completed, and why others were not; empty where there are none."""
    total, done = len(linkage.partial), len(linkage.completed)
    if not total or total == len(linkage.rows):
        return ""
    line = f"{done:,} of {count(total, 'partial record')} {'was' if 1 in (done, total) else 'were'} completed"
    if not len(linkage.linked):
        return f"{line}: no complete record is linked, and links are what completes them."
    open_ = linkage.partial[linkage.status[linkage.partial] == "ambiguous"]
    if not len(open_):
        rest = "it" if total == 1 else "the rest"
        return f"{line}." if done == total else f"{line}; no row fits what is known of {rest}."
    tried = [i for i in open_.tolist() if linkage.chance is not None and np.isfinite(linkage.chance[i])]
    if len(tried) == len(open_):
        return f"{line}; the others fit one row each, as strangers might."
    return f"{line}; the links determine too little of the others, or more than one row fits them."


def partial_json(linkage: Linkage) -> dict[str, int]:
    """How many known records lack attributes, and how many of these were completed."""
    return {"partial": len(linkage.partial), "completed": len(linkage.completed)}


def dictionary_sentence(entries: Linkage) -> str:
    """How many records of a dictionary are in the release."""
    counts, total = entries.counts(), count(len(entries.rows), "dictionary record")
    if entries.chance is None:
        return f"Of {total} nothing can be said: no known record is linked."
    line = f"{counts['linked']:,} of {total} {'is' if counts['linked'] == 1 else 'are'} in the release"
    line += f", {counts['ambiguous']:,} may be" if counts["ambiguous"] else ""
    if counts["linked"]:
        chance = entries.chance[entries.linked]
        if entries.posterior is None:
            line += f"; chance alone would make {expected(float(chance.max()))} matches as good as the weakest of them"
        else:
            wrong = expected(float(chance.sum()))
            line += f"; {wrong} of these links are expected to be wrong, unless candidates are near copies of others"
    return f"{line}."


def dictionary_json(linkage: Linkage) -> dict[str, Any] | None:
    """Counts and the linked entries of a dictionary, if there is one; an entry's place is ``index``."""
    entries = linkage.dictionary
    if entries is None:
        return None
    links = [
        {"index": link.pop("known"), **{name: value for name, value in link.items() if name != "status"}}
        for link in link_records(entries, entries.linked.tolist())
    ]
    return {"records": len(entries.rows), **entries.counts(), "links": links}


def motion_json(linkage: Linkage) -> dict[str, Any]:
    """What the release was taken for; ``noise`` and ``reason`` are null where there is none."""
    return {
        "motion": linkage.motion if len(linkage.linked) or not linkage.reason else None,
        "motion_reason": linkage.reason or None,
        "scale": linkage.scale,
        "noise": None if linkage.posterior is None or np.isnan(linkage.noise) else linkage.noise,
    }
