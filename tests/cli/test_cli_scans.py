# SPDX-License-Identifier: BSD-3-Clause
"""Large releases in Parquet files on the command line: the same answers, and one line for what is wrong with a part."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import isobreach as ib
from engine_files import written
from isobreach.engine.connection import PATIENCE
from isobreach.engine.scanning import READING
from isobreach.io import write_table

RECORDS = np.random.default_rng(0).standard_normal((700, 6))
RELEASE = ib.perturb(RECORDS, "orthogonal", seed=1)
COLUMNS = [f"c{j + 1}" for j in range(6)]


@pytest.fixture
def held(tmp_path, monkeypatch):
    """Known records and a release in parts, which is not small."""
    monkeypatch.setattr("isobreach.io.sources._LARGE", 0)
    write_table(tmp_path / "known.csv", RECORDS[:3], list("abcdef"))
    (tmp_path / "released").mkdir()
    written(tmp_path / "released", RELEASE.data, group=100)
    return ("--known", tmp_path / "known.csv", "--released", tmp_path / "released")


def test_an_attack_writes_what_it_writes_of_a_table_in_memory(tmp_path, held, run, monkeypatch):
    results = []
    for large in (0, 10**9):
        monkeypatch.setattr("isobreach.io.sources._LARGE", large)
        out = tmp_path / f"out-{large}"
        assert run("attack", *held, "--seed", 1, "--out", out, "--estimates", "--quiet").code == 0
        tables = [parquet.read_table(out / f"{name}.parquet") for name in ("per_record", "estimates")]
        results.append(((out / "result.json").read_text(), *(table.to_pydict() for table in tables)))
    assert results[0] == results[1]


@pytest.mark.parametrize("pattern", ["", "*.parquet"])
def test_links_are_found_by_a_folder_and_by_a_pattern(held, run, pattern):
    done = run("link", *held[:-1], held[-1] / pattern, "--json")
    assert [link["row"] for link in done.json["links"]] == RELEASE.key.order[:3].tolist()


def test_a_pipe_among_the_parts_is_refused(held, run):
    import os

    os.mkfifo(held[-1] / "part-3.parquet")
    done = run("link", *held)
    assert done.code == 2
    assert "must be a regular file" in done.err


@pytest.mark.parametrize("place", ["attack", "link"])
def test_a_damaged_part_is_named_and_nothing_is_written(tmp_path, held, run, place):
    path = held[-1] / "part-2.parquet"
    content = bytearray(path.read_bytes())
    content[100 : len(content) // 2] = bytes(len(content) // 2 - 100)
    path.write_bytes(content)
    out = ("--out", tmp_path / "out") if place == "attack" else ()
    done = run(place, *held, *out)
    assert done.code == 2
    assert "Parquet. Got part-2.parquet, a damaged file or another format." in " ".join(done.err.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_cluster_writes_what_this_machine_writes(tmp_path, held, run, monkeypatch):
    monkeypatch.setattr(
        "isobreach.engine.scanning.READING", replace(READING, held=0)
    )  # columns in files of the workers
    results = []
    for engine in ("local", "dask"):
        out = tmp_path / f"out-{engine}"
        done = run("attack", *held, "--seed", 1, "--engine", engine, "--out", out, "--estimates", "--quiet")
        assert (done.code, done.err) == (0, "")
        tables = [parquet.read_table(out / f"{name}.parquet") for name in ("per_record", "estimates")]
        results.append(((out / "result.json").read_text(), *(table.to_pydict() for table in tables)))
    assert results[0] == results[1]


def test_a_cluster_finds_links(held, run):
    done = run("link", *held, "--engine", "dask", "--json")
    assert [link["row"] for link in done.json["links"]] == RELEASE.key.order[:3].tolist()
    assert done.err == ""


def _nan(path):
    table = parquet.read_table(path)
    parquet.write_table(table.set_column(2, "c3", [[float("nan"), *table["c3"].to_pylist()[1:]]]), path)


def _other_type(path):
    parquet.write_table(parquet.read_table(path).cast(pa.schema(dict.fromkeys(COLUMNS, pa.float32()))), path)


def _other_columns(path):
    parquet.write_table(parquet.read_table(path).rename_columns(list("uvwxyz")), path)


def _truncated(path):
    path.write_bytes(path.read_bytes()[:-500])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_nan, "must be finite everywhere. Got 1 missing, NaN or infinite; the first in row 467 (counted from 0)"),
        (_other_type, "must have the same columns, of the same types, in every part. Got part-2.parquet"),
        (_other_columns, "must have the same columns, of the same types, in every part. Got part-2.parquet"),
        (_truncated, "must be readable as Parquet. Got part-2.parquet"),
    ],
)
def test_what_is_wrong_with_a_part_is_said_by_a_cluster_as_here(tmp_path, held, run, damage, said):
    damage(held[-1] / "part-2.parquet")
    errors = set()
    for engine in ("local", "dask"):
        done = run("attack", *held, "--seed", 1, "--engine", engine, "--out", tmp_path / "out", "--quiet")
        assert done.code == 2
        errors.add(done.err)
        assert not (tmp_path / "out").exists()
    (error,) = errors
    assert said in error
    assert error.count("\n") == 1


def test_a_scheduler_that_does_not_answer_and_a_table_that_no_worker_reads(tmp_path, held, run, monkeypatch):
    monkeypatch.setattr("isobreach.engine.connection.PATIENCE", replace(PATIENCE, connecting=0.5))
    out = ("--out", tmp_path / "out")
    np.save(tmp_path / "released.npy", RELEASE.data)
    write_table(tmp_path / "released.csv", RELEASE.data, COLUMNS)
    monkeypatch.setattr("isobreach.io.scans.spooled", None)  # text is not parsed for a scheduler that is not there
    for arguments, said in [
        (
            ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:1", "--released", tmp_path / "released.csv"),
            "--scheduler must be the address of a Dask scheduler",
        ),
        (
            ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"),
            "--scheduler must be the address of a Dask scheduler",
        ),
        (("--scheduler", "tcp://127.0.0.1:1"), "--scheduler must be left out unless the engine is dask"),
        (
            ("--engine", "dask", "--released", tmp_path / "released.npy"),
            "--engine must be local where released is not in Parquet files",
        ),
    ]:
        done = run("attack", *held, *arguments, *out)
        assert done.code == 2
        assert done.err.startswith(f"isobreach: {said}"), done.err
        assert done.err.count("\n") == 1
        assert not (tmp_path / "out").exists()


def test_workers_read_text_once_it_is_parquet(tmp_path, held, run):
    write_table(tmp_path / "released.csv", RELEASE.data, COLUMNS)
    told = []
    for engine in ("local", "dask"):
        out = tmp_path / engine
        asked = ("--known", tmp_path / "known.csv", "--released", tmp_path / "released.csv", "--engine", engine)
        assert run("attack", *asked, "--seed", 1, "--out", out, "--quiet").code == 0
        told.append(((out / "result.json").read_text(), parquet.read_table(out / "per_record.parquet").to_pydict()))
    assert told[0] == told[1]
