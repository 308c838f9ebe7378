# SPDX-License-Identifier: BSD-3-Clause
"""What carries the length: shares add up, and a warning comes where one or two columns are nearly all of it."""

import numpy as np
import pandas as pd
import pytest

import isobreach as ib
from isobreach.audits.groups import Groups

ASKED = {"coalition_sizes": [2], "trials": 2, "attacks": ["known-input"], "samples": (), "splits": 2, "seed": 0}


@pytest.mark.parametrize("seed", range(8))
def test_shares_are_those_of_the_squared_length(seed):
    records = np.random.default_rng(seed).normal(1, 2, (50, 5))
    alone, together = (Groups.of(records, groups).length_shares(records) for groups in ((), [(1, 2)]))
    np.testing.assert_allclose(alone, (records**2).sum(axis=0) / (records**2).sum())
    np.testing.assert_allclose(together, [alone[0], alone[1] + alone[2], *alone[3:]])


@pytest.mark.parametrize(("scales", "named"), [((1000, 1, 1), "'a' carries"), ((900, 1000, 1, 1), "'b' and 'a' carry")])
def test_a_warning_names_what_carries_almost_all(scales, named, tmp_path):
    values = np.random.default_rng(0).standard_normal((60, len(scales))) * scales
    frame = pd.DataFrame(values, columns=list("abcd"[: len(scales)]))
    report = ib.audit(frame, **ASKED)
    warned = [line for line in report.findings if "of the squared length" in line]
    assert len(warned) == 1
    assert warned[0].startswith(named)
    report.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "What carries the length" in page
    assert "Nothing: the table was taken as it is." in page
    alike = ib.audit(ib.prepare(frame, standardise=True), **ASKED)
    assert not any("of the squared length" in line for line in alike.findings)
    np.testing.assert_allclose(alike.length_shares, 1 / len(scales))


def test_two_columns_of_two_are_no_warning():
    values = np.random.default_rng(0).standard_normal((60, 2))
    assert not any("of the squared length" in line for line in ib.audit(values, **ASKED).findings)


@pytest.mark.parametrize("scheme", ["rigid", "additive-noise"])
def test_who_has_standardised_is_not_told_to(scheme, tmp_path):
    values = np.random.default_rng(0).standard_normal((60, 3)) * (1000, 1, 1)
    for standardise in (False, True):
        table = ib.prepare(pd.DataFrame(values, columns=list("abc")), standardise=standardise)
        ib.audit(table, scheme, **ASKED).to_html(tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text()
        assert ("Standardise the table first" in page) is not standardise
        assert ("Numbers were standardised, so that they count alike" in page) is standardise
