# SPDX-License-Identifier: BSD-3-Clause
"""Sentences on a comparison: the verdict, what was found, and what the figures do not say."""

from isobreach._naming import way
from isobreach._phrases import count, left_out, percent
from isobreach.audits import CellFigures, ComparisonResult
from isobreach.report.numbers import sampled, share

STANDINGS = {
    "undone": "undone",
    "given away": "given away",
    "guessed": "guessed",
    "weakened": "weakened",
    "held": "held",
    "refused": "refuses this table",
}


def by_standing(result: ComparisonResult, standing: str) -> list[str]:
    """Labels of the schemes that fared so."""
    return [one.label for one in result.schemes if result.standing(one.label) == standing]


def verdict(result: ComparisonResult) -> str:
    """How many schemes held."""
    undone, given, guessed, weakened, held = (
        by_standing(result, one) for one in ("undone", "given away", "guessed", "weakened", "held")
    )
    played = sum(map(len, (undone, given, guessed, weakened, held)))
    knows = knowledge(result)
    said = (
        f"Of {count(played, 'scheme')}, {len(undone) or 'none'} {_are(undone)} undone by attackers who hold {knows}: "
    )
    said += f"{'an' if undone else 'no'} attack breaches half of the other people or more"
    said += ", and more than a blind guess does." if guessed else "."
    if given:
        said += f" {len(given)} {'gives' if len(given) == 1 else 'give'} a rotation of the records away."
    if guessed:
        said += (
            f" These figures say nothing of {len(guessed)}, because one guess for everybody is as good: choose a "
            "smaller epsilon, or standardise the columns."
        )
    if weakened:
        said += f" {len(weakened)} {_are(weakened)} weakened."
    if held:
        said += f" {len(held)} held against the attacks that were played, which is not a proof of safety."
    return said


def _are(several: list[str]) -> str:
    return "is" if len(several) < 2 else "are"


def knowledge(result: ComparisonResult) -> str:
    """What the attackers hold."""
    sample = f"a public sample of {result.sample:,}" if result.sample else "no public sample"
    return f"{count(result.known, 'known record')} and {sample}"


def findings(result: ComparisonResult) -> list[str]:
    """What to do, then what was found, a sentence each."""
    lines = [_next_step(result)]
    for standing, said in (
        ("undone", "Undone"),
        ("given away", "Given away"),
        ("guessed", "Not to be judged by these figures, because a blind guess breaches half of the people or more"),
        ("weakened", "Weakened"),
        ("held", "Held"),
    ):
        several = by_standing(result, standing)
        if several:
            lines.append(f"{said}: {'; '.join(_against(result, one) for one in several)}.")
    lines += [
        f"{one.label} cannot protect this table: {one.refusal}." for one in result.schemes if one.refusal is not None
    ]
    lines += unfolding([one.label for one in result.schemes if one.unfolds])
    lines.append(
        f"The best guess of one record for everybody, without the release, breaches {share(result.blind)} of all "
        "people."
    )
    if result.sample < result.sample_asked:
        why = "half of the table" if result.sample == result.rows // 2 else "the most that a quick comparison takes"
        lines.append(f"The public sample has {result.sample:,} records instead of {result.sample_asked:,}: {why}.")
    return lines + left_out(result.left_out)


def unfolding(schemes: list[str]) -> list[str]:
    """What cells do not show of schemes whose releases give a motion away."""
    if not schemes:
        return []
    give = "gives" if len(schemes) == 1 else "give"
    return [
        (
            f"{' and '.join(schemes)} {give} a motion away: rows that are a rotation of the records can be computed "
            "from the release without its key, and attacks on rotations then work on them. The cells show attacks on "
            "the release as it is. An audit of such a scheme computes these rows and plays both."
        )
    ]


def _against(result: ComparisonResult, scheme: str) -> str:
    worst = result.strongest(scheme)
    if worst is None or worst.breached is None:
        return f"{scheme} (no attack suits it)"
    return f"{scheme} ({sampled(worst.breached)} by {worst.attack})"


def _next_step(result: ComparisonResult) -> str:
    """What an owner does with a comparison: audit the most useful scheme that held, or look elsewhere."""
    held = [
        (one.utility.neighbours, one.label)
        for one in result.schemes
        if one.utility is not None and result.standing(one.label) == "held"
    ]
    if not held:
        return (
            "None of these schemes held: do not publish with them as they are. Compare others, or the same with more "
            "noise; or give access in a secure environment."
        )
    neighbours, best = max(held, key=lambda pair: pair[0])
    return (
        f"Of the schemes that held against the attacks played here, {best} is the most useful: it keeps "
        f"{share(neighbours)} of the nearest neighbours. "
        f"Audit it before you publish ({way('isobreach audit with --scheme', 'ib.audit with scheme=')})."
    )


def caveats(result: ComparisonResult) -> list[str]:
    """What was sampled, and what the figures do not say."""
    once = ", or both on the one trial in which it was played" if result.costly_trials == 1 else ""
    lines = [
        (
            f"Each trial publishes {result.published:,} of {result.rows:,} records, drawn at random, the same for "
            f"every scheme. {count(result.trials, 'trial')}; attacks that take seconds were played in "
            f"{result.costly_trials} of them, with at most {result.effort:,} evaluations a search."
        ),
        (
            f"Utility was measured on {result.compared:,} records in {count(result.utility_trials, 'trial')}. Every "
            "measure reads distances alone."
        ),
        (
            f"A record is breached when its estimate is within {percent(result.epsilon)} of its length. Columns with "
            "large values carry most of the length: standardise them if all columns matter alike."
        ),
        (
            "Attackers know the scheme, its parameters and the level of its noise; the key alone is secret. Those who "
            "need the rows of known records are given them; the others have to find them."
        ),
        (
            "An attack that offers several estimates is judged by the best of them, chosen on one half of the trials "
            f"and measured on the other{once}."
        ),
        "Schemes are compared at their default parameters unless others are given: more noise protects better.",
        '"Held" means that none of these attacks succeeded with this knowledge. Others may.',
    ]
    if result.unlabelled:
        lines.append(f"{count(result.unlabelled, 'record')} without a value of {result.label} were not classified.")
    if result.trials == 1 or result.costly_trials == 1:
        lines.append("Intervals from 0 to 100% are those of a single trial, which says nothing of the next.")
    return lines


def cell_said(cell: CellFigures) -> str:
    """A cell in words, for those who point at it."""
    head = f"{cell.attack} on {cell.scheme}: "
    if cell.breached is None:
        return f"{head}no estimate, {cell.reason}."
    error = "no estimate" if cell.error is None else f"median error {number(cell.error)}"
    low, high = (f"{100 * end:.3g}" for end in (cell.breached.low, cell.breached.high))
    said = f"{head}breaches {share(cell.breached.value)} ({low} to {high}%), {error}, "
    said += f"learns {share(cell.learned_share or 0.0)} of the attributes."
    if cell.refused:
        said += f" Refused {share(cell.refused)} of the trials: {cell.refusal}."
    return said


def number(value: float | None) -> str:
    """A figure without a unit, with two digits.

    >>> number(None), number(0.0), number(1e-12), number(0.123), number(1.0), number(1234.5)
    ('', '0', '0.00', '0.12', '1.00', '1,234')
    """
    if value is None:
        return ""
    return "0" if value == 0 else f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"
