# SPDX-License-Identifier: BSD-3-Clause
"""Every number that the paper states in words, beside what its attack and ours do here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from isobreach._phrases import cell, percent, probability
from isobreach.experiments import Results, TableName, certain_from, crossing, growth, spoken_of

ByName = Mapping[str, Results]

_TABLE_NAMES: dict[TableName, str] = {"gaussian": "synthetic", "letter": "real"}
_LEAST = 0.001  # of a standard deviation that is shown
_TIMES_AS_LONG = 100, 1000  # that Kaplan's estimate takes, in the paper's words


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper; what its attack does here, and what ours does. ``timed``: a matter of run times."""

    figure: str
    said: str
    theirs: str
    ours: str
    timed: bool = False


def claims(found: ByName) -> list[Claim]:
    """Every number that the paper states in words, as far as the experiments that it is about were run."""
    makers: dict[str, tuple[Callable[[Results], list[Claim]], ...]] = {
        "gaussian-known": (_gaussian_known,),
        "letter-known": (_letter_known,),
        "letter-epsilon": (_letter_epsilon,),
        "size": (_size,),
        "kaplan": (_kaplan, _kaplan_seconds),
    }
    made = [claim for name, results in found.items() for make in makers[name] for claim in make(results)]
    return sorted(made, key=lambda claim: claim.timed)  # stable: run times last, each in the order of the figures


def _gaussian_known(results: Results) -> list[Claim]:
    last = results.experiment.points[-1].x
    return [
        Claim(
            "2, top",
            "all known records of the synthetic table are linked",
            _range(results, "linked paper's algorithms", "gaussian", "share linked"),
            _range(results, "linked backbone", "gaussian", "share linked"),
        ),
        Claim(
            "2, bottom",
            "ρ(0.15) goes from 0 to 1 very sharply, around 60 known records",
            f"as printed, it passes 1/2 {_between(crossing(results, 'published uniquely-valid', 'gaussian'))} known; "
            f"formula corrected, {_between(crossing(results, 'uniform uniquely-valid', 'gaussian'))}",
            f"passes 1/2 {_between(crossing(results, 'optimal backbone', 'gaussian'))} known",
        ),
        Claim(
            "2, bottom",
            "ρ reaches 1 when there are as many independent known records as dimensions, 100",
            _at(results, "published uniquely-valid", "gaussian", 100),
            _at(results, "optimal backbone", "gaussian", 100),
        ),
        Claim(
            "2, middle",
            "linking takes less than 450 s with 100 known records",
            _both_ways(_seconds, results, "gaussian", last),
            _seconds(results, "link backbone", "gaussian", last),
            timed=True,
        ),
        Claim(
            "2, middle",
            "linking time grows linearly with the number of known records",
            _both_ways(_growth, results, "gaussian"),
            _growth(results, "link backbone", "gaussian"),
            timed=True,
        ),
    ]


def _letter_known(results: Results) -> list[Claim]:
    last = results.experiment.points[-1].x
    return [
        Claim(
            "3, top",
            "linking on the real table is nearly perfect",
            _from_three(results, "linked paper's algorithms"),
            _from_three(results, "linked backbone"),
        ),
        Claim(
            "3, bottom",
            "ρ(0.15) = 1 with as few as 4 known records",
            f"{_at(results, 'published uniquely-valid', 'letter', 4)} with 4; in every trial from "
            f"{_place(certain_from(results, 'published uniquely-valid', 'letter'))} known on",
            f"{_at(results, 'optimal backbone', 'letter', 4)} with 4; in every trial from "
            f"{_place(certain_from(results, 'optimal backbone', 'letter'))} known on",
        ),
        Claim(
            "3, middle",
            "linking takes less than 45 s with 16 known records",
            _both_ways(_seconds, results, "letter", last),
            _seconds(results, "link backbone", "letter", last),
            timed=True,
        ),
        Claim(
            "3, middle",
            "the attack takes less than 30 s with 4 known records",
            "linking: " + _both_ways(_seconds, results, "letter", 4),
            "linking: " + _seconds(results, "link backbone", "letter", 4),
            timed=True,
        ),
        Claim(
            "3, middle",
            "linking time grows more slowly than linearly with the number of known records",
            _both_ways(_growth, results, "letter"),
            _growth(results, "link backbone", "letter"),
            timed=True,
        ),
    ]


def _letter_epsilon(results: Results) -> list[Claim]:
    said = "with 4 known records, less than 7% error with probability exceeding 0.8"
    printed, corrected, optimal = (
        (name, crossing(results, name, "letter", 0.8))
        for name in ("published uniquely-valid", "uniform uniquely-valid", "optimal backbone")
    )
    return [
        Claim(
            "4 and abstract",
            said,
            f"as printed, {_at(results, printed[0], 'letter', 0.07)}; formula corrected, "
            f"{_at(results, corrected[0], 'letter', 0.07)}; 0.8 is passed {_between(corrected[1], percent)} error",
            f"{_at(results, optimal[0], 'letter', 0.07)}; 0.8 is passed {_between(optimal[1], percent)} error",
        )
    ]


def _size(results: Results) -> list[Claim]:
    return [
        Claim(
            "5",
            f"linking time grows linearly with the number of rows ({_TABLE_NAMES[table]} table)",
            _both_ways(_growth, results, table),
            _growth(results, "link backbone", table),
            timed=True,
        )
        for table in results.experiment.tables
    ]


def _kaplan(results: Results) -> list[Claim]:
    made = []
    for table in results.experiment.tables:
        at = spoken_of(results, table)

        def mean(series: str, table: TableName = table, at: float = at) -> str:
            return f"{results.at(series, table, at):.3f}"

        made.append(
            Claim(
                "6",
                f"the paper's attack is significantly more accurate than Kaplan's ({_TABLE_NAMES[table]} table)",
                f"mean error with {at:g} known: best row {mean('best row uniform')} against Kaplan's random row "
                f"{mean('random row kaplan')}; of the same random row {mean('random row uniform')} against "
                f"{mean('random row kaplan')}, of the same best row {mean('best row uniform')} against "
                f"{mean('best row kaplan')}",
                f"mean error with {at:g} known: random row, optimal {mean('random row optimal')}, centre "
                f"{mean('random row centre')}; best row, optimal {mean('best row optimal')}, centre "
                f"{mean('best row centre')}",
            )
        )
    return made


def _kaplan_seconds(results: Results) -> list[Claim]:
    def ratios(above: str, *below: str) -> tuple[float, float]:
        found = [
            a / sum(b)
            for table in results.experiment.tables
            for a, *b in zip(
                results.curve(above, table)[1], *(results.curve(one, table)[1] for one in below), strict=True
            )
        ]
        return min(found), max(found)

    slow = "kaplan in array statements"
    first, further = ratios(slow, "fit", "estimate"), ratios(slow, "estimate")
    compiled = ratios("kaplan", "fit", "estimate"), ratios("kaplan", "estimate")
    return [
        Claim(
            "6, text",
            "an estimate of one row takes Kaplan 100 to 1000 times as long",
            f"Kaplan in array statements: {_times(first)} if choosing the motion counts, {_verdict(first)}; "
            f"{_times(further)} for each further estimate, {_verdict(further)}. "
            f"Compiled: {_times(compiled[0])} and {_times(compiled[1])}. So the number is one of how the two are "
            "programmed and counted",
            "as the paper's: the same motion, one product for each estimate",
            timed=True,
        )
    ]


def _times(ratios: tuple[float, float]) -> str:
    low, high = (f"{value:.2g}" if value < 10 else f"{value:,.0f}" for value in ratios)
    return f"{low} to {high} times"


def _verdict(ratios: tuple[float, float]) -> str:
    """Where the paper's range of ratios lies.

    >>> _verdict((11, 53)), _verdict((120, 900)), _verdict((60, 300)), _verdict((2000, 5000))
    ('less than that', 'which is that', 'in part that', 'more than that')
    """
    low, high = ratios
    least, most = _TIMES_AS_LONG
    if high < least:
        return "less than that"
    if low > most:
        return "more than that"
    return "which is that" if least <= low and high <= most else "in part that"


def _both_ways(said: Callable[..., str], results: Results, *where: Any) -> str:
    """Of the paper's algorithms, with norms computed in every scan and once: the text leaves it open."""
    return (
        said(results, "paper's algorithms", *where)
        + "; with norms computed once: "
        + said(results, "paper's algorithms with norms once", *where)
    )


def _at(results: Results, series: str, table: TableName, x: float) -> str:
    places, means, deviations = results.curve(series, table)
    if x not in places:
        return "not among these points"
    place = places.tolist().index(x)
    mean, deviation = means[place], deviations[place]
    value = cell(probability(float(mean)))
    if results.experiment.trials == 1 or (mean == 1 and deviation == 0):
        return value
    return f"{value} ± {deviation:.3f}" if deviation >= _LEAST else f"{value} ± less than {_LEAST}"


def _range(results: Results, series: str, table: TableName, label: str) -> str:
    _, means, _ = results.curve(series, table)
    low, high = means.min(), means.max()
    return f"{label} {low:.3g} at every point" if low == high else f"{label} {low:.3f} to {high:.3f}"


def _from_three(results: Results, series: str) -> str:
    x, means, _ = results.curve(series, "letter")
    more = means[x >= 3]
    two = f"; {means[x == 2][0]:.2f} with 2" if (x == 2).any() else ""
    some = f"{more.min():.3g}" if more.min() == more.max() else f"{more.min():.3g} to {more.max():.3g}"
    return f"share linked {some} with 3 or more{two}"


def _seconds(results: Results, series: str, table: TableName, x: float) -> str:
    places, means, _ = results.curve(series, table)
    return duration(means[places.tolist().index(x)]) if x in places else "not among these points"


def duration(seconds: float) -> str:
    """Seconds in a unit that suits them.

    >>> duration(123.4), duration(0.00456), duration(3e-6)
    ('123 s', '4.6 ms', '3.0 µs')
    """
    factor, unit = next((one for one in ((1.0, "s"), (1e3, "ms")) if seconds * one[0] >= 1), (1e6, "µs"))
    value = seconds * factor
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"


def _growth(results: Results, series: str, table: TableName) -> str:
    if len(results.curve(series, table)[0]) < 3:
        return "too few points to tell"
    grown = growth(results, series, table)
    return f"as the power {grown.exponent:.2f}; a straight line has R² = {grown.straight:.2f}"


def _place(x: float | None) -> str:
    return "no number of" if x is None else f"{x:.0f}"


def _between(places: tuple[float, float] | None, said: Callable[[float], str] = "{:g}".format) -> str:
    if places is None:
        return "nowhere, up to the largest number of"
    return f"at {said(places[1])}" if places[0] == places[1] else f"between {said(places[0])} and {said(places[1])}"
