# SPDX-License-Identifier: BSD-3-Clause
"""Naming recovered axes: everything that is settled is true, and in small cases everything that follows is settled."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtri
from scipy.stats import poisson

import isobreach as ib
from effort import examples, slow
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.lattice.matching import edges_in_matchings
from isobreach.attacks.lattice.naming import name_axes
from isobreach.attacks.lattice.regression import AxisRegression
from isobreach.attacks.lattice.two_samples import TwoSamples
from isobreach.errors import InputError


class Planted:
    """A table behind an unknown order, signs and offsets of its columns; ``unknown`` are given NaN steps."""

    def __init__(self, table, rng, *, origin_known=True, steps=None, padding=0):
        table = np.asarray(table, dtype=float)
        rows, attributes = table.shape
        axes = attributes + padding
        wide = np.hstack([table, np.zeros((rows, padding))])
        self.table, self.origin_known = table, origin_known
        self.columns = rng.permutation(axes)
        self.signs = rng.choice([-1, 1], axes)
        point = wide[:, self.columns][rng.integers(rows)] * (not origin_known)
        self.values = self.signs * (wide[:, self.columns] - point)
        self.offsets = point
        self.columns = np.where(self.columns < attributes, self.columns, -1)
        self.steps = (np.ones(attributes) if steps is None else np.asarray(steps))[self.columns]
        self.steps[np.ptp(self.values, axis=0) == 0] = np.nan
        self.values[:, np.isnan(self.steps)] = 0.0

    def name(self, **knowledge):
        checked = Knowledge(**knowledge).check(len(self.steps))
        naming = name_axes(self.values, self.steps, self.origin_known, checked)
        assert self.wrong(naming) == []
        return naming

    def wrong(self, naming):
        """Axes of which something untrue is settled."""
        columns = (naming.columns >= 0) & (naming.columns != self.columns)
        signs = (naming.signs != 0) & (naming.signs != self.signs)
        offsets = np.isfinite(naming.offsets) & ~(np.abs(naming.offsets - self.offsets) <= 1e-4 * self.steps)
        return np.flatnonzero(columns | signs | offsets).tolist()


def settled_by_trying_everything(values, known, bounds, *, origin_known, rest_is_constant=False):
    """The same by brute force: all rows of all records, all signed permutations.

    ``rest_is_constant``: attributes without an axis do not vary, and so not among the known records either.
    """
    axes, attributes = values.shape[1], known.shape[1]
    found = [set() for _ in range(axes)]
    for rows in product(range(len(values)), repeat=len(known)):
        for columns in permutations(range(attributes), axes):
            if rest_is_constant and np.ptp(np.delete(known, columns, axis=1), axis=0).any():
                continue
            for signs in product((1, -1), repeat=axes):
                moved = values * signs
                gaps = known[:, columns] - moved[list(rows)]
                offset = np.zeros(axes) if origin_known else gaps[0]
                inside = (moved + offset >= bounds[columns, 0]) & (moved + offset <= bounds[columns, 1])
                if (gaps == offset).all() and inside.all():
                    for j in range(axes):
                        found[j].add((columns[j], signs[j], offset[j]))
    return found


def one(options, place, nothing):
    """What is the same at one place of all options, else that for nothing."""
    several = {option[place] for option in options}
    return several.pop() if len(several) == 1 else nothing


@given(st.data())
def test_edges_in_matchings_are_those_of_all_matchings(data):
    axes = data.draw(st.integers(1, 4))
    attributes = data.draw(st.integers(axes, 5))
    cells = data.draw(st.lists(st.booleans(), min_size=axes * attributes, max_size=axes * attributes))
    allowed = np.array(cells).reshape(axes, attributes)
    expected = np.zeros_like(allowed)
    for columns in permutations(range(attributes), axes):
        if allowed[np.arange(axes), columns].all():
            expected[np.arange(axes), columns] = True
    edges = edges_in_matchings(allowed)
    if not expected.any():
        assert edges is None
    else:
        assert (edges == expected).all()


def test_more_axes_than_attributes_have_no_matching():
    assert edges_in_matchings(np.ones((3, 2), dtype=bool)) is None


@examples(30)
@given(st.data())
def test_settled_is_what_all_explanations_share(data):
    axes = data.draw(st.integers(1, 3))
    attributes = data.draw(st.integers(axes, 3))
    rows = data.draw(st.integers(2, 4))
    count = data.draw(st.integers(1, 2))
    origin_known = data.draw(st.booleans())
    number = st.integers(0, 3)
    table = np.array(data.draw(st.lists(number, min_size=rows * attributes, max_size=rows * attributes)), dtype=float)
    table = table.reshape(rows, attributes)
    records = data.draw(st.lists(st.integers(0, rows - 1), min_size=count, max_size=count))
    high = data.draw(st.sampled_from([3.0, 4.0, np.inf]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    columns, signs = rng.permutation(attributes)[:axes], rng.choice([-1, 1], axes)
    offsets = np.zeros(axes) if origin_known else rng.integers(-2, 3, axes).astype(float)
    values = signs * (table[:, columns] - offsets)
    steps = np.where(np.ptp(values, axis=0) > 0, 1.0, np.nan)
    varies = np.isfinite(steps)
    bounds = np.array([[-high if high == np.inf else 0.0, high]] * attributes)
    # What is missing beside the axes was not recovered.
    wide = np.hstack([values, np.full((rows, attributes - axes), np.nan)])
    steps = np.append(steps, np.full(attributes - axes, np.nan))

    naming = name_axes(wide, steps, origin_known, Knowledge(table[records], None, bounds).check(attributes))

    assert all("only if all of them are in the release" in note for note in naming.notes)
    # Nothing that is false; and, but for the use of what does not vary, everything that is true.
    by_axes, by_all = (
        settled_by_trying_everything(
            values[:, varies], table[records], bounds, origin_known=origin_known, rest_is_constant=rest_is_constant
        )
        for rest_is_constant in (False, axes == attributes)
    )
    for least, most, j in zip(by_axes, by_all, np.flatnonzero(varies), strict=True):
        assert naming.columns[j] in (one(least, 0, -1), one(most, 0, -1))
        assert naming.signs[j] in (one(least, 1, 0), one(most, 1, 0))
        offset = naming.offsets[j] if np.isfinite(naming.offsets[j]) else None
        assert offset in (one(least, 2, None), one(most, 2, None)) or not (naming.signs[j] or origin_known)
        assert naming.signs[j] or origin_known or offset is None
    assert (naming.columns[axes:] == -1).all()


DRAWS = pytest.mark.parametrize("seeds", [range(5), *slow(range(20))])


@pytest.fixture(scope="module")
def letter():
    return ib.datasets.load("letter").values.astype(float)


def draws(table, seeds, records, what, **planted):
    """Namings of planted tables with so many random records as ``what``, and bounds where asked for."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        hidden = Planted(table, rng, **planted)
        yield hidden, {what: table[rng.choice(len(table), records, replace=False)]}


@DRAWS
def test_four_known_records_name_all_axes_of_letter(letter, seeds):
    namings = [hidden.name(**knowledge) for hidden, knowledge in draws(letter, seeds, 4, "known")]
    assert sum(naming.complete for naming in namings) >= 0.9 * len(seeds)
    best = next(naming for naming in namings if naming.complete)
    assert best.column_by == best.sign_by == ("known records",) * 16
    assert best.offset_by == ("origin",) * 16
    assert (best.offsets == 0).all()
    assert best.left() is None


@DRAWS
def test_behind_a_translation_bounds_that_are_reached_replace_the_origin(letter, seeds):
    namings = [
        hidden.name(bounds=(0, 15), **knowledge)
        for hidden, knowledge in draws(letter, seeds, 4, "known", origin_known=False)
    ]
    assert sum(naming.complete for naming in namings) >= 0.8 * len(seeds)
    assert sum("known records" in naming.offset_by for naming in namings) >= 0.8 * len(seeds)


def test_behind_a_translation_differences_place_the_known_records(letter):
    """Distances alone leave the records of these draws open: it takes the sizes of all differences."""
    namings = [hidden.name(**knowledge) for hidden, knowledge in draws(letter, (2, 3), 4, "known", origin_known=False)]
    assert all(naming.complete for naming in namings)


@pytest.mark.parametrize("columns", [40, *slow(100)])
def test_many_axes_of_few_values(columns):
    """Columns of zeros and ones: a row is told by its neighbours, a column by many records."""
    rng = np.random.default_rng(5)
    table = rng.random((800, columns)) < rng.uniform(0.2, 0.8, columns)
    hidden = Planted(table, rng)
    naming = hidden.name(known=table[:30].astype(float))
    assert naming.complete


def test_non_negative_values_have_a_sign_but_no_column(letter):
    naming = Planted(letter, np.random.default_rng(0)).name(bounds=(0, np.inf))
    assert naming.sign_by == ("bounds",) * 16
    assert (naming.columns == -1).all()
    assert naming.left() == "the attribute of 16 of 16 axes is open"


def test_bounds_settle_no_offset_while_the_sign_is_open():
    """Both signs fit a range: an offset that goes with one of them says nothing of the other."""
    table = np.array([[0, 5, 3], [4, 7, 9], [2, 6, 4]])
    hidden = Planted(table, np.random.default_rng(0), origin_known=False)
    hidden.offsets = np.array([2.0, 6.0, 5.0])[hidden.columns]
    hidden.values = hidden.signs * (table[:, hidden.columns] - hidden.offsets)
    ranges = np.array([[0.0, 4.0], [5.0, 7.0], [3.0, 9.0]])
    naming = hidden.name(bounds=ranges)
    assert set(naming.column_by) == {"bounds"}
    assert (naming.signs == 0).all()
    assert naming.offset_by == ("",) * 3
    assert naming.left() == "the sign of 3 of 3 axes and the offset of 3 of 3 axes are open"
    naming = hidden.name(bounds=ranges, known=table[[0, 2]])
    assert set(naming.column_by) == {"bounds"}
    assert set(naming.sign_by) == {"known records"}
    assert naming.complete


def test_attributes_that_are_equal_on_the_known_records_stay_open_between_each_other(letter):
    twins = letter[np.flatnonzero(letter[:, 3] == letter[:, 9])]
    naming = Planted(letter, np.random.default_rng(3)).name(known=twins[[5, 100, 200, 300, 400, 500]])
    hidden = Planted(letter, np.random.default_rng(3))
    assert set(hidden.columns[naming.columns == -1]) == {3, 9}
    assert (naming.signs != 0).all()
    assert naming.left() == "the attribute of 2 of 16 axes is open"
    both = hidden.name(known=twins[[5, 100, 200, 300, 400, 500]], sample=letter[::18])
    assert both.complete
    assert sorted(set(both.column_by)) == ["known records", "sample"]


def test_an_attribute_that_is_zero_in_all_known_records_has_no_sign():
    rng = np.random.default_rng(4)
    table = rng.integers(1, 50, (300, 4))
    table[:3, 2] = 0
    hidden = Planted(table, rng)
    naming = hidden.name(known=table[:3])
    assert (naming.columns >= 0).all()
    assert np.flatnonzero(naming.signs == 0).tolist() == np.flatnonzero(hidden.columns == 2).tolist()
    assert hidden.name(known=table[:3], bounds=(0, 50)).complete


def test_known_records_that_are_not_in_the_release_settle_nothing(letter):
    hidden = Planted(letter, np.random.default_rng(0))
    known = letter[[3, 500, 9000]] + [[0], [0], [1]]
    naming = hidden.name(known=known, bounds=(-1, 17))
    assert (naming.columns == -1).all()
    assert not naming.signs.any()
    assert naming.column_by == ("",) * 16
    assert naming.refuted_by == "known records"
    assert "the known records fit into no rows of the grid" in naming.notes[0]


def test_bounds_that_do_not_hold_settle_nothing(letter):
    hidden = Planted(letter, np.random.default_rng(0))
    naming = hidden.name(known=letter[:4], bounds=(0, 14))
    assert (naming.columns == -1).all()
    assert naming.refuted_by == "bounds"
    assert naming.notes[0].startswith("the bounds do not hold")


def test_padding_is_named_by_no_attribute(letter):
    for origin_known in (True, False):
        hidden = Planted(letter[:3000, :9], np.random.default_rng(6), padding=3, origin_known=origin_known)
        naming = hidden.name(known=letter[:12, :9])
        assert naming.complete
        assert (naming.columns == hidden.columns).all()
        assert np.isnan(naming.offsets[hidden.columns == -1]).all()


def test_a_release_of_more_axes_than_attributes_is_not_named(letter):
    hidden = Planted(letter[:500], np.random.default_rng(6))
    naming = hidden.name(known=letter[:6, :15])
    assert (naming.columns == -1).all()
    assert "more axes than there are attributes" in naming.notes[0]


@pytest.mark.parametrize("origin_known", [True, False])
def test_attributes_that_do_not_vary_leave_the_others_to_be_named(letter, origin_known):
    """Their value is in the known records, and so in their norms, but not along any axis."""
    table = letter[:4000].copy()
    table[:, [2, 7]] = 11, 4
    hidden = Planted(table, np.random.default_rng(8), origin_known=origin_known)
    assert np.isnan(hidden.steps).sum() == 2
    naming = hidden.name(known=table[100:108])
    assert naming.complete
    assert (naming.columns[np.isnan(hidden.steps)] == -1).all()


def test_axes_that_were_not_recovered_leave_the_others_to_be_named(letter):
    hidden = Planted(letter, np.random.default_rng(9))
    lost = [1, 12, 13]
    hidden.steps[lost], hidden.values[:, lost] = np.nan, np.nan
    naming = hidden.name(known=letter[1000:1010])
    assert naming.complete
    assert (naming.columns[lost] == -1).all()


def test_without_lost_axes_and_the_origin_known_records_say_nothing_and_this_is_said(letter):
    hidden = Planted(letter, np.random.default_rng(9), origin_known=False)
    hidden.steps[3], hidden.values[:, 3] = np.nan, np.nan
    naming = hidden.name(known=letter[:5])
    assert (naming.columns == -1).all()
    assert "too many rows" in naming.notes[0]


@pytest.mark.parametrize("decimals", [4, *slow(None)])
def test_steps_that_differ_and_records_that_were_rounded(letter, decimals):
    """A standardised table: the attacker's records may have fewer digits than the steps."""
    spread = letter.std(axis=0)
    table = (letter - letter.mean(axis=0)) / spread
    given_ = table if decimals is None else table.round(decimals)
    for origin_known in (True, False):
        hidden = Planted(table, np.random.default_rng(10), origin_known=origin_known, steps=1 / spread)
        naming = name_axes(
            hidden.values, hidden.steps, origin_known, Knowledge(known=given_[:9], sample=given_[::30]).check(16)
        )
        assert naming.complete
        assert naming.notes == ()
        assert (naming.columns == hidden.columns).all()
        assert (naming.signs == hidden.signs).all()
        assert (np.abs(naming.offsets - hidden.offsets) < 1e-4).all()


def test_a_step_excludes_attributes_off_its_grid():
    rng = np.random.default_rng(11)
    table = rng.integers(0, 9, (200, 3)) * [1.0, 0.5, 0.3]
    naming = Planted(table, rng, steps=[1.0, 0.5, 0.3], origin_known=False).name(sample=table[:15])
    assert (naming.columns >= 0).all()
    assert "sample" in naming.column_by
    assert "tell nothing about distributions" in naming.notes[0]


@pytest.mark.parametrize("origin_known", [True, *slow(False)])
def test_a_sample_of_two_hundred_records(letter, origin_known):
    """Origin known: everything. Behind a translation shapes alone tell: some, and nothing wrong."""
    namings = [
        hidden.name(**knowledge)
        for hidden, knowledge in draws(
            letter, range(50, 54 if origin_known else 51), 200, "sample", origin_known=origin_known
        )
    ]
    assert sum(naming.complete for naming in namings) >= (3 if origin_known else 0)
    assert all((naming.columns >= 0).sum() >= (14 if origin_known else 1) for naming in namings)
    assert {by for naming in namings for by in naming.column_by} <= {"sample", ""}


def test_a_sample_of_a_thousand_records_names_everything_behind_a_translation(letter):
    for hidden, knowledge in draws(letter, (60, 61), 1000, "sample", origin_known=False):
        naming = hidden.name(**knowledge)
        assert naming.complete
        assert naming.offset_by == ("sample",) * 16


@pytest.mark.parametrize("count", [200, *slow(50, 1000)])
def test_attributes_of_one_distribution_stay_open(count):
    rng = np.random.default_rng(count)
    for _ in range(3):
        population = rng.binomial(10, 0.3, (4000 + count, 6))
        population[:, 5] = rng.integers(20, 60, len(population))
        hidden = Planted(population[count:], rng)
        naming = hidden.name(sample=population[:count])
        assert set(hidden.columns[naming.columns == -1]) == {0, 1, 2, 3, 4}
        assert (naming.signs != 0).all()


@pytest.mark.parametrize("count", [200, *slow(50, 1000)])
def test_the_sign_of_a_symmetric_attribute_stays_open(count):
    rng = np.random.default_rng(count)
    for _ in range(3):
        population = np.stack(
            [
                rng.integers(-5, 6, 4000 + count),
                rng.binomial(200, 0.5, 4000 + count) - 100,
                rng.poisson(30, 4000 + count),
            ],
            axis=1,
        )
        hidden = Planted(population[count:], rng, origin_known=False)
        naming = hidden.name(sample=population[:count])
        symmetric = hidden.columns != 2
        assert not naming.signs[symmetric].any()
        assert count < 1000 or (naming.columns >= 0).all()


def test_columns_that_mirror_each_other_are_settled_together_or_not_at_all():
    """Two symmetric columns that rise together: the sample knows that their signs are equal, but neither of them."""
    rng = np.random.default_rng(12)
    population = rng.integers(-6, 7, (3000, 1)) + np.stack([rng.integers(-1, 2, 3000), rng.integers(-9, 10, 3000)], 1)
    naming = Planted(population[500:], rng).name(sample=population[:500])
    assert (naming.columns >= 0).all()
    assert not naming.signs.any()


@pytest.mark.parametrize("origin_known", [True, False])
def test_attributes_of_very_different_range(origin_known):
    """Offsets of a wide one are too many to test one by one: it stays possible with all of them."""
    rng = np.random.default_rng(15)
    for _ in range(4):
        age = rng.integers(18, 80, 3300)
        table = np.stack(
            [age, rng.integers(0, 9000, 3300) * 3 + 40 * age, rng.poisson(2, 3300), rng.poisson(age * 40)], axis=1
        )
        hidden = Planted(table[300:], rng, origin_known=origin_known)
        naming = hidden.name(sample=table[:300])
        assert (naming.columns >= 0).all()
        assert naming.complete == origin_known


def test_a_contradiction_leaves_options_that_are_too_many_to_try():
    """Alike by themselves; two rise together and fill their bounds, of the third no offset can be tried."""
    rng = np.random.default_rng(16)
    first = rng.integers(0, 4001, 4000)
    second = np.clip(first + rng.integers(-300, 301, 4000), 0, 4000)
    table = np.stack([first, second, rng.permutation(first)], axis=1)
    table[:2] = [[0, 0, 0], [4000, 4000, 4000]]
    hidden = Planted(table, rng, origin_known=False)
    naming = hidden.name(sample=table[100:700], bounds=[[0, 4000], [0, 4000], [-np.inf, np.inf]])
    assert naming.notes == ()
    assert hidden.columns[naming.columns >= 0].tolist() == [2]


def test_a_sample_of_other_people_settles_nothing(letter):
    naming = Planted(letter, np.random.default_rng(13)).name(sample=(letter[:300] + 3) % 16)
    assert (naming.columns == -1).all()
    assert naming.notes == ("the sample is not distributed like the release, so it settles nothing",)


def test_a_sample_of_other_people_leaves_what_records_settle(letter):
    naming = Planted(letter, np.random.default_rng(13)).name(known=letter[:5], sample=letter[:300] + 0.37)
    assert naming.complete
    assert set(naming.column_by) == {"known records"}


def test_tables_of_different_width_are_refused(letter):
    with pytest.raises(InputError, match="sample"):
        Planted(letter, np.random.default_rng(0)).name(known=letter[:3], sample=letter[:50, :9])


def test_without_knowledge_nothing_is_settled_but_the_origin(letter):
    naming = Planted(letter[:100], np.random.default_rng(0)).name()
    assert naming.left() == "the attribute of 16 of 16 axes and the sign of 16 of 16 axes are open"
    naming = Planted(letter[:100], np.random.default_rng(0), origin_known=False).name()
    assert naming.left().startswith("the attribute of 16 of 16 axes, the sign of 16 of 16 axes and the offset of 16")


def test_nothing_varies():
    naming = name_axes(np.zeros((5, 3)), np.full(3, np.nan), True, Knowledge(known=np.ones((1, 3))).check(3))
    assert naming.left() is None
    assert (naming.columns == -1).all()


def test_known_records_beside_bounds_that_are_reached_by_some_attributes_only(letter):
    bounds = np.array([[0, 15]] * 8 + [[-3, 30]] * 8)
    hidden = Planted(letter, np.random.default_rng(2), origin_known=False)
    assert hidden.name(known=letter[[1, 700, 5000, 9000, 12000]], bounds=bounds).complete


def chances_beyond(records, masses, levels, unit=0.1, most=130.0):
    """Exact chance of a G^2 beyond its chi-square level, over that level: Poisson counts, given their sum."""
    places = int(most / unit)
    chance = np.zeros((records + 1, places + 1))
    chance[0, 0] = 1.0
    count = np.arange(records + 1)
    for mass in masses:
        mean = records * mass
        part = 2 * (count * np.log(np.maximum(count, 1) / mean) - count + mean)
        weight, place = poisson.pmf(count, mean), np.minimum(np.rint(part / unit).astype(int), places)
        after = np.zeros_like(chance)
        for k in count[weight > 1e-40]:
            shift, moved = place[k], chance[: records + 1 - k] * weight[k]
            after[k:, shift:places] += moved[:, : places - shift]
            after[k:, places] += moved[:, places - shift :].sum(axis=1)
        chance = after
    tail = chance[records][::-1].cumsum()[::-1] / poisson.pmf(records, records)
    return [tail[int(np.ceil(chdtri(len(masses) - 1, level) / unit))] / level for level in levels]


@pytest.mark.parametrize(
    ("records", "masses"),
    [(20, [0.5, 0.5]), (50, [0.2] * 5), (50, [0.1] * 3 + [0.3, 0.4]), (120, [1 / 24] * 8 + [1 / 6] * 4)],
)
def test_the_chi_square_distribution_holds_far_out(records, masses):
    assert max(chances_beyond(records, masses, (1e-6, 1e-8, 1e-10))) < 2.5


@pytest.mark.parametrize("records", [20, 200])
def test_draws_from_one_distribution_are_told_apart_as_often_as_said(letter, records):
    rng = np.random.default_rng(records)
    samples = letter[rng.integers(len(letter), size=(records, 600))]
    rate = np.mean([TwoSamples(letter[:, j], records, 1e-2, 1e-4).differ(samples[:, :, j]) for j in range(16)])
    assert rate < 1e-2


def test_what_is_left_has_one_distribution_in_rows_and_records_however_bad_the_fit(letter):
    """Fitted to few rows, on many terms: what is left of the fitted rows themselves would be far too small."""
    rng = np.random.default_rng(14)
    differ = []
    for _ in range(3):
        rows = letter[rng.choice(len(letter), 400, replace=False)]
        records = letter[rng.choice(len(letter), 2000, replace=False)]
        regression = AxisRegression(rows)
        of_rows, of_records = regression.given(np.arange(15), records)
        beside = of_rows[:, 15], of_records[:, 15]
        tests = TwoSamples(regression.rows[:, 15] - beside[0], 2000, 1e-4, 1e-4, beside)
        differ.append(tests.differ((records[:, 15] - beside[1])[:, None])[0])
    assert not any(differ)


def test_what_is_explained_of_an_axis_does_not_depend_on_itself(letter):
    regression = AxisRegression(letter)
    records = letter[:50].copy()
    before = regression.given(np.array([2, 5, 7]), records)[1]
    records[:, 5] += 1
    after = regression.given(np.array([2, 5, 7]), records)[1]
    assert (before[:, 5] == after[:, 5]).all()
    assert (before[:, 2] != after[:, 2]).any()
