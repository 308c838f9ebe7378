# SPDX-License-Identifier: BSD-3-Clause
"""Released rows in Parquet files: whatever the parts, results are those of the array; what is wrong is named."""

import os
import pickle
import shutil
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import engine_kernels as kernels
from effort import examples
from engine_files import ArrayInFiles, written
from isobreach import _arrow
from isobreach.engine import ArrayColumn, FileEngine, LocalEngine, ParquetFiles, tile_rows
from isobreach.engine import scanning as module
from isobreach.engine.column import FileColumn
from isobreach.errors import InputError, OutputError

ROWS, COLUMNS = 3000, 64  # three tiles of 1024 rows, the last one short
TABLE = np.random.default_rng(0).standard_normal((ROWS, COLUMNS))
NAMES = [f"c{j + 1}" for j in range(COLUMNS)]


@pytest.fixture
def less(monkeypatch):
    """Change how much is held at a time."""
    return lambda **changes: monkeypatch.setattr(module, "READING", replace(module.READING, **changes))


@pytest.fixture
def read(monkeypatch):
    """Row groups that were read, as (file, number)."""
    found, batches = [], ParquetFiles.batches

    def noting(self, groups, columns, rows):
        found.extend((group.file, group.number) for group in groups)
        return batches(self, groups, columns, rows)

    monkeypatch.setattr(ParquetFiles, "batches", noting)
    return found


def opened(folder):
    return FileEngine(ParquetFiles.of(sorted(folder.glob("*.parquet")), "released"), NAMES)


@examples(40)
@given(
    rows=st.integers(1, ROWS),
    parts=st.integers(1, 9),
    group=st.integers(1, 2000),
    stretch=st.sampled_from([1, 2, 32]),
    block_rows=st.sampled_from([None, 1, 2000]),
    workers=st.integers(1, 3),
)
def test_parts_and_row_groups_change_no_bit(rows, parts, group, stretch, block_rows, workers):
    group = max(group, rows // 20)  # thousands of row groups take seconds to write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "READING", replace(module.READING, stretch_tiles=stretch))
        engine = ArrayInFiles(TABLE[:rows], parts=parts, group=group, block_rows=block_rows, workers=workers)
        assert engine.everything("all").tobytes() == TABLE[:rows].tobytes()
        starts = [start for start, *_ in engine.scan(kernels.seen, None, "reading")]
        assert all(start % tile_rows(COLUMNS) == 0 for start in starts)
        wanted = [rows - 1, 0, rows // 2, 0]
        engine.keep(wanted)
        by_columns = [row for _, found in engine.scan(kernels.as_found, None, "reading") for row in found]
        assert np.array(by_columns).tobytes() == TABLE[:rows].tobytes()
        assert engine.gather(wanted).tobytes() == TABLE[wanted].tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8, np.bool_])
def test_every_type_of_number_is_read_as_in_memory(dtype):
    rows = (TABLE[:50, :3] * 3).astype(dtype)
    engine = ArrayInFiles(rows)
    assert engine.dtype == (np.int64 if dtype is np.bool_ else dtype)
    assert engine.everything("all").tobytes() == rows.astype(np.float64).tobytes()


def test_decimals_mixed_types_and_what_is_missing(tmp_path):
    table = pa.table({"a": [Decimal("1.5"), Decimal("2.25")], "b": pa.array([1, None], pa.int32()), "c": [True, False]})
    parquet.write_table(table, tmp_path / "t.parquet")
    engine = FileEngine(ParquetFiles.of([tmp_path / "t.parquet"], "released"), ["c", "a", "b"])
    assert engine.dtype == np.float64
    np.testing.assert_array_equal(engine.everything("all"), [[1, 1.5, 1], [0, 2.25, np.nan]])


def test_kernels_that_take_columns_get_them_where_they_are_float64(tmp_path):
    """What is missing is NaN there too; other types and vectors come as rows."""
    columns = {"a": [1.0, None, 3.0], "b": [4.0, 5.0, 6.0], "c": pa.array([7, 8, 9], pa.float32())}
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    files = ParquetFiles.of([tmp_path / "t.parquet"], "released")
    for names, kind in ((["b", "a"], "ColumnBlock"), (["c", "a"], "ndarray")):
        engine = FileEngine(files, names)
        ((found, rows),) = engine.scan(kernels.as_found, None, "reading")
        assert found == kind
        np.testing.assert_array_equal(rows, engine.everything("all"))
    (tmp_path / "t.parquet").unlink()
    vectors = FileEngine(ParquetFiles.of(written(tmp_path, TABLE, vectors=True), "released"), ["vector"])
    assert {found for found, _ in vectors.scan(kernels.as_found, None, "reading")} == {"ndarray"}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_vectors_are_rows(tmp_path, dtype):
    paths = written(tmp_path, TABLE.astype(dtype), vectors=True)
    engine = FileEngine(ParquetFiles.of(paths, "released"), ["vector"])
    assert engine.shape == TABLE.shape
    assert engine.dtype == dtype
    assert engine.everything("all").tobytes() == TABLE.astype(dtype).astype(np.float64).tobytes()
    assert engine.gather([2999, 5]).tobytes() == TABLE[[2999, 5]].astype(dtype).astype(np.float64).tobytes()
    assert engine.where(5, 3) == "row 5, column 3 (both counted from 0), which is row 5 of part-0.parquet"


def test_a_vector_that_is_missing_is_no_number(tmp_path):
    vectors = pa.array([[1.0, 2.0], None, [3.0, None]], pa.list_(pa.float64(), 2))
    parquet.write_table(pa.table({"v": vectors}), tmp_path / "t.parquet")
    engine = FileEngine(ParquetFiles.of([tmp_path / "t.parquet"], "released"), ["v"])
    np.testing.assert_array_equal(engine.everything("all"), [[1, 2], [np.nan] * 2, [3, np.nan]])


@pytest.mark.parametrize("columns", [1, 7, 8, 19])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_become_rows(columns, dtype):
    """Eight columns at a time by a compiled kernel where rows are many, the others by NumPy."""
    table = np.random.default_rng(columns).standard_normal((_arrow._MANY + 5, columns)).astype(dtype)
    for rows in (table, table[:100]):
        into = np.full(rows.shape, np.nan)
        _arrow.fill(into, [pa.array(np.ascontiguousarray(column)) for column in rows.T])
        assert into.tobytes() == rows.astype(np.float64).tobytes()


def test_parts_without_rows_do_no_harm(tmp_path):
    written(tmp_path, TABLE, parts=2)
    for name in ("part--.parquet", "part-00.parquet", "part-9.parquet"):
        parquet.write_table(pa.table(dict.fromkeys(NAMES, pa.array([], pa.float64()))), tmp_path / name)
    assert opened(tmp_path).everything("all").tobytes() == TABLE.tobytes()
    for path in tmp_path.glob("part-?.parquet"):
        path.unlink()
    with pytest.raises(InputError, match="released must have at least one row"):
        opened(tmp_path)


def test_only_row_groups_with_wanted_rows_are_read(read):
    engine = ArrayInFiles(TABLE, parts=1, group=500)
    engine.gather([700, 2999, 710])
    assert sorted(read) == [(0, 1), (0, 5)]
    engine.gather([2999, 700])  # they are at hand
    assert len(read) == 2


def test_thousands_of_row_groups_are_read_together(tmp_path, monkeypatch):
    rows = TABLE[:2000, :2]
    files = ParquetFiles.of(written(tmp_path, rows, parts=2, group=1), "released")
    engine = FileEngine(files, NAMES[:2])
    opened, kind = [], parquet.ParquetFile
    monkeypatch.setattr(parquet, "ParquetFile", lambda path, **options: opened.append(path) or kind(path, **options))
    wanted = np.arange(0, 2000, 3)
    assert engine.gather(wanted).tobytes() == rows[wanted].tobytes()
    assert engine.everything("all").tobytes() == rows.tobytes()
    assert len(opened) == 4


def test_rows_to_be_kept_are_picked_up_in_passing(read):
    engine = ArrayInFiles(TABLE, parts=4, group=333)
    wanted = np.random.default_rng(1).permutation(ROWS)[:200]
    engine.keep(wanted)
    assert read == []
    list(engine.scan(kernels.seen, None, "reading"))
    passed = len(read)
    assert engine.gather(wanted).tobytes() == TABLE[wanted].tobytes()
    engine.keep([3], TABLE[[3]])
    assert engine.gather([3, wanted[0]]).tobytes() == TABLE[[3, wanted[0]]].tobytes()
    assert len(read) == passed


def test_a_kernel_may_keep_its_block():
    """Blocks are written into again only where nobody holds on to them."""
    engine = ArrayInFiles(TABLE, parts=1, block_rows=1, workers=1)
    kept = list(engine.scan(kernels.kept, None, "reading"))
    assert len(kept) > 2
    assert np.concatenate(kept).tobytes() == TABLE.tobytes()


def test_too_many_rows_are_not_kept(less, read):
    less(kept=10 * COLUMNS)
    engine = ArrayInFiles(TABLE)
    engine.keep(np.arange(11))
    engine.gather(np.arange(11))
    list(engine.scan(kernels.seen, None, "reading"))
    read.clear()
    assert engine.gather(np.arange(11)).tobytes() == TABLE[:11].tobytes()
    assert read


def test_a_pass_that_is_given_up_keeps_nothing_and_harms_nothing():
    engine = ArrayInFiles(TABLE, parts=5, block_rows=1, workers=2)
    engine.keep([0, 2999])
    passing = engine.scan(kernels.seen, None, "reading")
    next(passing)
    passing.close()
    assert engine.gather([2999, 0]).tobytes() == TABLE[[2999, 0]].tobytes()


@pytest.mark.parametrize("kernel", [kernels.sums, kernels.doubled])
def test_a_large_column_is_kept_in_a_file(less, kernel):
    less(held=0)
    column = ArrayInFiles(TABLE, parts=4).column(kernel, 3.0, "adding")
    plain = LocalEngine(TABLE).column(kernel, 3.0, "adding")
    assert isinstance(column, FileColumn)
    assert column.shape == plain.shape
    assert column.values().tobytes() == plain.values().tobytes()
    for rows in ([], [2999, 0, 0, 1500, 3], slice(10, 20), slice(20, 10), np.arange(ROWS)):
        assert column.take(rows).tobytes() == plain.take(rows).tobytes()
    again = pickle.loads(pickle.dumps(column))
    assert isinstance(again, ArrayColumn)
    assert again.values().tobytes() == plain.values().tobytes()


def test_a_full_disk_is_said(monkeypatch, less):
    less(held=0)
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **options: open("/dev/full", "wb", **options))  # noqa: SIM115, PTH123
    with pytest.raises(OutputError, match=r"does not fit there: No space left on device. Set TMPDIR"):
        ArrayInFiles(TABLE).column(kernels.sums, 1.0, "adding")


def test_more_than_half_of_the_memory_is_not_read_at_once(less):
    less(share=1e-12)
    with pytest.raises(InputError, match=r"released must be smaller than half of the free memory, .* GB.* All pairs."):
        ArrayInFiles(TABLE).everything("All pairs.")


def test_the_place_of_an_entry_is_named():
    assert ArrayInFiles(TABLE, parts=3).where(2999, 1) == (
        "row 2999 (counted from 0), column 'c2', which is row 998 of part-2.parquet"
    )
    assert ArrayInFiles(TABLE, parts=1).where(2999, 1) == "row 2999 (counted from 0), column 'c2'"
    assert LocalEngine(TABLE).where(2999, 1) == "row 2999, column 1 (both counted from 0)"


def _other_columns(path):
    parquet.write_table(pa.table({"x": [1.0]}), path)


def _other_type(path):
    parquet.write_table(pa.table(dict.fromkeys(NAMES, pa.array([1.0], pa.float32()))), path)


def _truncated(path):
    path.write_bytes(path.read_bytes()[:-1000])


def _text(path):
    path.write_text("a,b\n1,2\n")


def _empty(path):
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [_truncated, _text, _empty, _other_columns, _other_type])
def test_a_part_that_differs_or_is_damaged_is_named_before_anything_is_read(tmp_path, damage):
    written(tmp_path, TABLE)
    damage(tmp_path / "part-1.parquet")
    with pytest.raises(InputError, match=r"^released must .*part-1.parquet") as caught:
        opened(tmp_path)
    assert "\n" not in str(caught.value)


def _corrupt(path):
    """Overwrite pages, not the footer; the time stays what it was."""
    status, content = path.stat(), bytearray(path.read_bytes())
    content[200:-40_000] = os.urandom(len(content) - 40_200)
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _gone(path):
    path.unlink()


def _replaced(path):
    shutil.copy(path.with_name("part-0.parquet"), path)


@pytest.mark.parametrize("verb", ["scan", "gather"])
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_corrupt, "must be readable as Parquet. Got part-2.parquet, a damaged file or another format."),
        (_gone, "must stay where it is while it is read. Got part-2.parquet, which is gone."),
        (_replaced, "must stay as it is while it is read. Got part-2.parquet, which has changed."),
    ],
)
def test_a_part_that_is_lost_while_it_is_read_is_named(tmp_path, damage, said, verb):
    written(tmp_path, TABLE)
    engine = opened(tmp_path)
    damage(tmp_path / "part-2.parquet")
    with pytest.raises(InputError, match=f"^released {said}$"):
        engine.gather([ROWS - 1]) if verb == "gather" else list(engine.scan(kernels.seen, None, "reading"))


def test_an_engine_travels(tmp_path):
    written(tmp_path, TABLE)
    engine = pickle.loads(pickle.dumps(opened(tmp_path)))
    assert engine.everything("all").tobytes() == TABLE.tobytes()
