# SPDX-License-Identifier: BSD-3-Clause
"""Real sentences, their vectors, and the words behind a vector."""

import sys

import numpy as np
import pytest

from isobreach.datasets import SentenceStore, WordVectors
from isobreach.errors import InputError, MissingExtraError

TEXTS = [
    "The patient was diagnosed with diabetes in March and takes insulin twice a day.",
    "Please call me back before the meeting ends.",
    "Our offer for the house was accepted by the bank.",
    "The printer in the second floor is out of paper again.",
]


@pytest.fixture(scope="module")
def model():
    return WordVectors()


def test_vectors_have_length_one_and_words_are_read_back(model):
    """A sentence is the sum of its pieces, so that its vector holds all of them, and nothing else explains it."""
    vectors = model.embedded(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    for text, read in zip(TEXTS, model.words(7.0 * vectors), strict=True):
        assert set(read.words) == set(model.pieces(text))
        assert read.left < 1e-5


def test_a_vector_that_no_sentence_has_is_not_explained(model):
    random = np.random.default_rng(0).standard_normal((3, 256))
    assert min(one.left for one in model.words(random)) > 0.2


def test_a_store_is_dealt_once_and_counts_its_links():
    store, again = (SentenceStore.drawn(seed=5, rows=60, absent=20, sample=30) for _ in range(2))
    assert store.texts == again.texts
    assert (len(store.stored), len(store.sample), len(set(store.texts))) == (60, 30, 110)
    places = store.candidates(known=3, present=10)
    assert sorted(places) == [*range(3, 13), *range(60, 80)]
    order = np.random.default_rng(1).permutation(60)
    rows = np.where(places < 60, order[np.minimum(places, 59)], -1)
    assert store.found(places, rows, order) == (10, 0)
    rows[np.flatnonzero(places >= 60)[:2]] = order[[1, 2]]
    assert store.found(places, rows, order) == (10, 2)
    with pytest.raises(InputError, match=r"rows must be at most \d,\d{3} with absent and sample. Got 1,000,500 in all"):
        SentenceStore.drawn(seed=0, rows=10**6)


def test_without_the_model_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(MissingExtraError, match=r"needs wordllama. Install it in isobreach's .*: pip install .\.\[vec"):
        WordVectors()
