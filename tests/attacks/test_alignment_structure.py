# SPDX-License-Identifier: BSD-3-Clause
"""What the release alone shows of its columns: products of others, steps of time, sizes that records have."""

from itertools import permutations

import numpy as np
import pytest

import isobreach as ib
from effort import EIGHT_SEEDS, slow
from isobreach.attacks.alignment.descent import Evaluations, descend
from isobreach.attacks.alignment.frames import Pose
from isobreach.attacks.alignment.naming import assigned
from isobreach.attacks.alignment.planes import shared_values
from isobreach.attacks.alignment.products import Sparse, product_axes
from isobreach.attacks.alignment.relations import relations_of
from isobreach.attacks.alignment.series import series_covariances
from isobreach.attacks.alignment.studied import Studied
from isobreach.geometry import haar


def products(rng, rows=400):
    """Three columns that correlate, two of their products, a square, and a column of its own; standardised."""
    three = rng.normal(size=(rows, 3)) @ (np.eye(3) + 0.3 * rng.normal(size=(3, 3)))
    table = np.column_stack([three, three[:, :2] * three[:, 1:], three[:, 0] ** 2, rng.exponential(1, rows)])
    return (table - table.mean(axis=0)) / table.std(axis=0)


def walks(rng, rows=1_000, columns=8):
    return rng.normal(size=(rows, columns)).cumsum(axis=1)


def readings(rng, rows=1_000, columns=8, rate=0.8):
    values = rng.normal(size=(rows, columns)) * np.r_[1, np.full(columns - 1, np.sqrt(1 - rate**2))]
    for step in range(1, columns):
        values[:, step] += rate * values[:, step - 1]
    return values


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_products_show_the_axes_of_their_columns(shift):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        matrix = haar(7, rng)
        relations = relations_of(products(rng) @ matrix.T + shift, 0.0, rng)
        axes = product_axes(relations, rng, Evaluations(0))
        assert axes.shape[1] >= 6
        assert (np.abs(axes.T @ matrix).max(axis=1) > 1 - 1e-6).all()


@EIGHT_SEEDS
def test_products_of_three_show_axes_that_products_of_two_do_not(seeds):
    """An index is weight over squared height, a ratio waist over hip; two more columns take part in neither."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        height, weight, waist, hip, *others = np.exp(0.3 * rng.normal(size=(6, 400)) + 0.2 * rng.normal(size=400))
        records = np.column_stack([height, weight, weight / height**2, waist, hip, waist / hip, *others])
        matrix = haar(8, rng)
        axes = Studied(records @ matrix.T, seed).products
        found = np.abs(axes.T @ matrix)
        assert sorted(found.argmax(axis=1)) == [0, 2, 3, 4, 5]
        assert (found.max(axis=1) > 1 - 1e-6).all()


@pytest.mark.parametrize("flags", [4, *slow(8, 14)])
def test_flags_show_their_axes_from_any_start(flags):
    """f f = f: rotations have optima in which two flags are mixed half and half, more than there are starts."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        records = np.hstack([rng.normal(size=(600, 4)), rng.random((600, flags)) < 0.4])
        matrix = haar(4 + flags, rng)
        axes = product_axes(relations_of(records @ matrix.T, 0.0, rng), rng, Evaluations(0))
        found = np.abs(axes.T @ matrix)
        assert sorted(found.argmax(axis=1)) == list(range(4, 4 + flags))
        assert (found.max(axis=1) > 1 - 1e-6).all()


def test_tables_without_products_have_no_relations():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        for rows in (rng.normal(size=(200, 6)), rng.exponential(1, (200, 6)), walks(rng, 200, 6), np.ones((200, 6))):
            assert len(relations_of(rows, 0.0, rng)) == 0
            assert Studied(rows, 0).products.shape == (6, 0)


def test_axes_that_a_relation_leaves_open_are_not_told():
    """Cosines and sines: any rotation of a plane keeps its circle."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        turns = rng.uniform(0, 2 * np.pi, (300, 3))
        relations = relations_of(np.hstack([np.cos(turns), np.sin(turns)]) @ haar(6, rng).T, 0.0, rng)
        assert len(relations) == 3
        assert product_axes(relations, rng, Evaluations(0)).shape == (6, 0)


@pytest.mark.parametrize("degree", [2, 3])
def test_the_slope_of_sparse_forms_is_that_of_their_value(degree):
    rng = np.random.default_rng(0)
    forms = rng.normal(size=(3, *(4,) * degree))
    forms = sum(forms.transpose(0, *order) for order in permutations(range(1, degree + 1)))
    sparse, step = Sparse(forms), 1e-6
    frame, along = haar(4, rng), rng.normal(size=(4, 4))
    value, slope, _ = sparse.gradient(Pose(frame, np.zeros(0)))
    ahead, behind = (sparse.value(Pose(frame + way * step * along, np.zeros(0))) for way in (1, -1))
    assert (slope * along).sum() == pytest.approx((ahead - behind) / (2 * step), rel=1e-6)
    assert descend(sparse, Pose(frame, np.zeros(0)), Evaluations(0))[1] < value


def amounts(rng, rows=300):
    """Five, a third of which are zero; two go together."""
    values = rng.exponential(1, (rows, 5)) * np.exp(rng.normal(size=(rows, 1)) * [1, 1, 0, 0, 0])
    values[rng.random(values.shape) < 0.35] = 0
    values[:, 0] += values.sum(axis=1) == 0
    return values


def shares(rng):
    values = amounts(rng)
    return values / values.sum(axis=1, keepdims=True)


def standard_shares(rng):
    values = shares(rng)
    return (values - values.mean(axis=0)) / values.std(axis=0)


def amounts_and_their_sum(rng):
    values = amounts(rng)
    return np.column_stack([values, values.sum(axis=1)])


@pytest.mark.parametrize("make", [shares, *slow(standard_shares, amounts_and_their_sum)])
@pytest.mark.parametrize("shift", [3.0, *slow(0.0)])
@pytest.mark.parametrize("seeds", [range(2), *slow(range(2, 8))])
def test_shared_values_show_axes_of_records_that_lie_in_a_flat(make, shift, seeds):
    """As they are seen within the flat: nothing shows on which side of it they stand."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        records = make(rng)
        matrix = haar(records.shape[1], rng)
        axes = shared_values(records @ matrix.T + shift, 0.0, rng, Evaluations(0)).axes
        within = np.linalg.svd(records - records.mean(axis=0))[2][:-1] @ matrix.T
        seen, true = (within @ one / np.linalg.norm(within @ one, axis=0) for one in (axes, matrix))
        assert axes.shape[1] >= 5
        assert axes.T @ axes == pytest.approx(np.eye(axes.shape[1]), abs=1e-6)
        assert (np.abs(seen.T @ true).max(axis=1) > 1 - 1e-6).all()


@pytest.mark.parametrize("seeds", [range(2), *slow(range(2, 8))])
def test_flats_in_which_nobody_shares_a_value_show_no_axes(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        rows = rng.dirichlet([1, 1, 2, 2, 3], 200) @ haar(5, rng).T
        assert shared_values(rows, 0.0, rng, Evaluations(0)).axes.shape == (5, 0)


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_amounts_of_which_links_show_zeros_point_upwards(shift):
    """Behind a translation the links say where zero is."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        records = amounts(rng)
        records[:2] = [[1.0, 2, 5, 0, 0], [3, 4, 1, 0, 0]]
        signs = rng.choice([-1.0, 1.0], 5)
        released = records * signs + shift
        links = records[:2], released[:2]
        _, axes, found = assigned(np.eye(5), released, links, None, None, translates=shift > 0, error=1e-2)
        assert (found == signs[axes]).all()


@pytest.mark.parametrize("scheme", [ib.schemes.Rigid(), *slow(ib.schemes.Orthogonal())])
@pytest.mark.parametrize("beside", [True, *slow(False)])
def test_flags_of_missing_values_come_in_the_order_of_their_values(scheme, beside):
    """Nobody of two insiders misses anything, so that only the order of the columns names the flags."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        values, lost = 2 + rng.normal(size=(250, 3)) @ rng.normal(size=(3, 3)), rng.random((250, 3)) < 0.3
        lost[:2] = False
        records = np.hstack([np.where(lost, 1.5, values), lost])
        records = records[:, [0, 3, 1, 4, 2, 5]] if beside else records
        assert shares_of_everybody_else(records, scheme, "planes") == 1.0


@pytest.mark.parametrize("make", [walks, *slow(readings)])
def test_the_covariance_of_a_series_is_read_off_the_release(make):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        records = make(rng)
        found = series_covariances(records @ haar(8, rng).T, Evaluations(0))
        truth = np.cov(records.T)
        assert min(np.linalg.norm(one - truth) for one in found) < 0.15 * np.linalg.norm(truth)


@pytest.mark.slow
def test_tables_of_other_kinds_are_no_series():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        mixing = rng.normal(size=(10, 10)) * 0.7 ** np.arange(10)[:, None]
        few = rng.normal(size=(40, 8)) * np.exp(rng.normal(size=8))  # so few rows fit some series
        tables = (rng.normal(size=(500, 10)), rng.normal(size=(500, 10)) @ mixing, rng.exponential(1, (500, 10)), few)
        for rows in tables:
            assert not series_covariances(rows, Evaluations(0))


def shares_of_everybody_else(records, scheme, objective, linked=2):
    release = ib.perturb(records, scheme, seed=1)
    knowledge = ib.Knowledge(known=records[:linked], rows=release.key.order[:linked])
    found = ib.reconstruct(
        "alignment", release.data, knowledge, seed=0, objective=objective, motion=scheme.model.motion
    )
    assert (found.objective, found.claimed) == (objective, False)
    errors = np.linalg.norm(found.estimates[release.key.order] - records, axis=1)
    return float(np.mean(errors[linked:] <= 0.15 * np.linalg.norm(records[linked:], axis=1)))


@pytest.mark.parametrize(
    ("scheme", "seeds"),
    [
        (ib.schemes.Orthogonal(), range(1)),
        *slow((ib.schemes.Orthogonal(), range(1, 8)), (ib.schemes.Rigid(), range(8))),
    ],
)
def test_two_links_name_the_axes_of_products(scheme, seeds):
    """Behind a translation two links say one thing only, and may leave a column of its own open."""
    shares = [shares_of_everybody_else(products(np.random.default_rng(seed)), scheme, "products") for seed in seeds]
    assert np.mean(shares) > (0.95 if scheme.name == "orthogonal" else 0.6)


@pytest.mark.slow
def test_a_sample_names_the_axes_of_products():
    """Nobody inside: sides of parcels, which are not alike, their areas, and a square. A few are named wrongly."""
    shares = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        sides = np.exp(0.3 * rng.normal(size=(500, 1)) + 0.35 * rng.normal(size=(500, 3))) * [1.0, 1.3, 1.7]
        records = np.column_stack([sides, sides * np.roll(sides, -1, axis=1), sides[:, 0] ** 2])
        release = ib.perturb(records[150:], ib.schemes.Orthogonal(), seed=seed)
        knowledge = ib.Knowledge(sample=records[:150])
        found = ib.reconstruct("alignment", release.data, knowledge, seed=0, motion="orthogonal", effort=500)
        guess = found.variants["as fitted" if found.objective == "products" else "products"]
        errors = np.linalg.norm(guess[release.key.order] - records[150:], axis=1)
        shares.append(np.mean(errors <= 0.15 * np.linalg.norm(records[150:], axis=1)))
        assert not found.claimed
    assert np.mean(np.array(shares) > 0.99) >= 0.75


@pytest.mark.slow
@pytest.mark.parametrize("make", [walks, readings])
def test_two_links_turn_a_series(make):
    shares = [
        shares_of_everybody_else(make(np.random.default_rng(seed)), ib.schemes.Orthogonal(), "series")
        for seed in range(8)
    ]
    assert np.mean(shares) > 0.4


@pytest.mark.slow
def test_a_series_is_turned_under_noise():
    records = walks(np.random.default_rng(0), 2_000)
    assert shares_of_everybody_else(records, ib.schemes.Noisy(0.1), "series") > 0.2


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_directions_are_independent_where_records_have_sizes(seed):
    rng = np.random.default_rng(seed)
    records = np.exp(rng.normal(size=(1_000, 1))) * rng.uniform(-1, 1, (1_000, 6))
    assert shares_of_everybody_else(records, ib.schemes.Orthogonal(), "directions", linked=3) > 0.9


@pytest.mark.slow
def test_what_was_looked_for_counts_whether_found_or_not_shared_or_not():
    rng = np.random.default_rng(0)
    records = rng.normal(size=(200, 4))
    release = ib.perturb(records, ib.schemes.Orthogonal(), seed=0)
    attack = ib.attacks.ATTACKS["alignment"]
    engine = ib.engine.as_engine(release.data)
    studied = attack.study(engine, noise=None, seed=0, progress=lambda *_: None)
    sample = ib.Knowledge(sample=rng.normal(size=(50, 4)))
    link = ib.Knowledge(known=records[:1], rows=release.key.order[:1])
    alone = ib.reconstruct("alignment", release.data, link, seed=0).evaluations
    ib.reconstruct("alignment", release.data, sample, seed=0, studied=studied)
    assert alone == ib.reconstruct("alignment", release.data, link, seed=0, studied=studied).evaluations
    assert alone > 40  # planes were sought, in vain
