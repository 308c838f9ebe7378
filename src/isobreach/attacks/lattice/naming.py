# SPDX-License-Identifier: BSD-3-Clause
r"""Which axis is which attribute, with which sign and offset.

The lattice gives the table up to the order of its columns, their signs and, behind a translation, their offsets:

    X[:, columns[j]] = signs[j] * values[:, j] + offsets[j]

for a permutation that nobody told. What the attacker knows leaves some of these possible (``offsets``: bounds; then
``placing``: known records; then ``sampling``: a sample), and *settled* is what is the same in all that is left: in
every matching of axes to attributes, in every placement of the known records. The rest stays open, and is said to be.
An axis that was not recovered may be any attribute that is left; one that varies is never padding.

Bounds and known records settle what is certain if they are true. A sample strikes options out by tests at a level that
makes a wrong one rarer than one in a million.

Knowledge is true by definition, so where nothing at all is left, the reading of the release is *refuted*, not the
knowledge. (Principal-component scores of whole numbers are read as those whole numbers; no value of a known record is
on their grid.) What can refute a reading:

- bounds that no axis' values fit into;
- known records that are off the grid, or in no rows of it together, by more than their own rounding allows. If the
  origin alone is in the way, and two known records or more agree without it, the origin is given up instead: somebody
  translated by whole steps. One record agrees with anything then, and bounds nearly so. A stranger among the known
  records can be in the way too, so this is done only if chance would not let a wrong reading agree (``coincidence``);
- a sample off the grid, unless known records have confirmed the reading. Its distribution refutes nothing: people of
  the same kind are measured alike, but need not be distributed alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._phrases import expected
from isobreach._progress import Progress, no_progress
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.lattice.coincidence import COUNTING, wrong_readings
from isobreach.attacks.lattice.named import Naming
from isobreach.attacks.lattice.offsets import SIGNS, Options, Settled
from isobreach.attacks.lattice.placing import Placements, TooManyPlacementsError, centres_of
from isobreach.attacks.lattice.sampling import SAMPLING, Comparison, from_grid
from isobreach.engine import ONE_BLAS_THREAD
from isobreach.errors import InputError
from isobreach.geometry.lattice import ReductionEffort
from isobreach.release import decimal_step


@dataclass(frozen=True)
class Tolerances:
    """How far numbers may be off."""

    value_error: float = 1e-9  # Of a value besides, as a share of the largest: roundoff of the rotation, with room.
    fine: float = 0.05  # Of a step: rounding that is larger could be taken for another grid value's.


_TOLERANCES = Tolerances()

_NO_BOUNDS = "the bounds do not hold for the grid that was found"
_NO_KNOWN = "the known records fit into no rows of the grid that was found"
_OFF_GRID = "the sample's values are not on the grid that was found"
_TOO_WIDE = "the release varies along more axes than there are attributes, so nothing is settled"
_MANY = "the known records could be too many rows to try them all, so their rows settle nothing"
_BY_CHANCE = "chance alone could place so few known records in so coarse a table, so their rows settle nothing"
_IF_PRESENT = (
    "what the known records settle holds only if all of them are in the release: chance alone would let {} wrong "
    "readings agree with them"
)
_ROUNDED = {
    "known": "the known records are rounded too coarsely for the grid that was found, so they settle nothing",
    "sample": "the sample is rounded too coarsely for the grid that was found, so it settles nothing",
}
_MOVED = "the known records show that the release was translated by whole steps"
_NO_SAMPLE = "the sample is not distributed like the release, so it settles nothing"
_SMALL_SAMPLE = f"fewer than {SAMPLING.least} sample records or released rows tell nothing about distributions"


def name_axes(
    values: FloatArray,
    steps: FloatArray,
    origin_known: bool,
    knowledge: Knowledge,
    *,
    error: float = 1e-6,
    doubted: bool = False,
    effort: ReductionEffort | None = None,
    progress: Progress = no_progress,
) -> Naming:
    """Name the axes of a recovered table.

    Parameters
    ----------
    values
        Released rows along the recovered axes, m x n.
    steps
        Step of each axis, NaN where it was not recovered or does not vary. Of these, columns of one value count as
        axes that do not vary, all others as not recovered.
    origin_known
        Whether values are measured from the attributes' own origin: then attribute = sign * value.
    knowledge
        What the attacker has, checked.
    error
        The most that a value may be off, as a share of its axis' step.
    doubted
        Whether known records may be absent, because others are: they then settle only what chance could not.
    effort
        With the seconds after which the search for known records stops.
    progress
        Called as ``progress(label, done, total)``.
    """
    read = partial(_Reading, values, steps, error=error, effort=effort, progress=progress)
    naming = read(knowledge, origin_known=origin_known, doubted=doubted).run()
    if not naming.refuted_by:
        return naming
    if origin_known:
        moved = read(knowledge, origin_known=False, doubted=True)
        found = moved.run()
        if moved.confirmed and not found.refuted_by:
            return replace(found, notes=(*found.notes, _MOVED))
    table = {"known records": "known", "sample": "sample"}.get(naming.refuted_by)
    if table is not None and not read(knowledge, origin_known=origin_known, coarse=True).run().refuted_by:
        less = replace(knowledge, **{table: None})
        again = partial(name_axes, values, steps, origin_known, error=error, doubted=doubted)
        without = again(less, effort=effort, progress=progress)
        return replace(without, notes=(_ROUNDED[table], *without.notes))
    return naming


class _Reading:
    """The stages of naming, and what each has settled.

    ``origin_known``: values are measured from the attributes' own origin. ``coarse``: known records and sample may be
    off by their rounding even where that is not small beside a step. ``doubted``: known records may be absent.
    ``confirmed``: two different known records or more were found in rows of the grid.
    """

    def __init__(
        self,
        values: FloatArray,
        steps: FloatArray,
        knowledge: Knowledge,
        *,
        error: float,
        effort: ReductionEffort | None,
        progress: Progress,
        origin_known: bool,
        coarse: bool = False,
        doubted: bool = False,
    ) -> None:
        self.confirmed, self._doubted = False, doubted
        self._most_rounding = np.inf if coarse else _TOLERANCES.fine
        self._refuted_by = ""
        self._varies = np.isfinite(steps)
        missing = values[:, ~self._varies]
        self._distances_kept = bool((missing == missing[:1]).all())  # not a number is not itself
        self._values = np.ascontiguousarray(values[:, self._varies], dtype=np.float64)
        self._steps = np.asarray(steps[self._varies], dtype=np.float64)
        self._origin_known, self._effort, self._progress = origin_known, effort, progress
        self._step_error = error
        self._known, self._sample = knowledge.known, knowledge.sample
        self._rows = None if knowledge.rows is None else np.asarray(knowledge.rows)
        self._attributes = _attributes(knowledge, len(steps))
        self._bounds = _bounds(knowledge, self._attributes)
        self._notes: list[str] = []

    def run(self) -> Naming:
        """Bounds, then known records, then a sample: each settles what it can of what is left."""
        if not len(self._steps):
            return self._naming([])
        if len(self._steps) > self._attributes:
            self._notes.append(_TOO_WIDE)
            return self._naming([])
        stages: tuple[tuple[str, Callable[[Options], Options | None]], ...]
        stages = (("bounds", self._by_bounds), ("known records", self._by_known), ("sample", self._by_sample))
        options, settled = self._start(), []
        for done, (source, stage) in enumerate(stages):
            self._progress("naming the axes", done, len(stages))
            found = stage(options)
            if found is None:
                self._refuted_by = source
                return self._naming([])
            options = found
            settled.append((source, options.settled()))
        self._progress("naming the axes", len(stages), len(stages))
        return replace(self._naming(settled), options=options)

    def _start(self) -> Options:
        """Options with the most that a number may be off: more where a table's own decimals are off the grid."""
        own = self._step_error * self._steps + _TOLERANCES.value_error * np.abs(self._values).max(axis=0)
        error = np.tile(own[:, None], self._attributes)
        for table in (self._known, self._sample):
            if table is not None:
                rounding = np.array([_rounding(column) for column in table.T])
                distance = from_grid(np.asarray(table, dtype=np.float64), self._steps)
                rounded = (distance > 2 * own[:, None]) | (table == table[0]).all(axis=0)
                rounded &= rounding <= self._most_rounding * self._steps[:, None]
                error = np.where(rounded, np.maximum(error, rounding + own[:, None]), error)
        return Options.unknown(error, own)

    def _by_bounds(self, options: Options) -> Options | None:
        if self._origin_known:
            options = options.within(np.zeros(1), np.zeros(1))
        if self._bounds is not None:
            ends = np.stack([SIGNS[:, None] * self._values.min(axis=0), SIGNS[:, None] * self._values.max(axis=0)])
            least, most = ends.min(axis=0).T[:, None, :], ends.max(axis=0).T[:, None, :]
            options = options.within(self._bounds[None, :, 0, None] - least, self._bounds[None, :, 1, None] - most)
        found = options.matched()
        if found is None:
            self._notes.append(_NO_BOUNDS)
        return found

    def _by_known(self, options: Options) -> Options | None:
        if self._known is None:
            return options
        known = np.asarray(self._known, dtype=np.float64)
        on_grid = self._on_grid(options, known)
        if on_grid is None:
            self._notes.append(_NO_KNOWN)
            return None
        rows = np.full(len(known), -1) if self._rows is None else self._rows
        given = rows >= 0
        linked = self._in_their_rows(on_grid, known[given], rows[given])
        if linked is None:
            self._notes.append(_NO_KNOWN)
            return None
        self.confirmed = _differ(known[given])
        if given.all():
            return linked
        options = linked
        centres = centres_of(options, self._values, self._bounds, origin_known=self._origin_known)
        placing = Placements(
            known[~given],
            self._values,
            centres,
            distances_kept=self._distances_kept,
            effort=self._effort,
            progress=self._progress,
            offsets_known=bool(given.any()),
        )
        try:
            found = placing.options(options)
        except TooManyPlacementsError:
            self._notes.append(_MANY)
            return options
        if found is None:
            self._notes.append(_NO_KNOWN)
            return None
        searched = len(np.unique(known[~given], axis=0))
        wrong = wrong_readings(self._values, self._steps, searched, offsets_open=centres is None)
        if wrong > COUNTING.limit:
            self._notes.append(_BY_CHANCE if self._doubted else _IF_PRESENT.format(expected(wrong)))
            if self._doubted:
                return options
        self.confirmed = _differ(known)
        return found

    def _in_their_rows(self, options: Options, known: FloatArray, rows: IntArray) -> Options | None:
        """Options that agree with known records whose rows are given."""
        for record, row in zip(known, rows, strict=True):
            options = options.linked(record, self._values[row])
        return options.matched() if len(rows) else options

    def _on_grid(self, options: Options, records: FloatArray) -> Options | None:
        """Options whose attribute has records a whole number of the axis' steps apart, wherever their rows are."""
        off_grid = from_grid(records, self._steps) > 2 * options.error
        return options.without(off_grid[:, :, None]).matched()

    def _by_sample(self, options: Options) -> Options | None:
        """What is left after the sample; the same where it says nothing."""
        if self._sample is None:
            return options
        sample = np.asarray(self._sample, dtype=np.float64)
        on_grid = self._on_grid(options, sample)
        if on_grid is None:
            self._notes.append(_NO_SAMPLE if self.confirmed else _OFF_GRID)
            return options if self.confirmed else None
        if min(len(sample), len(self._values)) < SAMPLING.least:
            self._notes.append(_SMALL_SAMPLE)
            return on_grid
        comparison = Comparison(sample, self._values, self._steps, self._progress)
        with ONE_BLAS_THREAD:  # its products are small
            found = comparison.options(on_grid)
        if found is None:
            self._notes.append(_NO_SAMPLE)
            return options
        return found

    def _naming(self, settled: list[tuple[str, Settled]]) -> Naming:
        axes = len(self._varies)
        columns, signs, offsets = np.full(axes, -1), np.zeros(axes, dtype=np.int64), np.full(axes, np.nan)
        by: dict[str, list[str]] = {name: [""] * axes for name in ("columns", "signs", "offsets")}
        places = np.flatnonzero(self._varies)
        for source, found in settled:
            for name, out, new, is_settled in (
                ("columns", columns, found.columns, found.columns >= 0),
                ("signs", signs, found.signs, found.signs != 0),
                ("offsets", offsets, found.offsets, np.isfinite(found.offsets)),
            ):
                for j in np.flatnonzero(is_settled):
                    out[places[j]] = new[j]
                    by[name][places[j]] = by[name][places[j]] or source
        # While a sign is open, an offset is known only if it is the origin's: others go with one sign or the other.
        offsets[signs == 0] = np.nan
        by["offsets"] = [source if sign else "" for source, sign in zip(by["offsets"], signs, strict=True)]
        if self._origin_known:
            offsets[places] = 0.0
            by["offsets"] = ["origin" if varies else "" for varies in self._varies]
        return Naming(
            columns,
            signs,
            offsets,
            tuple(by["columns"]),
            tuple(by["signs"]),
            tuple(by["offsets"]),
            self._varies,
            tuple(self._notes),
            self._refuted_by,
        )


def _attributes(knowledge: Knowledge, axes: int) -> int:
    """Number of attributes; further axes are padding."""
    widths = {name: table.shape[1] for name, table in _tables(knowledge)}
    if len(set(widths.values())) > 1:
        rule = f"must have {widths['known']} columns like known"
        raise InputError("sample", rule, f"{widths['sample']} columns")
    if widths:
        return int(min(widths.values()))
    return axes if knowledge.bounds is None else int(np.shape(knowledge.bounds)[0])


def _differ(records: FloatArray) -> bool:
    return bool((records != records[:1]).any())


def _tables(knowledge: Knowledge) -> list[tuple[str, NDArray[Any]]]:
    pairs = (("known", knowledge.known), ("sample", knowledge.sample))
    return [(name, table) for name, table in pairs if table is not None]


def _bounds(knowledge: Knowledge, attributes: int) -> FloatArray | None:
    """Bounds of all attributes: infinite where none are given, as ranges of padding do not count."""
    if knowledge.bounds is None:
        return None
    bounds = np.tile([-np.inf, np.inf], (attributes, 1))
    given = np.asarray(knowledge.bounds, dtype=np.float64)[:attributes]
    bounds[: len(given)] = given
    return bounds


def _rounding(values: NDArray[Any]) -> float:
    """The most that rounding may have changed a column of numbers: half its last decimal, or what its type holds."""
    numbers = values.astype(np.float64)
    unit = float(np.finfo(values.dtype).eps) if values.dtype.kind == "f" else 0.0
    return max(decimal_step(numbers) / 2, unit * float(np.abs(numbers).max()))
