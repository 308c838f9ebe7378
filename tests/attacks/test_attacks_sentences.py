# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of an attack agree with its figures and with one another."""

import numpy as np
import pytest

import isobreach as ib

MODEL = "model-based"


@pytest.fixture(scope="module")
def rigid():
    rng = np.random.default_rng(0)
    records = rng.normal(0, 1, (80, 5)) * [30, 8, 3, 1, 0.3] + [60, 20, 5, 0, 0]
    return records, ib.perturb(records, "rigid", seed=1).data


def test_where_every_figure_is_certain_none_is_called_a_model(rigid):
    """A claim of 1 holds for every hidden direction: the length, which a translation hides, does not matter to it."""
    records, released = rigid
    result = ib.attack(records[:4], released, epsilon=0.5, seed=0)
    assert result.hidden_dimension == 2
    assert (result.breach_probability == 1).all()
    said = result.summary()
    assert "certain" in said
    assert MODEL not in said
    assert "too high" not in said


def test_where_everyone_is_breached_the_verdict_says_so_and_nothing_doubts_it(rigid, tmp_path):
    """The most exposed record was named, of 373 that were all read; and "probabilities are lower bounds"."""
    records, released = rigid
    result = ib.attack(records[:6], released.round(6), epsilon=0.2, seed=0)
    assert (result.hidden_dimension, result.kind) == (0, "lower bound")
    said = result.summary()
    assert said.startswith("With 6 linked records every other record can be estimated within 20% of its length, with")
    assert "lower bound" not in said
    result.to_html(tmp_path / "page.html")
    assert "Certain, given the links." in (tmp_path / "page.html").read_text()


def test_a_certainty_beside_models_is_said_to_be_none_of_them(rigid, tmp_path):
    records, released = rigid
    result = ib.attack(records[:3], released, epsilon=0.12, seed=0)
    claims = np.delete(result.breach_probability, result.linked_rows)
    assert (claims == 1).any()
    assert (claims < 1).any()
    said = result.summary()
    assert "A probability of 1 holds whatever the hidden part of the record is. The others are model-based" in said
    result.to_html(tmp_path / "page.html")
    assert "but for those of 1, which are certain" in (tmp_path / "page.html").read_text()


def test_without_a_certainty_all_are_model_based(rigid):
    records, released = rigid
    said = ib.attack(records[:3], released, epsilon=0.001, seed=0).summary()
    assert "hides the records' lengths: probabilities are model-based" in said


def test_links_that_need_the_records_to_be_there_are_not_called_certain():
    """Where chance alone could have made the matches, the same page must not say both."""
    rng = np.random.default_rng(1)
    records = rng.integers(0, 16, (200, 6)).astype(float)
    released = ib.perturb(records, "rigid", seed=1).data
    said = ib.attack(records[:3], released, motion="rigid", seed=0).summary()
    assert "The links hold only if the known records are in the release" in said
    assert "3 of 3 known records linked to a released row;" in said


def test_near_certainty_behind_a_translation_is_no_certainty():
    """1 - 1e-30 rounds to 1, which would be called certain; a direction that fails is left."""
    norm, offset = np.sqrt(1.9215), 0.96  # an estimate at -0.95 d: all but a cap of a sphere in 60 dimensions
    assert 0.9999 < ib.breach_probability(1.0, norm, 60, 1.0, offset=offset) < 1
    assert ib.breach_probability(1.0, norm + 0.01, 60, 1.0, offset=offset) == 1
