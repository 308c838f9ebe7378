# SPDX-License-Identifier: BSD-3-Clause
"""One way to name things: options at the command line, arguments in Python; and what a wrong name may have meant."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.io import write_table

BAD = {
    "id column": ("--id-column", "nam", "--id-column must name columns of known. Got 'nam'. Did you mean 'name'?"),
    "scheduler": ("--scheduler", "tcp://x", "--scheduler must be left out unless the engine is dask."),
    "released": ("--released", "no.csv", "--released must be an existing file or folder."),
    "columns": ("--columns", "hight", "--columns must name columns of known. Got 'hight'. Did you mean 'height' or"),
}


@pytest.mark.parametrize("command", ["link", "attack"])
@pytest.mark.parametrize("option", BAD)
def test_every_command_names_options(option, command, case, run):
    name, value, message = BAD[option]
    arguments = {"--known": case.known, "--released": case.released, "--id-column": "name", name: value}
    done = run(command, *(word for pair in arguments.items() for word in pair))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"isobreach: {message}")


def test_python_names_arguments(case):
    with pytest.raises(
        ib.InputError, match=r"^columns must name columns of frame\. Got 'hight'\. Did you mean 'height'"
    ):
        ib.prepare(case.folder / "people.csv", columns=["hight"])
    with pytest.raises(ib.InputError, match=r"select columns before the call\.$") as caught:
        ib.link(case.records[:3], case.records[:, :4])
    assert "--" not in str(caught.value)
    with pytest.warns(ib.NothingLinkedWarning, match="motion='auto'.*noise='estimate'"):
        ib.link(2 * case.records[:4], case.records, motion="rigid")


def test_a_sentence_on_what_to_try_names_options(case, run):
    write_table(case.known, np.random.default_rng(0).normal(0, 1, (4, 5)), case.columns, force=True)
    for command in ("link", "attack"):
        said = run(command, "--known", case.known, "--released", case.released, "--motion", "rigid").out
        assert "(try --motion auto)" in said
        assert "motion=" not in said


def test_widths_that_differ_speak_of_steps_first(case, run):
    """Columns are left out or encoded when a table is prepared: known records then need the same steps."""
    columns = [f"x{j}" for j in range(10)]
    write_table(case.folder / "wide.csv", np.hstack([case.records] * 2), columns)
    done = run("link", "--known", case.folder / "wide.csv", "--released", case.released)
    assert "If the table was prepared before its release, add --steps FILE" in done.err
    write_table(case.known, np.random.default_rng(0).normal(0, 1, (4, 5)), case.columns, force=True)
    narrow = run("link", "--known", case.known, "--released", case.folder / "wide.csv")
    assert "If the table was prepared before its release, add --steps FILE" in narrow.out


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("pid", "'patient_id'?"),
        ("ID", "'patient_id'"),
        ("agee", "'age'?"),
        ("diag", "'diagnosis'?"),
        ("AGE", "'age'"),
        ("dialysis", "'patient_id'?"),  # spelt a little like diagnosis
    ],
)
def test_a_wrong_name_is_answered_with_what_it_may_mean(asked, meant, tmp_path, run):
    (tmp_path / "t.csv").write_text(
        "patient_id,icd,age,diagnosis\n" + "".join(f"{i},{i % 7}.5,3{i},1\n" for i in range(9))
    )
    done = run("prepare", tmp_path / "t.csv", "--id-column", asked, "--out", tmp_path / "out.csv")
    assert f"Got '{asked}'. Did you mean {meant}" in done.err
    assert "icd" not in done.err


def test_where_nothing_is_alike_the_columns_are_listed(case, run):
    done = run("perturb", case.folder / "people.csv", "--columns", "zzz", "--out", "o.csv", "--key", "k")
    assert "The columns are: 'name', 'age', 'height', 'weight', 'income', 'visits'." in done.err
