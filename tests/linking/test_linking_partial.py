# SPDX-License-Identifier: BSD-3-Clause
"""Partial records: as many links as attributes are missing complete them, and nobody else is taken for them."""

import numpy as np
import pytest

from effort import slow
from isobreach import datasets
from isobreach.engine import LocalEngine, as_engine, using
from isobreach.errors import InputError
from isobreach.linking import link, link_records, no_link, partial_sentence, unlinked_reasons
from isobreach.linking.partial.completion import Completed, LinkedPairs
from isobreach.linking.partial.equations import Equations, LinkedView
from isobreach.release import given_precision, released_precision
from oracles import possible_rows, rotation
from partial_cases import STORES, TABLES, plant, random_case

ANY = np.inf  # as a limit of chance: whoever is known is in the release


def _jittered(seed, rows=2000):
    rng = np.random.default_rng(seed)
    letter = datasets.load("letter").values
    return letter[rng.permutation(len(letter))[:rows]] + rng.random((rows, 16)), rng


# --- which rows fit ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("high", [4, 12, None])
@pytest.mark.parametrize("seed", [0, 1, *slow(*range(2, 40))])
def test_the_rows_that_fit_are_those_whose_unknowns_can_be_chosen(motion, high, seed):
    """Brute force: a row is possible if numbers exist that keep every inner product with a link, and the norm."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    records = rng.standard_normal((40, n)) if high is None else rng.integers(0, high, (40, n)).astype(float)
    lacking = lambda draw: int(draw.integers(1, n))  # noqa: E731
    case = plant(records, rng, complete=n, partial=5, strangers=5, lacking=lacking, motion=motion)
    linkage = link(case.known, case.released, motion=motion, chance_limit=ANY)
    filled, waiting = linkage.complete_known(case.known), []
    for i in linkage.partial.tolist():
        others = linkage.linked[linkage.linked != i]
        possible, determined = possible_rows(
            case.known[i], filled[others], case.released[linkage.rows[others]], case.released, motion
        )
        assert set(possible) <= set(linkage.candidates[i].tolist())
        if determined:
            assert possible == linkage.candidates[i].tolist()
            values = len(np.unique(np.round(case.released[possible], 9), axis=0))
            if values == 1 and linkage.status[i] == "ambiguous":
                waiting.append(i)
            else:
                assert linkage.status[i] == ("absent" if not possible else "linked" if values == 1 else "ambiguous")
        else:
            assert linkage.status[i] == "ambiguous"
    assert len(waiting) != 1  # who contradicts somebody else waits, and so does the other


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
@pytest.mark.parametrize("kind", ["lognormal", "Letter"])
def test_the_true_row_always_fits_whatever_the_rounding_did(kind, motion, store):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        records = TABLES[kind](rng, 60, 7)
        case = plant(records, rng, complete=6, partial=30, strangers=0, lacking=2, motion=motion, store=store, wide=9)
        partial, linked = case.partial, case.truth[~case.partial]
        rows, precision = case.released.astype(float), released_precision(as_engine(case.released))
        norms = np.linalg.norm(rows, axis=1).max() + np.linalg.norm(records, axis=1).max()
        radius = precision.radius(np.full(len(linked), norms), 9)
        view = LinkedView.of(linked, rows[case.rows[~partial]], radius, precision, translates=motion == "rigid")
        along, hidden, error = view.seen(rows)
        for record, row, truth in zip(case.known[partial], case.rows[partial], case.truth[partial], strict=True):
            equations = Equations.of(record, view, 0.0)
            if equations is None:
                continue
            assert equations.misfit(along, np.linalg.norm(hidden, axis=1), error)[row] <= 1
            unknown = np.isnan(record)
            solved = equations.solved(along[row]) + view.motions.known_centre[unknown]
            assert np.linalg.norm(solved - truth[unknown]) <= error[row] / equations.strength


# --- how many links it takes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lacking", [2, 4])
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_as_many_links_as_missing_attributes_are_enough_and_one_less_is_not(lacking, seed):
    for complete in (lacking - 1, lacking, lacking + 1):
        records, rng = _jittered(seed, 600)
        case = plant(records, rng, complete=complete, partial=16, strangers=0, lacking=lacking)
        linkage = link(case.known, case.released)
        if complete < lacking:
            assert linkage.counts() == {"linked": complete, "ambiguous": 16, "absent": 0}
        else:
            assert linkage.rows.tolist() == case.rows.tolist()
            assert linkage.completed.tolist() == np.flatnonzero(case.partial).tolist()
            assert np.nanmax(linkage.chance) <= 1e-3
        np.testing.assert_allclose(linkage.filled, case.truth[linkage.completed], atol=1e-9)


def test_behind_a_translation_it_takes_one_link_more():
    for complete in (3, 4):
        records, rng = _jittered(3, 600)
        case = plant(records, rng, complete=complete, partial=10, strangers=0, lacking=3, motion="rigid")
        linkage = link(case.known, case.released)
        assert linkage.motion == "rigid"
        assert len(linkage.completed) == (10 if complete == 4 else 0)
        assert not case.wrong(linkage)


def test_one_completed_record_helps_the_next():
    """One complete record; the others lack 1, 2, ..., 6 attributes: each is found by those before it."""
    rng = np.random.default_rng(0)
    records = rng.standard_normal((300, 8))
    case = plant(records, rng, complete=7, partial=0, strangers=0, lacking=0)
    known = case.known.copy()
    for i in range(1, 7):
        known[i, rng.permutation(8)[:i]] = np.nan
    linkage = link(known, case.released, motion="orthogonal")
    assert linkage.rows.tolist() == case.rows.tolist()
    np.testing.assert_allclose(linkage.complete_known(known), case.truth, atol=1e-7)
    alone = link(np.delete(known, 1, axis=0), case.released, motion="orthogonal")
    assert len(alone.linked) == 1  # the chain is broken


@pytest.mark.parametrize("store", ["float32", "6 decimals", "3 decimals"])
@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_rounded_releases_complete_records_within_their_radius(store, motion):
    rng = np.random.default_rng(1)
    records = rng.normal(50, 20, (400, 8))
    case = plant(records, rng, complete=9, partial=10, strangers=4, lacking=2, motion=motion, store=store)
    linkage = link(case.known, case.released, motion=motion)
    assert not case.wrong(linkage)
    assert len(linkage.completed) == 10
    errors = np.linalg.norm(linkage.filled - case.truth[linkage.completed], axis=1)
    assert (errors <= linkage.radius[linkage.completed]).all()
    assert (linkage.status[case.rows < 0] == "absent").all()


@pytest.mark.parametrize("kind", ["whole numbers", "large whole numbers", "decimals", "mixed"])
def test_records_on_grids_are_completed(kind):
    rng = np.random.default_rng(2)
    case = plant(TABLES[kind](rng, 500, 12), rng, complete=13, partial=12, strangers=12, lacking=2)
    linkage = link(case.known, case.released, motion="orthogonal")
    assert linkage.completed.tolist() == np.flatnonzero(case.partial & (case.rows >= 0)).tolist()
    assert (linkage.rows == case.rows).all()


def test_a_scale_and_more_columns():
    rng = np.random.default_rng(4)
    case = plant(rng.standard_normal((200, 6)), rng, complete=7, partial=6, strangers=2, lacking=2, wide=9)
    linkage = link(case.known, 2.5 * case.released + 3, motion="similarity")
    assert linkage.rows.tolist() == case.rows.tolist()
    assert linkage.scale == pytest.approx(2.5)
    np.testing.assert_allclose(linkage.filled, case.truth[linkage.completed], atol=1e-7)


# --- no wrong link ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("seeds", [range(2), *slow(range(2, 27), range(27, 52))])
def test_no_link_is_wrong(kind, seeds):
    """Random sizes, motions, roundings, missing cells, strangers: 16 kinds of tables, 32 cases here, 832 in all."""
    for seed in seeds:
        case = random_case(kind, seed)
        linkage = link(case.known, case.released, motion=case.motion)
        assert not [i for i in case.wrong(linkage) if case.partial[i]], seed
        present = case.partial & (case.rows >= 0)
        assert not (linkage.status[present] == "absent").any(), seed


@pytest.mark.parametrize("kind", ["Letter", "answers", "groups", "standardised answers", "0/1", "sparse"])
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_strangers_who_agree_with_somebody_are_not_linked(kind, seed):
    """Each stranger is a person of the release but for one attribute, which is missing."""
    rng = np.random.default_rng(seed)
    records = TABLES[kind](rng, 300, 8)
    case = plant(records, rng, complete=9, partial=20, strangers=0, lacking=0)
    known, complete = case.known.copy(), rng.permutation(29)[:9]
    twins = np.setdiff1d(np.arange(29), complete)
    attribute = rng.integers(0, 8, len(twins))
    known[twins, attribute] = np.nan
    linkage = link(known, case.released, motion="orthogonal")
    # Whether they are there cannot be told: what is linked here would be linked for a stranger, too.
    assert not len(linkage.completed)


def test_strangers_are_absent_and_do_not_stand_in_the_way():
    records, rng = _jittered(5)
    case = plant(records, rng, complete=4, partial=10, strangers=30, lacking=3)
    linkage = link(case.known, case.released)
    assert linkage.rows.tolist() == case.rows.tolist()
    assert (linkage.status[case.rows < 0] == "absent").all()


def test_two_records_that_differ_are_not_linked_to_one_row():
    pairs = LinkedPairs(np.array([[1.0, 2.0]]), np.array([[2.0, 1.0]]), np.array([1e-9]))
    same, other = [2.0, 1.0], [2.1, 1.0]
    for record, row, allowed in (
        ([1.0, 2.0 + 1e-9], same, True),
        ([1.0, 2.1], same, False),
        ([1.0, 2.1], other, True),
        ([1.0, 2.2], other, False),
    ):
        assert pairs.allows(Completed(np.array(record), np.array(row), np.array([17]), 1e-9, 1)) == allowed
    rng = np.random.default_rng(6)
    case = plant(rng.standard_normal((100, 5)), rng, complete=6, partial=0, strangers=0, lacking=0)
    twice = np.vstack([case.known, case.records[17], case.records[17]])
    twice[-2, 0], twice[-1, 1] = np.nan, np.nan  # one person, known in two ways
    assert link(twice, case.released, motion="orthogonal").rows[-2:].tolist() == [17, 17]


# --- values, copies, dictionaries -------------------------------------------------------------------------------------


def test_equal_rows_are_one_value_and_equal_partial_records_one_record():
    rng = np.random.default_rng(7)
    records = rng.standard_normal((100, 5))
    records[50] = records[3]
    released = records @ rotation(5, rng).T
    partial = records[3].copy()
    partial[[1, 2]] = np.nan
    linkage = link(np.vstack([records[:3], partial, partial]), released, motion="orthogonal")
    assert linkage.rows.tolist() == [0, 1, 2, 3, 3]
    assert [c.tolist() for c in linkage.candidates[3:]] == [[3, 50]] * 2
    np.testing.assert_allclose(linkage.filled, records[[3, 3]], atol=1e-9)


def test_records_of_a_dictionary_help_to_complete_others():
    rng = np.random.default_rng(8)
    case = plant(rng.standard_normal((300, 8)), rng, complete=3, partial=5, strangers=0, lacking=5)
    alone = link(case.known, case.released, motion="orthogonal")
    assert len(alone.completed) == 0
    dictionary = np.vstack([case.records[:4], rng.standard_normal((20, 8))])
    linkage = link(case.known, case.released, motion="orthogonal", dictionary=dictionary)
    assert linkage.dictionary.counts()["linked"] == 4
    assert linkage.rows.tolist() == case.rows.tolist()
    assert linkage.joined.completed.tolist() == linkage.completed.tolist()


def test_the_rule_is_about_complete_records():
    records, rng = _jittered(9, 300)
    case = plant(records, rng, complete=3, partial=5, strangers=1, lacking=2)
    both = [link(case.known, case.released, motion="orthogonal", rule=rule) for rule in ("backbone", "uniquely-valid")]
    assert both[0].rows.tolist() == both[1].rows.tolist() == case.rows.tolist()


# --- what cannot be done, and how it is said --------------------------------------------------------------------------


@pytest.mark.parametrize("motion", ["auto", "orthogonal", "rigid"])
def test_partial_records_alone_are_ambiguous_and_the_reason_is_said(motion):
    rng = np.random.default_rng(10)
    case = plant(rng.standard_normal((50, 5)), rng, complete=0, partial=6, strangers=0, lacking=1)
    linkage = link(case.known, case.released, motion=motion)
    assert linkage.counts() == {"linked": 0, "ambiguous": 6, "absent": 0}
    assert [len(rows) for rows in linkage.candidates] == [50] * 6
    assert no_link(linkage, 50).startswith("No link: no known record is complete")
    assert unlinked_reasons(linkage)[0].startswith("no known record is complete")
    assert (linkage.reason == "no known record is complete: nothing is decided") == (motion == "auto")
    case.released[3, 2] = np.nan
    with pytest.raises(
        InputError, match=r"released must be finite everywhere. Got 1 missing.*row 3.*, column ('c3'|2)"
    ):
        link(case.known, case.released, motion=motion)


@pytest.mark.parametrize("noise", [0.1, "estimate"])
def test_under_noise_partial_records_are_refused(noise):
    rng = np.random.default_rng(11)
    case = plant(rng.standard_normal((50, 5)), rng, complete=3, partial=2, strangers=0, lacking=1)
    with pytest.raises(InputError) as caught:
        link(case.known, case.released, noise=noise)
    rule = "known must hold complete records where there is noise. Got 2 with missing cells. Leave those out."
    assert str(caught.value) == rule
    assert len(link(case.known, case.released, noise=0.0, motion="orthogonal").completed) == 2


def test_sentences_say_how_many_were_completed_and_why_others_were_not():
    records, rng = _jittered(12, 500)
    case = plant(records, rng, complete=3, partial=4, strangers=1, lacking=2)
    known = case.known.copy()
    worse = np.flatnonzero(case.partial & (case.rows >= 0))[0]
    linkage = link(known, case.released)
    assert partial_sentence(linkage) == "4 of 5 partial records were completed; no row fits what is known of the rest."
    assert linkage.reason.startswith("all complete known records are found with their ")
    alone = link(known[(~case.partial) | (case.rows < 0)], case.released)
    assert partial_sentence(alone) == "0 of 1 partial record was completed; no row fits what is known of it."
    assert [one["partial"] for one in link_records(linkage)] == case.partial.tolist()
    known[worse, :15] = np.nan
    said = partial_sentence(link(known, case.released))
    assert said.startswith("3 of 5 partial records were completed; the links determine too little of the others, or")
    stranger = link(np.vstack([records[:1] + 1, known[case.partial]]), case.released)
    assert partial_sentence(stranger).startswith("0 of 5 partial records were completed: no complete record is linked")
    assert partial_sentence(link(case.known[~case.partial], case.released)) == ""
    coarse = plant(TABLES["Letter"](rng, 300, 8), rng, complete=9, partial=3, strangers=0, lacking=1)
    said = partial_sentence(link(coarse.known, coarse.released, motion="orthogonal"))
    assert said == "0 of 3 partial records were completed; the others fit one row each, as strangers might."


def test_blocks_and_workers_make_no_difference():
    records, rng = _jittered(13, 3000)
    case = plant(records, rng, complete=3, partial=6, strangers=3, lacking=3)
    results = []
    for options in ({"workers": 1}, {"workers": 2, "block_rows": 4096}, {"workers": 2, "block_rows": 8192}):
        with using(LocalEngine, **options):
            results.append(link(case.known, case.released))
    for other in results[1:]:
        assert other.rows.tobytes() == results[0].rows.tobytes()
        assert other.filled.tobytes() == results[0].filled.tobytes()
        assert other.chance.tobytes() == results[0].chance.tobytes()


def test_known_records_of_single_precision():
    records, rng = _jittered(14, 500)
    case = plant(records.astype(np.float32).astype(float), rng, complete=5, partial=6, strangers=2, lacking=2)
    linkage = link(case.known.astype(np.float32), case.released, motion="orthogonal")
    assert not case.wrong(linkage)
    given = link(case.known, case.released, motion="orthogonal", tolerance=given_precision(1e-6).step)
    assert given.rows.tolist() == case.rows.tolist()
