# SPDX-License-Identifier: BSD-3-Clause
"""Attributes that are learned: the rules one by one, and the edges where rounding must not decide."""

import numpy as np
import pytest

from audited import audit
from isobreach.audits.learned import learned

NO_ROUNDING = np.zeros(1)


def _one(error, reach, hidden, tolerance):
    return float(learned(np.array([[error]]), np.array([[reach]]), hidden, np.array([tolerance]), NO_ROUNDING)[0])


@pytest.mark.parametrize("hidden", [0, 3, 8])
def test_the_centre_is_guessed(hidden):
    assert _one(0.1, 1.0, hidden, 0.1) == 1
    assert _one(-0.11, 1.0, hidden, 0.1) == 0
    assert _one(1.0, 1.0, hidden, 0.1) == 0


def test_one_hidden_dimension_is_a_coin():
    assert _one(2.0, 2.0, 1, 0.1) == 0.5
    assert _one(-2.0, 2.0, 1, 0.1) == 0.5
    assert _one(0.1, 0.1, 1, 0.1) == 1
    assert _one(1.0, 2.0, 1, 0.1) == 0  # under noise the error may lie anywhere


def test_two_hidden_dimensions_end_an_interval_at_the_end():
    assert [_one(error, 2.0, 2, 0.5) for error in (2.0, 1.0, -1.6, 0.99)] == [0.5, 0.5, 0.5, 0]
    assert _one(0.4, 2.0, 2, 0.5) == 1


def test_constant_columns_are_learned_once_nothing_is_hidden_and_only_then():
    rng = np.random.default_rng(0)
    records = np.column_stack([rng.standard_normal((60, 3)) * 1e6, np.full(60, np.pi)])
    result = audit(records, scheme="orthogonal", epsilon=0.1, coalition_sizes=[1, 4], trials=5, seed=0, rows_known=True)
    assert result.attributes.value[-1].tolist() == [1, 1, 1, 1]
    assert result.attributes.value[0, 3] == 0


def test_nothing_linked_is_nothing_learned():
    records = np.random.default_rng(0).standard_normal((30, 3))
    result = audit(records, scheme="rigid", epsilon=0.1, coalition_sizes=[1, 2], trials=5, seed=0)
    assert not result.attributes.value.any()
