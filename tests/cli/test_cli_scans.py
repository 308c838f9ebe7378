# SPDX-License-Identifier: BSD-3-Clause
"""Large releases in Parquet files on the command line: the same answers, and one line for what is wrong with a part."""

import numpy as np
import pytest
from pyarrow import parquet

import isobreach as ib
from engine_files import written
from isobreach.io import write_table

RECORDS = np.random.default_rng(0).standard_normal((700, 6))
RELEASE = ib.perturb(RECORDS, "orthogonal", seed=1)


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
