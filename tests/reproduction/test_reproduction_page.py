# SPDX-License-Identifier: BSD-3-Clause
"""The page of the documentation follows from the numbers beside it; pages of some figures speak of no others."""

import csv
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isobreach.report import document_markdown
from isobreach.reproduction import (
    NAMES,
    Results,
    claims,
    experiment,
    reproduction_document,
    reproduction_figures,
    results_csv,
)

PAGE = Path(__file__).parents[2] / "docs" / "reproduction.md"
NUMBERS = PAGE.parent / "reproduction"


def lines(name):
    with (NUMBERS / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def documented(name):
    """Results as they stand in the documentation: every trial's numbers; of run times the mean, for every trial."""
    made = experiment(name)
    shape = len(made.points), made.trials
    numbers, seconds = np.full((*shape, len(made.numbers)), np.nan), np.full((*shape, len(made.seconds)), np.nan)
    place = {(point.table, float(f"{point.x:.10g}")): i for i, point in enumerate(made.points)}
    for line in lines(f"{name}_trials"):
        at = place[line["table"], float(line[made.varied])]
        numbers[at, int(line["trial"]) - 1] = [float(line[series]) for series in made.numbers]
    for line in lines(f"{name}_times") if made.seconds else ():
        seconds[place[line["table"], float(line[made.varied])], :, made.seconds.index(line["series"])] = line["mean"]
    assert np.isfinite(numbers).all()
    assert np.isfinite(seconds).all()
    return Results(made, numbers, seconds)


@pytest.fixture(scope="module")
def found():
    return {name: documented(name) for name in NAMES}


def test_the_page_of_the_documentation_follows_from_the_numbers_beside_it(found):
    page = PAGE.read_text(encoding="utf-8")
    (processors,) = re.findall(r"measured in this very run on (\d+) processor", page)
    assert page == page_of(found, seed=0, processors=int(processors))


@pytest.mark.parametrize("name", NAMES)
def test_summaries_follow_from_the_trials(found, name):
    (made,) = [text for file, text in results_csv(found[name]).items() if file == f"{name}.csv"]
    assert {path.name for path in NUMBERS.iterdir()} >= set(results_csv(found[name]))
    for mine, theirs in zip(csv.DictReader(made.splitlines()), lines(name), strict=True):
        for key, value in mine.items():
            if key in ("mean", "standard deviation"):
                assert float(value) == pytest.approx(float(theirs[key]), rel=1e-6, abs=1e-9)
            else:
                assert value == theirs[key]


def some(found, name, trials):
    one = found[name]
    return Results(replace(one.experiment, trials=trials), one.numbers[:, :trials], one.seconds[:, :trials])


def page_of(results, *, seed=3, processors=1):
    undrawn = defaultdict(bytes)
    return document_markdown(reproduction_document(results, undrawn, seed=seed, quick=False, processors=processors))


def done(page):
    """The section that says what was done, on one line."""
    return " ".join(page.split("## What was done")[1].split("\n## ")[0].split())


@pytest.mark.parametrize("name", NAMES)
def test_a_page_speaks_of_the_figures_that_it_has(found, name):
    one = found[name].experiment
    page = page_of({name: found[name]})
    assert set(re.findall(r"Figures? (\d)", done(page))) == {str(one.figure)}
    # Elsewhere other figures are the paper's own.
    assert set(re.findall(r"see Figure (\d)", page)) <= {str(one.figure)}
    assert {int(number) for number in re.findall(r"\*\*Figure (\d)", page)} == {one.figure}
    assert ("On these two tables" in page, "On this table" in page) == (name == "size", name.endswith("-known"))
    assert ("100,000 × 100" in page, "18,668 × 16" in page) == ("gaussian" in one.tables, "letter" in one.tables)


def test_numbers_of_trials_are_those_of_the_results(found):
    page = page_of({"letter-known": some(found, "letter-known", 4), "letter-epsilon": found["letter-epsilon"]})
    assert "isobreach reproduce letter-known --out DIR --seed 3 --trials 4\n" in page
    assert "isobreach reproduce letter-epsilon --out DIR --seed 3\n" in page
    assert "4 trials a point in Figure 3; 10 trials a point in Figure 4" in done(page)
    assert "100" not in done(page)
    whole = done(page_of(found))
    assert "10 trials a point in Figures 2, 3, 4 and 5; 100 trials a point in Figure 6" in whole
    assert "ε = 15% in Figures 2 and 3; ε is varied in Figure 4; in Figure 6 ε is 15% for the Gaussian and 10%" in whole
    for left_open in ("Figure 2 (here 10 to 100 by 10)", "Figure 3 (here 2 to 16 by 1)", "at most 1e-09"):
        assert left_open in whole


def test_one_trial_has_no_deviation_and_shares_that_are_equal_no_range(found):
    single = {name: some(found, name, 1) for name in ("letter-known", "letter-epsilon")}
    said = " ".join(one.theirs + one.ours for one in claims(single))
    assert "±" not in said
    assert "1 to 1" not in said
    assert "share linked 1 with 3 or more" in said
    assert "±" in " ".join(one.theirs for one in claims({"letter-epsilon": found["letter-epsilon"]}))


def test_links_that_are_given_are_called_a_departure(found):
    points, shares = found["kaplan"].experiment.points, found["kaplan"].trials("linked uniquely-valid")
    unlinked = {(point.table, point.x): int((at == 0).sum()) for point, at in zip(points, shares, strict=True)}
    none = unlinked.pop(("letter", 2))
    assert not any(unlinked.values())
    assert none > 50
    assert f"It links none with 2 known records of Letter in {none} of 100 trials" in done(page_of(found))


def test_bars_on_a_logarithmic_axis_end_above_zero(found, monkeypatch):
    """A standard deviation above the mean would reach down to zero, and the axis with it."""
    from matplotlib.axes import Axes

    ends, drawn = [], Axes.errorbar

    def errorbar(axes, x, y, yerr, **options):
        ends.append((axes.get_yscale(), float(np.min(y - yerr[0])), float(np.min(yerr[0]))))
        return drawn(axes, x, y, yerr=yerr, **options)

    monkeypatch.setattr(Axes, "errorbar", errorbar)
    one = found["size"]
    wild = np.array(one.seconds)
    wild[:, 0] *= 1000
    assert (wild.std(axis=1, ddof=1) > wild.mean(axis=1)).all()
    reproduction_figures(Results(one.experiment, one.numbers, wild))
    assert {scale for scale, _, _ in ends} == {"log"}
    assert all(low > 0 and bar >= 0 for _, low, bar in ends)


def test_bars_of_equal_run_times_have_no_length(found):
    """Their mean may round to below each of them: a bar of negative length cannot be drawn."""
    one = found["letter-known"]
    same = np.broadcast_to(one.seconds[:, :1], one.seconds.shape)
    assert (same.mean(axis=1) < same.min(axis=1)).any()
    assert "letter-known_times.svg" in reproduction_figures(Results(one.experiment, one.numbers, same))
