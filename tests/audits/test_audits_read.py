# SPDX-License-Identifier: BSD-3-Clause
"""Audits of vectors: who is read by looking estimates up, beside who is breached."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.audits import Cell
from isobreach.report import audit_document
from isobreach.report.audit_matrix import matrix_lead
from isobreach.report.audit_tables import matrix_table

SCHEME = ib.schemes.scheme_by_name("orthogonal")


def vectors(columns, rank=5, rows=60):
    """Vectors of length one in few dimensions, and a little beside them."""
    rng = np.random.default_rng(0)
    found = rng.standard_normal((rows, rank)) @ rng.standard_normal((rank, columns))
    found += 0.3 * rng.standard_normal(found.shape)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def audited(columns):
    asked = {"epsilon": 0.02, "coalition_sizes": (1, 8), "trials": 2, "attacks": (), "samples": (), "splits": 2}
    return ib.audit(vectors(columns), SCHEME, seed=0, **asked)


@pytest.fixture(scope="module")
def report():
    return audited(100)


def test_vectors_are_read_where_they_are_not_breached(report):
    """Eight insiders span what matters: no estimate is within epsilon, and the nearest vector is right."""
    few, many = report.read_out(1), report.read_out(8)
    assert report.breached(8).value < 1e-9
    assert many.top_1.value > 0.9
    assert few.top_1.value < 0.5
    for one in (few, many):
        assert 0 <= one.top_1.low <= one.top_1.value <= one.top_5.value <= 1
    assert few.top_1.value <= many.top_1.value
    assert report.read_out(0) is None  # nobody without knowledge is played behind a motion


def test_what_is_read_is_told_on_page_and_in_json(report):
    document = audit_document(report)
    said = "Estimates are read by looking them up, within epsilon or not: for "
    assert said in document.verdict
    assert said in matrix_lead(report)
    table = matrix_table(report)
    assert {len(row) for row in table.rows} == {len(table.columns)} == {6}
    frame = report.to_frame()
    assert frame["top_1"].iloc[-1] == report.read_out(8).top_1.value
    assert np.isnan(frame["top_5"].iloc[0])
    cells = document.data["matrix"]["breached"]
    read = {one["insiders"]: one["read_out"] for one in cells}
    assert read[0] is None
    assert read[8]["top_1"]["value"] == report.read_out(8).top_1.value
    assert report.matrix.best[Cell(8)].read.value[0] == report.read_out(8).top_1.value


def test_a_table_of_fewer_columns_is_no_store_of_vectors():
    report = audited(99)
    assert report.read_out(8) is None
    assert "top_1" not in report.to_frame()
    assert "looking them up" not in " ".join([audit_document(report).verdict, *audit_document(report).findings])
    assert all(one["read_out"] is None for one in audit_document(report).data["matrix"]["breached"])
