# SPDX-License-Identifier: BSD-3-Clause
"""The audit's numbers against the attack itself: perturbed, linked, estimated and counted."""

import numpy as np
import pytest

from audited import audit
from isobreach import datasets
from isobreach._random import generator
from isobreach.attacks import attack
from isobreach.geometry import row_norms
from isobreach.schemes import perturb

RNG = np.random.default_rng(11)
TABLES = {
    "gaussian": RNG.standard_normal((70, 5)),
    "letter": datasets.load("letter").values[:90, :6],
    "incomes": np.exp(RNG.standard_normal((60, 4)) @ RNG.standard_normal((4, 4)) / 2) * 1000,
    "repeated": np.repeat(RNG.integers(0, 5, (30, 4)), 2, axis=0) + 1,
}
# Not 0.4: on a grid a residual is exactly 0.4 of a length now and then, and rounding decides.
SIZES, TRIALS, EPSILON = (1, 2, 3, 4), 12, 0.4137


def _orders(total, seed, largest=SIZES[-1]):
    """The random coalitions of an audit with that seed."""
    draws = generator(seed, "coalition")
    return [draws.choice(total, largest, replace=False) for _ in range(TRIALS)]


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("name", TABLES)
def test_figures_are_the_means_over_attacks(name, motion):
    """Every coalition attacks through ``attack``; the owner's probabilities, those with true norms, are averaged."""
    records = TABLES[name]
    result = audit(records, scheme=motion, epsilon=EPSILON, coalition_sizes=SIZES, trials=TRIALS, seed=4)
    release = perturb(records, motion, 4)
    order, norms = release.key.order, row_norms(records.astype(float))
    for figures, size in zip(result.per_size, SIZES, strict=True):
        linked, worst, mean, breached, exposed = [], [], [], [], np.zeros((2, len(records)))
        for coalition in _orders(len(records), 4):
            insiders = coalition[:size]
            found = attack(records[insiders], release.data, EPSILON, motion=motion, seed=0)
            everyone = found.probability(rows=order, norms=norms)
            others = np.delete(everyone, insiders)
            linked.append(len(found.linkage.linked) / size)
            worst.append(others.max())
            mean.append(others.mean())
            breached.append((others >= result.level).mean())
            present = np.delete(np.arange(len(records)), insiders)
            exposed[:, present] += [others, np.ones(len(others))]
        random = figures.random
        told = [random.linked.value, random.worst.value, random.mean.value, random.breached.value]
        np.testing.assert_allclose(told, [np.mean(part) for part in (linked, worst, mean, breached)], atol=1e-9)
        place = SIZES.index(size)
        np.testing.assert_allclose(result.records.exposure[place], exposed[0] / exposed[1], atol=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_an_orthogonal_attack_breaches_as_often_as_the_audit_says(name):
    """Estimates of 300 attackers with directions of their own, counted; four standard errors, hits going together."""
    records, draws = TABLES[name], 300
    result = audit(records, scheme="orthogonal", epsilon=EPSILON, coalition_sizes=SIZES, trials=TRIALS, seed=4)
    release = perturb(records, "orthogonal", 4)
    norms = row_norms(records.astype(float))
    for size in (2, 3):
        shares = []
        for k, coalition in enumerate(_orders(len(records), 4)):
            found = [
                attack(records[coalition[:size]], release.data, EPSILON, seed=1000 * k + s)
                for s in range(draws // TRIALS)
            ]
            for one in found:
                hits = row_norms(one.estimates[release.key.order] - records) <= EPSILON * norms
                shares.append(np.delete(hits, coalition[:size]).mean())
        claimed = result.at(size).random.mean.value
        assert abs(np.mean(shares) - claimed) <= 4 * np.std(shares) / np.sqrt(len(shares)) + 1e-3


@pytest.mark.parametrize("name", TABLES)
def test_behind_a_translation_a_random_direction_breaches_as_often_as_the_audit_says(name):
    """By linear algebra alone: the foot on the insiders' hull, the optimal length, a direction drawn at random."""
    records = TABLES[name].astype(float)
    size, rng = 4, np.random.default_rng(0)
    result = audit(TABLES[name], scheme="rigid", epsilon=EPSILON, coalition_sizes=[size], trials=TRIALS, seed=4)
    release = perturb(TABLES[name], "rigid", 4)
    norms, counted = row_norms(records), []
    for coalition in _orders(len(records), 4):
        linked = coalition[attack(records[coalition], release.data, EPSILON, motion="rigid", seed=0).linkage.linked]
        others = np.delete(np.arange(len(records)), coalition)
        if not len(linked):
            counted.append(0.0)
            continue
        basis, sizes, _ = np.linalg.svd((records[linked] - records[linked[0]]).T, full_matrices=True)
        rank = int((sizes > 1e-9).sum())
        hidden = basis[:, rank:]
        along = (records[others] - records[linked[0]]) @ hidden
        d, c = row_norms(along), EPSILON * norms[others]
        radius = np.sqrt(np.maximum(d**2 - c**2, 0.0))
        hits = []
        for _ in range(400):
            direction = rng.standard_normal(hidden.shape[1])
            direction /= np.linalg.norm(direction) if len(direction) else 1.0
            hits.append(row_norms(along - radius[:, None] * direction) <= c * (1 + 1e-9))
        counted.append(float(np.mean(hits)))
    expected = result.per_size[0].random.mean.value
    assert abs(np.mean(counted) - expected) <= 0.01


def test_attributes_are_learned_as_often_as_the_audit_says():
    """The centre of the hidden sphere is guessed for every attribute (three hidden dimensions or more)."""
    records = TABLES["gaussian"]
    result = audit(
        records, scheme="orthogonal", epsilon=EPSILON, coalition_sizes=[2], trials=TRIALS, tolerance=0.3, seed=4
    )
    rng, learned = np.random.default_rng(0), []
    for coalition in _orders(len(records), 4, 2):
        basis = np.linalg.svd(records[coalition[:2]].T, full_matrices=True)[0]
        hidden = basis[:, 2:]
        others = np.delete(records, coalition[:2], axis=0)
        d = row_norms(others @ hidden)
        draws = rng.standard_normal((400, hidden.shape[1]))
        draws /= np.linalg.norm(draws, axis=1, keepdims=True)
        errors = np.abs(d[:, None, None] * (draws @ hidden.T))
        learned.append((errors <= 0.3).mean(axis=(0, 1)))
    np.testing.assert_allclose(result.attributes.value[0], np.mean(learned, axis=0), atol=0.01)
