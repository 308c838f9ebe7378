# SPDX-License-Identifier: BSD-3-Clause
"""The attack on motions with a translation, a scale or more columns, given true links."""

import numpy as np
import pytest

from isobreach.attacks import attack_linked, summarise
from isobreach.errors import InputError
from isobreach.geometry import breach_probability, complement, row_basis, row_norms
from isobreach.release import Precision
from oracles import sphere_points
from planted import Release

CENTRE = np.array([2.0, -1.0, 0.5, 1.0, 0.0, -0.5, 1.5])


def _records(m, n, rng):
    return CENTRE[:n] + rng.standard_normal((m, n)) * np.exp(0.4 * rng.standard_normal((m, 1)))


def _hull(linked):
    """Mean, directions and hidden directions of the affine hull of records, by plain NumPy."""
    mean = linked.mean(axis=0)
    axes = np.linalg.svd(linked - mean, full_matrices=True)[2]
    k = np.linalg.matrix_rank(linked - mean) if len(linked) > 1 else 0
    return mean, axes[:k].T, axes[k:].T


def _breached(result, release):
    error = row_norms(result.estimates[release.order] - release.records)
    return error <= result.epsilon * row_norms(release.records) * (1 + 1e-9)


def _within(counted, claimed, draws):
    return abs(counted - claimed) <= 4.5 * np.sqrt(claimed * (1 - claimed) / draws) + 1e-9


@pytest.mark.counted
@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
@pytest.mark.parametrize(("n", "q"), [(3, 1), (3, 2), (3, 3), (5, 2), (5, 4), (6, 3)])
@pytest.mark.parametrize("epsilon", [0.25, 0.6])
def test_the_attacker_breaches_as_often_as_reported(estimator, n, q, epsilon):
    """For the attacker the hidden part is uniform on its sphere: drawn anew, and counted."""
    rng = np.random.default_rng([n, q])
    linked = _records(q, n, rng)
    mean, axes, hidden = _hull(linked)
    kinds = 6
    # One random map serves all rows of an attack, so the paper's estimates need many attacks.
    draws, repeats = (1500, 1) if estimator == "optimal" else (10, 120)
    feet = mean + rng.standard_normal((kinds, axes.shape[1])) @ axes.T
    lengths = np.linspace(0.2, 2.5, kinds)
    counted = []
    for seed in range(repeats):
        parts = [p + d * sphere_points(n - q + 1, draws, rng) @ hidden.T for p, d in zip(feet, lengths, strict=True)]
        release = Release(np.vstack([linked, *parts]), rng)
        links = release.linkage(range(q))
        result = attack_linked(linked, release.released, links, epsilon, estimator=estimator, seed=seed)
        assert result.hidden_dimension == n - q + 1
        assert result.kind == "model-based"
        claimed = result.breach_probability[release.order[q:]].reshape(kinds, draws)
        assert np.ptp(claimed, axis=1).max() < 1e-9
        counted.append(_breached(result, release)[q:].reshape(kinds, draws).mean(axis=1))
    independent = draws if repeats == 1 else repeats
    assert _within(np.mean(counted, axis=0), claimed[:, 0], independent).all()
    expected = breach_probability(
        lengths,
        np.hypot(row_norms(feet), lengths),
        n - q + 1,
        epsilon,
        estimator,
        offset=np.linalg.norm(mean @ hidden),
    )
    np.testing.assert_allclose(claimed[:, 0], expected, atol=1e-9)


@pytest.mark.counted
@pytest.mark.parametrize(("n", "q", "epsilon"), [(3, 1, 0.6), (3, 2, 0.3), (4, 4, 0.3), (6, 3, 0.5)])
def test_the_owner_knows_the_norm(n, q, epsilon):
    """Records as they are; the hidden direction is the attacker's draw. The paper's estimate, drawn and counted."""
    rng = np.random.default_rng([n, q, 7])
    release = Release(_records(14, n, rng), rng, scale=1.7)
    norms = np.empty(14)
    norms[release.order] = row_norms(release.records)
    links = release.linkage(range(q))
    results = [
        attack_linked(release.records[:q], release.released, links, epsilon, estimator="uniform", seed=seed)
        for seed in range(400)
    ]
    claimed = results[0].probability(norms=norms)[release.order]
    counted = np.mean([_breached(result, release) for result in results], axis=0)
    assert (claimed[:q] == 1).all()
    assert _within(counted, claimed, len(results)).all()
    mean, _, hidden = _hull(release.records[:q])
    apart = (release.records - mean) @ hidden
    d, c = row_norms(apart), epsilon * row_norms(release.records)
    optimal = results[0].probability(estimator="optimal", norms=norms)[release.order]
    guesses = np.sqrt(np.maximum(d**2 - c**2, 0))[:, None, None] * sphere_points(n - q + 1, 4000, rng)
    shares = (np.linalg.norm(guesses - apart[:, None], axis=2) <= c[:, None]).mean(axis=1)
    assert _within(shares[q:], optimal[q:], 4000).all()
    assert (optimal >= claimed - 1e-12).all()
    some = [5, 2, 5]
    np.testing.assert_array_equal(
        results[0].probability(rows=some, norms=norms[some]), results[0].probability(norms=norms)[some]
    )


def test_which_record_comes_first_does_not_matter():
    rng = np.random.default_rng(1)
    release = Release(_records(40, 6, rng), rng)
    outcomes = []
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        result = attack_linked(release.records[order], release.released, release.linkage(order), 0.4, seed=0)
        outcomes.append((result.breach_probability, result.estimates, result.relative_residual))
    for other in outcomes[1:]:
        for one, two in zip(outcomes[0], other, strict=True):
            np.testing.assert_allclose(one, two, atol=1e-9)


@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
def test_a_hull_through_the_origin_hides_no_norm(estimator):
    """With x and -x linked the hull is their span, the offset 0, and the translation costs nothing."""
    rng = np.random.default_rng(2)
    records = _records(30, 5, rng)
    records[:4] = [records[0], -records[0], records[2], -records[2]]
    rigid, orthogonal = Release(records, rng), Release(records, rng, "orthogonal")
    claims = [
        attack_linked(records[:4], one.released, one.linkage(range(4)), 0.4, estimator=estimator, seed=0)
        for one in (rigid, orthogonal)
    ]
    np.testing.assert_allclose(
        claims[0].breach_probability[rigid.order], claims[1].breach_probability[orthogonal.order], atol=1e-7
    )
    assert claims[0].hidden_dimension == claims[1].hidden_dimension == 3


@pytest.mark.parametrize("wide", [3, 6])
@pytest.mark.parametrize("motion", ["orthogonal", "rigid", "similarity"])
def test_enough_links_give_everything_away(motion, wide):
    rng = np.random.default_rng(3)
    scale = 1e3 if motion == "similarity" else 1.0
    release = Release(_records(30, 3, rng), rng, motion, wide=wide, scale=scale, translation=50.0)
    q = 3 + (motion != "orthogonal")
    result = attack_linked(release.records[:q], release.released, release.linkage(range(q)), 0.1, seed=0)
    assert result.hidden_dimension == 0
    assert result.kind == "exact"
    assert (result.breach_probability == 1).all()
    assert result.shape == (30, wide)
    np.testing.assert_allclose(result.estimates[release.order], release.records, atol=1e-9)
    assert summarise(result).columns == wide


@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_padding_and_scale_change_no_probability(estimator, motion):
    rng = np.random.default_rng(4)
    records = _records(400, 5, rng)
    outcomes = []
    for wide, scale in ((5, 1.0), (9, 1.0), (5, 1e-3), (7, 40.0)):
        release = Release(records, rng, motion, wide=wide, scale=scale)
        result = attack_linked(
            records[:3], release.released, release.linkage(range(3)), 0.5, estimator=estimator, seed=0
        )
        outcomes.append(result.breach_probability[release.order])
        assert result.estimates.shape == (400, 5)
    for other in outcomes[1:]:
        np.testing.assert_allclose(other, outcomes[0], atol=1e-9)


@pytest.mark.counted
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_in_a_padded_release_the_hidden_direction_is_uniform(motion):
    """The paper's estimate over many seeds: as frequent as the owner computes it."""
    rng = np.random.default_rng(5)
    release = Release(_records(12, 4, rng), rng, motion, wide=7)
    norms = np.empty(12)
    norms[release.order] = row_norms(release.records)
    links = release.linkage(range(2))
    results = [
        attack_linked(release.records[:2], release.released, links, 0.5, estimator="uniform", seed=seed)
        for seed in range(400)
    ]
    counted = np.mean([_breached(result, release) for result in results], axis=0)
    assert _within(counted, results[0].probability(norms=norms)[release.order], len(results)).all()


def test_collinear_and_repeated_records_fix_a_line():
    rng = np.random.default_rng(6)
    records = _records(20, 4, rng)
    records[:5] = records[0] + np.array([[0], [1], [2.5], [2.5], [-3]]) * records[1]
    release = Release(records, rng)
    line = attack_linked(records[:5], release.released, release.linkage(range(5)), 0.3, seed=0)
    two = attack_linked(records[:2], release.released, release.linkage(range(2)), 0.3, seed=0)
    assert line.hidden_dimension == two.hidden_dimension == 3
    others = np.delete(np.arange(20), release.order[:5])
    np.testing.assert_allclose(line.breach_probability[others], two.breach_probability[others], atol=1e-9)
    np.testing.assert_allclose(line.estimate(others), two.estimate(others), atol=1e-9)
    assert (line.breach_probability[release.order[:5]] == 1).all()
    np.testing.assert_allclose(line.estimate(release.order[:5]), records[:5], atol=1e-9)


def test_one_link_gives_distances_from_one_record():
    rng = np.random.default_rng(7)
    release = Release(_records(20, 4, rng), rng)
    result = attack_linked(release.records[:1], release.released, release.linkage([0]), 0.5, seed=0)
    away = row_norms(release.records - release.records[0])
    first = np.linalg.norm(release.records[0])
    expected = breach_probability(away, np.hypot(first, away), 4, 0.5, offset=first)
    assert result.hidden_dimension == 4
    np.testing.assert_allclose(result.breach_probability[release.order], expected, atol=1e-9)
    np.testing.assert_allclose(result.relative_residual[release.order], away / np.hypot(first, away), atol=1e-9)


@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
def test_without_a_link_nothing_is_claimed(estimator):
    rng = np.random.default_rng(8)
    release = Release(_records(20, 4, rng), rng)
    result = attack_linked(release.records[:0], release.released, release.linkage([]), 0.5, estimator=estimator, seed=0)
    assert result.hidden_dimension == 4
    assert result.kind == "lower bound"
    assert result.breach_probability.tolist() == [0] * 20
    assert result.estimates.tolist() == [[0] * 4] * 20
    assert result.probability(1.0, [3, 4]).tolist() == [1, 1]
    assert result.best == 0
    assert (result.relative_residual == 1).all()


def test_rows_are_ranked_by_probability():
    """The relative residual alone would rank otherwise: the offset counts more for some rows than for others."""
    rng = np.random.default_rng(9)
    release = Release(_records(3000, 4, rng), rng)
    result = attack_linked(release.records[:2], release.released, release.linkage(range(2)), 0.3, seed=0)
    top = result.top(2000)
    others = np.delete(result.breach_probability, result.linked_rows)
    np.testing.assert_array_equal(result.breach_probability[top], np.sort(others)[::-1][:2000])
    assert result.best == top[0]
    between = (others > 0.01) & (others < 0.99)
    residual = np.delete(result.relative_residual, result.linked_rows)
    assert not (np.argsort(-others[between], kind="stable") == np.argsort(residual[between], kind="stable")).all()


def _decimals(count):
    return Precision(0.5 * 10.0**-count, 0.0, 2.0**-53, f"{count} decimals"), lambda rows: rows.round(count)


STORED = [
    # columns, released columns, links, how it was stored, epsilon
    (2, 2, 2, *_decimals(2), 0.1),
    (3, 3, 3, *_decimals(1), 0.3),
    (3, 3, 4, *_decimals(1), 0.3),
    (3, 5, 2, *_decimals(2), 0.1),
    (5, 5, 3, *_decimals(2), 0.3),
    (4, 4, 3, Precision(2.0**-150, 2.0**-24, 2.0**-24, "float32"), lambda rows: rows.astype(np.float32), 1e-3),
]


@pytest.mark.counted
@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
@pytest.mark.parametrize(("n", "wide", "q", "precision", "store", "epsilon"), STORED)
def test_a_coarse_release_never_claims_more_than_it_delivers(n, wide, q, precision, store, epsilon, estimator):
    """The hidden parts are drawn anew with each motion: claims are covered by breaches; a claim of 1 is a certainty."""
    rng = np.random.default_rng(10)
    excess = []
    for seed in range(120):
        linked = _records(q, n, rng)
        mean, axes, hidden = _hull(linked)
        k = axes.shape[1]
        along, away = rng.standard_normal((12, k)), np.exp(rng.normal(-1, 1.5, (12, 1)))
        others = mean + along @ axes.T + (away * sphere_points(n - k, 12, rng) @ hidden.T if k < n else 0)
        release = Release(np.vstack([linked, others]), rng, wide=wide, store=store)
        links = release.linkage(range(q), precision)
        result = attack_linked(linked, release.released, links, epsilon, estimator=estimator, seed=seed)
        claimed, breached = result.breach_probability[release.order], _breached(result, release)
        assert result.kind == ("model-based" if result.hidden_dimension else "lower bound")
        assert breached[claimed == 1].all()
        excess.append((claimed - breached)[q:].mean())
    assert np.mean(excess) <= 4 * np.std(excess) / np.sqrt(len(excess)) + 1e-3
    assert claimed[q:].max() > 0


def test_the_owners_bounds_hold_for_a_coarse_release_too():
    rng = np.random.default_rng(11)
    precision, store = _decimals(1)
    release = Release(_records(12, 4, rng), rng, store=store)
    norms = np.empty(12)
    norms[release.order] = row_norms(release.records)
    links = release.linkage(range(3), precision)
    results = [
        attack_linked(release.records[:3], release.released, links, 0.5, estimator="uniform", seed=seed)
        for seed in range(400)
    ]
    claimed = results[0].probability(norms=norms)[release.order]
    counted = np.mean([_breached(result, release) for result in results], axis=0)
    assert (claimed <= counted + 4 * np.sqrt(counted * (1 - counted) / 400) + 1e-9).all()
    assert claimed[3:].max() > 0.05


def test_what_is_not_defined_is_refused():
    rng = np.random.default_rng(12)
    release = Release(_records(9, 3, rng), rng)
    links = release.linkage(range(2))
    with pytest.raises(
        InputError, match="estimator must be optimal or uniform unless the motion is orthogonal and without noise"
    ):
        attack_linked(release.records[:2], release.released, links, estimator="published")
    result = attack_linked(release.records[:2], release.released, links, seed=0)
    with pytest.raises(
        InputError, match="estimator must be optimal or uniform unless the motion is orthogonal and without noise"
    ):
        result.probability(estimator="published")
    for norms in ([1.0], -np.ones(9), np.full(9, np.nan)):
        with pytest.raises(InputError, match="norms must be 9 finite numbers >= 0, one a row"):
            result.probability(norms=norms)


def test_a_block_is_as_good_as_the_whole():
    from isobreach.engine import as_engine

    rng = np.random.default_rng(13)
    release = Release(_records(9000, 7, rng), rng)
    links = release.linkage(range(4))
    whole, blocks = (
        attack_linked(release.records[:4], as_engine(release.released, block_rows=size, workers=2), links, 0.3, seed=0)
        for size in (9000, 1)
    )
    assert whole.breach_probability.tobytes() == blocks.breach_probability.tobytes()
    assert whole.estimates.tobytes() == blocks.estimates.tobytes()
    mean, axes, hidden = _hull(release.records[:4])
    residual = row_norms((release.records - mean) @ complement(row_basis(release.records[:4] - mean)))
    np.testing.assert_allclose(row_norms((release.records - mean) @ hidden), residual, atol=1e-9)
    np.testing.assert_allclose(
        whole.relative_residual[release.order],
        residual / np.sqrt(residual**2 + row_norms(mean + (release.records - mean) @ axes @ axes.T) ** 2),
        atol=1e-9,
    )


def test_on_a_table_around_a_centre_the_owners_figure_is_delivered_and_the_attackers_is_not():
    """The attacker takes hidden directions as alike; the paper's estimate, drawn and counted, tells the two apart."""
    rng = np.random.default_rng(14)
    claimed, owner, counted = [], [], []
    for seed in range(250):
        release = Release(1 + rng.standard_normal((60, 3)), rng)
        links = release.linkage([0])
        result = attack_linked(release.records[:1], release.released, links, 0.5, estimator="uniform", seed=seed)
        norms = np.empty(60)
        norms[release.order] = row_norms(release.records)
        claimed.append(result.breach_probability[release.order][1:].mean())
        owner.append(result.probability(norms=norms)[release.order][1:].mean())
        counted.append(_breached(result, release)[1:].mean())
    error = 4 * np.std(np.subtract(owner, counted)) / np.sqrt(len(counted))
    assert abs(np.mean(owner) - np.mean(counted)) <= error
    assert np.mean(claimed) > 1.2 * np.mean(owner)
