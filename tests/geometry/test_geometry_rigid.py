# SPDX-License-Identifier: BSD-3-Clause
"""Hidden norms and hidden positions: breach probabilities with an offset, and motions with a translation."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc, betaln
from scipy.stats import beta, kstest

from isobreach.errors import InputError
from isobreach.geometry import breach_probability, estimate_radius, fit_motions, procrustes_residual
from oracles import guess_probability, rotation, sphere_points

DRAWS = 100_000
# residual, offset, the foot's part along the hull, epsilon
CASES = [
    (1.7, 0.5, 1.5, 0.5),
    (1.7, 2.0, 0.0, 0.3),
    (1.0, 1.0, 0.0, 0.2),  # the sphere passes through the origin
    (1.0, 1.05, 0.1, 0.9),
    (1.0, 8.0, 2.0, 0.11),  # small caps become large ones
    (1.0, 8.0, 2.0, 0.115),
    (0.3, 1.0, 0.5, 0.26),  # the estimate lies on the far side: r < 0
    (0.3, 1.0, 0.5, 0.5),  # certain
    (1.0, 0.2, 0.1, 0.99),
    (1.0, 1e-9, 1.0, 0.4),
]


def _norm(d, g, along):
    return np.sqrt(g**2 + along**2 + d**2)


def _error(p, draws=DRAWS):
    return 4 * np.sqrt(p * (1 - p) / draws) + 1 / draws


def _share(w, u, d, g, along, epsilon):
    """Share of hidden parts u (rows) that estimates w breach, by the definition; the offset is the first axis."""
    record = g**2 + along**2 + d**2 + 2 * g * u[:, 0]
    return (((u - w) ** 2).sum(axis=1) <= epsilon**2 * record).mean()


@pytest.mark.parametrize("h", [1, 2, 3, 5, 16])
@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
def test_the_probability_is_the_share_of_simulated_estimates_that_breach(estimator, h):
    rng = np.random.default_rng(h)
    unit, other = sphere_points(h, DRAWS, rng), sphere_points(h, DRAWS, rng)
    for d, g, along, epsilon in CASES:
        radius = estimate_radius(d, _norm(d, g, along), epsilon, estimator, offset=g)
        w = radius * (np.eye(h)[:1] if estimator == "optimal" else other)
        claimed = breach_probability(d, _norm(d, g, along), h, epsilon, estimator, offset=g)
        assert abs(_share(w, d * unit, d, g, along, epsilon) - claimed) <= _error(claimed), (d, g, along, epsilon)


@pytest.mark.parametrize("h", [2, 3, 5, 16])
def test_no_other_estimate_beats_the_optimal_one(h):
    """Neither along the offset nor beside it."""
    u = sphere_points(h, 20_000, np.random.default_rng(h))
    for d, g, along, epsilon in CASES:
        best = breach_probability(d, _norm(d, g, along), h, epsilon, offset=g)
        for r in np.linspace(-1.2 * d, 1.2 * d, 25):
            for beside in (0.0, 0.3 * d):
                w = np.zeros((1, h))
                w[0, :2] = r, beside
                assert _share(w, d * u, d, g, along, epsilon) <= best + 1.25 * _error(
                    best, 20_000
                )  # the largest of many


@pytest.mark.parametrize("h", [2, 3, 4, 7, 16, 60, 1000, 5000])
def test_the_papers_guess_averages_over_the_hidden_norm(h):
    half = (h - 1) / 2
    for d, g, along, epsilon in CASES:
        square = _norm(d, g, along) ** 2

        def integrand(angle, d=d, g=g, epsilon=epsilon, square=square):
            c = epsilon * np.sqrt(max(square + 2 * g * d * np.cos(angle), 0.0))
            density = np.exp((h - 2) * np.log(np.sin(angle)) - betaln(half, 0.5))
            return betainc(half, half, min((c / (2 * d)) ** 2, 1.0)) * density

        kink = ((2 * d / epsilon) ** 2 - square) / (2 * g * d)
        width = min(9 / np.sqrt(h), np.pi / 2 - 1e-12)
        ends = sorted({np.pi / 2 - width, np.pi / 2, np.pi / 2 + width})
        points = [np.arccos(kink)] if abs(kink) < 1 and ends[0] < np.arccos(kink) < ends[-1] else []
        ends = sorted([*ends, *points])
        expected = sum(quad(integrand, a, b, epsabs=1e-12, limit=200)[0] for a, b in pairwise(ends))
        claimed = breach_probability(d, _norm(d, g, along), h, epsilon, "uniform", offset=g)
        assert claimed == pytest.approx(expected, abs=2e-9), (d, g, along, epsilon)


@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
def test_without_an_offset_it_is_the_orthogonal_formula_and_near_it_nearly(estimator):
    d, norms = np.array([0.1, 1.0, 3.0])[:, None, None], np.array([0.5, 2.0])[:, None]
    h = np.array([0, 1, 2, 3, 16, 999])
    for epsilon in (0.01, 0.3, 1.1, 2.5):
        plain = breach_probability(d, norms, h, epsilon, estimator)
        assert breach_probability(d, norms, h, epsilon, estimator, offset=0).tolist() == plain.tolist()
        near = breach_probability(d, norms, h, epsilon, estimator, offset=1e-14)
        np.testing.assert_allclose(near, plain, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            estimate_radius(d, norms, epsilon, estimator, offset=1e-14),
            estimate_radius(d, norms, epsilon, estimator),
            atol=2e-13,
        )


def test_two_points_are_one_half_or_certain():
    """h = 1: the record is p + d or p - d; only an estimate that reaches both is certain."""
    for g in (0.0, 0.1, 0.9, 1.0, 3.0):
        for epsilon in np.linspace(0.01, 1.2, 60):
            d, along = 1.0, 0.5
            reach = epsilon * np.hypot(along, g + d * np.array([-1, 1]))  # of the near and the far point
            claimed = breach_probability(d, _norm(d, g, along), 1, epsilon, offset=g)
            assert claimed == (1.0 if reach.sum() >= 2 * d else 0.5), (g, epsilon)


def test_certain_exactly_when_an_estimate_reaches_the_whole_sphere():
    rng = np.random.default_rng(0)
    u = sphere_points(3, 4000, rng)
    for d, g, along, epsilon in CASES:
        claimed = breach_probability(d, _norm(d, g, along), 3, epsilon, offset=g)
        r = float(estimate_radius(d, _norm(d, g, along), epsilon, offset=g))
        share = _share(r * np.eye(3)[:1], d * u, d, g, along, epsilon)
        assert (claimed == 1) == (share == 1)


HIDDEN = np.array([0, 1, 2, 3, 4, 7, 60, 1000, 5000])
RESIDUALS = np.array([0, 1e-300, 1e-12, 1e-3, 1, 1e3, 1e12, 1e150])[:, None]
FEET = np.array([0, 1e-300, 1e-12, 1, 1e12, 1e150])[:, None, None]
OFFSETS = np.array([0, 1e-300, 1e-9, 0.5, 1])[:, None, None, None]  # as a share of the foot


@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
def test_probabilities_rise_with_epsilon_and_are_never_nan(estimator):
    last = 0.0
    for epsilon in np.sort([*np.logspace(-12, 1, 14), 0.5, 0.9, 0.999, 1, 1.5, 2]):
        now = breach_probability(
            RESIDUALS, np.hypot(FEET, RESIDUALS), HIDDEN, epsilon, estimator, offset=FEET * OFFSETS
        )
        assert ((now >= 0) & (now <= 1)).all()
        assert (now >= last - 2e-11).all(), epsilon
        last = now
        radius = estimate_radius(RESIDUALS, np.hypot(FEET, RESIDUALS), epsilon, estimator, offset=FEET * OFFSETS)
        assert np.isfinite(radius).all()
        assert (radius <= RESIDUALS * (1 + 1e-12)).all()


def test_the_optimal_estimate_is_at_least_the_papers():
    for epsilon in (0.01, 0.1, 0.5, 0.9, 1, 1.7):
        optimal, uniform = (
            breach_probability(RESIDUALS, np.hypot(FEET, RESIDUALS), HIDDEN, epsilon, name, offset=FEET * OFFSETS)
            for name in ("optimal", "uniform")
        )
        assert (optimal >= uniform - 1e-11).all()


@pytest.mark.parametrize("h", [2, 3, 8, 100])
def test_the_height_of_the_cap_is_that_of_the_guess_itself(h):
    """P(u1 >= r): the share of a guess at radius r whose ball has radius sqrt(d^2 - r^2)."""
    for d, g, along, epsilon in CASES:
        r = float(estimate_radius(d, _norm(d, g, along), epsilon, offset=g))
        if 0 < r < d:
            expected = guess_probability(r, d, np.sqrt(d**2 - r**2), h)
            claimed = breach_probability(d, _norm(d, g, along), h, epsilon, offset=g)
            assert claimed == pytest.approx(expected, rel=1e-9)


def test_the_papers_equation_knows_no_offset():
    assert breach_probability(1, 1, 3, 0.5, "published", offset=0) > 0
    with pytest.raises(InputError, match="estimator must be optimal or uniform where norms are hidden"):
        breach_probability(1, 1, 3, 0.5, "published", offset=[0, 0.1])
    with pytest.raises(InputError, match="offset must be >= 0 everywhere"):
        breach_probability(1, 1, 3, 0.5, offset=-1)


# --- motions ---------------------------------------------------------------------------------------------------------


def _pairs(n, q, rng, wide=None, rank=None):
    """Linked pairs of a rigid motion into ``wide`` columns, their differences of the given rank; (x, y, M, t)."""
    wide = n if wide is None else wide
    rank = min(q - 1, n) if rank is None else rank
    motion, translation = rotation(wide, rng)[:, :n], 5 * rng.standard_normal(wide)
    known = 3 * rng.standard_normal(n) + rng.standard_normal((q, rank)) @ rotation(n, rng)[:rank]
    return known, known @ motion.T + translation, motion, translation


SHAPES = [(1, 1, 1), (3, 1, 3), (3, 2, 3), (3, 4, 3), (3, 9, 3), (4, 3, 6), (4, 5, 6), (4, 9, 7), (2, 1, 5)]


@pytest.mark.parametrize(("n", "q", "wide"), SHAPES)
def test_every_choice_is_an_isometry_that_maps_linked_records_to_their_rows(n, q, wide):
    rng = np.random.default_rng([n, q, wide])
    known, released, motion, translation = _pairs(n, q, rng, wide)
    motions = fit_motions(known, released, translates=True)
    chosen = motions.choose(rng)
    assert chosen.shape == (wide, n)
    assert motions.hidden_dimension == n - min(q - 1, n)
    assert motions.released_hidden.shape == (wide, wide - min(q - 1, n))
    np.testing.assert_allclose(chosen.T @ chosen, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(
        (known - motions.known_centre) @ chosen.T + motions.released_centre, released, atol=1e-10
    )
    if motions.hidden_dimension == 0:
        np.testing.assert_allclose(chosen, motion, atol=1e-9)
        np.testing.assert_allclose(motions.released_centre - chosen @ motions.known_centre, translation, atol=1e-8)


@pytest.mark.parametrize("repeats", [1, 2, 3, 7])
def test_equal_or_collinear_records_fix_what_they_span_and_no_more(repeats):
    rng = np.random.default_rng(repeats)
    one, released, _, _ = _pairs(4, 1, rng)
    motions = fit_motions(
        np.repeat(one * 1e3, repeats, axis=0), np.repeat(released * 1e3, repeats, axis=0), translates=True
    )
    assert motions.hidden_dimension == 4
    known, released, _, _ = _pairs(4, 2 + repeats, rng, rank=1)
    assert fit_motions(known * 1e3, released * 1e3, translates=True).hidden_dimension == 3


def test_the_base_point_does_not_matter():
    """Centred on the mean or on any one record: the same residuals and the same feet (theory, E3)."""
    rng = np.random.default_rng(0)
    known, released, motion, translation = _pairs(6, 4, rng)
    others = 3 * rng.standard_normal((20, 6))
    rows = others @ motion.T + translation
    motions = fit_motions(known, released, translates=True)
    feet = motions.known_centre + ((rows - motions.released_centre) @ motions.released) @ motions.known.T
    apart = np.linalg.norm((rows - motions.released_centre) @ motions.released_hidden, axis=1)
    for base in range(4):
        differences = np.delete(known - known[base], base, axis=0)
        axes = np.linalg.svd(differences)[2][:3]
        expected = known[base] + (others - known[base]) @ axes.T @ axes
        np.testing.assert_allclose(feet, expected, atol=1e-10)
        np.testing.assert_allclose(apart, np.linalg.norm(others - expected, axis=1), atol=1e-10)


def test_the_choice_is_uniform_in_a_wider_release():
    """The image of a hidden record is uniform on the sphere of the N - k dimensions that the links leave."""
    rng = np.random.default_rng(1)
    known, released, motion, _ = _pairs(4, 3, rng, wide=7)
    motions = fit_motions(known, released, translates=True)
    record, seen = motions.known_hidden[:, 0], motion @ motions.known_hidden[:, 0]
    cosines = np.array([seen @ motions.choose(rng) @ record for _ in range(3000)])
    assert kstest((1 + cosines) / 2, beta(2, 2).cdf).pvalue > 1e-3  # 5 dimensions


@pytest.mark.parametrize("translates", [False, True])
@pytest.mark.parametrize(
    ("n", "q", "wide"), [(1, 3, 1), (3, 2, 3), (3, 3, 3), (3, 12, 3), (5, 4, 5), (3, 2, 5), (3, 8, 5)]
)
def test_the_misfit_of_true_links_is_chi_square(n, q, wide, translates):
    rng = np.random.default_rng([n, q, wide])
    known, exact, motion, translation = _pairs(n, q, rng, wide, rank=min(q, n))
    known, sigma, draws = 10 * known, 1e-3, 400
    exact = known @ motion.T + translates * translation
    fits = [
        procrustes_residual(known, exact + sigma * rng.standard_normal(exact.shape), translates) for _ in range(draws)
    ]
    scaled, (df,) = np.array([rss for rss, _ in fits]) / sigma**2, {df for _, df in fits}
    assert procrustes_residual(known, exact, translates)[0] < 1e-18 * (exact**2).sum()
    k = min(q - translates, n)
    assert df == (q - translates) * wide - wide * k + k * (k + 1) // 2
    assert abs(scaled.mean() - df) <= 4.5 * np.sqrt(2 * df / draws)
    assert abs(scaled.var() / (2 * df) - 1) <= 4.5 * np.sqrt((2 + 12 / df) / draws)


def test_the_misfit_is_that_of_the_best_motion():
    rng = np.random.default_rng(2)
    known, released, _, _ = _pairs(3, 5, rng)
    released = released + 0.3 * rng.standard_normal(released.shape)
    best = procrustes_residual(known, released, True)[0]
    motions = fit_motions(known, released, translates=True, whiten=False)
    centred, target = known - known.mean(axis=0), released - released.mean(axis=0)
    for _ in range(200):
        turn = np.linalg.qr(np.eye(3) + 0.1 * rng.standard_normal((3, 3)))[0]
        turn = turn * np.sign(np.diag(turn))
        assert ((centred @ (motions.choose(rng) @ turn).T - target) ** 2).sum() >= best * (1 - 1e-12)
    assert procrustes_residual(known[:0], released[:0], True) == (0.0, 0)
    assert procrustes_residual(known[:1], released[:1], True) == (0.0, 0)
