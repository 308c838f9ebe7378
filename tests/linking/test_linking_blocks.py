# SPDX-License-Identifier: BSD-3-Clause
"""Where the rows live, how they are cut and who counts them changes no bit of a result."""

import numpy as np
import pytest

from isobreach.attacks import attack
from isobreach.engine import as_engine
from isobreach.linking import link
from oracles import plant

ROWS, COLUMNS = 30_000, 16  # seven tiles and a bit; the wide table has four
TABLES = {
    "normal": np.random.default_rng(0).standard_normal((ROWS, COLUMNS)),
    "integers": np.random.default_rng(0).integers(0, 16, (ROWS, COLUMNS)),
    "wide": np.random.default_rng(0).standard_normal((3000, 100)),
}


@pytest.mark.parametrize("table", list(TABLES))
@pytest.mark.parametrize(("block_rows", "workers"), [(1, 1), (1, 3), (1000, 2), (10**9, 1), (None, None)])
def test_results_do_not_depend_on_blocks_or_workers(monkeypatch, table, block_rows, workers):
    monkeypatch.setattr("isobreach.engine.local.SERIAL_BYTES", 0)
    released, _ = plant(TABLES[table], np.random.default_rng(1))
    known = TABLES[table][:8]
    one = attack(known, as_engine(released, block_rows=ROWS, workers=1), motion="orthogonal", epsilon=0.2, seed=0)
    other = attack(
        known, as_engine(released, block_rows=block_rows, workers=workers), motion="orthogonal", epsilon=0.2, seed=0
    )
    assert one.linkage.linked.size
    for name in ("rows", "status"):
        np.testing.assert_array_equal(getattr(one.linkage, name), getattr(other.linkage, name))
    for mine, theirs in zip(one.linkage.candidates, other.linkage.candidates, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert one.relative_residual.tobytes() == other.relative_residual.tobytes()
    assert one.top(50).tolist() == other.top(50).tolist()
    np.testing.assert_allclose(one.estimates, other.estimates, rtol=0, atol=1e-12)


def test_progress_counts_rows_up_to_all_of_them():
    calls = []
    released, _ = plant(TABLES["normal"], np.random.default_rng(1))
    link(
        TABLES["normal"][:2],
        as_engine(released, block_rows=1),
        motion="orthogonal",
        progress=lambda *call: calls.append(call),
    )
    assert {label for label, _, _ in calls} == {"matching norms"}
    assert [done for _, done, _ in calls] == sorted({done for _, done, _ in calls})
    assert calls[-1][1:] == (ROWS, ROWS)
