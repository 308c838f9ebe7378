# SPDX-License-Identifier: BSD-3-Clause
"""A store of real sentence vectors, and what an attacker may hold: candidates, some of them absent, and a sample."""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import FloatArray, IntArray
from isobreach._random import generator
from isobreach._validation import check_integer
from isobreach.datasets.sentences import sentences
from isobreach.datasets.word_vectors import WordVectors
from isobreach.errors import InputError

_SAME = 1e-6  # entries of vectors of length one in single precision: equal up to rounding


@dataclass(frozen=True, eq=False)
class SentenceStore:
    """Sentences and their vectors, dealt at random; no sentence is in two places.

    Attributes
    ----------
    texts, vectors
        All sentences in the order in which they were dealt, and their vectors of length one.
    rows
        How many of them, the first ones, are in the store.
    absent
        How many of the next ones are candidates that are not in the store; the rest are a public sample.
    model
        Which made the vectors.
    """

    texts: tuple[str, ...]
    vectors: FloatArray
    rows: int
    absent: int
    model: WordVectors

    @classmethod
    def drawn(cls, seed: int, rows: int = 3000, absent: int = 500, sample: int = 0) -> "SentenceStore":
        """Return a store dealt by a seed.

        Parameters
        ----------
        seed
            Of the deal.
        rows, absent, sample
            Sentences in the store, absent candidates, and sentences of a public sample.
        """
        for name, count, least in (("rows", rows, 1), ("absent", absent, 0), ("sample", sample, 0)):
            check_integer(name, count, least=least)
        every, model = sentences(), WordVectors()
        wanted = rows + absent + sample
        if wanted > len(every):
            raise InputError("rows", f"must be at most {len(every):,} with absent and sample", f"{wanted:,} in all")
        dealt = generator(seed, "data").permutation(len(every))[:wanted]
        texts = tuple(every[place] for place in dealt.tolist())
        return cls(texts, model.embedded(texts).astype(np.float64), rows, absent, model)

    @property
    def stored(self) -> FloatArray:
        """Vectors of the store."""
        return self.vectors[: self.rows]

    @property
    def sample(self) -> FloatArray:
        """Vectors of the public sample: sentences of the same kind that are not in the store."""
        return self.vectors[self.rows + self.absent :]

    def candidates(self, known: int, present: int) -> IntArray:
        """Return candidates that are in the store, those after the known ones, and all absent ones, mixed.

        Parameters
        ----------
        known
            Sentences at the beginning of the store that are known to be there.
        present
            Candidates that are there as well.
        """
        every = np.concatenate([np.arange(known, known + present), np.arange(self.rows, self.rows + self.absent)])
        return np.random.default_rng(len(every)).permutation(every)  # nothing must show who is absent

    def found(self, places: IntArray, rows: IntArray, order: IntArray) -> tuple[int, int]:
        """Return how many links of sentences to released rows are right, and how many are false.

        A link is right where the row holds the sentence's vector: another sentence may have the same one.

        Parameters
        ----------
        places
            Sentences that were looked for.
        rows
            Released row of each, -1 where none was claimed.
        order
            The owner's: ``order[i]`` is the released row of sentence i.
        """
        claimed = rows >= 0
        behind = np.argsort(order)[rows[claimed]]
        apart = np.abs(self.vectors[places[claimed]] - self.stored[behind]).max(axis=1, initial=0.0)
        right = int((apart <= _SAME).sum())
        return right, len(behind) - right
