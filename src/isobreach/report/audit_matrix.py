# SPDX-License-Identifier: BSD-3-Clause
"""Who can do what, in words, as a table and as JSON: the best attacker for so many insiders and public knowledge."""

from typing import Any

from isobreach._phrases import cell as in_cell
from isobreach._phrases import count
from isobreach._registry import ATTACKS
from isobreach._text import escape
from isobreach.audits import AuditResult, Cell, PlayedAttacker, Reached, Sampled
from isobreach.report.audit_cells import Cell as TableCell
from isobreach.report.audit_cells import sampled_share, share, table

_MUCH = 0.05  # share breached by a blind guess, below which hardly anyone is: the figures then say so by themselves


def known_words(cell: Cell) -> str:
    """What an attacker knows, in words.

    >>> known_words(Cell(0, 200)), known_words(Cell(2)), known_words(Cell(1, 50, True))
    ('nobody inside and 200 public records', '2 insiders', '1 insider, 50 public records and the ranges of attributes')
    """
    parts = [count(cell.insiders, "insider") if cell.insiders else "nobody inside"]
    parts += [count(cell.sample, "public record")] if cell.sample else []
    parts += ["the ranges of attributes"] if cell.ranges else []
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def worst_attacker(result: AuditResult) -> Reached:
    """The most dangerous of all attackers in this audit."""
    return result.reached(result.sizes[-1], result.matrix.samples[-1])


def least_knowledge(result: AuditResult, level: float) -> Reached | None:
    """The attacker with the fewest insiders, then the smallest sample, who breaches at least such a share."""
    for insiders in sorted({0, *result.matrix.sizes, *result.sizes}):
        for sample in result.matrix.samples:
            found = result.reached(insiders, sample)
            if found.breached.value >= level:
                return found
    return None


def does_nothing(result: AuditResult) -> bool:
    """Whether no attacker does better than the blind guess, which needs no release."""
    return result.baselines.blind >= _MUCH and worst_attacker(result).breached.value <= result.baselines.blind


def matrix_verdict(result: AuditResult) -> str | None:
    """The worst attacker in one or two sentences; None where that is the closed form of insiders alone."""
    if does_nothing(result):
        return (
            f"These figures say nothing about the release: guessing {result.baselines.guess} for everybody breaches "
            f"{share(result.baselines.blind)} of all people without it, and no attacker who was played does better. "
            "A smaller epsilon tells more."
        )
    worst = worst_attacker(result)
    if worst.closed_form or worst.attack is None:
        return None
    said = f"{_who(worst)} breaches {sampled_share(worst.breached)} of all other people."
    half = least_knowledge(result, 0.5)
    if half is not None and half.cell != worst.cell and not half.closed_form and half.attack is not None:
        said += f" For half of them less is enough: {known_words(half.cell)} ({sampled_share(half.breached)})."
    return said


def _who(one: Reached) -> str:
    return f"With {known_words(one.cell)}, the {ATTACKS[one.attack or ''].title}"


def matrix_sentences(result: AuditResult) -> list[str]:
    """What there is to say of the attackers who were played."""
    found = result.matrix
    if not found.splits:
        return []
    blind = (
        f"Guessing {result.baselines.guess} for everybody, without the release, breaches "
        f"{share(result.baselines.blind)} of all people."
    )
    lines = [_row(result, sample, ranges) for sample, ranges in _rows(result)]
    left = [one for one in result.samples_asked if one not in found.samples]
    lines += [f"A public sample of {_numbers(left)} records was not tried: the table is too small."] if left else []
    lines += [f"The {ATTACKS[name].title} was not played: {reason}." for name, reason in found.unsuited.items()]
    return [*lines, blind]


def _numbers(several: list[int]) -> str:
    return " or ".join(f"{one:,}" for one in several)


def _rows(result: AuditResult) -> list[tuple[int, bool]]:
    """Public knowledge: nothing, ranges where they were asked for, and each sample, with ranges if any."""
    found = result.matrix
    return [
        (0, False),
        *([(0, True)] if found.ranges else []),
        *((sample, found.ranges) for sample in found.samples[1:]),
    ]


def _public(sample: int, ranges: bool) -> str:
    """Public knowledge in words; empty where there is none."""
    parts = [count(sample, "public record")] if sample else []
    return " and ".join([*parts, "the ranges of attributes"] if ranges else parts)


def _row(result: AuditResult, sample: int, ranges: bool) -> str:
    """One row of the matrix in words."""
    public = f"with {_public(sample, ranges)}" if sample or ranges else "without public knowledge"
    sizes = result.matrix.sizes if sample or ranges else result.matrix.sizes[1:]
    values = [result.reached(size, sample, ranges=ranges).breached.value for size in sizes]
    parts = [f"{share(value)} by {size if size else 'nobody'}" for size, value in zip(sizes, values, strict=True)]
    return f"People breached {public}, by the number of insiders: {', '.join(parts)}."


def matrix_section(result: AuditResult) -> str:
    """The matrix as a section of the page."""
    found = result.matrix
    if not found.splits:
        return ""
    sizes = found.sizes
    head = ("what the attacker knows besides", *(count(size, "insider") if size else "nobody inside" for size in sizes))
    rows: list[list[TableCell]] = []
    for sample, ranges in _rows(result):
        values = [result.reached(size, sample, ranges=ranges).breached for size in sizes]
        rows.append([(_public(sample, ranges) or "nothing", None), *(_cell(value) for value in values)])
    note = (
        "Share of other people breached by the best attacker who knows so much: sampled, on "
        f"{found.splits} splits of the table into public sample and release, with 95% intervals; the best attacker is "
        "chosen on one half and told from the other. An attacker may ignore what he knows, so no figure falls to the "
        "right or downwards. Insiders know their own rows. The blind guess, without the release, breaches "
        f"{share(result.baselines.blind)}."
    )
    return (
        f'<h2>Who can do what</h2><p class="soft">{escape(note)}</p>{table(head, rows)}'
        f"<h3>The attackers</h3>{_attackers(result)}"
    )


def _attackers(result: AuditResult) -> str:
    """Each attack with the least knowledge for what it achieves, the most dangerous first."""
    head = ("attack", "insiders", "public records", "ranges", "estimates", "breached")
    rows: list[list[TableCell]] = [
        [
            (ATTACKS[one.name].title, None),
            (str(one.insiders), one.insiders),
            (str(one.sample), one.sample),
            ("known" if one.ranges else "not known", None),
            (one.variant, None),
            _cell(one.breached),
        ]
        for one in result.matrix.attackers
        if not any(_needs_less(other, one) for other in result.matrix.attackers)
    ]
    note = '<p class="soft">The same attacks with more knowledge that does not help them are in result.json.</p>'
    return table(head, rows, sortable=True) + note


def _needs_less(one: PlayedAttacker, other: PlayedAttacker) -> bool:
    """Whether the same attack does as well with less knowledge."""
    less = one.cell != other.cell and one.cell.within(other.cell)
    return one.name == other.name and less and one.breached.value >= other.breached.value


def _cell(value: Sampled) -> TableCell:
    low, high = (in_cell(share(end)) for end in (value.low, value.high))
    return f"{in_cell(share(value.value))} [{low},\u00a0{high}]", value.value


def matrix_json(result: AuditResult) -> dict[str, Any]:
    """The matrix and the attackers behind it."""
    found = result.matrix
    return {
        "insiders": list(found.sizes),
        "samples": list(found.samples),
        "ranges": found.ranges,
        "splits": found.splits,
        "blind_guess": {"breached_share": result.baselines.blind, "guess": result.baselines.guess},
        "breached": [
            {
                "insiders": size,
                "sample": sample,
                "ranges": ranges,
                **_reached(result.reached(size, sample, ranges=ranges)),
            }
            for sample, ranges in _rows(result)
            for size in found.sizes
        ],
        "attackers": [
            {
                "attack": one.name,
                "insiders": one.insiders,
                "sample": one.sample,
                "ranges": one.ranges,
                "estimates": one.variant,
                "breached_share": _interval(one.breached),
            }
            for one in found.attackers
        ],
        "not_played": dict(found.unsuited),
    }


def _reached(one: Reached) -> dict[str, Any]:
    return {
        "breached_share": _interval(one.breached),
        "attack": one.attack,
        "estimates": one.variant or None,
        "closed_form": one.closed_form,
    }


def _interval(value: Sampled) -> dict[str, float]:
    return {"value": value.value, "low": value.low, "high": value.high}
