# SPDX-License-Identifier: BSD-3-Clause
"""Vectors on the command line: from the stores that hold them to links and audits."""

import json

import numpy as np
import pyarrow as pa
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
