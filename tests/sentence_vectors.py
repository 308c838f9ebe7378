# SPDX-License-Identifier: BSD-3-Clause
"""Vectors like those of sentences: length one, a spectrum that decays, topics, near copies."""

import numpy as np


def sentence_vectors(seed, rows, columns=384, *, topics=60, copies=0.0):
    """Cosines of about 0.02 +- 0.12, as small sentence models have them; a share ``copies`` are others, reworded."""
    rng = np.random.default_rng(seed)
    spread = np.arange(1, columns + 1) ** -0.4
    centres = rng.standard_normal((topics, columns)) * spread
    vectors = 0.5 * centres[rng.integers(topics, size=rows)] + rng.standard_normal((rows, columns)) * spread
    vectors += 0.15 * rng.standard_normal(columns) * spread
    count = int(copies * rows)
    if count:
        reworded = vectors[rng.integers(rows - count, size=count)]
        vectors[rows - count :] = reworded + 0.2 * rng.standard_normal((count, columns)) * spread
        vectors = vectors[rng.permutation(rows)]
    vectors = vectors @ np.linalg.qr(rng.standard_normal((columns, columns)))[0]
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
