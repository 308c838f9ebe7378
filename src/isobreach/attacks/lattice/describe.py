# SPDX-License-Identifier: BSD-3-Clause
"""The lattice attack in plain words, tables and JSON: one source for terminal, page and machine-readable result.

Steps of grids and names of attributes are told, values of records never.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isobreach._naming import way
from isobreach._phrases import count
from isobreach.attacks.lattice.attack import LatticeReconstruction
from isobreach.document import Bullets, Document, Section, Table, Text

SCHEMA = "isobreach/lattice/1"
HEAD = ("column", "step", "named by", "sign by", "offset by")
_WORDS = {"": "open", "origin": "no translation"}
NOT_SAFE = "No claim is not 'safe'"
_MISSES = "this attack needs a table of whole numbers, decimals or standardised decimals, and may miss one that is: "
_SUPPOSED = (
    "A claim supposes that the release is an orthogonal or rigid motion of the records, or a similarity of them, "
    "rounded or with noise or not, and that the records themselves lie on the grid, or did before parts of a step were "
    "added to them, and not a table that they were rotated from. All released rows were checked to lie on it."
)
_CERTAIN = (
    "An axis is claimed only where its step is natural (1, 2 or 5 times a power of ten, or one over a whole number) or "
    "in no ratio to others that a false frame would need."
)
_REMAINS = (
    "What remains possible is a grid finer than it looks: a congruence of index 16 or more that all records obey and "
    "that makes steps of 1 of finer ones, as for records that are (0.6, 0.8) and (-0.8, 0.6) times whole numbers."
)
_OPEN = "open"
_NEGLIGIBLE = 1e-9  # share of misread values: exact
_BLURRED = 1e-2  # steps that rows are off the grid by, which were noise or were the values' own: not exact


@dataclass(frozen=True)
class LatticeFindings:
    """A lattice attack to be told of.

    ``names``: of the attributes, in the order of the attacker's tables. ``known``, ``sample``: how many records the
    attacker held, None for no table. ``bounds``: whether ranges were known.
    """

    found: LatticeReconstruction
    names: Sequence[str]
    known: int | None
    sample: int | None
    bounds: bool
    seed: int | None

    @classmethod
    def of(cls, found: LatticeReconstruction) -> "LatticeFindings":
        """Return what there is to tell of a result."""
        columns = len(found.recovered)
        asked = found.asked
        names = asked.names or tuple(f"c{place + 1}" for place in range(columns))
        return cls(found, names, asked.known, asked.sample, asked.bounds, asked.seed)

    @property
    def rows(self) -> int:
        """Released rows."""
        return int(self.found.estimates.shape[0])

    @property
    def columns(self) -> int:
        """Released columns."""
        return len(self.found.recovered)

    @property
    def recovered(self) -> list[int]:
        """Columns whose values are claimed."""
        return [int(place) for place in np.flatnonzero(self.found.recovered)]

    @property
    def rest_is_constant(self) -> bool:
        """Whether the columns that were not recovered are known not to vary."""
        return not np.isnan(self.found.estimates[:1, ~self.found.recovered]).any()

    def name(self, place: int) -> str | None:
        """The attribute of a column, None where it is open."""
        return self.names[place] if self.found.column_by[place] else None

    def left_open(self, by: Sequence[str]) -> int:
        """How many recovered columns nothing has settled."""
        return sum(not by[place] for place in self.recovered)

    @property
    def labels(self) -> dict[int, str]:
        """A name for every recovered column: the attribute's, or open_1, open_2, ..."""
        taken = {name for place in self.recovered if (name := self.name(place)) is not None}
        labels, number = dict[int, str](), 0
        for place in self.recovered:
            label = self.name(place)
            while label is None:
                number += 1
                label = None if f"{_OPEN}_{number}" in taken else f"{_OPEN}_{number}"
            labels[place] = label
        return labels


def document(found: LatticeReconstruction) -> Document:
    """The document of a lattice attack."""
    told = LatticeFindings.of(found)
    note = (
        "Step: distance between neighbouring values of the attribute. By: what settled which attribute a column is, "
        "its sign and its offset. The values themselves are private and not shown."
    )
    attributes = Table(
        "What was read of each attribute, and what settled it", HEAD, tuple(map(tuple, lattice_table(told))), note
    )
    again = "The same seed gives the same result unless a budget of seconds ends the search."
    return Document(
        "Lattice attack",
        lattice_verdict(told),
        tuple(lattice_sentences(told)),
        (
            *([Section("Attributes", (attributes,), brief=True)] if found.claimed else []),
            Section("Threat model", (Text(lattice_threat(told)),)),
            Section("What a claim assumes", (Bullets(tuple(lattice_caveats(told))), Text(again, soft=True))),
        ),
        lattice_json(told),
    )


def lattice_verdict(told: LatticeFindings) -> str:
    """The outcome in one sentence. It counts columns: a release does not say which of them are one category."""
    found = told.found
    if not found.claimed:
        return f"The lattice attack read nothing off this release: {_why_not(told)}."
    number, rows = len(told.recovered), f"all {count(told.rows, 'record')}"
    if number == told.columns or not told.rest_is_constant:
        what = f"{number} of {count(told.columns, 'column')} of {rows}"
    else:
        what = f"all {number} columns that vary of {rows}" if number > 1 else f"the one column that varies of {rows}"
    were = "was" if number == 1 else "were"
    exact = " exactly" if _has_natural_steps(told) else " to the release's precision"
    exact = " to the nearest value of their grids" if found.noise > _BLURRED * np.nanmin(found.steps) else exact
    how = exact if found.misread <= _NEGLIGIBLE else ""
    noise = "" if how else f", {_misread(told)}"
    return f"{_held(told)}, {what} {were} read off the release{how}{noise}{_up_to(told)}."


def _has_natural_steps(told: LatticeFindings) -> bool:
    """Whether the steps are numbers of few digits or one over a whole number, and not fitted to the release."""
    steps = told.found.steps[told.found.recovered]
    return all(
        float(f"{step:.6g}") == step or (step < 1 and 1 / round(1 / step) == step)
        for step in steps.tolist()
        if step < 1e15
    )


def lattice_sentences(told: LatticeFindings) -> list[str]:
    """What the attacker learned and what is left, a sentence each."""
    found = told.found
    if not found.claimed:
        seed = way("--seed", "seed=")
        return [
            f"{NOT_SAFE}: {_MISSES}more effort ({way('--effort', 'effort=')}) or other rows ({seed}) may find it.",
            "Other attacks need no grid: try isobreach attack known-input with a few known records.",
        ]
    lines = [found.reason]
    if told.left_open(found.column_by) or told.left_open(found.sign_by) or told.left_open(found.offset_by):
        lines.append(f"{_would_settle(told)} may settle what is open.")
        lines.append(
            "What is open hides little: in every column the differences between records, the outliers and the whole "
            "distribution are plain."
        )
    how = f"path of the search: {found.path}"
    lines.append(f"Released rows are off the grid by {found.noise:.2g} per coordinate (standard deviation); {how}.")
    return lines


def lattice_table(told: LatticeFindings) -> list[list[str]]:
    """A line for each attribute under ``HEAD``; columns of which the same is open share one."""
    found, lines = told.found, list[list[str]]()
    unnamed: dict[tuple[str, ...], list[float]] = {}
    for place in told.recovered:
        sources = (found.column_by[place], found.sign_by[place], found.offset_by[place])
        by, step = tuple(_WORDS.get(source, source) for source in sources), float(found.steps[place])
        name = told.name(place)
        if name is None:
            unnamed.setdefault(by, []).append(step)
        else:
            lines.append([name, f"{step:.6g}", *by])
    for by, steps in unnamed.items():
        least, greatest = f"{min(steps):.6g}", f"{max(steps):.6g}"
        step_words = least if least == greatest else f"{least} to {greatest}"
        lines.append([_OPEN if len(steps) == 1 else f"{len(steps):,} {_OPEN}", step_words, *by])
    if rest := told.columns - len(told.recovered):
        what = "constant" if told.rest_is_constant else "not read"
        lines.append([count(rest, "other"), what, "", "", ""])
    return lines


def lattice_caveats(told: LatticeFindings) -> list[str]:
    """What a claim assumes, and what it does not say."""
    ways = {told.found.column_by[place] for place in told.recovered} | {told.found.sign_by[p] for p in told.recovered}
    lines = [_SUPPOSED, _CERTAIN]
    if told.found.path != "inner products":  # which excludes these too
        lines.append(_REMAINS)
    if "origin" in told.found.offset_by:
        lines.append(
            "No translation: the release's origin lies on the grid. Nobody translated, or only by whole steps."
        )
    if ways & {"bounds", "known records"}:
        lines.append("What bounds and known records settle is certain if they are true.")
    if "sample" in ways:
        lines.append(
            "A sample settles by statistical tests: wrong in fewer than one case in a million if it is drawn from the "
            "same population, and worthless if it is not."
        )
    return [*lines, f"{NOT_SAFE}: a table on a grid can be missed, and other attacks need no grid."]


def lattice_threat(told: LatticeFindings) -> str:
    """The threat model in words."""
    held = _things(told)
    more = _listed(["the release", *held]) if held else "the release and nothing else: no record, no range, no sample"
    known = " Which released rows the known records are, nobody told." if told.known is not None else ""
    return (
        f"The attacker holds {more}.{known} The records' attributes are whole numbers, decimals or "
        "standardised decimals, as ages, counts, codes and prices are: behind a secret motion they form a lattice, "
        "whose axes are the motion."
    )


def lattice_json(told: LatticeFindings) -> dict[str, Any]:
    """The machine-readable result; holds no private value and no time."""
    found = told.found
    return {
        "schema": SCHEMA,
        "verdict": lattice_verdict(told),
        "claimed": found.claimed,
        "reason": found.reason,
        "path": found.path or None,
        "rows": told.rows,
        "columns": told.columns,
        "recovered": len(told.recovered),
        "open": {
            "attribute": told.left_open(found.column_by),
            "sign": told.left_open(found.sign_by),
            "offset": told.left_open(found.offset_by),
        },
        "noise": found.noise if np.isfinite(found.noise) else None,
        "misread": found.misread if found.claimed else None,
        "knowledge": {"known_records": told.known, "sample_records": told.sample, "bounds": told.bounds},
        "seed": told.seed,
        "findings": lattice_sentences(told),
        "attributes": [
            {
                "column": told.name(place),
                "estimate": told.labels.get(place),
                "recovered": bool(found.recovered[place]),
                "step": float(found.steps[place]) if np.isfinite(found.steps[place]) else None,
                "attribute_by": found.column_by[place] or None,
                "sign_by": found.sign_by[place] or None,
                "offset_by": found.offset_by[place] or None,
            }
            for place in range(told.columns)
        ],
    }


def _why_not(told: LatticeFindings) -> str:
    return told.found.reason.removeprefix("Nothing is claimed:").strip().rstrip(".") or "no grid of its rows is certain"


def _things(told: LatticeFindings) -> list[str]:
    things = [] if told.known is None else [count(told.known, "known record")]
    things += [] if told.sample is None else [f"a sample of {count(told.sample, 'record')}"]
    return [*things, *(["the attributes' ranges"] if told.bounds else [])]


def _held(told: LatticeFindings) -> str:
    """What the attacker used: knowledge that settled nothing is not credited."""
    found = told.found
    used = {by for several in (found.column_by, found.sign_by, found.offset_by) for by in several}
    known = told.known if "known records" in used else None
    sample = told.sample if "sample" in used else None
    things = _things(replace(told, known=known, sample=sample, bounds="bounds" in used))
    if known is not None:
        return f"With {_listed(things)}"
    if told.known is None:
        return "Without a single known record" + (f", but with {_listed(things)}" if things else "")
    given = count(told.known, "known record")
    return f"With {given}, which settled nothing" + (f", and with {_listed(things)}" if things else "")


def _misread(told: LatticeFindings) -> str:
    share = told.found.misread
    return f"but for about one value in {1 / share:,.0f} that noise has moved"


def _up_to(told: LatticeFindings) -> str:
    """What the verdict leaves open."""
    found = told.found
    everything = len(told.recovered)
    parts = [
        (names, number)
        for names, by in (
            (("order", "order"), found.column_by),
            (("sign", "signs"), found.sign_by),
            (("offset", "offsets"), found.offset_by),
        )
        if (number := told.left_open(by))
    ]
    if not parts:
        return ", each under its name"
    if {number for _, number in parts} == {everything} and everything > 1:
        return f", up to the {_listed([names[1] for names, _ in parts])} of the columns"
    return ", up to " + _listed([f"the {names[number > 1]} of {count(number, 'column')}" for names, number in parts])


def _would_settle(told: LatticeFindings) -> str:
    known = f"a few known records ({way('--known', 'known=')}; nobody need know their rows)"
    ways = [] if told.known is not None else [known]
    ways += [] if told.sample is not None else [f"a sample of the same population ({way('--sample', 'sample=')})"]
    ways += [] if told.bounds else [f"the attributes' ranges ({way('--bounds', 'bounds=')})"]
    if told.known is not None:
        ways.insert(0, "more known records")
    if told.sample is not None:
        ways.append("a larger sample")
    said = _listed(ways, "or")
    return said[0].upper() + said[1:]


def _listed(words: Sequence[str], last: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
