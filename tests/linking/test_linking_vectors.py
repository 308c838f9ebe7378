# SPDX-License-Identifier: BSD-3-Clause
"""Vectors as stores hold them: in 8 and 4 bits, on an unknown scale, with noise, in fewer columns."""

import numpy as np
import pytest

from effort import slow
from isobreach.engine import as_engine
from isobreach.linking import link, solving
from isobreach.linking.narrow import projected_guesses, truncated
from isobreach.linking.noisy import law
from isobreach.linking.noisy.scaling import scale_of
from isobreach.release import released_precision
from isobreach.release.levels import levels_of
from isobreach.schemes import OrthogonalNoise, perturb
from oracles import rotation
from sentence_vectors import sentence_vectors

ROWS, COLUMNS = 500, 64
CODEBOOK = np.array([0.1284, 0.3882, 0.6568, 0.9423, 1.2562, 1.6180, 2.0690, 2.7326])


def _bytes(rows):
    return np.clip(np.rint(rows / np.abs(rows).max() * 127), -128, 127)


def _codes(rows):
    """Four bits a coordinate, by the best codebook of a normal variable."""
    levels = np.concatenate([-CODEBOOK[::-1], CODEBOOK]) / np.sqrt(rows.shape[1])
    return levels[np.abs(rows[:, :, None] - levels).argmin(axis=2)].astype(np.float32)


def _zero_point(rows):
    low, high = rows.min(), rows.max()
    return np.rint((rows - low) / (high - low) * 255).astype(np.uint8)


STORED = {
    "float16": lambda rows: rows.astype(np.float16),
    "int8": lambda rows: _bytes(rows).astype(np.int8),
    "int8 times its scale": lambda rows: (_bytes(rows) * np.float32(np.abs(rows).max() / 127)).astype(np.float32),
    "uint8 with a zero point": _zero_point,
    "4 bits": _codes,
}


@pytest.mark.parametrize("bits", [1, 2, 4, "cut off", 8])
def test_levels_show_the_error_and_the_gain_of_rounding(bits):
    """Against the true error of normal numbers that were rounded; "cut off": at one standard deviation."""
    numbers = np.random.default_rng(0).standard_normal((2000, 64))
    levels = {
        1: np.array([0.8]),
        2: np.array([0.4528, 1.5104]),
        4: CODEBOOK,
        "cut off": CODEBOOK[:4],
        8: (np.arange(128) + 0.5) / 128 * 3,
    }[bits]
    levels = np.concatenate([-levels[::-1], levels])
    place = np.searchsorted((levels[1:] + levels[:-1]) / 2, numbers)
    rounded = levels[place]
    slope = (rounded * numbers).mean() / (numbers**2).mean()
    found = levels_of(rounded)
    assert found.count == len(levels)
    assert found.deviation == pytest.approx(np.sqrt(((rounded - slope * numbers) ** 2).mean()), rel=0.1)
    if bits != 1:  # two levels show no scale
        assert found.gain == pytest.approx(slope, rel=0.01)
    assert levels_of(numbers) is None


def test_the_joint_law_with_an_error_of_the_scale_and_behind_a_projection():
    rng = np.random.default_rng(0)
    records, trials, columns = rng.standard_normal((3, 5)), 20_000, 7
    pairs = law.lengths_of(3, True)
    factors = np.sqrt(1 + 0.05 * rng.standard_normal(trials))
    scaled = factors[:, None, None] * records + 0.01 * rng.standard_normal((trials, 3, 5))
    projected = records @ rng.standard_normal((trials, 5, columns)) / np.sqrt(columns)
    for rows, arguments in ((scaled, (0.01, 5, 0.05)), (projected, (0.0, columns, 0.0, columns))):
        mean, covariance = law.joint_law(records, pairs, *arguments)
        drawn = np.stack([((rows[:, j] - (0 if i < 0 else rows[:, i])) ** 2).sum(axis=1) for i, j in pairs], axis=1)
        spread = np.sqrt(np.diag(covariance))
        assert (abs(drawn.mean(axis=0) - mean) <= 5 * spread / np.sqrt(trials)).all()
        assert (abs(np.cov(drawn.T) - covariance) <= 10 * np.outer(spread, spread) / np.sqrt(trials)).all()


@pytest.mark.parametrize("noise", [0.0, 0.002])
def test_a_sphere_shows_the_scale_behind_a_translation(noise):
    rng = np.random.default_rng(0)
    records = sentence_vectors(0, 600, 32).astype(np.float64)
    points = (
        3.7 * records @ rotation(32, rng).T + rng.standard_normal(32) + 3.7 * noise * rng.standard_normal((600, 32))
    )
    scale, unit = scale_of(records[:4], points, 3.7 * noise, translates=True, scales=True)
    assert (unit, scale.value) == (True, pytest.approx(3.7, rel=2e-3))


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
@pytest.mark.parametrize("store", STORED)
def test_known_vectors_are_found_however_they_are_stored(store, seed):
    vectors = sentence_vectors(seed, ROWS, COLUMNS, topics=30)
    release = perturb(vectors, "orthogonal", seed=seed)
    linkage = link(vectors[:12], STORED[store](release.data))
    assert ((linkage.rows == release.key.order[:12]) | (linkage.rows == -1)).all()
    assert len(linkage.linked) >= 8


FINER = [(store, motion) for store in STORED if store != "4 bits" for motion in ("auto", "orthogonal")]
QUICK = [("float16", "auto"), ("int8", "orthogonal")]
# In four bits there are many rows for every distance: a case takes as long as ten of the others.
COARSE = [("4 bits", "auto", 0), *(("4 bits", "orthogonal", seed) for seed in range(4))]


@pytest.mark.parametrize(
    ("store", "motion", "seed"),
    [
        *((*case, 0) for case in QUICK),
        *slow(*((*case, seed) for case in FINER for seed in range(8) if seed or case not in QUICK)),
        *slow(*COARSE),
    ],
)
def test_strangers_and_reworded_texts_are_not(store, motion, seed):
    """Four strangers, and eight known records of which half are there, among near copies."""
    vectors = sentence_vectors(seed, ROWS + 8, COLUMNS, topics=30, copies=0.2)
    release = perturb(vectors[8:], "orthogonal", seed=seed)
    stored = STORED[store](release.data)
    assert not len(link(vectors[:4], stored, motion=motion).linked)
    linkage = link(vectors[4:12], stored, motion=motion)
    truth = np.concatenate([np.full(4, -1), release.key.order[:4]])
    assert ((linkage.rows == truth) | (linkage.rows == -1)).all()


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_scale_translation_and_noise_together(seed):
    vectors = sentence_vectors(seed, ROWS, COLUMNS, topics=30)
    release = perturb(vectors, OrthogonalNoise(0.03), seed=seed)
    moved = 3.7 * release.data + np.random.default_rng(seed).standard_normal(COLUMNS)
    linkage = link(vectors[:12], moved, motion="similarity", noise=3.7 * release.key.noise)
    assert ((linkage.rows == release.key.order[:12]) | (linkage.rows == -1)).all()
    assert len(linkage.linked) >= 8
    assert linkage.scale == pytest.approx(3.7, rel=0.01)


def test_truncated_vectors_are_linked_by_their_first_attributes():
    vectors = sentence_vectors(0, 300, 48).astype(np.float64)
    cut = vectors[:, :32] / np.linalg.norm(vectors[:, :32], axis=1, keepdims=True)
    release = perturb(cut, "orthogonal", seed=0)
    linkage = link(vectors[:6], release.data)
    assert linkage.rows.tolist() == release.key.order[:6].tolist()
    assert linkage.reason.endswith("it holds the first attributes, moved")


def test_whole_numbers_of_one_length_are_cut_to_what_they_are():
    known = np.array([[3, 4, 0, 0], [0, 3, 4, 0], [4, 0, 0, 3]], dtype=np.int8)
    cut = truncated(known, 3, np.eye(3))
    np.testing.assert_allclose(cut, known[:, :3] / np.linalg.norm(known[:, :3], axis=1, keepdims=True))


@pytest.mark.parametrize("seed", range(8))
def test_values_beyond_the_last_level_may_be_anywhere(seed):
    """Cut off at so many deviations, in 8 bits, with its scale or without; a scale of the largest cuts nothing."""
    rows = sentence_vectors(seed, ROWS, COLUMNS) @ rotation(COLUMNS, np.random.default_rng(seed))
    for at, bounded in ((2.0, False), (3.0, False), (np.abs(rows).max() / rows.std(), True)):
        step = at * rows.std() / 127
        stored = np.clip(np.rint(rows / step), -127, 127)
        errors = np.abs(rows / step - stored).max()
        for scaled in (stored.astype(np.int8), (stored * np.float32(step)).astype(np.float32)):
            assert released_precision(as_engine(scaled)).bounded == bounded
        assert (errors <= 0.5) == bounded
    counts = np.random.default_rng(seed).poisson(2.0, (ROWS, COLUMNS)).astype(float)  # full at zero, and exact
    assert link(counts[:5], counts[::-1, ::-1]).rows.tolist() == list(range(ROWS - 1, ROWS - 6, -1))


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_no_link_is_certain_behind_a_projection(seed):
    rng = np.random.default_rng(seed)
    records = rng.standard_normal((40, 64)) * np.exp(rng.standard_normal((40, 1)))
    released = records @ rng.standard_normal((64, 48)) / np.sqrt(48)
    linkage = link(records[:3], released)
    assert not len(linkage.linked)
    assert all(row in places for row, places in zip(range(3), linkage.candidates, strict=True))
    assert (linkage.posterior < 1).all()


def _told(seed, absent, monkeypatch):
    """Probabilities that are told behind projections, and whether they were told of the right rows.

    The first ``absent`` of three known records are in none of them. Plain records, topics, and a spectrum that decays;
    projections of independent entries, and to a frame.
    """
    rng = np.random.default_rng(seed)
    heard, told = [], []
    monkeypatch.setattr(
        solving,
        "projected_guesses",
        lambda known, found, *more: (
            heard.append((projected_guesses(known, found, *more), found.points)) or heard[-1][0]
        ),
    )
    for kind in ("plain", "topics", "decay"):
        for rows, columns, kept, spread in ((40, 64, 48, 1.0), (60, 96, 64, 0.7)):
            records = rng.standard_normal((rows, columns))
            if kind == "topics":
                records = rng.standard_normal((8, columns))[rng.integers(8, size=rows)] + 0.5 * records
            elif kind == "decay":
                records = records * np.arange(1, columns + 1) ** -0.7
            records = records * np.exp(spread * rng.standard_normal((rows, 1)))
            for matrix in (rng.standard_normal((columns, kept)), rotation(columns, rng)[:, :kept] * np.sqrt(columns)):
                released = (records @ matrix / np.sqrt(kept))[absent:]
                link(records[:3], released)
                guesses, points = heard[-1]
                for i in np.flatnonzero(guesses.posterior > 0.4):
                    right = i >= absent and np.allclose(points[guesses.likeliest[i]], released[i - absent])
                    told.append((guesses.posterior[i], right))
    return told


@pytest.mark.slow
@pytest.mark.parametrize("absent", [(1,), (0, 1, 3)])
def test_posteriors_behind_a_projection_are_honest(absent, monkeypatch):
    """As many rows are right as their probabilities say, within two standard errors; also where one is absent."""
    told = [one for seed in range(24) for several in absent for one in _told(seed, several, monkeypatch)]
    claimed, right = np.array(told).T
    assert len(told) > 80
    # The three records of a release are right together, or wrong: a third as many are independent.
    error = np.sqrt(3 * (claimed * (1 - claimed)).sum())
    assert abs(claimed.sum() - right.sum()) < 2 * error


def test_noise_and_motion_behind_a_projection():
    """Noise of a given level counts; of a level to be found, or with a translation that is named, nothing is told."""
    rng = np.random.default_rng(0)
    records = rng.standard_normal((40, 64)) * np.exp(rng.standard_normal((40, 1)))
    released = records @ rng.standard_normal((64, 48)) / np.sqrt(48) + 0.5 * rng.standard_normal((40, 48))
    told, ignored = (link(records[:3], released, motion="orthogonal", noise=noise) for noise in (0.5, None))
    assert all(row in places for row, places in zip(range(3), told.candidates, strict=True))
    assert 0 < told.posterior.max() < 1
    assert not np.allclose(told.posterior, ignored.posterior)
    for asked in ({"motion": "rigid"}, {"motion": "similarity"}, {"noise": "estimate"}):
        linkage = link(records[:3], released, **asked)
        assert not len(linkage.linked)
        assert not linkage.posterior.any()
        assert [len(places) for places in linkage.candidates] == [40, 40, 40]
        assert linkage.reason.endswith("fix the origin, with noise of a given level")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_eight_known_vectors_at_the_noise_that_packages_add(seed):
    vectors = sentence_vectors(seed, 4000)
    release = perturb(vectors, OrthogonalNoise(0.1), seed=seed)
    linkage = link(vectors[:8], release.data, noise=release.key.noise)
    assert ((linkage.rows == release.key.order[:8]) | (linkage.rows == -1)).all()
