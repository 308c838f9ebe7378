# SPDX-License-Identifier: BSD-3-Clause
"""Tables that would mislead a lattice attack: what is claimed of them is true, or nothing is.

``Planted.attack`` judges every claim against the records. An attack that claims nothing would pass that, so every test
also asks for what must be claimed: of its table, or of a *twin*, a table near it without what misleads.

Three kinds of tables cannot be told from others, and are not here. Congruences of index 50 or more that tie attributes
into a frame with natural steps: (3, 4) and (-8, 6). Tables that are a grid table turned already, such as scores of
principal components. And columns that look like one of a coarser grid: four equal ones of halves, beside constants.
"""

import numpy as np
import pytest
from scipy.linalg import block_diag, hadamard

import isobreach as ib
from lattice_truth import Planted, falsehoods
from oracles import rotation

ROWS = 600


def rarely(*values, **options):
    """A case for the slow run: the theorem is tested by the others too."""
    return pytest.param(*values, marks=pytest.mark.slow, **options)


TRANSLATED = pytest.mark.parametrize("translation", [rarely(0.0, id=""), pytest.param(7.0, id="translated")])


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def whole(rng, columns, rows=ROWS, most=9):
    return rng.integers(0, most + 1, (rows, columns)).astype(float)


def tied(rng, columns, modulus=2, share=1.0):
    """Whole numbers whose first two columns are congruent in this share of the rows."""
    table = whole(rng, columns)
    table[:, 1] = table[:, 0] + modulus * rng.integers(-3, 4, ROWS)
    table[rng.random(ROWS) >= share, 1] += 1
    return table


def even_sum(rng, columns, summands):
    table = whole(rng, columns)
    table[:, summands - 1] += table[:, :summands].sum(axis=1) % 2
    return table


def one_hot(rng, size):
    return np.eye(size)[rng.integers(0, size, ROWS)]


def rounded(places):
    return lambda values: np.round(values, places)


def assert_claimed(table, rng, count=None, **planted):
    """A twin: all of its attributes must be claimed, or the first so many of them."""
    found = Planted(table, rng, **planted).attack()
    assert found.recovered.sum() == (table.shape[1] if count is None else count), found.reason


# --- Congruences ---------------------------------------------------------------------------------------------------


@TRANSLATED
@pytest.mark.parametrize("columns", [2, 3, 6])
def test_a_parity_between_two_columns(rng, columns, translation):
    found = Planted(tied(rng, columns), rng, translation=translation).attack()
    assert found.recovered.sum() == columns - 2
    assert_claimed(tied(rng, columns, share=0.95), rng, translation=translation)


@TRANSLATED
@pytest.mark.parametrize("columns", [4, 6])
def test_four_columns_with_an_even_sum(rng, columns, translation):
    found = Planted(even_sum(rng, columns, 4), rng, translation=translation).attack()
    assert found.recovered.sum() == columns - 4  # any of three frames could be theirs
    table = even_sum(rng, columns, 4)
    table[::10, 0] += 1
    assert_claimed(table, rng, translation=translation)


CHECKS = {
    "4 digits": (4, [1, 1, 1, 1], 10),
    "3 digits": (3, [1, 1, 1], 10),
    "modulo 9": (8, [1] * 8, 9),
    "Luhn": (6, [2, 1, 2, 1, 2, 1], 10),
    "weights": (4, [1, 4, 4, 4], 10),
}


@TRANSLATED
@pytest.mark.parametrize("seed", [0, rarely(1), rarely(2)])
@pytest.mark.parametrize("check", CHECKS)
def test_a_check_digit(check, seed, translation):
    """A congruence between all columns: for four digits and one, I - 2/5 (1 ... 1)'(1 ... 1) is a frame as well."""
    columns, weights, modulus = CHECKS[check]
    rng = np.random.default_rng(seed)
    digits = whole(rng, columns)
    Planted(np.column_stack([digits, -(digits @ weights) % modulus]), rng, translation=translation).attack(seed=seed)
    assert_claimed(np.column_stack([digits, whole(rng, 1)]), rng, translation=translation)


@TRANSLATED
def test_steps_of_the_root_of_two(rng, translation):
    """The same release as that of a + b, a - b, whose sum is even."""
    found = Planted(whole(rng, 3) * [np.sqrt(2), np.sqrt(2), 1], rng, translation=translation).attack()
    assert found.recovered.sum() == 1


@TRANSLATED
@pytest.mark.parametrize("seed", [0, 1, rarely(2), rarely(3)])
@pytest.mark.parametrize("others", [2, rarely(3)])
def test_a_cyclic_code_of_three_levels(others, seed, translation):
    """An exact release: what is off the grid of its axes by 0.05 is no noise where others are off by nothing."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * rng.integers(0, 3, ROWS) / 3
    table = np.column_stack([np.cos(angle), np.sin(angle), whole(rng, others), np.ones(ROWS)])
    found = Planted(table, rng, translation=translation).attack(seed=seed)
    assert found.recovered.sum() == others


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1.0, 0.37])
@pytest.mark.parametrize("columns", [2, rarely(4), 6, rarely(10), 12])
def test_all_columns_tied_in_pairs(rng, columns, scale):
    """Sums and differences of whole numbers: a lattice at 45 degrees to the attributes, with an orthogonal basis."""
    first, second = whole(rng, columns // 2), whole(rng, columns // 2)
    Planted(np.hstack([first + second, first - second]), rng, scale=scale).attack()
    assert_claimed(whole(rng, columns + 1), rng, scale=scale)  # pairs leave no odd number of columns


@TRANSLATED
@pytest.mark.parametrize("scale", [0.37, 2.54])
@pytest.mark.parametrize("columns", [5, 6, rarely(12)])
def test_a_unit_of_its_own_with_a_parity(rng, columns, scale, translation):
    Planted(tied(rng, columns), rng, scale=scale, translation=translation).attack()
    assert_claimed(whole(rng, columns | 1), rng, scale=scale, translation=translation)


@pytest.mark.parametrize("columns", [5, 12])
def test_a_unit_of_its_own(rng, columns):
    found = Planted(whole(rng, columns), rng, scale=0.37).attack()
    assert found.recovered.all()
    assert found.steps == pytest.approx(0.37)


@TRANSLATED
@pytest.mark.parametrize("columns", [2, 6])
@pytest.mark.parametrize("modulus", [3, 5])
def test_two_congruent_columns(rng, columns, modulus, translation):
    Planted(tied(rng, columns, modulus), rng, translation=translation).attack()
    assert_claimed(tied(rng, columns, modulus, share=0.95), rng, translation=translation)


def test_three_columns_congruent_modulo_three(rng):
    table = whole(rng, 6)
    table[:, 2] += -table[:, :3].sum(axis=1) % 3
    assert Planted(table, rng).attack().recovered.sum() == 3


def test_a_tie_between_columns_that_hardly_vary_apart(rng):
    """x2 - x1 is even: steps of the false axes are known less well than residuals suggest, and are in a ratio of 10."""
    tenths = rng.integers(0, 100, ROWS) / 10
    single = {"translation": 5.0, "store": lambda values: values.astype(np.float32)}
    for _ in range(4):
        others = whole(rng, 2) * [5, 1]
        Planted(np.column_stack([tenths, tenths + 2 * rng.integers(0, 100, ROWS), others]), rng, **single).attack()
    assert_claimed(np.column_stack([tenths, rng.integers(0, 1000, ROWS) / 10, whole(rng, 2)]), rng, **single)


def test_a_tie_between_columns_of_few_values(rng):
    """x2 - x1 is whole: the false axes have one step, known less well than 600 rows suggest, as many are equal."""
    for _ in range(12):
        halves = rng.integers(0, 4, ROWS) / 2
        table = np.column_stack([halves, halves + rng.integers(0, rng.integers(2, 6), ROWS)])
        Planted(table, rng, translation=5.0, store=rounded(3)).attack()
    assert_claimed(whole(rng, 2, most=3), rng, translation=5.0, store=rounded(3))


@pytest.mark.parametrize("step", [0.0502, 0.05037])
def test_a_lattice_that_is_nearly_orthogonal(rng, step):
    """x2 - x1 is a multiple of three, and three is nearly a multiple of two steps of x1."""
    column = whole(rng, 1, most=15)[:, 0] * step
    steps = 3 * rng.integers(0, 9, ROWS)
    Planted(np.column_stack([column, column + steps]), rng, store=rounded(3)).attack()
    assert_claimed(np.column_stack([column, steps]), rng, store=rounded(3))


@TRANSLATED
@pytest.mark.parametrize("scale", [1.0, 0.92, 0.9173])
def test_columns_that_differ_by_a_coarser_grid(rng, scale, translation):
    """A price, and the price and a fee of whole units: a lattice at 45 degrees, with steps far from each other."""
    price = rng.integers(100, 9999, ROWS) / 100
    table = np.column_stack([price, price + rng.integers(1, 9, ROWS)])
    Planted(table, rng, scale=scale, translation=translation).attack()
    apart = np.column_stack([price, rng.integers(100, 9999, (ROWS, 2)) / 100])
    assert_claimed(apart, rng, scale=scale, translation=translation)


# --- Columns that depend on each other ------------------------------------------------------------------------------


@pytest.mark.parametrize("translation", [0.0, 7.0])
@pytest.mark.parametrize("multiples", [(1, 1), (1, 2), (1, 1, 1), (1, 2, 3, 4), (1, 1, 1, 1), (2, 2, 1)])
def test_columns_in_proportion(rng, multiples, translation):
    table = np.hstack([whole(rng, 1) * multiples, whole(rng, 4 if translation else 0)])
    Planted(table, rng, translation=translation).attack(effort=250)
    assert_claimed(whole(rng, table.shape[1]), rng, translation=translation)


@pytest.mark.parametrize("beside", ["whole", "standardised", "continuous"])
def test_four_copies_of_a_binary_column(rng, beside):
    binary = whole(rng, 1, most=1)
    others = whole(rng, 4)
    if beside == "standardised":
        others = others / others.std(axis=0)
    if beside == "continuous":
        others[:, 3] = rng.standard_normal(ROWS)
    Planted(np.hstack([others, binary, 1 - binary, binary, 1 - binary]), rng).attack()
    assert_claimed(np.hstack([binary, others]), rng, 4 if beside == "continuous" else 5)


def test_four_copies_of_a_column_scaled_to_the_unit_interval(rng):
    ninths, tenths = whole(rng, 5) / 9, whole(rng, 1, most=10) / 10
    Planted(np.hstack([ninths, np.tile(tenths, 4)]), rng).attack()
    assert_claimed(np.hstack([ninths, tenths]), rng)


@TRANSLATED
@pytest.mark.parametrize("kind", ["alone", "beside whole numbers", "beside continuous ones", "in a unit of its own"])
@pytest.mark.parametrize("size", [2, rarely(3), 4, rarely(5), 8])
def test_one_hot_groups(rng, size, kind, translation):
    group, scale = one_hot(rng, size), 0.37 if "unit" in kind else 1.0
    beside = rng.standard_normal((ROWS, 2)) if "continuous" in kind else whole(rng, 0 if kind == "alone" else 4)
    found = Planted(np.hstack([group, beside]), rng, translation=translation, scale=scale).attack()
    if kind == "beside whole numbers" and size != 4:  # four could also be four columns with signs of their own
        assert found.recovered.all()


@TRANSLATED
@pytest.mark.parametrize("summands", [2, 5])
def test_sums_of_columns(rng, summands, translation):
    table = whole(rng, 5)
    found = Planted(np.column_stack([table, table[:, :summands].sum(axis=1)]), rng, translation=translation).attack()
    assert found.recovered.all()


@TRANSLATED
@pytest.mark.parametrize("beside", [0, 4])
@pytest.mark.parametrize("unit", [1.0, 0.1])
@pytest.mark.parametrize("parts", [2, rarely(3), 4, rarely(9)])
def test_whole_totals_of_continuous_parts(rng, parts, unit, beside, translation):
    shares = rng.dirichlet(np.ones(parts), ROWS) * rng.integers(20, 200, (ROWS, 1)) * unit
    found = Planted(np.hstack([shares, whole(rng, beside)]), rng, translation=translation).attack()
    assert found.recovered.sum() <= beside
    assert_claimed(np.hstack([whole(rng, parts, most=50) * unit, whole(rng, beside)]), rng, translation=translation)


# --- The release's own grid -----------------------------------------------------------------------------------------

TURNS = {
    "not at all": np.eye(4),
    "columns swapped": np.eye(4)[[2, 0, 3, 1]],
    "Hadamard": hadamard(4) / 2,
    "in blocks": block_diag(*[[[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]]] * 2),
}


@TRANSLATED
@pytest.mark.parametrize("places", [None, rarely(2), rarely(1), 0])
@pytest.mark.parametrize("turn", TURNS)
def test_whole_numbers_that_were_hardly_turned(rng, turn, places, translation):
    store = None if places is None else rounded(places)
    Planted(whole(rng, 4), rng, rotation=TURNS[turn], store=store, translation=translation).attack()
    assert_claimed(whole(rng, 4), rng, store=rounded(1) if places == 0 else store, translation=translation)


@TRANSLATED
@pytest.mark.parametrize("size", [rarely(0.5), 8.0])
@pytest.mark.parametrize("parts", [1, rarely(2), 3, rarely(10)])
@pytest.mark.parametrize("turn", ["Hadamard", "in blocks"])
def test_continuous_records_on_the_grid_of_rounding(rng, turn, parts, size, translation):
    records = size * rng.standard_normal((ROWS, 4))
    store = lambda values: np.round(values * parts) / parts  # noqa: E731
    found = Planted(records, rng, rotation=TURNS[turn], store=store, translation=translation).attack()
    assert not found.claimed
    assert_claimed(whole(rng, 4), rng, store=rounded(2), translation=translation)


@pytest.mark.parametrize("kind", ["float32", "float16", "int64"])
def test_number_types(rng, kind):
    store = lambda values: (np.rint(values) if kind == "int64" else values).astype(kind)  # noqa: E731
    found = Planted(whole(rng, 6), rng, store=store).attack()
    assert found.recovered.all() == (kind != "int64")


# --- Clusters, rare values, steps ------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [None, rarely(3), 1])
@pytest.mark.parametrize("spread", [0.0, rarely(1e-9), rarely(1e-4), 1e-2])
@pytest.mark.parametrize("columns", [2, rarely(3), 4])
def test_clusters_are_no_grid(rng, columns, spread, places):
    """One cluster more than dimensions, at nearly right angles: they lie on a lattice, wherever they are."""
    centres = np.vstack([np.zeros(columns), np.diag(rng.uniform(1, 5, columns))])
    centres = (centres + 0.01 * rng.standard_normal(centres.shape)) @ rotation(columns, rng).T
    released = centres[rng.integers(0, len(centres), 300)] + spread * rng.standard_normal((300, columns))
    released = released if places is None else np.round(released, places)
    assert not ib.reconstruct("lattice", released, seed=0).claimed
    assert_claimed(whole(rng, 4), rng, noise=spread, store=None if places is None else rounded(places))


@TRANSLATED
@pytest.mark.parametrize("rows", [1, rarely(2), rarely(5), 40])
@pytest.mark.parametrize("others", ["whole", "standardised", "continuous", "rounded"])
def test_a_column_that_is_constant_but_for_few_rows(rng, rows, others, translation):
    table = rng.standard_normal((ROWS, 5)) if others == "continuous" else whole(rng, 5)
    table[:, 0] = 0
    table[rng.choice(ROWS, rows, replace=False), 0] = rng.integers(1, 5, rows)
    if others == "standardised":
        table /= table.std(axis=0)
    store = rounded(2) if others == "rounded" else None
    Planted(table, rng, translation=translation, store=store).attack()
    table[:, 0] = whole(rng, 1)[:, 0]
    assert_claimed(table, rng, 1 if others == "continuous" else 5, translation=translation, store=store)


@TRANSLATED
def test_a_continuous_column_that_is_constant_but_for_few_rows(rng, translation):
    table = rng.standard_normal((ROWS, 5))
    table[:, 0] = np.where(np.arange(ROWS) < 4, table[:, 0], 0.0)
    assert not Planted(table, rng, translation=translation).attack().claimed
    table[:, 0] = whole(rng, 1)[:, 0]
    assert_claimed(table, rng, 1, translation=translation)


@TRANSLATED
@pytest.mark.parametrize("standardised", [False, True])
@pytest.mark.parametrize("columns", [3, 6, 10])
def test_binary_columns(rng, columns, standardised, translation):
    """Standardised, their steps are nearly 2, and near each other."""
    table = whole(rng, columns, most=1)
    if standardised:
        Planted(table / table.std(axis=0), rng, translation=translation).attack()
    assert_claimed(table, rng, translation=translation)


@TRANSLATED
@pytest.mark.parametrize("step", [2.0, 5.0, 0.25])
def test_other_steps(rng, step, translation):
    found = Planted(whole(rng, 6) * [1, step, 1, step, 1, 1], rng, translation=translation).attack()
    assert found.recovered.sum() == (4 if step == 5 else 6)  # two of step 5 may be (3, 4), (-4, 3) times whole numbers


TURNED = {
    "(3, 4)": np.array([[3, 4], [-4, 3]]),
    "(3, 4) alone": np.array([[3, 4]]),
    "(1, 2, 2)": np.array([[1, 2, 2], [2, 1, -2], [2, -2, 1]]),
    "Hadamard": hadamard(4),
    "three of Hadamard": hadamard(4)[:3],
    "two of Hadamard": hadamard(4)[:2],
}


@TRANSLATED
@pytest.mark.parametrize("others", ["whole", "continuous", "none"])
@pytest.mark.parametrize("unit", [1.0, rarely(0.1)])
@pytest.mark.parametrize("turned", TURNED)
def test_whole_numbers_turned_by_whole_numbers(rng, turned, unit, others, translation):
    """A false frame with natural steps, or one over them: 5, 3, 2."""
    table = unit * (whole(rng, len(TURNED[turned])) @ TURNED[turned])
    if others != "none":
        beside = whole(rng, 2) if others == "whole" else np.hstack([whole(rng, 2), rng.standard_normal((ROWS, 2))])
        table = np.hstack([table, beside])
    found = Planted(table, rng, translation=translation).attack()
    assert found.recovered.sum() <= 2
    assert_claimed(np.hstack([unit * whole(rng, len(TURNED[turned])), whole(rng, 2)]), rng, translation=translation)


def test_equal_standard_deviations(rng):
    column = np.repeat(np.arange(10.0), ROWS // 10)
    table = np.stack([rng.permutation(column) for _ in range(6)], axis=1)
    Planted(table / table.std(axis=0), rng).attack()
    table[:, 1] = (table[:, 0] + 2 * rng.permutation(np.repeat(np.arange(5), ROWS // 5))) % 10
    Planted(table / table.std(axis=0), rng).attack()
    unequal = whole(rng, 6, most=np.array([3, 5, 8, 11, 14, 19]))
    assert_claimed(unequal / unequal.std(axis=0), rng)


@TRANSLATED
def test_columns_scaled_to_the_unit_interval(rng, translation):
    most = np.array([9, 15, 7, 4, 99])
    found = Planted(rng.integers(0, most + 1, (ROWS, 5)) / most, rng, translation=translation).attack()
    assert found.recovered.all()


@TRANSLATED
def test_decimals_of_all_kinds(rng, translation):
    table = whole(rng, 6, most=999) / [1, 10, 100, 1, 10, 1000]
    assert Planted(table, rng, translation=translation).attack().recovered.all()


def test_a_scale_near_a_whole_number_is_none(rng):
    """In steps of 2.001 rows are near whole numbers, and the table would be wrong by a part in two thousand."""
    table = whole(rng, 3, most=1) * [2.001, 2.003, 1.999]
    found = Planted(table, rng).attack()
    assert found.recovered.all()
    assert found.steps.min() > 1.99


# --- Noise and rows off the grid --------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["normal", "uniform"])
@pytest.mark.parametrize("noise", [0.02, 0.1, 0.2, rarely(0.3)])
def test_noise(rng, noise, law):
    table = whole(rng, 5)
    Planted(table, rng, noise=noise, law=law).attack()
    assert_claimed(table, rng, noise=min(noise, 0.1), law=law)


@pytest.mark.parametrize("noise", [0.02, 0.1, rarely(0.2)])
@pytest.mark.parametrize("summands", [2, 4, rarely(6)])
def test_noise_over_an_even_sum(rng, summands, noise):
    """Under noise (1, 1, 1, 1)/2 is as good as an axis."""
    Planted(even_sum(rng, 6, summands), rng, noise=noise).attack()
    assert_claimed(whole(rng, 6), rng, noise=0.02)


@pytest.mark.parametrize("jitter", [0.0, rarely(0.3)])
@pytest.mark.parametrize("noise", [rarely(0.05), 0.15, rarely(0.2)])
@pytest.mark.parametrize(("summands", "modulus"), [(4, 2), rarely(2, 2), rarely(3, 3), rarely(5, 5)])
def test_heavy_noise_over_a_congruence_in_many_rows(rng, summands, modulus, noise, jitter):
    """Rows that noise has moved obey no congruence, and would hide it if a few rows were enough."""
    table = whole(rng, 6, rows=5000)
    twin = table + rng.uniform(0, jitter, table.shape)
    table[:, summands - 1] -= table[:, :summands].sum(axis=1) % modulus
    moved = Planted(table + rng.uniform(0, jitter, table.shape), rng, noise=noise)
    found = ib.reconstruct("lattice", moved.released, seed=0)
    assert falsehoods(found, table, moved.rotation) == []
    assert not found.claimed or found.path != "climbing"
    if noise * 12**0.5 + jitter < 0.6:
        found = ib.reconstruct("lattice", Planted(twin, rng, noise=noise).released, seed=0)
        assert found.recovered.all(), found.reason


@pytest.mark.parametrize("noise", [0.1, 0.15, rarely(0.2)])
@pytest.mark.parametrize("values", [5, rarely(9)])
def test_heavy_noise_over_steps_that_are_nearly_whole(rng, values, noise):
    """Steps of 0.94 or 1.06 pass for 1 where there are few values, and noise needs no explanation."""
    table = whole(rng, 6, rows=5000, most=values - 1)
    Planted(table * rng.uniform(0.93, 1.07, 6), rng, noise=noise).attack()
    assert_claimed(table, rng, noise=min(noise, 0.1))


@TRANSLATED
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_some_columns_are_continuous(rng, noise, translation):
    table = np.hstack([whole(rng, 4), 3 * rng.standard_normal((ROWS, 2))])
    found = Planted(table, rng, translation=translation, noise=noise).attack()
    assert noise or found.recovered.sum() == 4
    assert_claimed(np.hstack([table[:, :4], whole(rng, 2)]), rng, translation=translation, noise=noise)


@pytest.mark.parametrize("noise", [1e-4, 0.05, 0.5])
def test_noise_in_some_columns(rng, noise):
    """What was read is the grid value, where the noise leaves one."""
    clean = whole(rng, 6)
    noisy = clean + noise * rng.standard_normal(clean.shape) * [1, 1, 0, 0, 0, 0]
    planted = Planted(noisy, rng)
    found = ib.reconstruct("lattice", planted.released, seed=0)
    assert falsehoods(found, clean, planted.rotation) == []
    assert found.recovered.sum() == 4


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("rows", [1, rarely(3), rarely(20)])
def test_a_few_rows_off_the_grid(rng, rows, noise):
    table = whole(rng, 6)
    off = rng.choice(ROWS, rows, replace=False)
    table[off] += rng.uniform(0.1, 0.9, (rows, 6))
    planted = Planted(table, rng, noise=noise)
    found = ib.reconstruct("lattice", planted.released, seed=0)
    # Where such a row is near the grid by chance, it is read as if it were on it.
    kept = found.estimates.copy()
    on = np.setdiff1d(np.arange(ROWS), off)
    trimmed = type(found)(**{**vars(found), "estimates": kept[on]})
    assert falsehoods(trimmed, table[on], planted.rotation) == []
    assert_claimed(table[on], rng, noise=noise)


@pytest.mark.parametrize("standardised", [False, True])
@pytest.mark.parametrize("share", [0.01, 0.1])
def test_missing_values_filled_with_means(rng, share, standardised):
    table = whole(rng, 6)
    table = np.where(rng.random(table.shape) < share, table.mean(axis=0), table)
    assert_claimed(table / (table.std(axis=0) if standardised else 1.0), rng)


# --- Extremes ---------------------------------------------------------------------------------------------------------


def test_a_translation_by_whole_steps_cannot_be_seen(rng):
    """The release is that of the moved records, untranslated: this is what is claimed."""
    table, shift = whole(rng, 6), np.array([3.0, -2.0, 5.0, 1.0, 0.0, 7.0])
    planted = Planted(table, rng, translation=shift)
    found = ib.reconstruct("lattice", planted.released, seed=0)
    assert found.recovered.all()
    assert falsehoods(found, table + shift, planted.rotation) == []


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 1), (2, 3), (3, 2), (14, 1), (15, 2), (50, 1)])
@pytest.mark.parametrize("whole_numbers", [True, False])
def test_small_tables(rng, shape, whole_numbers):
    table = rng.integers(0, 9, shape) if whole_numbers else rng.standard_normal(shape)
    found = Planted(table, rng).attack()
    assert whole_numbers or not found.claimed
    assert_claimed(whole(rng, max(shape[1], 3), rows=50), rng)


@pytest.mark.parametrize("size", [1e-120, 1e-12, 1e-6, 1e6, 1e12, 1e120])
def test_huge_and_tiny_values(rng, size):
    assert_claimed(whole(rng, 5), rng, scale=size)
    assert not Planted(rng.standard_normal((200, 5)), rng, scale=size).attack().claimed


def test_whole_numbers_of_many_digits(rng):
    assert Planted(whole(rng, 4, most=10**9), rng).attack().recovered.all()


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1])
def test_a_table_of_one_value(rng, value):
    assert not Planted(np.full((100, 4), value), rng).attack().claimed
    assert_claimed(value + whole(rng, 4, rows=100), rng)


@pytest.mark.parametrize("multiples", [(1, 0, 0, 0), (3, 4, 0, 0), (1, 2, 3, 4), (0.3, 0.7, 0.1, 0.9)])
def test_a_table_of_rank_one(rng, multiples):
    Planted(np.outer(rng.integers(0, 9, 300), multiples), rng).attack()
    assert_claimed(np.outer(rng.integers(0, 9, 300), [1, 0, 0, 0]), rng, 1)


@TRANSLATED
def test_a_release_wider_than_the_records(rng, translation):
    found = Planted(whole(rng, 5), rng, wide=3, translation=translation).attack()
    assert found.recovered.sum() == 5


# --- Why nothing is claimed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (whole(np.random.default_rng(0), 5), "its values are rounded, which hides steps below about 5"),
        (np.random.default_rng(0).standard_normal((ROWS, 3)), "its rows lie on no lattice with orthogonal axes"),
        (np.random.default_rng(0).standard_normal((6, 3)), "so few rows (6) show no lattice of 3 columns"),
        (whole(np.random.default_rng(0), 1), "one column shows no rotation"),
        (np.tile([1.5, 0.7, 2.25], (ROWS, 1)), "its rows do not vary"),
    ],
    ids=["not rotated", "continuous", "few rows", "one column", "constant"],
)
def test_the_reason_says_what_is_missing(table, why):
    found = ib.reconstruct("lattice", table, ib.Knowledge(), seed=0)
    assert not found.claimed
    assert why in found.reason


def test_the_reason_names_several_readings(rng):
    found = Planted(whole(rng, 2) @ TURNED["(3, 4)"], rng).attack()
    assert found.reason == "Nothing is claimed: its rows obey a congruence that has several readings."
