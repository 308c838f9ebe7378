# SPDX-License-Identifier: BSD-3-Clause
"""Audits of schemes that are no motion: attacks that suit them are played, and what nobody can play is said."""

import numpy as np
import pytest
from scipy.stats import norm

import isobreach as ib
from effort import slow
from isobreach.engine import LocalEngine, using
from isobreach.report import audit_document, document_page
from isobreach.schemes import SCHEMES, Noisy, scheme_by_name

OTHERS = [name for name in SCHEMES if SCHEMES.built_in(name) and not SCHEMES[name].model.moves]


def table(seed, rows=240, columns=5):
    rng = np.random.default_rng(seed)
    causes = rng.standard_normal((rows, 2)) @ rng.standard_normal((2, columns))
    return 0.1 + np.abs(4 + causes + rng.standard_normal((rows, columns)))


def audited(records, scheme, **more):
    return ib.audit(records, scheme=scheme, **{"coalition_sizes": [1, 6], "trials": 8, "samples": (), "seed": 0} | more)


QUICK = ("k-anonymity",)


@pytest.mark.parametrize("name", [*QUICK, *slow(*(name for name in OTHERS if name not in QUICK))])
def test_every_scheme_is_audited_and_no_figure_falls_with_knowledge(name):
    report = audited(np.abs(table(0, rows=120)), name, splits=2)  # logarithms want no negative values
    shares = [report.breached(k).value for k in (0, 1, 6)]
    assert shares == sorted(shares)
    assert report.method == "suitable attacks"
    assert all(one.bound.worst == 1 for one in report.per_size)  # nothing is proven
    text = report.summary()
    assert "distance attack breaches" not in text
    assert "proven" not in text.lower()


def test_noise_in_place_breaches_whom_it_moves_less_than_epsilon():
    """Who reads the release as it is errs by the noise: |e| <= epsilon |x|, of known probability in one column."""
    records, level = np.full((4000, 1), 10.0) + np.random.default_rng(1).uniform(-1, 1, (4000, 1)), 2.0
    scheme = scheme_by_name("additive-noise", noise=level)
    report = audited(records, scheme, coalition_sizes=[1], attacks=["naive"])
    noise = ib.perturb(records, scheme, seed=0).key.noise
    expected = float(np.mean(2 * norm.cdf(0.1 * records / noise) - 1))
    played = next(one for one in report.matrix.attackers if one.cell.nothing)
    assert played.breached.low - 0.01 <= expected <= played.breached.high + 0.01


@pytest.mark.slow
def test_a_projection_falls_to_as_many_insiders_as_it_has_columns():
    """n linked pairs solve x = B y for every record where no column is lost."""
    records = table(2, rows=120)
    scheme = scheme_by_name("random-projection", dimension=5)
    report = audited(records, scheme, coalition_sizes=[2, 7], splits=2)
    assert report.breached(7).value == 1
    assert report.breached(2).value < 0.9
    assert report.gate(0.05).closed


def test_what_only_guesses_are_played_against_is_not_called_fit_to_publish():
    report = audited(table(3), scheme_by_name("random-projection", dimension=5), attacks=["random-link"], splits=2)
    assert not report.tested
    assert report.verdict.startswith("Do not publish")
    assert "Nothing was found out" in report.verdict


def test_same_figures_whatever_the_number_of_threads():
    records, found = table(4, rows=80), []
    for workers in (1, 2):
        with using(LocalEngine, workers=workers):
            found.append(audited(records, "additive-noise", splits=2, trials=3, attacks=["naive", "spectral-filter"]))
    one, two = found
    assert np.array_equal(one.records.exposure, two.records.exposure)
    assert one.breached(6) == two.breached(6)


def test_a_motion_is_audited_by_its_closed_form_still():
    report = audited(table(5, rows=60), Noisy(0.1), splits=2, trials=3)
    assert report.method == "distance attack"
    assert report.moves


@pytest.mark.slow
def test_the_page_says_what_kind_of_figures_these_are():
    said = document_page(audit_document(audited(table(6, rows=80), "additive-noise", splits=2)))
    assert "No closed form tells what insiders achieve" in said
    assert "guess of a hidden direction" not in said
    assert "rotated by a secret matrix" not in said


def test_a_weak_motion_falls_to_attacks_on_its_own_kind():
    """Columns rotated by twos fall to one insider (Oliveira and Zaiane's scheme), where any rotation takes n - 1."""
    records = table(7, rows=120, columns=6)
    report = audited(records, "attribute-pairs", coalition_sizes=[1], splits=2)
    assert report.method == "distance attack"
    assert report.breached(1).value == 1
    assert audited(records, "orthogonal", coalition_sizes=[1], splits=2).breached(1).value < 0.9
