# SPDX-License-Identifier: BSD-3-Clause
"""Insiders of a panel: every column is the same measurement, a step of time later.

A series that forgets at a steady rate has known principal axes: waves, one more in each. They depend on the rate alone,
which the variances of the released axes show, and on how much people differ at the start. The axes belong together in
the order of their variances, and the insiders' own series say which way each of them points.
"""

import numpy as np
from scipy.optimize import minimize

SCHEMES = {"orthogonal", "rigid"}
SUCCEEDS = ("walks", "orthogonal", 2, 0.5)


def covariance(parameters, n):
    """Of a series x(t) = rate * x(t - 1) + shock, with its own variance at the start."""
    rate, shock, start = np.tanh(parameters[0]) * 1.05, *np.exp(parameters[1:])
    lag = np.tril(rate ** np.maximum(np.subtract.outer(np.arange(n), np.arange(n)), 0))
    return (lag * np.r_[start, np.full(n - 1, shock)]) @ lag.T


def estimates(released, *, insiders, rows, motion):
    n = released.shape[1]
    seen, theirs = np.linalg.eigh(np.cov(released.T))

    def misfit(parameters):
        model = np.maximum(np.linalg.eigvalsh(covariance(parameters, n)), 1e-12)
        return (np.log(model) + seen / model).sum()

    guesses = [(rate, np.log(seen.mean()), np.log(seen.mean())) for rate in (0.3, 0.8, 1.5)]
    fits = [minimize(misfit, guess, method="Nelder-Mead", options={"maxiter": 2000}) for guess in guesses]
    ours = np.linalg.eigh(covariance(min(fits, key=lambda fit: fit.fun).x, n))[1]
    here, there = (released[rows].mean(axis=0), insiders.mean(axis=0)) if motion == "rigid" else (0.0, 0.0)
    agree = (((released[rows] - here) @ theirs) * ((insiders - there) @ ours)).sum(axis=0)
    return (released - here) @ theirs @ np.diag(np.where(agree < 0, -1.0, 1.0)) @ ours.T + there
