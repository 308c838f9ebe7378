# SPDX-License-Identifier: BSD-3-Clause
"""The parts of an alignment: frames, densities, likelihoods and their gradients, descents on rotations."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from effort import slow
from isobreach.attacks.alignment.certificate import certificate
from isobreach.attacks.alignment.components import components
from isobreach.attacks.alignment.covariance import Explorer, Quadratic
from isobreach.attacks.alignment.descent import Evaluations, descend, moved
from isobreach.attacks.alignment.estimating import Estimating, Within
from isobreach.attacks.alignment.frames import Pose, frame_of, polar
from isobreach.attacks.alignment.marginals import Marginals
from isobreach.attacks.alignment.mixture import Mixture, MixtureRecipe, Whitening, fit_density, fitted
from isobreach.attacks.alignment.naming import named
from isobreach.attacks.alignment.placing import Placing, information
from isobreach.attacks.alignment.planes import shared_values
from isobreach.attacks.alignment.reflections import Mirrors, reflected
from isobreach.attacks.alignment.starts import principal_axes, starts
from isobreach.engine import ONE_BLAS_THREAD
from oracles import rotation


def population(rng, rows, n=5):
    """Three skew clusters."""
    centres = 3 * np.random.default_rng(1).standard_normal((3, n))
    shapes = np.random.default_rng(2).standard_normal((3, n, n)) / 2
    which = rng.integers(0, 3, rows)
    return centres[which] + np.einsum("ri,rij->rj", rng.exponential(1, (rows, n)), shapes[which])


def placing(rng, *, translates=False, noise=0.0, links=2, n=5):
    records = population(rng, 300, n)
    matrix = rotation(n, rng)
    rows = records[100:] @ matrix.T + (rng.standard_normal(n) if translates else 0)
    rows = rows + noise * rng.standard_normal(rows.shape)
    frame = frame_of(records[100 : 100 + links], rows[:links], rows, records[:100], translates=translates, noise=noise)
    if noise:
        frame = frame.loosened(records[100 : 100 + links], rows[:links], noise, translates)
    density = fit_density(rows, rng)
    told = information(frame, density.whitening, density.mixture, rows, 100)
    return Placing(frame, density.whitening, density.mixture, records[:100], 100, told), records, rows, matrix


def test_a_mixture_is_the_sum_of_its_normal_densities():
    rng = np.random.default_rng(0)
    shapes = rng.standard_normal((3, 4, 6))
    mixture = Mixture(np.array([0.2, 0.3, 0.5]), rng.standard_normal((3, 4)), shapes @ shapes.transpose(0, 2, 1))
    rows = rng.standard_normal((50, 4))
    parts = [multivariate_normal(m, s).pdf(rows) for m, s in zip(mixture.means, mixture.covariances, strict=True)]
    expected = np.log(mixture.weights @ np.array(parts)) + 2 * np.log(2 * np.pi)
    assert mixture.log_density(rows) == pytest.approx(expected)
    level, score = mixture.scored(rows)
    assert level == pytest.approx(expected)
    steps = 1e-6 * np.eye(4)
    slopes = [(mixture.log_density(rows + one) - mixture.log_density(rows - one)) / 2e-6 for one in steps]
    assert score == pytest.approx(np.array(slopes).T, abs=1e-6)


def test_em_never_lowers_the_likelihood_of_unshrunk_mixtures():
    rng = np.random.default_rng(0)
    rows = Whitening.of(population(rng, 500))(population(rng, 500))
    recipe = MixtureRecipe(4, pseudo_rows=0.0, ridge=0.0)
    levels = [fitted(rows, recipe, np.random.default_rng(3), rounds).log_density(rows).mean() for rounds in range(1, 8)]
    assert (np.diff(levels) >= -2e-2).all()  # weights have a pseudo-count each
    assert levels[-1] > levels[0]


def test_a_blurred_mixture_is_that_of_rows_with_noise():
    rng = np.random.default_rng(0)
    mixture = fitted(rng.standard_normal((300, 3)), MixtureRecipe(2), rng)
    point, noise = np.zeros((1, 3)), 0.7 * rng.standard_normal((200_000, 3))
    sampled = np.exp(mixture.log_density(point + noise)).mean()
    assert np.exp(mixture.blurred(0.49).log_density(point))[0] == pytest.approx(sampled, rel=0.02)


@pytest.mark.parametrize(
    ("translates", "noise", "links"), [(False, 0, 2), (True, 0, 0), (True, 0.1, 3), (False, 0.1, 2)]
)
def test_the_gradient_is_that_of_the_value(translates, noise, links):
    rng = np.random.default_rng(0)
    objective, *_ = placing(rng, translates=translates, noise=noise, links=links)
    h = objective.frame.hidden
    offset = rng.standard_normal(h if objective.frame.floats else 0)
    pose = Pose(rotation(h, rng), offset)
    value, by_rotation, by_offset = objective.gradient(pose)
    assert value == pytest.approx(objective.value(pose))
    tangent = by_rotation @ pose.rotation.T
    expected = np.concatenate([(tangent - tangent.T)[np.triu_indices(h, 1)], by_offset])
    steps = 1e-6 * np.eye(len(expected))
    slopes = [(objective.value(moved(pose, s)) - objective.value(moved(pose, -s))) / 2e-6 for s in steps]
    assert expected == pytest.approx(np.array(slopes), abs=1e-5, rel=1e-4)


@pytest.mark.parametrize("translates", [False, True])
def test_estimates_undo_images(translates):
    rng = np.random.default_rng(0)
    objective, records, rows, matrix = placing(rng, translates=translates)
    frame = objective.frame
    pose = frame.pose_of(matrix)
    found, shift = frame.affine(pose)
    assert rows @ found + shift == pytest.approx(records[100:])
    assert found == pytest.approx(matrix)
    assert frame.matrix(frame.pose_of(found)) == pytest.approx(found)
    assert frame.hidden == (4 if translates else 3)


def test_an_exact_relation_between_attributes_is_a_link_more():
    rng = np.random.default_rng(0)
    records = population(rng, 300)
    records = np.hstack([records, records.sum(axis=1, keepdims=True) + 1])
    rows = records[100:] @ rotation(6, rng).T
    none = np.zeros((0, 6))
    assert frame_of(none, none, rows, records[:100], translates=False, noise=0).hidden == 5
    assert frame_of(none, none, rows, records[:100], translates=False, noise=0.1).hidden == 6


class Procrustes:
    """F = -<A, P>, whose minimum over O(h) is known."""

    cost = 1

    def __init__(self, target):
        self.target = target
        self.scale = np.ones(len(target) * (len(target) - 1) // 2)

    def gradient(self, pose):
        return -float((self.target * pose.rotation).sum()), -self.target, np.zeros(0)


@pytest.mark.parametrize(("translates", "links"), [(False, 2), (True, 0)])
def test_a_mirror_has_the_value_of_the_reflected_pose(translates, links):
    rng = np.random.default_rng(0)
    objective, *_ = placing(rng, translates=translates, links=links)
    h = objective.frame.hidden
    pose = Pose(rotation(h, rng), rng.standard_normal(h if objective.frame.floats else 0))
    mirrors, normal = Mirrors.of(objective, pose), rng.standard_normal(h)
    mirror = np.eye(h) - 2 * np.outer(normal, normal) / (normal @ normal)
    value, slope = mirrors.gradient(normal)
    assert value == pytest.approx(objective.value(replace(pose, rotation=mirror @ pose.rotation)))
    steps = 1e-6 * np.eye(h)
    slopes = [(mirrors.gradient(normal + s)[0] - mirrors.gradient(normal - s)[0]) / 2e-6 for s in steps]
    assert slope == pytest.approx(np.array(slopes), abs=1e-5, rel=1e-4)


@pytest.mark.parametrize("seed", [0, 1, *slow(*range(2, 8))])
def test_a_pose_that_is_wrong_by_a_reflection_is_mended(seed):
    """Whatever its mirror: no axis is near the one that is planted."""
    rng = np.random.default_rng(seed)
    objective, _, _, matrix = placing(rng, links=0)
    right, _ = descend(objective, objective.frame.pose_of(matrix), Evaluations(1000))
    normal = np.where(rng.random(5) < 0.5, -1.0, 1.0) / np.sqrt(5)
    wrong = replace(right, rotation=right.rotation - 2 * np.outer(normal, normal @ right.rotation))
    effort = Evaluations(1000)
    value, mended = reflected(objective, wrong, effort)[0]
    assert effort.used > 0
    assert value == pytest.approx(objective.value(mended))
    assert value <= objective.value(right) + 0.01
    assert mended.rotation == pytest.approx(right.rotation, abs=0.05)


@pytest.mark.parametrize("links", [0, 2])
def test_under_one_normal_density_the_likelihood_is_a_quadratic(links):
    rng = np.random.default_rng(0)
    objective, *_ = placing(rng, links=links)
    h = objective.frame.hidden
    one = Mixture(np.ones(1), np.zeros((1, 5)), np.eye(5)[None])
    normal, quadratic = replace(objective, mixture=one), Quadratic.of(objective)
    a, b = (Pose(rotation(h, rng), np.zeros(0)) for _ in range(2))
    assert quadratic.value(a) - quadratic.value(b) == pytest.approx(normal.value(a) - normal.value(b))
    assert quadratic.gradient(a)[1] == pytest.approx(normal.gradient(a)[1])


def test_exploring_signs_finds_the_best_optimum_of_a_normal_table():
    """With all signs tried by brute force."""
    rng = np.random.default_rng(0)
    shape = rng.standard_normal((5, 5))
    records = rng.standard_normal((400, 5)) @ shape + 0.5
    rows = records[100:] @ rotation(5, rng).T
    none = np.zeros((0, 5))
    frame = frame_of(none, none, rows, records[:100], translates=False, noise=0)
    density = fit_density(rows, rng)
    told = information(frame, density.whitening, density.mixture, rows, 100)
    quadratic = Quadratic.of(Placing(frame, density.whitening, density.mixture, records[:100], 100, told))
    explorer = Explorer(quadratic, rng)
    first = principal_axes((records[:100]) @ frame.hidden_x, rows @ frame.hidden_y)
    signs = [np.array(one)[:, None] for one in product([-1.0, 1.0], repeat=5)]
    best = min(explorer.descended(frame.start(first * one))[1] for one in signs)
    assert quadratic.value(explorer.explored([frame.start(first)])[0]) == pytest.approx(best, abs=1e-3)


def test_a_descent_solves_orthogonal_procrustes_problems():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        target = rotation(6, rng) @ np.diag(rng.uniform(1, 20, 6)) @ rotation(6, rng)
        best = polar(target)
        start = moved(Pose(best, np.zeros(0)), 0.5 * rng.standard_normal(15)).rotation
        effort = Evaluations(1000)
        found, value = descend(Procrustes(target), Pose(start, np.zeros(0)), effort, steps=200, gain=1e-12)
        assert found.rotation == pytest.approx(best, abs=1e-4)
        assert value == pytest.approx(-np.linalg.svd(target)[1].sum())
        assert found.rotation @ found.rotation.T == pytest.approx(np.eye(6))
        assert 5 < effort.used < 200


def test_principal_axes_of_many_records_are_those_of_the_release():
    rng = np.random.default_rng(0)
    records = rng.exponential(1, (40_000, 4)) * [1, 2, 4, 8]
    matrix = rotation(4, rng)
    assert principal_axes(records[:20_000], records[20_000:] @ matrix.T) == pytest.approx(matrix, abs=0.1)


def test_starts_are_rotations():
    rng = np.random.default_rng(0)
    objective, records, rows, _ = placing(rng)
    found = starts(objective.frame, records[:100], rows)
    assert len(found) >= 6
    for one in found:
        assert one @ one.T == pytest.approx(np.eye(3))


@pytest.mark.slow
def test_the_certificate_is_standard_normal_at_the_true_motion_and_high_elsewhere():
    levels, elsewhere = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        objective, records, rows, matrix = placing(rng, links=0)
        density, frame = fit_density(rows, rng), objective.frame
        levels.append(certificate(frame, frame.pose_of(matrix), density, records[:100]))
        elsewhere.append(certificate(frame, frame.pose_of(rotation(5, rng)), density, records[:100]))
    assert abs(np.mean(levels)) < 1.06  # three standard errors
    assert 0.4 < np.std(levels) < 1.8
    assert np.mean(np.array(elsewhere) > 3) > 0.8


def independent_rows(rng, rows=1500):
    """Independent columns of several kinds behind a rotation: records, rows, and the rotation."""
    columns = [rng.exponential(1, rows), rng.uniform(0, 5, rows), rng.exponential(3, rows) - 1, rng.laplace(0, 1, rows)]
    records, matrix = np.stack(columns, axis=1), rotation(4, rng)
    return records, records @ matrix.T, matrix


def test_components_are_the_attributes_axes_where_these_are_independent():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        _, rows, matrix = independent_rows(rng)
        overlap = np.abs(matrix.T @ components(rows, rng, Evaluations(0)))
        assert overlap.max(axis=1).min() > 0.995
        assert sorted(overlap.argmax(axis=1)) == [0, 1, 2, 3]


@pytest.mark.parametrize("translates", [False, True])
@pytest.mark.parametrize("by", ["links", "sample", "ranges"])
def test_links_a_sample_or_ranges_name_the_axes(by, translates):
    rng = np.random.default_rng(0)
    records, rows, matrix = independent_rows(rng)
    axes = matrix[:, rng.permutation(4)] * rng.choice([-1.0, 1.0], 4)
    rows = rows + (translates and rng.standard_normal(4))
    none, bounds = np.zeros((0, 4)), np.array([[0, np.inf], [0, 5], [-1, np.inf], [-np.inf, np.inf]])
    links = (records[:3], rows[:3]) if by == "links" else (none, none)
    sample = records[200:400] if by == "sample" else None
    found = named(axes, rows, links, sample, bounds if by == "ranges" else None, translates=translates)
    if by == "ranges":  # the two positive attributes look alike to them, and one has no range
        assert np.abs(found[:, 1]) == pytest.approx(np.abs(matrix[:, 1]))
        if not translates:
            assert found[:, 1] == pytest.approx(matrix[:, 1])
    else:
        assert found[:, :3] == pytest.approx(matrix[:, :3])
        assert np.abs(found[:, 3]) == pytest.approx(np.abs(matrix[:, 3]))


def test_marginals_are_densities_with_their_scores():
    rng = np.random.default_rng(0)
    values = np.stack([rng.standard_normal(4000), rng.exponential(1, 4000)], axis=1)
    marginals = Marginals.of(values)
    widths = marginals.step[:, None]
    assert (np.exp(marginals.levels) * widths).sum(axis=1) == pytest.approx(1, abs=1e-3)
    middle = np.array([[0.0, 1.0]])
    assert marginals.scored(middle)[0] == pytest.approx(-0.5 * np.log(2 * np.pi) - 1, abs=0.15)
    level, score = marginals.scored(values + 0.001)
    after, _ = marginals.scored(values + 0.001 + 1e-9 * np.array([1, 0]))
    assert (after - level) / 1e-9 == pytest.approx(score[:, 0].mean(), abs=1e-3)


@pytest.mark.parametrize("floats", [False, True])
def test_the_gradient_of_ranges_is_that_of_the_value(floats):
    rng = np.random.default_rng(0)
    _, rows, _ = independent_rows(rng, 200)
    none = np.zeros((0, 4))
    frame = frame_of(none, none, rows, None, translates=floats, noise=0)
    objective = Estimating(frame, rows, Within(np.zeros(4), np.full(4, 2.0), 1.0))
    pose = Pose(rotation(4, rng), rng.standard_normal(4 if floats else 0))
    value, by_rotation, by_offset = objective.gradient(pose)
    assert value == pytest.approx(objective.value(pose))
    tangent = by_rotation @ pose.rotation.T
    expected = np.concatenate([(tangent - tangent.T)[np.triu_indices(4, 1)], by_offset])
    steps = 1e-6 * np.eye(len(expected))
    slopes = [(objective.value(moved(pose, s)) - objective.value(moved(pose, -s))) / 2e-6 for s in steps]
    assert expected == pytest.approx(np.array(slopes), abs=1e-5)


def sparse(rng, rows, n, share=0.35):
    """Positive amounts of one size each, and zeros."""
    amounts = np.exp(rng.normal(size=(rows, 1)) + rng.normal(size=(rows, n)))
    return np.where(rng.random((rows, n)) < share, 0.0, amounts)


@pytest.mark.parametrize("shift", [0.0, 3.0])
@pytest.mark.parametrize("decimals", [None, *slow(6)])
def test_planes_of_shared_values_show_every_axis(shift, decimals):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        matrix = rotation(6, rng)
        rows = sparse(rng, 300, 6) @ matrix.T + shift
        rows, error = (rows, 0.0) if decimals is None else (rows.round(decimals), 10.0**-decimals)
        with ONE_BLAS_THREAD:
            axes = shared_values(rows, error, rng, Evaluations(0)).axes
        assert axes.shape == (6, 6)
        assert (np.abs(axes.T @ matrix).max(axis=0) > 1 - 1e-6).all()


def test_only_axes_of_shared_values_are_found():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        matrix = rotation(5, rng)
        records = np.hstack([sparse(rng, 600, 2), rng.exponential(1, (600, 3))])
        with ONE_BLAS_THREAD:
            axes = shared_values(records @ matrix.T, 0.0, rng, Evaluations(0)).axes
        assert axes.shape == (5, 2)
        assert np.abs(axes.T @ matrix[:, :2]).max(axis=0) == pytest.approx(1)


@pytest.mark.parametrize("decimals", [None, *slow(3)])
def test_records_without_shared_values_have_no_planes(decimals):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rows = population(rng, 500)
        rows, error = (rows, 0.0) if decimals is None else (rows.round(decimals), 10.0**-decimals)
        with ONE_BLAS_THREAD:
            assert shared_values(rows, error, rng, Evaluations(0)).axes.shape[1] == 0
