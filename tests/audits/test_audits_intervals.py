# SPDX-License-Identifier: BSD-3-Clause
"""Intervals cover at the rate they state: exactly where that can be summed, by simulation where it cannot."""

import numpy as np
import pytest
from scipy.stats import binom

from isobreach.audits import clopper_pearson, mean_interval, wilson

TRIALS = (20, 100, 200)
SHARES = (0.01, 0.05, 0.2, 0.5, 0.9)


def _coverage(interval, trials, share):
    """P(interval contains the share), summed over all outcomes."""
    found = [interval(k, trials) for k in range(trials + 1)]
    inside = np.array([one.low <= share <= one.high for one in found])
    return float(binom.pmf(np.arange(trials + 1), trials, share) @ inside)


@pytest.mark.parametrize("trials", TRIALS)
def test_clopper_pearson_never_covers_less_than_it_says(trials):
    assert min(_coverage(clopper_pearson, trials, share) for share in np.linspace(0.001, 0.999, 199)) >= 0.95


@pytest.mark.parametrize("trials", TRIALS)
def test_wilson_covers_at_its_rate_on_average(trials):
    coverage = [_coverage(wilson, trials, share) for share in np.linspace(0.01, 0.99, 99)]
    assert abs(np.mean(coverage) - 0.95) < 0.01
    assert min(coverage) > 0.85


def test_known_values():
    """R: binom.test(7, 20) and prop.test(7, 20, correct = FALSE)."""
    exact, shown = clopper_pearson(7, 20), wilson(7, 20)
    np.testing.assert_allclose([exact.low, exact.high], [0.1539092, 0.5921885], atol=1e-7)
    np.testing.assert_allclose([shown.low, shown.high], [0.1811918, 0.5671457], atol=1e-7)


def _half_and_half(rng, size):
    return np.where(rng.random(size) < 0.3, rng.random(size), 0.02)


LAWS = {
    # name: draws, mean
    "coin": (lambda rng, size: (rng.random(size) < 0.3).astype(float), 0.3),
    "rare": (lambda rng, size: (rng.random(size) < 0.03).astype(float), 0.03),
    "uniform": (lambda rng, size: rng.random(size), 0.5),
    "close together": (lambda rng, size: rng.beta(200, 300, size), 0.4),
    "skewed": (lambda rng, size: rng.beta(0.4, 3, size), 0.4 / 3.4),
    "near one": (lambda rng, size: 1 - rng.beta(0.5, 20, size), 1 - 0.5 / 20.5),
    "mixed": (_half_and_half, 0.3 * 0.5 + 0.7 * 0.02),
}


@pytest.mark.parametrize("trials", [100, 200])
@pytest.mark.parametrize("law", LAWS)
def test_the_interval_of_a_mean_covers_at_its_rate(law, trials):
    """2,000 audits each; the standard error of a coverage of 0.95 is 0.005."""
    draw, mean = LAWS[law]
    rng = np.random.default_rng(trials)
    found = [mean_interval(draw(rng, trials)) for _ in range(2000)]
    coverage = np.mean([one.low <= mean <= one.high for one in found])
    assert 0.925 <= coverage <= 0.985
    assert all(0 <= one.low <= one.value <= one.high <= 1 for one in found)


def test_the_interval_of_a_mean_is_students_where_values_agree():
    values = np.array([0.40, 0.41, 0.39, 0.405, 0.395, 0.40, 0.41, 0.39])
    found, half = mean_interval(values), 2.3646243 * values.std(ddof=1) / np.sqrt(8)
    np.testing.assert_allclose([found.low, found.high], [0.4 - half, 0.4 + half], atol=1e-4)


def test_equal_values_leave_room_for_what_was_not_seen():
    assert mean_interval([0.0] * 50).high > 0.05
    assert mean_interval([1.0] * 50).low < 0.95
    assert (mean_interval([0.3]).low, mean_interval([0.3]).high) == (0.0, 1.0)


PEOPLE = 500
SPLITS = {
    # name: draws of the probability on each split, its mean
    "nobody": (lambda rng: np.zeros(8), 0.0),
    "one in a thousand": (lambda rng: np.full(8, 0.001), 0.001),
    "a few": (lambda rng: np.full(8, 0.02), 0.02),
    "nearly all": (lambda rng: np.full(8, 0.998), 0.998),
    "splits differ": (lambda rng: rng.beta(20, 80, 8), 0.2),
    "splits differ much": (lambda rng: rng.random(8), 0.5),
}


@pytest.mark.parametrize("law", SPLITS)
def test_eight_splits_of_many_people_are_covered_at_the_rate(law):
    """2,000 audits each."""
    draw, mean = SPLITS[law]
    rng = np.random.default_rng(0)
    values = [rng.binomial(PEOPLE, draw(rng)) / PEOPLE for _ in range(2000)]
    found = [mean_interval(one, PEOPLE) for one in values]
    assert np.mean([one.low <= mean <= one.high for one in found]) >= 0.925
    assert all(0 <= one.low <= one.value <= one.high <= 1 for one in found)


def test_eight_equal_splits_are_worth_their_people():
    assert mean_interval([1.0] * 8, PEOPLE).low > 0.998
    assert mean_interval([0.0] * 8, PEOPLE).high < 0.002
    assert mean_interval([1.0] * 8).low < 0.6
    differ = [0.1, 0.9] * 4  # the spread of splits counts, not that of people
    np.testing.assert_allclose(mean_interval(differ, PEOPLE).low, mean_interval(differ).low, atol=1e-3)
