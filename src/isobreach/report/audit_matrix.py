# SPDX-License-Identifier: BSD-3-Clause
"""Who can do what: the best attacker for so many insiders and such public knowledge, as a block and as JSON."""

from isobreach._phrases import count
from isobreach.audits import AttackerFigures, AuditResult, Reached
from isobreach.document import Matrix, MatrixCell, MatrixRow, Section
from isobreach.report.audit_words import (
    and_sample,
    breach,
    breaches,
    capital,
    least_knowledge,
    method_name,
    others,
    read_sentence,
    reads,
    who,
)
from isobreach.report.numbers import SHADES, sampled, shade, share

_MARK = "†"
_UNNAMED = (
    f"{_MARK} More values are read than the figure counts, from the release alone: only names and directions of their "
    "columns are missing. The cells are coloured by the part of all values that is read: treat them as unsafe."
)
_LEGEND = (*SHADES, "smallest knowledge that breaches half")
_TITLES = {
    True: ("Ranges of the attributes", "the lowest and highest value of each"),
    False: ("Nothing", "the release alone"),
}


def public_knowledge(result: AuditResult) -> list[tuple[int, bool]]:
    """Rows of the matrix: nothing, ranges where they were asked for, and each sample, with ranges if any."""
    found = result.matrix
    return [
        (0, False),
        *([(0, True)] if found.ranges else []),
        *((sample, found.ranges) for sample in found.samples[1:]),
    ]


def matrix_section(result: AuditResult) -> Section:
    """The matrix with its lead sentence."""
    found = result.matrix
    rows, reached_half = [], list[tuple[int, int]]()
    for place, (sample, ranges) in enumerate(public_knowledge(result)):
        cells = []
        for size_place, size in enumerate(found.sizes):
            one = result.reached(size, sample, ranges=ranges)
            half = one.breached.value >= 0.5 and one.attack is not None
            smallest = half and not any(p <= place and s <= size_place for p, s in reached_half)
            reached_half += [(place, size_place)] if smallest else []
            cells.append(_cell(result, one, size, sample, smallest=smallest, reader=_reader(result, one)))
        title, remark = _TITLES[ranges] if not sample else (f"{sample:,} public records", "of the same kind, of others")
        rows.append(MatrixRow(title, remark, tuple(cells)))
    block = Matrix(
        name="matrix",
        title="Who can do what",
        caption="Share of other people breached",
        corner="The attacker knows",
        across="insiders who pool their own records",
        columns=tuple(str(size) for size in found.sizes),
        rows=tuple(rows),
        levels=_LEGEND,
        note=_note(result),
        tips="its 95% interval",
        mark="" if _reader(result, result.reached(0, 0)) is None else _UNNAMED,
    )
    return Section("Who can do what", (block,), matrix_lead(result), brief=True)


def matrix_lead(result: AuditResult) -> str:
    """What the matrix says, in a sentence or two, and one of what is read where it is of vectors."""
    return " ".join([_half(result), *read_sentence(result)])


def _half(result: AuditResult) -> str:
    """Who breaches half of the others."""
    largest = result.matrix.sizes[-1]
    alone = least_knowledge(result, 0.5, sample=False)
    best = least_knowledge(result, 0.5)
    most = f"up to {count(largest, 'insider')}"
    reader = _reader(result, result.reached(0, 0))
    if reader is not None:
        return f"{_read_words(result, reader)} {_by_others(result, best, alone)}"
    if result.baselines.blind >= 0.5:
        better = "Nobody who was played does better." if best is None else breaches(result, best)
        return f"A blind guess breaches {share(result.baselines.blind)} of all people, without the release. {better}"
    if best is None:
        return f"Nobody who was played breaches half of the other people, with {most}{and_sample(result)}."
    if best.cell.sample == 0:
        return f"{capital(who(best.cell))} can breach half of the other people, without any public record."
    if best.cell.insiders == 0 and alone is not None:
        return (
            f"With {best.cell.sample:,} public records, no insider is needed. Without them, {who(alone.cell)} "
            f"{breach(alone.cell)} half of the other people."
        )
    if best.cell.insiders == 0:
        return (
            f"With {best.cell.sample:,} public records, no insider is needed to breach half of the other people. "
            f"Without them, {most} breach fewer than half."
        )
    return f"{capital(who(best.cell))} can breach half of the other people."


def _read_words(result: AuditResult, reader: AttackerFigures) -> str:
    """What is read without any knowledge, in few words."""
    number, total = len(reader.read), result.attribute_count
    read = "all values" if number == total else f"{number} of {count(total, 'attribute')}" if number else "some values"
    verb = "is" if number == 1 else "are"
    return f"From the release alone, {read} {verb} read ({_MARK}), but without the names of the columns."


def _by_others(result: AuditResult, best: Reached | None, alone: Reached | None) -> str:
    """Who breaches half under these names, where somebody reads values without any knowledge."""
    if best is None:
        most = f"up to {count(result.matrix.sizes[-1], 'insider')}{and_sample(result)}"
        return f"Nobody who was played breaches half of the other people, with {most}."
    if alone is None or alone == best:
        return f"{capital(_achieves(result, best))}."
    return f"{capital(_achieves(result, best))}; without public records, {_achieves(result, alone)}."


def _achieves(result: AuditResult, one: Reached) -> str:
    """Who breaches how many."""
    return f"{who(one.cell)} {breach(one.cell)} {others(result, one)}"


def _reader(result: AuditResult, one: Reached) -> AttackerFigures | None:
    """Who reads more without any knowledge than a figure counts, because columns have no names yet; None for nobody."""
    level = shade(one.breached.value)
    found = [reader for reader in result.readers if reader.claimed and shade(reader.worst) > level]
    return max(found, key=lambda reader: reader.worst, default=None)


def _cell(
    result: AuditResult,
    one: Reached,
    insiders: int,
    sample: int,
    *,
    smallest: bool,
    reader: AttackerFigures | None,
) -> MatrixCell:
    """A cell; one in whose place ``reader`` reads more is marked, and has the colour of the part of values he reads."""
    value = max(one.breached.value, 0.0 if reader is None else reader.named, _read_part(reader))
    best = (
        "No attack does better than a blind guess." if one.attack is None else f"Best: the {method_name(result, one)}."
    )
    public = f", {sample:,} public records" if sample else ""
    marked = " Smallest knowledge that breaches half." if smallest else ""
    also = "" if reader is None else f" {_MARK} {reads(result, reader)}"
    said = f"{count(insiders, 'insider')}{public}: {sampled(one.breached)}. {best}{marked}{also}"
    text = sampled(one.breached).partition(" (")[0].replace("under ", "< ").replace("over ", "> ")
    return MatrixCell(text if reader is None else f"{text}{_MARK}", said, shade(value), smallest)


def _read_part(reader: AttackerFigures | None) -> float:
    """The part of all values that somebody reads: three of twenty attributes of everybody are not everything."""
    return 0.0 if reader is None else float(reader.attributes.mean())


def _note(result: AuditResult) -> str:
    return (
        f"Each cell: the best attack with that knowledge, mean over {count(result.matrix.splits, 'split')} of the "
        f"table (sampled; {_split_words(result)}); which attack is best was chosen on one half of the splits and "
        "measured on the other. Attackers may ignore what they know, so no figure falls to the right or downwards. "
        "Insiders know their own rows. A blind guess, without the release, breaches "
        f"{share(result.baselines.blind)} (exact)."
    )


def _split_words(result: AuditResult) -> str:
    """How many rows of the table a split releases and holds out."""
    held, released = result.matrix.samples[-1], result.matrix.published
    kept = f"each releases {released:,} of {result.rows:,} rows"
    more = "; whoever has fewer meets more rows" if released + held == result.rows else ""
    return f"{kept} and holds {held:,} out as public records{more}" if held else kept
