# SPDX-License-Identifier: BSD-3-Clause
"""The permutation attack: columns that were only permuted are recognised; only what is confirmed is claimed."""

import numpy as np
import pytest

import isobreach as ib
from effort import EIGHT_SEEDS, slow
from isobreach.attacks import ATTACKS
from isobreach.release import ReleaseModel
from oracles import rotation
from sentences import sentence_vectors

SEEDS = range(8)


@pytest.fixture(scope="module")
def letter():
    return ib.datasets.load("letter").values.astype(float)


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits

    values = load_digits().data
    live = values[:, values.std(axis=0) > 2][:, :30]
    return live + np.random.default_rng(0).normal(0, 0.3, live.shape)


class Case:
    """Records behind a permutation of their columns, and a sample of others."""

    def __init__(self, table, rng, sample, rows=1000, scale=1.0, noise=0.0, flips=False, shift=0.0):
        order = rng.permutation(len(table))
        self.records, self.sample = table[order[:rows]], table[order[rows : rows + sample]]
        n = table.shape[1]
        self.columns = rng.permutation(n)  # attribute i is in column columns[i]
        self.signs = rng.choice([-1.0, 1.0], n) if flips else np.ones(n)
        released = np.empty((rows, n))
        released[:, self.columns] = scale * self.records * self.signs
        self.noise = noise * scale
        self.released = released + shift * rng.standard_normal(n) + self.noise * rng.standard_normal(released.shape)

    def found(self, **held):
        knowledge = ib.Knowledge(**{"sample": self.sample, "noise": self.noise or None, **held})
        return ib.reconstruct("permutation", self.released, knowledge, seed=0)

    def right(self, found):
        return (found.columns == self.columns) & (found.signs == self.signs)


@EIGHT_SEEDS
def test_a_sample_of_two_hundred_reads_letter(letter, seeds):
    shares = []
    for seed in seeds:
        case = Case(letter, np.random.default_rng(seed), 200)
        found = case.found()
        assert case.right(found).all()
        assert found.claimed
        shares.append(found.confirmed.mean())
        assert np.array_equal(found.estimates[:, found.confirmed], case.records[:, found.confirmed])
        assert np.isnan(found.estimates[:, ~found.confirmed]).all()
        assert np.array_equal(found.variants["all columns"], case.records)
    assert np.mean(shares) > 0.75


@EIGHT_SEEDS
@pytest.mark.parametrize("noise", [0.5, *slow(2.0)])
def test_scale_and_noise_do_not_hide_columns(digits, noise, seeds):
    """Whatever the noise, what is left is the noise itself; filtering leaves less of it. Fifty records are enough."""
    share, few = [], []
    for seed in seeds:
        case = Case(digits, np.random.default_rng(seed), 400, rows=900, scale=1.7, noise=noise)
        found = case.found()
        assert not (found.confirmed & ~case.right(found)).any()
        assert found.scale == pytest.approx(1.7, rel=0.05)
        share.append(case.right(found).mean())
        few.append(case.right(case.found(sample=case.sample[:50])).mean())
        if case.right(found).all():
            raw, filtered = (found.variants[name] - case.records for name in ("all columns", "noise filtered"))
            assert np.sqrt((raw**2).mean()) == pytest.approx(noise, rel=0.2)
            assert (filtered**2).mean() < (raw**2).mean()
    assert np.mean(share) > 0.9
    assert np.mean(few) > 0.9


@EIGHT_SEEDS
@pytest.mark.parametrize("told", [True, *slow(False)])
def test_two_hundred_vectors_show_all_columns_behind_a_scale(told, seeds):
    """Means of vectors of length one are small and say nothing of the scale; lengths do. Its noise may be told."""
    for seed in seeds:
        case = Case(
            sentence_vectors(900, 128, seed), np.random.default_rng(seed), 200, rows=700, scale=1.8, noise=0.006
        )
        found = case.found(**({} if told else {"noise": None}))
        assert case.right(found).all()
        assert found.scale == pytest.approx(1.8, rel=0.001 if told else 0.01)
        assert found.confirmed.mean() > 0.8
        if told:
            filtered, sized = (found.variants[f"noise filtered{one}"] - case.records for one in ("", ", at one length"))
            assert np.linalg.norm(sized + case.records, axis=1) == pytest.approx(1)
            assert (sized**2).mean() < (filtered**2).mean()  # an error along the vector itself is gone


@EIGHT_SEEDS
def test_vectors_of_another_model_are_no_sample(seeds):
    for seed in seeds:
        case = Case(sentence_vectors(700, 64, seed), np.random.default_rng(seed), 0, rows=700, scale=1.8, noise=0.006)
        found = case.found(sample=sentence_vectors(400, 64, seed, model=1))
        assert not found.claimed
        assert not found.confirmed.any()


@EIGHT_SEEDS
def test_flipped_and_shifted_columns(letter, seeds):
    """Rounded to the grid of the sample, most values are exact."""
    right, shares = [], []
    for seed in seeds:
        case = Case(letter, np.random.default_rng(seed), 500, flips=True, shift=30.0)
        found = case.found()
        right.append(case.right(found).mean())
        assert not (found.confirmed & ~case.right(found)).any()
        assert found.claimed
        sure = found.confirmed
        shares.append((found.estimates[:, sure] == case.records[:, sure]).mean())
    assert np.mean(right) > 0.95
    assert np.mean(shares) > 0.9


@pytest.mark.parametrize("given", [True, False])
def test_a_few_known_records_name_continuous_columns(given):
    """Rows given or found by their distances: three records, no sample."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        case = Case(rng.normal(3, 2, (600, 9)), rng, 0, rows=600, flips=True)
        held = {"known": case.records[:3], "rows": np.arange(3) if given else None, "sample": None}
        found = case.found(**held)
        assert case.right(found).all()
        assert found.confirmed.all()
        assert np.abs(found.estimates - case.records).max() < 1e-9


def test_under_noise_a_sample_spares_the_search_for_known_records(letter, monkeypatch):
    def searched(*given, **settings):
        raise AssertionError("known records were looked for")

    monkeypatch.setattr("isobreach.attacks.permutation.method.link", searched)
    case = Case(letter, np.random.default_rng(1), 300, noise=0.3)
    assert case.found(known=case.records[:4]).claimed
    with pytest.raises(AssertionError, match="were looked for"):
        case.found(known=case.records[:4], sample=None)


def test_known_records_that_agree_with_several_columns_confirm_none():
    """Two values only: three records cannot tell nine columns apart."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        case = Case(rng.integers(0, 2, (600, 9)).astype(float), rng, 0, rows=600)
        found = case.found(known=case.records[:3], rows=np.arange(3), sample=None)
        assert not found.confirmed.any()
        assert not found.claimed


def test_known_records_under_scale_shift_and_noise():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        case = Case(rng.normal(0, 2, (600, 6)), rng, 0, rows=600, scale=3.0, shift=5.0, noise=0.01)
        found = case.found(known=case.records[:12], rows=np.arange(12), sample=None)
        assert not (found.confirmed & ~case.right(found)).any()
        assert case.right(found).all()
        assert found.confirmed.all()
        assert np.abs(found.variants["all columns"] - case.records).max() < 0.3


@pytest.mark.parametrize(
    ("kind", "shift"),
    [
        ("gaussian", 0.0),
        ("correlated", 0.0),
        ("letter", 0.0),
        *slow(("exponential", 0.0), ("gaussian", 5.0), ("correlated", 5.0), ("exponential", 5.0), ("letter", 5.0)),
    ],
)
@EIGHT_SEEDS
def test_a_rotation_is_not_taken_for_a_permutation(kind, shift, letter, seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table = {
            "gaussian": lambda rng=rng: rng.normal(0, np.arange(1, 9), (1500, 8)),
            "correlated": lambda rng=rng: rng.standard_normal((1500, 8)) @ rng.standard_normal((8, 8)),
            "exponential": lambda rng=rng: rng.exponential(1, (1500, 8)),
            "letter": lambda rng=rng: letter[rng.permutation(len(letter))[:1500]],
        }[kind]()
        released = table[:1000] @ rotation(table.shape[1], rng) + shift
        found = ib.reconstruct("permutation", released, ib.Knowledge(sample=table[1000:]), seed=0)
        assert not found.claimed
        assert not found.confirmed.any()


@EIGHT_SEEDS
def test_columns_that_are_mixed_a_little_are_not_claimed(letter, seeds):
    """Turned by twos, by 17 degrees: parts of the sample agree on most columns, whose distributions are not theirs."""
    cosine, sine = np.cos(0.3), np.sin(0.3)
    turn = np.kron(np.eye(8), [[cosine, sine], [-sine, cosine]])
    for seed in seeds:
        table = letter[np.random.default_rng(seed).permutation(len(letter))[:2500]]
        found = ib.reconstruct("permutation", table[:1500] @ turn, ib.Knowledge(sample=table[1500:]), seed=0)
        assert not found.claimed
        assert "do not have the distributions of the sample" in found.reason


def test_columns_that_are_all_alike_are_not_claimed():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        found = Case(rng.standard_normal((1500, 12)), rng, 500).found()
        assert not found.claimed
        assert "no more than chance" in found.reason


def test_dead_columns_and_attributes(letter):
    rng = np.random.default_rng(1)
    table = letter.copy()
    table[:, 3] = 7.0
    case = Case(table, rng, 300)
    case.released = np.insert(case.released, [2, 9], 0.0, axis=1)
    found = case.found()
    assert found.columns[3] == -1
    assert np.array_equal(found.variants["all columns"], case.records)  # its constant is the sample's
    assert found.confirmed.sum() >= 12


def test_on_which_releases_it_can_work():
    suits = ATTACKS["permutation"].suits
    assert suits(ReleaseModel("orthogonal", "ball", scale=True, permutation=True)) is None
    assert suits(ReleaseModel("rigid")) == "every released column mixes several attributes"
    assert "in their order" in suits(ReleaseModel(None, in_place=True))
    assert "matrix of distances" in suits(ReleaseModel("rigid", distances=True))


def test_the_scheme_falls_to_its_attack(digits):
    digits = digits[np.random.default_rng(2).permutation(len(digits))]
    release = ib.perturb(digits[:900], "permutation", seed=1)
    held = ib.Knowledge(sample=digits[900:], noise=release.key.noise)
    found = ib.reconstruct("permutation", release.data, held, seed=0)
    assert found.claimed
    assert (found.columns == np.argmax(release.key.rotation, axis=0)).mean() > 0.9


def test_bad_input():
    with pytest.raises(ib.InputError, match="noise must be a number for this attack"):
        ib.reconstruct("permutation", np.eye(4), ib.Knowledge(sample=np.eye(4), noise="estimate"))
    with pytest.raises(ib.InputError, match="scale must be a finite number > 0"):
        ib.reconstruct("permutation", np.eye(4), ib.Knowledge(sample=np.eye(4)), scale=-1.0)
