# SPDX-License-Identifier: BSD-3-Clause
"""Linking under noise: a few links to start from, then the posterior of every record."""

from isobreach.linking.noisy.likelihood import MOST_PRESENT, PRESENT, Likelihood
from isobreach.linking.noisy.problem import NoisyProblem, NoisySolution

__all__ = ["MOST_PRESENT", "PRESENT", "Likelihood", "NoisyProblem", "NoisySolution"]
