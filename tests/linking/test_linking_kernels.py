# SPDX-License-Identifier: BSD-3-Clause
"""Compiled kernels against plain NumPy and plain Python twins."""

from itertools import pairwise, product

import numpy as np
import pytest

from isobreach._progress import no_progress
from isobreach.engine import as_engine
from isobreach.linking.candidates import norm_candidates
from isobreach.linking.candidates.by_norm import _distinct, _scan
from isobreach.linking.search import assignment, cliques
from isobreach.release import merged
from oracles import rotation


def _source(rows):
    return as_engine(rows, block_rows=1)


@pytest.mark.parametrize("spread", [0.0, 1e-9, 1e-3, 0.3, 10.0])
@pytest.mark.parametrize("n", [1, 3, 16])
def test_candidates_are_the_rows_with_the_records_norm(n, spread):
    """Few hits and many, more than a block's buffer holds; radii different for each record."""
    rng = np.random.default_rng(n)
    rows = rng.standard_normal((30_000, n)) * rng.choice([1e-3, 1, 50], (30_000, 1))
    rows[rng.integers(0, 30_000, 3000)] = rows[:3000]
    known = rows[rng.integers(0, 30_000, 12)] @ rotation(n, rng).T
    radius = spread * rng.random(12) + 1e-12 * np.linalg.norm(known, axis=1)
    found = norm_candidates(known, radius, _source(rows), 2.0**-53, no_progress)
    norms = np.linalg.norm(rows, axis=1)
    for i, norm in enumerate(np.linalg.norm(known, axis=1)):
        mine = [row for value in range(found.first[i], found.last[i]) for row in found.rows_of(value)]
        assert sorted(mine) == np.flatnonzero(abs(norms - norm) <= radius[i]).tolist()
    assert len(found.points) == len(np.unique(rows[found.rows], axis=0))
    for value in range(0, len(found.points), 97):
        equal = found.rows_of(value)
        assert (np.diff(equal) > 0).all()
        assert (rows[equal] == found.points[value]).all()


@pytest.mark.parametrize("intervals", [1, 2, 50, 5000])
def test_the_scan_finds_what_lies_in_the_intervals_ends_included(intervals):
    """Values 0 to 999 are the squared norms; every third interval is a single point."""
    rng = np.random.default_rng(intervals)
    squares = rng.integers(0, 1000, 20_000).astype(float)
    low = rng.integers(0, 1000, intervals).astype(float)
    high = low + rng.integers(0, 3, intervals)
    rows = np.sqrt(squares)[:, None]
    inside = ((low <= (rows**2)) & ((rows**2) <= high)).any(axis=1)
    found, points = _scan(_source(rows), *merged(low, high), no_progress)
    assert found.tolist() == np.flatnonzero(inside).tolist()
    assert points.tobytes() == rows[inside].tobytes()


def test_merged_intervals_are_disjoint_with_the_same_union():
    rng = np.random.default_rng(0)
    for _ in range(200):
        low = rng.integers(0, 40, 8).astype(float)
        high = low + rng.integers(0, 5, 8)
        joined = merged(low, high)
        assert (joined[0][1:] > joined[1][:-1]).all()
        points = np.arange(-1, 50, 0.5)[:, None]
        inside = [((a <= points) & (points <= b)).any(axis=1) for a, b in ((low, high), joined)]
        np.testing.assert_array_equal(*inside)


@pytest.mark.parametrize("jitter", [0.0, 1e-16])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_equal_points_are_one_group_numbered_by_their_first_row(n, jitter):
    rng = np.random.default_rng(n)
    integers = rng.integers(-2, 3, (300, n))
    points = (integers @ rotation(n, rng).T) * (1 + jitter * rng.standard_normal((300, n)))
    order, start = _distinct(points, 1e-14)
    groups = [order[a:b].tolist() for a, b in pairwise(start)]
    expected = {}
    for i, row in enumerate(integers.tolist()):
        expected.setdefault(tuple(row), []).append(i)
    assert groups == list(expected.values())


def _problem(rng):
    """Records with their domains of values, as the search holds them."""
    n, records = int(rng.integers(1, 4)), int(rng.integers(2, 6))
    known, values = rng.integers(0, 3, (records + 2, n)).astype(float), rng.integers(0, 3, (60, n)).astype(float)
    radius = rng.choice([1e-9, 0.1, 0.3], records + 2)
    chosen = rng.permutation(records + 2)[:records]
    lists = {int(r): np.sort(rng.permutation(60)[: rng.integers(1, 40)]) for r in chosen}
    copies = rng.integers(1, 3, 60)
    return assignment.Geometry(known, radius, values, copies), assignment.Domains.from_lists(lists)


def _fits(geometry, r, v, s, w):
    """Whether record r being value v and record s being value w keep their distance; one row cannot be both."""
    if v == w and geometry.copies[v] < 2:
        return False
    wanted = np.linalg.norm(geometry.known[r] - geometry.known[s])
    return abs(np.linalg.norm(geometry.values[v] - geometry.values[w]) - wanted) <= geometry.radius[[r, s]].sum()


def _vertices(domains):
    return [(int(r), int(v)) for k, r in enumerate(domains.records) for v in domains.of(k)]


def _unpacked(bits, size):
    return np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")[:, :size].astype(bool)


@pytest.mark.parametrize("seed", range(10))
def test_adjacency_is_agreement_in_distance(seed):
    geometry, domains = _problem(np.random.default_rng(seed))
    vertices = _vertices(domains)
    expected = np.array([[r != s and _fits(geometry, r, v, s, w) for s, w in vertices] for r, v in vertices])
    matrix = _unpacked(assignment._adjacency(geometry, domains), domains.size)
    np.testing.assert_array_equal(matrix, expected)
    for place in (0, len(vertices) // 2, len(vertices) - 1):
        mask = cliques.adjacent(*geometry.arrays, *domains.arrays, *vertices[place])
        np.testing.assert_array_equal(mask, expected[place])
        assert domains.vertex(*vertices[place]) == place


@pytest.mark.parametrize("seed", range(20))
def test_supported_values_extend_to_the_next_records(seed):
    """Plain twin: a value of the first record is alive if the next few records, but for the slack, have values too."""
    rng = np.random.default_rng(seed)
    geometry, domains = _problem(rng)
    slack = int(rng.integers(0, 3))
    depth = min(len(domains.records) - 1, cliques.CHAIN + min(slack, cliques.CHAIN))

    def extends(chain, k, left):
        if k > depth:
            return True
        record = int(domains.records[k])
        fitting = [int(w) for w in domains.of(k) if all(_fits(geometry, r, v, record, int(w)) for r, v in chain)]
        further = any(extends([*chain, (record, w)], k + 1, left) for w in fitting)
        return further or (left > 0 and extends(chain, k + 1, left - 1))

    first = int(domains.records[0])
    alive, work = cliques.supported(*geometry.arrays, *domains.arrays, slack, 10**9)
    assert alive.tolist() == [extends([(first, int(v))], 1, slack) for v in domains.of(0)]
    assert work > 0


def _largest_cliques(adjacent, start, closed):
    """All largest cliques with at most one open vertex of each record, each as {record: vertex}."""
    best, found = 0, []

    def extend(k, chosen):
        nonlocal best, found
        if k == len(start) - 1:
            if len(chosen) > best:
                best, found = len(chosen), []
            if len(chosen) == best:
                found.append(chosen)
            return
        for v in range(start[k], start[k + 1]):
            if not closed[v] and all(adjacent[v, w] for w in chosen.values()):
                extend(k + 1, {**chosen, k: v})
        extend(k + 1, chosen)

    extend(0, {})
    return best, found


def _random_graph(rng):
    """Vertices by record, more than a word of bits holds; edges between records only."""
    start = np.concatenate([[0], np.cumsum(rng.integers(1, 30, rng.integers(1, 6)))])
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
    edges = np.triu(rng.random((start[-1],) * 2) < rng.choice([0.1, 0.3, 0.5]), 1)
    adjacent = (edges | edges.T) & (owner[:, None] != owner)
    padded = np.zeros((start[-1], -(-start[-1] // 64) * 64), dtype=bool)
    padded[:, : start[-1]] = adjacent
    bits = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return start, adjacent, bits, rng.random(start[-1]) < rng.choice([0.0, 0.2])


@pytest.mark.parametrize("seed", range(40))
def test_cliques_are_the_largest_of_the_enumeration(seed):
    start, adjacent, bits, closed = _random_graph(np.random.default_rng(seed))
    best, expected = _largest_cliques(adjacent, start, closed)
    for least, room in product((0, best, best + 1), (len(expected) + 1, 1)):
        kept = np.full((room, len(start) - 1), -1)
        size, count, nodes = cliques.largest_cliques(bits, start, closed, kept, least, 10**9, 10**9)
        assert nodes > 0
        if least > best:
            assert count == 0
            continue
        found = [{k: v for k, v in enumerate(row) if v >= 0} for row in kept[:count].tolist()]
        assert size == best
        assert count == min(room, len(expected))
        assert all(clique in expected for clique in found)
        assert len({tuple(clique.items()) for clique in found}) == count


def test_a_node_limit_stops_the_search_there():
    start, _, bits, closed = _random_graph(np.random.default_rng(3))
    kept = np.full((10, len(start) - 1), -1)
    assert cliques.largest_cliques(bits, start, closed, kept, 1, 10**9, 2)[2] == 2


def test_bits_are_counted_and_masked():
    rng = np.random.default_rng(0)
    for word in (0, 1, 2**63, 2**64 - 1, *map(int, rng.integers(0, 2**63, 50))):
        assert cliques._ones(np.uint64(word)) == word.bit_count()
    for first, last in ((0, 1), (0, 64), (63, 65), (5, 130), (64, 128)):
        masks = [int(cliques._span(first, last, w)) for w in range(first >> 6, ((last - 1) >> 6) + 1)]
        covered = sum(mask << (64 * (w + (first >> 6))) for w, mask in enumerate(masks))
        assert covered == (1 << last) - (1 << first)
