# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as a document: who undoes what, privacy against use, a table of schemes, then every cell."""

from collections.abc import Mapping
from typing import Any, cast

from isobreach._phrases import count, percent
from isobreach.audits import CellFigures, ComparisonResult, SchemeFigures
from isobreach.document import (
    Bullets,
    Column,
    Details,
    Document,
    Fact,
    Facts,
    Matrix,
    MatrixCell,
    MatrixRow,
    Plane,
    Section,
    Spot,
    Table,
    Text,
    in_one_part,
)
from isobreach.report.comparison_json import cell_columns, comparison_data, scheme_columns, time_columns
from isobreach.report.comparison_words import (
    STANDINGS,
    caveats,
    cell_said,
    findings,
    knowledge,
    number,
    verdict,
)
from isobreach.report.numbers import SHADES, sampled, shade, share
from isobreach.report.run_section import run_facts

_LEGEND = (*SHADES, "no estimate")


def comparison_document(result: ComparisonResult, run: Mapping[str, Any] | None = None, title: str = "") -> Document:
    """Return everything there is to say of a comparison.

    Parameters
    ----------
    result
        The comparison.
    run
        The record of the run, if there is one.
    title
        What the table is called.
    """
    said, found, doubts = verdict(result), findings(result), caveats(result)
    again = [] if run is None else [_run_section(run)]
    return Document(
        f"Schemes and attacks on {title}" if title else "Schemes and attacks side by side",
        said,
        tuple(found),
        (
            Section("", (_about(result),)),
            Section("Who undoes what", (_matrix(result),)),
            Section("Privacy and use", (_plane(result),), page=True),
            Section("Schemes", (_standings(result),), brief=True),
            Section("What each scheme leaves", (_use(result),)),
            _details(result, doubts),
            *again,
        ),
        cast(Mapping[str, Any], comparison_data(result, said, found, doubts)),
        {
            "cells": in_one_part(cell_columns, result),
            "schemes": in_one_part(scheme_columns, result),
            "times": in_one_part(time_columns, result),
        },
        kind="isobreach comparison",
    )


def _about(result: ComparisonResult) -> Facts:
    facts = (
        Fact("Table", _size(result), f"{result.published:,} published in a trial"),
        Fact("Attackers hold", knowledge(result)),
        Fact("Breach", f"within {percent(result.epsilon)} of a record's length"),
        Fact("Trials", f"{result.trials}", f"seed {result.seed}"),
    )
    return Facts("What was compared", facts, heading=True)


def _matrix(result: ComparisonResult) -> Matrix:
    rows = tuple(
        MatrixRow(
            one.label,
            STANDINGS[result.standing(one.label)],
            tuple(_heat(result.at(one.label, attack)) for attack in result.attacks),
        )
        for one in _ordered(result)
    )
    return Matrix(
        name="breached",
        title="Who undoes what",
        caption="Share of other people breached, in per cent",
        corner="scheme",
        across="attack",
        columns=result.attacks,
        rows=rows,
        levels=_LEGEND,
        note=(
            f"Each cell: the mean share of other people's records that an attack with {knowledge(result)} estimates "
            f"within {percent(result.epsilon)}. Schemes stand from the weakest to the strongest."
        ),
        tips="its interval and error, or for why there is none",
        dense=True,
    )


def _ordered(result: ComparisonResult) -> list[SchemeFigures]:
    """Schemes from the weakest to the strongest, those that refuse the table last."""

    def rank(one: SchemeFigures) -> tuple[bool, float]:
        worst = result.strongest(one.label)
        return one.refusal is not None, -(worst.breached.value if worst is not None and worst.breached else 0.0)

    return sorted(result.schemes, key=rank)


def _heat(cell: CellFigures) -> MatrixCell:
    if cell.breached is None:
        return MatrixCell("·", cell_said(cell), -1)
    value = cell.breached.value
    return MatrixCell(_short(value), cell_said(cell), shade(value))


def _short(value: float) -> str:
    """A share in per cent, without its sign.

    >>> _short(0.0), _short(0.0004), _short(0.034), _short(0.9999), _short(1.0)
    ('0', '<1', '3', '>99', '100')
    """
    text = f"{100 * value:.0f}"
    return "<1" if text == "0" and value > 0 else ">99" if text == "100" and value < 1 else text


def _plane(result: ComparisonResult) -> Plane:
    spots = []
    for one in result.schemes:
        worst = result.strongest(one.label)
        if one.utility is None or worst is None or worst.breached is None:
            continue
        safe = 1 - worst.breached.value
        said = f"{share(one.utility.neighbours)} of neighbours kept, {share(safe)} of people not breached"
        standing = result.standing(one.label)
        label = f"{one.label} (given away)" if standing == "given away" else one.label
        spots.append(Spot(label, one.utility.neighbours, safe, f"{said} by {worst.attack}"))
    return Plane(
        name="plane",
        title="Privacy and use",
        caption=(
            "Upwards: people whom the strongest attack does not breach. To the right: nearest neighbours that the "
            "release keeps. A scheme at the upper right would be private and useful."
        ),
        x_label="nearest neighbours kept",
        y_label="people not breached",
        spots=tuple(spots),
    )


def _standings(result: ComparisonResult) -> Table:
    columns = (
        "Scheme",
        "Fared",
        "Strongest",
        Column("Breached", "sampled", number=True),
        Column("Error", "median, relative", number=True),
        Column("Kept", "neighbours", number=True),
    )
    return Table(
        "How every scheme fared",
        columns,
        tuple(_standing(result, one) for one in _ordered(result)),
        note=(
            "Undone: an attack breaches half of the others or more. Given away: a rotation of the records can be "
            "computed from the release, and attacks on rotations undo it. Guessed: a blind guess breaches half or "
            "more, so that these figures say nothing. Held: none exceeds the blind guess by more than one in a "
            "hundred. Weakened: in between. Strongest: the attack that breaches the most. Kept: share of the ten "
            "nearest neighbours."
        ),
    )


def _standing(result: ComparisonResult, one: SchemeFigures) -> tuple[str, ...]:
    worst, used = result.strongest(one.label), one.utility
    fared = STANDINGS[result.standing(one.label)]
    kept = "" if used is None else share(used.neighbours)
    if worst is None or worst.breached is None:
        return one.label, fared, "none suits" if one.refusal is None else "", "", "", kept
    return one.label, fared, worst.attack, sampled(worst.breached), number(worst.error), kept


def _privacy(cell: CellFigures) -> str:
    return "" if cell.least_privacy is None else f"{number(cell.least_privacy)}, {number(cell.mean_privacy)}"


def _use(result: ComparisonResult) -> Table:
    measured = [one for one in result.schemes if one.utility is not None]
    classified = any(one.utility is not None and one.utility.classifier is not None for one in measured)
    columns = (
        "Scheme",
        "Keeps exactly",
        Column("Distances", number=True),
        Column("Neighbours", number=True),
        Column("k-means", number=True),
        Column("Single link", number=True),
        *((Column("Classifier", "after, before", number=True),) if classified else ()),
    )
    rows = []
    for one in measured:
        used = one.utility
        assert used is not None
        figures = [number(value) for value in (used.distances, used.neighbours, used.k_means, used.single_link)]
        figures += [f"{share(used.classifier or 0.0)}, {share(used.classifier_before or 0.0)}"] if classified else []
        rows.append((one.label, ", ".join(one.keeps) or "nothing", *figures))
    return Table(
        "What each scheme leaves of the table's use",
        columns,
        tuple(rows),
        note=(
            "1 for everything. Distances: 1 - Kruskal's stress. Neighbours: share of the ten nearest kept. k-means "
            "and single link: adjusted Rand index with the clusters of the table."
            + (f" Classifier: accuracy of a vote of five neighbours on {result.label}." if classified else "")
        ),
    )


def _details(result: ComparisonResult, doubts: list[str]) -> Section:
    each = [Details(f"All attacks on {one.label}", (_attacks_on(result, one.label),)) for one in _ordered(result)]
    prepared = [Details("What was done to the table before", (Bullets(result.prepared),))] if result.prepared else []
    return Section(
        "Details",
        (
            *each,
            Details("What gives no estimate, and why", (_reasons(result),)),
            Details("Run times", (_times(result),)),
            *prepared,
            Details("How it was measured, and what the figures do not say", (Bullets(tuple(doubts)),)),
        ),
    )


def _attacks_on(result: ComparisonResult, scheme: str) -> Table | Text:
    played = [cell for attack in result.attacks if (cell := result.at(scheme, attack)).breached is not None]
    if not played:
        return Text("No attack was played: see what gives no estimate, and why.")
    columns = (
        "Attack",
        Column("Breached", "sampled", number=True),
        Column("Median error", "relative", number=True),
        Column("Learned", "attributes", number=True),
        Column("Privacy", "least, mean", number=True),
        Column("Trials", number=True),
        "Estimates",
    )
    rows = tuple(
        (
            cell.attack,
            sampled(cell.breached) if cell.breached is not None else "",
            number(cell.error),
            share(cell.learned_share or 0.0),
            _privacy(cell),
            str(cell.trials),
            cell.variant + (f"; refused {share(cell.refused)} of the trials: {cell.refusal}" if cell.refused else ""),
        )
        for cell in sorted(played, key=lambda one: -(one.breached.value if one.breached is not None else 0.0))
    )
    note = "Privacy: standard deviation of an attribute's error, in units of the attribute's own; 1 is the mean's."
    return Table(f"All attacks on {scheme}", columns, rows, note=note)


def _reasons(result: ComparisonResult) -> Table:
    """Why cells are empty: each attack and reason once, with the schemes that it is about."""
    about: dict[tuple[str, str], list[str]] = {}
    for cell in result.cells:
        if cell.reason is not None:
            about.setdefault((cell.attack, cell.reason), []).append(cell.scheme)
    rows = tuple((attack, f"{reason}.", ", ".join(schemes)) for (attack, reason), schemes in sorted(about.items()))
    return Table("What gives no estimate, and why", ("Attack", "Why", "Schemes"), rows, rest="cells.csv")


def _times(result: ComparisonResult) -> Table:
    rows = []
    for attack in result.attacks:
        played = [one for scheme in result.schemes if (one := result.at(scheme.label, attack)).played]
        if played:
            longest = max(played, key=lambda one: one.seconds)
            mean = sum(one.seconds for one in played) / len(played)
            rows.append((attack, f"{mean:.3f}", f"{longest.seconds:.3f}", longest.scheme))
    columns = ("Attack", Column("Mean", "seconds", number=True), Column("Longest", "seconds", number=True), "Scheme")
    return Table("Processor time of one trial", columns, tuple(rows), note="Processor time of one trial.")


def _size(result: ComparisonResult) -> str:
    return f"{count(result.rows, 'row')} × {count(result.attribute_count, 'attribute')}"


def _run_section(run: Mapping[str, Any]) -> Section:
    line = [Fact("command", "", code=run["command_line"])] if "command_line" in run else []
    return Section("How to run it again", (Facts("What the run was made of", (*line, *run_facts(run))),))
