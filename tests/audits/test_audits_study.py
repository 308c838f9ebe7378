# SPDX-License-Identifier: BSD-3-Clause
"""The audit as a whole: same result however it is run, edges, and what it refuses."""

import dataclasses

import numpy as np
import pytest

import isobreach as ib
from audited import audit
from isobreach import datasets
from isobreach.audits import GREEDY
from isobreach.audits.coalitions import copies
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.greedy import by_nearest
from isobreach.errors import InputError
from isobreach.io import FileStore
from isobreach.schemes import Orthogonal

LETTER = datasets.load("letter").values
RNG = np.random.default_rng(2)
GAUSSIAN = RNG.standard_normal((120, 5))


def _plain(value):
    """A result as nested lists of exact numbers, to compare with ==."""
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return (value.shape, value.tobytes())
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


class StopError(Exception):
    pass


class Interrupting:
    """Progress that ends the work after so many coalitions."""

    def __init__(self, after):
        self.after = after

    def __call__(self, label, done, total):
        if label == "coalitions" and done >= self.after:
            raise StopError


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_threads_do_not_change_a_bit(motion):
    arguments = {"scheme": motion, "epsilon": 0.2, "coalition_sizes": range(1, 6), "trials": 9, "seed": 1}
    assert _plain(audit(GAUSSIAN, threads=1, **arguments)) == _plain(audit(GAUSSIAN, threads=3, **arguments))


@pytest.mark.parametrize("motion", ["orthogonal", "rigid"])
def test_an_interrupted_audit_goes_on_to_the_same_result(tmp_path, motion):
    arguments = {"scheme": motion, "epsilon": 0.2, "coalition_sizes": (2, 4), "trials": 12, "seed": 1}
    whole = _plain(audit(GAUSSIAN, **arguments))
    for after in (1, 4, 5, 9, 14):
        with pytest.raises(StopError):
            audit(GAUSSIAN, store=FileStore(tmp_path / "w", seconds=0), progress=Interrupting(after), **arguments)
    kept = len(FileStore(tmp_path / "w").load()["coalitions.figures_linked"])
    assert 9 <= kept <= 14
    assert _plain(audit(GAUSSIAN, store=FileStore(tmp_path / "w", seconds=0), **arguments)) == whole
    assert _plain(audit(GAUSSIAN, store=FileStore(tmp_path / "w", seconds=0), **arguments)) == whole


class StopAt:
    """Progress that ends the work at the n-th report of a label."""

    def __init__(self, label, after):
        self.label, self.left = label, after

    def __call__(self, label, done, total):
        if label == self.label:
            self.left -= 1
            if self.left <= 0:
                raise StopError


@pytest.mark.slow
def test_remedies_and_attackers_are_kept_too(tmp_path, monkeypatch):
    pytest.importorskip("fpylll")
    records = LETTER[:300, :6]
    arguments = {"scheme": "orthogonal", "epsilon": 0.2, "coalition_sizes": (2, 4), "trials": 12, "seed": 1}
    arguments |= {"noise_levels": [0.1, 3.0], "attackers": ["lattice"], "target": 0.3}
    whole = audit(records, **arguments)
    assert whole.remedies.jitter
    assert whole.remedies.levels[1].attackers
    for label in ("trying noise 0.1", "trying noise 3.0", "trying jitter 0.25"):
        for after in (1, 5):
            with pytest.raises(StopError):
                audit(records, store=FileStore(tmp_path / "w", seconds=0), progress=StopAt(label, after), **arguments)
    kept = FileStore(tmp_path / "w").load()
    assert len(kept["noise 0.1.rates"]) == len(kept["noise 3.0.rates"]) == whole.remedies.repeats
    assert 0 < len(kept["jitter 0.25.rates"]) < 12
    assert str(kept["release: lattice.reason"]) == whole.readers[0].reason
    assert _plain(audit(records, store=FileStore(tmp_path / "w", seconds=0), **arguments)) == _plain(whole)
    # Everything is there now: nothing is played, attacked or counted again.
    for name in ("coalition_trials.play", "attackers.reconstruct", "remedies._breached"):
        monkeypatch.delattr(f"isobreach.audits.{name}")
    assert _plain(audit(records, store=FileStore(tmp_path / "w", seconds=0), **arguments)) == _plain(whole)


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 0.3},
        {"trials": 13},
        {"seed": 2},
        {"level": 0.9},
        {"scheme": "rigid"},
        {"scheme": Orthogonal(width=7)},
        {"noise_levels": [0.1]},
        {"target": 0.01},
        {"attackers": ["lattice"]},
        {"rows_known": True},
        {"tolerance": 0.5},
    ],
)
def test_the_work_of_another_audit_is_refused(tmp_path, change):
    arguments = {"scheme": "orthogonal", "epsilon": 0.2, "coalition_sizes": (2, 4), "trials": 12, "seed": 1}
    audit(GAUSSIAN, store=FileStore(tmp_path / "w"), **arguments)
    with pytest.raises(InputError, match="w must hold the unfinished work of this very audit"):
        audit(GAUSSIAN, store=FileStore(tmp_path / "w"), **arguments | change)
    other = GAUSSIAN.copy()
    other[3, 2] += 1e-9
    with pytest.raises(InputError, match="must hold"):
        audit(other, store=FileStore(tmp_path / "w"), **arguments)


def test_more_trials_begin_with_the_same_coalitions():
    few, more = (
        audit(GAUSSIAN, scheme="orthogonal", coalition_sizes=[3], trials=n, seed=5, epsilon=0.3) for n in (10, 20)
    )
    np.testing.assert_array_equal(few.greedy[GREEDY[0]], more.greedy[GREEDY[0]])
    assert more.at(3).random.mean.high - more.at(3).random.mean.low < 1


def test_everything_is_breached_once_the_insiders_span_the_table():
    result = audit(GAUSSIAN, scheme="rigid", coalition_sizes=range(1, 8), trials=20, seed=0)
    assert result.at(6).random.worst.value == result.at(6).random.breached.value == 1
    # One hidden dimension, at five insiders, is a coin flip: the level.
    assert [s.random for s in result.smallest[2:]] == [5, 5]
    assert (result.records.exposure[-1] == 1).all()
    assert (result.attributes.value[-1] == 1).all()
    assert result.at(2).random.linked.value == 0  # two records behind a translation can be swapped


def test_a_higher_level_takes_more_insiders():
    result = audit(GAUSSIAN, scheme="rigid", coalition_sizes=range(1, 8), trials=20, level=0.95, seed=0)
    assert result.smallest[-1].random == 6


def test_the_worst_found_is_at_least_what_random_ones_do_and_at_most_the_bound():
    result = audit(LETTER[:400], scheme="orthogonal", epsilon=0.15, coalition_sizes=range(1, 9), trials=10, seed=0)
    for one in result.per_size:
        others = result.rows - one.size
        assert one.worst_record.value >= one.random.worst.value
        assert one.bound.mean + 1e-12 >= one.worst_mean.value >= one.random.mean.value
        assert one.bound.records >= one.worst_breached.value >= one.random.breached.value * others - 1e-6
    assert result.at(8).worst_mean.coalition in GREEDY


def test_a_single_insider_who_is_linked_alone_is_the_first_of_a_greedy_coalition():
    result = audit(GAUSSIAN, scheme="orthogonal", epsilon=0.4, coalition_sizes=[1, 2], trials=5, seed=0)
    assert result.insider.tried == 120
    assert result.greedy[GREEDY[1]][0] == result.insider.record
    assert result.at(1).worst_mean.value * 119 == pytest.approx(result.insider.expected)
    assert audit(GAUSSIAN, scheme="rigid", coalition_sizes=[1], trials=5, seed=0).insider.record is None


def test_tables_at_the_edge():
    for records in (
        np.array([[1.0], [2.0], [3.0]]),
        np.ones((5, 3)),
        np.zeros((4, 2)),
        np.array([[0, 0], [1, 0], [1, 0], [0, 2]]),
        np.concatenate([np.zeros((2, 3)), np.eye(3)]),
        RNG.standard_normal((6, 40)),
    ):
        for motion in ("orthogonal", "rigid"):
            result = audit(records, scheme=motion, coalition_sizes=[1, 2], trials=4, seed=0)
            assert all(0 <= one.random.mean.value <= 1 for one in result.per_size)
            assert np.isfinite(result.attributes.value).all()


def test_without_a_seed_one_is_drawn_and_told():
    first, second = (audit(GAUSSIAN, coalition_sizes=[2], trials=2) for _ in range(2))
    assert first.seed != second.seed
    again = audit(GAUSSIAN, coalition_sizes=[2], trials=2, seed=first.seed)
    assert _plain(again) == _plain(first)


def test_a_wider_release_exposes_as_much():
    arguments = {"epsilon": 0.3, "coalition_sizes": [2, 3], "trials": 6, "seed": 0}
    plain, wide = (audit(GAUSSIAN, scheme=scheme, **arguments) for scheme in ("orthogonal", Orthogonal(width=8)))
    assert [one.random.mean.value for one in wide.per_size] == pytest.approx(
        [one.random.mean.value for one in plain.per_size], abs=1e-9
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scheme": "secret"}, "scheme must be one of"),
        ({"epsilon": 0}, "epsilon must be a finite number > 0"),
        ({"coalition_sizes": []}, "coalition_sizes must have at least one size"),
        ({"coalition_sizes": [0]}, "coalition_sizes must be a whole number >= 1"),
        (
            {"coalition_sizes": [120]},
            r"below the number of records, 120. Got 120. Ask for coalition_sizes=range\(1, 120\).",
        ),
        ({"trials": 1}, "trials must be a whole number >= 2"),
        ({"level": 0}, "level must be a number above 0"),
        ({"level": 1.5}, "level must be a number above 0 and at most 1"),
        ({"tolerance": [1.0, 2.0]}, "tolerance must be one number or one for each of the 5 columns"),
        ({"tolerance": -1}, "tolerance must be finite and >= 0"),
        ({"noise_levels": [-0.1]}, "noise_levels must be a finite number >= 0"),
        ({"seed": -1}, "seed must be a whole number >= 0"),
    ],
)
def test_what_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        audit(GAUSSIAN, **{"coalition_sizes": [2], "trials": 2, "seed": 0} | change)


def test_noise_without_spread_is_refused_before_anything_is_kept(tmp_path):
    store = FileStore(tmp_path / "w", seconds=0)
    with pytest.raises(InputError, match="X must have records that differ"):
        audit(np.ones((9, 3)), coalition_sizes=[2], trials=2, seed=0, noise_levels=[0.1], store=store)
    assert not store.kept


def test_insiders_who_know_their_rows_do_at_least_as_well():
    arguments = {"scheme": "rigid", "epsilon": 0.3, "coalition_sizes": range(1, 5), "trials": 5, "seed": 0}
    found, known = (audit(LETTER[:150, :6], rows_known=known, **arguments) for known in (False, True))
    for one, other in zip(found.per_size, known.per_size, strict=True):
        assert other.random.linked.value == 1
        assert other.random.mean.value >= one.random.mean.value
        assert other.worst_record.value >= one.worst_record.value
    assert known.at(1).random.hidden_dimension == 6  # behind a translation one row fixes a point, no direction
    assert known.insider.record is not None


@pytest.mark.slow
def test_a_search_that_is_given_up_is_told(monkeypatch):
    """Vertices of a cube: moved along any edge all are vertices again, so nobody is ever linked."""
    records = (np.arange(1024)[:, None] >> np.arange(10) & 1).astype(float)
    result = audit(records, scheme="rigid", coalition_sizes=[14], trials=2, seed=0)
    assert result.at(14).random.linked.value == 0
    assert result.undecided == result.at(14).undecided <= 2
    known = audit(records, scheme="rigid", coalition_sizes=[14], trials=2, seed=0, rows_known=True)
    assert known.undecided == 0
    # Nothing may be listed, nothing tried: every search is given up, and said to be.
    monkeypatch.setattr(copies, "SEARCH", dataclasses.replace(copies.SEARCH, copies=1, tries=0))
    result = audit(records, scheme="rigid", coalition_sizes=[2, 14], trials=2, seed=0)
    assert (result.undecided, result.at(2).undecided, result.at(14).undecided) == (2, 0, 2)
    assert result.at(14).random.linked.value == 0


@pytest.mark.parametrize(("scheme", "size"), [("orthogonal", 1), ("rigid", 3)])
def test_the_nearest_records_are_found_wherever_they_are(scheme, size):
    """One record that is nearly another's copy: neither random coalitions nor those that breach the most meet it."""
    rng = np.random.default_rng(2)
    records = rng.standard_normal((1500, 20))
    records[700] = records[40] + 0.01 * rng.standard_normal(20)
    result = ib.audit(records, scheme, 0.1, coalition_sizes=[size], trials=5, attacks=[], seed=5)
    worst = result.at(size).worst_record
    assert (worst.value, worst.coalition) == (1.0, GREEDY[2])
    assert set(result.greedy[GREEDY[2]][:1]) <= {40, 700}


@pytest.mark.parametrize("translates", [False, True])
def test_the_nearest_pair_is_that_of_all_pairs(translates):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((int(rng.integers(2, 40)), int(rng.integers(1, 6)))) * 10.0 ** rng.integers(-3, 4)
        norms = np.linalg.norm(records, axis=1)
        table = OwnersTable(records, np.zeros(len(records)), translates, 0.1, np.ones(records.shape[1]))
        if translates:
            gaps = np.linalg.norm(records[:, None] - records, axis=2) / norms[:, None]
        else:
            gaps = np.sqrt(np.maximum(1 - ((records @ records.T) / np.outer(norms, norms)) ** 2, 0.0))
        np.fill_diagonal(gaps, np.inf)
        target, insider = table.nearest.record, table.nearest.other
        assert target != insider
        assert gaps[target, insider] <= gaps.min() + 2e-3
        assert by_nearest(table, 1)[0] == insider
