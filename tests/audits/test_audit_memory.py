# SPDX-License-Identifier: BSD-3-Clause
"""An audit that does not fit into the free memory is refused in one line, where its table cannot stay in files."""

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

import isobreach as ib
from isobreach.audits import memory
from isobreach.cli.app import app
from isobreach.errors import InputError

SAID = (
    r"must be small enough for the free memory, 0.0 GB, because this audit holds all records. Got 300 x 3, about 0.0 GB"
)


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table in two parts, text beside its numbers, where next to no memory is free."""
    rows = np.random.default_rng(0).standard_normal((300, 3))
    for part, some in enumerate(np.split(rows, 2)):
        columns = {**dict(zip("abc", some.T, strict=True)), "name": ["x"] * len(some)}
        parquet.write_table(pa.table(columns), tmp_path / f"part-{part}.parquet")
    monkeypatch.setattr(memory, "free_memory", lambda: 1e5)
    return rows


def test_vectors_of_no_fixed_length_are_refused_before_they_are_read(tmp_path, table):
    path = tmp_path / "vectors" / "x.parquet"
    path.parent.mkdir()
    parquet.write_table(pa.table({"v": pa.array(table.tolist(), pa.list_(pa.float64()))}), path)
    with pytest.raises(InputError, match=r"^X must be small enough for the free memory") as caught:
        ib.audit(path, seed=0)
    assert "\n" not in str(caught.value)
    done = CliRunner().invoke(app, ["audit", str(path), "--out", str(tmp_path / "out")])
    assert isinstance(done.exception, InputError)
    assert not (tmp_path / "out").exists()


def test_a_table_in_memory_is_refused_before_it_starts(table):
    with pytest.raises(InputError, match=f"^X {SAID}"):
        ib.audit(table, seed=0)


def test_what_is_needed_grows_with_entries_and_sizes(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 14e9)
    memory.check_memory("X", 10_000_000, 16, 8)
    with pytest.raises(InputError, match=r"10,000,000 x 20, about 15.7 GB"):
        memory.check_memory("X", 10_000_000, 20, 8)
