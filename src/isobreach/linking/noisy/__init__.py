# SPDX-License-Identifier: BSD-3-Clause
"""Linking under noise: a few links to start from, then the posterior of every record."""

from isobreach.linking.noisy import law
from isobreach.linking.noisy.likelihood import BELIEVING, Likelihood, Posterior
from isobreach.linking.noisy.problem import NoisyProblem
from isobreach.linking.noisy.seeds import SEEDING, Seeds, seeds
from isobreach.linking.noisy.solution import NoisySolution
from isobreach.linking.noisy.squares import Squares

__all__ = [
    "BELIEVING",
    "SEEDING",
    "Likelihood",
    "NoisyProblem",
    "NoisySolution",
    "Posterior",
    "Seeds",
    "Squares",
    "law",
    "seeds",
]
