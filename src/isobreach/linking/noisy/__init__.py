# SPDX-License-Identifier: BSD-3-Clause
"""Linking under noise: a few links to start from, then the posterior of every record."""

from isobreach.linking.noisy.likelihood import BELIEVING, Likelihood
from isobreach.linking.noisy.problem import NoisyProblem, NoisySolution

__all__ = ["BELIEVING", "Likelihood", "NoisyProblem", "NoisySolution"]
