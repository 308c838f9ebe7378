# SPDX-License-Identifier: BSD-3-Clause
"""Lattice reduction against lattices that are known: planted bases, brute force, the effort."""

import math
import sys
import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from isobreach.errors import MissingExtraError
from isobreach.geometry import lattice
from isobreach.geometry.lattice import (
    _LIMITS,
    OutOfEffortError,
    ReductionEffort,
    _shortened,
    coordinates,
    import_fpylll,
    reduce,
    short_vectors,
    whole_combinations,
)

AMPLE = ReductionEffort(math.inf)


def planted(rank, columns, count, error, seed):
    """A basis, and generators of its lattice with an error."""
    random = np.random.default_rng(seed)
    whole = random.integers(-9, 10, (count, rank))
    basis = random.standard_normal((rank, columns))
    return basis, whole @ basis + error * random.standard_normal((count, columns))


@pytest.mark.parametrize(("rank", "columns"), [(1, 1), (3, 3), (3, 7), (8, 8), (12, 15)])
def test_coordinates_of_generators_span_the_same_lattice(rank, columns):
    basis, generators = planted(rank, columns, rank + 14, 1e-13, seed=rank)
    found, gap = coordinates(generators, rank, 1e10, AMPLE)
    fitted = np.linalg.lstsq(found, generators, rcond=None)[0]
    assert gap > 1e3
    np.testing.assert_allclose(found @ fitted, generators, atol=1e-10)
    change = np.linalg.lstsq(basis.T, fitted.T, rcond=None)[0]  # of one basis to the other
    np.testing.assert_allclose(change, np.rint(change), atol=1e-6)
    assert abs(abs(np.linalg.det(change)) - 1) < 1e-6


def test_vectors_of_no_lattice_have_no_gap():
    generators = np.random.default_rng(0).standard_normal((20, 6))
    found = coordinates(generators, 6, 1e10, AMPLE)
    assert found is None or found[1] < 10


def test_a_reduced_basis_of_a_rotated_grid_is_orthonormal():
    random = np.random.default_rng(1)
    rotation = np.linalg.qr(random.standard_normal((10, 10)))[0]
    mixed = np.eye(10, dtype=np.int64)
    for _ in range(200):
        i, j = random.choice(10, 2, replace=False)
        mixed[i] += int(random.integers(-2, 3)) * mixed[j] if np.abs(mixed).max() < 10**6 else 0
    transform = reduce(mixed @ rotation, 2, AMPLE)
    np.testing.assert_allclose(np.abs(transform @ mixed @ rotation @ rotation.T).max(axis=1), 1, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_short_vectors_are_all_of_them(seed):
    basis = np.random.default_rng(seed).standard_normal((3, 3))
    gram = basis @ basis.T
    bound = 4 * float(np.diag(gram).min())
    found = {tuple(vector) for vector in short_vectors(gram, bound, 10_000, AMPLE).tolist()}
    reach = int(np.ceil(np.sqrt(bound * np.diag(np.linalg.inv(gram)).max())))
    expected = {
        vector
        for vector in product(range(-reach, reach + 1), repeat=3)
        if any(vector) and next(v for v in vector if v) > 0 and np.array(vector) @ gram @ vector <= bound
    }
    assert found == expected


def test_too_many_short_vectors_are_none_and_no_short_vector_is_empty():
    assert short_vectors(np.eye(6), 5.0, 10, AMPLE) is None
    assert short_vectors(4 * np.eye(3), 1.0, 10, AMPLE).shape == (0, 3)


def test_whole_combinations_are_the_columns_on_a_grid():
    random = np.random.default_rng(2)
    records = np.column_stack([random.integers(0, 9, (60, 3)), 3 * random.standard_normal((60, 3))])
    rotation = np.linalg.qr(random.standard_normal((6, 6)))[0]
    rows = (records - records[0])[1:] @ rotation.T
    found, gap = whole_combinations(rows, 1e12, AMPLE)
    assert gap > 100
    assert len(found) == 3
    change = np.linalg.lstsq((records - records[0])[1:, :3], found.T, rcond=None)[0]
    np.testing.assert_allclose(change, np.rint(change), atol=1e-9)
    assert abs(abs(np.linalg.det(change)) - 1) < 1e-9


def test_real_numbers_have_no_whole_combinations():
    rows = np.random.default_rng(3).standard_normal((40, 6))
    assert whole_combinations(rows, 1e12, AMPLE)[1] < 10


@pytest.fixture
def watched(monkeypatch):
    """Few vectors are reduced one by one too."""
    monkeypatch.setattr(lattice, "_LIMITS", replace(_LIMITS, at_once=0))


def test_the_same_effort_ends_after_the_same_work(watched):
    """In every thread, whatever else the machine does: a reduction of a size has a number of swaps."""
    generators = np.random.default_rng(0).standard_normal((24, 9))
    needed = []
    for most in (1, 2, 4, 8, 16, 32, 64):
        try:
            coordinates(generators, 9, 1e13, ReductionEffort(most / 8))
        except OutOfEffortError:
            continue
        needed.append(most)
    assert needed[0] > 1
    assert needed == [most for most in (1, 2, 4, 8, 16, 32, 64) if most >= needed[0]]


def test_a_lattice_takes_less_effort_than_none(watched):
    _, generators = planted(15, 15, 40, 1e-13, seed=0)
    coordinates(generators, 15, 1e13, allowed := ReductionEffort(1000))
    coordinates(np.random.default_rng(0).standard_normal((40, 15)), 15, 1e13, none := ReductionEffort(1000))
    assert 4 * (1000 - allowed._left) < 1000 - none._left


def test_seconds_end_a_reduction_inside(watched):
    generators = np.random.default_rng(0).standard_normal((160, 70))
    start = time.monotonic()
    with pytest.raises(OutOfEffortError):
        coordinates(generators, 70, 1e13, ReductionEffort(math.inf, 0.3))
    assert time.monotonic() - start < 10  # the reduction itself takes a minute


def test_one_by_one_or_at_once_the_lattice_is_the_same(monkeypatch):
    """And fewer vectors are not free: their number is counted."""
    _, generators = planted(15, 15, 40, 1e-13, seed=0)
    together, _ = coordinates(generators, 15, 1e13, allowed := ReductionEffort(1000))
    assert allowed._left < 1000
    monkeypatch.setattr(lattice, "_LIMITS", replace(_LIMITS, at_once=0))
    alone, _ = coordinates(generators, 15, 1e13, AMPLE)
    change = np.linalg.lstsq(alone, together, rcond=None)[0]
    np.testing.assert_allclose(change, np.rint(change), atol=1e-9)
    assert abs(abs(np.linalg.det(change)) - 1) < 1e-9


def test_what_a_part_of_an_effort_uses_the_whole_one_lacks():
    whole = ReductionEffort(8)
    part = whole.half()
    with pytest.raises(OutOfEffortError):
        part.spend(5 * _LIMITS.unit)
    assert whole.left
    with pytest.raises(OutOfEffortError):
        whole.spend(4 * _LIMITS.unit)


@pytest.mark.parametrize("ended", [ReductionEffort(0), ReductionEffort(1, 0.0)])
def test_an_effort_that_is_used_up_starts_nothing(ended):
    with pytest.raises(OutOfEffortError):
        ended.check()


@pytest.mark.parametrize("block", [10, 20])
def test_blocks_reduce_further_than_pairs(block):
    """BKZ keeps the lattice, and its first vector is no longer than LLL's."""
    random = np.random.default_rng(block)
    basis = random.integers(-500, 501, (30, 30)).astype(float)
    pairs, blocks = (reduce(basis, size, AMPLE) for size in (2, block))
    for transform in (pairs, blocks):
        assert abs(abs(np.linalg.det(transform.astype(float))) - 1) < 1e-6
    assert np.linalg.norm(blocks[0] @ basis) <= np.linalg.norm(pairs[0] @ basis) * (1 + 1e-9)


def test_without_fpylll_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fpylll", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[lattice\]'"):
        import_fpylll()


def test_multiples_beyond_64_bits_shorten_nothing():
    """Relations of nearly the same direction have an inverse with large numbers."""
    basis, relations = np.array([[10**14, 0]]), np.array([[10**6, 10**6 + 1], [10**6 - 1, 10**6]])
    assert _shortened(basis, relations).tolist() == basis.tolist()
