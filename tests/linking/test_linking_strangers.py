# SPDX-License-Identifier: BSD-3-Clause
"""Strangers among the known records of tables on grids: none is linked by chance, and those present still are."""

import numpy as np
import pytest

from effort import slow
from isobreach.linking import link
from isobreach.linking.chance.strangers import Strangers, log_matches_of_strangers
from isobreach.schemes import perturb

# Rows, columns, values of the coarse ones, known records, strangers among them, scheme: the estimate was too low here.
TABLES = ((20, 4, 2, 7, 7, "orthogonal"), (28, 3, 3, 3, 2, "orthogonal"), (10, 4, 2, 7, 6, "rigid"))


def _draw(rng, rows, columns, values):
    """Small whole numbers, and one column with a decimal."""
    table = rng.integers(0, values, (rows, columns)).astype(float)
    table[:, 0] = np.round(rng.normal(0, 3, rows), 1)
    return table


def _linked(seed, table):
    """(right links, wrong links) of one trial."""
    rows, columns, values, known, strangers, scheme = table
    rng = np.random.default_rng(seed)
    records = _draw(rng, rows, columns, values)
    held = np.vstack([records[: known - strangers], _draw(rng, strangers, columns, values)])
    release = perturb(records, scheme, seed)
    linkage = link(held, release.data)
    original = records[np.argsort(release.key.order)]
    right = [np.array_equal(original[linkage.rows[i]], held[i]) for i in linkage.linked]
    return sum(right), len(right) - sum(right)


@pytest.mark.parametrize("seeds", [range(80, 95), *slow(range(95, 600))])
@pytest.mark.parametrize("table", TABLES)
def test_strangers_that_agree_in_coarse_columns_are_not_linked(table, seeds):
    """One stranger in a thousand may be; more than one in twenty trials had some."""
    wrong = sum(_linked(seed, table)[1] > 0 for seed in seeds)
    assert wrong <= len(seeds) / 500


GRIDS = {  # of whole numbers from 0 to 11: steps that decimals do not show, offsets, values of a list
    "halves": lambda whole: whole / 2,
    "thirds": lambda whole: whole / 3,
    "thirds and an offset": lambda whole: whole / 3 + 0.1234567,
    "roots": np.sqrt,
    "logarithms": np.log1p,
}


@pytest.mark.parametrize("seeds", [range(10), *slow(range(10, 120))])
@pytest.mark.parametrize("asked", [(20, 4, 0, "orthogonal"), (20, 3, 1, "orthogonal"), (10, 4, 1, "rigid")])
@pytest.mark.parametrize("kind", GRIDS)
def test_strangers_on_other_grids_than_decimal_ones_are_not_linked(kind, asked, seeds):
    """Thirds were taken for numbers on no grid: 17 links of strangers in 40 trials."""
    rows, columns, present, scheme = asked
    wrong = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, rows, columns, present, 7])
        whole = rng.integers(0, 12, (rows + 7 - present, columns))
        records, others = GRIDS[kind](whole[:rows]), GRIDS[kind](whole[rows:])
        held = np.vstack([records[:present], others[[not (records == one).all(axis=1).any() for one in others]]])
        release = perturb(records, scheme, seed + 1000)
        linkage = link(held, release.data)
        original = records[np.argsort(release.key.order)]
        wrong += any((original[linkage.rows[i]] != held[i]).any() for i in linkage.linked)
    assert wrong <= len(seeds) / 50


@pytest.mark.parametrize(
    ("table", "least"), [((20, 4, 2, 7, 0, "orthogonal"), 0.7), ((20, 4, 2, 8, 1, "orthogonal"), 0.6)]
)
def test_those_present_are_linked_beside_a_stranger(table, least):
    present = table[3] - table[4]
    assert sum(_linked(seed, table)[0] for seed in range(24)) >= least * 24 * present


def _by_count(known, record, anchors, norms_kept, population):
    """Share of a population that has a record's lengths, and is not the record."""
    fits = (population != known[record]).any(axis=1)
    for origin in ([np.zeros(known.shape[1])] if norms_kept else []) + [known[j] for j in anchors]:
        fits &= np.isclose(((population - origin) ** 2).sum(axis=1), ((known[record] - origin) ** 2).sum())
    return fits.mean()


@pytest.mark.parametrize("norms_kept", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_expected_matches_are_no_fewer_than_a_population_has(seed, norms_kept):
    """Beside true links, a stranger matches as often as records of the whole population have its lengths."""
    rng = np.random.default_rng(seed)
    known, population = _draw(rng, 8, 3, 3), _draw(rng, 200_000, 3, 3)
    records, radius = np.arange(2), np.full(2, 1e-9)
    told = log_matches_of_strangers(known, records, radius, 50, partners=2, norms_kept=norms_kept, scale=1.0)
    for record, log_matches in enumerate(told):
        counted = 50 * _by_count(known, record, [1 - record], norms_kept, population)
        assert counted <= 3 * np.exp(log_matches)


def test_without_a_grid_there_is_nothing_to_count():
    known = np.random.default_rng(0).standard_normal((5, 3))
    told = log_matches_of_strangers(known, np.arange(5), np.full(5, 1e-9), 50, partners=5, norms_kept=True, scale=1.0)
    assert (told == -np.inf).all()


def test_drawn_strangers_are_weighed_back_to_their_law():
    """Half of their values are the record's own, and the weights undo it: they sum to one, column by column too."""
    known = np.array([[0.0, 1.0], [1.0, 1.0], [3.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    strangers = Strangers(known, np.zeros(2, dtype=bool), np.ones(2), held=known)
    shares = [strangers._share(0, value) for value in range(-60, 61)]
    assert sum(shares) == pytest.approx(1.0)
    for record in known:  # its own weights; those of the commonest value are no smaller
        drawn, (most, own), (largest, share) = strangers.around(record)
        assert own.mean() == pytest.approx(1.0, abs=0.05)
        assert own[drawn[:, 0] == 2].sum() / len(drawn) == pytest.approx(strangers._share(0, 2.0), abs=0.03)
        assert share == pytest.approx(strangers._share(0, record[0]) * strangers._share(1, record[1]))
        assert (most >= own).all()
        assert largest == pytest.approx(strangers._share(0, 1.0) * strangers._share(1, 1.0))


@pytest.mark.parametrize("scale", [0.37, 12.0])
def test_a_scale_changes_nothing(scale):
    known = _draw(np.random.default_rng(1), 6, 4, 3)
    asked = {"partners": 4, "norms_kept": False}
    plain = log_matches_of_strangers(known, np.arange(4), np.full(4, 1e-9), 30, scale=1.0, **asked)
    scaled = log_matches_of_strangers(known * scale, np.arange(4), np.full(4, 1e-9 * scale), 30, scale=scale, **asked)
    np.testing.assert_allclose(plain, scaled, rtol=1e-6)


def test_neither_the_order_of_the_links_nor_of_the_others_matters():
    known = _draw(np.random.default_rng(2), 6, 4, 3)
    asked = {"rows": 30, "partners": 4, "norms_kept": True, "scale": 1.0}
    plain = log_matches_of_strangers(known, np.arange(4), np.full(4, 1e-9), **asked)
    turned = log_matches_of_strangers(known[::-1], np.array([2, 3, 4, 5]), np.full(4, 1e-9), **asked)
    np.testing.assert_array_equal(plain, turned[::-1])
