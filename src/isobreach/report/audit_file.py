# SPDX-License-Identifier: BSD-3-Clause
"""The page for the file: risks by name, assumptions, what was not tested, until when it holds, and room to sign."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np

from isobreach._phrases import count, day
from isobreach._registry import SCHEMES
from isobreach.audits import AuditResult
from isobreach.document import Block, Decision, Fact, Facts, Section, SignOff, Table, Text
from isobreach.report.audit_words import (
    attack_name,
    beats_guess,
    capital,
    column,
    knows,
    listed,
    own_figure,
    rows_dropped,
    samples_left_out,
    table_size,
    worst_attacker,
)
from isobreach.report.numbers import sampled, share

_SEED = (
    "Never publish a release that was made with the audit's seed: whoever knows the seed can draw the secret matrix "
    "again."
)
_CONTROLLER = (
    "It reports technical tests. Whether the means are “reasonably likely to be used” (GDPR, recital 26) is for the "
    "controller to judge."
)


def file_section(result: AuditResult, decided: Decision, run: Mapping[str, Any], title: str, when: date) -> Section:
    """The section, one printed page."""
    dropped = rows_dropped(result)
    table = f"{table_size(result)}{f' ({dropped:,} of {result.rows_read:,} rows dropped)' if dropped else ''}"
    named = [title, table] if title else [table]
    gate = f" Gate: {decided.gate[-1].value.lower()}, limit {decided.gate[1].value}." if decided.gate else ""
    about = (
        f"This page can stand alone in a data protection impact assessment. Table: {', '.join(named)}, scheme "
        f"“{result.scheme}”. Finding: {decided.headline.lower()}.{gate}"
    )
    facts = [
        Fact("Attackers assumed", assumed(result)),
        Fact("Not tested", " ".join(not_tested(result))),
        Fact("Valid for", _valid(when)),
        *_run_facts(run),
        Fact("Seed", _SEED),
        Fact("Limits of this page", _CONTROLLER),
    ]
    blocks: tuple[Block, ...] = (
        Text(about, soft=True),
        _risks(result),
        Facts("What this page rests on", tuple(facts)),
        SignOff(
            ("do not publish", "publish with conditions", "publish"),
            ("Prepared by", "Data owner", "Data protection officer, advice given"),
        ),
    )
    return Section("For the file", blocks, page=True)


def assumed(result: AuditResult) -> str:
    """Who the attackers are."""
    if not result.moves:
        return _without_motion(result)
    hides = "rotated by a secret matrix" if result.motion == "orthogonal" else "rotated and moved by a secret motion"
    hides += ", noise is added," if result.noise else ""
    scaled = "Records are scaled to length one. " if result.unit_length else ""
    rows = (
        "attackers who are played know which rows these are; groups in the figures of the distance attack alone are "
        "not told, but find out from the distances that the release keeps, or guess"
    )
    if result.rows_known and result.noise:
        rows = "they are supposed to know which rows these are, and those who have to search do no better"
    elif result.rows_known:
        rows = "they are supposed to know which rows these are"
    return (
        f"{scaled}The table is {hides} and its rows are shuffled. Attackers hold the release and know the method, not "
        f"the secret. Up to {count(result.sizes[-1], 'insider')} pool their own records; {rows}.{_more(result)}"
    )


def _without_motion(result: AuditResult) -> str:
    return (
        f"The table is protected by the scheme “{result.scheme}”. Attackers hold the release and know the method, not "
        f"the secret. Up to {count(result.sizes[-1], 'insider')} pool their own records; they are supposed to know "
        f"which rows these are.{_more(result)}"
    )


def _more(result: AuditResult) -> str:
    """What attackers may know besides, as a sentence after another."""
    samples = [f"{one:,}" for one in result.matrix.samples[1:]]
    held = [f"{listed(samples, 'or')} public records of the same kind"] if samples else []
    held += ["the ranges of the attributes"] if result.matrix.ranges else []
    return f" They may also have {listed(held)}." if held else ""


def not_tested(result: AuditResult) -> list[str]:
    """What no figure is about, a sentence each."""
    lines = [f"More than {count(result.sizes[-1], 'insider')}."]
    lines += samples_left_out(result)
    lines += [] if result.samples_asked else ["Attackers who have public records of the same kind."]
    absent = [*result.not_asked.items(), *result.matrix.never_played.items()]
    lines += [f"The {attack_name(name)}, which was not played: {why}." for name, why in absent]
    return [
        *lines,
        "Attackers who know only some attributes of a person.",
        "Two releases of the same table.",
        "Attacks that nobody has published yet.",
        "A failed attack is no proof of safety.",
    ]


def _valid(when: date) -> str:
    end = when.replace(year=when.year + 1, day=28 if (when.month, when.day) == (2, 29) else when.day)
    return (
        "This table, this scheme, this version. Run again when rows, columns, encodings or the scheme change; when "
        f"similar data become public; and by {day(end)} at the latest."
    )


def _run_facts(run: Mapping[str, Any]) -> list[Fact]:
    facts = [Fact(f"Input: {one['name']}", one["hash"]) for one in run["inputs"].values()]
    where = "In the folder of the table, with" if run["inputs"] else "With"
    if run["command"] == "isobreach.audit":  # called from Python
        where = "In Python, after “import isobreach as ib”, X being the same table, with"
    facts.append(
        Fact("Run again", f"{where} the versions below, this gives the same result:", code=run["command_line"])
    )
    versions = ", ".join(f"{name} {value}" for name, value in run["versions"].items())
    return [*facts, Fact("Versions", f"{versions}.")]


def _risks(result: AuditResult) -> Table:
    heads = ("Risk (Article 29 Working Party, opinion 05/2014)", "Found", "Figure")
    rows = (
        ("Singling out: can a person be isolated and rebuilt?", *_singling_out(result)),
        ("Linkability: can a known record be matched to its row?", *_linkability(result)),
        ("Inference: can unknown values be deduced?", *_inference(result)),
    )
    return Table("Risks by name", heads, rows)


def _singling_out(result: AuditResult) -> tuple[str, str]:
    found = result.reached(0, result.matrix.samples[-1])
    claimed = [one for one in result.readers if one.claimed and one.named > found.breached.value]
    if claimed:
        one = max(claimed, key=lambda attacker: attacker.named)
        return (
            f"Yes. The {attack_name(one.name)} reads rows without any insider; names of columns have to be supplied.",
            f"{share(one.named)} of people, once columns are named (exact, one release)",
        )
    blind = f"blind guess: {share(result.baselines.blind)}"
    figure = f"{sampled(own_figure(result, found))} of people ({knows(found.cell)}); {blind}"
    if beats_guess(result, found):
        if found.breached.value >= 0.5:
            whom = "every person is" if found.breached.value == 1 else "most people are"
            return f"Yes. Without any insider, {whom} rebuilt.", figure
        return "For a part of the people: without any insider, their records are rebuilt.", figure
    worst = worst_attacker(result)
    if not beats_guess(result, worst):
        late = next((one for one in result.readers if not one.decided), None)
        if late is not None:
            return f"Open: the {attack_name(late.name)} came to no decision. Not by the other attacks.", figure
        return "Not by the attacks that were tried.", figure
    some = "For a part of the people: insiders rebuild their records."
    said = "Yes, by insiders. They rebuild most other people." if worst.breached.value >= 0.5 else some
    return said, f"{sampled(own_figure(result, worst))} of people ({knows(worst.cell)}); {blind}"


def _linkability(result: AuditResult) -> tuple[str, str]:
    if result.rows_known:
        return "Not measured: insiders are supposed to know their own rows.", "–"
    half = next((one for one in result.per_size if one.random.linked.value >= 0.5), None)
    last = result.per_size[-1]
    chance = f"random match: 1 in {result.rows:,}"
    if half is None and last.random.linked.value == 0:
        return "Not by the insiders who were tried.", f"0% with {count(last.size, 'insider')}; {chance}"
    if half is None:
        figure = f"{sampled(last.random.linked)} with {count(last.size, 'insider')}; {chance}"
        return "For some. Part of the insiders find their own rows with certainty.", figure
    figure = f"{sampled(half.random.linked)} with {count(half.size, 'insider')}; {chance}"
    return "Yes. Insiders find their own rows with certainty, from distances alone.", figure


def _inference(result: AuditResult) -> tuple[str, str]:
    shares = result.learned_shares(result.sizes[-1], result.matrix.samples[-1])
    learned, blind = shares.value, result.baselines.blind_attributes
    gained = (learned > blind + 0.005) & (shares.low > blind)
    place = int(np.where(gained, learned - blind, -1).argmax())
    if not gained.any():
        reader = max((one for one in result.readers if one.claimed), key=lambda one: one.worst, default=None)
        if reader is not None:
            said = f"Yes. The {attack_name(reader.name)} reads values; names of columns have to be supplied."
            return said, f"{len(reader.read)} of {count(result.attribute_count, 'attribute')} (exact, one release)"
        said = "Not beyond doubt more than a blind guess tells."
        return said, f"blind guess: up to {share(float(blind.max()))} of people"
    most, guess = sampled(shares.of(place)), share(float(blind[place]))
    figure = f"{most} of people for {column(result, place)!r}; blind guess: {guess}"
    return (
        f"Yes. Of {int(gained.sum())} of {result.attribute_count} attributes more is learned than by a blind guess.",
        figure,
    )


def protection(result: AuditResult) -> Fact:
    """How the table is to be protected."""
    words = "secret rotation" if result.motion == "orthogonal" else "secret rotation and translation"
    words += ", noise" if result.noise else ""
    if not result.moves:
        words = SCHEMES.summary(result.scheme) if result.scheme in SCHEMES else "A scheme of one's own"
    parameters = ", ".join(f"{name} {value}" for name, value in result.scheme_parameters.items() if value is not None)
    return Fact(
        "Planned protection", capital(words), f"scheme “{result.scheme}”{f', {parameters}' if parameters else ''}"
    )
