# SPDX-License-Identifier: BSD-3-Clause
"""The paper's experiments as CSV and as JSON."""

from typing import Any

from isobreach.experiments import Results, TableName
from isobreach.report.reproduction_claims import ByName, claims

_DIGITS = 10  # of numbers in CSV: beyond them processors differ


def results_csv(results: Results) -> dict[str, str]:
    """Files of an experiment: mean and deviation a line; every trial a line; the same of run times, apart."""
    experiment = results.experiment
    files = {}
    if experiment.numbers:
        files[f"{experiment.name}.csv"] = _summary(results, experiment.numbers)
        files[f"{experiment.name}_trials.csv"] = _every_trial(results, experiment.numbers)
    if experiment.seconds:
        files[f"{experiment.name}_times.csv"] = _summary(results, experiment.seconds)
    return files


def _summary(results: Results, names: tuple[str, ...]) -> str:
    experiment = results.experiment
    lines = [f"table,{experiment.varied},series,mean,standard deviation,trials"]
    for table in experiment.tables:
        for name in names:
            for x, mean, deviation in zip(*results.curve(name, table), strict=True):
                shown = ",".join(_number(value) for value in (mean, deviation))
                lines.append(f"{table},{_number(x)},{name},{shown},{experiment.trials}")
    return "\n".join(lines) + "\n"


def _every_trial(results: Results, names: tuple[str, ...]) -> str:
    experiment = results.experiment
    lines = [",".join(["table", experiment.varied, "trial", *names])]
    for place, point in enumerate(experiment.points):
        for trial in range(experiment.trials):
            values = (_number(results.trials(name)[place, trial]) for name in names)
            lines.append(",".join([point.table, _number(point.x), str(trial + 1), *values]))
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
                "curves": [
                    _curve(results, table, series)
                    for table in results.experiment.tables
                    for series in (*results.experiment.numbers, *results.experiment.seconds)
                ],
            }
            for name, results in found.items()
        },
        "claims": [
            {"figure": one.figure, "paper": one.said, "its attack": one.theirs, "ours": one.ours}
            for one in claims(found)
        ],
    }


def _curve(results: Results, table: TableName, series: str) -> dict[str, Any]:
    x, mean, deviation = results.curve(series, table)
    return {
        "table": table,
        "series": series,
        "x": x.tolist(),
        "mean": mean.tolist(),
        "deviation": deviation.tolist(),
    }
