# SPDX-License-Identifier: BSD-3-Clause
"""What is not bad input is linked; what is bad input is named."""

import numpy as np
import pytest

from effort import slow
from isobreach import datasets
from isobreach.engine import as_engine
from isobreach.errors import InputError
from isobreach.linking import RULES, link
from isobreach.release import Precision, released_precision
from isobreach.schemes import perturb
from oracles import plant

NORMAL = np.random.default_rng(3).standard_normal((40, 5))
INTEGERS = np.random.default_rng(4).integers(0, 16, (40, 5))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "table",
    [NORMAL, NORMAL.astype(np.float32), NORMAL.round(2), INTEGERS, INTEGERS.astype(float), INTEGERS.astype(np.uint8)],
    ids=["float64", "float32", "2 decimals", "integers", "whole floats", "bytes"],
)
def test_a_release_equal_to_the_original_is_linked_to_itself(table, rule):
    assert link(table[:8], table, motion="orthogonal", rule=rule).rows.tolist() == list(range(8))


def test_swapped_and_flipped_columns_are_a_motion_too():
    """So coarse that a rounded rotation would leave every link open: the grid itself gives the motion away."""
    table = np.random.default_rng(5).integers(0, 4, (60, 6))
    released = (table * [1, -1, 1, 1, -1, 1])[:, [3, 1, 0, 5, 4, 2]]
    assert link(table[:8], released, motion="orthogonal").rows.tolist() == list(range(8))
    assert link(table[:8], released, motion="orthogonal", tolerance=0.5).linked.size == 0


def test_smallest_of_bytes_is_on_the_grid():
    """|-128| does not fit into a signed byte."""
    table = np.random.default_rng(0).integers(-128, 128, (50, 3)).astype(np.int8)
    table[0] = [-128, 5, 77]
    assert link(table[:3], table, motion="orthogonal").rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_zero_record_is_linked_and_equal_zero_rows_are_one_value(n, rule):
    table = np.vstack([np.zeros((2, n)), 1 + np.arange(3 * n).reshape(3, n)])
    released, order = plant(table, np.random.default_rng(0))
    linkage = link(table[:1], released, motion="orthogonal", rule=rule)
    assert linkage.status.tolist() == ["linked"]
    assert linkage.rows[0] == order[:2].min()
    assert linkage.candidates[0].tolist() == sorted(order[:2])


def test_a_table_of_zeros_is_one_value():
    linkage = link(np.zeros((3, 2)), np.zeros((4, 2)), motion="orthogonal")
    assert linkage.rows.tolist() == [0, 0, 0]
    assert [rows.tolist() for rows in linkage.candidates] == [[0, 1, 2, 3]] * 3


@pytest.mark.parametrize("column", [0.0, 1.0, 1e6])
def test_constant_columns_are_no_obstacle(column):
    table = NORMAL.copy()
    table[:, 2:4] = column
    released, order = plant(table, np.random.default_rng(0))
    assert link(table[:6], released, motion="orthogonal").rows.tolist() == order[:6].tolist()


def test_more_known_records_than_released_rows():
    released, order = plant(NORMAL[:4], np.random.default_rng(0))
    linkage = link(NORMAL, released, motion="orthogonal")
    assert linkage.rows.tolist() == [*order, *[-1] * 36]
    assert linkage.counts() == {"linked": 4, "ambiguous": 0, "absent": 36}
    assert linkage.linked.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("n", [1, 5])
def test_one_record_in_one_row(n):
    assert link(NORMAL[:1, :n], -NORMAL[:1, :n], motion="orthogonal").rows.tolist() == [0]


def test_one_column_keeps_sizes_and_one_sign_for_all():
    released = np.array([[1.0], [-2.5], [-1.0], [7.5]])
    alone = link(np.array([[-1.0]]), released, motion="orthogonal", tolerance=0)
    assert alone.status.tolist() == ["ambiguous"]
    assert alone.candidates[0].tolist() == [0, 2]
    together = link(
        np.array([[2.5], [-1.0], [4.0]]), released, motion="orthogonal", tolerance=0, chance_limit=float("inf")
    )
    assert together.rows.tolist() == [1, 0, -1]
    assert together.status.tolist() == ["linked", "linked", "absent"]


def test_records_equal_to_each_other_are_linked_alike():
    released, order = plant(NORMAL, np.random.default_rng(0))
    assert link(NORMAL[[3, 3, 5, 3]], released, motion="orthogonal").rows.tolist() == order[[3, 3, 5, 3]].tolist()


def test_negative_zeros_are_zeros():
    assert link(
        np.array([[-0.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]]), motion="orthogonal", tolerance=0
    ).rows.tolist() == [0, 0]


@pytest.mark.parametrize("table", [NORMAL, 3 * INTEGERS], ids=["normal", "integers"])
def test_the_known_records_may_be_stored_in_less_precision(table):
    released, order = plant(table, np.random.default_rng(0))
    assert link(table[:8].astype(np.float32), released, motion="orthogonal").rows.tolist() == order[:8].tolist()


@pytest.mark.parametrize("decimals", [0, 1, 2, 4, 6, 9])
def test_the_tolerance_is_read_off_the_decimals(decimals):
    released, order = plant(100 * NORMAL, np.random.default_rng(0))
    linkage = link(100 * NORMAL[:5], released.round(decimals), motion="orthogonal")
    assert linkage.precision.step == pytest.approx(0.5 * 10.0**-decimals)
    assert linkage.rows.tolist() == order[:5].tolist()


def test_a_given_tolerance_bounds_each_coordinates_error():
    released, order = plant(NORMAL, np.random.default_rng(0))
    noisy = released + np.random.default_rng(1).uniform(-1e-4, 1e-4, released.shape)
    assert (
        link(NORMAL[:5], noisy, motion="orthogonal").counts()["absent"] == 5
    )  # nothing in the values says that they are noisy
    assert link(NORMAL[:5], noisy, motion="orthogonal", tolerance=1e-4).rows.tolist() == order[:5].tolist()
    assert link(NORMAL[:5], noisy, motion="orthogonal", tolerance=10).counts() == {
        "linked": 0,
        "ambiguous": 5,
        "absent": 0,
    }


def test_the_error_radius_is_the_stated_bound():
    precision = Precision(step=0.5, relative=1e-3, unit=1e-6, reason="")
    assert precision.radius(np.array([0.0, 10.0]), 4).tolist() == pytest.approx([1.0, 1.0 + 0.01 + (4 + 2) * 1e-5])
    assert precision.length_error(np.array([0.0, 10.0]), 4).tolist() == pytest.approx([1.0, 1.0 + 0.01 + 4 * 1e-5])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rule": "best"}, "rule must be one of backbone, uniquely-valid. Got 'best'."),
        ({"motion": "affine"}, "Got 'affine'."),
        ({"tolerance": -1}, "tolerance must be None or a finite number >= 0. Got -1."),
        ({"tolerance": float("nan")}, "tolerance must be None or a finite number >= 0. Got nan."),
        ({"tolerance": "1"}, "tolerance must be None or a finite number >= 0. Got '1'."),
        ({"node_limit": 0}, "node_limit must be a whole number >= 1. Got 0."),
        ({"node_limit": 1.5}, "node_limit must be a whole number >= 1. Got 1.5."),
        ({"chance_limit": 0}, "chance_limit must be a number > 0. Got 0."),
        ({"chance_limit": float("nan")}, "chance_limit must be a number > 0. Got nan."),
        ({"chance_limit": "often"}, "chance_limit must be a number > 0. Got 'often'."),
        ({"released": NORMAL[:, :4]}, "known must not have more numeric columns than released, 4. Got 5."),
        ({"known": NORMAL[:0]}, "known must have at least one row. Got 0 rows."),
        ({"known": NORMAL[0]}, "known must be a table: two dimensions. Got 1"),
        ({"known": np.full((2, 5), np.nan)}, "known must have a number in every record. Got 2 without; the first in"),
        ({"known": np.full((2, 5), np.inf)}, "Got 10 infinite; the first in row 0, column 0 (both counted from 0)."),
        ({"dictionary": np.full((2, 5), np.nan)}, "infinite; the first in row 0, column 0 (both counted from 0)."),
        ({"known": 1e150 * NORMAL[:2]}, "known must have its largest entry between 1e-140 and 1e+140"),
        ({"released": NORMAL[:0]}, "released must have at least one row. Got 0 rows."),
        ({"released": NORMAL[:, :0]}, "released must have at least one numeric column. Got 0 numeric columns."),
        ({"released": NORMAL.astype(complex)}, "released must hold real numbers. Got values of type complex128."),
        ({"released": NORMAL.astype(str)}, "released must hold real numbers. Got values of type <U32."),
        ({"released": 1e300 * NORMAL}, "released must have entries below 1e+140 in size. Got larger ones. Rescale it."),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_bad_arguments_are_named(arguments, message):
    arguments = {"known": NORMAL[:3], "released": NORMAL, **arguments}
    with pytest.raises(InputError) as error:
        link(arguments.pop("known"), arguments.pop("released"), **arguments)
    assert message in str(error.value)


@pytest.mark.parametrize("dtype", [np.float64, *slow(np.float32)])
@pytest.mark.parametrize("places", [[(0, 0)], [(2, 4), (3, 0)], [(99_999, 2)], [(30_000, 1), (30_000, 3), (70_000, 0)]])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_bad_entries_of_the_release_are_counted_and_the_first_is_placed(value, places, dtype):
    rows = np.ones((100_000, 5), dtype=dtype)
    for place in places:
        rows[place] = value
    (row, column), count = places[0], len(places)
    released = as_engine(rows, block_rows=1)
    with pytest.raises(InputError) as error:
        link(np.ones((1, 5)), released, motion="orthogonal")
    place = released.where(row, column)
    assert place.startswith(f"row {row}")
    assert str(error.value) == (
        f"released must be finite everywhere. Got {count} missing, NaN or infinite; the first in {place}."
    )


def test_a_column_of_zeros_says_nothing_of_precision():
    """A float table released as it is, one column empty: the zeros are no whole numbers that were rounded."""
    table = np.random.default_rng(0).standard_normal((200, 4)) * [1, 1, 0, 1]
    linkage = link(table[:3], table, motion="orthogonal")
    assert linkage.rows.tolist() == [0, 1, 2]
    assert linkage.precision.step == 0


@pytest.mark.parametrize("scheme", ["dct", "dft"])
def test_columns_that_are_sums_of_whole_numbers_were_not_rounded(scheme):
    """A public transform of whole numbers leaves two columns on a grid of quarters, and the others need all bits."""
    letter = datasets.load("letter").values
    for seed in range(8):
        some = letter[np.random.default_rng(seed).permutation(len(letter))[: 300 if seed % 2 else 4000]]
        release = perturb(some, scheme, seed=seed)
        linkage = link(some[:4], release.data, motion="orthogonal")
        assert linkage.rows.tolist() == release.key.order[:4].tolist()
        assert linkage.precision.step == 0


def test_a_few_large_whole_numbers_are_no_smaller_type():
    """One value above 15 is even by chance: that makes no mantissa of four bits."""
    rng = np.random.default_rng(3)
    table = rng.integers(0, 16, (300, 5)).astype(float)
    table[7] = 16
    assert link(table[:3], table, motion="orthogonal").precision.relative < 1e-12
    assert released_precision(as_engine(table)).reason == "whole numbers"
    assert released_precision(as_engine(rng.normal(0, 9, (40, 5)).astype(np.float16).astype(float))).unit == 2.0**-11
