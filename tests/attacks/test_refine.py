# SPDX-License-Identifier: BSD-3-Clause
"""What any attacker does to a raw estimate: each step is a theorem, and none uses what the evidence lacks."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isobreach.attacks.refine import (
    Evidence,
    Rehearsal,
    ValueGrid,
    blind,
    can_refit,
    chosen,
    interval_guess,
    recipes,
    refined,
    refit,
    shown_grid,
    steps,
    variants,
)
from isobreach.geometry import complement, estimate_radius, haar, row_norms

SEEDS = range(8)


def _rng(seed):
    return np.random.default_rng(seed)


# --- grids


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("draw", "step"),
    [
        (lambda g: g.integers(0, 2, 20), 1.0),
        (lambda g: 7 + 5 * g.integers(0, 12, 25), 5.0),
        (lambda g: 0.25 * g.integers(-8, 9, 40), 0.25),
        (lambda g: (g.integers(0, 16, 60) - 7.3) / 2.234567, 1 / 2.234567),
        (lambda g: np.round(g.normal(size=30), 2), 0.01),
    ],
)
def test_values_on_a_grid_show_it(draw, step, seed):
    values = np.asarray(draw(_rng(seed)), dtype=float)
    grid = shown_grid(values[:, None])
    np.testing.assert_allclose(grid.step, step, rtol=1e-9)
    np.testing.assert_allclose(grid.rounded(values[:, None], np.array([-np.inf]), np.array([np.inf]))[:, 0], values)


@example(249, 7, "normal")  # seven numbers near multiples of 1e-15, as all of their size are
@given(st.integers(0, 10_000), st.integers(1, 40), st.sampled_from(["normal", "uniform", "lognormal"]))
def test_continuous_values_show_no_grid(seed, count, law):
    values = getattr(_rng(seed), law)(size=(count, 3))
    assert not shown_grid(values).there.any()


@given(st.integers(0, 10_000), st.integers(1, 40))
def test_single_precision_is_no_grid(seed, count):
    """Coarse numbers come near to multiples of many steps: chance is what tells."""
    values = _rng(seed).normal(size=(count, 3)).astype(np.float32)
    assert Evidence(known=values).steps is None


def test_a_continuous_attribute_with_many_zeros_shows_no_grid():
    """Ties alone are no grid: all values would have to repeat."""
    values = np.concatenate([np.zeros(30), _rng(0).exponential(size=20)])
    assert not shown_grid(values[:, None]).there.any()


def test_an_attribute_has_the_grid_of_the_others_where_few_records_show_another_or_none():
    records = _rng(0).integers(1, 6, (8, 12)).astype(float)
    records[:, 0] = 3  # shows none
    records[:, 1] = [1, 1, 3, 3, 5, 5, 1, 3]  # odd by chance: once in 64 such tables
    records[:, 2] = 10 * np.array([0, 1, 2, 2, 1, 0, 1, 2])  # tens are not by chance
    records[:, 3] += 0.1  # on another grid
    records[:, 4] = [1, 1, 5, 1, 5, 1, 5, 5]  # two values always lie on a grid of their own
    assert shown_grid(records).step[[0, 1, 2, 4, 5]].tolist() == [1, 1, 10, 1, 1]
    own = shown_grid(records)
    np.testing.assert_allclose(own.rounded(records, -np.inf, np.inf), records)
    many = np.tile(records, (4, 1))
    assert shown_grid(many).step[[0, 1, 2, 4]].tolist() == [1, 2, 10, 4]


def test_a_continuous_attribute_has_no_grid_beside_others_that_have():
    records = _rng(0).integers(0, 2, (12, 5)).astype(float)
    records[:, 0] = _rng(1).normal(size=12)
    records[:, 1] = 0.5  # of all 12, and not on the grid of the others
    assert np.isnan(shown_grid(records).step[:2]).all()
    assert (shown_grid(records).step[2:] == 1).all()


def test_a_divisor_that_few_values_share_by_chance_is_no_step():
    """3, 7 and 11, once each, are whole numbers; their common divisor 4 is chance."""
    assert shown_grid(np.array([[3.0], [7.0], [11.0]])).step == 1
    assert shown_grid(np.repeat([[3.0], [7.0], [11.0]], 2, axis=0)).step == 4


def test_single_precision_shows_its_grid_too():
    values = (0.1 * _rng(0).integers(0, 30, (50, 1))).astype(np.float32)
    grid = Evidence(known=values).steps
    np.testing.assert_allclose(grid.step, 0.1, rtol=1e-5)


@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(-50, 50))
def test_rounding_within_half_a_step_is_exact(seed, step, offset):
    rng = _rng(seed)
    truth = offset + step * rng.integers(-20, 21, (30, 4))
    grid = ValueGrid(np.full(4, step), np.full(4, offset))
    off = truth + step * rng.uniform(-0.499, 0.499, truth.shape)
    exact = variants(off, Evidence(grid=grid))["rounded"]
    np.testing.assert_allclose(exact, truth, rtol=0, atol=1e-9 * (step + abs(offset)))


def test_rounding_stays_within_the_ranges():
    """The nearest point of the grid within the range, not the range's end where that is off the grid."""
    evidence = Evidence(grid=ValueGrid(np.array([2.0]), np.array([1.0])), bounds=np.array([[0.0, 6.5]]))
    assert variants(np.array([[-9.0], [3.4], [6.4], [99.0]]), evidence)["rounded"].ravel().tolist() == [1, 3, 5, 5]


# --- ranges


@given(st.integers(0, 10_000))
def test_clipping_never_increases_an_error_where_the_truth_is_inside(seed):
    rng = _rng(seed)
    bounds = np.sort(rng.normal(size=(5, 2)), axis=1)
    truth = bounds[:, 0] + rng.random((40, 5)) * np.ptp(bounds, axis=1)
    raw = truth + rng.normal(size=truth.shape)
    assert (np.abs(variants(raw, Evidence(bounds=bounds))["clipped"] - truth) <= np.abs(raw - truth) + 1e-12).all()


def test_ends_are_believed_where_few_records_can_lie_beyond():
    """Two records on an end show it; one alone does so on a short grid only, or moved out if records are many."""
    values = np.concatenate([[0.0, 0.0], np.sqrt(np.arange(2, 40))])
    low, high = (end.item() for end in Evidence(known=values[:, None]).ranges)
    assert (low, high) == (0.0, values.max() + values.max() / 39)
    low, high = (end.item() for end in Evidence(known=values[:8, None]).ranges)
    assert (low, high) == (0.0, np.inf)
    given = Evidence(known=values[:8, None], bounds=np.array([[-np.inf, 9.0]])).ranges
    assert [end.item() for end in given] == [0.0, 9.0]
    low, high = (end.item() for end in Evidence(known=np.array([[1.0], [1], [2], [3], [3], [5]])).ranges)
    assert (low, high) == (1.0, 5.0)


def test_one_value_that_few_records_share_is_no_range():
    """Two insiders who spend nothing on travel do not show that nobody does; two hundred do."""
    few, many = (Evidence(known=np.column_stack([np.zeros(size), np.arange(size)])).ranges for size in (2, 200))
    assert (few[0][0], few[1][0]) == (-np.inf, np.inf)
    assert (many[0][0], many[1][0]) == (0.0, 0.0)


@pytest.mark.parametrize("law", ["normal", "exponential", "uniform"])
def test_few_records_lie_outside_of_the_ranges_that_a_sample_shows(law):
    outside = []
    for seed in SEEDS:
        records = getattr(_rng(seed), law)(size=(1120, 6))
        low, high = Evidence(sample=records[:120]).ranges
        outside.append(((records < low) | (records > high)).any(axis=1)[120:].mean())
    assert np.mean(outside) < 0.1, outside


# --- lengths and directions


@pytest.mark.parametrize("seed", SEEDS)
def test_no_other_length_breaches_more(seed):
    """The length lemma, for posteriors of a direction that are not symmetric: brute force over lengths."""
    rng = _rng(seed)
    n, epsilon = int(rng.integers(2, 7)), float(rng.uniform(0.1, 0.9))
    posterior = rng.normal(size=(4000, n)) * np.exp(rng.normal(size=n)) + rng.normal(size=n)
    norm = 3.0
    records = norm * posterior / row_norms(posterior)[:, None]
    raw = posterior.mean(axis=0)
    best = variants(raw[None], Evidence(norms=np.array([norm]), epsilon=epsilon))["length"][0]

    def breached(estimate):
        return (row_norms(records - estimate) <= epsilon * norm * (1 + 1e-12)).sum()

    assert breached(best) >= max(breached(raw / np.linalg.norm(raw) * length) for length in np.linspace(0, 6, 121))


def _visible(rng, n, k):
    return np.linalg.qr(rng.normal(size=(n, k)))[0]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("translated", [False, True])
def test_no_other_hidden_length_in_a_direction_breaches_more(seed, translated):
    """The aim's closed form against a grid of hidden parts q = s g - epsilon^2 G, for hidden parts on a sphere."""
    rng = _rng(seed)
    n, k, epsilon = 6, int(rng.integers(1, 4)), float(rng.uniform(0.2, 0.8))
    basis = _visible(rng, n, k)
    hidden = complement(basis)
    centre = rng.normal(size=n) if translated else np.zeros(n)
    across = hidden @ (hidden.T @ centre)
    foot, d = centre + basis @ rng.normal(size=k), 2.0
    parts = rng.normal(size=(5000, n - k)) + 0.7 * rng.normal(size=n - k)
    records = foot + d * (parts / row_norms(parts)[:, None]) @ hidden.T
    direction = hidden @ haar(n - k, rng)[:, 0]
    evidence = Evidence(
        sample=rng.normal(size=(40, n)),
        visible=basis,
        centre=centre if translated else None,
        residuals=np.array([d]),
        epsilon=epsilon,
    )
    best = steps.aimed((foot + direction)[None], evidence)[0]

    def breached(estimate):
        return (row_norms(records - estimate) <= epsilon * row_norms(records) * (1 + 1e-12)).sum()

    others = [foot + s * direction - epsilon**2 * across for s in np.linspace(0, 5, 201)]
    assert breached(best) >= max(breached(other) for other in others)


@pytest.mark.parametrize("seed", SEEDS)
def test_outwards_is_the_radius_of_the_theory(seed):
    rng = _rng(seed)
    n, k, epsilon = 5, 2, 0.3
    basis, centre = _visible(rng, n, k), rng.normal(size=n)
    feet = centre + rng.normal(size=(30, k)) @ basis.T
    d = rng.uniform(0.1, 3, 30)
    across = centre - basis @ (basis.T @ centre)
    evidence = Evidence(visible=basis, centre=centre, residuals=d, epsilon=epsilon)
    got = variants(feet, evidence)["outward"]
    g = np.linalg.norm(across)
    radius = estimate_radius(d, np.hypot(row_norms(feet), d), epsilon, "optimal", offset=np.asarray(g))
    uncertain = d**2 - epsilon**2 * (row_norms(feet) ** 2 + d**2) + (epsilon**2 * g) ** 2 > 0
    np.testing.assert_allclose(got[uncertain], (feet + radius[:, None] * across / g)[uncertain], atol=1e-9)
    assert uncertain.any()


def test_where_a_breach_is_certain_every_hidden_direction_is_breached():
    rng = _rng(1)
    basis, centre, epsilon, d = _visible(rng, 5, 2), 4 * rng.normal(size=5), 0.5, 0.8
    hidden = complement(basis)
    parts = rng.normal(size=(2000, 3))
    records = centre + d * (parts / row_norms(parts)[:, None]) @ hidden.T
    evidence = Evidence(visible=basis, centre=centre, residuals=np.array([d]), epsilon=epsilon)
    guess = variants(centre[None], evidence)["outward"]
    assert (row_norms(records - guess) <= epsilon * row_norms(records)).all()


# --- regression


def _correlated(rng, m, n, factors=3):
    return rng.normal(size=(m, factors)) @ rng.normal(size=(factors, n)) + 0.5 * rng.normal(size=(m, n)) + 2


@pytest.mark.parametrize("translated", [False, True])
def test_regression_from_a_sample_beats_the_foot(translated):
    """Expected squared error falls on correlated tables: by a quarter at least, in every one of eight."""
    ratios = []
    for seed in SEEDS:
        rng = _rng(seed)
        n, k = 12, 5
        records = _correlated(rng, 900, n)
        sample, others = records[:300], records[300:]
        basis = _visible(rng, n, k)
        centre = records[0] if translated else np.zeros(n)
        feet = centre + (others - centre) @ basis @ basis.T
        evidence = Evidence(sample=sample, visible=basis, centre=centre if translated else None)
        found = variants(feet, evidence)
        np.testing.assert_allclose((found["regression"] - found["foot"]) @ basis, 0, atol=1e-9)
        ratios.append(((found["regression"] - others) ** 2).sum() / ((feet - others) ** 2).sum())
    assert max(ratios) < 0.75, ratios


def test_regression_of_unrelated_attributes_does_no_harm():
    """Where nothing visible predicts the hidden part, leaving one out chooses next to the mean."""
    for seed in SEEDS:
        rng = _rng(seed)
        records = rng.normal(size=(1000, 10))
        basis = np.eye(10)[:, :4]
        evidence = Evidence(sample=records[:60], visible=basis)
        got = variants(records[60:] @ basis @ basis.T, evidence)["regression"]
        assert ((got - records[60:]) ** 2).sum() / (records[60:, 4:] ** 2).sum() < 1.1


def test_under_noise_regression_shrinks_what_is_visible():
    ratios = []
    for seed in SEEDS:
        rng = _rng(seed)
        records = _correlated(rng, 900, 8)
        noisy = records + 0.8 * rng.normal(size=records.shape)
        evidence = Evidence(known=records[:60], visible=np.eye(8), noise=0.8)
        got = variants(noisy, evidence)["regression"]
        ratios.append(((got - records)[60:] ** 2).sum() / ((noisy - records)[60:] ** 2).sum())
    assert max(ratios) < 0.9, ratios


# --- the blind guess


def test_the_interval_guess_is_the_best_one():
    """No other guess is within the tolerance of more of the attacker's values."""
    for seed in SEEDS:
        rng = _rng(seed)
        values = np.stack([rng.exponential(size=80), rng.integers(0, 4, 80), rng.normal(size=80)], axis=1)
        tolerance = np.array([0.2, 0.3, 0.5])
        guess = interval_guess(Evidence(known=values[:30], sample=values[30:]), tolerance)
        for j in range(3):
            within = [(np.abs(values[:, j] - other) <= tolerance[j] + 1e-9).sum() for other in np.linspace(-3, 6, 2001)]
            assert (np.abs(values[:, j] - guess[j]) <= tolerance[j] + 1e-9).sum() >= max(within)


def test_blind_guesses():
    records = np.array([[0.0, 1.0], [0.0, 2.0], [5.0, 2.0], [0.0, 2.0]])
    guesses = blind(Evidence(known=records[:2], sample=records[2:]))
    assert guesses["mean"].tolist() == [1.25, 1.75]
    assert guesses["median"].tolist() == [0.0, 2.0]
    assert guesses["most common value"].tolist() == [0.0, 2.0]
    assert guesses["typical record"].tolist() == [0.0, 2.0]
    assert blind(Evidence()) == {}
    partial = np.array([[1.0, np.nan], [3.0, 4.0]])
    assert blind(Evidence(known=partial))["mean"].tolist() == [2.0, 4.0]


def test_attributes_that_were_not_read_are_guessed():
    raw = np.array([[1.0, np.nan], [2.0, np.nan]])
    got = variants(raw, Evidence(sample=np.array([[0.0, 3.0], [9.0, 5.0]] * 2)))["clipped"]
    assert got[:, 1].tolist() == [4.0, 4.0]


# --- directions of whole numbers


def _directions(whole):
    return whole / np.linalg.norm(whole, axis=1, keepdims=True)


WHOLE = {
    "0/1": lambda rng: np.maximum((rng.random((300, 10)) < 0.3).astype(float), np.eye(10)[rng.integers(0, 10, 300)]),
    "answers": lambda rng: rng.integers(1, 6, (300, 8)).astype(float),
    "signed": lambda rng: np.where(np.eye(7)[rng.integers(0, 7, 300)] > 0, 1.0, rng.integers(-2, 3, (300, 7))),
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_direction_near_that_of_whole_numbers_becomes_exact(kind, dtype):
    """Lengths are not released: the multiple that is nearest to whole numbers is found all the same."""
    for seed in SEEDS:
        rng = _rng(seed)
        records = _directions(WHOLE[kind](rng))
        evidence = Evidence(known=records[:40].astype(dtype), noise=0.01)
        raw = records[40:] + 0.01 * rng.normal(size=records[40:].shape)
        got = variants(raw, evidence)["rounded direction"]
        assert np.isclose(got, records[40:], atol=1e-12).all(axis=1).mean() > 0.97, (kind, seed)
        np.testing.assert_allclose(row_norms(got), 1)


def _rays_followed(rays, estimates, noise):
    """The kernel in NumPy: for every length the likelier value below or above, then the posterior over lengths."""
    columns, choices, costs = np.arange(len(rays.low)), [], []
    for length in rays.lengths:
        below = np.floor(np.clip(estimates * length, rays.low, rays.high))
        below = np.minimum(below, np.maximum(rays.high - 1, rays.low))
        several = [below, np.minimum(below + 1, rays.high)]
        priors = [rays.credit[columns, (one - rays.low).astype(int)] for one in several]
        lower, upper = (
            (estimates - one / length) ** 2 / (2 * noise**2) - c for one, c in zip(several, priors, strict=True)
        )
        whole = np.where(lower <= upper, several[0], several[1])
        prior = np.where(lower <= upper, priors[0], priors[1]).sum(axis=1)
        norms = np.linalg.norm(whole, axis=1)
        choices.append(whole / np.maximum(norms, 1e-300)[:, None])
        missed = ((estimates - choices[-1]) ** 2).sum(axis=1) / (2 * noise**2)
        costs.append(np.where(norms > 0, missed - prior, np.inf))
    weights = np.exp(np.min(costs, axis=0) - costs)
    mean = np.einsum("li,lij->ij", weights / weights.sum(axis=0), choices)
    best = np.argmin(costs, axis=0)
    return np.array(choices)[best, np.arange(len(best))], mean, np.min(costs, axis=0)


@pytest.mark.parametrize("kind", WHOLE)
def test_the_kernel_of_directions_is_the_formula(kind):
    for seed in SEEDS:
        rng = _rng(seed)
        records = _directions(WHOLE[kind](rng))
        rays = Evidence(known=records[:60]).rays
        raw = records[60:] + 0.2 * rng.normal(size=records[60:].shape)
        for noise in (0.05, 0.2):
            found, mean, least = _rays_followed(rays, raw, noise)
            np.testing.assert_allclose(rays.likely(raw, noise)[0], found, atol=1e-12)
            np.testing.assert_allclose(rays.likely(raw, noise)[1], least, rtol=1e-9)
            np.testing.assert_allclose(rays.expected(raw, noise), mean, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_continuous_directions_and_records_with_lengths_are_no_rays(seed):
    rng = _rng(seed)
    assert Evidence(known=_directions(rng.normal(size=(30, 5)))).rays is None
    assert Evidence(known=_directions(rng.normal(size=(30, 5))).astype(np.float32)).rays is None
    sparse = rng.exponential(size=(30, 8)) * (rng.random((30, 8)) < 0.3) + np.eye(8)[rng.integers(0, 8, 30)]
    assert Evidence(known=_directions(sparse)).rays is None
    assert Evidence(known=np.eye(5)[rng.integers(0, 5, 30)]).rays is None  # one entry each: any direction is a ray
    whole = WHOLE["answers"](rng)
    assert Evidence(known=whole).rays is None
    assert Evidence(known=_directions(whole)[:1]).rays is None


def test_directions_of_whole_numbers_give_the_motion_better_than_links():
    """As values on a grid do: fitted again to all rows, more directions become exact, on every seed."""
    shares = []
    for seed in SEEDS:
        rng = _rng(seed)
        records = _directions(WHOLE["0/1"](rng))
        rotation, noise = haar(10, rng), 0.12
        rows = records @ rotation.T + noise * rng.normal(size=records.shape)
        evidence = Evidence(known=records[:16], noise=noise)
        turned = np.linalg.svd(rows[:16].T @ records[:16])
        start = rows @ turned[0] @ turned[2]
        found = refit([start], rows, evidence, np.arange(16), records[:16], translates=False)
        both = variants(start, evidence)["rounded direction"], found.likely(rows)
        shares.append([np.isclose(one[16:], records[16:], atol=1e-9).all(axis=1).mean() for one in both])
    links, refitted = np.array(shares).T
    assert (refitted > links).all(), shares
    assert refitted.mean() > links.mean() + 0.05, shares


# --- the nearest record


@pytest.mark.parametrize("translated", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_nearest_linked_record_is_that_of_the_nearest_row(seed, translated):
    """Distances are kept, hidden part or not: the foot and the residual tell them all."""
    rng = _rng(seed)
    records = rng.normal(size=(60, 6)) + 2
    links = records[:4]
    centre = links.mean(axis=0) if translated else np.zeros(6)
    basis = np.linalg.svd(links - centre)[2][: 3 if translated else 4].T
    feet = centre + (records - centre) @ basis @ basis.T
    evidence = Evidence(
        known=links, visible=basis, centre=centre if translated else None, residuals=row_norms(records - feet)
    )
    got = variants(feet, evidence)["nearest record"]
    apart = np.linalg.norm(records[:, None] - links, axis=2)
    np.testing.assert_array_equal(got, links[apart.argmin(axis=1)])


def test_under_noise_the_frequent_record_is_the_likelier_one():
    sample = np.array([[0.0, 0.0]] * 20 + [[1.0, 0.0]])
    raw = np.array([[0.55, 0.0], [0.95, 0.0]])
    near, noisy = (variants(raw, Evidence(sample=sample, noise=noise))["nearest record"] for noise in (0.0, 0.3))
    assert near.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert noisy.tolist() == [[0.0, 0.0], [1.0, 0.0]]


# --- combinations and the choice


def test_nothing_is_done_without_knowledge():
    assert recipes(Evidence()) == {}
    raw = _rng(0).normal(size=(5, 3))
    assert refined(raw, Evidence()) is not None
    np.testing.assert_array_equal(refined(raw, Evidence()), raw)


FULL = {
    "known": np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 2.0, 2.0]] * 3),
    "sample": np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 2.0, 2.0]] * 3),
    "bounds": np.tile([0.0, 2.0], (3, 1)),
    "norms": np.full(6, 2.0),
    "noise": 0.2,
    "visible": np.eye(3)[:, :2],
    "centre": np.ones(3),
    "residuals": np.full(6, 0.5),
}
NEEDS = {
    "rounded": {"known", "sample"},
    "nearest record": {"known", "sample"},
    "mean direction": {"known", "sample"},
    "middle direction": {"known", "sample", "bounds"},
    "likely values": {"known", "sample"},
    "clipped": {"known", "sample", "bounds"},
    "regression": {"known", "sample"},
    "outward": {"residuals"},
    "foot": {"visible"},
}


@given(st.sets(st.sampled_from(sorted(FULL))))
def test_a_step_is_taken_only_where_its_knowledge_is_there(held):
    evidence = Evidence(**{name: FULL[name] for name in held})
    found = variants(_rng(0).normal(size=(6, 3)), evidence)
    for name, values in found.items():
        assert np.isfinite(values).all()
        for step, needs in NEEDS.items():
            if step in name:
                assert needs & held, name
        if "regression" in name or "outward" in name:
            assert "visible" in held
        if "length" in name:
            assert {"norms", "residuals"} & held
        if name in ("mean direction", "middle direction"):
            assert "norms" in held
            np.testing.assert_allclose(row_norms(values), 2 * np.sqrt(0.99))
        if "likely" in name:
            assert "noise" in held


def test_a_grid_as_fine_as_its_rounding_errors_is_no_list_of_values():
    """Directions of 0/1 records have few values and a step of 1e-15: too many to count how often each occurs."""
    bits = (_rng(0).random((40, 12)) < 0.25).astype(float)
    bits[:, 0] = 1
    known = bits / np.linalg.norm(bits, axis=1, keepdims=True)
    raw = known + 0.01
    for values in variants(raw, Evidence(known=known, noise=0.05)).values():
        np.testing.assert_allclose(values, raw, atol=0.3)


def test_the_nearest_record_is_taken_only_where_rehearsals_say_so():
    """Of three continuous records nothing else follows: without rehearsals the estimate stays as it is."""
    raw, known = _rng(0).normal(size=(5, 4)), _rng(1).normal(size=(3, 4))
    np.testing.assert_array_equal(refined(raw, Evidence(known=known)), raw)
    copies = [Rehearsal(one, {"": one + 1, "nearest record": one}) for one in known]
    assert len(np.unique(np.vstack([known, refined(raw, Evidence(known=known), copies)]), axis=0)) == 3


def test_rehearsals_choose_the_variant():
    """Every allowed step by default; another variant where it breaches two known records more."""
    rng = _rng(0)
    truth = rng.integers(0, 5, (60, 4)).astype(float)
    raw = truth + rng.uniform(-0.4, 0.4, truth.shape)
    evidence = Evidence(known=truth[:30], epsilon=0.05)
    rehearsals = [Rehearsal.of(truth[i], raw[i], evidence) for i in range(30)]
    for rehearsed in ((), rehearsals):
        np.testing.assert_allclose(refined(raw, evidence, rehearsed), np.clip(np.rint(raw), 0, 4))
    wrong = [Rehearsal(truth[i] + 0.3, {"": truth[i] + 0.3, "rounded": truth[i]}) for i in range(3)]
    assert [chosen(wrong[:count], ["", "rounded"], "rounded", 0.01) for count in range(4)] == ["rounded"] * 2 + [""] * 2


# --- the motion fitted again


@pytest.mark.parametrize("translated", [False, True])
def test_the_grid_of_all_rows_gives_the_motion_better_than_links(translated):
    """From a motion that is off by as much as a few links leave, to nearly the one that all true pairs would give."""
    errors = []
    for seed in SEEDS:
        rng = _rng(seed)
        records = rng.integers(1, 6, (600, 6)).astype(float)
        rotation = haar(6, rng)
        rows = records @ rotation.T + 0.2 * rng.normal(size=records.shape) + (4.0 if translated else 0.0)
        off = haar(6, rng)
        near = np.linalg.svd(rotation + 0.1 * off)[0] @ np.linalg.svd(rotation + 0.1 * off)[2]
        evidence = Evidence(known=records[:12], noise=0.2)
        start = (rows - (4.0 if translated else 0.0)) @ near
        found = refit([start], rows, evidence, np.arange(12), records[:12], translates=translated)
        errors.append(np.linalg.norm(found.matrix - rotation) / np.linalg.norm(near - rotation))
        got = found.likely(rows)
        assert (got == records).all(axis=1).mean() > (evidence.steps.rounded(start, *evidence.ranges) == records).all(
            axis=1
        ).mean()
    assert max(errors) < 0.35, errors


def test_nothing_is_fitted_again_without_a_grid():
    assert not can_refit(Evidence(known=_rng(0).normal(size=(40, 3))))
    assert not can_refit(Evidence())
    assert can_refit(Evidence(known=np.repeat([[0.0, 0.1], [1.0, 0.7]], 3, axis=0)))


# --- lists


def _choices(rng, size, groups=3, categories=3):
    chosen = rng.integers(0, categories, (size, groups))
    return np.eye(categories)[chosen].reshape(size, -1)


def _permutations(rng, size):
    return rng.permuted(np.tile(np.arange(1.0, 7), (size, 1)), axis=1)


def _columns(evidence):
    return [part.columns.tolist() for part in evidence.lists]


@pytest.mark.parametrize("seed", SEEDS)
def test_records_show_arrangements_that_always_hold(seed):
    """Between other columns too; and not from so few records that independent columns might have shown them."""
    rng = _rng(seed)
    records = np.column_stack(
        [rng.normal(size=40), _choices(rng, 40, 2), rng.integers(0, 2, 40), _permutations(rng, 40)]
    )
    assert _columns(Evidence(known=records)) == [[1, 2, 3], [4, 5, 6], [8, 9, 10, 11, 12, 13]]
    assert _columns(Evidence(known=records[:3])) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_that_depend_on_each_other_show_their_combinations(seed):
    """Standardised categories, and answers coded as "at least 1", "at least 2", ..., between independent columns."""
    rng = _rng(seed)
    groups, answers = _choices(rng, 150, 2, 4), rng.integers(0, 4, 150)
    levels = (answers[:, None] > np.arange(3)).astype(float)
    records = np.column_stack([rng.integers(0, 2, 150), groups, rng.integers(0, 2, 150), levels, rng.normal(size=150)])
    records = (records - records.mean(axis=0)) / records.std(axis=0)
    evidence = Evidence(known=records, noise=0.1)
    assert sorted(_columns(evidence)) == [[1, 2, 3, 4], [5, 6, 7, 8], [10, 11, 12]]
    near = records + 0.4 * rng.uniform(-1, 1, records.shape)
    np.testing.assert_allclose(steps.likely(near, evidence)[:, 1:9], records[:, 1:9])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.integers(0, 2, (200, 8)),
        lambda rng: rng.integers(1, 6, (200, 8)),
        lambda rng: rng.normal(size=(200, 8)),
        lambda rng: np.where(rng.random((200, 8)) < 0.5, 0.0, rng.normal(size=(200, 8))),
        lambda rng: np.round(rng.normal(size=(40, 8)), 2),
        lambda rng: rng.random((30, 12)) < 0.25,
        lambda rng: rng.random((300, 12)) < 0.1,
    ],
    ids=["bits", "answers", "continuous", "many zeros", "rounded", "few sparse bits", "sparse bits"],
)
def test_other_records_show_no_list(draw, seed):
    assert _columns(Evidence(known=np.asarray(draw(_rng(seed)), dtype=float))) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_uneven_values_that_repeat_are_a_list(seed):
    """And estimates nearer to one of them than to any other become exact."""
    rng = _rng(seed)
    values = np.array([0.99, 2.45, 4.9, 9.75, 19.99])
    truth = rng.choice(values, (60, 4))
    evidence = Evidence(known=truth, noise=0.05)
    assert _columns(evidence) == [[0], [1], [2], [3]]
    np.testing.assert_array_equal(steps.likely(truth + rng.uniform(-0.7, 0.7, truth.shape), evidence), truth)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("draw", [_choices, _permutations])
def test_the_likeliest_arrangement_is_taken(draw, seed):
    """Where all orders are as likely, none is nearer. Posterior means come nearer to those over all orders than means
    of each attribute alone."""
    rng = _rng(seed)
    held = draw(rng, 20_000)
    estimates = held[:50] + 0.5 * rng.normal(size=(50, held.shape[1]))
    for part in Evidence(known=held).lists:
        own, orders = estimates[:, part.columns], np.array([*permutations(np.sort(held[0, part.columns]))])
        apart = ((own[:, None] - orders) ** 2).sum(axis=2)
        found = ((own - part.likely(own, 0.05)) ** 2).sum(axis=1)
        np.testing.assert_allclose(found, apart.min(axis=1), atol=0.01)
        weights = np.exp((apart.min(axis=1, keepdims=True) - apart) / (2 * 0.5**2))
        means = weights @ orders / weights.sum(axis=1, keepdims=True)
        values = np.unique(orders)
        each = np.exp(-((own[:, :, None] - values) ** 2) / (2 * 0.5**2))
        alone = each @ values / each.sum(axis=2)
        assert np.abs(part.expected(own, 0.5, 0.0)[0] - means).mean() < 0.7 * np.abs(alone - means).mean()


@pytest.mark.parametrize("draw", [_choices, _permutations])
def test_arrangements_of_all_rows_give_the_motion_better_than_links(draw):
    for seed in SEEDS:
        rng = _rng(seed)
        records = draw(rng, 500)
        rotation, noise = haar(records.shape[1], rng), 0.25 if records.max() == 1 else 0.45
        rows = records @ rotation.T + noise * rng.normal(size=records.shape)
        inner, _, outer = np.linalg.svd(rows[:24].T @ records[:24])
        evidence, start = Evidence(known=records[:24], noise=noise), rows @ inner @ outer
        found = refit([start], rows, evidence, np.arange(24), records[:24], translates=False).likely(rows)
        alone = steps.rounded(start, evidence)
        best = steps.likely(rows @ rotation, evidence)
        hits = [(guess == records).all(axis=1).mean() for guess in (alone, found, best)]
        assert hits[1] > hits[0] + 0.1, hits
        assert hits[1] > hits[2] - 0.05, hits
