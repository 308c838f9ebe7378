# SPDX-License-Identifier: BSD-3-Clause
"""Schemes and attacks side by side: what a cell is, what it does not depend on, what it says where nothing works."""

import json
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

import isobreach as ib
from isobreach.attacks import ATTACKS, Attack, Knowledge, Reconstruction
from isobreach.audits import ComparisonAsked, ComparisonTable, compare
from isobreach.audits.comparing.asked import Contestant
from isobreach.audits.comparing.contest import Play, Rules, contest, deals, gives_away, holding, range_share
from isobreach.audits.comparing.measures import Marks, marks
from isobreach.audits.comparing.result import BEYOND
from isobreach.audits.comparing.summing import _told, cell_figures, scheme_figures
from isobreach.audits.groups import Groups
from isobreach.audits.players import PLAIN
from isobreach.errors import InputError
from isobreach.release import ReleaseModel
from isobreach.schemes import SCHEMES, Orthogonal, Rigid, Scheme

FEW = {"known": 4, "sample": 20, "trials": 4}


def people(rows=150, columns=4, seed=0):
    return np.random.default_rng(seed).normal(50, 12, (rows, columns))


def outcomes(records, schemes, attacks, *, seed=0, classes=None, groups=(), **asked):
    """All trials in this process, and what was asked."""
    chosen = ComparisonAsked.checked(schemes, attacks, 0.1, **{**FEW, **asked}, groups=groups)
    table = ComparisonTable(records, *([] if classes is None else [classes]))
    rules = Rules(chosen, range_share(np.asarray(records, dtype=np.float64)), seed)
    wanted = [(trial, one) for trial in range(chosen.trials) for one in chosen.schemes]
    return [contest(deal, rules) for deal in deals(table, chosen, seed, wanted)], chosen


def cell(found, chosen, attack, place=0):
    one = chosen.schemes[place]
    own = [out for out in found if out.scheme == one.label]
    return cell_figures(one, attack, 100, own)


def played(attack, breached, *, variant=PLAIN, learned=0.5, error=1.0, refused=None):
    own = Marks(breached, error, np.array([learned]), np.array([error]))
    return Play(attack, variant, True, own, 0.1, refused)


@pytest.fixture
def registered(monkeypatch):
    """Add an attack to the registry for a while."""

    def add(attack):
        monkeypatch.setitem(ATTACKS._loaded, attack.name, attack)
        monkeypatch.setitem(ATTACKS._modules, attack.name, None)

    return add


class _Told(Attack):
    """Does what the test says, and remembers what it was given."""

    name = "told"
    title = "told"
    uses = frozenset({"known", "sample", "noise"})

    def __init__(self, does=None, **own):
        self.does, self.given = does, []
        for name, value in own.items():
            setattr(self, name, value)

    def run(self, release, knowledge, *, seed, progress, **settings):
        self.given.append((release, knowledge, seed))
        if self.does is None:
            return Reconstruction(False, "a guess", np.zeros((release.shape[0], 4)))
        return self.does(release, knowledge)


def test_measures_of_exact_missing_and_mean_estimates():
    truth = people(200)
    tolerance, none = range_share(truth), Groups()
    exact = marks(truth, truth, 0.1, tolerance, none)
    assert (exact.breached, exact.error, exact.learned.tolist(), exact.privacy.tolist()) == (1, 0, [1] * 4, [0] * 4)
    mean = marks(truth, np.tile(truth.mean(axis=0), (200, 1)), 0.1, tolerance, none)
    np.testing.assert_allclose(mean.privacy, 1.0)
    shifted = marks(truth, truth + 100.0, 0.1, tolerance, none)  # a constant error hides nothing
    np.testing.assert_allclose(shifted.privacy, 0.0, atol=1e-12)
    assert shifted.breached == 0
    missing = marks(truth, np.full(truth.shape, np.nan), 0.1, tolerance, none)
    assert missing.breached == 0
    assert np.isnan(missing.error)
    assert np.isnan(missing.privacy).all()
    other = marks(truth, truth[:, :2], 0.1, tolerance, none)
    assert other.breached == 0


def test_error_is_the_median_of_relative_errors():
    truth = np.array([[3.0, 4.0], [0.0, 0.0], [6.0, 8.0], [5.0, 12.0]])
    told = truth + np.array([[0.5, 0], [1, 1], [2, 0], [0, 1.3]])
    found = marks(truth, told, 0.1, np.zeros(2), Groups())
    assert found.error == pytest.approx(0.1)  # of 0.1, 0.2, 0.1; a record of zeros has none
    assert found.breached == 0.5


@pytest.mark.slow
def test_a_cell_does_not_depend_on_what_else_is_compared():
    records = people()
    alone, one = outcomes(records, ["rigid"], ["kaplan"])
    among, all_ = outcomes(records, ["orthogonal", "rigid"], ["known-input", "kaplan"])
    first, second = cell(alone, one, "kaplan"), cell(among, all_, "kaplan", 1)
    assert first.breached == second.breached
    assert first.learned.tolist() == second.learned.tolist()
    assert first.privacy.tolist() == second.privacy.tolist()
    assert [out.utility for out in alone] == [out.utility for out in among if out.scheme == "rigid"]


def test_same_bits_for_any_number_of_workers():
    asked = ComparisonAsked.checked(["orthogonal", "noisy"], ["known-input", "kaplan"], 0.1, 4, 20, 3)
    table = ComparisonTable(people(120), np.arange(120) % 3)
    one, two = (compare(table, asked, seed=5, workers=workers) for workers in (1, 2))
    assert [figures(own) for own in one.cells] == [figures(own) for own in two.cells]
    assert [own.utility for own in one.schemes] == [own.utility for own in two.schemes]


def figures(own):
    return own.scheme, own.attack, own.variant, own.breached, own.error, own.learned.tolist(), own.privacy.tolist()


class Memory:
    """A store that stops a run after so many times."""

    name = "memory"

    def __init__(self, stops):
        self.kept, self.stops = None, stops

    def load(self):
        return self.kept

    def due(self):
        return True

    def keep(self, arrays):
        self.kept = {name: np.array(array) for name, array in arrays.items()}
        self.stops -= 1
        if self.stops == 0:
            raise KeyboardInterrupt


def test_it_goes_on_from_where_it_was_to_the_same_bits():
    asked = ComparisonAsked.checked(["rigid", "noisy"], ["kaplan", "known-input"], 0.1, 4, 20, 3)
    table, store = ComparisonTable(people(100)), Memory(3)
    with pytest.raises(KeyboardInterrupt):
        compare(table, asked, seed=1, store=store)
    done = []
    again = compare(table, asked, seed=1, store=store, progress=lambda label, k, total: done.append((k, total)))
    assert done[0] == (3, 6)
    whole = compare(table, asked, seed=1)
    assert [figures(own) for own in again.cells] == [figures(own) for own in whole.cells]
    assert [own.utility for own in again.schemes] == [own.utility for own in whole.schemes]
    with pytest.raises(InputError, match="memory must hold the unfinished work of this very comparison"):
        compare(table, asked, seed=2, store=store)


def test_trials_that_were_done_before_others_are_kept_too():
    """A long trial must not keep those beside it from being used, nor an interruption lose them."""
    asked = ComparisonAsked.checked(["rigid", "noisy"], ["kaplan", "column-means"], 0.1, 4, 20, 3)
    table, store = ComparisonTable(people(100)), Memory(0)
    whole = compare(table, asked, seed=1, store=store)
    kept = json.loads(store.kept["trials.json"].tobytes())
    late = json.dumps([one for one in kept if (one["scheme"], one["trial"]) in {("noisy", 2), ("rigid", 1)}][::-1])
    store.kept["trials.json"] = np.frombuffer(late.encode(), dtype=np.uint8)
    done = []
    again = compare(table, asked, seed=1, store=store, progress=lambda label, k, total: done.append((k, total)))
    assert done == [(k, 6) for k in range(2, 7)]
    assert [figures(own) for own in again.cells] == [figures(own) for own in whole.cells]


def test_what_cannot_work_says_why():
    found, chosen = outcomes(people(), ["noisy", "rigid"], ["kaplan"], trials=1)
    own = cell(found, chosen, "kaplan")
    assert (own.reason, own.breached, own.played) == ("it does not cope with noise", None, False)
    assert cell(found, chosen, "kaplan", 1).played


def test_an_attack_that_refuses_always_is_a_reason(registered):
    def refuse(release, knowledge):
        raise InputError("known", "must be many", "few")

    registered(_Told(refuse))
    found, chosen = outcomes(people(), ["rigid"], ["told"])
    assert cell(found, chosen, "told").reason == "known must be many"


def test_an_attack_that_estimates_nothing_has_its_own_words_for_a_reason(registered):
    """Its figures would be those of the guess that stands in for it, and look as if it had tried."""
    registered(
        _Told(lambda release, knowledge: Reconstruction(False, "No map leads back.", np.full(release.shape, np.nan)))
    )
    found, chosen = outcomes(people(), ["rigid"], ["told"])
    own = cell(found, chosen, "told")
    assert (own.reason, own.breached) == ("no map leads back", None)


@pytest.mark.parametrize(
    ("attack", "known", "why"),
    [
        ("ica", 4, "the release has 12 dimensions, too few for 20 independent components"),
        ("projection-map", 13, "13 linked records are no fewer than 12 released columns: the likelihood has no bound"),
    ],
)
def test_what_a_projection_took_away_is_a_reason(attack, known, why):
    found, chosen = outcomes(people(columns=20), ["random-projection"], [attack], known=known, trials=1)
    assert why in cell(found, chosen, attack).reason


def test_where_distances_are_lost_rows_are_given_and_the_projection_attack_plays():
    """Lengths agree within a band only, by which few columns link nobody: the field takes linked records there."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        records = rng.normal(5, 1, (150, 4)) @ rng.normal(0, 1, (4, 20))  # which four linked records span
        found, chosen = outcomes(records, ["random-projection"], ["projection-map"], seed=seed, trials=1)
        own = cell(found, chosen, "projection-map")
        assert (own.played, own.claimed) == (True, 1)
        assert own.error < 1e-9


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (np.linalg.LinAlgError("Singular matrix"), "it failed: Singular matrix"),
        (ZeroDivisionError("division by zero"), "it failed: division by zero"),
        (ValueError("of all numbers, 17"), "it failed by a defect of its own (ValueError)"),
    ],
)
def test_an_attack_that_fails_is_a_reason_too(registered, failure, said):
    def fail(release, knowledge):
        raise failure

    registered(_Told(fail))
    found, chosen = outcomes(people(), ["rigid"], ["told"], trials=1)
    assert cell(found, chosen, "told").reason == said


def test_an_attack_that_refuses_at_times_guesses_there(registered):
    """Trials without an answer count, as the guess of the mean: else an attack could choose its trials."""
    calls = []

    def at_times(release, knowledge):
        calls.append(1)
        if len(calls) % 2:
            raise InputError("known", "must be many", "few")
        return Reconstruction(True, "fine", np.tile(knowledge.sample.mean(axis=0), (release.shape[0], 1)))

    registered(_Told(at_times))
    found, chosen = outcomes(people(), ["rigid"], ["told"])
    own = cell(found, chosen, "told")
    assert (own.trials, own.refused, own.claimed, own.refusal) == (4, 0.5, 0.5, "known must be many")
    assert own.mean_privacy == pytest.approx(1.0)


def test_an_attack_gets_what_it_needs_or_uses_and_rows_only_where_it_needs_them():
    everything = Knowledge(
        known=np.ones((2, 3)), rows=np.arange(2), sample=np.ones((5, 3)), noise=0.1, bounds=np.zeros((3, 2))
    )

    def held(*, searchable=True, **own):
        attack = _Told(**{name: frozenset(value) for name, value in own.items()})
        given = holding(attack, everything, searchable=searchable)
        return {name for name in ("known", "rows", "sample", "noise", "bounds") if given.has(name)}

    assert held(uses=()) == set()
    assert held(uses={"known", "rows"}) == {"known"}
    assert held(uses={"known", "rows"}, searchable=False) == {"known", "rows"}
    assert held(uses={"known"}, searchable=False) == {"known"}
    assert held(needs={"known", "rows"}, uses=()) == {"known", "rows"}
    assert held(needs_any={"sample"}, uses={"noise"}) == {"sample", "noise"}


def test_the_sample_is_held_out_and_known_records_are_in_the_release(registered):
    attack = _Told(needs=frozenset({"known", "rows"}))
    registered(attack)
    records = people()
    outcomes(records, ["orthogonal"], ["told"], trials=2)
    for release, knowledge, _ in attack.given:
        rows = release.gather(np.arange(release.shape[0]))
        norms = np.linalg.norm(rows, axis=1)
        np.testing.assert_allclose(norms[knowledge.rows], np.linalg.norm(knowledge.known, axis=1))
        apart = np.abs(norms[:, None] - np.linalg.norm(knowledge.sample, axis=1)).min()
        assert apart > 1e-9
        assert len(knowledge.sample) == 20


def test_every_scheme_meets_the_same_records(registered):
    attack = _Told()
    registered(attack)
    outcomes(people(), ["orthogonal", "rigid"], ["told"], trials=2)
    (_, a, seed_a), (_, b, seed_b), (_, c, _), _ = attack.given
    assert a.known.tolist() == b.known.tolist() != c.known.tolist()
    assert a.sample.tolist() == b.sample.tolist()
    assert seed_a == seed_b


def test_a_level_of_noise_is_told_to_who_uses_it(registered):
    attack = _Told()
    registered(attack)
    outcomes(people(), ["orthogonal", "noisy"], ["told"], trials=1)
    assert [own.noise is None for _, own, _ in attack.given] == [True, False]


@dataclass(frozen=True)
class Choosy(Orthogonal):
    """Takes positive tables alone."""

    name = "choosy"

    def release(self, records, source):
        if (records <= 0).any():
            raise InputError("X", "must be positive", "other values")
        return super().release(records, source)


def test_a_scheme_that_refuses_the_table_says_so_in_its_cells():
    found, chosen = outcomes(people() - 100, [Choosy(), Rigid()], ["kaplan"], trials=2)
    own = cell(found, chosen, "kaplan")
    assert own.reason == "the scheme cannot protect this table: it must be positive"
    assert scheme_figures(chosen.schemes[0], found[::2], unfolds=False).refusal == "it must be positive"
    assert cell(found, chosen, "kaplan", 1).played


def test_a_scheme_without_a_model_has_cells_that_say_so():
    class Silent(Orthogonal):
        name = "silent"
        model = None

    found, chosen = outcomes(people(), [Silent()], ["kaplan"], trials=1)
    assert cell(found, chosen, "kaplan").reason == "the scheme does not declare what it does to a record"


def test_the_variant_is_chosen_on_one_half_and_told_from_the_other():
    """By luck "lucky" is best on even trials and worthless on odd ones: told is what the other half would choose."""
    lucky = [1.0, 0.0, 1.0, 0.0]
    trials = [{PLAIN: played("a", 0.3), "lucky": played("a", share, variant="lucky")} for share in lucky]
    told, best = _told(trials)
    assert [one.marks.breached for one in told] == [0.3, 0.0, 0.3, 0.0]
    assert best == "lucky"


def test_equal_shares_are_decided_by_attributes_and_then_by_the_error():
    trials = [
        {PLAIN: played("a", 0.0, learned=0.1), "b": played("a", 0.0, variant="b", learned=0.2),
         "c": played("a", 0.0, variant="c", learned=0.2, error=0.5)}
    ] * 2  # fmt: skip
    assert _told(trials)[1] == "c"


def test_a_variant_that_is_missing_in_a_trial_is_the_plain_estimate_there():
    trials = [{PLAIN: played("a", 0.1), "b": played("a", 0.9, variant="b")}, {PLAIN: played("a", 0.2)}]
    told, best = _told(trials)
    assert best == "b"
    assert [one.marks.breached for one in told] == [0.1, 0.2]


def test_costly_attacks_play_in_the_first_trials_alone(registered):
    registered(_Told(costly=True))
    found, chosen = outcomes(people(), ["rigid"], ["told", "kaplan"], trials=6)
    assert cell(found, chosen, "told").trials == 4
    assert cell(found, chosen, "kaplan").trials == 6


def test_of_a_large_table_a_part_is_published():
    asked = ComparisonAsked.checked(["rigid"], ["kaplan"], 0.1, 8, 500, 20)
    fitted = asked.fitted(100_000)
    assert (fitted.sample, fitted.published) == (500, asked.extent.rows)
    small = asked.fitted(200)
    assert (small.sample, small.published, small.compared) == (100, 100, 100)
    beside = "known must leave 20 of 40 records beside known records and a sample of 20"
    with pytest.raises(InputError, match=f"{beside}. Got 8. Take fewer, or a smaller sample."):
        asked.fitted(40)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"schemes": ["rigid", "rotten"]}, "schemes must be one of orthogonal, rigid, "),
        ({"schemes": []}, r"schemes must be a list with at least one name. Got \[\]"),
        ({"schemes": "rigid"}, "schemes must be a list with at least one name. Got 'rigid'"),
        ({"attacks": ["kaplan", "hope"]}, "attacks must be one of known-input, "),
        ({"known": -1}, "known must be"),
        ({"sample": 0.5}, "sample must be"),
        ({"trials": 0}, "trials must be"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"label": np.arange(3)}, r"label must have one class for each of 60 records. Got shape \(3,\)"),
        ({"label": np.arange(60) * 0}, "label must have 2 to 100 different classes. Got 1"),
        ({"label": "sex"}, "label must name a column of X. Got 'sex'"),
    ],
)
def test_bad_arguments_are_refused(wrong, said):
    with pytest.raises(InputError, match=said):
        ib.compare(people(60), **{"schemes": ["rigid"], "attacks": ["kaplan"], "trials": 1, **wrong})


def test_schemes_as_objects_are_told_apart_by_their_parameters():
    from isobreach.schemes import Noisy

    asked = ComparisonAsked.checked(["noisy", Noisy(noise=0.5), Noisy(noise=0.5)], ["kaplan"], 0.1, 4, 20, 1)
    assert [one.label for one in asked.schemes] == ["noisy", "noisy (noise=0.5)"]


def test_where_a_blind_guess_breaches_half_no_attack_is_blamed_for_that():
    """Years carry the length of these records: the mean alone is within a tenth of everybody."""
    rng = np.random.default_rng(0)
    records = np.column_stack([rng.integers(1980, 2000, 120), rng.normal(50, 9, 120), rng.normal(5, 1, 120)])
    few = {"known": 4, "sample": 20, "trials": 2, "quick": True}
    table = ib.compare(records, ["row-mixing", "rigid"], ["known-input", "column-means"], **few)
    assert table.at("row-mixing", "column-means").breached.value == 1.0
    assert [table.standing(one.label) for one in table.schemes] == ["guessed", "guessed"]
    assert "none is undone" in table.verdict
    assert "one guess for everybody is as good: choose a smaller epsilon" in table.verdict
    finer = ib.compare(records, ["row-mixing", "rigid"], ["known-input", "column-means"], epsilon=1e-4, **few)
    assert [finer.standing(one.label) for one in finer.schemes] == ["held", "undone"]


def test_a_scheme_that_takes_the_lengths_is_held_against_a_guess_of_directions():
    """Records on one ray: all have the same direction, which is no news, and their lengths are gone."""
    rng = np.random.default_rng(0)
    records = np.outer(np.exp(rng.normal(0, 2, 120)), [3.0, 4.0, 5.0]) * (1 + 0.001 * rng.normal(size=(120, 3)))
    few = {"known": 4, "sample": 20, "trials": 2, "quick": True}
    table = ib.compare(records, ["orthogonal-noise", "row-mixing"], ["column-means"], **few)
    assert table.blind < 0.5
    assert table.blind_against("row-mixing") == table.blind
    assert table.blind_against("orthogonal-noise") == 1.0
    assert table.standing("orthogonal-noise") == "guessed"


def test_records_without_a_label_are_not_classified():
    records = np.repeat(np.eye(3) * 50, 40, axis=0) + people(120, 3) / 100
    classes = np.repeat(["a", "b", "c"], 40).astype(object)
    few = {"known": 4, "sample": 20, "trials": 1, "quick": True, "attacks": ["column-means"]}
    missing = classes.copy()
    missing[::4], missing[1::8] = None, np.nan
    table = ib.compare(records, ["rigid"], label=missing, **few)
    used = table.schemes[0].utility
    assert used.classifier == used.classifier_before == 1.0
    assert "45 records without a value of label were not classified." in table.to_json()
    assert "not classified" not in ib.compare(records, ["rigid"], label=classes, **few).to_json()


def test_standing_is_read_off_the_strongest_attack():
    records = people(300)
    table = ib.compare(records, ["rigid", "noisy"], ["known-input", "kaplan"], known=8, sample=50, trials=2)
    assert table.standing("rigid") == "undone"
    strongest = table.strongest("rigid")
    assert strongest.attack == "known-input"
    assert strongest.breached.value == 1.0
    for one in table.schemes:
        worst = table.strongest(one.label)
        above = worst.breached.value > table.blind + BEYOND
        assert (table.standing(one.label) == "held") is not above
    with pytest.raises(InputError, match="at must be a scheme and an attack that were compared: rigid, noisy; known"):
        table.at("rigid", "hope")


def test_categories_count_as_one_attribute():
    rng = np.random.default_rng(0)
    codes = np.eye(3)[rng.integers(0, 3, 150)]
    records = np.column_stack([rng.normal(size=(150, 2)), codes])
    found, chosen = outcomes(records, ["rigid"], ["known-input"], known=8, groups=[(2, 3, 4)], trials=2)
    own = cell(found, chosen, "known-input")
    assert own.learned.shape == own.privacy.shape == (3,)
    assert own.learned[2] == 1.0
    assert own.least_privacy == pytest.approx(0.0, abs=1e-6)


def test_models_that_scale_to_length_one_are_scored_on_directions():
    """A tolerance in the table's own units would call every direction learned."""
    found, chosen = outcomes(people(), ["orthogonal-noise"], ["known-input"], trials=2)
    assert cell(found, chosen, "known-input").learned.max() < 1


NAMES = {
    "orthogonal", "rigid", "noisy", "ball", "orthogonal-noise", "random-projection", "dct", "dft", "attribute-pairs",
    "row-mixing", "geometric", "permutation", "aspe", "distance-matrix", "additive-noise", "component-noise",
    "multiplicative-noise", "log-noise", "condensation", "kd-tree", "swapping", "shuffling", "k-anonymity",
}  # fmt: skip
ATTACKERS = {
    "known-input", "known-input-output", "alignment", "lattice", "permutation", "kaplan", "known-sample", "ak-ica",
    "ica", "regression", "procrustes", "lateration", "projection-map", "spectral-filter", "pca-filter", "wong",
    "naive", "column-means", "most-common", "random-link",
}  # fmt: skip


def test_all_that_is_registered_is_compared_by_default():
    """Scripts and earlier results know schemes and attacks by these names."""
    asked = ComparisonAsked.checked(None, None, 0.1, 8, 500, 20)
    assert [one.label for one in asked.schemes] == [name for name in SCHEMES if SCHEMES.built_in(name)]
    assert {one.label for one in asked.schemes} == NAMES
    assert list(asked.attacks) == [name for name in ATTACKS if ATTACKS.built_in(name)]
    assert set(asked.attacks) == ATTACKERS


def test_a_package_that_is_not_installed_is_a_reason(registered):
    registered(_Told(packages=("no_such_package",)))
    found, chosen = outcomes(people(), [Rigid()], ["told"], trials=1)
    assert cell(found, chosen, "told").reason == "it needs the package no_such_package, which is not installed"


def test_the_model_decides_not_the_name():
    """A scheme of another package is treated by what it declares."""

    @dataclass(frozen=True)
    class Foreign(Scheme):
        name = "foreign"
        model = ReleaseModel(motion=None)

        def release(self, records, source):
            return Orthogonal().release(records, source)

    found, chosen = outcomes(people(), [Foreign()], ["kaplan"], trials=1)
    assert cell(found, chosen, "kaplan").reason == "the release does not keep distances"


DISTANCES = ["known-input", "known-input-output", "alignment", "lattice", "kaplan", "procrustes", "wong"]


@pytest.mark.parametrize(
    ("scheme", "why"),
    [
        ("row-mixing", "a released row depends on several records"),
        ("aspe", "records are lifted by their length, and a general matrix keeps no distances"),
    ],
)
def test_what_keeps_no_distances_defeats_attacks_by_distances_and_the_cells_say_why(scheme, why):
    found, chosen = outcomes(people(), [scheme], DISTANCES, trials=1)
    assert {cell(found, chosen, attack).reason for attack in DISTANCES} == {why}


def test_what_gives_a_motion_away_is_said_beside_cells_that_do_not_show_it():
    table = ib.compare(people(), ["aspe", "distance-matrix", "orthogonal"], ["kaplan"], known=4, sample=90, trials=1)
    assert [one.unfolds for one in table.schemes] == [True, True, False]
    assert "The public sample has 75 records instead of 90: half of the table." in table.findings
    said = [one for one in table.findings if "motion away" in one]
    assert len(said) == 1
    assert said[0].startswith("aspe and distance-matrix give a motion away: ")


@pytest.mark.parametrize(
    ("records", "away"),
    [
        (people(), True),
        (people(columns=20), False),  # 252 coefficients, and 150 rows
        (people(rows=300, columns=20), True),
        ((people() > 50).astype(float), False),  # x = x^2, a relation of each column's own
    ],
)
def test_that_a_motion_is_given_away_is_measured(records, away):
    """Of ASPE it depends on the table: the quadric of its rows must be the only one."""
    for seed in range(8):
        assert gives_away(ComparisonTable(records), Contestant("aspe", SCHEMES["aspe"]), seed) == away


def test_aspe_falls_to_as_many_linked_pairs_as_the_lifted_record_has_entries():
    """Of four attributes and the length: five entries, and no fewer pairs do."""
    for known, falls in ((4, False), (6, True)):
        found, chosen = outcomes(people(), ["aspe"], ["regression"], known=known, trials=2)
        own = cell(found, chosen, "regression")
        assert (own.breached.value == 1.0) is falls
        assert (own.error < 1e-6) is falls


def test_rotated_pairs_of_columns_fall_to_one_linked_record():
    found, chosen = outcomes(people(), ["attribute-pairs", "orthogonal"], ["known-input-output"], known=1, trials=2)
    assert cell(found, chosen, "known-input-output").breached.value == 1.0
    assert cell(found, chosen, "known-input-output", 1).breached.value < 0.5


@pytest.mark.slow
def test_filters_beat_noise_as_it_is_on_correlated_columns():
    rng = np.random.default_rng(0)
    records = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 8)) * 10 + 50
    found, chosen = outcomes(records, ["additive-noise"], ["naive", "spectral-filter", "pca-filter"], trials=2)
    errors = [cell(found, chosen, attack).error for attack in ("naive", "spectral-filter", "pca-filter")]
    assert max(errors[1:]) < 0.8 * errors[0]


def test_a_matrix_of_distances_is_undone_by_linked_records():
    found, chosen = outcomes(people(), ["distance-matrix"], ["lateration", "known-input"], known=6, trials=2)
    assert cell(found, chosen, "lateration").breached.value == 1.0
    assert cell(found, chosen, "known-input").reason == "the release is a matrix of distances, not of rows"
    assert found[0].utility.distances == 1.0


def test_links_are_found_once_for_all_attacks_of_a_trial_and_change_nothing(monkeypatch):
    """Two attacks that link under noise: one search, and what each gives without the other."""
    from isobreach.linking import linker

    searched = []
    problem = linker.Problem
    monkeypatch.setattr(linker, "Problem", lambda *args: searched.append(len(args[0])) or problem(*args))
    pair = ["known-input", "known-sample"]
    both, _ = outcomes(people(60), ["noisy"], pair, trials=1)
    together = len(searched)
    alone = [outcomes(people(60), ["noisy"], [name], trials=1)[0] for name in pair]
    assert (together, len(searched) - together) == (1, 2)
    told = [(play.attack, play.variant, play.marks.breached, play.marks.error) for play in both[0].plays]
    apart = [
        (play.attack, play.variant, play.marks.breached, play.marks.error) for one in alone for play in one[0].plays
    ]
    assert told == apart


def test_the_time_of_a_cell_has_that_of_threads_and_of_links_found_before(registered):
    from isobreach.linking import link

    used = []

    def spin():
        while time.thread_time() < 0.05:
            sum(range(1000))
        used.append(time.thread_time())

    def linked(release, knowledge):
        thread = threading.Thread(target=spin)
        thread.start()
        thread.join()
        started = time.process_time()
        link(knowledge.known, release, motion="orthogonal")
        used.append(time.process_time() - started)
        return Reconstruction(False, "nothing", np.full((release.shape[0], 4), np.nan))

    registered(_Told(linked))
    registered(_Told(linked, name="again"))
    found, _ = outcomes(people(), ["orthogonal"], ["told", "again"], trials=1)
    seconds = {play.attack: play.seconds for play in found[0].plays}
    thread, first, other, second = used
    assert seconds["told"] >= thread + first
    assert seconds["again"] >= other + first > other + second
