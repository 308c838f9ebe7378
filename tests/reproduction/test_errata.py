# SPDX-License-Identifier: BSD-3-Clause
"""The counterexamples of docs/reproduction.md: each erratum of the paper, and what this package does instead."""

import re
from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest

import isobreach as ib
from isobreach.document import Bullets
from isobreach.geometry import breach_probability, fit_motions
from isobreach.reproduction import PaperLinking
from isobreach.reproduction.errata import ERRATA
from oracles import plant, printed_rho, rotation, sphere_points

PAGE = Path(__file__).parents[2] / "docs" / "reproduction.md"

# The paper's example: x1 and x2 are parallel and 1 apart, |x1| = |x3| = |x4| = 2, turned by 90 degrees clockwise.
RECORDS = np.array([[0.0, 2.0], [0.0, 1.0], [-2.0, 0.0], [2.0, 0.0]])
RELEASED = RECORDS @ np.array([[0.0, 1.0], [-1.0, 0.0]]).T


@pytest.mark.parametrize(("h", "printed", "jump"), [(3, pi / 8, 0.21), (4, 4 / (3 * pi), 0.15)])
def test_the_printed_formula_is_not_the_share_of_the_sphere(h, printed, jump):
    """E1: a ball of radius d sqrt(2) around a point of a sphere of radius d holds half of it."""
    points = sphere_points(h, 200_000, np.random.default_rng(h))
    share = (np.linalg.norm(points - np.eye(h)[0], axis=1) <= sqrt(2)).mean()
    assert share == pytest.approx(0.5, abs=4 * sqrt(0.25 / len(points)))
    assert breach_probability(1, 1, h, sqrt(2), "uniform") == pytest.approx(0.5, rel=1e-12)
    assert printed_rho(1, 1, h, sqrt(2) * (1 - 1e-12)) == pytest.approx(printed, abs=1e-9)
    assert printed_rho(1, 1, h, sqrt(2) * (1 + 1e-12)) - printed == pytest.approx(jump, abs=0.005)
    assert breach_probability(1, 1, h, sqrt(2), "published") == pytest.approx(printed, rel=1e-12)


def test_the_printed_formula_errs_by_no_more_than_the_page_says():
    # That "published" is the printed recursion is tested with the formulas.
    reach, hidden = np.linspace(0.01, 1.999, 400), np.arange(2, 101)
    error = np.array(
        [
            breach_probability(1, 1, hidden, s, "published") - breach_probability(1, 1, hidden, s, "uniform")
            for s in reach
        ]
    )
    assert (error[reach < sqrt(2)] <= 1e-12).all()
    assert (error[reach > sqrt(2)] >= -1e-12).all()
    worst = np.abs(error).max(axis=0)
    assert worst[0] < 1e-12
    assert hidden[worst.argmax()] == 3
    assert 0.10 < worst.max() < 0.11


def test_a_small_printed_probability_is_too_small_by_d_over_c():
    """E1: the integrals of sin^(h-2) and sin^(h-1) up to a small angle c/d differ by h/(h-1) d/c."""

    def factor(h, c):
        return breach_probability(1, 1, h, c, "uniform") / breach_probability(1, 1, h, c, "published")

    for h in (3, 4, 12, 16, 40, 90):
        for c in (0.02, 0.05, 0.15, 0.3):
            assert factor(h, c) == pytest.approx(h / (h - 1) / c, rel=0.15 * c**2 + 1e-6)
    named = {(90, 0.3): 3.4, (16, 0.15): 7.1, (12, 0.05): 22}
    for (h, c), said in named.items():
        assert factor(h, c) == pytest.approx(said, rel=0.01)
        assert f"{said:g} at c = {c:g} d and h = {h}" in "\n".join(sentences())


def as_printed(known, released, subset):
    """Algorithm 3 to the letter: how often the counter is raised until the search ends, and the first assignment."""
    found = []

    def extend(assigned):
        if len(assigned) == len(subset):
            found.append(dict(assigned))
            return
        for index in (i for i in subset if i not in assigned):
            for row in range(len(released)):
                if len(found) > 1:
                    return
                kept = np.isclose(np.linalg.norm(known[index]), np.linalg.norm(released[row]))
                apart = all(
                    np.isclose(np.linalg.norm(known[index] - known[i]), np.linalg.norm(released[row] - released[r]))
                    for i, r in assigned.items()
                )
                if row not in assigned.values() and kept and apart:
                    extend({**assigned, index: row})

    extend({})
    return len(found), found


def test_algorithm_3_as_printed_counts_every_order():
    """E2: the one valid assignment of {1, 2} is counted twice, so that the set is taken for not uniquely valid."""
    count, found = as_printed(RECORDS, RELEASED, (0, 1))
    assert count == 2
    assert found[0] == found[1] == {0: 0, 1: 1}
    assert as_printed(RECORDS, RELEASED, (1,)) == (1, [{1: 1}])
    for pair in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
        assert as_printed(RECORDS, RELEASED, pair)[0] > 1
    # One next index per level, as here, gives what the paper's text says.
    for cached in (True, False):
        assert PaperLinking(RECORDS[:3], RELEASED, cached_norms=cached).run() == {0: 0, 1: 1}
    linkage = ib.link(
        RECORDS[:3], RELEASED, motion="orthogonal", rule="uniquely-valid", tolerance=0
    )  # these whole numbers are exact
    assert linkage.rows.tolist() == [0, 1, -1]


def test_the_second_motion_of_the_example_is_a_reflection():
    """Slips: both rotations by 90 degrees cannot send x1 to y1; the estimates [2, 0] and [-2, 0] are right."""
    clockwise, counter, swap = np.array([[[0.0, 1], [-1, 0]], [[0, -1], [1, 0]], [[0, 1], [1, 0]]])
    assert np.array_equal(RECORDS @ clockwise.T, RELEASED)
    for motion in (clockwise, swap):
        assert np.array_equal(RECORDS[:2] @ motion.T, RELEASED[:2])
    assert np.array_equal(RECORDS[0] @ counter.T, -RELEASED[0])
    assert np.linalg.det(swap) == pytest.approx(-1)
    assert [(motion.T @ RELEASED[3]).tolist() for motion in (clockwise, swap)] == [[2, 0], [-2, 0]]


def test_the_tuple_that_is_fixed_does_not_matter():
    """E3: estimates, and so breaches, are the same; what differs is a length that is not the record's."""
    linked, record, epsilon = np.array([[3.0, 0, 0, 0], [-5.0, 0, 0, 0]]), np.array([0.0, 1, 0, 0]), 0.3
    rng = np.random.default_rng(0)
    turned, translation = rotation(4, rng), rng.normal(0, 10, 4)
    rows, seen = linked @ turned.T + translation, turned @ record + translation
    motions = fit_motions(linked, rows, translates=True)
    breaches = 0
    draws = 6_000
    for _ in range(draws):
        motion = motions.choose(rng)
        estimates = [linked[b] + motion.T @ (seen - rows[b]) for b in (0, 1)]
        assert np.allclose(estimates[0], estimates[1], atol=1e-9)
        breaches += np.linalg.norm(estimates[0] - record) <= epsilon * np.linalg.norm(record)
    residuals = [np.linalg.norm((seen - rows[b]) @ motions.released_hidden) for b in (0, 1)]
    assert np.allclose(residuals, 1)
    by_base = [breach_probability(1, np.linalg.norm(seen - rows[b]), 3, epsilon, "uniform") for b in (0, 1)]
    assert by_base == pytest.approx([0.225, 0.585], rel=1e-9)
    assert breaches / draws == pytest.approx(0.0225, abs=4 * sqrt(0.0225 / draws))


def test_a_record_with_a_copy_is_lost_to_the_papers_rule():
    """E4: two equal rows make two valid assignments of the same point."""
    letter = ib.datasets.load_letter(duplicates=True).values
    values, which, counts = np.unique(letter, axis=0, return_inverse=True, return_counts=True)
    copies = counts[which.reshape(-1)]
    assert (len(letter), len(values), int((copies > 1).sum())) == (20_000, 18_668, 2_177)
    alone, twice = np.flatnonzero(copies == 1), np.flatnonzero(copies == 2)
    known = letter[[*alone[[100, 200, 300]], twice[0]]]
    released, order = plant(letter, np.random.default_rng(1))
    paper = PaperLinking(known.astype(float), released, cached_norms=True).run()
    assert paper == {i: order[alone[place]] for i, place in enumerate((100, 200, 300))}
    linkage = ib.link(known, released, motion="orthogonal")
    assert linkage.status.tolist() == ["linked"] * 4
    assert linkage.rows[3] in order[np.flatnonzero((letter == known[3]).all(axis=1))]


def sentences():
    """All sentences of the errata, one a line."""
    for section in ERRATA:
        yield section.heading
        yield section.lead
        for block in section.blocks:
            yield from block.lines if isinstance(block, Bullets) else [block.text]


def test_every_test_that_the_errata_name_is_here():
    text = "\n".join(sentences())
    named = re.findall(r"\((test_\w+)\)", text)
    assert len(named) == 6
    assert set(named) <= set(globals())
    assert f"tests/reproduction/{Path(__file__).name}" in text
    paths = re.findall(r"tests/[\w/]+\.py", PAGE.read_text(encoding="utf-8"))
    assert len(paths) >= 3
    assert all((PAGE.parents[1] / path).exists() for path in paths)


def test_the_page_has_these_errata():
    page = re.sub(r"\\([*<|\\])", r"\1", PAGE.read_text(encoding="utf-8"))
    assert all(line in page for line in sentences())
