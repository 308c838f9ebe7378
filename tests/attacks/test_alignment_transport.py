# SPDX-License-Identifier: BSD-3-Clause
"""Alignment in many columns: third moments, transport, and what independent fits let claim."""

import numpy as np
import pytest

import isobreach as ib
from effort import slow
from isobreach.attacks import mean_cosine, read_out, readout
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.third_moments import MomentMatch, leading_axes
from isobreach.attacks.alignment.transport import third_moment_ratio, transported
from oracles import rotation
from sentences import sentence_vectors


def skewed(rng, rows, columns):
    """Independent exponential columns of falling scale, centred."""
    found = rng.exponential(1, (rows, columns)) / (1 + np.arange(columns)) ** 0.5
    return found - found.mean(axis=0)


def test_the_value_of_moments_and_its_gradient():
    """f by its definition, over all triples; a third of its gradient, by differences along the tangent."""
    rng = np.random.default_rng(0)
    rows, records, links = skewed(rng, 50, 4), skewed(rng, 40, 4), 0.3 * rng.standard_normal((4, 4))
    match, turn = MomentMatch.of(rows, records, links), rotation(4, rng)
    a, b = (np.einsum("ia,ib,ic->abc", one, one, one) for one in (rows, records))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    c, d = (one.T @ one / np.linalg.norm(one.T @ one) for one in (rows, records))

    def value(p):
        third = (np.einsum("abc,ai,bj,ck->ijk", a, p, p, p) * b).sum()
        return third + 3 * ((p.T @ c @ p) * d).sum() + 3 * (links * p).sum()

    found, gradient = match.gradient(turn)
    assert found == pytest.approx(value(turn))
    skew = rng.standard_normal((4, 4))
    step = 1e-6 * (skew - skew.T) @ turn
    assert 3 * (gradient * step).sum() == pytest.approx(value(turn + step) - value(turn), rel=1e-3)


def test_climbs_never_fall_and_leading_axes_are_found():
    rng = np.random.default_rng(1)
    everyone, turn = skewed(rng, 3000, 8), rotation(8, rng)
    rows, records = everyone[:2000] @ turn.T, everyone[2000:]
    (axes_y, axes_x) = (np.linalg.eigh(one.T @ one)[1][:, ::-1] for one in (rows, records))
    effort = Evaluations(10_000)
    found = leading_axes(rows @ axes_y, records @ axes_x, np.zeros((8, 8)), effort, rng)[0]
    assert np.abs(found.T @ found - np.eye(8)).max() < 1e-9
    assert mean_cosine(rows @ axes_y @ found @ axes_x.T, everyone[:2000]) > 0.95
    assert 0 < effort.used < effort.most
    match = MomentMatch.of(rows, records, np.zeros((8, 8)))
    for _ in range(5):
        start = rotation(8, rng)
        assert match.climb(start, effort)[1] >= match.gradient(start)[0]


def test_the_ratio_of_third_moments():
    """By its definition over all pairs; about one at the true motion of two samples, and less elsewhere."""
    rng = np.random.default_rng(2)
    few, other = skewed(rng, 6, 3).astype(np.float32), skewed(rng, 5, 3).astype(np.float32)
    turn = rotation(3, rng)
    across = np.mean([(a @ turn @ b) ** 3 for a in few for b in other])
    within = [np.mean([(a @ b) ** 3 for i, a in enumerate(t) for j, b in enumerate(t) if i != j]) for t in (few, other)]
    expected = across / np.sqrt(np.maximum(within, 0).prod()) if min(within) > 0 else None
    if expected is not None:
        assert third_moment_ratio(few, other, turn) == pytest.approx(expected, rel=1e-4)
    ratios = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        one, two = (skewed(rng, 1500, 6).astype(np.float32) for _ in range(2))
        ratios.append(third_moment_ratio(one, two, np.eye(6)))
        assert third_moment_ratio(one, two, rotation(6, rng)) < 0.8 * ratios[-1]
    assert np.mean(ratios) == pytest.approx(1, abs=0.05)


def test_the_ratio_of_third_moments_of_symmetric_tables():
    """Mirrored tables have none: means of cubes are below zero, once rows by themselves are left out."""
    rng = np.random.default_rng(2)
    one, two = (rng.standard_normal((40, 6)) for _ in range(2))
    mirrored = [np.vstack([half, -half]).astype(np.float32) for half in (one, two)]
    assert abs(third_moment_ratio(*mirrored, rotation(6, rng))) < 0.1


def test_transport_keeps_a_true_start_and_orthogonality():
    """From axes that are nearly right, the rest is found; pairs are kept."""
    rng = np.random.default_rng(3)
    everyone = skewed(rng, 900, 10)
    turn = rotation(10, rng)
    rows, records = (everyone[:500] @ turn.T).astype(np.float32), everyone[500:].astype(np.float32)
    near = np.linalg.qr(turn.T + 0.15 * rng.standard_normal((10, 10)))
    start = near.Q * np.sign(np.diag(near.R))
    start = start if np.trace(start @ turn) > 0 else -start
    pair = np.outer(turn @ np.eye(10)[0], np.eye(10)[0])
    found = transported(rows, records, pair, start, Evaluations(1000))
    assert np.abs(found.T @ found - np.eye(10)).max() < 1e-6
    assert mean_cosine(rows @ found, everyone[:500]) > mean_cosine(rows @ start, everyone[:500])


def test_a_dictionary_is_read_by_the_largest_cosine(monkeypatch):
    rng = np.random.default_rng(4)
    entries = rng.standard_normal((40, 6))
    told = 3 * entries[:10] + 0.1 * rng.standard_normal((10, 6))
    told[9] = np.nan
    read = read_out(told, entries)
    assert read.entries.shape == read.cosines.shape == (10, 5)
    cosines = told[:9] @ entries.T / np.linalg.norm(told[:9], axis=1)[:, None] / np.linalg.norm(entries, axis=1)
    assert np.array_equal(read.entries[:9], np.argsort(-cosines, axis=1)[:, :5])
    assert np.allclose(read.cosines[:9], -np.sort(-cosines, axis=1)[:, :5], atol=1e-6)
    assert read.top(1) == 0.9
    assert read.top(1, own=np.full(10, 39)) == (read.entries[:, 0] == 39).mean()
    assert (read.entries[9] == -1).all()
    assert mean_cosine(entries, -entries) == pytest.approx(-1)
    assert read_out(told, entries[:2]).entries.shape == (10, 2)
    monkeypatch.setattr(readout, "_PAIRS", 100)  # two estimates at a time
    assert np.array_equal(read_out(told, entries).entries, read.entries)


STORE, COLUMNS = 1200, 112


class Store:
    """A rotated store and a public sample of other sentences."""

    def __init__(self, seed, sample, scheme="orthogonal", wider=0, *, turned=True):
        vectors = sentence_vectors(STORE + sample + 500, COLUMNS, seed)
        self.records, self.sample, self.rest = np.split(vectors, [STORE, STORE + sample])
        rows = np.pad(self.records, [(0, 0), (0, wider)])
        if turned:
            release = ib.perturb(rows, scheme, seed=seed + 100)
            self.released, self.order = np.asarray(release.data), release.key.order
        else:  # columns in another order
            rng = np.random.default_rng(seed + 100)
            self.order, places = rng.permutation(STORE), rng.permutation(COLUMNS + wider)
            self.released = rows[np.argsort(self.order)][:, places]

    def found(self, **held):
        return ib.reconstruct("alignment", self.released, ib.Knowledge(**{"sample": self.sample, **held}), seed=0)

    def measures(self, found):
        told = found.estimates[self.order]
        return mean_cosine(told, self.records), read_out(told, np.vstack([self.records, self.rest])).top(1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "scheme", "wider", "turned"),
    [(2, "rigid", 0, True), (1, "orthogonal", 16, True), (3, "orthogonal", 16, False)],
    ids=["rigid", "padded", "padded-permuted"],
)
def test_a_public_sample_reads_a_rotated_store(seed, scheme, wider, turned):
    """Nobody is inside. With so many columns transport is chosen by itself; two fits agree, so it is claimed.

    Columns of zeros and another order of the columns are isometries: distances do not see them.
    """
    store = Store(seed, 600, scheme, wider, turned=turned)
    found = store.found()
    cosine, read = store.measures(found)
    assert (found.objective, found.motion) == ("transport", scheme)
    assert found.claimed, found.reason
    assert found.agreement > 0.8
    assert found.certificate < 3
    assert cosine > 0.85
    assert read > 0.95


@pytest.mark.slow
def test_a_shuffled_sample_is_not_found():
    """Its columns have the right distributions, and nothing else: fits disagree, and nothing is claimed."""
    store = Store(0, 600)
    rng = np.random.default_rng(1)
    store.sample = np.stack([rng.permutation(column) for column in store.sample.T], axis=1)
    found = store.found()
    assert not found.claimed
    assert found.reason.startswith("not found")
    assert found.agreement < 0.5
    assert store.measures(found)[1] < 0.02


@pytest.mark.slow
def test_a_sample_of_another_model_is_not_found():
    """Its records have one best place, on which fits may agree; they do not lie like released rows there."""
    store = Store(0, 600)
    store.sample = sentence_vectors(600, COLUMNS, 7, model=1)
    found = store.found()
    assert not found.claimed
    assert found.certificate > 3
    assert store.measures(found)[1] < 0.02


@pytest.mark.slow
def test_links_are_kept_and_known_records_confirm():
    store = Store(0, 600)
    held = {"known": store.records[:6], "rows": store.order[:6]}
    found = ib.reconstruct(
        "alignment", store.released, ib.Knowledge(sample=store.sample, **held), seed=0, set_aside=2, epsilon=0.1
    )
    assert found.claimed
    assert "2 known records that the fit did not use" in found.reason
    assert np.abs(found.variants["as fitted"][store.order[:4]] - store.records[:4]).max() < 1e-9


@pytest.mark.parametrize("seeds", [range(2), *slow(range(2, 8))])
def test_links_that_leave_few_axes_have_a_density_place_the_sample_too(seeds):
    """A sample beside links must not tell less than the links alone: transport by itself did, of normal tables."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table = ib.datasets.gaussian(rows=1_000, columns=100, seed=seed)
        sample, records, known = table[:400], table[400:], 60
        held = ib.Knowledge(known=records[:known], sample=sample)
        asked = {"motion": "orthogonal", "seed": 0}
        released = records @ rotation(100, rng).T
        found = ib.reconstruct("alignment", released, held, effort=200, **asked)
        links = ib.reconstruct("known-input", released, ib.Knowledge(known=records[:known]), **asked)
        own, alone, matched = (
            np.median(np.linalg.norm(one - records, axis=1)[known:] / np.linalg.norm(records, axis=1)[known:])
            for one in (found.estimates, links.estimates, found.variants["transport"])
        )
        assert found.objective == "density"
        assert own < 0.7 * min(alone, matched)
