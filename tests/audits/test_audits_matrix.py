# SPDX-License-Identifier: BSD-3-Clause
"""The matrix of attackers: what it reads, what it never does, and that its figures are those of the attacks."""

import json
import pickle
from itertools import pairwise

import numpy as np
import pytest

import isobreach as ib
from audited import audit
from isobreach.attacks import ATTACKS
from isobreach.audits.baselines import baselines
from isobreach.audits.beyond import not_played
from isobreach.audits.matrix import matrix, told_from_halves
from isobreach.audits.players import PLAIN
from isobreach.audits.playing import Cell, Game, Scores, _deals, _split, cells, played_sizes, public_ranges
from isobreach.engine import Workers

PLAYED = {
    "scheme": "orthogonal",
    "coalition_sizes": (2,),
    "trials": 3,
    "attackers": ("lattice",),
    "samples": (40,),
    "splits": 4,
    "seed": 1,
}


def codes(rows=240, columns=5, seed=0):
    """Answers from 1 to 5."""
    return np.random.default_rng(seed).integers(1, 6, (rows, columns)).astype(np.float64)


def figures(found):
    return [
        (one.name, one.cell, one.variant, one.breached, one.learned.value.tolist()) for one in found.matrix.attackers
    ]


@pytest.fixture(scope="module")
def report():
    return ib.audit(
        codes(), "orthogonal", 0.1, [1, 3], 10, seed=0, samples=(60,), ranges=True, splits=4, attacks=["lattice"]
    )


def test_no_figure_falls_with_more_knowledge(report):
    for sample in (0, 30, 60):
        shares = [report.breached(k, sample) for k in range(4)]
        for end in ("value", "low", "high"):
            rising = [getattr(one, end) for one in shares]
            assert rising == sorted(rising)
        learned = [report.learned(k, sample) for k in range(4)]
        assert all((a <= b).all() for a, b in pairwise(learned))
    for k in range(4):
        assert report.breached(k, 0).value <= report.breached(k, 60).value
        assert (report.learned(k, 0) <= report.learned(k, 60)).all()


def test_between_what_was_played_an_interval_reaches_up_to_that_of_the_larger(report):
    """Two insiders were not played: they do as well as one, and may do as well as three."""
    for sample, smaller, larger in ((0, 0, 0), (30, 0, 60), (60, 60, 60)):
        between = report.breached(2, sample)
        assert between.value >= report.breached(1, smaller).value
        assert between.high == report.breached(3, larger).high
        assert (report.learned_shares(2, sample).high == report.learned_shares(3, larger).high).all()


def test_the_number_of_insiders_that_a_limit_is_about_is_played():
    records = codes(40)
    report = ib.audit(
        records, coalition_sizes=range(1, 9), trials=4, splits=2, samples=(), attacks=[], limit=0.5, fail_size=3, seed=0
    )
    assert 3 in report.matrix.sizes


def test_nothing_is_below_the_blind_guess(report):
    assert report.breached(0, 0).value >= report.baselines.blind
    assert (report.learned(0, 0) >= report.baselines.blind_attributes).all()


def test_attackers_who_name_the_columns_read_a_grid_whole(report):
    """Five columns of codes: three insiders, or sixty public records, and the lattice attack reads everything."""
    assert report.breached(3, 60).value >= 0.7
    assert report.reached(3, 60).attack == "lattice"
    assert {one.name for one in report.attackers} == {"lattice", "known-input"}


def test_gate_and_verdict_read_the_matrix(report):
    assert report.gate(0.5).closed
    assert "grid attack" in report.verdict
    assert report.verdict.startswith("Do not publish. ")


BEYOND = {
    (9, 0): (
        "Not played: 9 insiders. The most in this audit is 3 insiders, whose figure this is: a lower bound, which may "
        "be far too low. Run the audit again with coalition_sizes up to 9."
    ),
    (3, 90): (
        "Not played: 90 public records. The most in this audit is 60 public records, whose figure this is: a lower "
        "bound, which may be far too low. Run the audit again with samples=[60, 90]."
    ),
    (240, 500): (
        "Not played: 240 insiders and 500 public records. The most in this audit is 3 insiders and 60 public records, "
        "whose figure this is: a lower bound, which may be far too low. Run the audit again with more than 240 rows "
        "and samples=[60, 500] on at least 1,000 rows, because they are held out of the table."
    ),
}


@pytest.mark.parametrize("asked", BEYOND)
@pytest.mark.parametrize("figure", ["breached", "learned", "learned_shares"])
def test_beyond_what_was_played_a_figure_comes_with_a_warning(report, figure, asked):
    with pytest.warns(ib.NotPlayedWarning) as caught:
        getattr(report, figure)(*asked)
    assert [str(one.message) for one in caught] == [BEYOND[asked]]
    assert caught[0].filename == __file__
    assert str(pickle.loads(pickle.dumps(caught[0].message))) == BEYOND[asked]


def test_without_a_sample_no_public_record_was_played():
    found = not_played(1, 20, sizes=(1, 3), samples=(0,), rows=60)
    assert "20 public records. The most in this audit is no public record" in str(found)
    assert not_played(3, 0, sizes=(1, 3), samples=(0,), rows=60) is None


def test_a_size_that_was_not_asked_for_is_refused_by_its_name(report):
    said = (
        r"size must be one of the coalition sizes of this audit: 1, 3\. Got 40\. Run the audit again with "
        r"coalition_sizes that include it\."
    )
    for asked in (lambda: report.at(40), lambda: report.most_exposed(5, 40)):
        with pytest.raises(ib.InputError, match=said):
            asked()
    assert report.at(3).size == 3


@pytest.mark.parametrize("wrong", [(-1, 0), (0, -1), (0.5, 0), (1, "all")])
def test_knowledge_that_is_no_number_is_refused(report, wrong):
    with pytest.raises(ib.InputError):
        report.breached(*wrong)
    with pytest.raises(ib.InputError):
        report.learned(*wrong)


def test_same_figures_whatever_the_number_of_threads():
    one, two = (audit(codes(150), threads=threads, **PLAYED) for threads in (1, 2))
    assert figures(one) == figures(two)


def test_samples_that_the_table_cannot_spare_are_not_tried_and_said_so():
    found = ib.audit(codes(100), "orthogonal", 0.1, [1], 4, ["known-input"], 0, samples=(20, 200), splits=2)
    assert found.matrix.samples == (0, 20)
    said = next(line for line in found.findings if "public sample of 200 records was not tried" in line)
    assert "at most half of the rows can be held out, here 50. Run the audit again with samples=[20, 50]." in said


def test_small_tables_spare_a_third_where_no_sample_fits():
    """A page without the attacker who has public records reassures: there is one whenever a split is possible."""
    found = ib.audit(codes(100), "orthogonal", 0.1, [1, 4], 4, ["known-input"], 0, splits=2)
    assert found.matrix.samples == (0, 33)
    assert {cell.sample for cell in found.matrix.best} == {0, 33}
    assert found.matrix.published == 67
    said = "A third of the rows, 33, was held out instead. Who has more public records may breach more."
    assert sum(said in line for line in found.findings) == 1
    assert not any("Run the audit again with samples" in line for line in found.findings)
    asked = {"coalition_sizes": [3], "trials": 2, "attacks": ["known-input"], "seed": 0, "splits": 2}
    assert ib.audit(codes(100), samples=(), **asked).matrix.samples == (0,)
    for rows, spared in ((9, 3), (5, 1), (4, 0)):  # three insiders and somebody else are left
        assert ib.audit(codes(rows), epsilon=0.1, **asked).matrix.samples[-1] == spared


def test_a_blind_guess_that_does_as_well_is_said_to_make_figures_void():
    """Everybody is nearly alike: whoever guesses the mean has them all."""
    records = 100 + np.random.default_rng(0).standard_normal((80, 4))
    found = ib.audit(records, "orthogonal", 0.2, [1], 4, ["known-input"], 0, samples=(), splits=2)
    assert found.baselines.blind == 1
    assert "say nothing about the release" in found.verdict


class Remembered:
    """A store in memory that stops the audit after a number of savings."""

    name = "memory"

    def __init__(self, stop=None, held=None):
        self.held, self.left = held, stop

    def load(self):
        return self.held

    def due(self):
        return True

    def keep(self, arrays):
        self.held = {name: np.array(array) for name, array in arrays.items()}
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt


@pytest.mark.parametrize("stop", [8, 9])
def test_an_interrupted_audit_goes_on_to_the_same_matrix(stop):
    whole = audit(codes(120), **PLAYED)
    store = Remembered(stop)
    with pytest.raises(KeyboardInterrupt):
        audit(codes(120), store=store, **PLAYED)
    assert any(name.startswith("split") for name in store.held)
    again = audit(codes(120), store=Remembered(held=store.held), **PLAYED)
    assert figures(whole) == figures(again)


class LastFirst(Workers):
    """A worker who begins with the last task."""

    def run(self, task, items, params, *, ahead=None):
        return (result for _, result in sorted(self.as_done(task, items, params), key=lambda pair: pair[0]))

    def as_done(self, task, items, params):
        return ((place, task(item, params)) for place, item in reversed(list(enumerate(items))))


def test_a_split_that_is_done_before_an_earlier_one_is_kept(monkeypatch):
    """Whoever interrupts an audit while the first split takes its time finds the later ones again."""
    whole = audit(codes(120), **PLAYED)
    monkeypatch.setattr(Game, "workers", LastFirst())
    store = Remembered(stop=9)
    with pytest.raises(KeyboardInterrupt):
        audit(codes(120), store=store, **PLAYED)
    kept = {name.partition(".")[0] for name in store.held if name.startswith("split")}
    assert "split 3" in kept
    assert "split 0" not in kept
    again = audit(codes(120), store=Remembered(held=store.held), **PLAYED)
    assert figures(whole) == figures(again)


def scores(values):
    """A split on which ways reach these shares."""
    return [Scores(Cell(1), "known-input", way, value, np.array([value])) for way, value in values.items()]


def test_luck_on_one_half_is_not_told():
    """Ways without any skill: the best of fifty on all splits looks skilled, what is told does not."""
    draws = np.random.default_rng(0)
    told, best = [], []
    for _ in range(200):
        values = draws.random((8, 50)) < 0.1
        told.append(told_from_halves(values.astype(float)).mean())
        best.append(values.mean(axis=0).max())
    assert np.mean(best) > 0.3
    assert abs(np.mean(told) - 0.1) < 0.02


def test_who_breaches_everybody_on_all_splits_is_told_though_others_do_on_half_of_them():
    """A choice on half of the splits cannot tell them apart, and takes the first."""
    splits = [scores({"a lucky one": 1.0 if k % 2 else 0.2, "sure": 1.0}) for k in range(8)]
    assert told_from_halves(np.array([[0.2, 1.0], [1.0, 1.0]] * 4)).mean() == pytest.approx(0.6)
    found = matrix(splits, (1,), (), ranges=False, unsuited={}, people=500).best[Cell(1)]
    assert found.breached.value == pytest.approx(1.0)
    assert found.learned.value == pytest.approx([1.0])


def test_a_sure_way_is_told_beside_one_that_sometimes_succeeds():
    shares = [0.0, 0.33, 0.0, 0.25, 0.0, 0.6, 0.33, 0.0]
    splits = [scores({"now and then": share, "sure": 0.25}) for share in shares]
    found = matrix(splits, (1,), (), ranges=False, unsuited={}, people=150).best[Cell(1)]
    assert found.breached.value == pytest.approx(0.25)


@pytest.mark.parametrize("people", [None, 500])
def test_luck_is_no_way_beyond_doubt(people):
    """Ways without any skill again: what the matrix tells is what they reach on average."""
    draws, told = np.random.default_rng(0), []
    for _ in range(100):
        shares = draws.beta(2, 18, (8, 50)) if people else (draws.random((8, 50)) < 0.1).astype(float)
        splits = [scores({str(way): value for way, value in enumerate(split)}) for split in shares]
        told.append(matrix(splits, (1,), (), ranges=False, unsuited={}, people=people).best[Cell(1)].breached.value)
    assert abs(np.mean(told) - 0.1) < 0.02


def test_an_attribute_is_told_by_who_learns_all_of_them_where_others_are_lucky():
    """A way that learns one attribute of everybody on the splits of one half, and of few on the other."""
    lucky = [[1.0, 0.1], [0.5, 0.1]] * 4
    splits = [
        [Scores(Cell(1), "known-input", way, 0.9, np.array(learned)) for way, learned in ways.items()]
        for ways in ({"a lucky one": one, "skilled": [0.99, 0.99]} for one in lucky)
    ]
    found = matrix(splits, (1,), (), ranges=False, unsuited={})
    assert found.best[Cell(1)].learned.value == pytest.approx([0.99, 0.99])


def test_nobody_breaches_more_by_himself_than_the_best():
    """Halves that disagree on whom to choose would each tell the other's worse half."""
    splits = [
        [
            Scores(Cell(1), name, PLAIN, share, np.ones(1))
            for name, share in (("alignment", share), ("known-input", 0.2))
        ]
        for share in [0.8, 0.1] * 4
    ]
    found = matrix(splits, (1,), (), ranges=False, unsuited={})
    best = found.best[Cell(1)]
    assert (best.attack, best.breached) == ("alignment", found.attackers[0].breached)
    assert best.breached.value == pytest.approx(0.45)


def test_an_objective_that_is_added_takes_nothing_away_from_another():
    """However the halves choose: what an objective reaches by itself is told, refined or as it was fitted."""

    def told(names):
        splits = [scores({way: share for way, share in split.items() if way[0] in names}) for split in played]
        return matrix(splits, (1,), (), ranges=False, unsuited={}).best[Cell(1)].breached.value

    for seed in range(8):
        draws = np.random.default_rng(seed)
        played = [{name + end: draws.random() for name in "abc" for end in ("", ", as fitted")} for _ in range(8)]
        assert told("abc") >= max(told(name) for name in "abc")


def test_skill_is_told_whole():
    split = scores({PLAIN: 0.1, "rounded": 0.9})
    found = matrix([split] * 4, (1,), (), ranges=False, unsuited={})
    assert found.best[Cell(1)].variant == "rounded"
    assert found.best[Cell(1)].breached.value == pytest.approx(0.9)
    assert found.best[Cell(1)].learned.value == pytest.approx([0.9])


def test_a_variant_that_is_missing_on_a_split_is_the_plain_estimate_there():
    both, plain = scores({PLAIN: 0.5, "rounded": 0.7}), scores({PLAIN: 0.6})
    found = matrix([both, both, plain, plain], (1,), (), ranges=False, unsuited={})
    assert found.best[Cell(1)].breached.value == pytest.approx(0.65)


def test_an_attack_that_did_not_play_on_a_split_is_told_from_the_others():
    """Somebody with less knowledge had read everything there."""
    other = [Scores(Cell(1), "lattice", PLAIN, 1.0, np.ones(1))]
    found = matrix(
        [scores({PLAIN: 0.5}) + other, other, scores({PLAIN: 0.7}) + other], (1,), (), ranges=False, unsuited={}
    )
    told = {one.name: (one.breached.value, one.splits) for one in found.attackers}
    assert told == {"lattice": (1.0, 3), "known-input": (pytest.approx(0.6), 2)}


def test_cells_leave_out_no_knowledge_and_hold_all_else():
    assert cells((2,), (9,), ranges=False) == (Cell(2), Cell(0, 9), Cell(2, 9))
    assert Cell(0, 0, True) in cells((2,), (9,), ranges=True)
    assert all(cell.ranges for cell in cells((2,), (9,), ranges=True) if cell.sample)


@pytest.mark.parametrize("sizes", [[1], [3, 5, 9], range(1, 9), range(2, 65), [1, 100, 101, 102, 103]])
def test_played_sizes_hold_the_ends_and_are_few(sizes):
    found = played_sizes(list(sizes))
    assert found[0] == min(sizes)
    assert found[-1] == max(sizes)
    assert len(found) <= 5
    assert set(found) <= set(sizes)


@pytest.mark.parametrize("seed", range(4))
def test_blind_guesses_against_brute_force(seed):
    """No record of a small table breaches more people than the blind guess; no number is nearer to more values."""
    records = codes(60, 3, seed)
    tolerance = np.array([0.0, 0.5, 1.0])
    norms = np.linalg.norm(records, axis=1)
    found = baselines(records, norms, 0.3, tolerance, norms_kept=True, draws=np.random.default_rng(seed))
    hits = np.array([np.sum(np.linalg.norm(records - guess, axis=1) <= 0.3 * norms) for guess in records])
    shares = (hits - 1) / (len(records) - 1)  # a record is not guessed by itself
    assert found.blind >= max(shares)
    for j, t in enumerate(tolerance):
        grid = np.arange(0, 6.01, 0.25)
        assert found.blind_attributes[j] == max(np.mean(np.abs(records[:, j] - v) <= t) for v in grid)


def test_ranges_that_may_be_known_hold_everyone_and_nobodys_value():
    records = np.random.default_rng(0).normal(50, 17, (300, 4)) * [1, 1e-3, 1e4, 0] + [0, 0, 0, 3]
    low, high = public_ranges(records).T
    assert (low <= records.min(axis=0)).all()
    assert (high >= records.max(axis=0)).all()
    assert not (records[:, :3] == low[:3]).any()
    assert not (records[:, :3] == high[:3]).any()
    assert (low[3], high[3]) == (3, 3)


def split(records, scheme, *cells_):
    attacks = ("known-input", "lattice", "alignment")
    tolerance = 0.05 * np.ptp(records, axis=0)
    game = Game(records, scheme, attacks, cells_, 0.1, tolerance, public_ranges(records), 0)
    return _split(_deals(0, game, game.releases), game.rules)


@pytest.mark.parametrize("rows", [20, 300, 1_000, 6_000, 7_000, 9_000])
def test_whoever_has_a_smaller_sample_meets_nearly_all_rows_that_are_not_his_sample(rows):
    records = np.zeros((rows, 1))
    every = tuple(Cell(1, sample) for sample in (0, 10, 200, 1_000) if 2 * sample <= rows)
    game = Game(records, None, (), every, 0.1, np.zeros(1), np.zeros(1), 0)
    for sample, held_out in game.releases.items():
        assert held_out >= sample
        assert min(6_000, rows - held_out) >= 0.9 * min(6_000, rows - sample)
    assert rows < 7_000 or len(set(game.releases.values())) == 1


def test_who_has_no_sample_does_not_suffer_from_those_of_others():
    """Two insiders without one meet all of 210 people, not the 110 that the samples of others leave."""
    rng = np.random.default_rng(0)
    positions = np.exp(rng.normal(0, 1, (210, 1))) * rng.uniform(-1, 1, (210, 5))
    asked = {"coalition_sizes": (2,), "trials": 4, "attacks": ["alignment"], "seed": 0, "splits": 2}
    alone, beside = (ib.audit(positions, "orthogonal", 0.15, samples=samples, **asked) for samples in ((), (100,)))
    assert beside.matrix.best[Cell(2)].breached == alone.matrix.best[Cell(2)].breached
    assert alone.breached(2).value > 0.3


def test_a_padded_release_is_no_protection():
    """More released columns than attributes: the lattice attack reads the same as without."""
    pytest.importorskip("fpylll")
    records = np.random.default_rng(0).integers(0, 9, (200, 4)) + np.array([0.0, 5, 20, 50])
    for width in (None, 6):
        best = max(split(records, ib.schemes.Rigid(width=width), Cell(1, 0, True)), key=lambda one: one.breached)
        assert best.breached == 1


@pytest.mark.parametrize("scheme", ["orthogonal", "rigid"])
@pytest.mark.parametrize(
    "records",
    [np.eye(3)[:2], np.eye(4) + 1, np.ones((12, 3)), np.zeros((12, 3)), np.vstack([np.zeros((39, 3)), [[1.0, 2, 3]]])],
    ids=["two", "four", "equal", "nothing", "one of forty"],
)
def test_degenerate_tables_are_audited(records, scheme):
    found = ib.audit(records, scheme, 0.1, [1], 3, seed=0, samples=(2, 20), ranges=True, splits=2)
    assert 0 <= found.breached(1, found.matrix.samples[-1]).value <= 1


def test_whoever_knows_least_is_named_of_those_who_do_as_well():
    """Three columns of codes: the lattice attack with a sample is as good as any number of insiders."""
    pytest.importorskip("fpylll")
    records = np.random.default_rng(1).integers(0, 40, (400, 3)) + np.array([0.0, 50, 300])
    found = ib.audit(records, "orthogonal", 0.1, [1, 5], 5, ["lattice"], 0, samples=(100,), splits=2)
    assert found.reached(5, 100).breached.value == 1
    assert found.reached(5, 100).cell.insiders == 0
    assert found.verdict.startswith("Do not publish. Without any knowledge, the grid attack reads every value")
    assert "An outsider who knows nobody in the table but has 100 public records breaches every other" in found.verdict


def test_what_is_read_without_names_is_told_by_the_matrix_as_by_the_verdict():
    pytest.importorskip("fpylll")
    records = np.random.default_rng(1).integers(0, 40, (400, 4)).astype(float)
    found = ib.audit(records, "rigid", 0.1, [1], 5, ["lattice"], 0, samples=(), splits=2)
    first = found._document().sections[1].blocks[0].rows[0].cells[0]
    assert found.breached(0, 0).value < 0.5
    assert first.text.endswith("%†")  # few are breached before columns have names, and all is read
    assert first.level == 4
    said = "Without any knowledge, the grid attack reads every value of every record."
    assert said in first.said
    assert found.verdict.startswith(f"Do not publish. {said}")
    assert found.findings[0].startswith("From the release alone, all values are read (†), but without the names")
    assert "† More values are read than the figure counts" in found.summary()


@pytest.mark.parametrize("least", [3, 9])
def test_an_attack_that_refuses_is_said_to_and_why(monkeypatch, tmp_path, least):
    attack = type(ATTACKS["alignment"])
    plain = attack.run

    def run(self, release, knowledge, **settings):
        if len(knowledge.known) < least:
            raise ib.InputError("known", f"must be {least} records or more", len(knowledge.known))
        return plain(self, release, knowledge, **settings)

    monkeypatch.setattr(attack, "run", run)
    rows = np.random.default_rng(0).normal(20, 5, (60, 4))
    found = ib.audit(rows, "rigid", 0.1, [1, 4], 4, ["alignment"], 0, samples=(), splits=2)
    reason = f"known must be {least} records or more"
    assert {one.cell.insiders for one in found.matrix.refused} == ({1} if least == 3 else {1, 4})
    assert all((one.name, one.splits, one.reason) == ("alignment", 2, reason) for one in found.matrix.refused)
    assert (found.matrix.never_played == {"alignment": reason}) == (least == 9)
    found.to_html(tmp_path / "page.html")
    assert reason in (tmp_path / "page.html").read_text()
    assert json.loads(found.to_json())["matrix"]["refused"][0]["reason"] == reason


def test_a_guess_that_serves_most_people_does_not_hide_who_is_breached():
    """Sixty equal records, and near copies among the others: one insider has another for certain."""
    draws = np.random.default_rng(0)
    others = draws.normal(0, 30, (36, 10))
    twins = draws.normal(0, 30, 10) + draws.normal(0, 0.01, (3, 10))
    records = np.vstack([np.ones((60, 10)), others, twins])
    found = ib.audit(records, "orthogonal", 0.1, [1, 2], 10, ["known-input"], 0, samples=(), splits=2)
    assert found.baselines.blind > 0.5
    assert found.smallest[0].found == 1
    assert "1 insider can be enough to breach" in found.verdict


@pytest.mark.parametrize(("limit", "insiders"), [(-1, None), (2, None), (0.5, 0), (0.5, 2)])
def test_a_gate_that_cannot_be_decided_is_refused(report, limit, insiders):
    with pytest.raises(ib.InputError):
        report.gate(limit, insiders)


def test_shares_of_attributes_have_intervals_that_cover_what_was_told(report):
    for insiders, sample in ((0, 0), (3, 0), (3, 60)):
        shares = report.learned_shares(insiders, sample)
        assert np.array_equal(shares.value, report.learned(insiders, sample))
        assert (shares.low <= shares.value).all()
        assert (shares.value <= shares.high).all()
        assert ((shares.low >= 0) & (shares.high <= 1)).all()
    blind = report.learned_shares(0, 0)
    assert (blind.value[blind.low == blind.high] >= report.baselines.blind_attributes[blind.low == blind.high]).all()


def test_one_bad_split_of_eight_widens_the_interval_of_an_attribute():
    """Where a choice on one half fails on a split of the other, the figure is too low; its interval says so."""
    shares = [0.93, 0.94, 0.92, 0.93, 0.69, 0.93, 0.94, 0.92]
    splits = [[Scores(Cell(1), "known-input", "one", 0.5, np.array([one]))] for one in shares]
    found = matrix(splits, (1,), (), ranges=False, unsuited={}, people=500).best[Cell(1)].learned.of(0)
    assert found.value == pytest.approx(np.mean(shares))
    assert found.low < 0.85
    assert found.high > 0.94
