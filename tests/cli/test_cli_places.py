# SPDX-License-Identifier: BSD-3-Clause
"""Commands read tables wherever they live, with the same result, and no password is ever written."""

import gzip
import io
import json
import sqlite3
import subprocess
import sys

import duckdb
import numpy as np
import pytest
from pyarrow import csv as pacsv

PASSWORD = "pass:word/#1"


@pytest.fixture
def places(case, postgresql):
    """The released table of ``case`` in three databases."""
    from adbc_driver_postgresql import dbapi

    table = pacsv.read_csv(case.released)
    rows = list(zip(*table.to_pydict().values(), strict=True))
    names = ", ".join(table.column_names)
    with sqlite3.connect(case.folder / "r.db") as lite:
        lite.execute(f"CREATE TABLE released ({names})")
        lite.executemany("INSERT INTO released VALUES (?, ?, ?, ?, ?)", rows)
    lite.close()
    with duckdb.connect(str(case.folder / "r.duckdb")) as duck:
        duck.register("arrived", table)
        duck.execute("CREATE TABLE released AS SELECT * FROM arrived")
    with dbapi.connect(postgresql) as server, server.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS released")
        cursor.execute(f"CREATE TABLE released ({', '.join(f'{name} float8' for name in table.column_names)})")
        cursor.execute(f"INSERT INTO released VALUES {', '.join(str(tuple(map(float, row))) for row in rows)}")
        server.commit()
    return {
        "sqlite": f"sqlite:///{case.folder}/r.db",
        "duckdb": f"duckdb:///{case.folder}/r.duckdb",
        "postgresql": postgresql,
    }


def test_three_engines_give_the_result_of_the_file(case, run, places):
    known = ("--known", case.known, "--id-column", "name")
    expected = run("attack", *known, "--released", case.released, "--seed", 1, "--json").json
    for engine, url in places.items():
        table, query = ("--released", f"{url}#released"), ("--released", url, "--query", "SELECT * FROM released")
        for number, how in enumerate((table, query)):
            out = case.folder / f"{engine}-{number}"
            done = run("attack", *known, *how, "--seed", 1, "--json", "--quiet", "--out", out)
            assert done.code == 0, done.err
            assert {**done.json, "out": None} == expected
            record = (out / "run.json").read_text() + (out / "report.html").read_text()
            assert not any(word in record for word in (PASSWORD, "pass%3A", "word", str(case.folder)))
            assert json.loads((out / "run.json").read_text())["inputs"]["released"]["hash"].startswith("sha256:")


def test_an_audit_of_a_database_says_how_to_run_it_again_without_the_password(case, run, places):
    few = ("--coalitions", 1, "--trials", 2, "--samples", 0, "--attacks", "known-input", "--seed", 0, "--json")
    expected = run("audit", case.released, *few).json
    for engine, url in places.items():
        done = run("audit", url, "--query", "SELECT * FROM released", *few, "--out", case.folder / engine)
        assert done.code == 0, done.err
        assert done.json == expected
        record = json.loads((case.folder / engine / "run.json").read_text())
        assert record["command_line"].startswith(f"isobreach audit {engine}://")
        assert "--query 'SELECT * FROM released'" in record["command_line"]
        texts = [path.read_text() for path in (case.folder / engine).iterdir() if path.suffix in (".json", ".html")]
        assert not any(word in text for text in texts for word in (PASSWORD, "pass%3A", str(case.folder)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda url: url.replace("%231", "x"), "--released must be a database that can be reached"),
        (lambda url: f"{url}#nothing", "--released must be a table of postgresql://owner@/postgres. Got 'nothing'."),
        (lambda url: f"{url}#SELECT x FROM y", "--released must be a query that postgresql://owner@/postgres can run"),
        (
            lambda url: url.replace("postgresql", "oracle"),
            "--released must be a file, or a database such as sqlite:///",
        ),
    ],
)
def test_a_wrong_database_is_one_line_and_exit_code_2(case, run, places, change, message):
    url = change(places["postgresql"])
    done = run("link", "--known", case.known, "--id-column", "name", "--released", url)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"isobreach: {message}")
    assert not any(word in done.err for word in (PASSWORD, "pass%3A", "word%2F"))


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("pay.db", "Use sqlite:///pay.db#TABLE. Its tables are: plans, staff."),
        ("pay.db#staff", "Use sqlite:///pay.db#staff. Its tables are: plans, staff."),
        ("pay.db#stafff", "Use sqlite:///pay.db#TABLE. Did you mean 'staff'?"),
        ("one %.duckdb", "Use duckdb:///one%20%25.duckdb#staff. Its only table is staff."),
        ("one %.duckdb#x", "Use duckdb:///one%20%25.duckdb#staff. Its only table is staff."),
    ],
)
def test_the_path_of_a_database_is_answered_with_the_url_to_type(run, tmp_path, monkeypatch, typed, answer):
    """Wherever a table goes in, and the URL that is named is one that is read."""
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("pay.db") as lite:
        for table in ("staff", "plans"):
            lite.execute(f"CREATE TABLE {table} (age, pay)")
            lite.executemany(f"INSERT INTO {table} VALUES (?, ?)", [(20 + i, 7.5 * i * i) for i in range(9)])
    lite.close()
    with duckdb.connect("one %.duckdb") as duck:
        duck.execute("CREATE TABLE staff AS SELECT range AS age, range * 7.5 AS pay FROM range(9)")
    kind = "DuckDB" if "duckdb" in typed else "SQLite"
    for name, words in (("DATA", ("audit", typed)), ("--known", ("link", "--known", typed, "--released", "x.csv"))):
        done = run(*words)
        rule = f"{name} must be a URL where the table is in a database of {kind}. Got {typed}."
        assert (done.code, done.err) == (2, f"isobreach: {rule} {answer}\n")
    url = answer.split()[1].rstrip(".").replace("TABLE", "staff")
    assert run("perturb", url, "--columns", "age,pay", "--out", "r.csv", "--key", "k/r.key").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("link", "--known", "a.csv", "--released", "b.csv", "{}"),
        ("perturb", "x.csv", "--out", "{}", "--key", "k"),
        ("audit", "x.csv", "--seed", "{}"),
        ("audit", "x.csv", "--config", "{}"),
        ("attack", "lattice", "--released", "x.csv", "--bounds", "{}"),
    ],
)
@pytest.mark.parametrize(
    "url",
    ["postgresql://reader:hidden@host/x", "postgresql:/reader:hid@den/#@host/x", "postgresql://h/x?password=hidden"],
)
def test_a_password_in_the_wrong_place_is_not_repeated(run, arguments, url):
    done = run(*(word.format(url) for word in arguments))
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "postgresql:/" in done.err
    assert not any(word in done.err for word in ("hid", "den"))


def test_a_query_belongs_to_one_url(case, run):
    link = ("link", "--known", case.known, "--id-column", "name", "--released")
    for released in (case.released, "sqlite:///x.db#t"):
        done = run(*link, released, "--query", "SELECT 1 FROM x")
        assert done.code == 2
        assert "--query must belong to one table, the only URL without #. Got 0 such URLs." in done.err
    done = run("perturb", case.known, "--query", "SELECT 1", "--out", "x.csv", "--key", "k")
    assert done.err == "isobreach: --query must be left out where DATA is not a database. Got a query.\n"


def test_tables_are_piped_packed_and_written_in_other_encodings(case, run, monkeypatch):
    link = ("link", "--known", case.known, "--id-column", "name", "--released")
    expected = run(*link, case.released, "--json").out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(case.released.read_bytes())))
    assert run(*link, "-", "--json").out == expected
    packed = case.folder / "released.csv.gz"
    packed.write_bytes(gzip.compress(case.released.read_bytes()))
    assert run(*link, packed, "--json").out == expected
    latin = case.folder / "known.csv"
    latin.write_bytes(latin.read_text().replace("person", "Zoë").encode("latin-1"))
    done = run(*link, case.released)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "--encoding latin-1" in done.err
    done = run(*link, case.released, "--json", "--encoding", "latin-1")
    assert [one["id"] for one in done.json["links"]] == ["Zoë-0", "Zoë-1", "Zoë-2"]
    done = run("link", "--known", "-", "--released", "-")
    assert done.err == "isobreach: - must be one table only. Got more than one. Write the others to files.\n"


def test_a_release_may_be_written_in_every_format_below_new_folders(case, run):
    for name in ("r.tsv.gz", "r.arrow", "r.feather"):
        out = case.folder / "a" / "b" / name
        done = run(
            "perturb", case.folder / "people.csv", "--id-column", "name", "--scheme", "orthogonal", "--seed", 1,
            "--out", out, "--key", case.folder / "keys" / name, "--quiet", "--json",
        )  # fmt: skip
        assert done.code == 0, done.err
        links = [
            run("link", "--known", case.known, "--id-column", "name", "--released", released, "--json").json["links"]
            for released in (out, case.released)
        ]
        assert links[0] == links[1]
    done = run("perturb", case.folder / "people.csv", "--out", "r.xlsx", "--key", "k")
    assert done.err.startswith("isobreach: --out must be a .csv, .tsv, ")
    assert not np.any([path.name == "k" for path in case.folder.iterdir()])


def test_a_process_that_read_duckdb_ends_with_one_line(tmp_path):
    """DuckDB wrote fifty lines on leaks after the error, because nothing was collected at the end."""
    duckdb.connect(str(tmp_path / "d.duckdb")).close()
    asked = [sys.executable, "-m", "isobreach", "prepare", f"duckdb:///{tmp_path}/d.duckdb#people", "--out", "x.csv"]
    done = subprocess.run(asked, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "DATA must be a database with tables. Got none in duckdb:///d.duckdb." in done.stderr
