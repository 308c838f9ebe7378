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

from isobreach._arrays import BoolArray, FloatArray, IntArray
from isobreach._progress import Progress, no_progress
from isobreach._validation import check_integer, check_positive, check_seed, check_table
from isobreach.attacks.base import Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.lattice.beyond import aligned
from isobreach.attacks.lattice.frame import Doubt, complement
from isobreach.attacks.lattice.guessing import guesses
from isobreach.attacks.lattice.named import Naming
from isobreach.attacks.lattice.naming import name_axes
from isobreach.attacks.lattice.reading import EXTENT, GridReading, Study, study
from isobreach.attacks.lattice.search import HeldRows
from isobreach.engine import ONE_BLAS_THREAD, Engine, as_engine
from isobreach.geometry.lattice import ReductionEffort, import_fpylll
from isobreach.linking import Linkage, link
from isobreach.release import released_precision

# Work that a search may do: about a minute on an idle processor, where no lattice shows in 100 columns.
EFFORT = 3_000

_ABSENT = "{} of {} known records are not in this release, so they settle nothing"
_SCALED = "the known records are in this release at {:.6g} times their scale, so they settle nothing"
_BY_DISTANCES = "the rows of known records were found by their distances"
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
    effort: int = EFFORT,
    budget: float | None = None,
    progress: Progress = no_progress,
    studied: Study | None = None,
) -> LatticeReconstruction:
    """Attack a release of a grid-valued table; no claim is a valid outcome.

    ``knowledge``: known records, a sample or bounds name what was recovered; nothing is needed to recover it.
    ``effort``: work that the search may do, counted. ``budget``: seconds after which it stops in any case. ``seed``: of
    the choice of rows. ``studied``: what ``study`` gave for this release, noise, seed, effort and budget.
    """
    import_fpylll()
    check_seed(seed)
    check_integer("effort", effort, least=1)
    if budget is not None:
        check_positive("budget", budget)
    if not isinstance(released, Engine):
        released = np.asarray(released)
        check_table("released", released)
    source = as_engine(released)
    knowledge = Knowledge.of(knowledge).check(*reversed(source.shape))
    if studied is None:
        noise = knowledge.noise if isinstance(knowledge.noise, float) else None
        studied = study(source, noise=noise, seed=seed, effort=effort, budget=budget, progress=progress)
    if studied.reading is None:
        return _nothing(source.shape, studied.nothing, decided=studied.decided)
    with ONE_BLAS_THREAD:
        return _told(studied.reading, source, knowledge, studied, seed, progress)


def _told(
    reading: GridReading,
    source: Engine,
    knowledge: Knowledge,
    studied: Study,
    seed: int | None,
    progress: Progress,
) -> LatticeReconstruction:
    """The result: values on the grid, named as far as the attacker's knowledge goes; nothing where that refutes it."""
    frame, columns, count = reading.frame, source.shape[1], len(reading.frame.steps)
    name = partial(
        name_axes,
        reading.values,
        reading.steps,
        reading.origin,
        error=reading.error,
        effort=ReductionEffort(np.inf, studied.left),
        progress=progress,
    )
    naming = name(knowledge)
    if knowledge.known is not None and not _are_linked(knowledge):
        if naming.refuted_by == "known records":
            linkage = _linked(source, knowledge, reading, progress)
            naming = _named_by_those_present(name, naming, linkage, knowledge)
            knowledge = _with_rows(knowledge, linkage)
        elif not (naming.refuted_by or naming.complete or reading.blurred):
            linkage = _linked(source, knowledge, reading, progress)
            if linkage.scale == 1.0 and len(linkage.linked):
                knowledge = _with_rows(knowledge, linkage)
                naming = _named_in_their_rows(name, naming, knowledge)
    variants = guesses(reading, naming, knowledge) | aligned(source, knowledge, naming, studied, seed, progress)
    if naming.refuted_by:
        refuted = _refutation(naming, reading.misread)
        return replace(_nothing(source.shape, refuted, decided=False), variants=variants)
    order, signs = _order(naming), np.where(naming.signs == 0, 1, naming.signs)
    told = tuple(
        tuple(by[axis] if axis < count else "" for axis in order)
        for by in (naming.column_by, naming.sign_by, naming.offset_by)
    )
    left_over = _left_over(reading.values[:, count:], studied.doubts)
    return LatticeReconstruction(
        claimed=True,
        reason=_reason(source.shape, count, left_over, _blur(reading), naming),
        estimates=(reading.values * signs + np.nan_to_num(naming.offsets))[:, order],
        decided=studied.decided,
        variants=variants,
        axes=(completed(frame.directions) * signs[:, None])[order],
        steps=reading.steps[order],
        recovered=(np.arange(columns) < count)[order],
        column_by=told[0],
        sign_by=told[1],
        offset_by=told[2],
        path=frame.path.value,
        noise=reading.noise,
        misread=reading.misread,
    )


def _are_linked(knowledge: Knowledge) -> bool:
    """Whether the attacker knows the rows of all known records."""
    return knowledge.rows is not None and bool((np.asarray(knowledge.rows) >= 0).all())


def _with_rows(knowledge: Knowledge, linkage: Linkage) -> Knowledge:
    """Knowledge with the rows that links give; those that were known stay as they are."""
    linked = np.where(linkage.status == "linked", linkage.rows, -1)
    given = linked if knowledge.rows is None else np.asarray(knowledge.rows)
    return replace(knowledge, rows=np.where(given >= 0, given, linked))


def _named_in_their_rows(name: Callable[..., Naming], open_: Naming, knowledge: Knowledge) -> Naming:
    """Naming by known records in the rows that linking found; as it was where that tells no more.

    The search on the grid may have too many rows to try, where lengths and distances alone tell which ones they are.
    """
    naming = name(knowledge)
    return open_ if naming.refuted_by else replace(naming, notes=(*naming.notes, _BY_DISTANCES))


def _linked(source: Engine, knowledge: Knowledge, reading: GridReading, progress: Progress) -> Linkage:
    """Links of the known records by lengths alone, which know nothing of the grid."""
    some = source.gather(np.arange(min(EXTENT.sample, source.shape[0])))
    own = HeldRows.measured(some, released_precision(source)).explained
    noise = reading.noise if reading.noise > own else None
    return link(np.asarray(knowledge.known, dtype=np.float64), source, motion="auto", noise=noise, progress=progress)


def _named_by_those_present(
    name: Callable[..., Naming], refuted: Naming, linkage: Linkage, knowledge: Knowledge
) -> Naming:
    """Naming without the known records that are not in the release; as it was where all of them are in it.

    Linking looks for records by lengths alone and knows nothing of the grid. So a record that it shows to be absent
    says nothing against the grid, and one that it cannot show to be absent counts as present, as it was said to be.
    Records that are in the release at another scale must fit the grid at that scale, and name nothing at theirs.
    """
    known = np.asarray(knowledge.known, dtype=np.float64)
    present, scaled = linkage.status != "absent", linkage.scale != 1.0
    if present.all() and not scaled:
        return refuted
    rest = known[present] * linkage.scale if present.any() else None
    rows = None if knowledge.rows is None else np.asarray(knowledge.rows)[present]
    naming = name(replace(knowledge, known=rest, rows=rows), doubted=not present.all())
    if scaled and not naming.refuted_by:
        naming = name(replace(knowledge, known=None, rows=None))
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


def _blur(reading: GridReading) -> str:
    """How far rows are off the grid, and what that costs; empty where nothing is lost."""
    if not reading.blurred:
        return ""
    steps, misread = float(np.sqrt((reading.deviation**2).mean())), reading.misread
    off = f"they are off it by {steps:.2g} steps (standard deviation): noise, or parts of a step that were added to"
    moved = f"; of the values, about one in {1 / misread:,.0f} is misread because of noise" if misread > 1e-9 else ""
    return f"{off} the values, which are rounded away{moved}"


def _reason(shape: tuple[int, int], count: int, left_over: str, blur: str, naming: Naming) -> str:
    rows, columns = shape
    read = f"all {columns} columns" if count == columns else f"{count} of {columns} columns"
    parts = [f"{read} recovered: all {rows:,} rows lie on the grid of their axes", blur, left_over]
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
