# SPDX-License-Identifier: BSD-3-Clause
"""What would help: noise really attacked, use really measured; and attackers who know nothing."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from audited import audit, settings
from isobreach import datasets
from isobreach._progress import no_progress
from isobreach.attacks import attack
from isobreach.audits.attackers import attackers, breached_share, in_names
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.kept import Kept
from isobreach.audits.playing import Cell, play
from isobreach.audits.remedies import _breached, _Jitter, _Players, remedies
from isobreach.audits.study import _game
from isobreach.audits.utility import adjusted_rand, k_means, yardstick
from isobreach.geometry import row_norms
from isobreach.schemes import Noisy, perturb

LETTER = datasets.load("letter").values


def test_the_adjusted_rand_index_is_scikit_learns():
    rng = np.random.default_rng(0)
    for clusters in (1, 2, 5, 30):
        first, second = rng.integers(0, clusters, (2, 30))
        assert adjusted_rand(first, second) == pytest.approx(adjusted_rand_score(first, second))
        assert adjusted_rand(first, (first + 1) % clusters) == pytest.approx(1)


def test_k_means_finds_clusters_that_are_there():
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(4), 50)
    table = 20 * rng.standard_normal((4, 3))[truth] + rng.standard_normal((200, 3))
    assert adjusted_rand(k_means(table, table[[0, 50, 100, 150]]), truth) == 1


def test_neighbours_are_scikit_learns():
    rng = np.random.default_rng(2)
    table, moved = rng.standard_normal((2, 250, 4))
    stick = yardstick(table, np.random.default_rng(0))
    near, other = (
        NearestNeighbors(n_neighbors=11).fit(one).kneighbors(one, return_distance=False)[:, 1:]
        for one in (table, moved)
    )
    kept = [len(np.intersect1d(near[q], other[q])) / 10 for q in stick.queries]
    assert stick.neighbours(moved).value == pytest.approx(np.mean(kept))
    assert stick.neighbours(table).value == 1
    assert stick.clusters(table) == 1


def test_ties_do_not_count_as_lost_neighbours():
    """Whole numbers have many equal distances; which of them are the nearest is a matter of rounding."""
    records = LETTER[:2000].astype(float)
    stick = yardstick(records, np.random.default_rng(0))
    release = perturb(records, "rigid", 0)
    moved = release.data[release.key.order]
    assert stick.neighbours(moved).value == 1
    assert stick.clusters(moved) == 1
    assert stick.stability < 1


def test_a_rotation_keeps_all_use_and_noise_ends_it():
    table = datasets.gaussian(rows=400, columns=6)
    stick = yardstick(table, np.random.default_rng(0))
    kept = []
    for noise in (0.0, 0.2, 20.0):
        release = perturb(table, Noisy(noise=noise), 0)
        kept.append(stick.neighbours(release.data[release.key.order]).value)
    assert kept[0] == 1
    assert 0.9 > kept[1] > 0.2 > kept[2]


NOTHING_KEPT = Kept(None, "", 0)


def _table(records, epsilon, share=0.05):
    return OwnersTable(records, np.zeros(len(records)), False, epsilon, share * np.ptp(records, axis=0))


def _tried(records, levels, *, repeats=80, lattice=False, **more):
    asked = {"coalition_sizes": [4], "epsilon": 0.2, "trials": repeats, "noise_levels": levels}
    asked |= {"attackers": ["lattice"] if lattice else []} | more
    draws = np.random.default_rng(0)
    asked, more = settings(**asked), {"kept": NOTHING_KEPT, "progress": no_progress}
    table, readable = _table(records, asked.epsilon), ["lattice"] if lattice else []
    nobody = SimpleNamespace(blind=0.0, guess="the column means")
    game = lambda scheme: _game(records, table.tolerance, replace(asked, scheme=scheme), 0)  # noqa: E731
    remedied = SimpleNamespace(game=game, audited=lambda *_: (True, ()))
    return remedies(table, asked, nobody, remedied, readable=readable, draws=draws, **more)


def test_progress_ends_with_the_split_that_refutes_a_remedy(monkeypatch):
    """The line of a log named the refuted level, and more time for it at each turn, until the audit ended."""
    heard = []
    score = SimpleNamespace(attack="alignment", cell=Cell(1), breached=0.5)
    monkeypatch.setattr("isobreach.audits.remedies.play", lambda *_: iter([[score], [score]]))
    players = _Players(0.05, 4, 8, Kept(None, "", 0), lambda *told: heard.append(told))
    worst, played = players.worst("noise 0.2", _played_game())
    assert (worst.splits, played) == (1, None)
    assert heard == [("noise 0.2", 8, 8)]


def _played_game(noise=0.05):
    """Up to eight insiders behind noise, some with twenty public records."""
    records = datasets.gaussian(rows=60, columns=3)
    asked = {"coalition_sizes": [1, 4, 8], "attackers": ["regression"], "samples": (20,), "splits": 2, "epsilon": 0.3}
    return _game(records, np.ones(3), settings(scheme=Noisy(noise=noise), **asked), 0)


def test_a_remedy_is_refused_by_whoever_knows_most_and_by_nobody_after():
    """Every attack of every attacker was played against noise that the first of them would have refuted."""
    game = _played_game()
    found = [list(one) for one in play(replace(game, limit=(0.05, 4)), 2, NOTHING_KEPT, no_progress)]
    assert [{(one.cell, one.attack) for one in split} for split in found] == [{(Cell(4, 20), "known-input")}] * 2
    assert all(max(one.breached for one in split) > 0.05 for split in found)


def test_a_remedy_that_nobody_exceeds_is_played_in_full():
    game = _played_game(noise=1.0)
    told = [
        [[(one.cell, one.attack, one.variant, one.breached) for one in split] for split in splits]
        for splits in (play(one, 2, NOTHING_KEPT, no_progress) for one in (game, replace(game, limit=(0.9, 8))))
    ]
    assert told[0] == told[1]
    assert {one[0] for one in told[0][1]} == {cell for cell in game.cells if cell.insiders}


def test_progress_counts_attackers_without_knowledge():
    """They were silent for minutes where none of their searches had steps to tell."""
    heard, records = [], np.random.default_rng(0).normal(5, 2, (40, 3))
    table, release = OwnersTable(records, 0.0, False, 0.1, np.ones(3)), perturb(records, "orthogonal", 0)
    attackers(["lattice"], table, release, 0.0, 0, Kept(None, "", 0), lambda *told: heard.append(told))
    assert [told[1:] for told in heard if told[0] == "attackers without knowledge"] == [(0, 1), (1, 1)]


def test_noise_lowers_the_breach_rate_to_the_target_or_says_that_none_does():
    records = datasets.gaussian(rows=300, columns=6)
    found = _tried(records, (0.0, 0.3, 3.0))
    rates = [one.breach_rate.value for one in found.levels]
    assert rates[0] > rates[1] > rates[2]
    assert found.smallest == 3.0
    assert _tried(records, (0.0, 0.01)).smallest is None
    assert all(one.neighbours.value >= 0.99 for one in found.levels[:1])


def test_without_noise_the_rate_is_that_of_the_closed_form():
    """Counted over releases, insiders and directions; against the audit's own mean."""
    records = datasets.gaussian(rows=300, columns=5)
    counted = _tried(records, (0.0,), repeats=100, epsilon=0.5).levels[0].breach_rate
    told = audit(records, scheme="orthogonal", epsilon=0.5, coalition_sizes=[4], trials=200, seed=0).at(4).random.mean
    assert counted.low - (told.high - told.low) <= told.value <= counted.high + (told.high - told.low)


@pytest.mark.slow
def test_insiders_who_must_search_breach_no_more_than_those_who_know():
    """Noise, linked by ``attack`` itself: the same estimates where it links, worse ones where it does not."""
    records = datasets.gaussian(rows=120, columns=5)
    given = _tried(records, (0.05,), coalition_sizes=[6]).levels[0].breach_rate
    rng, rates = np.random.default_rng(3), []
    for seed in range(6):
        release = perturb(records, Noisy(noise=0.05), seed)
        insiders = rng.choice(120, 6, replace=False)
        found = attack(records[insiders], release.data, 0.2, motion="orthogonal", noise=release.key.noise, seed=seed)
        hits = row_norms(found.estimates[release.key.order] - records) <= 0.2 * row_norms(records)
        rates.append(np.delete(hits, insiders).mean())
    assert np.mean(rates) <= given.high + 0.05


def test_columns_are_named_with_signs_and_offsets():
    rng = np.random.default_rng(4)
    records = rng.standard_normal((200, 5)) * [1, 5, 2, 8, 3] + 10
    signs, order = np.array([1, -1, -1, 1, -1]), rng.permutation(5)
    estimates = (records * signs + rng.standard_normal(5))[:, order]
    np.testing.assert_allclose(in_names(records, estimates), records, atol=1e-9)
    assert breached_share(records, estimates, 0.01) == 0
    estimates[:, 2] = np.nan
    assert np.isnan(in_names(records, estimates)).any(axis=0).sum() == 1
    assert breached_share(records, in_names(records, estimates), 0.01) == 0
    assert np.isnan(in_names(records, np.full((200, 5), np.nan))).all()


def test_the_lattice_attack_has_its_own_line():
    pytest.importorskip("fpylll")
    records = LETTER[:1500].astype(float)
    release = perturb(records, "rigid", 0)
    (found,) = attackers(["lattice"], _table(records, 0.1), release, 0.0, 0, NOTHING_KEPT)
    assert found.claimed
    assert (found.share, found.named) == (0.0, 1.0)
    assert found.attributes.tolist() == [1.0] * 16
    assert len(found.read) == 16
    noise = np.random.default_rng(0).standard_normal((300, 3))
    release = perturb(noise, "rigid", 0)
    (none,) = attackers(["lattice"], _table(noise, 0.1), release, 0.0, 0, NOTHING_KEPT)
    assert (none.claimed, none.share, none.named, none.worst) == (False, 0.0, 0.0, 0.0)


def test_some_attributes_that_are_read_count_with_the_others_guessed():
    """Two of four columns are whole numbers: these are read of everyone; the others hardly matter for the length."""
    pytest.importorskip("fpylll")
    rng = np.random.default_rng(0)
    whole = rng.integers(20, 90, (400, 2)).astype(float)
    for size, expected in ((0.5, 1.0), (100.0, 0.0)):
        records = np.column_stack([whole, size * (1 + 0.3 * rng.standard_normal((400, 2)))])
        release = perturb(records, "rigid", 1)
        (found,) = attackers(["lattice"], _table(records, 0.02), release, 0.0, 0, NOTHING_KEPT)
        assert found.claimed
        assert found.read.tolist() == [0, 1]
        assert found.attributes[2:].tolist() == [0.0, 0.0]
        assert found.share == 0
        assert found.named == pytest.approx(expected, abs=0.02)
        assert found.worst == 1


def test_a_little_noise_does_not_stop_an_attacker_who_knows_of_it():
    pytest.importorskip("fpylll")
    rng = np.random.default_rng(0)
    records = np.column_stack([rng.integers(20, 90, (500, 3)), 10 * rng.standard_normal((500, 3))]).astype(float)
    found = _tried(records, (1e-6, 1.0), lattice=True, coalition_sizes=[1], epsilon=0.02)
    assert found.levels[0].attackers == {"lattice": 1}
    assert found.smallest == 1.0


@pytest.mark.slow
def test_a_rate_of_zero_meets_any_target():
    records = datasets.gaussian(rows=100, columns=8)
    found = _tried(records, (5.0, 50.0), repeats=20, epsilon=0.05, target=0.01)
    assert found.repeats == 420
    assert found.smallest == 5.0


@pytest.mark.slow
def test_jitter_is_tried_against_the_lattice_attack_and_against_insiders():
    pytest.importorskip("fpylll")
    records = LETTER[:1500].astype(float)
    found = _tried(records, (0.1,), repeats=12, lattice=True, coalition_sizes=[20], epsilon=0.1, scheme="rigid")
    assert [one.jitter for one in found.jitter] == [0.25, 0.5, 1.0]  # no level stops everyone
    assert found.jitter[-1].breach_rate <= 0.05
    assert found.smallest_jitter is None  # the insiders below
    assert found.jitter[-1].neighbours.value < 1
    # Twenty insiders span sixteen columns: without jitter they breach everyone, with it still nearly everyone.
    assert all(one.insiders.value > 0.9 for one in found.jitter)


@pytest.mark.slow
def test_jitter_is_not_tried_where_the_lattice_attack_fails_anyway():
    pytest.importorskip("fpylll")
    asked = {"coalition_sizes": [2], "trials": 4, "noise_levels": [0.5], "attackers": ["lattice"], "seed": 0}
    plain, noisy = (audit(LETTER[:600, :8], scheme=scheme, **asked) for scheme in ("orthogonal", Noisy(noise=0.5)))
    assert plain.remedies.jitter
    assert not noisy.readers[0].claimed
    assert noisy.remedies.jitter == ()


def test_insiders_notice_jitter_that_is_large():
    """A step as wide as the table's spread is noise like any other."""
    records = np.random.default_rng(0).integers(0, 2, (300, 12)).astype(float) + 1
    table, steps = _table(records, 0.02), np.ones(12)
    rates = [
        np.mean([_breached(table, _Jitter(width * steps), np.arange(14), seed) for seed in range(5)])
        for width in (1e-6, 0.1, 1.0)
    ]
    assert rates[0] == 1
    assert rates[0] > rates[1] > rates[2]


def test_noise_that_stops_insiders_but_not_the_lattice_attack_is_not_called_enough():
    """One insider of sixteen columns breaches next to nobody; the lattice attack reads everything."""
    pytest.importorskip("fpylll")
    records = LETTER[:800].astype(float)
    found = _tried(records, (0.001, 1.0), repeats=40, lattice=True, coalition_sizes=[1], epsilon=0.1, target=0.12)
    few, much = found.levels
    assert few.breach_rate.high <= 0.12
    assert few.attackers == {"lattice": 1}
    assert much.attackers == {"lattice": 0}
    assert found.smallest == 1.0
    assert _tried(records, (0.001,), repeats=40, coalition_sizes=[1], epsilon=0.1, target=0.12).smallest == 0.001
