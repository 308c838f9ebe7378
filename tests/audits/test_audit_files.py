# SPDX-License-Identifier: BSD-3-Clause
"""An audit of a table that stays in its files says of every record what an audit in memory says."""

import json

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose, assert_array_equal
from pyarrow import parquet

import isobreach as ib
from isobreach._random import generator
from isobreach.audits import memory, survey
from isobreach.audits.coalition_trials import coalitions_of
from isobreach.audits.coalitions import Growth
from isobreach.audits.criterion import Criterion
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.settings import Settings
from isobreach.audits.survey import DrawnPart
from isobreach.cli.app import app
from isobreach.errors import InputError

ROWS, PART, SIZES, TRIALS, EPSILON = 9000, 400, (1, 2, 4), 12, 0.15
ASKED = {
    "epsilon": EPSILON,
    "coalition_sizes": SIZES,
    "trials": TRIALS,
    "seed": 5,
    "splits": 2,
    "samples": (100,),
    "attacks": [],
}


def written(folder, rows, cuts=(4000,), groups=1 << 20):
    """The rows in several files."""
    folder.mkdir()
    for part, some in enumerate(np.split(rows, cuts)):
        columns = {f"c{j}": some[:, j] for j in range(rows.shape[1])}
        parquet.write_table(pa.table(columns), folder / f"part-{part}.parquet", row_group_size=groups)
    return folder


@pytest.fixture
def rows():
    return np.random.default_rng(0).standard_normal((ROWS, 5)) + 2


@pytest.fixture
def few(monkeypatch):
    """Few records are held."""
    monkeypatch.setattr(survey, "PART", DrawnPart(records=PART))
    monkeypatch.setattr("isobreach.audits.whole.PART", DrawnPart(records=PART))


@pytest.mark.parametrize("scheme", ["orthogonal", "rigid"])
def test_a_part_of_all_records_tells_what_memory_tells(tmp_path, rows, scheme):
    rows = rows[:3000]
    held = ib.audit(rows, scheme, **ASKED, rows_known=True)
    filed = ib.audit(ib.scan(written(tmp_path / "x", rows, (700,))), scheme, **ASKED)
    assert (filed.part, filed.rows, filed.rows_known) == (3000, 3000, True)
    assert_array_equal(filed.records.exposure, held.records.exposure)
    assert_array_equal(filed.records.breached, held.records.breached)
    assert filed.exposed == held.exposed
    assert filed.insider.record == held.insider.record
    assert (filed.baselines.blind, filed.baselines.guess) == (held.baselines.blind, held.baselines.guess)
    for one, other in zip(filed.per_size, held.per_size, strict=True):
        assert one.worst_breached == other.worst_breached
        assert one.worst_record == other.worst_record
        assert (one.bound.records, one.random.breached) == (other.bound.records, other.random.breached)
        assert_allclose(
            [one.random.mean.value, one.bound.mean], [other.random.mean.value, other.bound.mean], rtol=1e-12
        )


@pytest.mark.parametrize("scheme", ["orthogonal", "rigid"])
def test_every_record_is_measured_though_few_are_held(tmp_path, rows, few, scheme):
    """Brute force: the same coalitions, on a table of all records."""
    found = ib.audit(ib.scan(written(tmp_path / "x", rows)), scheme, **ASKED)
    assert (found.part, found.rows, found.records.exposure.shape) == (PART, ROWS, (len(SIZES), ROWS))
    held = np.sort(generator(5, "part").choice(ROWS, PART, replace=False))
    target = Criterion(0.05)
    settings = Settings.checked(
        scheme, EPSILON, SIZES, TRIALS, 0.5, None, (), None, target, (), rows_known=True, samples=(100,), splits=2
    )
    drawn = coalitions_of(
        {name: np.searchsorted(held, order) for name, order in found.greedy.items()}, PART, settings, 5, 1
    )
    every = OwnersTable(rows, np.full(ROWS, 1e-12), scheme == "rigid", EPSILON, np.ones(5))
    sums, present, worst, means = np.zeros((3, ROWS)), np.zeros((3, ROWS)), [], []
    for coalition in drawn[len(found.greedy) :]:
        order = held[coalition.order]
        probability = every.exposed(order, Growth.rows_known(len(order)), SIZES).probability
        outside = np.array([~np.isin(np.arange(ROWS), order[:size]) for size in SIZES])
        sums, present = sums + np.where(outside, probability, 0), present + outside
        worst.append([p[out].max() for p, out in zip(probability, outside, strict=True)])
        means.append([p[out].mean() for p, out in zip(probability, outside, strict=True)])
    assert_allclose(found.records.exposure, sums / present, rtol=1e-12)
    assert_array_equal(found.records.coalitions, present)
    for place, size in enumerate(SIZES):
        assert_allclose(found.at(size).random.mean.value, np.mean(means, axis=0)[place])
        assert_allclose(found.at(size).random.worst.value, np.mean(worst, axis=0)[place])
    person = found.exposed[0]
    gaps = np.linalg.norm(rows - rows[person.row], axis=1)
    assert person.copies == (gaps <= EPSILON * np.linalg.norm(rows[person.row])).sum() - 1


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_nothing_depends_on_files_row_groups_and_workers(tmp_path, rows, few, engine):
    one = ib.audit(ib.scan(written(tmp_path / "one", rows)), "rigid", **ASKED)
    place = written(tmp_path / "other", rows, (1, 5000, 8999), groups=777)
    other = ib.audit(ib.scan(place, engine=engine), "rigid", **ASKED)
    assert_array_equal(one.records.exposure, other.records.exposure)
    assert (one.per_size, one.exposed, one.insider) == (other.per_size, other.exposed, other.insider)


class Shelf:
    """A store that is always due; one that was full once takes no more."""

    name = "shelf"

    def __init__(self, most):
        self.most, self.arrays = most, None

    def load(self):
        return self.arrays

    def due(self):
        return True

    def keep(self, arrays):
        if self.most == 0:
            raise KeyboardInterrupt
        self.most, self.arrays = self.most - 1, dict(arrays)


def test_an_audit_of_files_goes_on_where_it_was_interrupted(tmp_path, rows, few):
    folder = written(tmp_path / "x", rows)
    whole = ib.audit(ib.scan(folder), "rigid", **ASKED)
    shelf = Shelf(7)
    with pytest.raises(KeyboardInterrupt):
        ib.audit(ib.scan(folder), "rigid", **ASKED, store=shelf)
    shelf.most = 100
    again = ib.audit(ib.scan(folder), "rigid", **ASKED, store=shelf)
    assert_array_equal(again.records.exposure, whole.records.exposure)
    assert (again.per_size, again.exposed) == (whole.per_size, whole.exposed)
    changed = written(tmp_path / "changed", np.vstack([rows[:-1], rows[-1:] + 1]))
    with pytest.raises(InputError, match="shelf must hold the unfinished work of this very audit"):
        ib.audit(ib.scan(changed), "rigid", **ASKED, store=shelf)


def test_what_cannot_be_told_from_files_is_refused_before_it_starts(tmp_path, rows, few):
    folder = written(tmp_path / "x", rows)
    with pytest.raises(InputError, match="scheme must be a motion without noise where the table stays in its files"):
        ib.audit(ib.scan(folder), "noisy", **ASKED)
    with pytest.raises(InputError, match="criterion must be share where the table stays in its files"):
        ib.audit(ib.scan(folder), **ASKED, noise_levels=[0.1], criterion="worst-record")
    rows[-1, 3] = np.nan
    bad = written(tmp_path / "bad", rows)
    said = r"X must be finite everywhere. Got 1 missing, NaN or infinite; the first in row 8999 .*'c3', which is row"
    with pytest.raises(InputError, match=said):
        ib.audit(ib.scan(bad), **ASKED)


def test_the_command_stays_in_files_where_memory_is_short(tmp_path, rows, few, monkeypatch):
    folder = written(tmp_path / "x", rows)
    monkeypatch.setattr(memory, "free_memory", lambda: 1e5)
    asked = ["audit", str(folder), "--coalitions", "1,2,4", "--trials", "12", "--seed", "5", "--splits", "2"]
    out = tmp_path / "out"
    done = CliRunner().invoke(app, [*asked, "--attacks", "known-input", "--samples", "0", "--out", str(out)])
    assert done.exit_code == 0, done.exception
    told = json.loads((out / "result.json").read_text())
    assert (told["table"]["rows"], told["table"]["part"], told["rows_known"]) == (ROWS, PART, True)
    said = f"Of a random part of {PART} records are attackers who are played"
    assert any(said in finding for finding in told["findings"])
    assert said in (out / "report.html").read_text()
    records = parquet.read_table(out / "per_record.parquet")
    again = ib.audit(folder, "rigid", 0.1, (1, 2, 4), 12, [], 5, splits=2, samples=())
    assert_array_equal(records["row"].to_numpy(), np.arange(ROWS))
    assert_array_equal(records["exposure_4"].to_numpy(), again.records.exposure[2])
    for more, word in (["--standardise"], "--standardise"), (["--both"], "--both must be left out"):
        refused = CliRunner().invoke(app, [*asked, *more, "--out", str(tmp_path / "no")])
        assert isinstance(refused.exception, InputError)
        assert word in str(refused.exception)
        assert not (tmp_path / "no").exists()
    numbered = written(tmp_path / "numbered", np.column_stack([rows, np.arange(ROWS)]))
    refused = CliRunner().invoke(app, ["audit", str(numbered), "--out", str(tmp_path / "no")])
    assert "DATA must need no preparation where it does not fit into memory" in str(refused.exception)
    assert "'c5'" in str(refused.exception)
