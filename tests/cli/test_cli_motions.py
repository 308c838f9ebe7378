# SPDX-License-Identifier: BSD-3-Clause
"""Motions, noise, dictionaries and vectors of length one on the command line: found, and told as what they are."""

import json
from dataclasses import replace

import numpy as np
import pytest
from pyarrow import parquet

import isobreach as ib
from isobreach.io import write_table
from isobreach.linking import proposing
from oracles import aspe, row_mixed


@pytest.fixture
def make(case, run):
    """Release the people by a scheme, and give what link and attack need to find the insiders in it."""

    def release(*options):
        out, key = case.folder / "r.csv", case.folder / "r.key"
        done = run("perturb", case.folder / "people.csv", "--id-column", "name", "--seed", 2, "--out", out,
                   "--key", key, "--force", "--quiet", *options)  # fmt: skip
        assert done.code == 0, done.err
        return ("--known", case.known, "--id-column", "name", "--released", out, "--quiet")

    return release


def more_known(case, count):
    names = np.array([f"person-{i}" for i in range(count)])
    write_table(case.known, case.records[:count], case.columns, ids=names, id_column="name", force=True)


def dictionary(case, strangers=20):
    """People 20 to 29 and as many strangers as wanted, under other names and in another order of columns."""
    rows = np.vstack([case.records[20:30], np.random.default_rng(5).normal(50, 20, (strangers, 5)).round(3)])
    names = np.array([f"entry-{i}" for i in range(len(rows))])
    path = case.folder / "entries.csv"
    write_table(path, rows[:, ::-1], case.columns[::-1], ids=names, id_column="name")
    return path


def test_the_default_scheme_is_undone_by_default(case, run, make):
    done = run("link", *make(), "--json")
    assert done.json["motion"] == "rigid"
    assert "distances, not with their norms" in done.json["motion_reason"]
    assert [link["row"] for link in done.json["links"]] == ib.read_key(case.folder / "r.key").order[:3].tolist()
    assert (done.json["scale"], done.json["noise"], done.json["dictionary"]) == (1.0, None, None)
    assert max(link["chance"] for link in done.json["links"]) < 1e-3


def test_motion_is_told_with_its_reason(case, run, make):
    done = run("link", *make())
    assert "The motion was taken for a rigid motion: all known records are found with their distances" in done.out
    assert "chance" in done.out.splitlines()[1]
    assert "The motion was taken for a rigid motion: as asked." in run("link", *make(), "--motion", "rigid").out
    assert "auto" in run("link", "--help").out


def test_a_scale_is_told(case, run, make):
    arguments = make()
    table = np.loadtxt(case.folder / "r.csv", delimiter=",", skiprows=1)
    np.save(case.folder / "scaled.npy", 2.5 * table)
    done = run("link", *arguments, "--released", case.folder / "scaled.npy")
    assert "Released lengths are 2.5 times those of the records." in done.out
    result = run("attack", *arguments, "--released", case.folder / "scaled.npy", "--json").json
    assert (result["motion"], round(result["scale"], 9)) == ("similarity", 2.5)
    assert result["kind"] == "model-based, given the links"


def test_a_wider_release_is_taken_for_padding(case, run, make):
    done = run("attack", *make("--width", 9), "--seed", 1)
    assert "wider than the records, 9 columns against 5: 4 of them were taken for padding." in done.out
    assert "That leaves 3 of 5 dimensions of the secret motion hidden." in done.out
    assert "The others are model-based" in done.out


def test_probabilities_behind_a_translation_are_exact_only_where_nothing_is_hidden(case, run, make):
    assert run("attack", *make(), "--json").json["kind"] == "model-based, given the links"
    more_known(case, 6)
    assert run("attack", *make(), "--json").json["kind"] == "closed-form, given the links"


@pytest.mark.parametrize("level", ["given", "estimate"])
def test_noise_is_linked_through_and_told(case, run, make, level):
    more_known(case, 12)
    arguments = make("--scheme", "noisy", "--noise", 0.01)
    key = ib.read_key(case.folder / "r.key")
    done = run("attack", *arguments, "--noise", key.noise if level == "given" else level, "--json")
    assert done.json["noise"] == pytest.approx(key.noise, rel=0 if level == "given" else 0.5)
    assert done.json["kind"] == "approximation, given the links"
    links = done.json["links"]
    linked = [link for link in links if link["status"] == "linked"]
    assert len(linked) >= 10
    assert all(link["row"] == key.order[link["known"]] and link["posterior"] > 0.999 for link in linked)
    words = run("link", *arguments, "--noise", key.noise).out
    assert f"noise of standard deviation {key.noise:.4g}; the least sure link has posterior" in words
    assert "posterior" in words.splitlines()[1]


def test_an_approximation_is_never_called_certain(case, run, make):
    more_known(case, 12)
    arguments = make("--scheme", "noisy", "--noise", 0.01)
    noise = ib.read_key(case.folder / "r.key").noise
    assert "certain" not in run("attack", *arguments, "--noise", noise, "--epsilon", 0.5).out


def test_a_dictionary_is_looked_up_and_written(case, run, make):
    out = case.folder / "attack"
    done = run("attack", *make(), "--dictionary", dictionary(case), "--out", out, "--seed", 1)
    assert done.code == 0, done.err
    assert "10 of 30 dictionary records are in the release; chance alone would make" in done.out
    assert "With 13 linked records" in done.out
    order = ib.read_key(case.folder / "r.key").order
    found = json.loads((out / "result.json").read_text())["dictionary"]
    assert (found["records"], found["linked"], found["ambiguous"], found["absent"]) == (30, 10, 0, 20)
    assert [link["index"] for link in found["links"]] == list(range(10))
    assert [link["id"] for link in found["links"]] == [f"entry-{i}" for i in range(10)]
    assert [link["row"] for link in found["links"]] == order[20:30].tolist()
    table = parquet.read_table(out / "dictionary.parquet")
    assert table.column_names == ["index", "id", "status", "released_row", "chance", "posterior"]
    assert table["status"].to_pylist() == ["linked"] * 10 + ["absent"] * 20
    assert table["released_row"].to_pylist() == [*order[20:30].tolist(), *[-1] * 20]
    page = (out / "report.html").read_text()
    assert "<h2>Dictionary</h2>" in page
    assert "entry-9" in page
    assert "entry-10" not in page
    assert json.loads((out / "run.json").read_text())["inputs"]["dictionary"]["name"] == "entries.csv"
    written = page + (out / "result.json").read_text() + (out / "run.json").read_text()
    for value in case.records[20:30].ravel():
        assert f"{value:.3f}" not in written
    assert run("attack", *make(), "--dictionary", case.folder / "entries.csv", "--out", out, "--force").code == 0


def test_a_dictionary_without_links_says_so(case, run, make):
    arguments = make()
    strangers = np.random.default_rng(8).normal(50, 20, (4, 5))
    write_table(case.known, strangers, case.columns, ids=np.array(list("abcd")), id_column="name", force=True)
    done = run("link", *arguments, "--dictionary", dictionary(case))
    assert "Of 30 dictionary records nothing can be said: no known record is linked." in done.out


def test_long_lists_are_cut_in_the_page_and_said_to_be(case, run, make, monkeypatch):
    monkeypatch.setattr("isobreach.attacks.known_input.describe.MOST", 2)
    out = case.folder / "attack"
    run("attack", *make(), "--dictionary", dictionary(case), "--out", out)
    page = (out / "report.html").read_text()
    assert "The first 2 of 3: result.json has them all." in page
    assert "The first 2 of 10: dictionary.parquet has them all." in page
    assert "entry-2" not in page


def test_vectors_of_length_one(case, run, make):
    arguments = make()
    unit = case.records / np.linalg.norm(case.records, axis=1, keepdims=True)
    release = ib.perturb(unit, "orthogonal", seed=3)
    np.save(case.folder / "unit.npy", release.data)
    arguments = (*arguments, "--released", case.folder / "unit.npy")
    hint = "All released rows have the same length, the known records do not: try --normalise."
    for command in ("link", "attack"):
        assert hint in run(command, *arguments).out
        assert hint not in run(command, *arguments, "--normalise").out
    done = run("link", *arguments, "--normalise", "--dictionary", dictionary(case), "--json")
    assert [link["row"] for link in done.json["links"]] == release.key.order[:3].tolist()
    assert [link["row"] for link in done.json["dictionary"]["links"]] == release.key.order[20:30].tolist()
    out = case.folder / "attack"
    done = run("attack", *arguments, "--normalise", "--json", "--out", out, "--estimates")
    assert done.json["known"]["normalised"]
    assert json.loads((out / "run.json").read_text())["parameters"]["normalise"]


def test_normalising_keeps_the_precision_of_the_records(case, run):
    """Records in single precision: their normalised values are no better known."""
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((50, 8)).astype(np.float32)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    release = ib.perturb(unit, "orthogonal", seed=3)
    np.save(case.folder / "k.npy", vectors[:4])
    np.save(case.folder / "u.npy", release.data.astype(np.float32))
    done = run("link", "--known", case.folder / "k.npy", "--released", case.folder / "u.npy", "--normalise", "--json")
    assert [link["row"] for link in done.json["links"]] == release.key.order[:4].tolist()


NULLS = {
    "strangers": lambda records, rng: ib.perturb(rng.normal(50, 20, records.shape), "rigid", seed=0).data,
    "ASPE": aspe,
    "mixed rows": row_mixed,
}


@pytest.mark.parametrize("name", NULLS)
@pytest.mark.parametrize("noise", [(), ("--noise", "1.5")])
def test_where_nothing_is_found_one_sentence_says_what_that_may_mean(case, run, name, noise):
    more_known(case, 8)
    np.save(case.folder / "null.npy", NULLS[name](case.records, np.random.default_rng(6)))
    arguments = ("--known", case.known, "--id-column", "name", "--released", case.folder / "null.npy", *noise)
    out = case.folder / "attack"
    done = run("attack", *arguments, "--out", out, "--quiet")
    assert (done.code, done.err) == (0, "")
    verdict = done.out.splitlines()[0]
    assert verdict.startswith("No link: none of the known records is in the release, or its distances are not those")
    assert ("try --noise estimate" in verdict) == (not noise)
    result = json.loads((out / "result.json").read_text())
    assert (result["known"]["linked"], result["motion"], result["verdict"]) == (0, None, verdict)
    assert "figures" not in {path.name for path in out.iterdir()} or noise
    assert done.out.count("No link") == run("link", *arguments).out.count("No link") == 1


def test_links_that_chance_could_make_are_said_to_hold_only_if_the_records_are_there(case, run):
    """A coarse table, and a motion that is asked for: no record is absent, so all links are reported."""
    records = np.random.default_rng(1).integers(0, 6, (30, 3))
    np.save(case.folder / "known.npy", records[:5])
    np.save(case.folder / "coarse.npy", ib.perturb(records, "rigid", seed=1).data)
    arguments = ("link", "--known", case.folder / "known.npy", "--released", case.folder / "coarse.npy")
    asked = run(*arguments, "--motion", "rigid").out
    assert "5 of 5 known records linked" in asked
    assert "only if the known records are in the release: chance alone would make" in asked
    assert "0 of 5 known records linked" in run(*arguments).out


def test_published_needs_an_orthogonal_motion(case, run, make):
    done = run("attack", *make(), "--estimator", "published")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "must be optimal or uniform unless the motion is orthogonal" in done.err


def test_a_sample_proposes_rows_of_a_large_release(case, make, run, monkeypatch):
    """Every release is large here."""
    monkeypatch.setattr(proposing, "PROPOSING", replace(proposing.PROPOSING, exact=0.0))
    more_known(case, 8)
    others = case.folder / "others.csv"
    write_table(others, case.records[8:], case.columns)
    done = run("link", *make(), "--motion", "rigid", "--sample", others, "--json")
    assert done.json["linked"] == 8
    assert "proposed" in done.json["motion_reason"]
    narrow = case.folder / "narrow.csv"
    write_table(narrow, case.records[8:, :2], case.columns[:2])
    done = run("link", *make(), "--sample", narrow)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "columns of sample" in done.err
