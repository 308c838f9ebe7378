# SPDX-License-Identifier: BSD-3-Clause
"""Where the rows live, how they are cut and who counts them changes no bit of a result."""

import numpy as np
import pytest

from isobreach.attacks import attack
from isobreach.blocks import ArraySource, Source, as_source, tile_rows
from isobreach.errors import InputError
from isobreach.linking import link
from oracles import plant

ROWS, COLUMNS = 30_000, 16  # seven tiles and a bit; the wide table has four
TABLES = {
    "normal": np.random.default_rng(0).standard_normal((ROWS, COLUMNS)),
    "integers": np.random.default_rng(0).integers(0, 16, (ROWS, COLUMNS)),
    "wide": np.random.default_rng(0).standard_normal((3000, 100)),
}


class Recording(ArraySource):
    """A source that remembers how it was read."""

    def map(self, kernel, label, progress=lambda *_: None):
        seen = []

        def recorded(start, block):
            seen.append((start, len(block), block.flags.c_contiguous, block.dtype))
            return kernel(start, block)

        yield from super().map(recorded, label, progress)
        self.seen = sorted(seen)


@pytest.mark.parametrize("table", list(TABLES))
@pytest.mark.parametrize(("block_rows", "threads"), [(1, 1), (1, 3), (1000, 2), (10**9, 1), (None, None)])
def test_results_do_not_depend_on_blocks_or_threads(monkeypatch, table, block_rows, threads):
    monkeypatch.setattr("isobreach.blocks.array.SERIAL_BYTES", 0)
    released, _ = plant(TABLES[table], np.random.default_rng(1))
    known = TABLES[table][:8]
    one = attack(known, ArraySource(released, block_rows=ROWS, threads=1), epsilon=0.2, seed=0)
    other = attack(known, ArraySource(released, block_rows=block_rows, threads=threads), epsilon=0.2, seed=0)
    assert one.linkage.linked.size
    for name in ("rows", "status"):
        np.testing.assert_array_equal(getattr(one.linkage, name), getattr(other.linkage, name))
    for mine, theirs in zip(one.linkage.candidates, other.linkage.candidates, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert one.relative_residual.tobytes() == other.relative_residual.tobytes()
    assert one.top(50).tolist() == other.top(50).tolist()
    np.testing.assert_allclose(one.estimates, other.estimates, rtol=0, atol=1e-12)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("layout", [np.asfortranarray, lambda rows: rows[::-1], lambda rows: rows.astype(np.float32)])
def test_blocks_arrive_contiguous_whole_and_in_order(monkeypatch, layout, threads):
    monkeypatch.setattr("isobreach.blocks.array.SERIAL_BYTES", 0)
    rows = layout(TABLES["normal"])
    source = Recording(rows, block_rows=1, threads=threads)
    first = list(source.map(lambda start, block: block[0, 0], "reading"))
    tile = tile_rows(COLUMNS)
    assert [seen[:2] for seen in source.seen] == [(s, min(tile, ROWS - s)) for s in range(0, ROWS, tile)]
    assert all(seen[2:] == (True, np.float64) for seen in source.seen)
    assert first == rows[::tile, 0].astype(float).tolist()
    np.testing.assert_array_equal(source.take([5, 1, 5]), rows[[5, 1, 5]])


def test_progress_counts_rows_up_to_all_of_them():
    calls = []
    released, _ = plant(TABLES["normal"], np.random.default_rng(1))
    link(TABLES["normal"][:2], ArraySource(released, block_rows=1), progress=lambda *call: calls.append(call))
    assert {label for label, _, _ in calls} == {"matching norms"}
    assert [done for _, done, _ in calls] == sorted({done for _, done, _ in calls})
    assert calls[-1][1:] == (ROWS, ROWS)


def test_an_error_in_a_thread_is_raised(monkeypatch):
    monkeypatch.setattr("isobreach.blocks.array.SERIAL_BYTES", 0)

    def kernel(start, block):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(ArraySource(TABLES["normal"], block_rows=1, threads=2).map(kernel, "failing"))


def test_a_source_stays_as_it_is():
    source = ArraySource(TABLES["normal"])
    assert isinstance(source, Source)
    assert as_source(source) is source
    assert as_source(TABLES["normal"]).shape == source.shape == (ROWS, COLUMNS)


@pytest.mark.parametrize("arguments", [{"block_rows": 0}, {"threads": 0}, {"threads": 1.5}])
def test_impossible_sizes_are_refused(arguments):
    with pytest.raises(InputError, match="must be a whole number >= 1"):
        ArraySource(TABLES["normal"], **arguments)
