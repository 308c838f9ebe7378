# SPDX-License-Identifier: BSD-3-Clause
"""Columns without numbers are never lost silently: recorded, warned about, or refused where they decide."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import isobreach as ib
from isobreach.io import as_table

RECORDS = np.random.default_rng(0).integers(0, 50, (40, 4))
COLUMNS = ["a", "b", "c", "d"]
VECTORS = np.random.default_rng(1).standard_normal((40, 3))
TOWNS = [f"town-{i % 7}" for i in range(40)]
CONTAINERS = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns),
    "arrow": lambda columns: pa.table(columns),
}
WARNED = r"^{}: columns were left out: 'town'\. Nothing is said of them\.$"


def frame(kind="pandas", rows=slice(None), **more):
    columns = dict(zip(COLUMNS, RECORDS[rows].T, strict=True))
    return CONTAINERS[kind]({**columns, **{name: values[rows] for name, values in more.items()}})


@pytest.mark.parametrize("kind", CONTAINERS)
def test_what_is_left_out_is_in_the_result_and_a_warning(kind):
    table = frame(kind, town=TOWNS)
    with pytest.warns(ib.LeftOutWarning, match=WARNED.format("X")):
        release = ib.perturb(table, "orthogonal", seed=0)
    with pytest.warns(ib.LeftOutWarning, match=WARNED.format("X")) as caught:
        report = ib.audit(
            table, "orthogonal", coalition_sizes=[1, 2], trials=2, attacks=["known-input"], samples=(), seed=0
        )
    assert (release.left_out, report.left_out) == (("town",), ("town",))
    assert (caught[0].filename, caught[0].message.columns) == (__file__, ("town",))  # it points at this call


def test_every_attack_records_what_it_left_out_of_the_release():
    released = ib.perturb(RECORDS, "orthogonal", seed=0).data
    known = RECORDS[:5]
    table = pd.DataFrame(released, columns=COLUMNS).assign(town=TOWNS)
    with pytest.warns(ib.LeftOutWarning, match=WARNED.format("released")):
        linkage = ib.link(known, table, dictionary=RECORDS[10:])
    with pytest.warns(ib.LeftOutWarning, match=WARNED.format("released")):
        result = ib.attack(known, table, seed=0)
    with pytest.warns(ib.LeftOutWarning, match=WARNED.format("released")):
        found = ib.reconstruct("kaplan", table, ib.Knowledge(known=known), seed=0)
    assert linkage.left_out == linkage.dictionary.left_out == result.linkage.left_out == ("town",)
    assert found.asked.left_out == ("town",)


def test_nothing_is_said_where_nothing_is_left_out():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = ib.perturb(frame(), "orthogonal", seed=0)
        assert ib.link(frame(rows=slice(5)), release.data).left_out == ()
    assert release.left_out == ()


@pytest.mark.parametrize("kind", CONTAINERS)
def test_records_that_lost_an_attribute_are_refused(kind):
    """Read as narrower records, they would be compared with released rows as if the others were padding."""
    release = ib.perturb(RECORDS, "orthogonal", seed=0)
    known = frame(kind, rows=slice(5), town=TOWNS)
    rule = "must hold numbers in every column, as released rows do. Got 1 non-numeric column: 'town'. Select the"
    for name, call in (
        ("known", lambda: ib.link(known, release.data)),
        ("known", lambda: ib.attack(known, release.data)),
        ("dictionary", lambda: ib.link(RECORDS[:5], release.data, dictionary=known)),
        ("sample", lambda: ib.reconstruct("lattice", release.data, ib.Knowledge(sample=known))),
        ("known", lambda: ib.reconstruct("kaplan", release.data, ib.Knowledge(known=known))),
    ):
        with pytest.raises(ib.InputError) as refused:
            call()
        assert str(refused.value).startswith(f"{name} {rule}")


@pytest.mark.parametrize("kind", CONTAINERS)
def test_text_with_a_few_brackets_is_text(kind):
    remarks = ["[1, 2]", "(see note 3)", "[a, b]", "(1) first", *TOWNS[4:]]
    assert as_table(frame(kind, remark=remarks), "released").left_out == ("remark",)


def test_the_warning_survives_a_process_boundary():
    warning = pickle.loads(pickle.dumps(ib.LeftOutWarning("X", ["a\x1b"])))
    assert (warning.name, warning.columns, str(warning).isprintable()) == ("X", ("a\x1b",), True)


def test_page_and_json_of_an_audit_tell_what_was_left_out(tmp_path):
    with pytest.warns(ib.LeftOutWarning):
        report = ib.audit(
            frame(town=TOWNS), "orthogonal", coalition_sizes=[1], trials=2, attacks=["known-input"], seed=0
        )
    report.to_html(tmp_path / "page.html")
    report.to_json(tmp_path / "result.json")
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["left_out"] == ["town"]
    assert "Column 'town' was left out. No figure is about it." in result["findings"]
    assert "Column &#39;town&#39; was left out." in (tmp_path / "page.html").read_text()
