# SPDX-License-Identifier: BSD-3-Clause
"""What would help: noise and jitter, what they bring and what they cost; and what to do about them."""

from dataclasses import dataclass

from isobreach._naming import way
from isobreach._phrases import count, percent
from isobreach.audits import SHARE, AuditResult, JitterFigures, Leak, NoiseFigures, Remedies, Sampled, Stopped
from isobreach.document import Column, Section, Table, Text
from isobreach.report.audit_gate import leak_sentences
from isobreach.report.audit_words import INTERVAL, attack_name, capital, stopped
from isobreach.report.numbers import sampled, share

_USEFUL = 0.5  # nearest neighbours kept, below which a remedy takes what tables are rotated for
_CLEAR = 0.8  # agreement of two searches for clusters, below which they depend on where a search begins


@dataclass(frozen=True)
class Advised:
    """A remedy that opens the gate: what it is, how it is done, and which share of nearest neighbours it keeps.

    ``leaks``: attributes that are learned all the same.
    """

    words: str
    how: str
    kept: Sampled
    leaks: tuple[Leak, ...]

    @property
    def useful(self) -> bool:
        """Whether the table keeps most of its use."""
        return self.kept.value >= _USEFUL

    @property
    def cost(self) -> str:
        """What is left of the table's use."""
        return f"{'' if self.useful else 'only '}{sampled(self.kept)} of the nearest neighbours"

    def actions(self, result: AuditResult) -> tuple[tuple[str, str], ...]:
        """What to do."""
        still = leak_sentences(result, self.leaks, "With it the best attacker still")
        return (
            (f"Protect the table with {self.words}.", self.how),
            *(("Decide whether single attributes may be known.", one) for one in still),
            ("Check that the table is still of use.", f"{sampled(self.kept)} of the nearest neighbours are kept."),
            ("Audit that plan", "before you publish: stronger attacks than these may need more."),
        )

    @property
    def too_costly(self) -> tuple[str, str]:
        """Why not to do it, where the table loses most of its use."""
        return "Do not rely on noise or jitter.", f"{capital(self.words)} opens the gate, but keeps {self.cost}."


def advised(tried: Remedies) -> Advised | None:
    """The remedy that opens the gate, of noise and jitter the one that keeps more; None where none does."""
    found = [
        Advised(
            f"noise of {one.noise:g} times the spread",
            way(
                f"isobreach perturb with --scheme noisy --noise {one.noise:g} adds it.",
                f"ib.perturb(table, ib.schemes.Noisy(noise={one.noise:g})) adds it.",
            ),
            one.neighbours,
            one.leaks,
        )
        for one in tried.levels
        if one.noise == tried.smallest
    ]
    found += [
        Advised(
            f"jitter of {moved.jitter:g} step",
            "Move each value at random by up to half of this part of its step, then perturb.",
            moved.neighbours,
            moved.leaks,
        )
        for moved in tried.jitter
        if moved.jitter == tried.smallest_jitter
    ]
    return max(found, key=lambda one: one.kept.value, default=None)


def no_reliance(tried: Remedies) -> tuple[str, str]:
    """What to do where no level meets the limit, with who stands against it at the last one."""
    last = tried.levels[-1]
    said = (
        f"{_none_meets(tried)} With the strongest noise ({last.noise:g}), {_exceeds(tried, last)}. It keeps "
        f"{sampled(last.neighbours)} of the nearest neighbours.{_narrowed(tried, last)}"
    )
    return "Do not rely on noise or jitter.", said


def _none_meets(tried: Remedies) -> str:
    """That no level meets the limit, or that of none it is sure."""
    limit = percent(tried.target)
    if any(_unsure(tried, one) for one in tried.levels) or any(_unsure(tried, one) for one in tried.jitter):
        return f"Of no level of noise or jitter that was tried it is sure that it meets the limit of {limit}."
    return f"No level of noise or jitter that was tried meets the limit of {limit}."


def _unsure(tried: Remedies, level: NoiseFigures | JitterFigures) -> bool:
    """Whether a level failed by a share on one split that may be chance, or by what intervals do not exclude."""
    one = level.played
    if level.opens or one is None:
        return False
    return not one.exceeds(tried.target) if one.share > tried.target else tried.criterion == SHARE


def _narrowed(tried: Remedies, level: NoiseFigures) -> str:
    """How to find out whether a level meets the limit, where that is not sure."""
    if not _unsure(tried, level):
        return ""
    plan = way(f"--scheme noisy --noise {level.noise:g}", f"ib.schemes.Noisy(noise={level.noise:g})")
    return f" It may be chance: an audit of that plan ({plan}) tells the mean over all splits, and how many decide."


def _exceeds(tried: Remedies, level: NoiseFigures) -> str:
    """Who stands against the limit at a level of noise."""
    reader, read = max(level.attackers.items(), key=lambda item: item[1], default=("", 0.0))
    played = level.played
    if tried.blind > tried.target:
        return f"a blind guess still breaches {share(tried.blind)} of all people"
    if level.breach_rate.high > tried.target:
        rate = sampled(level.breach_rate, near=tried.target)
        return f"{count(tried.insiders, 'insider')} still breach {rate} of the other people by the distance attack"
    if read > tried.target:
        return f"the {attack_name(reader)} still reads {share(read)} of the records without any insider"
    if played is not None and played.share > tried.target:
        return stopped(played, tried.target)
    if _unsure(tried, level):
        return "no figure exceeds the limit, but intervals do not exclude it"
    return "the gate stays closed, by the most exposed record or the upper end of an interval"


def remedies_lead(result: AuditResult) -> str:
    """Whether noise or jitter meets the limit, in a sentence or two."""
    tried = result.remedies
    if tried is None:
        return ""
    if tried.blind > tried.target:
        return (
            f"At an epsilon of {result.epsilon:g} no noise or jitter can help: guessing {tried.guess} breaches "
            f"{share(tried.blind, near=tried.target)} of all people, whatever is published, and the limit is "
            f"{percent(tried.target)}."
        )
    remedy = advised(tried)
    if remedy is not None:
        said = f"{capital(remedy.words)} is the smallest level tried that meets the limit of {percent(tried.target)}."
        return f"{said} It keeps {remedy.cost}."
    return _none_meets(tried)


def remedies_section(result: AuditResult) -> Section:
    """What noise and jitter bring and cost."""
    tried = result.remedies
    assert tried is not None
    played = [(f"jitter of {one.jitter:g} step", one.played) for one in tried.jitter]
    played += [(f"noise of {one.noise:g}", one.played) for one in tried.levels]
    others = any(one is not None for _, one in played)
    heads: tuple[Column | str, ...] = (
        "Remedy",
        Column("Breached without insiders", "exact, one release", number=True),
        Column(f"Distance attack, {count(tried.insiders, 'insider')}", INTERVAL, number=True),
        *([Column("All attacks played", "the most on one split", number=True)] if others else []),
        Column("Neighbours kept", INTERVAL, number=True),
        Column("Clusters", "1 = the same", number=True),
        Column("Meets the limit?"),
    )
    rows = [
        (
            f"jitter, {one.jitter:g} step",
            share(one.breach_rate),
            sampled(one.insiders, near=tried.target),
            *([_played(tried, one.played)] if others else []),
            sampled(one.neighbours),
            f"{one.clusters:.2f}",
            _meets(tried, one),
        )
        for one in tried.jitter
    ]
    rows += [
        (
            f"noise, {one.noise:g}",
            share(max(one.attackers.values())) if one.attackers else "not tried",
            sampled(one.breach_rate, near=tried.target),
            *([_played(tried, one.played)] if others else []),
            sampled(one.neighbours),
            f"{one.clusters:.2f}",
            _meets(tried, one),
        )
        for one in tried.levels
    ]
    failed = [(name, one) for name, one in played if one is not None and one.share > tried.target]
    strongest = [
        Text(f"{capital(stopped(one, tried.target))}.", title=f"Played against {name}:") for name, one in failed[-1:]
    ]
    return Section(
        "What would help",
        (Table("What noise and jitter bring and cost", heads, tuple(rows), _remedies_note(tried)), *strongest),
        remedies_lead(result),
    )


def _remedies_note(tried: Remedies) -> str:
    loose = (
        " This table has no clear clusters: searched from elsewhere, the original itself gives others (agreement "
        f"{tried.stability:.2f}), so that this column says little."
        if tried.stability < _CLEAR
        else ""
    )
    return (
        "Noise: relative to the table's spread. Jitter: each value is moved at random, by up to half of this part of "
        "its step. Distance attack: insiders know their rows. All attacks are played against levels that stop it, "
        "until one exceeds the limit on a split. Neighbours: share of the nearest that stay nearest. Clusters: how far "
        f"those of the original are found again; 0 is chance.{loose}"
    )


def _played(tried: Remedies, one: Stopped | None) -> str:
    return "not tried" if one is None else share(one.share, near=tried.target)


def _meets(tried: Remedies, one: NoiseFigures | JitterFigures) -> str:
    return "yes" if one.opens else "not sure" if _unsure(tried, one) else "no"
