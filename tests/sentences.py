# SPDX-License-Identifier: BSD-3-Clause
"""Vectors that are made like sentence embeddings: means of token vectors, of few topics, at length one."""

import numpy as np


def sentence_vectors(count, columns, seed=0, *, topics=40, tokens=1500, dialect=0, model=0):
    """Sentences embedded by a ``model``; another ``dialect`` prefers other topics.

    Token vectors lie around the centres of topics, with a spectrum that decays slowly. A sentence has 5 to 14 tokens of
    one topic or two, drawn by Zipf's law.
    """
    model = np.random.default_rng([12345, model])
    spectrum = 1 / (1 + np.arange(columns)) ** 0.5
    turn = np.linalg.qr(model.standard_normal((columns, columns))).Q
    centres = model.standard_normal((topics, columns)) * spectrum
    topic_of = model.integers(topics, size=tokens)
    words = (centres[topic_of] + model.standard_normal((tokens, columns)) * spectrum + 0.15 * spectrum) @ turn
    often = 1 / (1 + model.permutation(tokens)) ** 0.7
    likes = 1 / (1 + np.roll(np.arange(topics), dialect)) ** 0.6
    rng = np.random.default_rng(seed)
    found = np.empty((count, columns))
    by_topic = [np.flatnonzero(topic_of == one) for one in range(topics)]
    chances = [often[one] / often[one].sum() for one in by_topic]
    for i in range(count):
        two = rng.choice(topics, 2, p=likes / likes.sum())
        sizes = rng.integers(3, 9), rng.integers(2, 6)
        drawn = [rng.choice(by_topic[t], size, p=chances[t]) for t, size in zip(two, sizes, strict=True)]
        found[i] = words[np.concatenate(drawn)].mean(axis=0)
    return found / np.linalg.norm(found, axis=1, keepdims=True)
