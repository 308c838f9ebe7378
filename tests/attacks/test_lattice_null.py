# SPDX-License-Identifier: BSD-3-Clause
"""Continuous tables are never claimed: 2,300 of them, 69 in every run and every seventh in the slow run.

23 families, 100 tables each, the table of a place in a family always the same: 2 to 32 columns, 60 to 5,000 rows (more
of them small, as time grows with both), every second one behind a translation. Nothing in them is on a grid that could
be read, so any claim is a false one. All of them, in ten minutes of one core:

    ISOBREACH_NULL_TABLES=all make test-slow
"""

import os

import numpy as np
import pytest

import isobreach as ib
from oracles import rotation

TABLES, BATCH, SAMPLE = 100, 10, 3
EVERY = 1 if os.environ.get("ISOBREACH_NULL_TABLES") == "all" else 9
COLUMNS, WIDE = (2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 8, 9, 12), {11: 16, 23: 24, 37: 16, 49: 32, 83: 16}
LEAST_ROWS, MOST_ROWS, MOST_ROWS_AT_FIRST = 60, 5_000, 300
MOST_VALUES = 15_000


def correlated(rng, rows, columns):
    return rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns))


def heavy_tailed(rng, rows, columns):
    return rng.standard_t(rng.choice([1.2, 2.0, 3.0]), (rows, columns))


def log_normal(rng, rows, columns):
    return np.exp(rng.standard_normal((rows, columns)) * rng.choice([0.5, 1.5]))


def uniform(rng, rows, columns):
    return rng.uniform(0, rng.choice([1.0, 10.0, 255.0]), (rows, columns))


def jittered(rng, rows, columns):
    """Whole numbers blurred over a whole step."""
    return rng.integers(0, 16, (rows, columns)) + rng.uniform(-0.5, 0.5, (rows, columns))


def blurred(rng, rows, columns):
    """Whole numbers under noise that leaves nothing of them: one in three would be misread, or all."""
    return rng.integers(0, rng.choice([2, 16]), (rows, columns)) + rng.choice([0.5, 1.0]) * rng.standard_normal(
        (rows, columns)
    )


def triangular(rng, rows, columns):
    """Whole numbers blurred by a triangle over two steps."""
    return rng.integers(0, 16, (rows, columns)) + rng.triangular(-1, 0, 1, (rows, columns))


def low_variance(rng, rows, columns):
    return rng.standard_normal((rows, columns)) * 10.0 ** rng.uniform(-6, 2, columns)


def dependent(rng, rows, columns):
    """Fewer dimensions than columns."""
    rank = int(rng.integers(1, columns))
    return rng.standard_normal((rows, rank)) @ rng.standard_normal((rank, columns))


def clusters(rng, rows, columns):
    """Few places, tight or not; the fewest points that span lie on some lattice."""
    centres = rng.standard_normal((int(rng.integers(2, 2 * columns + 3)), columns)) * rng.choice([1.0, 5.0])
    spread = rng.choice([0.0, 1e-9, 1e-4, 1e-2, 0.1])
    return centres[rng.integers(0, len(centres), rows)] + spread * rng.standard_normal((rows, columns))


def nearly_square_clusters(rng, rows, columns):
    """One place more than dimensions, nearly at right angles."""
    steps = np.diag(rng.choice([1.0, 2.0, 3.7], columns) * rng.uniform(0.9, 1.1, columns))
    centres = np.vstack([np.zeros(columns), steps]) + 0.02 * rng.standard_normal((columns + 1, columns))
    spread = rng.choice([0.0, 1e-4, 1e-2])
    return centres[rng.integers(0, len(centres), rows)] + spread * rng.standard_normal((rows, columns))


def tight_clusters(rng, rows, columns):
    """Many tight places, near enough to each other that differences between them are climbed from."""
    centres = rng.standard_normal((int(rng.choice([20, 40, 80])), columns)) * rng.choice([0.7, 1.5, 4.0])
    spread = rng.choice([0.02, 0.05, 0.1, 0.2]) * rng.choice([1.0, 4.0], columns, p=[0.9, 0.1])
    return centres[rng.integers(0, len(centres), rows)] + spread * rng.standard_normal((rows, columns))


def mixture(rng, rows, columns):
    centres = 4 * rng.standard_normal((3, columns))
    widths = rng.uniform(0.2, 2, (3, columns))
    which = rng.integers(0, 3, rows)
    return centres[which] + widths[which] * rng.standard_normal((rows, columns))


def shares(rng, rows, columns):
    """Continuous parts of whole-number totals."""
    totals = rng.integers(20, 200, (rows, 1)) * rng.choice([1.0, 0.1, 0.37])
    return rng.dirichlet(np.ones(columns), rows) * totals


def means(rng, rows, columns):
    """Parts whose mean is a whole number."""
    parts = 5 * rng.standard_normal((rows, columns))
    return parts + (np.rint(parts.mean(axis=1)) - parts.mean(axis=1))[:, None]


def lagged(rng, rows, columns):
    """One series that remembers, its last values side by side."""
    series = np.zeros(rows + columns)
    for time, shock in enumerate(rng.standard_normal(rows + columns - 1)):
        series[time + 1] = 0.8 * series[time] + shock
    return np.stack([series[lag : lag + rows] for lag in range(columns)], axis=1)


def copies(rng, rows, columns):
    """Every row several times."""
    return rng.standard_normal((max(rows // 8, columns + 2), columns))[rng.integers(0, max(rows // 8, 4), rows)]


def skewed_map(rng, rows, columns):
    """Whole numbers behind a map that keeps no angles: a lattice without axes."""
    return rng.integers(0, 10, (rows, columns)) @ rng.standard_normal((columns, columns))


def rounded_to(places):
    def store(rng, values):
        return np.round(values * rng.choice([1.0, 10.0, 100.0]), places)

    return store


def gaussian(rng, rows, columns):
    return rng.standard_normal((rows, columns)) * rng.choice([0.3, 1.0, 8.0])


def fractions(rng, values):
    parts = rng.choice([2.0, 3.0, 4.0, 7.0])
    return np.round(values * parts) / parts


def significant(rng, values):
    digits = rng.integers(2, 6)
    size = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(values), 1e-300))) + 1 - digits)
    return np.round(values / size) * size


def short_floats(rng, values):
    return values.astype(rng.choice(["float32", "float16"]))


# Records, and what publishing does to the rotated table.
FAMILIES = {
    **{
        make.__name__: (make, None)
        for make in (
            gaussian,
            correlated,
            heavy_tailed,
            log_normal,
            uniform,
            jittered,
            blurred,
            triangular,
            low_variance,
            dependent,
            clusters,
            nearly_square_clusters,
            tight_clusters,
            mixture,
            shares,
            means,
            lagged,
            copies,
            skewed_map,
        )
    },
    "rounded to whole numbers": (gaussian, rounded_to(0)),
    "rounded to decimals": (correlated, rounded_to(2)),
    "rounded to fractions": (gaussian, fractions),
    "significant digits or short floats": (
        correlated,
        lambda rng, values: (significant if rng.random() < 0.5 else short_floats)(rng, values),
    ),
}


def released(family, place, *, whole=False):
    """The table of this place in a family; or a twin of its size and motion, of whole numbers and not rounded."""
    rng = np.random.default_rng([sorted(FAMILIES).index(family), place])
    make, store = FAMILIES[family]
    columns = WIDE.get(place, int(rng.choice(COLUMNS)))
    most = min(MOST_ROWS_AT_FIRST if place < SAMPLE else MOST_ROWS, MOST_VALUES / columns)
    rows = int(LEAST_ROWS * (most / LEAST_ROWS) ** (rng.uniform() ** 1.5))
    records = rng.integers(0, 10, (rows, columns)) if whole else make(rng, rows, columns)
    table = records @ rotation(columns, rng).T
    if place % 2:
        table = table + 10 * rng.standard_normal(columns)
    if whole:
        return table
    if store is None and place % 5 == 4:
        store = rounded_to(int(rng.integers(1, 5)))
    return table if store is None else store(rng, table)


def claims(family, places, *, whole=False):
    """Places of a family whose table is claimed, with what is claimed."""
    tables = {place: released(family, place, whole=whole) for place in places}
    found = {place: ib.reconstruct("lattice", table, seed=0, effort=1500) for place, table in tables.items()}
    return {place: (one.path, one.reason) for place, one in found.items() if one.claimed}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_few_continuous_tables_are_not_claimed(family):
    assert claims(family, range(SAMPLE)) == {}
    assert list(claims(family, range(SAMPLE), whole=True)) == list(range(SAMPLE))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, TABLES, BATCH))
@pytest.mark.parametrize("family", FAMILIES)
def test_continuous_tables_are_not_claimed(family, start):
    """Families begin at different places, so that every width and rounding is met whatever is left out."""
    first = sorted(FAMILIES).index(family)
    assert claims(family, [place for place in range(start, start + BATCH) if (place + first) % EVERY == 0]) == {}


def test_the_number_of_tables_is_the_one_stated():
    assert len(FAMILIES) * TABLES == 2_300
    assert len(FAMILIES) * SAMPLE == 69
