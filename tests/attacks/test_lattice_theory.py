# SPDX-License-Identifier: BSD-3-Clause
"""The steps of the lattice attack, each against what its docstring states."""

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isobreach as ib
from isobreach.attacks.lattice.attack import completed
from isobreach.attacks.lattice.certainty import judged_steps
from isobreach.attacks.lattice.evidence import evidence, grid_evidence
from isobreach.attacks.lattice.frame import rotation
from isobreach.attacks.lattice.generators import random_rows, short_differences, spread
from isobreach.attacks.lattice.gram import gram_lattice, looks_whole, whole_gram
from isobreach.attacks.lattice.reduction import Dual, Spanned, split
from isobreach.attacks.lattice.tight import tight_frame
from isobreach.geometry import lattice as reductions
from isobreach.geometry.lattice import ReductionEffort

AMPLE = ReductionEffort(np.inf)


def haar(size, seed):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((size, size)))[0]


# --- The Gram path -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.02])
def test_a_rounded_gram_matrix_is_the_exact_one(noise):
    random = np.random.default_rng(0)
    records = random.integers(-3, 4, (24, 8))
    vectors = records @ haar(8, 1) + noise * random.standard_normal((24, 8))
    kept, gram = whole_gram(vectors, 8, AMPLE)
    assert len(kept) >= 12
    np.testing.assert_array_equal(gram, records[kept] @ records[kept].T)


def test_one_bad_generator_is_dropped():
    records = np.random.default_rng(2).integers(-3, 4, (24, 8)).astype(float)
    records[5] += 0.37
    kept, gram = whole_gram(records @ haar(8, 3), 8, AMPLE)
    assert 5 not in kept
    np.testing.assert_array_equal(gram, records[kept] @ records[kept].T)


def test_real_vectors_have_no_whole_gram_matrix():
    vectors = 3 * np.random.default_rng(4).standard_normal((24, 8))
    assert not looks_whole(vectors)
    assert whole_gram(vectors, 8, AMPLE) is None


@given(st.integers(2, 7), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_the_lattice_of_a_gram_matrix_reproduces_it(rank, seed):
    records = np.random.default_rng(seed).integers(-4, 5, (rank + 14, rank))
    gram = records @ records.T
    lattice, basis_gram, done = gram_lattice(gram, AMPLE)
    np.testing.assert_array_equal(lattice.coordinates @ basis_gram @ lattice.coordinates.T, gram)
    assert done <= len(basis_gram)


# --- Splitting -----------------------------------------------------------------------------------------------------


def test_an_orthogonal_lattice_splits_into_its_axes_whatever_the_steps():
    random = np.random.default_rng(5)
    steps = np.array([1e-6, 1e-3, 0.37, 0.37, 1.0, 25.0])
    whole = random.integers(-50, 51, (40, 6))
    axes = haar(6, 6)
    lattice, done = split(Spanned(whole, whole * steps @ axes, 1e-14), AMPLE)
    assert done == 6
    np.testing.assert_allclose(np.sort(np.linalg.norm(lattice.basis, axis=1)), steps, rtol=1e-7)


def test_a_longer_vector_plus_a_shorter_one_is_taken_apart():
    """(10, 1) is nearly orthogonal to (0, 1): only the shorter one splits off at once."""
    random = np.random.default_rng(7)
    basis = np.array([[10.0, 1.0], [0.0, 1.0]])
    whole = random.integers(-9, 10, (12, 2))
    lattice, done = split(Spanned(whole, whole @ basis, 1e-14), AMPLE)
    assert done == 2
    np.testing.assert_allclose(np.sort(np.abs(lattice.basis).max(axis=1)), [1, 10])


def test_what_has_no_orthogonal_basis_does_not_split():
    hexagonal = np.array([[1.0, 0.0], [0.5, np.sqrt(0.75)]])
    whole = np.random.default_rng(8).integers(-9, 10, (12, 2))
    assert split(Spanned(whole, whole @ hexagonal, 1e-14), AMPLE)[1] == 0


def test_functionals_split_like_vectors():
    random = np.random.default_rng(9)
    axes, steps = haar(5, 10), np.array([0.5, 1.0, 2.0])
    vectors = random.standard_normal((30, 5)) * 4
    whole = np.rint(vectors @ (axes[:3] / steps[:, None]).T)
    vectors += (whole - vectors @ (axes[:3] / steps[:, None]).T) * steps @ axes[:3]  # now whole numbers exactly
    mixed = np.array([[1, 2, 0], [0, 1, 0], [3, 0, 1]]) @ whole.T
    lattice, done = split(Dual(mixed.astype(np.int64), vectors, 1e-14), AMPLE)
    assert done == 3
    np.testing.assert_allclose(np.sort(1 / np.linalg.norm(lattice.basis, axis=1)), steps)


# --- Which frames are possible -------------------------------------------------------------------------------------


def lattice_gram(records):
    """Gram matrix of a basis of the lattice of row differences, by brute reduction in whole numbers."""
    rows = [row for row in (records[1:] - records[0]).tolist() if any(row)]
    basis, column = [], 0
    while rows and column < len(rows[0]):
        active = [row for row in rows if row[column]]
        while len(active) > 1:
            active.sort(key=lambda row: abs(row[column]))
            first = active[0]
            for other in active[1:]:
                factor = other[column] // first[column]
                other[:] = [a - factor * b for a, b in zip(other, first, strict=True)]
            active = [row for row in active if row[column]]
        if active:
            basis.append(active[0])
            rows = [row for row in rows if row is not active[0] and any(row)]
        column += 1
    array = np.array(basis)
    return array @ array.T


def brute_frames(gram, attributes):
    """Every multiset of dual vectors no longer than one that is a tight frame; for tiny lattices only."""
    inverse = np.linalg.inv(gram)
    root = np.linalg.cholesky(inverse)
    found = []
    vectors = [
        v
        for v in product(range(-4, 5), repeat=len(gram))
        if any(v) and next(x for x in v if x) > 0 and np.array(v) @ inverse @ v <= 1 + 1e-9
    ]
    points = {v: np.array(v) @ root for v in vectors}
    for count in range(len(gram), attributes + 1):
        for chosen in combinations_with_replacement(vectors, count):
            total = sum(np.outer(points[v], points[v]) for v in chosen)
            if np.abs(total - np.eye(len(gram))).max() < 1e-9:
                found.append(chosen)
    return found


RANDOM = np.random.default_rng(11)
WHOLE = RANDOM.integers(0, 5, (60, 3))
PARITY = np.column_stack([WHOLE[:, 0], WHOLE[:, 1] + (WHOLE[:, 0] + WHOLE[:, 1]) % 2])
SMALL_TABLES = {
    "two columns": WHOLE[:, :2],
    "parity": PARITY,
    "even": 2 * WHOLE[:, :2],
    "a column twice": np.column_stack([WHOLE[:, 0], WHOLE[:, 0]]),
    "a sum": np.column_stack([WHOLE[:, 0], WHOLE[:, 1], WHOLE[:, 0] + WHOLE[:, 1]]),
    "one-hot 3": np.eye(3, dtype=int)[RANDOM.integers(0, 3, 60)],
    "one-hot 4": np.eye(4, dtype=int)[RANDOM.integers(0, 4, 60)],
    "fives": 5 * WHOLE[:, :2],
}


@pytest.mark.parametrize("name", SMALL_TABLES)
def test_certain_functionals_are_in_every_frame(name):
    records = SMALL_TABLES[name]
    gram = lattice_gram(records)
    found = tight_frame(gram, records.shape[1], AMPLE)
    frames = brute_frames(gram, records.shape[1])
    assert frames, "the table's own attributes are a frame"
    for functional, certain in zip(found.functionals, found.certain, strict=True):
        key = tuple(int(v) for v in functional)
        count = int((found.functionals == functional).all(axis=1).sum())
        assert certain == all(frame.count(key) >= count for frame in frames)


def test_four_columns_with_an_even_sum_have_three_frames_and_nothing_certain():
    whole = np.random.default_rng(12).integers(0, 9, (200, 4))
    whole[:, 3] += whole.sum(axis=1) % 2
    found = tight_frame(lattice_gram(whole), 4, AMPLE)
    assert not found.certain.any()
    assert "several readings" in found.doubt


# --- Which steps are certain ---------------------------------------------------------------------------------------


def certain(steps, missing=0, error=1e-9):
    return judged_steps(np.array(steps), np.full(len(steps), error), missing=missing)[1].tolist()


def test_natural_steps_are_certain_and_exact():
    steps, sure = judged_steps(np.array([1 + 1e-10, 0.01, 1 / 15 - 1e-12, 100.0]), np.full(4, 1e-9), missing=1)
    assert sure.all()
    assert steps.tolist() == [1.0, 0.01, 1 / 15, 100.0]


def test_a_parity_between_columns_leaves_steps_that_are_not_certain():
    assert certain([1, 1, np.sqrt(2), np.sqrt(2)]) == [False] * 4  # (1, 1, 1, 1)/2 with step 1 has such company too
    assert certain([0.37, 0.37]) == [False, False]
    assert certain([0.37 * np.sqrt(2)] * 2 + [0.37] * 3) == [False] * 5


def test_decimal_steps_of_all_kinds_are_certain_together():
    assert certain([1e-7, 2e-7, 5e-7, 1e-6, 2e-6, 0.1, 0.5, 20.0]) == [True] * 8


def test_steps_of_2_and_5_that_may_be_whole_numbers_turned_are_not_certain():
    """Two of step 5 may be (3, 4), (-4, 3) times whole numbers; four of step 2 the rows of a Hadamard matrix."""
    assert certain([5, 5, 1, 1]) == [False, False, True, True]
    assert certain([0.5, 0.5, 5.0]) == [False, False, True]
    assert certain([2, 2, 2, 2, 1]) == [False] * 4 + [True]
    assert certain([2, 2, 2, 1]) == [True] * 4
    # Columns without an axis may be the rest of such a frame: three and four times the same attribute.
    assert certain([5, 1], missing=1) == [False, True]
    assert certain([2, 2, 1], missing=2) == [False, False, True]
    # Of many, all would have to be tied.
    assert certain([0.5] * 10) == [True] * 10
    assert certain([0.5] * 10, missing=1) == [False] * 10


@pytest.mark.parametrize("missing", [0, 1])
def test_a_step_that_is_hardly_known_is_no_natural_one(missing):
    """Rows that hardly vary in a direction leave such errors: 1.2 passed for 1."""
    assert certain([1.2, 2.0], missing=missing, error=0.3) == [False, False]
    assert certain([1.0, 2.0], missing=missing, error=1e-4) == [True, True]


def test_steps_with_nothing_in_common_are_certain_if_complete():
    assert certain([0.313, 0.3817, 0.5411]) == [True, True, True]
    assert certain([0.313, 0.3817, 0.5411], missing=1) == [False, False, False]


def test_many_axes_of_one_step_are_certain_and_few_even_ones_are_not():
    assert certain([0.37] * 10) == [True] * 10
    assert certain([0.37] * 6) == [False] * 6
    assert certain([0.37] * 3) == [True] * 3


def test_many_axes_of_a_step_that_ties_in_pairs_leave_are_not_certain():
    assert certain([np.sqrt(2)] * 10) == [False] * 10
    assert certain([0.37 * np.sqrt(2)] * 12) == [False] * 12
    assert certain([0.3714159265 * np.sqrt(2)] * 12) == [True] * 12  # a scale of many digits could be anything


def test_a_total_of_four_parts_or_four_equal_columns_are_no_attribute():
    assert certain([0.5], missing=3) == [False]
    assert certain([2.0, 1.0, 0.1], missing=3) == [False, True, True]
    assert certain([2.0], missing=2) == [True]
    assert certain([0.1], missing=99) == [False]  # a total of a hundred parts


@pytest.mark.parametrize("unit", [1.0, 0.5, 0.2, 1 / 15, 1 / 30, 0.37])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_no_false_axis_of_a_frame_of_small_index_is_certain(size, unit):
    """Every sublattice of the whole numbers of index below 16 with an orthogonal basis that is not along the axes."""
    for steps, along in _orthogonal_sublattices(size, 3 if size < 4 else 1, 16):
        sure = np.array(certain(steps * unit))
        assert not (sure & ~along).any(), steps


@pytest.mark.parametrize("unit", [1.0, 0.1, 100.0])
@pytest.mark.parametrize(("size", "reach"), [(2, 24), (3, 4), (4, 2)])
def test_no_false_axis_of_a_frame_of_decimals_is_certain(size, reach, unit):
    """Tables in steps of a power of ten, false axes of whole steps, every index below 50: (3, 4), (-8, 6) is next."""
    for steps, along in _orthogonal_sublattices(size, reach, 50):
        false = ~along & (steps == np.rint(steps))
        assert not (np.array(certain(steps * unit)) & false).any(), steps


@cache
def _orthogonal_sublattices(size, reach, index):
    """Steps of each orthogonal basis below an index, and which of its vectors are along an axis."""
    short = [v for v in product(range(-reach, reach + 1), repeat=size) if any(v) and next(x for x in v if x) > 0]
    vectors = np.array(short)
    orthogonal = vectors @ vectors.T == 0
    squares = (vectors**2).sum(axis=1)
    found = []

    def extend(chosen, allowed):
        if len(chosen) == size:
            along = (vectors[chosen] != 0).sum(axis=1) == 1
            if squares[chosen].prod() < index**2 and not along.all():
                found.append((np.sqrt(squares[chosen].astype(float)), along))
            return
        for place in allowed:
            extend([*chosen, place], [other for other in allowed if other > place and orthogonal[place, other]])

    extend([], list(range(len(vectors))))
    assert found
    return found


# --- Evidence ------------------------------------------------------------------------------------------------------


def test_rows_on_a_grid_are_evidence_and_rows_anywhere_are_not():
    random = np.random.default_rng(13)
    grid = random.integers(0, 9, (400, 3)) + 0.02 * random.standard_normal((400, 3))
    assert grid_evidence(grid).on_grid.all()
    assert not grid_evidence(9 * random.random((400, 3))).on_grid.any()


@pytest.mark.parametrize("width", [0.01, 0.1, 0.2, 0.3, 0.5, 1.0])
def test_a_narrow_distribution_is_no_grid(width):
    """A step larger than the range puts all rows at one place: that is no evidence, however small the residuals."""
    positions = width * np.random.default_rng(14).standard_normal((5000, 4))
    assert not grid_evidence(positions).on_grid.any()


def test_a_few_rows_of_a_rare_value_are_evidence_if_precise():
    positions = np.zeros((500, 1))
    positions[7] = 1 + 1e-12
    assert grid_evidence(positions).on_grid.all()
    positions[7] = 1 + 1e-3
    assert not grid_evidence(positions).on_grid.any()


def test_one_row_off_the_grid_is_missed():
    positions = np.random.default_rng(15).integers(0, 9, (300, 1)).astype(float)
    positions[3] += 0.4
    found = evidence(positions, 0.1)
    assert found.missed.sum() == 1
    assert not found.on_grid.any()


def test_residuals_of_no_grid_pass_as_often_as_the_normal_distribution_says():
    random = np.random.default_rng(16)
    z = np.concatenate([evidence(20 * random.random((200, 50)), 0.5).z for _ in range(100)])
    assert (z > 3).mean() < 3 * 0.00135
    assert z.std() == pytest.approx(1, abs=0.05)


# --- Generators and frames -----------------------------------------------------------------------------------------


def test_random_rows_span_rare_directions():
    rows = np.zeros((1000, 4))
    rows[:, :2] = np.random.default_rng(17).integers(1, 9, (1000, 2))
    rows[10, 2], rows[20, 3] = 1, 1
    chosen = random_rows(rows, 8, np.random.default_rng(0), 0.1)
    assert np.linalg.matrix_rank(rows[chosen]) == 4


def test_short_differences_are_short_sorted_and_no_copies():
    rows = np.random.default_rng(18).integers(0, 6, (500, 4)).astype(float)
    found = short_differences(rows, np.random.default_rng(0), 0.3)
    lengths = np.linalg.norm(found, axis=1)
    assert (np.diff(lengths) >= -1e-9).all()
    assert lengths.min() >= 1
    assert np.linalg.matrix_rank(spread(found, 12)) == 4


def test_rotation_of_dependent_records_is_their_axes_inside_the_span():
    random = np.random.default_rng(19)
    whole = random.integers(0, 9, (50, 2)).astype(float)
    records = np.column_stack([whole, whole.sum(axis=1)])
    secret = haar(3, 20)
    found = rotation(records, records @ secret, 2)
    np.testing.assert_allclose((records @ secret) @ found.T, records, atol=1e-9)
    assert (np.linalg.norm(found, axis=1) < 1).all()


@pytest.mark.parametrize("count", [1, 3, 4])
def test_completed_axes_are_orthogonal_and_keep_the_given_ones(count):
    axes = haar(4, 21)[:count]
    found = completed(axes)
    np.testing.assert_allclose(found @ found.T, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(found[:count], axes, atol=1e-12)


def test_completed_axes_of_dependent_attributes_give_their_values():
    random = np.random.default_rng(22)
    whole = random.integers(0, 9, (50, 2)).astype(float)
    records = np.column_stack([whole, whole.sum(axis=1)])
    rows = records @ haar(3, 23)
    found = completed(rotation(records, rows, 2))
    np.testing.assert_allclose(found @ found.T, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(rows @ found.T, records, atol=1e-9)


@pytest.mark.parametrize("scheme", ["orthogonal", "rigid"])
def test_no_clock_decides_what_is_found(scheme, monkeypatch):
    """Where hours pass between two looks at the clock the same is found: where a grid is, and where none is."""
    rng = np.random.default_rng(5)
    ages, heights = rng.integers(0, 9, (200, 5)), rng.standard_normal((200, 5))
    released = [ib.perturb(table, scheme, seed=1).data for table in (ages, heights)]
    usual = [ib.reconstruct("lattice", rows, seed=0, effort=60) for rows in released]
    hours = iter(range(0, 10**12, 36_000))
    monkeypatch.setattr(reductions.time, "monotonic", lambda: float(next(hours)))
    slow = [ib.reconstruct("lattice", rows, seed=0, effort=60) for rows in released]
    assert [one.claimed for one in usual] == [True, False]
    for one, other in zip(usual, slow, strict=True):
        assert (one.reason, one.decided) == (other.reason, other.decided)
        np.testing.assert_array_equal(one.estimates, other.estimates)


def test_too_little_effort_is_said_and_more_finds_it():
    """A step of its own for each of 24 columns: a search that was cut decides nothing."""
    rng = np.random.default_rng(6)
    table = rng.integers(0, 9, (300, 24)) * rng.uniform(0.5, 2, 24)
    released = ib.perturb(table, "rigid", seed=1).data
    cut, found = (ib.reconstruct("lattice", released, seed=0, effort=effort) for effort in (1, 1000))
    assert not cut.claimed
    assert not cut.decided
    assert "the effort allowed was too small" in cut.reason
    assert found.recovered.all()
