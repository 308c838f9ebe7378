# SPDX-License-Identifier: BSD-3-Clause
"""The five experiments with the paper's parameters ("Experiments and Discussion"), and a quick version of each.

Where the paper's text leaves a figure's grid open, as in Figures 2, 3, 4 and 6, ours contains the places that its
sentences speak of: every tenth number of known records, every number, 1% to 20% error, and those of Figures 2 and 3.
"""

from collections.abc import Iterable
from dataclasses import replace

from isobreach._validation import check_choice
from isobreach.experiments import trials
from isobreach.experiments.experiment import Experiment, Point
from isobreach.experiments.tables import TableName

GAUSSIAN_ROWS = 100_000
QUICK_GAUSSIAN_ROWS = 5_000

_TRIALS, _KAPLAN_TRIALS = 10, 100
_QUICK_TRIALS, _QUICK_KAPLAN_TRIALS = 3, 12


def _points(table: TableName, places: Iterable[float]) -> tuple[Point, ...]:
    return tuple(Point(table, x) for x in places)


_KNOWN_NUMBERS = (*trials.LINKED, *trials.PROBABILITIES)

_FULL = (
    Experiment(
        name="gaussian-known",
        figure=2,
        varied="known",
        points=_points("gaussian", range(10, 101, 10)),
        trials=_TRIALS,
        numbers=_KNOWN_NUMBERS,
        seconds=trials.LINKING_SECONDS,
        trial=trials.known_trial,
    ),
    Experiment(
        name="letter-known",
        figure=3,
        varied="known",
        points=_points("letter", range(2, 17)),
        trials=_TRIALS,
        numbers=_KNOWN_NUMBERS,
        seconds=trials.LINKING_SECONDS,
        trial=trials.known_trial,
    ),
    Experiment(
        name="letter-epsilon",
        figure=4,
        varied="epsilon",
        points=_points("letter", (percent / 100 for percent in range(1, 21))),
        trials=_TRIALS,
        numbers=trials.PROBABILITIES,
        seconds=(),
        trial=trials.epsilon_trial,
        same_draws=True,
        side_by_side=True,
    ),
    Experiment(
        name="size",
        figure=5,
        varied="rows",
        points=_points("gaussian", range(10_000, 100_001, 10_000)) + _points("letter", range(2_000, 18_001, 2_000)),
        trials=_TRIALS,
        numbers=trials.LINKED,
        seconds=trials.LINKING_SECONDS,
        trial=trials.size_trial,
    ),
    Experiment(
        name="kaplan",
        figure=6,
        varied="known",
        points=_points("gaussian", range(10, 101, 10)) + _points("letter", range(2, 17, 2)),
        trials=_KAPLAN_TRIALS,
        numbers=(*trials.ERRORS, trials.KAPLAN_LINKED),
        seconds=trials.KAPLAN_SECONDS,
        trial=trials.kaplan_trial,
        side_by_side=True,
    ),
)

NAMES = tuple(experiment.name for experiment in _FULL)

_QUICK_POINTS = {
    "gaussian-known": _points("gaussian", (20, 60, 80, 100)),
    "letter-known": _points("letter", (2, 3, 4, 16)),
    "letter-epsilon": _points("letter", (0.03, 0.05, 0.07, 0.15)),
    "size": _points("gaussian", (2_500, 5_000)) + _points("letter", (2_000, 18_000)),
    "kaplan": _points("gaussian", (20, 60, 100)) + _points("letter", (4, 8, 16)),
}


def experiment(name: str, *, quick: bool = False, trials: int | None = None) -> Experiment:
    """The experiment of a name; ``trials`` in place of its own number of them."""
    check_choice("figure", name, NAMES)
    found = _FULL[NAMES.index(name)]
    if quick:
        number = _QUICK_KAPLAN_TRIALS if name == "kaplan" else _QUICK_TRIALS
        found = replace(found, points=_QUICK_POINTS[name], trials=number)
    return found if trials is None else replace(found, trials=trials)
