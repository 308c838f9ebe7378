# SPDX-License-Identifier: BSD-3-Clause
"""What was done to reproduce the paper: only figures that are there, with the numbers that they have."""

from collections.abc import Callable, Sequence

import numpy as np

from isobreach._phrases import count, percent
from isobreach.document import Section, Text
from isobreach.reproduction.experiment import ByName, Results
from isobreach.reproduction.parameters import PAPER, QUICK
from isobreach.reproduction.trials import KAPLAN_LINKED

_METHOD = (
    "{tables}; behind a secret orthogonal motion, rows shuffled. X and Y stay the same; in each trial linearly "
    "independent records are drawn at random and become the known ones. {epsilons}{trials}. Error bars are one "
    "standard deviation, cut where nothing can lie."
)
_LINKING = (
    "It is run by its own Algorithms 1 to 3 (E2 mended; each scan over the release is one array expression), and by "
    'our linker under the paper\'s rule, "uniquely valid". ρ is the breach probability of the most exposed row that is '
    "not linked, by the formula as printed and by the corrected one (E1)."
)
_OURS = (
    'The "backbone" rule, all links that every valid assignment shares, and the "optimal" estimate, which maximises '
    "the breach probability: docs/known-input.md."
)
_KAPLAN_OPEN = (
    " Kaplan's attack is reconstructed from first principles with the paper's learning rate and number of iterations; "
    "its start is uniform in the range of the table. It is an attack like others here: isobreach attack kaplan."
)
_GIVEN = (
    "In Figure 6 all links are given, to every estimate alike. The paper's step there is Algorithm 5, which links "
    "first."
)
_UNLINKED = (
    "It links none {where}: Algorithm 5, which requires a link, has no estimate then, and what a uniformly random "
    "motion gives errs by about √2. The errors below are those of an attacker who is told the links."
)

_TABLES = {
    "gaussian": "a Gaussian table of {rows:,} × 100 whose mean and covariance are themselves drawn",
    "letter": "Letter Recognition without repeated records, 18,668 × 16",
}
_GRIDS_OPEN = ("gaussian-known", "letter-known", "letter-epsilon", "kaplan")


def method(found: ByName, *, quick: bool) -> Section:
    """What was done, as far as it was: only figures that are there, with the numbers that they have."""
    rows = (QUICK if quick else PAPER).gaussian_rows
    names = list(dict.fromkeys(table for results in found.values() for table in results.experiment.tables))
    tables = ", and ".join(_TABLES[name].format(rows=rows) for name in sorted(names))
    by_trials: dict[int, list[int]] = {}
    for results in found.values():
        by_trials.setdefault(results.experiment.trials, []).append(results.experiment.figure)
    trials = "; ".join(f"{count(number, 'trial')} a point in {_figures(which)}" for number, which in by_trials.items())
    as_there = _METHOD.format(tables=tables[0].upper() + tables[1:], epsilons=_epsilons(found), trials=trials)
    said = [Text(as_there, title="As in the paper.")]
    said += [Text(_LINKING, title="The paper's attack.")] if set(found) - {"kaplan"} else []
    said += [Text(_OURS, title="Ours."), Text(_open(found), title="Left open by the text.")]
    said += [Text(_given(found["kaplan"]), title="A departure.")] if "kaplan" in found else []
    return Section("What was done", tuple(said))


def _figures(numbers: Sequence[int]) -> str:
    """Figures by their numbers.

    >>> _figures([2]), _figures([2, 3, 5])
    ('Figure 2', 'Figures 2, 3 and 5')
    """
    *most, last = (str(number) for number in numbers)
    return f"Figures {', '.join(most)} and {last}" if most else f"Figure {last}"


def _epsilons(found: ByName) -> str:
    fixed = [found[name].experiment.figure for name in ("gaussian-known", "letter-known") if name in found]
    said = [f"ε = {percent(PAPER.epsilon)} in {_figures(fixed)}"] if fixed else []
    if "letter-epsilon" in found:
        said.append(f"ε is varied in {_figures([found['letter-epsilon'].experiment.figure])}")
    if "kaplan" in found:
        gaussian, letter = percent(PAPER.kaplan_epsilon.gaussian), percent(PAPER.kaplan_epsilon.letter)
        figure = _figures([found["kaplan"].experiment.figure])
        said.append(f"in {figure} ε is {gaussian} for the Gaussian and {letter} for Letter, as a footnote has it")
    return "; ".join(said) + ". " if said else ""


def _open(found: ByName) -> str:
    """What the paper's text leaves open, and what was chosen."""
    chosen = []
    for one in (found[name].experiment for name in _GRIDS_OPEN if name in found):
        epsilon = one.varied == "epsilon"
        what = "values of ε" if epsilon else "numbers of known records"
        grids = [_grid(one.x(table), percent if epsilon else "{:g}".format) for table in one.tables]
        chosen.append(f"the {what} of Figure {one.figure} (here {' and '.join(grids)})")
    if any(name in found for name in ("gaussian-known", "letter-known", "size")):
        chosen.append(
            f"what counts as equal in Algorithms 1 to 3 (here lengths that differ by at most {PAPER.tolerance:.0e}), "
            "and whether the released norms are computed once or in every scan (run times are given for both)"
        )
    said = "; ".join(chosen)
    return f"{said[:1].upper()}{said[1:]}.{_KAPLAN_OPEN if 'kaplan' in found else ''}"


def _grid(x: Sequence[float], shown: Callable[[float], str]) -> str:
    """Places on an axis: their ends and the step, or all of them where they are few or have no step.

    >>> _grid([10, 20, 30, 40], "{:g}".format), _grid([2, 3, 4, 16], "{:g}".format)
    ('10 to 40 by 10', '2, 3, 4, 16')
    """
    steps = np.diff(x)
    if len(x) > 3 and np.allclose(steps, steps[0]):
        return f"{shown(x[0])} to {shown(x[-1])} by {shown(float(steps[0]))}"
    return ", ".join(shown(one) for one in x)


def _given(results: Results) -> str:
    """How Figure 6 departs from the paper, and where that matters."""
    trials = results.experiment.trials
    shares, said, linked = results.trials(KAPLAN_LINKED), [], []
    for place, point in enumerate(results.experiment.points):
        none = int((shares[place] == 0).sum())
        if none:
            said.append(f"with {point.x:g} known records of {point.table.title()} in {none} of {trials} trials")
        else:
            linked.append(shares[place].mean())
    unlinked = _UNLINKED.format(where=" and ".join(said)) if said else ""
    elsewhere = f"{'Elsewhere it' if said else 'It'} links {_share(linked)} of them." if linked else ""
    return " ".join(filter(None, [_GIVEN, unlinked, elsewhere]))


def _share(means: Sequence[float]) -> str:
    low, high = f"{100 * min(means):.3g}%", f"{100 * max(means):.3g}%"
    return low if low == high else f"{low} to {high}"
