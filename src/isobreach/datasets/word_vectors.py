# SPDX-License-Identifier: BSD-3-Clause
"""Sentence vectors of a real model, and the words behind a vector.

The model is that of the package wordllama: 32,000 pieces of words, 256 numbers each, in the package itself. A sentence
is the mean of its pieces, scaled to length one. So a vector y is, up to a factor, a sum of few columns of a known
matrix E with whole coefficients, c >= 0:

    y ~ E c.

``words`` looks for the sparsest such c by orthogonal matching pursuit with non-negative least squares (Pati, Rezaiifar
and Krishnaprasad 1993): take the piece that agrees best with what is left, fit again, go on until nothing is left. That
nothing is left, and that the coefficients are whole multiples of one number, is proof: 20 pieces of 32,000 that add up
to a given vector in 256 dimensions do not occur by chance. The order of the words is not in the vector.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach.errors import MissingExtraError

_MOST_PIECES = 32  # of a sentence; more cannot be read from 256 numbers
_NOTHING = 1e-8  # a coefficient that small is none
_START = "▁"  # of a piece that begins a word


@dataclass(frozen=True)
class Read:
    """Words read from a vector.

    Attributes
    ----------
    words
        Pieces in the order of their share; a hyphen marks those that do not begin a word.
    left
        Length of what the words do not explain, of a vector of length one.
    """

    words: tuple[str, ...]
    left: float


class WordVectors:
    """The model, loaded from the installed package without a network."""

    def __init__(self) -> None:
        try:
            import wordllama
        except ImportError as error:
            raise MissingExtraError("The model of sentence vectors", "wordllama", "vectors") from error
        # The folder of the package is laid out as its cache is: nothing is downloaded.
        folder = Path(wordllama.__file__).parent
        self._model: Any = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
        self._pieces = np.asarray(self._model.embedding, dtype=np.float64)
        lengths = np.linalg.norm(self._pieces, axis=1, keepdims=True)
        self._units = (self._pieces / np.maximum(lengths, _NOTHING)).astype(np.float32)

    def embedded(self, texts: Any) -> NDArray[np.float32]:
        """Return a vector of length one for each text.

        Parameters
        ----------
        texts
            Sentences.
        """
        return np.asarray(self._model.embed(list(texts), norm=True), dtype=np.float32)

    def words(self, vectors: NDArray[Any], close: float = 1e-4) -> list[Read]:
        """Return the words behind each vector.

        Parameters
        ----------
        vectors
            One a row, of any length but zero.
        close
            Share of the length at which a vector counts as explained, and no further word is looked for.
        """
        from scipy.optimize import nnls  # a large package, for which no other command waits

        rows = np.asarray(vectors, dtype=np.float64)
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        chosen: list[list[int]] = [[] for _ in rows]
        shares: list[FloatArray] = [np.empty(0) for _ in rows]
        left = rows.copy()
        for _ in range(_MOST_PIECES):
            open_ = np.flatnonzero(np.linalg.norm(left, axis=1) > close)
            if not len(open_):
                break
            agree = self._units @ left[open_].T.astype(np.float32)
            for place, row in enumerate(open_.tolist()):
                agree[chosen[row], place] = -np.inf
                tried = [*chosen[row], int(agree[:, place].argmax())]
                fitted, _ = nnls(self._pieces[tried].T, rows[row])
                kept = fitted > _NOTHING
                chosen[row] = [piece for piece, keep in zip(tried, kept.tolist(), strict=True) if keep]
                shares[row] = fitted[kept]
                left[row] = rows[row] - shares[row] @ self._pieces[chosen[row]]
        return [self._read(*one) for one in zip(chosen, shares, np.linalg.norm(left, axis=1).tolist(), strict=True)]

    def pieces(self, text: str) -> tuple[str, ...]:
        """Return the pieces that a text consists of, as ``words`` writes them.

        Parameters
        ----------
        text
            A sentence.
        """
        return tuple(_written(one) for one in self._model.tokenizer.encode(text, add_special_tokens=False).tokens)

    def _read(self, chosen: list[int], shares: FloatArray, left: float) -> Read:
        named = [str(self._model.tokenizer.id_to_token(chosen[place])) for place in np.argsort(-shares, kind="stable")]
        return Read(tuple(_written(one) for one in named), left)


def _written(piece: str) -> str:
    """A piece as people read it: a hyphen before what does not begin a word, but for punctuation."""
    if piece.startswith(_START):
        return piece[1:] or piece
    return f"-{piece}" if piece.isalnum() else piece
