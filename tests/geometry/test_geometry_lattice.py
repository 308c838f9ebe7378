# SPDX-License-Identifier: BSD-3-Clause
"""Lattice reduction against lattices that are known: planted bases, brute force, the budget."""

import sys
import time
from contextlib import suppress
from itertools import product
from threading import Thread

import numpy as np
import pytest

from isobreach.errors import MissingExtraError
from isobreach.geometry.lattice import (
    Deadline,
    OutOfTimeError,
    _shortened,
    coordinates,
    import_fpylll,
    reduce,
    short_vectors,
    whole_combinations,
)

HOUR = Deadline(3600)


def planted(rank, columns, count, error, seed):
    """A basis, and generators of its lattice with an error."""
    random = np.random.default_rng(seed)
    whole = random.integers(-9, 10, (count, rank))
    basis = random.standard_normal((rank, columns))
    return basis, whole @ basis + error * random.standard_normal((count, columns))


@pytest.mark.parametrize(("rank", "columns"), [(1, 1), (3, 3), (3, 7), (8, 8), (12, 15)])
def test_coordinates_of_generators_span_the_same_lattice(rank, columns):
    basis, generators = planted(rank, columns, rank + 14, 1e-13, seed=rank)
    found, gap = coordinates(generators, rank, 1e10, HOUR)
    fitted = np.linalg.lstsq(found, generators, rcond=None)[0]
    assert gap > 1e3
    np.testing.assert_allclose(found @ fitted, generators, atol=1e-10)
    change = np.linalg.lstsq(basis.T, fitted.T, rcond=None)[0]  # of one basis to the other
    np.testing.assert_allclose(change, np.rint(change), atol=1e-6)
    assert abs(abs(np.linalg.det(change)) - 1) < 1e-6


def test_vectors_of_no_lattice_have_no_gap():
    generators = np.random.default_rng(0).standard_normal((20, 6))
    found = coordinates(generators, 6, 1e10, HOUR)
    assert found is None or found[1] < 10


def test_a_reduced_basis_of_a_rotated_grid_is_orthonormal():
    random = np.random.default_rng(1)
    rotation = np.linalg.qr(random.standard_normal((10, 10)))[0]
    mixed = np.eye(10, dtype=np.int64)
    for _ in range(200):
        i, j = random.choice(10, 2, replace=False)
        mixed[i] += int(random.integers(-2, 3)) * mixed[j] if np.abs(mixed).max() < 10**6 else 0
    transform = reduce(mixed @ rotation, 2, HOUR)
    np.testing.assert_allclose(np.abs(transform @ mixed @ rotation @ rotation.T).max(axis=1), 1, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_short_vectors_are_all_of_them(seed):
    basis = np.random.default_rng(seed).standard_normal((3, 3))
    gram = basis @ basis.T
    bound = 4 * float(np.diag(gram).min())
    found = {tuple(vector) for vector in short_vectors(gram, bound, 10_000, HOUR).tolist()}
    reach = int(np.ceil(np.sqrt(bound * np.diag(np.linalg.inv(gram)).max())))
    expected = {
        vector
        for vector in product(range(-reach, reach + 1), repeat=3)
        if any(vector) and next(v for v in vector if v) > 0 and np.array(vector) @ gram @ vector <= bound
    }
    assert found == expected


def test_too_many_short_vectors_are_none_and_no_short_vector_is_empty():
    assert short_vectors(np.eye(6), 5.0, 10, HOUR) is None
    assert short_vectors(4 * np.eye(3), 1.0, 10, HOUR).shape == (0, 3)


def test_whole_combinations_are_the_columns_on_a_grid():
    random = np.random.default_rng(2)
    records = np.column_stack([random.integers(0, 9, (60, 3)), 3 * random.standard_normal((60, 3))])
    rotation = np.linalg.qr(random.standard_normal((6, 6)))[0]
    rows = (records - records[0])[1:] @ rotation.T
    found, gap = whole_combinations(rows, 1e12, HOUR)
    assert gap > 100
    assert len(found) == 3
    change = np.linalg.lstsq((records - records[0])[1:, :3], found.T, rcond=None)[0]
    np.testing.assert_allclose(change, np.rint(change), atol=1e-9)
    assert abs(abs(np.linalg.det(change)) - 1) < 1e-9


def test_real_numbers_have_no_whole_combinations():
    rows = np.random.default_rng(3).standard_normal((40, 6))
    assert whole_combinations(rows, 1e12, HOUR)[1] < 10


def test_the_deadline_ends_a_reduction_inside():
    fpylll = import_fpylll()
    matrix = fpylll.IntegerMatrix.random(200, "intrel", bits=3000)
    start = time.monotonic()
    with pytest.raises(OutOfTimeError), Deadline(0.3).enforced():
        fpylll.LLL.reduction(matrix)
    assert time.monotonic() - start < 20  # the reduction itself takes minutes


def test_another_thread_starts_no_reduction_that_nothing_could_end():
    started = []

    def run():
        for size in (10, 1000):
            with suppress(OutOfTimeError), Deadline(60).enforced(size):
                started.append(size)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert started == [10]


def test_a_deadline_that_has_passed_starts_nothing():
    with pytest.raises(OutOfTimeError), Deadline(0.0).enforced():
        pytest.fail("started")


def test_without_fpylll_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fpylll", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[lattice\]'"):
        import_fpylll()


def test_multiples_beyond_64_bits_shorten_nothing():
    """Relations of nearly the same direction have an inverse with large numbers."""
    basis, relations = np.array([[10**14, 0]]), np.array([[10**6, 10**6 + 1], [10**6 - 1, 10**6]])
    assert _shortened(basis, relations).tolist() == basis.tolist()
