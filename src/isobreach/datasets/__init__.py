# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the paper's experiments, Letter Recognition and a Gaussian; real sentences and their vectors."""

from isobreach._validation import check_choice
from isobreach.datasets.dataset import Dataset
from isobreach.datasets.gaussian import gaussian
from isobreach.datasets.letter import load_letter
from isobreach.datasets.sentence_store import SentenceStore
from isobreach.datasets.sentences import sentences
from isobreach.datasets.word_vectors import Read, WordVectors

__all__ = ["Dataset", "Read", "SentenceStore", "WordVectors", "gaussian", "load", "load_letter", "names", "sentences"]

_LOADERS = {"letter": load_letter}


def names() -> tuple[str, ...]:
    """Return the names of the bundled data sets."""
    return tuple(_LOADERS)


def load(name: str) -> Dataset:
    """Return a bundled data set.

    Parameters
    ----------
    name
        One of ``names()``.
    """
    return _LOADERS[check_choice("data set", name, names())]()
