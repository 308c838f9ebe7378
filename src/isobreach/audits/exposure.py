# SPDX-License-Identifier: BSD-3-Clause
r"""How exposed every record is to a coalition, at every size to which it grows.

Let q_1, q_2, ... be orthonormal directions that the linked records determine, in the order in which they are linked
(Gram-Schmidt); those of the first k insiders are a beginning of the list. With x the record, minus the first linked one
where a translation hides the origin, the squared residual after j directions is

    d_j^2 = |x - sum_(i<=K) q_i q_i'x|^2 + sum_(j<i<=K) (q_i'x)^2,

a sum of squares: nothing cancels for records near the span, which are those at risk. One pass over the table gives the
residuals of all sizes.

The breach probability is the owner's: for the record as it is, with its true length and a hidden direction guessed at
random, p(d/|x|, h) of ``isobreach.geometry.sphere``. For an orthogonal motion that is what the attacker claims. Where a
translation hides lengths the attacker does not know |x|, and claims model-based figures, which may be too high for a
given table: the owner's suppose that he knows it.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach.audits.coalitions import Growth
from isobreach.audits.groups import Groups
from isobreach.audits.learned import learned
from isobreach.audits.pairs import MOST_COMPARED, NearestPair, coherence, nearest_pair
from isobreach.engine import tiles
from isobreach.geometry import breach_probability, row_norms
from isobreach.release import EXACT

CANDIDATES = 128  # of whom greedy searches choose the next insider
NOBODY: IntArray = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class OwnersTable:
    """The records, in the order of the table, and how precisely the release shows them.

    ``translates``: the motion has a translation. ``radius``: each record's released row is within it of its exact
    image. ``tolerance``: error of each column within which it counts as learned. ``groups``: columns that are one
    attribute together.
    """

    records: FloatArray
    radius: FloatArray
    translates: bool
    epsilon: float
    tolerance: FloatArray
    groups: Groups = field(default=Groups(), kw_only=True)

    @property
    def total(self) -> int:
        """How many records there are, these and those of which they are a part."""
        return len(self.records)

    @cached_property
    def norms(self) -> FloatArray:
        """Length of each record."""
        return row_norms(self.records)

    @cached_property
    def gram(self) -> tuple[FloatArray, int]:
        """Sum of u u' over the directions u of all records, and how many records are zeros and have none."""
        unit = np.divide(
            self.records, self.norms[:, None], where=self.norms[:, None] > 0, out=np.zeros_like(self.records)
        )
        return gram(unit), int((self.norms == 0).sum())

    @cached_property
    def nearest(self) -> NearestPair:
        """Of all pairs of records the nearest for their length: in place behind a translation, else in direction."""
        return nearest_pair(self.records, self.norms, in_place=self.translates)

    @cached_property
    def coherence(self) -> float:
        """The largest |cosine| between two records, rounded up; 1 where there are too many to compare."""
        if len(self.records) > MOST_COMPARED:
            return 1.0
        by_angle = nearest_pair(self.records, self.norms, in_place=False) if self.translates else self.nearest
        return coherence(by_angle, self.records.shape[1])

    @property
    def redrawn(self) -> bool:
        """Whether coalitions meet different releases: without noise all are the same, whatever the rotation."""
        return False

    @property
    def releases_met(self) -> int:
        """How many releases a coalition meets whose figures are to be told."""
        return 1

    @property
    def candidates(self) -> int:
        """How many are tried for the insider who alone exposes the most."""
        return CANDIDATES

    @property
    def proved(self) -> bool:
        """Whether bounds for every coalition hold: what links determine has a closed form."""
        return True

    def met(self, seed: int) -> "OwnersTable":
        """The table as one coalition meets it."""
        return self

    def exposed(self, order: IntArray, growth: Growth, sizes: tuple[int, ...], watched: IntArray = NOBODY) -> "Exposed":
        """How exposed every record is to order[:size], for each size, and what is learned of those ``watched``."""
        found = span(self, order, growth, sizes)
        probability = probabilities(self.records, self.norms, found, self.epsilon)
        hidden = np.array([found.hidden(place) for place in range(len(sizes))], dtype=np.int64)
        return Exposed(probability, attributes(self, found, watched), hidden)


@dataclass(frozen=True, eq=False)
class Exposed:
    """At each size: every record's breach probability (S x m), attributes learned (S x A), hidden dimension (S).

    ``learned``: share of the watched records; 0 where there are none, or nothing can be said.
    """

    probability: FloatArray
    learned: FloatArray
    hidden: IntArray


@dataclass(frozen=True, eq=False)
class Span:
    """Directions (n x K) that a coalition determines, how many of them at each size, and where residuals begin.

    ``dimensions[s]`` is -1 where nothing can be said: behind a translation without a link.
    """

    directions: FloatArray
    dimensions: tuple[int, ...]
    base: FloatArray

    def hidden(self, place: int) -> int:
        """Hidden dimension at the size in that place; all where nothing is determined."""
        return len(self.base) - max(self.dimensions[place], 0)


def span(table: OwnersTable, order: IntArray, growth: Growth, sizes: tuple[int, ...]) -> Span:
    """Directions determined by the linked insiders of order[:size] for each size.

    A linked record adds a direction if it is off the span of those before it by more than the release's error, twice
    the root of the summed squares of the error radii of the records linked by then (as in ``fit_motions``), and than
    rounding. What is determined stays so when longer records, with larger errors, join: they can be left out.
    """
    n = table.records.shape[1]
    places = np.lexsort((np.arange(len(order)), growth.since))
    places = places[growth.since[places] <= max(sizes)]
    linked = order[places]
    base = table.records[linked[0]] if table.translates and len(linked) else np.zeros(n)
    released = 2 * np.sqrt(np.cumsum(table.radius[linked] ** 2))
    rounding = np.sqrt(np.cumsum(table.norms[linked] ** 2)) * max(len(linked), n) * np.finfo(np.float64).eps
    slack = np.maximum(released, rounding)
    directions = np.zeros((n, 0))
    since: list[int] = []  # size at which each direction comes in
    for place, record, least in zip(places, linked, slack.tolist(), strict=True):
        vector = table.records[record] - base
        for _ in range(2):  # twice is enough
            vector = vector - directions @ (directions.T @ vector)
        length = float(np.linalg.norm(vector))
        if length > least and directions.shape[1] < n:
            directions = np.column_stack([directions, vector / length])
            since.append(int(growth.since[place]))
    known = np.array(since, dtype=np.int64)
    first = int(growth.since[places[0]]) if len(places) else max(sizes) + 1
    dimensions = tuple(-1 if table.translates and size < first else int((known <= size).sum()) for size in sizes)
    return Span(directions, dimensions, base)


def gram(rows: FloatArray) -> FloatArray:
    """Sum of x x' over the rows x, tile by tile."""
    return sum((rows[tile].T @ rows[tile] for tile in tiles(rows)), np.zeros((rows.shape[1], rows.shape[1])))


def probabilities(rows: FloatArray, norms: FloatArray, found: Span, epsilon: float) -> FloatArray:
    """The owner's breach probability of every row at every size, S x m."""
    directions = found.directions
    out = np.empty((len(found.dimensions), len(rows)))
    for tile in tiles(rows):
        centred = rows[tile] - found.base
        along = centred @ directions
        rest = centred - along @ directions.T
        squares, dimension = np.einsum("ij,ij->i", rest, rest), directions.shape[1]
        for place in reversed(range(len(found.dimensions))):
            if found.dimensions[place] < 0:
                out[place, tile] = float(epsilon >= 1)  # the origin as everyone's record errs by its length
                continue
            while dimension > found.dimensions[place]:
                dimension -= 1
                squares += along[:, dimension] ** 2
            out[place, tile] = breach_probability(np.sqrt(squares), norms[tile], found.hidden(place), epsilon)
    return out


def attributes(table: OwnersTable, found: Span, watched: IntArray) -> FloatArray:
    """Share of the watched records of which each attribute is learned, at every size."""
    directions = found.directions
    groups = table.groups.take(watched)
    out = np.zeros((len(found.dimensions), len(groups.attributes(len(directions)))))
    if not len(watched):
        return out
    rounding = 2 * EXACT.radius(table.norms[watched], len(directions))  # not how precise the release is
    centred = table.records[watched] - found.base
    along = centred @ directions
    error = centred - along @ directions.T
    unseen, dimension = 1 - np.einsum("ij,ij->i", directions, directions), directions.shape[1]
    for place in reversed(range(len(found.dimensions))):
        if found.dimensions[place] < 0:
            continue
        while dimension > found.dimensions[place]:
            dimension -= 1
            error += np.outer(along[:, dimension], directions[:, dimension])
            unseen += directions[:, dimension] ** 2
        reach = np.outer(row_norms(error), np.sqrt(np.maximum(unseen, 0.0)))
        share = learned(error, reach, found.hidden(place), table.tolerance, rounding)
        if groups.groups:
            hidden = np.eye(len(directions)) - directions[:, :dimension] @ directions[:, :dimension].T
            share = groups.by_feet(share, table.records[watched] - error, hidden)
        out[place] = share
    return out
