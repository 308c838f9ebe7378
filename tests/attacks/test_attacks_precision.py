# SPDX-License-Identifier: BSD-3-Clause
"""However a release was stored: present records are never called absent, and a probability of 1 is a certainty."""

import numpy as np
import pytest

from isobreach.attacks import attack
from oracles import plant


def normal(rows, columns, known, scale=1.0):
    return lambda rng: (scale * rng.standard_normal((rows, columns)), known)


def scattered(rows, columns, known, low, high):
    return lambda rng: (rng.standard_normal((rows, columns)) * 10.0 ** rng.uniform(low, high, (rows, 1)), known)


def written(form):
    return lambda rows: np.array([[float(form(value)) for value in row] for row in rows])


# Table, how its release was stored, epsilon.
STORED = {
    "incomes in whole numbers": (lambda rng: (np.exp(rng.normal(9, 1.5, (200, 4))), 6), np.round, 0.01),
    "whole numbers of all sizes": (scattered(50, 3, 4, -2, 6.3), np.round, 0.1),
    "decimals under large values": (scattered(200, 6, 20, -8, 8), lambda rows: rows.round(8), 1e-3),
    "halves": (normal(300, 3, 1, 10), lambda rows: np.round(rows * 2) / 2, 0.01),
    "quarters": (normal(300, 3, 2, 10), lambda rows: np.round(rows * 4) / 4, 0.01),
    "float16": (normal(300, 8, 6), lambda rows: rows.astype(np.float16), 0.01),
    "float16 in float32": (normal(300, 8, 6), lambda rows: rows.astype(np.float16).astype(np.float32), 0.01),
    "float16 that underflows": (scattered(80, 3, 4, -9, 1), lambda rows: rows.astype(np.float16), 0.1),
    "float32 in text": (normal(200, 8, 6), lambda rows: written(str)(rows.astype(np.float32)), 0.01),
    "six digits of large numbers": (normal(200, 8, 6, 1e7), written("{:.6g}".format), 0.01),
    "one digit around an offset": (
        lambda rng: (1e6 + 1e5 * rng.standard_normal((8, 4)), 5),
        written("{:.1g}".format),
        0.5,
    ),
    "one column coarser": (normal(200, 5, 6, 30), lambda rows: np.c_[rows[:, :1].round(), rows[:, 1:].round(4)], 0.01),
    "one column rounded": (normal(200, 5, 6, 30), lambda rows: np.c_[rows[:, :1].round(2), rows[:, 1:]], 0.01),
    "two decimals": (normal(300, 6, 5, 10), lambda rows: rows.round(2), 0.01),
}


@pytest.mark.parametrize("case", STORED)
def test_nothing_false_is_said_of_a_release_that_was_stored_coarsely(case):
    make, store, epsilon = STORED[case]
    for seed in range(8):
        rng = np.random.default_rng(seed)
        records, known = make(rng)
        released, order = plant(records, rng)
        result = attack(records[:known], store(released), epsilon, motion="orthogonal", seed=seed)
        truth = records[np.argsort(order)]
        assert "absent" not in result.linkage.status
        for i in range(known):
            assert order[i] in result.linkage.candidates[i]
        certain = result.breach_probability == 1
        error = np.linalg.norm(result.estimates - truth, axis=1)
        assert (error[certain] <= epsilon * (1 + 1e-9) * np.linalg.norm(truth[certain], axis=1)).all()


def test_known_records_in_single_precision_make_no_finer_claim():
    rng = np.random.default_rng(0)
    records = rng.standard_normal((300, 4))
    released, order = plant(records, rng)
    result = attack(records[:4].astype(np.float32), released, 1e-8, motion="orthogonal", seed=0)
    assert result.linkage.rows.tolist() == order[:4].tolist()
    assert (result.breach_probability < 1).all()


def test_an_attacker_with_the_owners_seed_does_not_draw_the_owners_key():
    import isobreach as ib

    records = np.random.default_rng(1).standard_normal((50, 6))
    release = ib.perturb(records, "orthogonal", seed=7)
    with pytest.warns(ib.NothingLinkedWarning):  # a stranger
        result = ib.attack(records[:1] + 5, release.data, 0.1, motion="orthogonal", seed=7)
    truth = records[np.argsort(release.key.order)]
    assert result.hidden_dimension == 6
    assert (np.linalg.norm(result.estimates - truth, axis=1) > 0.1 * np.linalg.norm(truth, axis=1)).all()


def test_one_row_is_not_two_records():
    """A record and an absent one next to it: the release has one row for both, so one of them is missing."""
    rng = np.random.default_rng(0)
    records = rng.standard_normal((40, 5)) * 10
    released, _ = plant(records, rng)
    linkage = attack(
        np.vstack([records[0], records[0] + [0.1, 0, 0, 0, 0], records[1:4]]), released.round(1), motion="orthogonal"
    ).linkage
    assert not (linkage.status[:2] == "linked").all()
