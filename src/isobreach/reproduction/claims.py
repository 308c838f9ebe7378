# SPDX-License-Identifier: BSD-3-Clause
"""Every number that the paper states in words, beside what its attack and ours do here."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from isobreach._phrases import cell, percent, probability
from isobreach.reproduction.experiment import ByName, Results
from isobreach.reproduction.parameters import PAPER, TableName

_TABLE_NAMES: dict[TableName, str] = {"gaussian": "synthetic", "letter": "real"}
_LEAST = 0.001  # of a standard deviation that is shown
_PRINTED, _CORRECTED, _OPTIMAL = "published uniquely-valid", "uniform uniquely-valid", "optimal backbone"
_LESS, _WITH_KNOWN = "less than {} s with {} known records", "with the number of known records"
_ABSENT = "not among these points"


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper; what its attack does here, and what ours does. ``timed``: a matter of run times."""

    figure: str
    said: str
    theirs: str
    ours: str
    _: KW_ONLY
    timed: bool = False


def claims(found: ByName) -> list[Claim]:
    """Every number that the paper states in words, as far as the experiments that it is about were run."""
    made = [claim for name, results in found.items() for claim in _MAKERS[name](results)]
    return sorted(made, key=lambda claim: claim.timed)  # stable: run times last, each in the order of the figures


def _both(figure: str, said: str, words: Callable[..., str], results: Results, series: str, *where: Any) -> Claim:
    """A claim about a number that is the same of the paper's algorithms and of our linker."""
    theirs, ours = (words(results, f"{series} {whose}", *where) for whose in ("paper's algorithms", "backbone"))
    return Claim(figure, said, theirs, ours)


def _timed(figure: str, said: str, words: Callable[..., str], results: Results, *where: Any, what: str = "") -> Claim:
    """A claim about linking times: with norms computed in every scan and once, since the text leaves it open."""
    every, once, ours = (
        words(results, series, *where)
        for series in ("paper's algorithms", "paper's algorithms with norms once", "link backbone")
    )
    return Claim(figure, said, f"{what}{every}; with norms computed once: {once}", what + ours, timed=True)


def _gaussian_known(results: Results) -> list[Claim]:
    last = results.experiment.points[-1].x
    printed, corrected, optimal = (
        _between(results.crossing(series, "gaussian")) for series in (_PRINTED, _CORRECTED, _OPTIMAL)
    )
    return [
        _both("2, top", "all known records of the synthetic table are linked", _range, results, "linked"),
        Claim(
            "2, bottom",
            "ρ(0.15) goes from 0 to 1 very sharply, around 60 known records",
            f"as printed, it passes 1/2 {printed} known; formula corrected, {corrected}",
            f"passes 1/2 {optimal} known",
        ),
        Claim(
            "2, bottom",
            "ρ reaches 1 when there are as many independent known records as dimensions, 100",
            *(_at(results, series, "gaussian", 100) for series in (_PRINTED, _OPTIMAL)),
        ),
        _timed("2, middle", f"linking takes {_LESS.format(450, 100)}", _seconds, results, "gaussian", last),
        _timed("2, middle", f"linking time grows linearly {_WITH_KNOWN}", _growth, results, "gaussian"),
    ]


def _letter_known(results: Results) -> list[Claim]:
    last = results.experiment.points[-1].x
    return [
        _both("3, top", "linking on the real table is nearly perfect", _from_three, results, "linked"),
        Claim(
            "3, bottom",
            "ρ(0.15) = 1 with as few as 4 known records",
            *(
                f"{_at(results, series, 'letter', 4)} with 4; in every trial from "
                f"{_place(results.certain_from(series, 'letter'))} known on"
                for series in (_PRINTED, _OPTIMAL)
            ),
        ),
        _timed("3, middle", f"linking takes {_LESS.format(45, 16)}", _seconds, results, "letter", last),
        _timed(
            "3, middle", f"the attack takes {_LESS.format(30, 4)}", _seconds, results, "letter", 4, what="linking: "
        ),
        _timed("3, middle", f"linking time grows more slowly than linearly {_WITH_KNOWN}", _growth, results, "letter"),
    ]


def _letter_epsilon(results: Results) -> list[Claim]:
    printed, corrected, optimal = (_at(results, series, "letter", 0.07) for series in (_PRINTED, _CORRECTED, _OPTIMAL))
    theirs, ours = (
        f"0.8 is passed {_between(results.crossing(series, 'letter', 0.8), percent)} error"
        for series in (_CORRECTED, _OPTIMAL)
    )
    return [
        Claim(
            "4 and abstract",
            "with 4 known records, less than 7% error with probability exceeding 0.8",
            f"as printed, {printed}; formula corrected, {corrected}; {theirs}",
            f"{optimal}; {ours}",
        )
    ]


def _size(results: Results) -> list[Claim]:
    said = "linking time grows linearly with the number of rows ({} table)"
    return [
        _timed("5", said.format(_TABLE_NAMES[table]), _growth, results, table) for table in results.experiment.tables
    ]


def _kaplan(results: Results) -> list[Claim]:
    made = []
    for table in results.experiment.tables:
        at = spoken_of(results, table)
        mean = {name: f"{results.at(name, table, at):.3f}" for name in results.experiment.numbers}
        made.append(
            Claim(
                "6",
                f"the paper's attack is significantly more accurate than Kaplan's ({_TABLE_NAMES[table]} table)",
                f"mean error with {at:g} known: best row {mean['best row uniform']} against Kaplan's random row "
                f"{mean['random row kaplan']}; of the same random row {mean['random row uniform']} against "
                f"{mean['random row kaplan']}, of the same best row {mean['best row uniform']} against "
                f"{mean['best row kaplan']}",
                f"mean error with {at:g} known: random row, optimal {mean['random row optimal']}, centre "
                f"{mean['random row centre']}; best row, optimal {mean['best row optimal']}, centre "
                f"{mean['best row centre']}",
            )
        )
    return [*made, _kaplan_seconds(results)]


def spoken_of(results: Results, table: TableName) -> float:
    """The number of known records that the paper's sentences speak of, or the first there is."""
    x, named = results.experiment.x(table), PAPER.spoken_of[table]
    return named if named in x else x[0]


def _kaplan_seconds(results: Results) -> Claim:
    def ratios(above: str, *below: str) -> tuple[float, float]:
        found = [
            results.at(above, point.table, point.x) / sum(results.at(one, point.table, point.x) for one in below)
            for point in results.experiment.points
        ]
        return min(found), max(found)

    first, further = (ratios("kaplan in array statements", *below) for below in (("fit", "estimate"), ("estimate",)))
    compiled = (_times(ratios("kaplan", *below)) for below in (("fit", "estimate"), ("estimate",)))
    return Claim(
        "6, text",
        "an estimate of one row takes Kaplan 100 to 1000 times as long",
        f"Kaplan in array statements: {_times(first)} if choosing the motion counts, {_verdict(first)}; "
        f"{_times(further)} for each further estimate, {_verdict(further)}. Compiled: {' and '.join(compiled)}. "
        "So the number is one of how the two are programmed and counted",
        "as the paper's: the same motion, one product for each estimate",
        timed=True,
    )


_MAKERS: dict[str, Callable[[Results], list[Claim]]] = {
    "gaussian-known": _gaussian_known,
    "letter-known": _letter_known,
    "letter-epsilon": _letter_epsilon,
    "size": _size,
    "kaplan": _kaplan,
}


def _times(ratios: tuple[float, float]) -> str:
    low, high = (f"{value:.2g}" if value < 10 else f"{value:,.0f}" for value in ratios)
    return f"{low} to {high} times"


def _verdict(ratios: tuple[float, float]) -> str:
    """Where the paper's range of ratios lies.

    >>> _verdict((11, 53)), _verdict((120, 900)), _verdict((60, 300)), _verdict((2000, 5000))
    ('less than that', 'which is that', 'in part that', 'more than that')
    """
    (low, high), (least, most) = ratios, PAPER.times_as_long
    if high < least:
        return "less than that"
    if low > most:
        return "more than that"
    return "which is that" if least <= low and high <= most else "in part that"


def _at(results: Results, series: str, table: TableName, x: float) -> str:
    places, means, deviations = results.curve(series, table)
    if x not in places:
        return _ABSENT
    place = places.tolist().index(x)
    mean, deviation = means[place], deviations[place]
    value = cell(probability(float(mean)))
    if results.experiment.trials == 1 or (mean == 1 and deviation == 0):
        return value
    return f"{value} ± {deviation:.3f}" if deviation >= _LEAST else f"{value} ± less than {_LEAST}"


def _range(results: Results, series: str) -> str:
    _, means, _ = results.curve(series, "gaussian")
    low, high = means.min(), means.max()
    return f"share linked {low:.3g} at every point" if low == high else f"share linked {low:.3f} to {high:.3f}"


def _from_three(results: Results, series: str) -> str:
    x, means, _ = results.curve(series, "letter")
    more = means[x >= 3]
    two = f"; {means[x == 2][0]:.2f} with 2" if (x == 2).any() else ""
    some = f"{more.min():.3g}" if more.min() == more.max() else f"{more.min():.3g} to {more.max():.3g}"
    return f"share linked {some} with 3 or more{two}"


def _seconds(results: Results, series: str, table: TableName, x: float) -> str:
    return duration(results.at(series, table, x)) if x in results.experiment.x(table) else _ABSENT


def duration(seconds: float) -> str:
    """Seconds in a unit that suits them.

    >>> duration(123.4), duration(0.00456), duration(3e-6)
    ('123 s', '4.6 ms', '3.0 µs')
    """
    factor, unit = next((one for one in ((1.0, "s"), (1e3, "ms")) if seconds * one[0] >= 1), (1e6, "µs"))
    value = seconds * factor
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"


def _growth(results: Results, series: str, table: TableName) -> str:
    if len(results.experiment.x(table)) < 3:
        return "too few points to tell"
    grown = results.growth(series, table)
    return f"as the power {grown.exponent:.2f}; a straight line has R² = {grown.straight:.2f}"


def _place(x: float | None) -> str:
    return "no number of" if x is None else f"{x:.0f}"


def _between(places: tuple[float, float] | None, said: Callable[[float], str] = "{:g}".format) -> str:
    if places is None:
        return "nowhere, up to the largest number of"
    return f"at {said(places[1])}" if places[0] == places[1] else f"between {said(places[0])} and {said(places[1])}"
