# SPDX-License-Identifier: BSD-3-Clause
"""Exact linear algebra on whole numbers, against fractions and against what a product says."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isobreach.geometry.integers import rank_modulo, reduced_basis, unimodular_inverse, whole_product

small = st.integers(-9, 9)
shapes = st.tuples(st.integers(1, 6), st.integers(1, 6))


def exact_rank(matrix):
    """Gaussian elimination in fractions."""
    rows = [[Fraction(int(value)) for value in row] for row in matrix]
    rank = 0
    for column in range(len(rows[0])):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            factor = rows[i][column] / rows[rank][column]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


def unimodular(size, random, steps=60, largest=3):
    """A product of elementary matrices and a signed permutation."""
    matrix = np.eye(size, dtype=np.int64)[random.permutation(size)] * random.choice([-1, 1], size)[:, None]
    for _ in range(steps):
        i, j = random.choice(size, 2, replace=False)
        change = matrix[i] + int(random.integers(-largest, largest + 1)) * matrix[j]
        if np.abs(change).max() < 2**40:
            matrix[i] = change
    return matrix


@given(shapes.flatmap(lambda shape: arrays(np.int64, shape, elements=small)))
def test_rank_of_small_numbers_is_that_in_fractions(matrix):
    assert rank_modulo(matrix) == exact_rank(matrix)


def test_rank_modulo_a_small_prime_sees_congruences():
    assert rank_modulo(np.array([[1, 1], [1, -1]])) == 2
    assert rank_modulo(np.array([[1, 1], [1, -1]]), prime=2) == 1
    assert rank_modulo(np.array([[1, 1], [1, -1]]), prime=3) == 2


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_a_unimodular_matrix_is_inverted_exactly(size, seed):
    matrix = unimodular(size, np.random.default_rng(seed), steps=3 * size)
    inverse = unimodular_inverse(matrix)
    if inverse is not None:  # entries may leave 64 bits
        product = matrix.astype(object) @ inverse.astype(object)
        assert (product == np.eye(size, dtype=object)).all()
    assert inverse is not None or np.abs(np.linalg.inv(matrix.astype(float))).max() > 2**20


def test_entries_of_more_than_31_bits_are_found():
    corner = 2**45 + 12345
    inverse = unimodular_inverse(np.array([[1, corner], [0, 1]]))
    assert inverse.tolist() == [[1, -corner], [0, 1]]


def test_what_is_not_unimodular_has_no_inverse():
    assert unimodular_inverse(np.array([[2, 0], [0, 1]])) is None
    assert unimodular_inverse(np.array([[1, 1], [1, 1]])) is None


def test_a_product_is_exact_or_none():
    large = np.array([[2**30, 2**30 - 1]])
    assert whole_product(large, large.T).tolist() == [[2**60 + (2**30 - 1) ** 2]]
    assert whole_product(np.array([[2**40]]), np.array([[2**40]])) is None
    assert whole_product(np.array([[3, 4]]), np.array([[5], [6]])).tolist() == [[39]]


@pytest.mark.parametrize("size", [2, 5, 12])
def test_a_reduced_basis_spans_the_same_lattice_and_is_short(size):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        numbers = np.rint(1e9 * rng.uniform(0.1, 1, size)).astype(np.int64)
        rows = np.column_stack([np.eye(size, dtype=np.int64), numbers])
        found = reduced_basis(rows)
        assert round(abs(np.linalg.det(found[:, :size].astype(float)))) == 1  # what was done to the rows can be undone
        assert np.array_equal(found[:, :size] @ numbers, found[:, size])
        volume = np.sqrt(1 + (numbers.astype(float) ** 2).sum())
        assert np.linalg.norm(found[0]) <= (4 / 3) ** (size / 4 + 0.1) * volume ** (1 / size)


def test_a_reduced_basis_shows_a_relation_that_was_planted():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        numbers = np.rint(1e8 * rng.uniform(0.1, 1, (8, 3))).astype(np.int64) * 20
        numbers[7] = (np.array([3, 5, 4, 8]) @ numbers[:4]) // 20
        first = reduced_basis(np.column_stack([np.eye(8, dtype=np.int64), numbers]))[0]
        assert first.tolist() in ([3, 5, 4, 8, 0, 0, 0, -20, 0, 0, 0], [-3, -5, -4, -8, 0, 0, 0, 20, 0, 0, 0])
