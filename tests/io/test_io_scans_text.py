# SPDX-License-Identifier: BSD-3-Clause
"""CSV files that are scanned: the numbers of the table in memory, in bounded memory, and nothing left behind."""

import gzip
import tempfile

import numpy as np
import pytest

import isobreach as ib
from isobreach.errors import InputError, LeftOutWarning
from isobreach.io import sources, streamed

RECORDS = np.random.default_rng(0).standard_normal((500, 4))
RELEASE = ib.perturb(RECORDS, "orthogonal", seed=0)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Small blocks, so that a file has many, and a folder of its own for what is temporary."""
    monkeypatch.setattr(streamed, "_BLOCK_BYTES", 2000)
    monkeypatch.setattr(streamed, "_GROUP", 200)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


def written(folder, rows, header="a,b,c,d", name="released.csv"):
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def numbers(rows):
    return [",".join(map(repr, row)) for row in np.asarray(rows).tolist()]


def left_behind(folder):
    return list((folder / "temporary").iterdir())


def test_a_scan_of_text_has_the_bits_of_the_table(place):
    path = written(place, numbers(RELEASE.data))
    scan, plain = ib.scan(path), ib.attack(RECORDS[:3], path, seed=0)
    assert len(scan.values.files.groups) > 5
    found = ib.attack(RECORDS[:3], scan, seed=0)
    assert found.linkage.rows.tolist() == RELEASE.key.order[:3].tolist()
    assert found.breach_probability.tobytes() == plain.breach_probability.tobytes()
    assert found.estimate([7]).tobytes() == plain.estimate([7]).tobytes()
    assert scan.values.everything("all").tobytes() == RELEASE.data.tobytes()
    assert len(left_behind(place)) == 1
    del scan, found
    assert left_behind(place) == []


def test_a_large_text_is_scanned_without_being_asked_to(place, monkeypatch):
    path = written(place, numbers(RELEASE.data))
    packed = place / "released.tsv.gz"
    packed.write_bytes(gzip.compress(path.read_text().replace(",", "\t").encode()))
    monkeypatch.setattr(sources, "_LARGE", 1000)
    for one in (path, packed):
        found = sources.as_released(one, "released")
        assert isinstance(found, sources.Scan)
        assert found.values.everything("all").tobytes() == RELEASE.data.tobytes()
    monkeypatch.setattr(sources, "_LARGE", 10_000)
    assert isinstance(sources.as_released(path, "released"), sources.NumericTable)


def test_whole_numbers_truths_text_and_ids(place):
    """Whole numbers may become others further down; text is left out, and none of it is written anywhere."""
    rows = [f"{k + 0.25 if k > 250 else k},{'true' if k % 3 else 'false'},secret{k},{k:03d}" for k in range(300)]
    path = written(place, rows, "a,b,c,id")
    with pytest.warns(LeftOutWarning):
        scan = ib.scan(path, id_column="id")
    plain = sources.Source(path, "released").read(id_column="id")
    assert scan.columns == plain.columns == ("a", "b")
    assert scan.left_out == plain.left_out == ("c",)
    assert scan.ids.tolist() == plain.ids.tolist()
    assert scan.values.everything("all").tobytes() == plain.values.astype(float).tobytes()
    (file,) = left_behind(place)
    assert b"secret" not in (file / "released.parquet").read_bytes()


@pytest.mark.parametrize(
    "rows",
    [
        ["0,5;1;2;3"] * 300,
        ["1;2;3;4"] * 300 + ["-;2;3;4"],
        [";2;3;4"] * 300 + ["1;2;3;4"],
        ["[1, 2];2;3;4"] * 300,
    ],
    ids=["decimal commas", "a mark of its own", "begins empty", "vectors"],
)
def test_what_only_all_of_the_text_tells_is_not_scanned(place, rows):
    path = written(place, rows, "a;b;c;d")
    with pytest.raises(InputError, match=r"path must be Parquet .* or CSV whose numbers have a decimal point"):
        ib.scan(path)
    assert sources.Source(path, "released").scanned(least=1) is None  # a release in a file is read
    assert left_behind(place) == []


@pytest.mark.parametrize(
    ("row", "said"),
    [("1,2,3", "like its first line. Got 3 in row 300"), ('1,"2,3,4', "quotes that")],
)
def test_a_row_that_cannot_be_parsed_is_named(place, row, said):
    path = written(place, [*["1.5,2,3,4"] * 300, row, *["1.5,2,3,4"] * 300])
    with pytest.raises(InputError, match=said):
        ib.scan(path)
    assert left_behind(place) == []


def test_a_value_that_is_missing_is_named_by_its_row(place):
    path = written(place, [*numbers(RELEASE.data), "1.0,,2.0,3.0"])
    with pytest.raises(InputError, match=r"the first in row 500 \(counted from 0\), column 'b'"):
        ib.attack(RECORDS[:3], ib.scan(path), seed=0)


def test_no_room_for_the_numbers_is_said(place, monkeypatch):
    def full(path, *arguments, **options):
        raise OSError(28, "No space left on device")

    path = written(place, numbers(RELEASE.data))
    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", full)
    with pytest.raises(ib.OutputError, match=r"cannot be written there: No space left on device. Set TMPDIR"):
        ib.scan(path)
    assert left_behind(place) == []
