# SPDX-License-Identifier: BSD-3-Clause
r"""The lattice attack: grid-valued tables fall with no known record.

Rows of a rotated table of whole numbers, decimals or standardised decimals lie on a lattice whose axes are the secret
rotation, up to the order and the signs of the attributes. Reduction finds them (``search``); what is claimed is certain
(``certainty``, ``tight``) and holds for every row (``evidence``). What the attacker knows besides then names
attributes, signs and offsets (``naming``).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from isobreach._progress import Progress, no_progress
from isobreach._random import generator
from isobreach._validation import check_positive, check_seed, check_table
from isobreach.attacks.base import Knowledge, Reconstruction
from isobreach.attacks.lattice.certainty import are_decimal
from isobreach.attacks.lattice.claims import still_certain
from isobreach.attacks.lattice.evidence import deviation_of, grid_evidence
from isobreach.attacks.lattice.frame import Doubt, Frame, complement, spans
from isobreach.attacks.lattice.naming import Naming, name_axes
from isobreach.attacks.lattice.search import Release, search
from isobreach.engine import ONE_BLAS_THREAD, Engine, as_engine, tiles
from isobreach.geometry.lattice import Deadline, import_fpylll
from isobreach.linking import link
from isobreach.release import Precision, released_precision

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

BUDGET = 60.0


@dataclass(frozen=True)
class Extent:
    """How much is read, and how values are stated."""

    sample: int = 20_000  # Rows that the search sees; every row is checked afterwards.
    added: int = 2_000  # Rows that a first frame misses, added to the sample: a tenth.
    searches: int = 3  # Searches, each with rows that the one before missed; set by hand.
    origin_chance: float = 1e-6  # That the origin lies on all grids by chance.
    sure: float = 6.0  # Standard errors: 2e-9 for a normal error.
    # Limits of a value's error, in steps: roundoff, and what naming can still tell apart.
    value_errors: tuple[float, float] = (1e-6, 1e-2)
    part: float = 1e-3  # Of a squared length: axes that lack more are parts of attributes' axes.
    least_surplus: int = 4  # Rows beyond the columns, without which no path begins.
    heavy: float = 0.99  # Mean cosine below which it says more of noise than residuals do: noise above 0.02 steps.
    blurred: float = 1e-2  # Steps that rows are off the grid by (standard deviation) from which on that is said.


_EXTENT = Extent()
_ABSENT = "{} of {} known records are not in this release, so they settle nothing"
_SCALED = "the known records are in this release at {:.6g} times their scale, so they settle nothing"
_NOT_SO = {
    "bounds": "they are wrong",
    "known records": "these are not in this release",
    "sample": "it is of other people",
}


@dataclass(frozen=True, eq=False)
class LatticeReconstruction(Reconstruction):
    """What the lattice gave away.

    Entry j of everything is about column j of ``estimates``: the attribute j where ``column_by[j]`` says what settled
    it, else one of the others.

    Attributes
    ----------
    axes
        n x n, orthogonal: direction of each attribute in released coordinates. Rows that are not ``recovered`` only
        complete it.
    steps
        Step of each attribute's grid, NaN where it was not recovered or does not vary.
    recovered
        Attributes whose axis and values are claimed.
    column_by, sign_by, offset_by
        What settled the attribute, its sign and its offset: ``"bounds"``, ``"known records"``, ``"sample"``,
        ``"origin"``; empty where it is open. An open offset is left out of the estimates, an open sign is either.
    path
        What found the axes; empty where nothing did.
    noise
        Standard deviation of the released rows from the grid, per coordinate; NaN where nothing was found.
    misread
        Share of entries that noise is expected to have moved to a neighbouring grid value.
    """

    axes: FloatArray = field(repr=False, kw_only=True)
    steps: FloatArray = field(repr=False, kw_only=True)
    recovered: BoolArray = field(repr=False, kw_only=True)
    column_by: tuple[str, ...] = field(repr=False, kw_only=True)
    sign_by: tuple[str, ...] = field(repr=False, kw_only=True)
    offset_by: tuple[str, ...] = field(repr=False, kw_only=True)
    path: str = field(kw_only=True)
    noise: float = field(kw_only=True)
    misread: float = field(kw_only=True)


def lattice_attack(
    released: NDArray[Any] | Engine,
    knowledge: Knowledge | None = None,
    *,
    seed: int | None = None,
    budget: float = BUDGET,
    progress: Progress = no_progress,
) -> LatticeReconstruction:
    """Attack a release of a grid-valued table; no claim is a valid outcome.

    ``knowledge``: known records, a sample or bounds name what was recovered; nothing is needed to recover it.
    ``budget``: seconds after which the search stops. ``seed``: of the choice of rows.
    """
    import_fpylll()
    check_seed(seed)
    deadline = Deadline(check_positive("budget", budget))
    if not isinstance(released, Engine):
        released = np.asarray(released)
        check_table("released", released)
    source = as_engine(released)
    knowledge = Knowledge.of(knowledge).check(source.shape[1])
    noise = knowledge.noise if isinstance(knowledge.noise, float) else None
    random = generator(0 if seed is None else seed, "lattice")
    precision = released_precision(source)
    with ONE_BLAS_THREAD:
        frame, positions, doubts = _found(source, precision, noise, random, deadline, progress)
        if frame is None:
            why = "; ".join(doubts) or _why_nothing(*source.shape, precision)
            return _nothing(source.shape, why, decided=doubts in ((), (Doubt.CONSTANT,)))
        return _told(frame, positions, source, knowledge, precision, doubts, deadline, progress)


def _found(
    source: Engine,
    precision: Precision,
    noise: float | None,
    random: np.random.Generator,
    deadline: Deadline,
    progress: Progress,
) -> tuple[Frame | None, FloatArray, tuple[Doubt, ...]]:
    """Frame of certain axes on whose grid all rows lie, the rows' positions on it, and what is in doubt."""
    total = source.shape[0]
    sample = np.sort(random.permutation(total)[: _EXTENT.sample])
    doubts: tuple[Doubt, ...] = ()
    for _ in range(_EXTENT.searches):
        release = Release.measured(source.gather(sample), precision)
        if not np.ptp(release.rows, axis=0).any():
            doubts = (Doubt.CONSTANT,)
            break
        frame, doubts = search(release, noise, random, deadline, progress)
        if frame is None or not frame.certain.any():
            break
        frame = frame.only(frame.certain)
        positions = source.column(_positions, frame, "reading the grid", progress).values()
        evidence = grid_evidence(positions)
        sure = still_certain(frame, evidence.on_grid)
        missed = np.setdiff1d(np.flatnonzero(evidence.missed.any(axis=1)), sample)
        if sure.all() or not len(missed):
            return (frame.only(sure), positions[:, sure], doubts) if sure.any() else (None, positions, doubts)
        # Rows outside the sample that the lattice misses: once more with some of them.
        sample = np.union1d(sample, random.permutation(missed)[: _EXTENT.added])
    return None, np.empty((total, 0)), doubts


def _why_nothing(rows: int, columns: int, precision: Precision) -> str:
    """Why no path found anything, as far as the release's size and precision tell."""
    if columns == 1:
        return "one column shows no rotation"
    if rows < columns + _EXTENT.least_surplus:
        return f"so few rows ({rows:,}) show no lattice of {columns:,} columns"
    hidden = f"; its values are rounded, which hides steps below about {10 * precision.step:.1g}"
    return f"its rows lie on no lattice with orthogonal axes that shows{hidden if precision.step else ''}"


def _positions(block: FloatArray, first_row: int, frame: Frame) -> FloatArray:
    """Where the rows of a block are along the axes of a frame."""
    return np.concatenate([frame.positions(block[tile]) for tile in tiles(block)])


def _products(block: FloatArray, first_row: int, directions: FloatArray) -> FloatArray:
    """Products of the rows of a block with some directions."""
    return np.concatenate([block[tile] @ directions.T for tile in tiles(block)])


def _told(
    frame: Frame,
    positions: FloatArray,
    source: Engine,
    knowledge: Knowledge,
    precision: Precision,
    doubts: tuple[Doubt, ...],
    deadline: Deadline,
    progress: Progress,
) -> LatticeReconstruction:
    """The result: values on the grid, named as far as the attacker's knowledge goes; nothing where that refutes it."""
    total, columns = source.shape
    count = len(frame.steps)
    deviation = _deviation(positions)
    outside = complement(frame.directions)
    beyond = source.column(_products, outside, "reading the grid", progress).values() if len(outside) else None
    complete = beyond is None or spans(frame, positions, beyond)
    shift, origin = _origin(frame, deviation, 0.0 if beyond is None else float(np.linalg.norm(beyond.mean(axis=0))))
    values = np.full((total, columns), np.nan)
    values[:, :count] = (np.rint(positions) + shift) * frame.steps
    if complete:
        values[:, count:] = 0.0  # what the axes leave over does not vary
    left_over = _left_over(values[:, count:], doubts)
    steps = np.full(columns, np.nan)
    steps[:count] = frame.steps
    error = _value_error(frame, positions, deviation)
    misread = float(2 * ndtr(-0.5 / np.maximum(deviation, 1e-9)).mean())
    noise = float(np.sqrt(((deviation * frame.steps) ** 2).mean()))
    name = partial(name_axes, values, steps, origin, error=error, deadline=deadline, progress=progress)
    naming = name(knowledge)
    if naming.refuted_by == "known records":
        naming = _named_by_those_present(name, naming, source, knowledge, precision, noise, progress)
    if naming.refuted_by:
        return _nothing(source.shape, _refutation(naming, misread), decided=False)
    order, signs = _order(naming), np.where(naming.signs == 0, 1, naming.signs)
    values *= signs
    values += np.nan_to_num(naming.offsets)
    recovered = (np.arange(columns) < count)[order]
    told = tuple(
        tuple(by[axis] if axis < count else "" for axis in order)
        for by in (naming.column_by, naming.sign_by, naming.offset_by)
    )
    return LatticeReconstruction(
        claimed=True,
        reason=_reason(source.shape, count, left_over, _blur(deviation, misread), naming),
        estimates=values[:, order],
        decided=Doubt.LATE not in doubts,
        axes=(completed(frame.directions) * signs[:, None])[order],
        steps=steps[order],
        recovered=recovered,
        column_by=told[0],
        sign_by=told[1],
        offset_by=told[2],
        path=frame.path.value,
        noise=noise,
        misread=misread,
    )


def _named_by_those_present(
    name: Callable[[Knowledge], Naming],
    refuted: Naming,
    source: Engine,
    knowledge: Knowledge,
    precision: Precision,
    noise: float,
    progress: Progress,
) -> Naming:
    """Naming without the known records that are not in the release; as it was where all of them are in it.

    Linking looks for records by lengths alone and knows nothing of the grid. So a record that it shows to be absent
    says nothing against the grid, and one that it cannot show to be absent counts as present, as it was said to be.
    Records that are in the release at another scale must fit the grid at that scale, and name nothing at theirs.
    """
    known = np.asarray(knowledge.known, dtype=np.float64)
    own = Release.measured(source.gather(np.arange(min(_EXTENT.sample, source.shape[0]))), precision).explained
    linkage = link(known, source, motion="auto", noise=noise if noise > own else None, progress=progress)
    present, scaled = linkage.status != "absent", linkage.scale != 1.0
    if present.all() and not scaled:
        return refuted
    rest = known[present] * linkage.scale if present.any() else None
    naming = name(replace(knowledge, known=rest))
    if scaled and not naming.refuted_by:
        naming = name(replace(knowledge, known=None))
    absent = _ABSENT.format(int((~present).sum()), len(known)) if not present.all() else ""
    notes = (absent, _SCALED.format(linkage.scale) if scaled else "")
    return replace(naming, notes=(*naming.notes, *filter(None, notes)))


def _refutation(naming: Naming, misread: float) -> str:
    """Why what was found is not claimed."""
    noise = (
        ", or noise has moved one of their values" if naming.refuted_by == "known records" and misread > 1e-9 else ""
    )
    turned = "the table itself is not on that grid, but may be a rotation of one that is"
    return f"{naming.notes[0]}: either {_NOT_SO[naming.refuted_by]}, or {turned}{noise}"


def _deviation(positions: FloatArray) -> FloatArray:
    """Standard deviation of the rows from the grid of each axis, in steps.

    Rows that heavy noise moved to the next place seem to be near the grid. The mean cosine is not misled by them, and
    of tiny residuals it says nothing.
    """
    residuals = positions - np.rint(positions)
    cosines = np.cos(2 * np.pi * residuals).mean(axis=0)
    heavy = np.where(cosines < _EXTENT.heavy, deviation_of(cosines), 0.0)
    return np.asarray(np.maximum(np.sqrt((residuals**2).mean(axis=0)), heavy))


def _value_error(frame: Frame, positions: FloatArray, deviation: FloatArray) -> float:
    """The most that a value may be off, in steps: a step that is no decimal is known as well as the rows tell it."""
    spread = positions.std(axis=0) * np.sqrt(len(positions))
    errors = _EXTENT.sure * deviation / spread * np.abs(positions).max(axis=0)
    return float(np.where(are_decimal(frame.steps), 0.0, errors).max().clip(*_EXTENT.value_errors))


def _origin(frame: Frame, deviation: FloatArray, away: float) -> tuple[IntArray, bool]:
    """Whole steps from the release's origin to the frame's base, and whether the origin lies on every axis' grid.

    If it did by chance, each axis would have it within the errors' reach with that probability; of axes that depend on
    each other, as many as are independent. Their directions are also only parts of the attributes' axes: from rows
    that are ``away`` from the origin across all axes, values lack what the other part makes of that. (Of three columns
    that add up to 99, axes show x - 33.)
    """
    places = -frame.positions(np.zeros((1, len(frame.base))))[0]
    whole = np.rint(places)
    reach = np.clip(10 * deviation, 1e-9, 0.1)
    rank = len(frame.base) - len(complement(frame.directions))
    chance = np.sort(np.log(2 * reach))[-rank:].sum()
    entire = bool(((frame.directions**2).sum(axis=1) > 1 - _EXTENT.part).all())
    here = entire or away <= float((reach * frame.steps).min())
    on_grid = bool((np.abs(places - whole) <= reach).all() and chance < np.log(_EXTENT.origin_chance) and here)
    return (whole if on_grid else np.zeros_like(whole)).astype(np.int64), on_grid


def completed(directions: FloatArray) -> FloatArray:
    """An orthogonal matrix whose first rows are these directions, as nearly as they are orthonormal.

    Where attributes depend on each other, directions are the parts of axes inside the span of the rows: W W' is then
    not I, and parts Z outside with Z Z' = I - W W' complete them.
    """
    count = len(directions)
    lengths, vectors = np.linalg.eigh(np.eye(count) - directions @ directions.T)
    missing = lengths > 1e-3
    outside = complement(directions)
    if 0 < missing.sum() <= len(outside):
        parts = vectors[:, missing] * np.sqrt(lengths[missing])
        directions = directions + parts @ outside[: int(missing.sum())]
    left, _, right = np.linalg.svd(directions)
    return np.concatenate([left @ right[:count], right[count:]])


def _order(naming: Naming) -> IntArray:
    """Axis of each column: settled ones in their place, the others in the places left over."""
    columns = len(naming.columns)
    order = np.full(columns, -1)
    settled = naming.columns >= 0
    order[naming.columns[settled]] = np.flatnonzero(settled)
    order[order < 0] = np.flatnonzero(~settled)
    return order


def _left_over(values: FloatArray, doubts: tuple[Doubt, ...]) -> str:
    """Why there are columns without an axis; empty where there are none."""
    if not values.shape[1]:
        return ""
    if not np.isnan(values).any():
        return f"the other {values.shape[1]} do not vary" if values.shape[1] > 1 else "the other one does not vary"
    return f"not the others, as {'; '.join(doubts)}" if doubts else "not the others, which are on no grid that shows"


def _blur(deviation: FloatArray, misread: float) -> str:
    """How far rows are off the grid, and what that costs; empty where nothing is lost."""
    if deviation.max() < _EXTENT.blurred:
        return ""
    steps = float(np.sqrt((deviation**2).mean()))
    off = (
        f"they are off it by {steps:.2g} steps (standard deviation): noise, or parts of a step that were added to the "
    )
    moved = f"; of the values, about one in {1 / misread:,.0f} is misread because of noise" if misread > 1e-9 else ""
    return f"{off} the values, which are rounded away{moved}"


def _reason(shape: tuple[int, int], count: int, left_over: str, blur: str, naming: Naming) -> str:
    rows, columns = shape
    attributes = f"all {columns} attributes" if count == columns else f"{count} of {columns} attributes"
    parts = [f"{attributes} recovered: all {rows:,} rows lie on the grid of their axes", blur, left_over]
    parts += [*naming.notes, naming.left() or ""]
    sentence = "; ".join(part for part in parts if part)
    return sentence[0].upper() + sentence[1:] + "."


def _nothing(shape: tuple[int, int], doubt: str, *, decided: bool) -> LatticeReconstruction:
    rows, columns = shape
    nobody = ("",) * columns
    return LatticeReconstruction(
        claimed=False,
        reason=f"Nothing is claimed: {doubt}.",
        estimates=np.full((rows, columns), np.nan),
        decided=decided,
        axes=np.eye(columns),
        steps=np.full(columns, np.nan),
        recovered=np.zeros(columns, dtype=np.bool_),
        column_by=nobody,
        sign_by=nobody,
        offset_by=nobody,
        path="",
        noise=float("nan"),
        misread=0.0,
    )
