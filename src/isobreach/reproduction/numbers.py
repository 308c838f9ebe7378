# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of the paper's experiments as CSV and as JSON."""

from typing import Any

from isobreach.reproduction.claims import claims
from isobreach.reproduction.experiment import ByName, Results

_DIGITS = 10  # of numbers in CSV: beyond them processors differ


def results_csv(results: Results) -> dict[str, str]:
    """Files of an experiment: mean and deviation a line; every trial a line; the same of run times, apart."""
    name, numbers, seconds = results.experiment.name, results.experiment.numbers, results.experiment.seconds
    files = {f"{name}.csv": _summary(results, numbers), f"{name}_trials.csv": _every_trial(results, numbers)}
    return files | ({f"{name}_times.csv": _summary(results, seconds)} if seconds else {})


def _summary(results: Results, names: tuple[str, ...]) -> str:
    experiment = results.experiment
    lines = [f"table,{experiment.varied},series,mean,standard deviation,trials"]
    for table in experiment.tables:
        for name in names:
            for x, *values in zip(*results.curve(name, table), strict=True):
                shown = ",".join(_number(value) for value in values)
                lines.append(f"{table},{_number(x)},{name},{shown},{experiment.trials}")
    return "\n".join(lines) + "\n"


def _every_trial(results: Results, names: tuple[str, ...]) -> str:
    experiment = results.experiment
    lines = [",".join(["table", experiment.varied, "trial", *names])]
    for point, trials in zip(experiment.points, results.numbers, strict=True):
        for number, values in enumerate(trials, 1):
            lines.append(",".join([point.table, _number(point.x), str(number), *map(_number, values)]))
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return f"{value:.{_DIGITS}g}"


def reproduction_json(found: ByName, *, seed: int, quick: bool) -> dict[str, Any]:
    """All curves and claims, for machines."""
    return {
        "schema": "isobreach/reproduce/1",
        "seed": seed,
        "quick": quick,
        "figures": {
            name: {
                "figure": results.experiment.figure,
                "varied": results.experiment.varied,
                "trials": results.experiment.trials,
                "curves": _curves(results),
            }
            for name, results in found.items()
        },
        "claims": [
            {"figure": one.figure, "paper": one.said, "its attack": one.theirs, "ours": one.ours}
            for one in claims(found)
        ],
    }


def _curves(results: Results) -> list[dict[str, Any]]:
    keys = ("table", "series", "x", "mean", "deviation")
    return [
        dict(zip(keys, (table, series, *(values.tolist() for values in results.curve(series, table))), strict=True))
        for table in results.experiment.tables
        for series in (*results.experiment.numbers, *results.experiment.seconds)
    ]
