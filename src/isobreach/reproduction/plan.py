# SPDX-License-Identifier: BSD-3-Clause
"""The five experiments as the paper has them, and a quick version of each.

Where the paper's text leaves a figure's grid open, as in Figures 2, 3, 4 and 6, ours contains the places that its
sentences speak of: every tenth number of known records, every number, 1% to 20% error, and those of Figures 2 and 3.
"""

from collections.abc import Iterable
from dataclasses import replace

from isobreach._validation import check_choice
from isobreach.reproduction import trials as played
from isobreach.reproduction.experiment import Experiment, Point
from isobreach.reproduction.parameters import PAPER, QUICK
from isobreach.reproduction.perturbed import Tables


def _points(gaussian: Iterable[float] = (), letter: Iterable[float] = ()) -> tuple[Point, ...]:
    return (*(Point("gaussian", x) for x in gaussian), *(Point("letter", x) for x in letter))


_GAUSSIAN_KNOWN = Experiment(
    name="gaussian-known",
    figure=2,
    varied="known",
    points=_points(gaussian=range(10, 101, 10)),
    trials=PAPER.trials,
    numbers=(*played.LINKED, *played.PROBABILITIES),
    seconds=played.LINKING_SECONDS,
    trial=played.known_trial,
)
_FULL = {
    one.name: one
    for one in (
        _GAUSSIAN_KNOWN,
        replace(_GAUSSIAN_KNOWN, name="letter-known", figure=3, points=_points(letter=range(2, 17))),
        Experiment(
            name="letter-epsilon",
            figure=4,
            varied="epsilon",
            points=_points(letter=(percent / 100 for percent in range(1, 21))),
            trials=PAPER.trials,
            numbers=played.PROBABILITIES,
            seconds=(),
            trial=played.epsilon_trial,
            same_draws=True,
            side_by_side=True,
        ),
        Experiment(
            name="size",
            figure=5,
            varied="rows",
            points=_points(range(10_000, 100_001, 10_000), range(2_000, 18_001, 2_000)),
            trials=PAPER.trials,
            numbers=played.LINKED,
            seconds=played.LINKING_SECONDS,
            trial=played.size_trial,
        ),
        Experiment(
            name="kaplan",
            figure=6,
            varied="known",
            points=_points(range(10, 101, 10), range(2, 17, 2)),
            trials=PAPER.kaplan_trials,
            numbers=(*played.ERRORS, played.KAPLAN_LINKED),
            seconds=played.KAPLAN_SECONDS,
            trial=played.kaplan_trial,
            side_by_side=True,
        ),
    )
}
NAMES = tuple(_FULL)

# Few places, those among them that the paper's sentences speak of.
_QUICK_POINTS = {
    "gaussian-known": _points(gaussian=(20, 60, 80, 100)),
    "letter-known": _points(letter=(2, 3, 4, 16)),
    "letter-epsilon": _points(letter=(0.03, 0.05, 0.07, 0.15)),
    "size": _points((2_500, 5_000), (2_000, 18_000)),
    "kaplan": _points((20, 60, 100), (4, 8, 16)),
}


def experiment(name: str, *, quick: bool = False, trials: int | None = None) -> Experiment:
    """The experiment of a name; ``trials`` in place of its own number of them."""
    check_choice("figure", name, NAMES)
    found = _FULL[name]
    if quick:
        number = QUICK.kaplan_trials if name == "kaplan" else QUICK.trials
        found = replace(found, points=_QUICK_POINTS[name], trials=number)
    return found if trials is None else replace(found, trials=trials)


def tables(seed: int, *, quick: bool = False) -> Tables:
    """The tables that all experiments of a run share."""
    return Tables(seed, (QUICK if quick else PAPER).gaussian_rows)
