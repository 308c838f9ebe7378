# SPDX-License-Identifier: BSD-3-Clause
"""Vectors on the command line: from the stores that hold them to links and audits."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import isobreach as ib
from isobreach.io.vectors import from_rows


def test_vectors_are_linked_from_store_to_store(tmp_path, run):
    """Known texts in JSON lines, the release in Parquet beside its page numbers: each is found."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((300, 12))
    released = ib.perturb(vectors, "orthogonal", seed=3)
    parquet.write_table(pa.table({"page": range(300), "embedding": from_rows(released.data)}), tmp_path / "r.parquet")
    lines = [{"text": f"t{i}", "embedding": vectors[i].tolist()} for i in range(4)]
    (tmp_path / "k.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    held = ("--known", tmp_path / "k.jsonl", "--id-column", "text", "--released", tmp_path / "r.parquet")
    done = run("link", *held, "--json")
    assert (done.code, done.json["left_out"]) == (0, ["page"])
    assert [link["row"] for link in done.json["links"]] == released.key.order[:4].tolist()


def test_of_several_columns_of_vectors_the_line_names_the_option_that_chooses(tmp_path, run):
    vectors = np.random.default_rng(0).standard_normal((40, 6))
    release = ib.perturb(vectors, "orthogonal", seed=1)
    table = pa.table({"title": from_rows(vectors[:, :2]), "embedding": from_rows(release.data)})
    parquet.write_table(table, tmp_path / "r.parquet")
    np.save(tmp_path / "k.npy", vectors[:3])
    held = ("link", "--known", tmp_path / "k.npy", "--released", tmp_path / "r.parquet")
    refused = run(*held)
    assert refused.code == 2
    assert "Name one: --released-columns title" in refused.err
    done = run(*held, "--released-columns", "embedding", "--json")
    assert [link["row"] for link in done.json["links"]] == release.key.order[:3].tolist()


def test_an_audit_of_vectors_is_about_the_vectors(tmp_path, run):
    vectors = np.random.default_rng(0).standard_normal((60, 5))
    parquet.write_table(pa.table({"page": range(60), "embedding": from_rows(vectors)}), tmp_path / "store.parquet")
    short = ("--coalitions", "1", "--trials", 2, "--attacks", "known-input", "--seed", 1, "--json")
    report = run("audit", tmp_path / "store.parquet", *short).json
    assert (report["table"]["rows"], report["table"]["columns"], report["left_out"]) == (60, 5, ["page"])
    asked = run("audit", tmp_path / "store.parquet", "--columns", "page,embedding", *short).json
    assert (asked["table"]["columns"], asked["left_out"]) == (6, [])


@pytest.mark.parametrize("precision", ["float16", "float32", "float64"])
def test_a_store_of_vectors_stays_one(precision, tmp_path, run):
    """One column of vectors in, one out, as precise; what stood beside it is said once to be left out."""
    vectors = np.random.default_rng(0).normal(size=(120, 40)).astype(precision)
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), 40)
    parquet.write_table(
        pa.table({"text": [f"t{i % 9}" for i in range(120)], "embedding": column}), tmp_path / "s.parquet"
    )
    out, key = tmp_path / "r.parquet", tmp_path / "k"
    done = run("perturb", tmp_path / "s.parquet", "--scheme", "orthogonal", "--seed", 0, "--out", out, "--key", key)
    assert done.code == 0
    assert f"Released 120 rows x one column of vectors, 'vector', of 40 numbers ({precision})" in done.out
    assert done.err.count("'text'") == 1
    schema = parquet.read_schema(out)
    assert schema.names == ["vector"]
    assert (schema.types[0].list_size, schema.types[0].value_type.to_pandas_dtype().__name__) == (40, precision)
    parquet.write_table(pa.table({"embedding": column.slice(0, 6)}), tmp_path / "known.parquet")
    linked = run("link", "--known", tmp_path / "known.parquet", "--released", out, "--json").json
    assert [link["row"] for link in linked["links"]] == ib.read_key(key).order[:6].tolist()
    flat = tmp_path / "r.csv"  # a format without columns of vectors
    assert run("perturb", tmp_path / "s.parquet", "--out", flat, "--key", tmp_path / "k2").code == 0
    assert flat.read_text().startswith('"c1","c2"')
