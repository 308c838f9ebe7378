# SPDX-License-Identifier: BSD-3-Clause
"""Tables that stay in their Parquet files: they go in wherever a released table goes, with the same outcome."""

import os
import tracemalloc
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import isobreach as ib
from effort import slow
from engine_files import written
from isobreach import linking
from isobreach.attacks import attack_document
from isobreach.engine import ParquetFiles
from isobreach.engine.column import ColumnReading, FileColumn
from isobreach.engine.scanning import READING
from isobreach.errors import InputError, LeftOutWarning
from isobreach.io import Scan, Source, as_released, as_table, write_columns
from isobreach.io.vectors import from_rows

ROWS, COLUMNS = 600, 5
RECORDS = np.random.default_rng(0).standard_normal((ROWS, COLUMNS))
RELEASE = ib.perturb(RECORDS, "orthogonal", seed=1)
KNOWN = RECORDS[:3]


@pytest.fixture
def folder(tmp_path):
    written(tmp_path, RELEASE.data, group=77)
    return tmp_path


@pytest.fixture
def no_release_is_small(monkeypatch):
    monkeypatch.setattr("isobreach.io.sources._LARGE", 0)


def same(one, other):
    assert one.linkage.rows.tolist() == other.linkage.rows.tolist()
    for of in ("relative_residual", "breach_probability", "estimates"):
        left, right = (np.asarray(getattr(result.plain, of)) for result in (one, other))
        assert left.tobytes() == right.tobytes(), of
    assert one.top(20).tolist() == other.top(20).tolist()
    assert one.to_json() == other.to_json()


@pytest.mark.parametrize("motion", ["auto", "rigid"])
def test_an_attack_on_files_has_the_bits_of_one_in_memory(folder, motion):
    scan = ib.scan(folder / "*.parquet")
    assert repr(scan) == "Scan(600 x 5, 3 files)"
    same(*(ib.attack(KNOWN, one, motion=motion, seed=0) for one in (scan, RELEASE.data)))


@pytest.mark.parametrize("place", ["", "*.parquet", "part-[0-2].parquet"])
def test_a_folder_and_a_pattern_name_the_same_table(folder, place):
    scan = ib.scan(folder / place)
    assert scan.columns == tuple(f"c{j + 1}" for j in range(COLUMNS))
    assert scan.values.everything("all").tobytes() == RELEASE.data.tobytes()
    assert as_table(str(folder / place), "known").values.tobytes() == RELEASE.data.tobytes()
    assert Source(folder / place, "known").hash() == Source(folder, "known").hash()


def test_a_scan_goes_into_reconstruct_and_comes_out_with_names(folder):
    knowledge = ib.Knowledge(known=KNOWN)
    found, plain = (ib.reconstruct("known-input", one, knowledge, seed=0) for one in (ib.scan(folder), RELEASE.data))
    assert isinstance(found.estimates, pa.Table)
    assert np.stack([column.to_numpy() for column in found.estimates.columns], axis=1).tobytes() == (
        np.asarray(plain.estimates).tobytes()
    )


def test_a_scan_goes_where_tables_are_read_too(folder):
    records = ib.invert(RELEASE.key, ib.scan(folder))
    np.testing.assert_allclose(np.stack([c.to_numpy() for c in records.columns], axis=1), RECORDS, atol=1e-12)


def test_a_large_release_stays_in_its_files_by_itself(folder, no_release_is_small):
    for place in (folder, folder / "*.parquet", folder / "part-0.parquet"):
        assert isinstance(as_released(place, "released"), Scan)
    same(*(ib.attack(KNOWN, one, motion="orthogonal", seed=0) for one in (str(folder), RELEASE.data)))


def test_a_small_release_is_read_once(folder):
    assert not isinstance(as_released(folder, "released"), Scan)


def test_columns_ids_and_what_is_left_out(tmp_path):
    table = pa.table(
        {"who": [f"p{i}" for i in range(ROWS)], "b": RELEASE.data[:, 1], "town": ["x"] * ROWS, "a": RELEASE.data[:, 0]}
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.warns(LeftOutWarning, match="'who'.*'town'"):
        assert ib.scan(tmp_path / "t.parquet").columns == ("b", "a")
    scan = ib.scan(tmp_path / "t.parquet", columns=["a", "b"], id_column="who")
    assert scan.values.gather([7]).tolist() == [RELEASE.data[7, :2].tolist()]
    assert scan.ids[7] == "p7"
    for columns, said in ((["a", "town"], "must be numeric columns"), (["a", "c"], "must name columns")):
        with pytest.raises(InputError, match=f"columns {said}"):
            ib.scan(tmp_path / "t.parquet", columns=columns)


def test_links_name_the_released_rows(folder):
    for path in folder.glob("*.parquet"):
        table = parquet.read_table(path)
        parquet.write_table(table.append_column("who", [[f"{path.stem}/{i}" for i in range(len(table))]]), path)
    found = ib.link(KNOWN, ib.scan(folder, id_column="who"))
    assert found.released_ids[[0, 599]].tolist() == ["part-0/0", "part-2/198"]


def test_vectors_stay_in_their_files(tmp_path):
    table = pa.table({"page": range(ROWS), "embedding": from_rows(RELEASE.data.astype(np.float32))})
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.warns(LeftOutWarning, match="'page'"):
        scan = ib.scan(tmp_path / "t.parquet")
    assert (scan.columns[0], scan.values.shape, scan.values.dtype) == ("embedding[1]", (ROWS, COLUMNS), np.float32)
    assert ib.link(KNOWN, scan).rows.tolist() == RELEASE.key.order[:3].tolist()


def test_vectors_without_a_fixed_length_are_read(tmp_path, no_release_is_small):
    parquet.write_table(pa.table({"embedding": RELEASE.data.tolist()}), tmp_path / "t.parquet")
    assert not isinstance(as_released(tmp_path / "t.parquet", "released"), Scan)
    with pytest.raises(InputError, match=r"path must be Parquet .* vectors of a fixed length"):
        ib.scan(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("*.arrow", "released must be a pattern that names .parquet files"),
        ("none.parquet", "path must be Parquet .a file, a folder of parts or a pattern"),
        ("t.arrow", "path must be Parquet .a file, a folder of parts or a pattern"),
    ],
)
def test_what_is_no_parquet_is_refused(folder, place, said):
    np.save(folder / "t.npy", np.ones((2, 2)))
    with pytest.raises(InputError, match=r"engine must be local where released is not in Parquet files"):
        ib.scan(folder / "t.npy", engine="dask")
    with pytest.raises(InputError, match=said):
        ib.scan(folder / place)
    with pytest.raises(InputError, match=r"engine must be one of local, dask. Got 'spark'"):
        ib.scan(folder, engine="spark")
    with pytest.raises(InputError, match=r"scheduler must be left out unless engine is dask. Got 'local'"):
        ib.scan(folder, scheduler="tcp://127.0.0.1:1")


def test_what_is_no_number_in_the_last_part_is_named(folder):
    rows = RELEASE.data.copy()
    rows[-1, 3] = np.nan
    written(folder, rows, group=77)
    with pytest.raises(InputError) as caught:
        ib.link(KNOWN, ib.scan(folder), motion="orthogonal")
    place = "the first in row 599 (counted from 0), column 'c4', which is row 198 of part-2.parquet"
    assert str(caught.value) == f"released must be finite everywhere. Got 1 missing, NaN or infinite; {place}."


def test_a_part_that_disappears_is_named_by_the_attack(folder):
    scan = ib.scan(folder)
    (folder / "part-1.parquet").unlink()
    with pytest.raises(InputError) as caught:
        ib.attack(KNOWN, scan, seed=0)
    said = "released must stay where it is while it is read. Got part-1.parquet, which is gone."
    assert str(caught.value) == said


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_part_that_may_not_be_read_is_named(folder):
    (folder / "part-1.parquet").chmod(0)
    with pytest.raises(InputError, match=r"part-1.parquet: Permission denied"):
        ib.scan(folder)


@pytest.mark.parametrize(("kind", "most"), [("float64", 2), ("float32", 3), ("rounded", 3)])
def test_an_attack_takes_two_passes(folder, monkeypatch, kind, most):
    """Rows that linking needs besides are picked up in passing; only what may lie on a grid takes a sample before."""
    rows = {"float64": RELEASE.data, "float32": RELEASE.data.astype(np.float32), "rounded": RELEASE.data.round(4)}[kind]
    written(folder, rows, group=77)
    opened, batches = [], ParquetFiles.batches

    def noting(self, groups, *arguments):
        opened.extend(groups)
        return batches(self, groups, *arguments)

    scan = ib.scan(folder)
    monkeypatch.setattr(ParquetFiles, "batches", noting)
    result = ib.attack(KNOWN, scan, seed=0)
    assert len(result.linkage.linked) == 3
    assert most <= len(opened) / len(scan.values.files.groups) < most + 0.2  # the first rows are looked at alone


@pytest.mark.parametrize(
    "arguments",
    [{"motion": "orthogonal"}, {"motion": "rigid"}, *slow({"motion": "orthogonal", "noise": 0.01})],
    ids=str,
)
def test_nothing_as_long_as_the_release_is_asked_for(folder, tmp_path, monkeypatch, arguments):
    """Links, the most exposed rows, the summary and per_record take some rows of a column at a time."""
    monkeypatch.setattr("isobreach.engine.scanning.READING", replace(READING, held=0))
    monkeypatch.setattr("isobreach.engine.column._READING", ColumnReading(chunk=100))
    monkeypatch.setattr("isobreach.engine.ordered._SHORT", 0)
    taken, take = [], FileColumn.take

    def noting(self, rows):
        found = take(self, rows)
        taken.append(len(found))
        return found

    monkeypatch.setattr(FileColumn, "take", noting)
    result = ib.attack(RECORDS[:6], ib.scan(folder), seed=0, **arguments)
    document = attack_document(result)
    assert len(result.top(20)) == 20
    write_columns(tmp_path / "per_record.parquet", document.frames["per_record"]())
    assert max(taken) <= 100
    plain = ib.attack(RECORDS[:6], RELEASE.data, seed=0, **arguments)
    written = parquet.read_table(tmp_path / "per_record.parquet")
    assert written["breach_probability"].to_numpy().tobytes() == plain.breach_probability.tobytes()
    assert written["relative_residual"].to_numpy().tobytes() == plain.relative_residual.tobytes()
    assert document.data == attack_document(plain).data


@pytest.mark.slow
def test_memory_does_not_grow_with_the_release(tmp_path, monkeypatch):
    """A number a row would take 32 MB more of twice as many rows; how far reading is ahead depends on the machine."""
    monkeypatch.setattr("isobreach.engine.scanning.READING", replace(READING, held=0))
    peaks = []
    for rows in (4_000_000, 8_000_000):
        place = tmp_path / str(rows)
        place.mkdir()
        rng = np.random.default_rng(0)
        with parquet.ParquetWriter(place / "t.parquet", pa.schema(dict.fromkeys("ab", pa.float64()))) as writer:
            for _ in range(0, rows, 500_000):
                writer.write_table(pa.table(dict(zip("ab", rng.standard_normal((2, 500_000)), strict=True))))
        scan = ib.scan(place)
        known = scan.values.gather([5, rows // 2])[:1]
        tracemalloc.start()
        result = ib.attack(known, scan, motion="orthogonal", seed=0)
        write_columns(place / "per_record.parquet", attack_document(result).frames["per_record"]())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 24e6


def test_what_does_not_fit_into_memory_is_said_before_it_starts(folder, monkeypatch):
    monkeypatch.setattr("isobreach.engine.scanning.READING", replace(READING, share=1e-12))
    scan, strangers = ib.scan(folder), np.random.default_rng(1).standard_normal((2, COLUMNS))
    said = (
        r"released must be smaller than half of the free memory, .* Without norms all .* pairs of rows are compared, "
        r".* hours of one processor"
    )
    with pytest.raises(InputError, match=said):
        ib.link(KNOWN, scan, motion="rigid")
    found = linking.link(strangers, scan.values)
    assert found.counts()["linked"] == 0
    assert found.reason.endswith("distances alone were not tried: they need all rows in memory, where these do not fit")
    assert ib.link(KNOWN, scan).rows.tolist() == RELEASE.key.order[:3].tolist()
