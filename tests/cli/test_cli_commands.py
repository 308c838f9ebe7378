# SPDX-License-Identifier: BSD-3-Clause
"""What the commands do when all is well."""

import json
import re
import stat
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import numpy as np
import pytest
from pyarrow import parquet

import isobreach as ib
from isobreach.io import read_table, write_table


def test_perturb_keeps_ids_out_of_the_release_and_the_key_undoes_it(case):
    released = read_table(case.released, name="released")
    assert released.columns == ("c1", "c2", "c3", "c4", "c5")
    assert "person" not in case.released.read_text()
    key = ib.read_key(case.folder / "key")
    assert np.abs(key.invert(released.values) - case.records).max() < 1e-9
    assert list(key.ids[:2]) == ["person-0", "person-1"]
    assert stat.S_IMODE((case.folder / "key").stat().st_mode) == 0o600


def test_perturb_without_a_seed_never_repeats_a_key(case, run):
    for name in ("a", "b"):
        done = run("perturb", "letter", "--out", case.folder / f"{name}.npy", "--key", case.folder / f"{name}.key")
        assert done.code == 0
    keys = [ib.read_key(case.folder / f"{name}.key") for name in ("a", "b")]
    assert not np.allclose(keys[0].rotation, keys[1].rotation)


PARAMETERS = {
    "orthogonal": {"width": 7},
    "rigid": {"width": 7},
    "noisy": {"noise": 0.25},
    "ball": {"scale": 3.0, "beta": 0.5},
    "orthogonal-noise": {"noise": 0.25},
    "additive-noise": {"noise": 0.25, "law": "uniform"},
    "aspe": {},
    "attribute-pairs": {"threshold": 0.7},
    "component-noise": {"noise": 0.25, "share": 0.5},
    "condensation": {"group": 3},
    "dct": {"coefficients": 3},
    "dft": {"coefficients": 3},
    "distance-matrix": {},
    "geometric": {"noise": 0.25},
    "k-anonymity": {"group": 3},
    "kd-tree": {"group": 3},
    "log-noise": {"noise": 0.25},
    "multiplicative-noise": {"noise": 0.25},
    "permutation": {"scale": 3.0, "beta": 0.5},
    "random-projection": {"dimension": 7},
    "row-mixing": {"block": 5},
    "shuffling": {"retained": 0.5},
    "swapping": {"window": 0.5},
}


def test_perturb_offers_every_scheme_and_every_parameter():
    from isobreach.cli.app import app

    perturb = app.commands["perturb"]
    offered = {option.name: option for option in perturb.get_params(click.Context(perturb))}
    schemes = ib.schemes.SCHEMES
    assert tuple(offered["scheme"].type.choices) == tuple(schemes)
    assert [name for name in schemes if schemes.built_in(name)] == list(PARAMETERS)
    for name in PARAMETERS:
        assert {field.name for field in fields(schemes[name])} == set(PARAMETERS[name]) <= set(offered)


@pytest.mark.parametrize("scheme", PARAMETERS)
def test_perturb_does_what_the_library_does(case, run, scheme):
    parameters = PARAMETERS[scheme]
    options = [word for name, value in parameters.items() for word in (f"--{name}", value)]
    records, people = np.abs(case.records), case.folder / "positive.csv"  # logarithms want no negative values
    write_table(people, records, case.columns, ids=np.arange(60), id_column="name")
    out, key = case.folder / "r.csv", case.folder / "k"
    done = run("perturb", people, "--id-column", "name", "--scheme", scheme, *options,
               "--seed", 5, "--out", out, "--key", key, "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert done.json["scheme"] == scheme
    assert done.json["parameters"] == parameters
    assert done.json["keeps"] == list(ib.schemes.scheme_by_name(scheme, **parameters).keeps)
    again = ib.perturb(records, ib.schemes.scheme_by_name(scheme, **parameters), seed=5)
    released = read_table(out, name="released")
    np.testing.assert_array_equal(released.values, again.data)
    width = again.data.shape[1]
    in_place = ib.schemes.SCHEMES[scheme].in_place
    assert released.columns == (case.columns if in_place else tuple(f"c{j + 1}" for j in range(width)))
    assert (done.json["columns"], done.json["released_columns"]) == (5, width)
    assert ib.read_key(key).columns == case.columns
    kept = ib.read_key(key)
    np.testing.assert_array_equal(kept.order, again.key.order)
    if not isinstance(kept, ib.Key):
        np.testing.assert_equal(kept.secrets, again.key.secrets)
        return
    np.testing.assert_array_equal(kept.invert(released.values), again.key.invert(again.data))


def test_link_json_is_all_that_stands_on_stdout(case, run):
    done = run("link", "--known", case.known, "--released", case.released, "--id-column", "name", "--json")
    key = ib.read_key(case.folder / "key")
    assert [entry["row"] for entry in done.json["links"]] == key.order[:3].tolist()
    assert [entry["id"] for entry in done.json["links"]] == ["person-0", "person-1", "person-2"]
    assert done.json["linked"] == 3
    assert done.json["schema"] == "isobreach/link/1"


def test_link_in_words(case, run):
    done = run("link", "--known", case.known, "--released", case.released, "--columns", ",".join(case.columns))
    assert "3 of 3 known records linked, 0 ambiguous, 0 absent." in done.out


def test_attack_writes_one_folder_without_private_values(case, run):
    out = case.folder / "attack"
    done = run(
        "attack", "--known", case.known, "--released", case.released, "--id-column", "name",
        "--epsilon", 0.3, "--seed", 4, "--out", out,
    )  # fmt: skip
    assert done.code == 0, done.err
    names = sorted(str(path.relative_to(out)) for path in out.rglob("*"))
    assert names == [
        "figures", "figures/exposure.png", "figures/exposure.svg", "per_record.parquet", "report.html", "result.json",
        "run.json",
    ]  # fmt: skip
    result = json.loads((out / "result.json").read_text())
    released = read_table(case.released, name="released").values
    again = ib.attack(case.records[:3], released, epsilon=0.3, seed=4)
    assert result["best"] == {"row": again.best, "id": None, "breach_probability": again.breach_probability[again.best]}
    assert result["hidden_dimension"] == 2
    per_record = parquet.read_table(out / "per_record.parquet")
    assert per_record.column_names == ["row", "linked", "relative_residual", "breach_probability"]
    np.testing.assert_array_equal(per_record["breach_probability"].to_numpy(), again.breach_probability)
    page = (out / "report.html").read_text()
    assert result["verdict"] in page
    assert "<svg" in page
    for value in case.records[3:, 3]:
        assert f"{value:.3f}" not in page + json.dumps(result)


ID = ("--id-column", "name")


def test_same_seed_same_folder(case, run):
    for name in ("one", "two"):
        run("attack", "--known", case.known, *ID, "--released", case.released, "--seed", 4, "--out", case.folder / name)
    files = [sorted(path for path in (case.folder / name).rglob("*") if path.is_file()) for name in ("one", "two")]
    assert len(files[0]) == 6
    for one, two in zip(*files, strict=True):
        assert one.read_bytes() == two.read_bytes(), one.name


def test_ranges_refine_the_estimates_that_are_written(case, run):
    """Within the ranges, except for what the links make certain anyway."""
    out = case.folder / "out"
    arguments = ("--known", case.known, *ID, "--released", case.released, "--seed", 4, "--bounds", "40:60")
    assert run("attack", *arguments, "--out", out, "--estimates").code == 0
    estimates = read_table(out / "estimates.parquet", name="estimates", id_column="released row").values
    result = ib.attack(case.records[:3], read_table(case.released, name="released").values, seed=4)
    certain = result.breach_probability == 1
    assert 0 < certain.sum() < len(certain)
    np.testing.assert_allclose(estimates[certain], result.estimates[certain])
    np.testing.assert_allclose(estimates[~certain], np.clip(result.estimates[~certain], 40, 60), atol=1e-3)


def test_estimates_are_written_only_when_asked_for_and_for_the_owner_alone(case, run):
    out = case.folder / "attack"
    run("attack", "--known", case.known, *ID, "--released", case.released, "--seed", 4, "--out", out, "--estimates")
    path = out / "estimates.parquet"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    estimates = read_table(path, name="estimates", id_column="released row")
    assert estimates.columns == case.columns
    released = read_table(case.released, name="released").values
    np.testing.assert_allclose(estimates.values, ib.attack(case.records[:3], released, seed=4).estimates)


def test_a_name_that_is_markup_stays_text(case, run):
    evil = "<script>alert(1)</script>"
    text = case.known.read_text().replace("person-0", evil)
    case.known.write_text(text)
    out = case.folder / "attack"
    done = run("attack", "--known", case.known, "--released", case.released, "--id-column", "name", "--out", out)
    assert done.code == 0
    page = (out / "report.html").read_text()
    assert evil not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npy"])
def test_every_format_gives_the_same_links(case, run, suffix):
    run("perturb", "letter", "--scheme", "orthogonal", "--seed", 3, "--out", case.folder / f"r.{suffix}",
        "--key", case.folder / "k2")  # fmt: skip
    np.save(case.folder / "known.npy", ib.datasets.load("letter").values[:4])
    done = run("link", "--known", case.folder / "known.npy", "--released", case.folder / f"r.{suffix}", "--json")
    assert [entry["row"] for entry in done.json["links"]] == ib.read_key(case.folder / "k2").order[:4].tolist()


@pytest.mark.slow
def test_demo_tells_the_truth(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("isobreach.cli.demo._TRIALS", 6)
    monkeypatch.setattr("isobreach.cli.demo._NOISE_LEVELS", ())
    done = run("demo", "--json")
    assert done.code == 0
    assert done.json["schema"] == "isobreach/audit/1"
    assert done.json["sizes"][3]["random"]["worst_record"]["value"] == 1.0
    assert (tmp_path / "isobreach-demo" / "report.html").is_file()
    said = run("demo", "--known", 4).out
    assert "Carried out once, by 4 random insiders: 4 of 4 links right, " in said
    assert said.endswith("isobreach-demo-2/report.html\n")


def test_the_installed_command_starts():
    command = Path(sys.executable).with_name("isobreach")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    for name in ("attack", "demo", "link", "perturb"):
        assert name in done.stdout


def test_help_lists_options_in_sections(run):
    """Every option once, in the section it was declared in; the long list of parameters and what is general last."""
    for command in (("audit",), ("perturb",), ("link",), ("attack", "lattice")):
        said = run(*command, "--help").out
        titles = re.findall(r"^(\S.*):$", said, flags=re.MULTILINE)
        assert len(titles) == len(set(titles)) > 3
        assert titles[-1] == "General options"
        listed = re.findall(r"^  (--[\w-]+)", said, flags=re.MULTILINE)
        assert len(listed) == len(set(listed))
    audit = run("audit", "--help").out
    assert audit.index("The table:") < audit.index("--missing") < audit.index("Attackers:") < audit.index("--samples")
    assert audit.index("The decision:") < audit.index("--limit") < audit.index("Parameters of schemes:")


def test_help_needs_no_heavy_import():
    code = (
        "import sys\nfrom isobreach.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'numba', 'pyarrow', 'matplotlib', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
