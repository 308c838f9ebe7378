# SPDX-License-Identifier: BSD-3-Clause
"""The audit's numbers against the attack itself: perturbed, linked, estimated and counted."""

import numpy as np
import pytest

from audited import audit, orders
from effort import slow
from isobreach import datasets
from isobreach.attacks import attack
from isobreach.geometry import attribute_breach_probability, row_norms
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
        for coalition in orders(len(records), 4, TRIALS, SIZES[-1]):
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


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_an_orthogonal_attack_breaches_as_often_as_the_audit_says(name):
    """Estimates of 300 attackers with directions of their own, counted; four standard errors, hits going together."""
    records, draws = TABLES[name], 300
    result = audit(records, scheme="orthogonal", epsilon=EPSILON, coalition_sizes=SIZES, trials=TRIALS, seed=4)
    release = perturb(records, "orthogonal", 4)
    norms = row_norms(records.astype(float))
    for size in (2, 3):
        shares = []
        for k, coalition in enumerate(orders(len(records), 4, TRIALS, SIZES[-1])):
            found = [
                attack(records[coalition[:size]], release.data, EPSILON, motion="orthogonal", seed=1000 * k + s)
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
    for coalition in orders(len(records), 4, TRIALS, SIZES[-1]):
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


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("name", TABLES)
def test_attributes_are_learned_as_often_as_attackers_learn_them(name, motion):
    """The attack itself: rows that it holds, its foot of every other row, a guess beside it where little is hidden."""
    records = TABLES[name].astype(float)
    scale = 10.0 ** np.arange(records.shape[1])  # columns of very different size
    records = records * scale
    result = audit(records, scheme=motion, epsilon=EPSILON, coalition_sizes=SIZES, trials=TRIALS, seed=4)
    release, tau = perturb(records, motion, 4), result.attributes.tolerance
    np.testing.assert_allclose(tau, 0.05 * np.ptp(records, axis=0))
    for place, size in enumerate(SIZES):
        shares = []
        for coalition in orders(len(records), 4, TRIALS, SIZES[-1]):
            found = attack(records[coalition[:size]], release.data, EPSILON, motion=motion, seed=0)
            if motion == "rigid" and not len(found.linkage.linked):
                shares.append(np.zeros((1, records.shape[1])))
                continue
            motions, others = found._motions, np.setdiff1d(np.arange(len(records)), coalition)
            centred = release.data[release.key.order[others]] - motions.released_centre
            foot = motions.known_centre + (centred @ motions.released) @ motions.known.T
            ends = row_norms(centred @ motions.released_hidden)[:, None] * row_norms(motions.known_hidden)
            rules = [0 * ends, ends, ends - tau] if motions.hidden_dimension in (1, 2) else [0 * ends]
            rules = [np.where(ends <= tau, 0.0, guess) for guess in rules]
            errors = [[np.abs(foot + sign * guess - records[others]) for sign in (-1, 1)] for guess in rules]
            slack = 1e-9 * tau + 1e-12 * row_norms(records[others])[:, None]
            shares.append(np.array([np.mean([e <= tau + slack for e in pair], axis=(0, 1)) for pair in errors]))
        expected = np.mean([one.max(axis=0) for one in shares], axis=0)
        np.testing.assert_allclose(result.attributes.value[place], expected, atol=1e-9)


def test_where_hidden_parts_point_everywhere_the_closed_form_tells_how_much_is_learned():
    """Gaussian records: counted shares agree with the attacker's own probability, three hidden dimensions or more."""
    records = np.random.default_rng(0).standard_normal((2000, 6))
    result = audit(
        records, scheme="orthogonal", epsilon=EPSILON, coalition_sizes=[1, 3], trials=40, tolerance=0.3, seed=4
    )
    for place, size in enumerate((1, 3)):
        told = []
        for coalition in orders(len(records), 4, 40, 3):
            basis = np.linalg.qr(records[coalition[:size]].T)[0]
            d = row_norms(records - records @ basis @ basis.T)
            spread = np.sqrt(1 - (basis**2).sum(axis=1))
            told.append(attribute_breach_probability(d[:, None], spread, 6 - size, 0.3).mean(axis=0))
        np.testing.assert_allclose(result.attributes.value[place], np.mean(told, axis=0), atol=0.015)


@pytest.mark.parametrize("audits", slow(10, 30))
def test_intervals_of_attributes_cover_what_all_coalitions_learn(audits):
    """More others than are watched, so that these are a sample, drawn anew for every coalition."""
    records = np.exp(np.random.default_rng(1).standard_normal((2500, 4))) * [1.0, 10.0, 100.0, 1000.0]
    found = [
        audit(records, scheme="orthogonal", epsilon=0.1, coalition_sizes=[2], trials=20, seed=seed, rows_known=True)
        for seed in range(2 * audits)
    ]
    true = np.mean([one.attributes.value[0] for one in found[audits:]], axis=0)
    covered = [(one.attributes.low[0] <= true) & (true <= one.attributes.high[0]) for one in found[:audits]]
    assert np.mean(covered) >= 0.86
