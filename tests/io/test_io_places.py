# SPDX-License-Identifier: BSD-3-Clause
"""Where tables live: every place gives the same table, and every wrong one is one line."""

import gzip
import io
import sqlite3
import sys
from datetime import date

import duckdb
import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import csv as pacsv
from pyarrow import feather, parquet

import isobreach as ib
from isobreach.errors import InputError
from isobreach.io import Source, read_table, write_table

PASSWORD = "pass:word/#1"
SECRET = "secret-4711"
ROWS = 40
VALUES = np.random.default_rng(3).normal(50, 20, (ROWS, 3)).round(2)
COLUMNS = ("age", "income", "size of shoe")
IDS = [f"person-{i}" for i in range(ROWS)]
TABLE = pa.table({"name": IDS, **dict(zip(COLUMNS, VALUES.T, strict=True))})


def text(encoding="utf-8", separator=","):
    sink = io.BytesIO()
    pacsv.write_csv(TABLE, sink, pacsv.WriteOptions(delimiter=separator))
    return sink.getvalue().decode().replace("person", "Zoë").encode(encoding)


def excel(path):
    book = openpyxl.Workbook()
    for row in (TABLE.column_names, *zip(*TABLE.to_pydict().values(), strict=True)):
        book.active.append(row)
    book.create_sheet("notes")
    book.save(path)


def stream(path):
    with pa.ipc.new_stream(str(path), TABLE.schema) as writer:
        writer.write_table(TABLE)


WRITERS = {
    "t.csv": lambda path: path.write_bytes(text()),
    "t.CSV.GZ": lambda path: path.write_bytes(gzip.compress(text())),
    "t.tsv": lambda path: path.write_bytes(text(separator="\t")),
    "t.tsv.gz": lambda path: path.write_bytes(gzip.compress(text(separator="\t"))),
    "t.parquet": lambda path: parquet.write_table(TABLE, path),
    "t.feather": lambda path: feather.write_feather(TABLE, str(path)),
    "t.arrow": stream,
    "t.xlsx": excel,
}


def same(table):
    assert table.columns == COLUMNS
    np.testing.assert_array_equal(table.values, VALUES)
    assert [str(one).rpartition("-")[2] for one in table.ids] == [str(i) for i in range(ROWS)]


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_table_from_a_file_and_from_the_standard_input(tmp_path, monkeypatch, name):
    path = tmp_path / name
    WRITERS[name](path)
    source = Source(path, "X")
    same(source.read(id_column="name"))
    content = path.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    piped = Source("-", "X")
    same(piped.read(id_column="name"))
    assert (piped.name, piped.hash()) == ("-", source.hash())


def test_npy_may_be_piped_and_a_terminal_is_no_table(monkeypatch):
    sink = io.BytesIO()
    np.save(sink, VALUES)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sink.getvalue())))
    np.testing.assert_array_equal(read_table("-", name="known").values, VALUES)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match=r"known must be piped in where it is -. Got a terminal. Pipe one in"):
        read_table("-", name="known")


@pytest.mark.parametrize("suffix", [".csv.gz", ".tsv", ".tsv.gz", ".feather", ".arrow"])
def test_what_is_written_in_a_new_format_is_read_again(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    write_table(path, VALUES, COLUMNS, ids=np.array(IDS), id_column="name")
    same(read_table(path, name="X", id_column="name"))
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == suffix.endswith(".gz")


def test_another_encoding_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text("latin-1"))
    with pytest.raises(InputError, match=r"X must be CSV in UTF-8. Got other .*ib\.prepare\(path, encoding="):
        read_table(path, name="X", id_column="name")
    for encoding in ("latin-1", "cp1252"):
        table = Source(path, "X", encoding=encoding).read(id_column="name")
        same(table)
        assert table.ids[0] == "Zoë-0"
    path.write_bytes("name,pay\nZoë €,5\n".encode("cp1252"))
    for encoding in ("latin-1", "ISO-8859-1", "cp1252"):
        assert Source(path, "X", encoding=encoding).read(id_column="name").ids[0] == "Zoë €"
    path.write_bytes(text("utf-16"))
    same(Source(path, "X", encoding="utf-16").read(id_column="name"))
    with pytest.raises(InputError, match=r"X must be text in the encoding ascii. Got other bytes. Name another one"):
        Source(path, "X", encoding="ascii").read()
    for wrong in ("latin-one", "base64", "a\0b"):
        with pytest.raises(InputError, match=r"encoding must be a text encoding, such as latin-1 or cp1252. Got '"):
            Source(path, "X", encoding=wrong)


def test_a_sheet_is_read_by_its_name_or_number_and_the_first_is_named(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Read me"
    book.active.append(["about"])
    for name, value in (("People", 1), ("2", 2)):
        sheet = book.create_sheet(name)
        sheet.append(["a", "b"])
        sheet.append([value, 5])
    book.save(tmp_path / "t.xlsx")

    def read(sheet):
        return Source(tmp_path / "t.xlsx", "X", sheet=sheet).read()

    assert read("People").values.tolist() == [[1, 5]]
    assert read("3").values.tolist() == [[2, 5]]
    assert read("2").values.tolist() == [[2, 5]]  # a name before a number
    assert read("People").notes == ()
    with pytest.raises(InputError) as caught:
        read("people")
    rule = "sheet must be a sheet of the workbook, by name or number: 'Read me', 'People', '2'. Got 'people'."
    assert str(caught.value) == rule
    book["Read me"].append([7])
    book.save(tmp_path / "t.xlsx")
    assert read(None).notes == ("read the first of 3 sheets, 'Read me'; others: 'People', '2'",)


def test_a_workbook_of_mixed_cells_is_read_as_csv_would_be(tmp_path):
    book = openpyxl.Workbook()
    rows = [("a", "b", "day", "mixed", "text", None), (1, 2.5, date(2020, 1, 1), "7", SECRET, None)]
    rows += [(None,) * 6, (3, None, date(2020, 1, 2), 8.5, "x", None)]
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    table = read_table(tmp_path / "t.xlsx", name="known", columns=["a", "b", "mixed"])
    np.testing.assert_array_equal(table.values, [[1, 2.5, 7], [3, np.nan, 8.5]])
    with pytest.raises(InputError, match=r"known must hold numbers .*'day', 'text'") as caught:
        read_table(tmp_path / "t.xlsx", name="known", columns=None)
    assert SECRET not in str(caught.value)


def test_formulas_that_no_program_has_computed_are_said_to_lack_values(tmp_path):
    """A column of them seemed to be empty, and nothing said why."""
    book = openpyxl.Workbook()
    for row in (["a", "total"], [1, "=A2+1"], [2, "=A3+1"]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    note = ib.prepare(tmp_path / "t.xlsx").notes[0]
    assert note.startswith("1 column ('total') without a stored value. If formulas: open the workbook in ")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.xlsx", b"", "X must be readable as an Excel workbook. Got a damaged file or another format."),
        ("t.feather", SECRET.encode(), "X must be readable as Arrow or Feather. Got a damaged file"),
        ("t.arrow", b"ARROW1" + bytes(99), "X must be readable as Arrow or Feather. Got a damaged file"),
        ("t.csv.gz", SECRET.encode(), "X must be readable. Got "),
        ("t.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 99, mtime=0)[:-12], "X must be readable. Got "),
        (
            "t.parquet.gz",
            b"",
            "X must be a .csv, .tsv, .csv.gz, .tsv.gz, .parquet, .feather, .arrow, .npy, .xlsx,",
        ),
    ],
)
def test_a_damaged_file_is_one_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_table(tmp_path / name, name="X")
    assert str(caught.value).startswith(message)
    assert SECRET not in str(caught.value)


@pytest.fixture
def databases(tmp_path, postgresql):
    """The table in three engines, each beside another one, as URLs without a table."""
    from adbc_driver_postgresql import dbapi

    connection = sqlite3.connect(tmp_path / "people.db")
    columns = ", ".join(f'"{column}"' for column in COLUMNS)
    connection.execute(f"CREATE TABLE people (name TEXT, {columns})")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", zip(*TABLE.to_pydict().values(), strict=True))
    connection.execute("CREATE TABLE visits (day INTEGER)")
    connection.commit()
    connection.close()
    with duckdb.connect(str(tmp_path / "people.duckdb")) as duck:
        duck.register("arrived", TABLE)
        duck.execute("CREATE TABLE people AS SELECT * FROM arrived")
        duck.execute("CREATE TABLE visits (day INTEGER)")
    with dbapi.connect(postgresql) as server, server.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS people, visits")
        kinds = ", ".join(f'"{column}" numeric' for column in COLUMNS)
        cursor.execute(f"CREATE TABLE people (name text, {kinds})")
        rows = (", ".join([f"'{name}'", *map(str, row)]) for name, row in zip(IDS, VALUES, strict=True))
        cursor.execute(f"INSERT INTO people VALUES {', '.join(f'({row})' for row in rows)}")
        cursor.execute("CREATE TABLE visits (day integer)")
        server.commit()
    return {
        "sqlite": f"sqlite:///{tmp_path}/people.db",
        "duckdb": f"duckdb:///{tmp_path}/people.duckdb",
        "postgresql": postgresql,
    }


ENGINES = ("sqlite", "duckdb", "postgresql")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_same_table_as_the_file(databases, engine):
    url = databases[engine]
    query = 'SELECT name, age, income, "size of shoe" FROM people'
    by_name = Source(f"{url}#people", "X")
    for source in (by_name, Source(url, "X", query=query), Source(f"{url}#{query}", "X")):
        same(source.read(id_column="name"))
        assert source.hash() == by_name.hash()
        assert PASSWORD not in source.name
        assert "pass" not in source.name
    part = Source(url, "X", query="SELECT age, income FROM people WHERE age > 50 ORDER BY age").read()
    kept = VALUES[VALUES[:, 0] > 50][:, :2]
    np.testing.assert_array_equal(part.values, kept[np.argsort(kept[:, 0])])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("", "X must be one table of the database. Got "),
        ("poeple", "Got 'poeple'. Did you mean 'people'?"),
        ("SELECT nothing FROM people", "can run for a reader. Got "),
        ("SELECT FROM WHERE", "X must be a query that "),
        ("SELECT * FROM nowhere", "nowhere"),
        ("DROP TABLE people", "X must be a query that "),
        ("UPDATE people SET age = 0", "X must be a query that "),
        ("SELECT CAST(name AS integer) / 0 FROM people", "must "),
        ("SELECT age, age FROM people", "X must have distinct column names."),
    ],
)
def test_a_wrong_table_or_query_is_one_line_and_changes_nothing(databases, engine, asked, message):
    url = databases[engine]
    with pytest.raises(InputError) as caught:
        Source(f"{url}#{asked}", "X").read(["age"])
    said = str(caught.value)
    assert message in said
    assert not any(word in said for word in ("\\n", "INVALID", "Error: ", "["))
    assert not any(word in said for word in (PASSWORD, "pass%3A", "person-"))
    same(Source(f"{url}#people", "X").read(id_column="name"))


def test_a_wrong_database_is_one_line_without_its_password(tmp_path, postgresql):
    (tmp_path / "x.db").write_text(SECRET)
    (tmp_path / "empty.db").touch()
    cases = {
        "mysql://root:hidden@host/x": "a URL of 'mysql'",
        "sqlite://people.db": "A file in this folder has three slashes",
        f"sqlite:///{tmp_path}/none.db": "X must be an existing database. Got ",
        f"sqlite://{tmp_path}/x.db": f"An absolute path has four slashes: sqlite:///{tmp_path}/x.db.",
        f"sqlite:///{tmp_path}/x.db": "X must be a database of SQLite. Got a damaged file or another format.",
        f"duckdb:///{tmp_path}/x.db": "X must be a database of DuckDB",
        f"sqlite:///{tmp_path}/empty.db": "X must be a database with tables. Got none in sqlite:///empty.db.",
        "postgresql://reader:hidden@127.0.0.1:1/x": "postgresql://reader@127.0.0.1:1/x. Got no answer from a server.",
        "postgresql://reader:hidden@host:port/x": "one that cannot be parsed",
        postgresql.replace("%231", "hidden"): "Got a password that is wrong or missing.",
        postgresql.replace("/postgres?", "/nowhere?"): "Got a database or a user that does not exist.",
    }
    for url, message in cases.items():
        with pytest.raises(InputError) as caught:
            read_table(url, name="X")
        said = str(caught.value)
        assert message in said, url
        assert not any(word in said.replace("a password", "") for word in ("hidden", "pass", SECRET))
    with pytest.raises(InputError, match=r"query must be left out where X is not a database. Got a query."):
        Source("x.csv", "X", query="SELECT 1")


@pytest.mark.parametrize(
    ("given", "query", "title"),
    [
        ("folder/people.csv.gz", None, "people"),
        ("-", None, "Standard input"),
        ("sqlite:///folder/hospital.db#patients", None, "patients"),
        ("sqlite:///folder/hospital.db", None, "hospital"),
        ("postgresql://reader:secret@host/hospital", "SELECT name FROM people", "hospital"),
    ],
)
def test_a_page_is_called_after_the_table_and_not_after_its_url(given, query, title):
    assert Source(given, "X", query=query).title == title


def test_text_that_holds_numbers_is_read_as_in_a_file(tmp_path):
    """So does ``.import`` of SQLite's shell store a CSV file; types of single cells may differ there too."""
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE x (a TEXT, b, c, d TEXT)")
    connection.executemany(
        "INSERT INTO x VALUES (?, ?, ?, ?)", [("1", 1, 2, "x"), ("2.5", 2.5, None, "y"), (None, 3, 4, "z")] * 2000
    )
    connection.commit()
    connection.close()
    table = read_table(f"sqlite:///{tmp_path}/x.db", name="known", columns=["a", "b", "c"])
    np.testing.assert_array_equal(table.values[:3], [[1, 1, 2], [2.5, 2.5, np.nan], [np.nan, 3, 4]])


def test_paths_and_urls_go_in_wherever_tables_do(tmp_path):
    write_table(tmp_path / "people.csv", VALUES, COLUMNS)
    write_table(tmp_path / "known.parquet", VALUES[:4], COLUMNS)
    release = ib.perturb(tmp_path / "people.csv", "orthogonal", seed=0)
    assert release.key.columns == COLUMNS
    assert ib.invert(release.key, release.data).column_names == list(COLUMNS)
    np.testing.assert_array_equal(np.column_stack(release.data.columns), ib.perturb(VALUES, "orthogonal", seed=0).data)
    feather.write_feather(release.data, str(tmp_path / "released.arrow"))
    known, released = str(tmp_path / "known.parquet"), str(tmp_path / "released.arrow")
    linkage = ib.link(known, released, dictionary=tmp_path / "people.csv")
    assert linkage.rows.tolist() == release.key.order[:4].tolist()
    assert ib.attack(known, released, seed=0).estimates.column_names == list(COLUMNS)
    found = ib.reconstruct("known-input", released, ib.Knowledge(known=known), seed=0)
    assert found.estimates.column_names == list(COLUMNS)
    few = {"coalition_sizes": [1], "trials": 2, "samples": (), "attacks": ["known-input"]}
    report = ib.audit(tmp_path / "people.csv", **few, seed=0)
    assert report.names == COLUMNS
    with pytest.raises(InputError, match=r"X must be an existing file or folder. Got nowhere.csv."):
        ib.audit("nowhere.csv")


@pytest.mark.parametrize(
    ("module", "given", "extra"),
    [
        ("adbc_driver_sqlite", "sqlite:///{}/t.xlsx", "databases"),
        ("duckdb", "duckdb:///{}/t.xlsx", "databases"),
        ("adbc_driver_postgresql", "postgresql://reader:hidden@host/x", "databases"),
        ("python_calamine", "{}/t.xlsx", "excel"),
    ],
)
def test_a_driver_that_is_missing_is_named_with_its_extra(tmp_path, monkeypatch, module, given, extra):
    (tmp_path / "t.xlsx").touch()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ib.MissingExtraError, match=rf"Install it in isobreach's folder: pip install '\.\[{extra}\]'$"):
        read_table(given.format(tmp_path), name="X")
