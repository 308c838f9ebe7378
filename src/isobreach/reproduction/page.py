# SPDX-License-Identifier: BSD-3-Clause
"""The page that tells the paper's experiments again, as Markdown: generated from results, nothing typed in."""

from collections.abc import Iterable

from isobreach._phrases import count
from isobreach.reproduction.claims import Claim, claims, duration, spoken_of
from isobreach.reproduction.errata import ERRATA
from isobreach.reproduction.experiment import ByName, Results
from isobreach.reproduction.method import method, wrapped
from isobreach.reproduction.parameters import PAPER, QUICK, TableName
from isobreach.reproduction.plan import NAMES, experiment
from isobreach.reproduction.trials import ERRORS

_FOLDER = "figures"  # beside the page

_INTRODUCTION = """\
# The paper, reproduced

C. R. Giannella, K. Liu, H. Kargupta, "Breaching Euclidean Distance-Preserving Data Perturbation Using Few Known
Inputs": its experiments run again, the figures drawn again, with what this package does beside what the paper does.
This page and its figures are the output of

```sh
{commands}
```

It also writes the numbers as `*.csv`, every trial in `*_trials.csv`, run times apart from them in `*_times.csv`, and
figures as SVG too. The same seed gives the same files, but for run times, whatever the number of threads and wherever
a run was interrupted.
"""

_QUICK_RUN = f"""
**This is a quick run**: {QUICK.gaussian_rows:,} instead of {PAPER.gaussian_rows:,} Gaussian records, few points, \
few trials. Its numbers show that
the experiments work; they are not the paper's.
"""

_MISSED = """\
## What the paper did not see

- **Its estimate is not the best one.** A point drawn from the sphere of possible records is within c = ε‖x‖ of the
  true one never more often than a point inside the sphere, at radius √(d² − c²), or its centre where c ≥ d; and less
  often wherever two dimensions or more are hidden and c < 2d. The optimal estimate is certain from c = d on, the
  paper's only from c = 2d on. `tests/geometry/test_geometry_sphere.py` For the least squared error on average the
  centre is best, with an error of d whatever the record.
- **More links are certain than its rule finds.** A record whose row is the same in every valid assignment of all known
  records is certain, even if no set with it is uniquely valid. `tests/linking/test_linking_oracle.py`{rules}
- **How much of its lead over Kaplan's attack is the row.** The paper compares Kaplan's estimate of a random row with
  its own of the most exposed row, and says why: without probabilities Kaplan's attacker cannot tell one row from
  another. What is new here is the split{split}.
- **Letter needs no known record at all.** Whole numbers behind a rotation are a lattice: [lattice.md](lattice.md).
"""

_TAKEN_APART = """\
### Figure 6 taken apart

Mean relative errors. The paper sets Kaplan's of a random row against its own of the most exposed row, because Kaplan's
attacker has no probabilities to choose a row by. So both the row and the estimate differ. Give Kaplan the most exposed
row too, and this share of the difference is gone: {gaps}.

What is left is the estimate's own merit: small with few known records, all of it once they span the space, where the
paper's estimate is exact and Kaplan's descent has not arrived.

Of ours, the *optimal* estimate is best for the probability of a breach, that is of an error below ε; the *centre*, the
projection on what the links span, is best for the mean squared error. This figure measures errors, so the centre is the
one to hold the others against.
"""

_KAPLAN_HEAD = (
    "| table | known | random row: Kaplan | the paper's | ours, optimal | ours, centre "
    "| best row: Kaplan | the paper's | ours, optimal | ours, centre |"
)

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
    "size": f"Linking time, number of released rows varied, {PAPER.size_known.gaussian} known records (Gaussian) and "
    f"{PAPER.size_known.letter} (Letter Recognition).",
    "kaplan": "Time of one estimate. Array statements are how an interpreter runs Kaplan's descent, as the paper's "
    "Matlab presumably did; timed over 25 of 500 iterations. Once a motion is chosen, an estimate is the product of a "
    "vector and a matrix.",
}

_SIDEWAYS = "Curves are moved sideways a little, so that no bar hides another."


def reproduction_page(found: ByName, *, seed: int, quick: bool, processors: int) -> str:
    """The page. Run times appear in the section of that name and nowhere else."""
    said = claims(found)
    sections = [_introduction(found, seed=seed, quick=quick), method(found, quick=quick)]
    accuracy = [claim for claim in said if not claim.timed]
    if accuracy:
        sections.append("## What the paper says in words\n\n" + _table(accuracy))
    shown = [name for name in _CAPTIONS if name in found]
    if shown:
        sections.append("## Figures\n\n" + "\n".join(_figure(found[name], _CAPTIONS[name], "") for name in shown))
    if "kaplan" in found:
        sections.append(_kaplan(found["kaplan"]))
    split = ": see Figure 6" if "kaplan" in found else ", which `isobreach reproduce kaplan` makes"
    sections.append(_MISSED.format(rules=_rules(found), split=split))
    sections.append(ERRATA)
    timed = [claim for claim in said if claim.timed]
    if timed:
        sections.append(_times(found, timed, processors))
    return "\n".join(sections)


def _introduction(found: ByName, *, seed: int, quick: bool) -> str:
    """With the commands that make the page: one for each number of trials."""
    asked: dict[str, list[str]] = {}
    for name, results in found.items():
        trials = results.experiment.trials
        own = experiment(name, quick=quick).trials
        asked.setdefault("" if trials == own else f" --trials {trials}", []).append(name)
    commands = []
    for trials_option, names in asked.items():
        which = "all" if len(names) == len(NAMES) else " ".join(names)
        options = f"{' --quick' if quick else ''}{trials_option}"
        commands.append(f"isobreach reproduce {which} --out DIR --seed {seed}{options}")
    text = _INTRODUCTION.format(commands="\n".join(commands))
    return text + (_QUICK_RUN if quick else "")


def _table(said: Iterable[Claim]) -> str:
    lines = ["| figure | the paper says | here, its attack | here, ours |", "|---|---|---|---|"]
    lines += [f"| {one.figure} | {one.said} | {one.theirs} | {one.ours} |" for one in said]
    return "\n".join(lines) + "\n"


def _figure(results: Results, caption: str, ending: str) -> str:
    shown = results.experiment
    stem = f"{shown.name}{ending}"
    trials = f"{count(shown.trials, 'trial')} a point."
    words = f"**Figure {shown.figure}.** {caption} {_SIDEWAYS} {trials} (`{stem}.csv`)"
    return f"![Figure {shown.figure}]({_FOLDER}/{stem}.png)\n\n{words}\n"


def _rules(found: ByName) -> str:
    both = [found[name] for name in ("gaussian-known", "letter-known", "size") if name in found]
    if not both:
        return ""
    trials = sum(results.trials("linked backbone").size for results in both)
    more, theirs = (
        sum(results.differing(series, "linked uniquely-valid") for results in both)
        for series in ("linked backbone", "linked paper's algorithms")
    )
    where = "these two tables" if len({table for one in both for table in one.experiment.tables}) > 1 else "this table"
    finds = "never links more" if not more else f"links more in {more:,} of them"
    agree = "in each of them as many" if not theirs else f"in all but {theirs:,} of them as many"
    return (
        f"\n  On {where}, with {trials:,} sets of known records, the backbone {finds}; on coarser tables, "
        f"more often.\n  The paper's own algorithms linked {agree} as our linker under their rule."
    )


def _kaplan(results: Results) -> str:
    tables = results.experiment.tables
    gaps = ", ".join(f"{by_row(results, t):.0%} ({spoken_of(results, t):g} known, {t})" for t in tables)
    lines = [_TAKEN_APART.format(gaps=gaps), _KAPLAN_HEAD, "|---|" + "---:|" * 9]
    for point in results.experiment.points:
        means = " | ".join(f"{results.at(name, point.table, point.x):.3f}" for name in ERRORS)
        lines.append(f"| {point.table} | {point.x:g} | {means} |")
    return "\n".join(lines) + "\n"


def by_row(results: Results, table: TableName) -> float:
    """Of the gap between Kaplan's error of a random row and the paper's of the best row, the share that the row makes.

    (e(Kaplan, random) - e(Kaplan, best)) / (e(Kaplan, random) - e(paper, best)), where the paper's sentences speak.
    """
    random, best, paper = (
        results.at(name, table, spoken_of(results, table))
        for name in ("random row kaplan", "best row kaplan", "best row uniform")
    )
    return (random - best) / (random - paper)


def _times(found: ByName, timed: list[Claim], processors: int) -> str:
    shown = [name for name in _TIMES_CAPTIONS if name in found]
    figures = "\n".join(_figure(found[name], _TIMES_CAPTIONS[name], "_times") for name in shown)
    measured = wrapped(
        f"Processor time, of all threads together, measured in this very run on {count(processors, 'processor')}; the "
        "paper's are of Matlab 7 on a laptop with a 1.83 GHz Core 2. The seed does not decide them. No bar goes below "
        "the least trial: a logarithmic axis has no 0."
    )
    return f"## Run times\n\n{measured}\n{_norms(found)}{_table(timed)}\n{figures}"


def _norms(found: ByName) -> str:
    """How much of the paper's run times is one choice that its text leaves open."""
    results, x = found.get("gaussian-known"), 100
    if results is None or x not in results.experiment.x("gaussian"):
        return ""
    every, once, ours = (
        results.at(series, "gaussian", x)
        for series in ("paper's algorithms", "paper's algorithms with norms once", "link backbone")
    )
    return (
        wrapped(
            "The text does not say whether Algorithms 1 to 3 compute the released norms in every scan or once. With "
            f"{x} known records of the Gaussian that is {duration(every)} or {duration(once)}, against "
            f"{duration(ours)} of our linker: that choice is {(every - once) / (every - ours):.0%} of the distance."
        )
        + "\n"
    )
