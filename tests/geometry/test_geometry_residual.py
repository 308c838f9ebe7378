# SPDX-License-Identifier: BSD-3-Clause
"""The compiled residual kernels against their plain NumPy twin."""

import numpy as np
import pytest

from isobreach._columns import ColumnBlock
from isobreach.geometry.residual import HiddenBasis, squared_residuals
from oracles import rotation

SHAPES = [(1, 0), (1, 1), (7, 0), (7, 1), (7, 3), (7, 7), (16, 12), (64, 63), (100, 60), (100, 100)]  # columns, hidden


def _rows(n, rng):
    rows = rng.standard_normal((500, n)) * rng.choice([1e-5, 1, 1e5], (500, 1))
    rows[7] = 0
    return rows


@pytest.mark.parametrize(("n", "h"), SHAPES)
@pytest.mark.parametrize("tile", [1, 64, 10_000])
def test_kernels_are_their_plain_twin(n, h, tile):
    rng = np.random.default_rng([n, h])
    rows, hidden = _rows(n, rng), np.ascontiguousarray(rotation(n, rng)[:, :h])
    out = squared_residuals(rows, HiddenBasis.of(hidden, tile))
    norms = np.linalg.norm(rows, axis=1)
    expected = (np.linalg.norm(rows @ hidden, axis=1) / np.where(norms, norms, 1)) ** 2
    np.testing.assert_allclose(out, expected, rtol=1e-11, atol=1e-30)


@pytest.mark.parametrize(("n", "h"), SHAPES)
def test_a_rows_result_does_not_depend_on_the_rows_beside_it(n, h):
    rng = np.random.default_rng([n, h])
    rows, hidden = _rows(n, rng), np.ascontiguousarray(rotation(n, rng)[:, :h])
    basis = HiddenBasis.of(hidden, 64)
    together = squared_residuals(rows, basis)
    apart = np.concatenate([squared_residuals(rows[start : start + 64], basis) for start in range(0, 500, 64)])
    assert together.tobytes() == apart.tobytes()


def test_without_a_span_the_residual_is_the_norm_to_the_last_bit():
    rows = _rows(9, np.random.default_rng(0))
    out = squared_residuals(rows, HiddenBasis.of(np.eye(9), 64))
    assert np.delete(out, 7).tolist() == [1.0] * 499


@pytest.mark.parametrize("rows", [1, 5, 255, 256, 500])
@pytest.mark.parametrize(("n", "h"), [shape for shape in SHAPES if shape[0] * shape[1] <= 4096])
def test_rows_by_their_columns_have_the_same_bits(n, h, rows):
    rng = np.random.default_rng([n, h])
    table, hidden = _rows(n, rng)[:rows], np.ascontiguousarray(rotation(n, rng)[:, :h])
    table[rows // 2, n // 2] = np.nan
    block, basis = ColumnBlock.of(table), HiddenBasis.of(hidden, 64)
    assert basis.narrow
    assert squared_residuals(block, basis).tobytes() == squared_residuals(table, basis).tobytes()
    assert block[[rows - 1, 0]].tobytes() == table[[rows - 1, 0]].tobytes()
