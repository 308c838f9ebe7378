# SPDX-License-Identifier: BSD-3-Clause
"""The page that tells the paper's experiments again, as a document: generated from results, nothing typed in."""

from collections.abc import Iterable, Mapping

from isobreach._phrases import count
from isobreach.document import Column, Document, Fact, Facts, Picture, Section, Table, Text
from isobreach.reproduction.claims import Claim, claims, duration, spoken_of
from isobreach.reproduction.errata import ERRATA
from isobreach.reproduction.experiment import ByName, Results
from isobreach.reproduction.method import method
from isobreach.reproduction.numbers import reproduction_json
from isobreach.reproduction.parameters import PAPER, QUICK, TableName
from isobreach.reproduction.plan import NAMES, experiment
from isobreach.reproduction.trials import ERRORS

_VERDICT = (
    'The experiments of C. R. Giannella, K. Liu and H. Kargupta, "Breaching Euclidean Distance-Preserving Data '
    'Perturbation Using Few Known Inputs", run again, with what this package does beside what the paper does.'
)
_FILES = (
    "The command also writes the numbers as *.csv, every trial in *_trials.csv, run times apart from them in "
    "*_times.csv, and figures as SVG and PNG. The same seed gives the same files, but for run times, whatever the "
    "number of threads and wherever a run was interrupted."
)
_QUICK_RUN = (
    f"{QUICK.gaussian_rows:,} instead of {PAPER.gaussian_rows:,} Gaussian records, few points, few trials. Its numbers "
    "show that the experiments work; they are not the paper's."
)

_NOT_THE_BEST = (
    "A point drawn from the sphere of possible records is within c = ε‖x‖ of the true one never more often than a "
    "point inside the sphere, at radius √(d² − c²), or its centre where c ≥ d; and less often wherever two dimensions "
    "or more are hidden and c < 2d. The optimal estimate is certain from c = d on, the paper's only from c = 2d on "
    "(tests/geometry/test_geometry_sphere.py). For the least squared error on average the centre is best, with an "
    "error of d whatever the record."
)
_MORE_LINKS = (
    "A record whose row is the same in every valid assignment of all known records is certain, even if no set with it "
    "is uniquely valid (tests/linking/test_linking_oracle.py)."
)
_ITS_LEAD = (
    "The paper compares Kaplan's estimate of a random row with its own of the most exposed row, and says why: without "
    "probabilities Kaplan's attacker cannot tell one row from another. What is new here is the split"
)
_NO_RECORD = "Whole numbers behind a rotation are a lattice: docs/lattice.md."

_TAKEN_APART = (
    (
        "Mean relative errors. The paper sets Kaplan's of a random row against its own of the most exposed row, "
        "because Kaplan's attacker has no probabilities to choose a row by. So both the row and the estimate differ. "
        "Give Kaplan the most exposed row too, and this share of the difference is gone: {gaps}."
    ),
    (
        "What is left is the estimate's own merit: small with few known records, all of it once they span the space, "
        "where the paper's estimate is exact and Kaplan's descent has not arrived."
    ),
    (
        "Of ours, the optimal estimate is best for the probability of a breach, that is of an error below ε; the "
        "centre, the projection on what the links span, is best for the mean squared error. This figure measures "
        "errors, so the centre is the one to hold the others against."
    ),
)
_ESTIMATES = ("Kaplan", "the paper's", "ours, optimal", "ours, centre")

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


def reproduction_document(
    found: ByName, figures: Mapping[str, bytes], *, seed: int, quick: bool, processors: int
) -> Document:
    """Return the page. Run times appear in the last section and nowhere else.

    Parameters
    ----------
    found
        Results of each experiment.
    figures
        What ``reproduction_figures`` drew of them: contents by the names of files.
    seed, quick, processors
        Of the run.
    """
    said = claims(found)
    accuracy, timed = ([one for one in said if one.timed is late] for late in (False, True))
    sections = [_introduction(found, seed=seed, quick=quick), method(found, quick=quick)]
    if accuracy:
        sections.append(Section("What the paper says in words", (_table(accuracy),), brief=True))
    shown = [_picture(found[name], caption, "", figures) for name, caption in _CAPTIONS.items() if name in found]
    if shown:
        sections.append(Section("Figures", tuple(shown), lead=_SIDEWAYS))
    if "kaplan" in found:
        sections.append(_kaplan(found["kaplan"]))
    sections += [_missed(found), *ERRATA]
    if timed:
        sections.append(_times(found, timed, figures, processors))
    data = reproduction_json(found, seed=seed, quick=quick)
    return Document("The paper, reproduced", _VERDICT, sections=tuple(sections), data=data, kind="isobreach reproduce")


def _introduction(found: ByName, *, seed: int, quick: bool) -> Section:
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
    made = Facts("What made this page", tuple(Fact("Made by", "", code=command) for command in commands))
    quickly = [Text(_QUICK_RUN, title="This is a quick run.")] if quick else []
    return Section("", (made, Text(_FILES), *quickly))


def _table(said: Iterable[Claim]) -> Table:
    rows = tuple((one.figure, one.said, one.theirs, one.ours) for one in said)
    return Table("Sentences of the paper", ("figure", "the paper says", "here, its attack", "here, ours"), rows)


def _picture(results: Results, caption: str, ending: str, figures: Mapping[str, bytes]) -> Picture:
    shown = results.experiment
    stem = f"{shown.name}{ending}"
    words = f"{caption} {count(shown.trials, 'trial')} a point ({stem}.csv)."
    return Picture(stem, f"Figure {shown.figure}", words, figures[f"{stem}.svg"])


def _missed(found: ByName) -> Section:
    split = ": see Figure 6." if "kaplan" in found else ", which isobreach reproduce kaplan makes."
    said = {
        "Its estimate is not the best one.": _NOT_THE_BEST,
        "More links are certain than its rule finds.": _MORE_LINKS + _rules(found),
        "How much of its lead over Kaplan's attack is the row.": _ITS_LEAD + split,
        "Letter needs no known record at all.": _NO_RECORD,
    }
    return Section("What the paper did not see", tuple(Text(text, title=title) for title, text in said.items()))


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
        f" On {where}, with {trials:,} sets of known records, the backbone {finds}; on coarser tables, more often. The "
        f"paper's own algorithms linked {agree} as our linker under their rule."
    )


def _kaplan(results: Results) -> Section:
    tables = results.experiment.tables
    gaps = ", ".join(f"{by_row(results, t):.0%} ({spoken_of(results, t):g} known, {t})" for t in tables)
    rows = tuple(
        (point.table, f"{point.x:g}", *(f"{results.at(name, point.table, point.x):.3f}" for name in ERRORS))
        for point in results.experiment.points
    )
    columns = [Column(f"{row}: {one}", number=True) for row in ("random row", "best row") for one in _ESTIMATES]
    table = Table("Mean relative errors", ("table", Column("known", number=True), *columns), rows)
    return Section("Figure 6 taken apart", (*(Text(one.format(gaps=gaps)) for one in _TAKEN_APART), table))


def by_row(results: Results, table: TableName) -> float:
    """Of the gap between Kaplan's error of a random row and the paper's of the best row, the share that the row makes.

    (e(Kaplan, random) - e(Kaplan, best)) / (e(Kaplan, random) - e(paper, best)), where the paper's sentences speak.
    """
    random, best, paper = (
        results.at(name, table, spoken_of(results, table))
        for name in ("random row kaplan", "best row kaplan", "best row uniform")
    )
    return (random - best) / (random - paper)


def _times(found: ByName, timed: list[Claim], figures: Mapping[str, bytes], processors: int) -> Section:
    shown = [
        _picture(found[name], caption, "_times", figures) for name, caption in _TIMES_CAPTIONS.items() if name in found
    ]
    measured = Text(
        f"Processor time, of all threads together, measured in this very run on {count(processors, 'processor')}; the "
        "paper's are of Matlab 7 on a laptop with a 1.83 GHz Core 2. The seed does not decide them. No bar goes below "
        "the least trial: a logarithmic axis has no 0."
    )
    return Section("Run times", (measured, *_norms(found), _table(timed), *shown), brief=True)


def _norms(found: ByName) -> tuple[Text, ...]:
    """How much of the paper's run times is one choice that its text leaves open."""
    results, x = found.get("gaussian-known"), 100
    if results is None or x not in results.experiment.x("gaussian"):
        return ()
    every, once, ours = (
        results.at(series, "gaussian", x)
        for series in ("paper's algorithms", "paper's algorithms with norms once", "link backbone")
    )
    said = (
        "The text does not say whether Algorithms 1 to 3 compute the released norms in every scan or once. With "
        f"{x} known records of the Gaussian that is {duration(every)} or {duration(once)}, against {duration(ours)} of "
        f"our linker: that choice is {(every - once) / (every - ours):.0%} of the distance."
    )
    return (Text(said),)
