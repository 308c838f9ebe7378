# SPDX-License-Identifier: BSD-3-Clause
"""The alignment attack: planted motions are found, what is not found says so, and only confirmed ones are claimed."""

import warnings

import numpy as np
import pytest

import isobreach as ib
from effort import slow
from isobreach._progress import no_progress
from isobreach.attacks import ATTACKS
from isobreach.attacks.alignment.certificate import NOT_FOUND
from isobreach.attacks.alignment.descent import Evaluations
from isobreach.attacks.alignment.twins import twins
from isobreach.attacks.base import reconstruct
from isobreach.engine import LocalEngine, as_engine
from isobreach.errors import InputError

ALIGNMENT = ATTACKS["alignment"]


def population(rows, rng, n=6):
    """Four skew clusters around a centre that is not the origin."""
    fixed = np.random.default_rng(7)
    centres, shapes = 2 + 3 * fixed.standard_normal((4, n)), fixed.standard_normal((4, n, n)) / 2
    which = rng.integers(0, 4, rows)
    return centres[which] + np.einsum("ri,rij->rj", rng.exponential(1, (rows, n)), shapes[which])


class Planted:
    """A population, a sample of 150 and a release of 300 others."""

    def __init__(self, seed, scheme="orthogonal", *, noise=0.0, rows=300, **more):
        rng = np.random.default_rng(seed)
        records = population(150 + rows, rng)
        self.sample, self.records = records[:150], records[150:]
        release = ib.perturb(self.records, scheme, seed=seed, **more)
        self.order = release.key.order
        self.released = np.asarray(release.data) + noise * rng.standard_normal(self.records.shape)

    def knowledge(self, insiders=0, **more):
        held = {"known": self.records[:insiders], "rows": self.order[:insiders]} if insiders else {}
        return ib.Knowledge(**{"sample": self.sample, **held, **more})

    def attacked(self, knowledge, *, epsilon=0.15, **settings):
        return ib.reconstruct("alignment", self.released, knowledge, seed=0, epsilon=epsilon, **settings)

    def share(self, estimates, epsilon=0.15):
        errors = np.linalg.norm(np.asarray(estimates)[self.order] - self.records, axis=1)
        return float((errors <= epsilon * np.linalg.norm(self.records, axis=1)).mean())


@pytest.mark.parametrize("seeds", [1, *slow(8)])
@pytest.mark.parametrize(("scheme", "insiders"), [("orthogonal", 0), ("rigid", 0), *slow(("rigid", 1))])
def test_a_sample_undoes_a_motion(scheme, insiders, seeds):
    """Of nearly all releases; where the search ends in another optimum, the certificate says so."""
    shares = []
    for seed in range(seeds):
        case = Planted(seed, scheme)
        found = case.attacked(case.knowledge(insiders))
        shares.append(case.share(found.estimates))
        assert found.motion == scheme
        assert found.objective == "density"
        assert not found.claimed  # nobody is left to confirm it
        assert not found.decided
        if found.certificate < NOT_FOUND:
            assert shares[-1] > 0.8
            assert 0 <= found.forecast <= 1
            assert "no known record was left" in found.reason
    assert np.mean(shares) > 0.8


@pytest.mark.slow
def test_a_refuted_optimum_is_no_end_of_the_search():
    """Behind a translation the principal axes of this table lead into wrong optima; random rotations lead out."""
    shares = []
    for seed in (2, 12, 14):
        case = Planted(seed, "rigid")
        shares.append(case.share(case.attacked(case.knowledge()).estimates))
    assert max(shares) > 0.8


def test_the_estimates_are_those_of_the_motion_it_gives():
    case = Planted(0)
    found = case.attacked(case.knowledge(1))
    raw = case.released @ found.motion_matrix + found.offset
    assert found.variants["as fitted"] == pytest.approx(raw)
    # Under its own name too: what an objective does must not hang on which one is trusted.
    assert (found.variants[found.objective] == found.estimates).all()
    assert (found.variants[f"{found.objective}, as fitted"] == found.variants["as fitted"]).all()
    assert found.motion_matrix @ found.motion_matrix.T == pytest.approx(np.eye(6))
    lengths = np.linalg.norm(found.variants["length"], axis=1) / np.linalg.norm(case.released, axis=1)
    assert lengths == pytest.approx(np.sqrt(1 - 0.15**2))
    assert raw[case.order[0]] == pytest.approx(case.records[0])  # the link is kept


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_under_noise_links_pull_and_rows_are_moved_to_their_mean(seed):
    case = Planted(seed, noise=0.3)
    found = case.attacked(case.knowledge(3, noise=0.3))
    assert found.motion == "orthogonal"
    assert case.share(found.estimates) > 0.5
    errors = {
        name: np.linalg.norm(found.variants[name][case.order] - case.records) for name in ("as fitted", "noise left in")
    }
    assert errors["as fitted"] < errors["noise left in"]


@pytest.mark.parametrize("seeds", [range(2), *slow(range(8))])
def test_under_noise_links_are_fitted_to_rows_freed_of_it(seeds):
    """Insiders without a sample: the density of the release alone moves rows to their means, their own rows as well."""
    shares, plain = [], []
    for seed in seeds:
        case = Planted(seed, noise=1.0)
        found = case.attacked(case.knowledge(12, sample=None, noise=1.0))
        shares.append(max(case.share(one) for one in (found.estimates, *found.variants.values())))
        assert not found.claimed  # a fit is not certain, and nobody is left to confirm it
        known, rows = case.records[:12], case.released[case.order[:12]]
        left, _, right = np.linalg.svd(rows.T @ known)
        plain.append(case.share(case.released @ left @ right))
    assert np.mean(shares) > 5 * np.mean(plain)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, *slow(0, 1, *range(3, 8))])
def test_under_noise_links_refute_components_and_series(seed):
    """Principal axes of a normal table are no attributes, and some of its eigenvalues look like those of a series."""
    rng = np.random.default_rng(seed)
    records = rng.standard_normal((1000, 6)) @ rng.standard_normal((6, 6)) + 3
    release = ib.perturb(records, "orthogonal", seed=seed)
    released = release.data + 0.2 * rng.standard_normal(records.shape)
    held = ib.Knowledge(known=records[:20], rows=release.key.order[:20], noise=0.2)
    found = ib.reconstruct("alignment", released, held, seed=0, motion="orthogonal")
    assert found.objective == "links"


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_a_sample_of_another_population_is_not_found(seed):
    case = Planted(seed)
    rng = np.random.default_rng(seed)
    shuffled = np.stack([rng.permutation(column) for column in case.sample.T], axis=1)
    found = case.attacked(case.knowledge(2, sample=shuffled))
    assert found.certificate > 3
    assert found.forecast is None
    assert "not found" in found.reason
    assert not found.claimed
    assert case.share(found.estimates) < 0.2


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_records_that_were_not_used_confirm_it(seed):
    case = Planted(seed)
    found = case.attacked(case.knowledge(4), set_aside=3)
    assert (found.linked, found.unused) == (1, 3)
    right = case.share(found.estimates) > 0.8
    assert found.claimed == (found.confirmed == 3)
    assert right or not found.claimed
    unlinked = case.attacked(case.knowledge(known=case.records[:2], rows=[-1, -1]))
    assert (unlinked.linked, unlinked.unused) == (0, 2)
    assert case.share(unlinked.estimates) > 0.8 or not unlinked.claimed
    if seed == 0:
        assert found.claimed
        assert unlinked.claimed


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_strangers_refute_it(seed):
    case = Planted(seed)
    strangers = population(3, np.random.default_rng(100 + seed))
    found = case.attacked(case.knowledge(known=strangers, rows=[-1, -1, -1]))
    assert not found.claimed
    assert "known records that the fit did not use are not at their place" in found.reason


def independent(seed, scheme, rows=1000, columns=6):
    """Independent exponential columns behind a motion: records, release and the rows of the records."""
    records = np.random.default_rng(seed).exponential(1, (rows, columns))
    release = ib.perturb(records, scheme, seed=seed)
    return records, np.asarray(release.data), release.key.order


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
@pytest.mark.parametrize(("scheme", "insiders"), [("orthogonal", 2), ("rigid", 3)])
def test_independent_attributes_need_no_sample(scheme, insiders, seed):
    records, released, order = independent(seed, scheme)
    knowledge = ib.Knowledge(known=records[:insiders], rows=order[:insiders])
    found = ib.reconstruct("alignment", released, knowledge, seed=0, epsilon=0.15)
    errors = np.linalg.norm(found.estimates[order] - records, axis=1)
    assert (errors <= 0.15 * np.linalg.norm(records, axis=1)).mean() > 0.8
    assert found.objective == "independence"
    assert found.certificate is None
    assert not found.claimed


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_values_that_are_not_negative_give_a_rotation_away(seed):
    rng = np.random.default_rng(seed)
    records = np.exp(0.5 * rng.standard_normal((600, 1)) + 0.6 * rng.standard_normal((600, 5)))
    release = ib.perturb(records, "orthogonal", seed=seed)
    order = release.key.order
    knowledge = ib.Knowledge(known=records[:3], rows=order[:3], bounds=(0, np.inf))
    found = ib.reconstruct("alignment", release.data, knowledge, seed=0, epsilon=0.15, objective="ranges")
    assert found.objective == "ranges"
    assert (found.variants["as fitted"] > -0.2).all()
    errors = np.linalg.norm(found.estimates[order] - records, axis=1)
    assert (errors <= 0.15 * np.linalg.norm(records, axis=1)).mean() > 0.8


@pytest.mark.parametrize("seed", [3, *slow(0, 1, 2, *range(4, 8))])
def test_values_on_a_grid_give_the_motion_better_than_components(seed):
    """Eight insiders under noise of 0.3: components find the axes, and the grid of all rows what they miss.

    No two columns are alike to the insiders: nothing would tell which is which.
    """
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (500, 10)).astype(float)
    while len(np.unique(bits[:8], axis=1).T) < 10:
        bits = rng.integers(0, 2, (500, 10)).astype(float)
    bits[~bits.any(axis=1), 0] = 1
    release = ib.perturb(bits, ib.schemes.Noisy(noise=0.3), seed=seed)
    held = {"known": bits[:8], "rows": release.key.order[:8], "noise": release.key.noise}
    found = ib.reconstruct("alignment", release.data, ib.Knowledge(**held), seed=0, motion="orthogonal")
    told = found.variants["refitted, likely values"][release.key.order]
    assert (told == bits).all(axis=1)[8:].mean() > 0.97


def test_other_objectives_are_variants():
    case = Planted(0)
    found = case.attacked(case.knowledge(2, bounds=(-30, 30)))
    assert found.objective == "density"
    assert {"independence", "ranges"} < set(found.variants)


def test_links_that_determine_the_motion_are_a_claim():
    case = Planted(0)
    found = case.attacked(ib.Knowledge(known=case.records[:8]))
    assert found.claimed
    assert found.objective == "links"
    assert found.hidden_dimension == 0
    assert found.motion_matrix @ found.motion_matrix.T == pytest.approx(np.eye(6))
    assert found.variants["as fitted"][case.order] == pytest.approx(case.records)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [[0], *slow(range(1, 8))])
def test_records_of_the_sample_that_recur_in_the_release_are_links(seeds):
    """Codes, each column with a step of its own: nobody is known, and 150 public records read every value."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        kinds = rng.integers(0, 4, (5, 8))[rng.integers(0, 5, 750)]
        codes = np.where(rng.random(kinds.shape) < 0.1, rng.integers(0, 4, kinds.shape), kinds) * np.sqrt(range(2, 10))
        sample, records = codes[:150], codes[150:]
        release = ib.perturb(records, "orthogonal", seed=seed)
        found = ib.reconstruct("alignment", release.data, ib.Knowledge(sample=sample), seed=0, motion="orthogonal")
        assert found.claimed
        np.testing.assert_allclose(found.estimates[release.key.order], records, atol=1e-8)
    strangers = np.column_stack([rng.permutation(column) for column in sample.T])
    knows = ib.Knowledge(sample=strangers)
    assert not ib.reconstruct("alignment", release.data, knows, seed=0, motion="orthogonal", effort=1).claimed


@pytest.mark.slow
def test_known_records_are_linked_where_their_rows_are_not_given():
    case = Planted(0, "rigid")
    given = case.attacked(case.knowledge(3), effort=300)
    linked = case.attacked(case.knowledge(known=case.records[:3]), effort=300)
    assert (linked.linkage.rows == case.order[:3]).all()
    assert linked.estimates == pytest.approx(given.estimates)


@pytest.mark.slow
def test_a_study_changes_nothing():
    case = Planted(0, rows=120)
    engine = LocalEngine(case.released)
    studied = ALIGNMENT.study(engine, noise=None, seed=5, progress=lambda *_: None, **ALIGNMENT.checked({}))
    arguments = {"seed": 5, "progress": lambda *_: None, "settings": {"effort": 300}}
    for insiders in (2,):
        alone = reconstruct(ALIGNMENT, engine, case.knowledge(insiders), **arguments)
        with_study = reconstruct(ALIGNMENT, engine, case.knowledge(insiders), studied=studied, **arguments)
        assert (alone.estimates == with_study.estimates).all()
        assert alone.evaluations == with_study.evaluations


def test_the_seed_decides_and_nothing_else():
    case = Planted(0, rows=120)
    one, other = (
        ib.reconstruct("alignment", engine, case.knowledge(1), seed=3, effort=300)
        for engine in (LocalEngine(case.released, workers=1), LocalEngine(case.released, workers=2, block_rows=50))
    )
    assert (one.estimates == other.estimates).all()
    assert one.evaluations == other.evaluations


def test_effort_limits_the_search():
    case = Planted(0)
    little, much = (case.attacked(case.knowledge(), effort=effort) for effort in (1, 300))
    assert little.evaluations < much.evaluations


@pytest.mark.slow
def test_a_wider_release_is_reduced_to_its_flat():
    case = Planted(0)
    rng = np.random.default_rng(0)
    turned = np.linalg.qr(rng.standard_normal((9, 9)))[0]
    case.released = np.hstack([case.released, np.zeros((len(case.released), 3))]) @ turned.T
    found = case.attacked(case.knowledge(1))
    assert case.share(found.estimates) > 0.8
    assert found.motion_matrix.shape == (9, 6)
    assert case.released @ found.motion_matrix + found.offset == pytest.approx(found.variants["as fitted"])


def test_without_knowledge_nothing_is_sought():
    case = Planted(0)
    with pytest.raises(InputError, match="must have known records or a public sample or ranges"):
        case.attacked(ib.Knowledge())
    nobody = case.attacked(ib.Knowledge(known=case.records[:2], rows=[-1, -1]))
    assert not nobody.claimed
    assert np.isnan(nobody.estimates).all()
    assert "no record is linked" in nobody.reason
    few = ib.reconstruct("alignment", case.released[:4], case.knowledge(), seed=0)
    assert "too few different released rows" in few.reason
    with pytest.raises(InputError, match="It needs a public sample of at least two records"):
        case.attacked(ib.Knowledge(known=case.records[:1], rows=case.order[:1]), objective="density")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"effort": 0}, "effort must be a whole number >= 1. Got 0"),
        ({"set_aside": -1}, "set_aside must be a whole number >= 0. Got -1"),
        ({"motion": "affine"}, "motion must be one of"),
        ({"objective": "magic"}, "objective must be one of"),
        ({"epsilon": 0}, "epsilon must be"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        ib.reconstruct("alignment", np.eye(3), ib.Knowledge(sample=np.eye(3)), **settings)


def test_its_document_says_what_a_certificate_is():
    case = Planted(0)
    found = case.attacked(case.knowledge(known=case.records[:3]))
    document = ALIGNMENT.describe(found)
    assert document.verdict.startswith("Alignment attack: ")
    assert document.data["certificate"] == found.certificate
    assert document.data["motion"] == "orthogonal"
    assert "A low loss is no proof" in document.sections[0].blocks[1].text
    assert len(document.data["links"]) == 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_known_records_on_a_grid_confirm_nothing(seed):
    """Other orders and signs of 0/1 columns take them to rows of other people exactly: such claims were wrong."""
    records = np.random.default_rng(seed).integers(0, 2, (60, 5)).astype(np.float64)
    release = ib.perturb(records, "orthogonal", seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # records of 0 and 1 are seldom linked
        found = ib.reconstruct("alignment", release.data, ib.Knowledge(known=records[:3], bounds=(0, 1)), seed=seed)
    assert not found.claimed


def test_shared_zeros_undo_a_rotation_and_are_no_proof():
    rng = np.random.default_rng(0)
    size = np.exp(rng.normal(size=(400, 1)))
    records = np.where(rng.random((400, 5)) < 0.4, 0.0, size * np.exp(rng.normal(size=(400, 5))))
    records[:3] = size[:3] * np.exp(rng.normal(size=(3, 5)))
    release = ib.perturb(records, ib.schemes.Orthogonal(), seed=1)
    knowledge = ib.Knowledge(known=records[:3], rows=release.key.order[:3])
    found = ib.reconstruct("alignment", release.data, knowledge, seed=0, set_aside=1)
    assert found.objective == "planes"
    assert found.variants["as fitted"][release.key.order] == pytest.approx(records, abs=1e-6)
    assert (found.linked, found.confirmed) == (2, 1)
    assert not found.claimed
    assert "not confirmed" in found.reason


@pytest.mark.parametrize("scheme", [ib.schemes.Orthogonal(), ib.schemes.Rigid()], ids=lambda one: one.name)
def test_people_in_sample_and_release_are_links(scheme):
    for seed in range(8):
        people = np.random.default_rng(seed).normal(size=(200, 4))
        release = ib.perturb(people[:150], scheme, seed=seed)
        sample = people[140:]  # ten of them are in both
        found = ib.reconstruct(
            "alignment", release.data, ib.Knowledge(sample=sample), seed=0, motion=scheme.model.motion
        )
        assert (found.objective, found.linked) == ("links", 10)
        assert found.variants["as fitted"][release.key.order] == pytest.approx(people[:150], abs=1e-6)


def test_vectors_of_one_length_are_linked_by_votes_of_distances(monkeypatch):
    """Lengths tell nothing there: where no distances vote, rows are not all compared, which is quadratic."""
    for seed in range(8):
        vectors = np.random.default_rng(seed).normal(size=(260, 6))
        vectors /= np.linalg.norm(vectors, axis=1)[:, None]
        release = ib.perturb(vectors[:200], ib.schemes.Orthogonal(), seed=seed)
        asked = as_engine(release.data), release.data
        known, rows = twins(*asked, vectors[185:], "orthogonal", 0.0, no_progress, Evaluations(0))
        places = np.flatnonzero((known[:, None] == vectors[185:200]).all(axis=2).any(axis=0)) + 185
        assert len(known) == len(places) == 15
        np.testing.assert_array_equal(rows, release.data[release.key.order[places]])
        with monkeypatch.context() as patched:
            patched.delattr("isobreach.attacks.alignment.twins.link")
            assert twins(*asked, vectors[200:], "orthogonal", 0.0, no_progress, Evaluations(0)) == ()


def test_a_sample_without_people_of_the_release_links_nobody():
    for seed in range(8):
        people = np.random.default_rng(seed).normal(size=(200, 4))
        release = ib.perturb(people[:150], ib.schemes.Rigid(), seed=seed)
        assert (
            twins(as_engine(release.data), release.data, people[150:], "rigid", 0.0, no_progress, Evaluations(0)) == ()
        )


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_cosines_and_sines_undo_a_rotation(seed):
    turns = np.random.default_rng(seed).normal(size=(150, 3)).cumsum(axis=1)
    records = np.hstack([np.cos(turns), np.sin(turns)])
    release = ib.perturb(records, ib.schemes.Orthogonal(), seed=seed)
    knowledge = ib.Knowledge(known=records[:2], rows=release.key.order[:2])
    found = ib.reconstruct("alignment", release.data, knowledge, seed=0)
    assert (found.objective, found.claimed) == ("quadrics", False)
    assert found.variants["as fitted"][release.key.order] == pytest.approx(records, abs=1e-6)
