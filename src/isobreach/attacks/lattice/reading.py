# SPDX-License-Identifier: BSD-3-Clause
"""What the release alone gives, whatever else the attacker knows: axes, and every row's value along them."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach._random import generator
from isobreach.attacks.lattice.certainty import are_decimal
from isobreach.attacks.lattice.claims import still_certain
from isobreach.attacks.lattice.evidence import deviation_of, grid_evidence
from isobreach.attacks.lattice.frame import AxisFrame, Doubt, complement, spans
from isobreach.attacks.lattice.search import HeldRows, search
from isobreach.engine import ONE_BLAS_THREAD, Engine, tiles
from isobreach.geometry.lattice import ReductionEffort, import_fpylll
from isobreach.release import Precision, released_precision


@dataclass(frozen=True)
class ReadingExtent:
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


EXTENT = ReadingExtent()


@dataclass(frozen=True, eq=False)
class GridReading:
    """Rows on the grid of certain axes, k of them, before anything has a name.

    ``values``: m x n, on the grid; columns beyond the axes are zero where they do not vary, else NaN. ``exact``: the
    same without rounding to the grid. ``steps``: n, NaN beyond the axes. ``origin``: whether values are measured from
    the attributes' own origin. ``base``: k, what brings values to the release's origin, which is the attributes' if
    nobody translated, but lies on no grid behind jitter. ``deviation``: of the rows from the grid, in steps, by axis.
    ``error``: the most that a value may be off, in steps. ``misread``: share of entries that noise is expected to have
    moved to a neighbouring grid value. ``noise``: standard deviation of the rows from the grid, per coordinate.
    """

    frame: AxisFrame
    values: FloatArray
    exact: FloatArray
    steps: FloatArray
    origin: bool
    base: FloatArray
    deviation: FloatArray
    error: float
    misread: float
    noise: float

    @property
    def blurred(self) -> bool:
        """Whether rows are off the grid by more than is worth leaving out."""
        return bool(self.deviation.max() >= EXTENT.blurred)


@dataclass(frozen=True, eq=False)
class Study:
    """What a search came to: a reading, or None; what is in doubt; why there is nothing; seconds left of a budget."""

    reading: GridReading | None = field(repr=False)
    doubts: tuple[Doubt, ...]
    nothing: str
    left: float

    @property
    def decided(self) -> bool:
        """Whether more effort could not find more."""
        late = Doubt.UNFINISHED in self.doubts
        return not late if self.reading is not None else self.doubts in ((), (Doubt.CONSTANT,))


def study(
    source: Engine, *, noise: float | None, seed: int | None, effort: float, budget: float | None, progress: Progress
) -> Study:
    """Search for axes, and read every row.

    Parameters
    ----------
    source
        The released rows.
    noise
        Standard deviation of random errors of released coordinates, where it is known.
    seed
        Of the choice of rows.
    effort
        Work that the search may do: ``EFFORT``.
    budget
        Seconds after which it stops in any case; None for no such limit.
    progress
        Called as ``progress(label, done, total)``.
    """
    import_fpylll()
    allowed = ReductionEffort(effort, np.inf if budget is None else budget)
    random = generator(0 if seed is None else seed, "lattice")
    precision = released_precision(source)
    with ONE_BLAS_THREAD:
        frame, positions, doubts = _found(source, precision, noise, random, allowed, progress)
        reading = None if frame is None else _read(frame, positions, source, progress)
    nothing = "; ".join(doubts) or _why_nothing(*source.shape, precision)
    return Study(reading, doubts, nothing, allowed.seconds)


def _read(frame: AxisFrame, positions: FloatArray, source: Engine, progress: Progress) -> GridReading:
    total, columns = source.shape
    count = len(frame.steps)
    deviation = _deviation(positions)
    outside = complement(frame.directions)
    beyond = source.column(_products, outside, "reading the grid", progress).values() if len(outside) else None
    complete = beyond is None or spans(frame, positions, beyond)
    shift, origin = _origin(frame, deviation, 0.0 if beyond is None else float(np.linalg.norm(beyond.mean(axis=0))))
    values, exact = np.full((2, total, columns), np.nan)
    values[:, :count] = (np.rint(positions) + shift) * frame.steps
    exact[:, :count] = (positions + shift) * frame.steps
    if complete:
        values[:, count:] = exact[:, count:] = 0.0  # what the axes leave over does not vary
    steps = np.full(columns, np.nan)
    steps[:count] = frame.steps
    return GridReading(
        frame,
        values,
        exact,
        steps,
        origin,
        base=np.asarray(frame.directions @ frame.base - shift * frame.steps),
        deviation=deviation,
        error=_value_error(frame, positions, deviation),
        misread=float(2 * ndtr(-0.5 / np.maximum(deviation, 1e-9)).mean()),
        noise=float(np.sqrt(((deviation * frame.steps) ** 2).mean())),
    )


def _found(
    source: Engine,
    precision: Precision,
    noise: float | None,
    random: np.random.Generator,
    effort: ReductionEffort,
    progress: Progress,
) -> tuple[AxisFrame | None, FloatArray, tuple[Doubt, ...]]:
    """Frame of certain axes on whose grid all rows lie, the rows' positions on it, and what is in doubt."""
    total = source.shape[0]
    sample = np.sort(random.permutation(total)[: EXTENT.sample])
    doubts: tuple[Doubt, ...] = ()
    for _ in range(EXTENT.searches):
        release = HeldRows.measured(source.gather(sample), precision)
        if not np.ptp(release.rows, axis=0).any():
            doubts = (Doubt.CONSTANT,)
            break
        frame, doubts = search(release, noise, random, effort, progress)
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
        sample = np.union1d(sample, random.permutation(missed)[: EXTENT.added])
    return None, np.empty((total, 0)), doubts


def _why_nothing(rows: int, columns: int, precision: Precision) -> str:
    """Why no path found anything, as far as the release's size and precision tell."""
    if columns == 1:
        return "one column shows no rotation"
    if rows < columns + EXTENT.least_surplus:
        return f"so few rows ({rows:,}) show no lattice of {columns:,} columns"
    hidden = f"; its values are rounded, which hides steps below about {10 * precision.step:.1g}"
    return f"its rows lie on no lattice with orthogonal axes that shows{hidden if precision.step else ''}"


def _positions(block: FloatArray, first_row: int, frame: AxisFrame) -> FloatArray:
    """Where the rows of a block are along the axes of a frame."""
    return np.concatenate([frame.positions(block[tile]) for tile in tiles(block)])


def _products(block: FloatArray, first_row: int, directions: FloatArray) -> FloatArray:
    """Products of the rows of a block with some directions."""
    return np.concatenate([block[tile] @ directions.T for tile in tiles(block)])


def _deviation(positions: FloatArray) -> FloatArray:
    """Standard deviation of the rows from the grid of each axis, in steps.

    Rows that heavy noise moved to the next place seem to be near the grid. The mean cosine is not misled by them, and
    of tiny residuals it says nothing.
    """
    residuals = positions - np.rint(positions)
    cosines = np.cos(2 * np.pi * residuals).mean(axis=0)
    heavy = np.where(cosines < EXTENT.heavy, deviation_of(cosines), 0.0)
    return np.asarray(np.maximum(np.sqrt((residuals**2).mean(axis=0)), heavy))


def _value_error(frame: AxisFrame, positions: FloatArray, deviation: FloatArray) -> float:
    """The most that a value may be off, in steps: a step that is no decimal is known as well as the rows tell it."""
    spread = positions.std(axis=0) * np.sqrt(len(positions))
    errors = EXTENT.sure * deviation / spread * np.abs(positions).max(axis=0)
    return float(np.where(are_decimal(frame.steps), 0.0, errors).max().clip(*EXTENT.value_errors))


def _origin(frame: AxisFrame, deviation: FloatArray, away: float) -> tuple[IntArray, bool]:
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
    entire = bool(((frame.directions**2).sum(axis=1) > 1 - EXTENT.part).all())
    here = entire or away <= float((reach * frame.steps).min())
    on_grid = bool((np.abs(places - whole) <= reach).all() and chance < np.log(EXTENT.origin_chance) and here)
    return (whole if on_grid else np.zeros_like(whole)).astype(np.int64), on_grid
