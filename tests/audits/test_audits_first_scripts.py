# SPDX-License-Identifier: BSD-3-Clause
"""What short scripts got where the first audits said next to nothing: an audit now says at least that.

Rounding, components and the outward direction are in `tests/adversaries`; these are the ones that no script of sixty
lines reaches, and further kinds of tables. Digits and thirty normal columns: `python -m benchmarks.alignment`.
"""

import numpy as np
import pytest

import isobreach as ib
from audited import audit
from isobreach.schemes import Noisy

pytestmark = pytest.mark.slow


def letter(rng, rows, jitter=0.0):
    values = ib.datasets.load("letter").values.astype(float)[rng.permutation(18_668)[:rows]]
    return values + rng.uniform(0, jitter, values.shape) if jitter else values


def sparse_bits(rng):
    values = (rng.random((600, 12)) < 0.25).astype(float)
    values[values.sum(axis=1) == 0, 0] = 1
    return values


def hospital(rng):
    """Codes 1 and 2 of 150 patients, mostly 2, which depend on one another; the last one of 93 in 100."""
    common = np.linspace(0.6, 0.93, 10)
    illness = 0.6 * rng.normal(size=(150, 1)) + 0.8 * rng.normal(size=(150, 10))
    return 1.0 + (illness.argsort(axis=0).argsort(axis=0) < common * 150)


# Table, scheme, insiders, sample, epsilon, attack, what the script got.
ROWS = {
    "sparse bits, noise 0.3": (sparse_bits, Noisy(0.3), 30, 0, 0.1, "known-input", 0.996),
    "sparse bits, noise 0.2": (sparse_bits, Noisy(0.2), 30, 0, 0.1, "known-input", 0.999),
    "exponential": (lambda rng: rng.exponential(1, (1500, 8)), "orthogonal", 2, 0, 0.15, "alignment", 0.84),
    "lognormal": (lambda rng: np.exp(0.8 * rng.normal(size=(1500, 10))), "rigid", 3, 0, 0.15, "alignment", 0.88),
    "Letter, a full step of jitter": (lambda rng: letter(rng, 1000, 1.0), "orthogonal", 0, 200, 0.15, "alignment", 1.0),
    "Letter, completed partial records": (
        lambda rng: letter(rng, 800, 1.0), "orthogonal", 18, 0, 0.15, "known-input", 1.0,
    ),
    "Letter, two insiders": (lambda rng: letter(rng, 1500), "orthogonal", 2, 0, 0.15, "lattice", 0.55),
    "Letter, three insiders": (lambda rng: letter(rng, 1500), "orthogonal", 3, 0, 0.15, "lattice", 0.93),
    "Letter, four insiders": (lambda rng: letter(rng, 1500), "orthogonal", 4, 0, 0.15, "lattice", 0.99),
    "Letter, nobody inside": (lambda rng: letter(rng, 1500), "orthogonal", 0, 200, 0.15, "lattice", 1.0),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_an_audit_says_at_least_what_a_script_got(row):
    make, scheme, insiders, sample, epsilon, attack, got = ROWS[row]
    report = ib.audit(
        make(np.random.default_rng(0)),
        scheme,
        epsilon,
        [insiders or 1],
        trials=10,
        attacks=[attack],
        samples=(sample,) if sample else (),
        splits=2 if sample and attack == "alignment" else 8,  # eight splits of it: test_alignment_tables
        seed=0,
    )
    assert report.breached(insiders, sample).high >= got
    assert report.breached(insiders, sample).value >= got - 0.02


def test_nothing_is_learned_of_fewer_people_than_the_most_common_value_is_true_of():
    """Eight insiders once learned the last code of 56 in 100, fewer than two did; to guess it is right for 93."""
    records, sizes = hospital(np.random.default_rng(0)), (1, 2, 4, 8)
    report = ib.audit(records, "orthogonal", 0.1, sizes, 20, ["known-input"], 0, samples=())
    common = (records == 2).mean(axis=0)
    learned = np.array([report.learned(size) for size in (0, *sizes)])
    assert (learned >= common).all()
    assert (np.diff(learned, axis=0) >= 0).all()
    assert (learned[-1, :5] > common[:5] + 0.02).all()  # the insiders do add to it


def test_jitter_of_a_quarter_of_a_step_to_both_sides_hides_nobody_from_insiders_who_round():
    pytest.importorskip("fpylll")
    records = sparse_bits(np.random.default_rng(0))
    asked = {"coalition_sizes": [30], "trials": 10, "noise_levels": [0.2], "samples": (), "seed": 0}
    tried = ib.audit(records, "orthogonal", 0.1, attacks=["known-input", "lattice"], **asked).remedies
    half = next(one for one in tried.jitter if one.jitter == 0.5)
    assert not half.opens
    assert half.played.share >= 0.999
    assert not tried.levels[0].opens


def test_half_a_step_of_jitter_hides_no_column_from_nobody():
    pytest.importorskip("fpylll")
    records = letter(np.random.default_rng(0), 6000, 0.5)
    asked = {"scheme": "orthogonal", "epsilon": 0.15, "coalition_sizes": [1], "trials": 4, "seed": 0}
    report = audit(records, attackers=["lattice"], **asked)
    (reader,) = report.readers
    assert reader.claimed
    assert len(reader.read) == 16
    assert reader.named > 0.99
