# SPDX-License-Identifier: BSD-3-Clause
"""The page that tells the paper's experiments again, as Markdown: generated from results, nothing typed in."""

from collections.abc import Iterable

from isobreach.experiments import NAMES, QUICK_GAUSSIAN_ROWS, Results, TableName, by_row_alone, differing
from isobreach.report.phrases import count
from isobreach.report.reproduction_claims import ByName, Claim, claims
from isobreach.report.reproduction_errata import ERRATA

_FOLDER = "figures"  # beside the page

_INTRODUCTION = """\
# The paper, reproduced

C. R. Giannella, K. Liu, H. Kargupta, "Breaching Euclidean Distance-Preserving Data Perturbation Using Few Known
Inputs": its experiments run again, the figures drawn again, with what this package does beside what the paper does.
This page and its figures are the output of

```sh
isobreach reproduce {command}
```

It also writes the numbers as `*.csv`, every trial in `*_trials.csv`, run times apart from them in `*_times.csv`, and
figures as SVG too. The same seed gives the same files, but for run times, whatever the number of threads and wherever
a run was interrupted.
"""

_QUICK = """
**This is a quick run**: {rows} instead of 100,000 Gaussian records, few points, few trials. Its numbers show that the
experiments work; they are not the paper's.
"""

_METHOD = """\
## What was done

- **As in the paper**: a Gaussian table of 100,000 × 100 whose mean and covariance are themselves drawn, and Letter
  Recognition without repeated records, 18,668 × 16; both behind a secret orthogonal motion, rows shuffled. X and Y stay
  the same; in each trial linearly independent records are drawn at random and become the known ones. ε = 15% unless it
  is varied; 10 trials, 100 for Figure 6; error bars are one standard deviation, cut where nothing can lie.
- **The paper's attack** is run by its own Algorithms 1 to 3 (E2 mended; each scan over the release is one array
  expression), and by our linker under the paper's rule, *uniquely valid*. ρ is the breach probability of the most
  exposed row that is not linked, by the formula *as printed* and by the *corrected* one (E1).
- **Ours**: the *backbone* rule, all links that every valid assignment shares, and the *optimal* estimate, which
  maximises the breach probability ([known-input.md](known-input.md)).
- **Left open by the text**: the grid of Figure 4 (here 1% to 20%) and the numbers of known records of Figure 6 (here
  those of Figures 2 and 3). Kaplan's attack is reconstructed from first principles with the paper's learning rate and
  number of iterations; its start is uniform in the range of the table, and it is given the links, as ours is there.
  It is an attack like others here: `isobreach attack --method kaplan`.
"""

_MISSED = """\
## What the paper did not see

- **Its estimate is not the best one.** A point drawn from the sphere of possible records is within c = ε‖x‖ of the
  true one less often than a point inside the sphere, at radius √(d² − c²), or its centre where c ≥ d. The optimal
  estimate is certain from c = d on, the paper's only from c = 2d on. `tests/geometry/test_geometry_sphere.py`
- **More links are certain than its rule finds.** A record whose row is the same in every valid assignment of all known
  records is certain, even if no set with it is uniquely valid. `tests/linking/test_linking_oracle.py`{rules}
- **Its comparison with Kaplan's attack changes two things at once**: the estimate, and which row is estimated. See
  Figure 6.
- **Letter needs no known record at all.** Whole numbers behind a rotation are a lattice: [lattice.md](lattice.md).
"""

_CAPTIONS = {
    "gaussian-known": "Gaussian, known records varied.",
    "letter-known": "Letter Recognition, known records varied. With two, most often neither is linked: several pairs "
    "of rows have their norms and their distance.",
    "letter-epsilon": "Letter Recognition, four known records, ε varied.",
    "kaplan": "Errors of a single estimate, for each way of choosing the row and each estimate. The paper draws two of "
    "these curves: Kaplan's of a random row (left) and its own of the most exposed row (right).",
}

_TIMES_CAPTIONS = {
    "gaussian-known": "Linking time, Gaussian.",
    "letter-known": "Linking time, Letter Recognition.",
    "size": "Linking time, number of released rows varied, 50 known records (Gaussian) and 10 (Letter Recognition).",
    "kaplan": "Time of one estimate. Array statements are how an interpreter runs Kaplan's descent, as the paper's "
    "Matlab did; timed over 25 of 500 iterations. Once a motion is chosen, an estimate is the product of a vector and "
    "a matrix.",
}


def reproduction_page(found: ByName, *, seed: int, quick: bool, trials: int | None, processors: int) -> str:
    """The page. Run times appear in the section of that name and nowhere else."""
    said = claims(found)
    sections = [_introduction(found, seed=seed, quick=quick, trials=trials), _METHOD]
    accuracy = [claim for claim in said if not claim.timed]
    if accuracy:
        sections.append("## What the paper says in words\n\n" + _table(accuracy))
    shown = [name for name in _CAPTIONS if name in found]
    if shown:
        sections.append("## Figures\n\n" + "\n".join(_figure(found[name], _CAPTIONS[name], "") for name in shown))
    if "kaplan" in found:
        sections.append(_kaplan(found["kaplan"]))
    sections.append(_MISSED.format(rules=_rules(found)))
    sections.append(ERRATA)
    timed = [claim for claim in said if claim.timed]
    if timed:
        sections.append(_times(found, timed, processors))
    return "\n".join(sections)


def _introduction(found: ByName, *, seed: int, quick: bool, trials: int | None) -> str:
    names = "all" if set(found) == set(NAMES) else " ".join(found)
    options = "".join([" --quick" if quick else "", f" --trials {trials}" if trials is not None else ""])
    text = _INTRODUCTION.format(command=f"{names} --out DIR --seed {seed}{options}")
    return text + (_QUICK.format(rows=f"{QUICK_GAUSSIAN_ROWS:,}") if quick else "")


def _table(said: Iterable[Claim]) -> str:
    lines = ["| figure | the paper says | here, its attack | here, ours |", "|---|---|---|---|"]
    lines += [f"| {one.figure} | {one.said} | {one.theirs} | {one.ours} |" for one in said]
    return "\n".join(lines) + "\n"


def _figure(results: Results, caption: str, ending: str) -> str:
    experiment = results.experiment
    stem = f"{experiment.name}{ending}"
    words = f"**Figure {experiment.figure}.** {caption} {count(experiment.trials, 'trial')} a point. (`{stem}.csv`)"
    return f"![Figure {experiment.figure}]({_FOLDER}/{stem}.png)\n\n{words}\n"


def _rules(found: ByName) -> str:
    both = [found[name] for name in ("gaussian-known", "letter-known", "size") if name in found]
    if not both:
        return ""
    trials = sum(results.trials("linked backbone").size for results in both)
    more = sum(differing(results, "linked backbone", "linked uniquely-valid") for results in both)
    theirs = sum(differing(results, "linked paper's algorithms", "linked uniquely-valid") for results in both)
    finds = "never links more" if not more else f"links more in {more:,} of them"
    agree = "in each of them as many" if not theirs else f"in all but {theirs:,} of them as many"
    return (
        f"\n  On these two tables, with {trials:,} sets of known records, the backbone {finds}; on coarser tables, "
        f"more often.\n  The paper's own algorithms linked {agree} as our linker under their rule."
    )


def _kaplan(results: Results) -> str:
    gaps = [
        f"{100 * by_row_alone(results, table, x):.0f}% ({x:g} known, {table})"
        for table, x in ((table, _middle(results, table)) for table in results.experiment.tables)
    ]
    lines = [
        "### Figure 6 taken apart",
        "",
        "Mean relative errors. The paper sets Kaplan's of a random row against its own of the best row, and so",
        "measures two things at once. Give Kaplan the best row too, and this share of the difference is gone:",
        ", ".join(gaps) + ".",
        "",
        "What is left is the estimate's own merit: small with few known records, all of it once they span the space,",
        "where the paper's estimate is exact and Kaplan's descent has not arrived.",
        "",
        "| table | known | random row: Kaplan | the paper's | ours | best row: Kaplan | the paper's | ours |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    series = [f"{row} {one}" for row in ("random row", "best row") for one in ("kaplan", "uniform", "optimal")]
    for point in results.experiment.points:
        means = " | ".join(_small(results.at(name, point.table, point.x)) for name in series)
        lines.append(f"| {point.table} | {point.x:g} | {means} |")
    return "\n".join(lines) + "\n"


def _middle(results: Results, table: TableName) -> float:
    """Where the paper's sentences look: 60 known records of the Gaussian, 4 of Letter, or the first number there is."""
    x = [point.x for point in results.experiment.points if point.table == table]
    wanted = 60.0 if table == "gaussian" else 4.0
    return wanted if wanted in x else x[0]


def _small(value: float) -> str:
    return "0.000" if value < 5e-4 else f"{value:.3f}"


def _times(found: ByName, timed: list[Claim], processors: int) -> str:
    shown = [name for name in _TIMES_CAPTIONS if name in found]
    figures = "\n".join(_figure(found[name], _TIMES_CAPTIONS[name], "_times") for name in shown)
    return (
        "## Run times\n\n"
        f"Processor time, of all threads together, measured in this very run on {count(processors, 'processor')}; the\n"
        "paper's are of Matlab 7 on a laptop with a 1.83 GHz Core 2. The seed does not decide them.\n\n"
        + _table(timed)
        + "\n"
        + figures
    )
