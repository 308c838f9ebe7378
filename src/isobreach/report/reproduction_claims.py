# SPDX-License-Identifier: BSD-3-Clause
"""Every number that the paper states in words, beside what its attack and ours do here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from isobreach.experiments import Results, TableName, certain_from, crossing, growth
from isobreach.report.phrases import percent

ByName = Mapping[str, Results]


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
            _seconds(results, "paper's algorithms", "gaussian", last),
            _seconds(results, "link backbone", "gaussian", last),
            timed=True,
        ),
        Claim(
            "2, middle",
            "linking time grows linearly with the number of known records",
            _growth(results, "paper's algorithms", "gaussian"),
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
            _seconds(results, "paper's algorithms", "letter", last),
            _seconds(results, "link backbone", "letter", last),
            timed=True,
        ),
        Claim(
            "3, middle",
            "the attack takes less than 30 s with 4 known records",
            "linking: " + _seconds(results, "paper's algorithms", "letter", 4),
            "linking: " + _seconds(results, "link backbone", "letter", 4),
            timed=True,
        ),
        Claim(
            "3, middle",
            "linking time grows more slowly than linearly with the number of known records",
            _growth(results, "paper's algorithms", "letter"),
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
    names: dict[TableName, str] = {"gaussian": "synthetic", "letter": "real"}
    return [
        Claim(
            "5",
            f"linking time grows linearly with the number of rows ({name} table)",
            _growth(results, "paper's algorithms", table),
            _growth(results, "link backbone", table),
            timed=True,
        )
        for table, name in names.items()
    ]


def _kaplan(results: Results) -> list[Claim]:
    names: dict[TableName, str] = {"gaussian": "synthetic", "letter": "real"}
    made = []
    for table, name in names.items():
        x = [point.x for point in results.experiment.points if point.table == table]
        some = 4.0 if table == "letter" else 60.0
        at = some if some in x else x[0]

        def mean(series: str, table: TableName = table, at: float = at) -> str:
            return f"{results.at(series, table, at):.3f}"

        made.append(
            Claim(
                "6",
                f"the paper's attack is significantly more accurate than Kaplan's ({name} table)",
                f"mean error with {at:g} known: best row {mean('best row uniform')} against Kaplan's random row "
                f"{mean('random row kaplan')}; of the same random row {mean('random row uniform')} against "
                f"{mean('random row kaplan')}, of the same best row {mean('best row uniform')} against "
                f"{mean('best row kaplan')}",
                f"mean error with {at:g} known: random row {mean('random row optimal')}, best row "
                f"{mean('best row optimal')}",
            )
        )
    return made


def _kaplan_seconds(results: Results) -> list[Claim]:
    def ratios(above: str, *below: str) -> str:
        found = [
            a / sum(b)
            for table in results.experiment.tables
            for a, *b in zip(
                results.curve(above, table)[1], *(results.curve(one, table)[1] for one in below), strict=True
            )
        ]
        low, high = (f"{value:.2g}" if value < 10 else f"{value:,.0f}" for value in (min(found), max(found)))
        return f"{low} to {high}"

    slow = "kaplan in array statements"
    interpreted = ratios(slow, "fit", "estimate"), ratios(slow, "estimate")
    return [
        Claim(
            "6, text",
            "an estimate of one row takes Kaplan 100 to 1000 times as long",
            f"Kaplan in array statements against an estimate with its motion: {interpreted[0]} times; against each "
            f"further estimate: {interpreted[1]}",
            f"Kaplan compiled: {ratios('kaplan', 'fit', 'estimate')} times; against each further estimate: "
            f"{ratios('kaplan', 'estimate')}",
            timed=True,
        )
    ]


def _at(results: Results, series: str, table: TableName, x: float) -> str:
    places, means, deviations = results.curve(series, table)
    if x not in places:
        return "not among these points"
    place = places.tolist().index(x)
    mean, deviation = means[place], deviations[place]
    if mean == 1 and deviation == 0:
        return "1"
    return f"{mean:.3f} ± {deviation:.3f}"


def _range(results: Results, series: str, table: TableName, label: str) -> str:
    _, means, _ = results.curve(series, table)
    low, high = means.min(), means.max()
    return f"{label} {low:.3g} at every point" if low == high else f"{label} {low:.3f} to {high:.3f}"


def _from_three(results: Results, series: str) -> str:
    x, means, _ = results.curve(series, "letter")
    more = means[x >= 3]
    two = f"; {means[x == 2][0]:.2f} with 2" if (x == 2).any() else ""
    return f"share linked {more.min():.3g} to {more.max():.3g} with 3 or more{two}"


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
