# SPDX-License-Identifier: BSD-3-Clause
"""Breach probabilities: against simulated spheres, the paper's printed recursion, and every other guess."""

from math import pi, sqrt

import numpy as np
import pytest
from scipy.special import betainc

from isobreach.errors import InputError
from isobreach.geometry import ESTIMATORS, attribute_breach_probability, breach_probability, estimate_radius, sphere
from oracles import guess_probability, printed_rho, sphere_points

DRAWS = 200_000
DIMENSIONS = [1, 2, 3, 5, 16]
REACHES = [0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.999, 1.1, 1.3, 1.45, 1.7, 1.9, 1.99, 2.1]  # c / d
d, norm = 1.7, 2.3


def _epsilon(s):
    return s * d / norm


def _error(p, draws=DRAWS):
    """Four standard deviations of a share of draws, and one draw for where it is all but 0 or 1."""
    return 4 * np.sqrt(p * (1 - p) / draws) + 1 / draws


@pytest.mark.parametrize("h", DIMENSIONS)
@pytest.mark.parametrize("estimator", ["optimal", "uniform"])
def test_the_probability_is_the_share_of_simulated_estimates_that_breach(estimator, h):
    rng = np.random.default_rng(h)
    hidden, direction = d * sphere_points(h, DRAWS, rng), sphere_points(h, DRAWS, rng)
    for s in REACHES:
        estimate = estimate_radius(d, norm, _epsilon(s), estimator) * direction
        share = (np.linalg.norm(estimate - hidden, axis=1) <= s * d).mean()
        claimed = breach_probability(d, norm, h, _epsilon(s), estimator)
        assert abs(share - claimed) <= _error(claimed), s


@pytest.mark.parametrize("h", [1, 2, 3, 4, 7, 16, 60])
@pytest.mark.parametrize("s", REACHES)
def test_no_radius_beats_the_optimal_one(h, s):
    best = breach_probability(d, norm, h, _epsilon(s))
    others = [guess_probability(r, d, s * d, h) for r in np.linspace(0, 1.5 * d, 301)]
    assert max(others) <= best * (1 + 1e-12)
    assert guess_probability(float(estimate_radius(d, norm, _epsilon(s))), d, s * d, h) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("h", [2, 3, 4, 7, 16, 60, 5000])
@pytest.mark.parametrize("s", REACHES)
def test_the_papers_guess_is_one_on_the_sphere_itself(h, s):
    expected = guess_probability(d, d, s * d, h)
    assert breach_probability(d, norm, h, _epsilon(s), "uniform") == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_published_is_the_printed_recursion():
    for h in range(61):
        for s in np.linspace(0.01, 2.2, 74):
            printed = printed_rho(d, norm, h, _epsilon(s))
            assert breach_probability(d, norm, h, _epsilon(s), "published") == pytest.approx(printed, abs=1e-13), (h, s)


@pytest.mark.parametrize(("h", "printed"), [(3, pi / 8), (4, 4 / (3 * pi))])
def test_published_is_not_one_half_at_the_hemisphere_but_uniform_is(h, printed):
    """Erratum E1: 0.3927 and 0.4244 are what the printed formula gives."""
    assert breach_probability(1, 1, h, sqrt(2), "published") == pytest.approx(printed, rel=1e-12)
    assert breach_probability(1, 1, h, sqrt(2), "uniform") == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("h", [0, 1, 2])
def test_published_is_right_up_to_two_hidden_dimensions(h):
    for s in REACHES:
        uniform = breach_probability(d, norm, h, _epsilon(s), "uniform")
        assert breach_probability(d, norm, h, _epsilon(s), "published") == pytest.approx(uniform, rel=1e-12)


# Every size and every hidden dimension, from nothing hidden to far more than any table has.
HIDDEN = np.array([0, 1, 2, 3, 4, 5, 7, 16, 60, 100, 999, 1000, 4999, 5000])
RESIDUALS = np.array([0, 1e-300, 1e-12, 1e-3, 0.5, 1, 1.0000001, 1e3, 1e12, 1e300])[:, None]
NORMS = np.array([0, 1e-300, 1e-12, 1, 1e12, 1e300])[:, None, None]
EPSILONS = np.concatenate([np.logspace(-12, 1, 131), np.linspace(0.5, 2.5, 41), [1, sqrt(2), 2]])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_probabilities_rise_with_epsilon_and_are_never_nan(estimator):
    last = np.zeros((len(NORMS), len(RESIDUALS), len(HIDDEN)))
    for epsilon in np.sort(EPSILONS):
        now = breach_probability(RESIDUALS, NORMS, HIDDEN, epsilon, estimator)
        assert ((now >= 0) & (now <= 1)).all()
        assert (now >= last * (1 - 1e-12)).all(), epsilon
        last = now


def test_optimal_is_at_least_uniform_and_falls_with_the_residual_and_the_hidden_dimension():
    for epsilon in EPSILONS:
        optimal = breach_probability(RESIDUALS, NORMS, HIDDEN, epsilon)
        uniform = breach_probability(RESIDUALS, NORMS, HIDDEN, epsilon, "uniform")
        assert (optimal >= uniform * (1 - 1e-12) - 1e-300).all()
        assert (np.diff(optimal, axis=1) <= 1e-12).all()
        assert (np.diff(optimal, axis=2) <= 1e-12).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_nothing_hidden_is_a_certain_breach(estimator):
    assert breach_probability(0, [0, 1], [[0], [1], [5000]], 1e-12, estimator).tolist() == [[1, 1]] * 3
    assert breach_probability(1, 0, 0, 1e-12, estimator) == 1
    assert breach_probability(1, 0, [1, 2, 3], 1, estimator).tolist() == [0.5, 0, 0]


@pytest.mark.parametrize(("estimator", "reach"), [("optimal", 1), ("uniform", 2), ("published", 2)])
def test_from_its_reach_on_the_estimator_is_certain(estimator, reach):
    assert (breach_probability(1, 1, [1, 2, 3, 16, 5000], reach, estimator) == 1).all()
    assert (breach_probability(1, 1, [1, 2, 3], reach * 0.99, estimator) < 1).all()


def test_the_example_of_the_theory():
    assert breach_probability(1, 1, 12, 1) == 1
    assert breach_probability(1, 1, 12, 1, "uniform") == pytest.approx(0.041, abs=5e-4)


@pytest.mark.parametrize("call", [breach_probability, attribute_breach_probability])
def test_numbers_give_a_float_and_arrays_broadcast(call):
    for number in (2, 2.0, np.float32(2), np.array(2)):
        assert type(call(number, 1, 3, 0.5)) is float
    table = call(np.ones((5, 1, 1)), np.ones((4, 1)), [1, 2, 3], 0.5)
    assert table.shape == (5, 4, 3)
    assert table[0, 0].tolist() == [call(1, 1, h, 0.5) for h in (1, 2, 3)]
    assert call([], 1, 3, 0.5).shape == (0,)


@pytest.mark.parametrize("h", [1, 2, 3, 10])
@pytest.mark.parametrize("x", [0.05, 0.3, 0.6, 0.95])
def test_the_attribute_probability_is_that_of_the_best_guess(h, x):
    """Simulated: some guess reaches it and none exceeds it."""
    spread = 0.4
    reach = d * spread
    values = np.sort(reach * sphere_points(h, DRAWS, np.random.default_rng(h))[:, 0])
    guesses = np.append(np.linspace(-1, 1, 81), [1 - x, 0]) * reach
    tolerance = x * reach * (1 + 1e-9)
    ends = np.searchsorted(values, guesses + tolerance, "right"), np.searchsorted(values, guesses - tolerance, "left")
    claimed = attribute_breach_probability(d, spread, h, x * reach)
    assert abs((ends[0] - ends[1]).max() / DRAWS - claimed) <= _error(claimed) * 1.25  # the largest of 83 shares


def test_an_attribute_is_certain_when_nothing_of_it_is_hidden():
    assert attribute_breach_probability([0, 1, 1], [1, 0, 1], [3, 3, 0], 0).tolist() == [1, 1, 1]
    assert attribute_breach_probability(1, 1, [1, 2, 3, 5000], 1).tolist() == [1, 1, 1, 1]
    assert attribute_breach_probability(1, 1, [1, 2, 3, 5000], 0).tolist() == [0.5, 0, 0, 0]


@pytest.mark.parametrize("h", [0, 1, 2, 3, 10, 5000])
def test_the_attribute_probability_rises_with_the_tolerance(h):
    values = attribute_breach_probability(1, 1, h, np.concatenate([[0], np.logspace(-12, 1, 200)]))
    assert ((values >= 0) & (values <= 1)).all()
    assert (np.diff(values) >= -1e-14).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0}, "epsilon must be a finite number > 0. Got 0."),
        ({"epsilon": -1}, "epsilon must be a finite number > 0. Got -1."),
        ({"epsilon": float("nan")}, "epsilon must be a finite number > 0. Got nan."),
        ({"epsilon": float("inf")}, "epsilon must be a finite number > 0. Got inf."),
        ({"epsilon": "0.1"}, "epsilon must be a finite number > 0. Got '0.1'."),
        ({"epsilon": True}, "epsilon must be a finite number > 0. Got True."),
        ({"epsilon": None}, "epsilon must be a finite number > 0. Got None."),
        ({"residual": [1, -1]}, "residual must be >= 0 everywhere. Got a negative number or NaN."),
        ({"norm": np.nan}, "norm must be >= 0 everywhere. Got a negative number or NaN."),
        ({"hidden_dimension": -1}, "hidden_dimension must be >= 0 everywhere. Got a negative number or NaN."),
        ({"hidden_dimension": 1.5}, "hidden_dimension must be a whole number >= 0. Got a fraction or infinity."),
        ({"hidden_dimension": np.inf}, "hidden_dimension must be a whole number >= 0. Got a fraction or infinity."),
        ({"estimator": "best"}, "estimator must be one of optimal, uniform, published. Got 'best'."),
        ({"estimator": None}, "estimator must be one of optimal, uniform, published. Got None."),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(InputError) as error:
        breach_probability(**{"residual": 1, "norm": 1, "hidden_dimension": 3, "epsilon": 0.1, **arguments})
    assert str(error.value) == message


@pytest.mark.parametrize("name", ["residual", "spread", "tolerance"])
def test_bad_arguments_of_an_attribute_are_named(name):
    with pytest.raises(InputError, match=f"{name} must be >= 0 everywhere. Got a negative number or NaN."):
        attribute_breach_probability(**{"residual": 1, "spread": 1, "hidden_dimension": 3, "tolerance": 1, name: -1})


@pytest.mark.parametrize("h", [2, 3, 8, 17, 100, 400])
def test_caps_by_their_series_are_those_of_the_library(h):
    """On either side of where the series ends, and for an array of dimensions as for each alone."""
    sine = np.sqrt(np.concatenate([np.geomspace(1e-12, 1, 400), [sphere._SMALL, np.nextafter(sphere._SMALL, 0)]]))
    caps = sphere._cap(sine, np.full(len(sine), float(h)))
    np.testing.assert_allclose(caps, 0.5 * betainc((h - 1) / 2, 0.5, sine**2), rtol=1e-12, atol=1e-300)
    mixed = np.where(np.arange(len(sine)) % 3, h, 5.0)
    assert (sphere._cap(sine, mixed)[mixed == h] == caps[mixed == h]).all()
    assert sphere._cap(sine[7:8], np.array([float(h)])) == caps[7:8]
