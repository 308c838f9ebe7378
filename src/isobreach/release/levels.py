# SPDX-License-Identifier: BSD-3-Clause
r"""A release whose coordinates take a few values only: stored in 8 bits or fewer, or by a codebook.

Whole numbers in -128..127, the same times a scale, and the 16 values of a 4-bit codebook have no decimals to read. What
they have is *levels*: all coordinates together take few values. Rounding to these is taken as noise.

Many levels: within a cell of width w, half-way to the neighbours, the error is about uniform: variance w^2 / 12.

Few, and the first and last of many: the error depends on what is rounded, and large values are cut off. A rotated
coordinate is nearly normal, so that the frequencies of the levels c_k show between which quantiles of a normal variable
x they stand. With m_k and v_k the mean and variance of x within a cell and p_k its frequency,

    g = sum p_k c_k m_k,      error variance = sum p_k ((c_k - c - g m_k)^2 + g^2 v_k)

(c the mean level): the level is g x plus an error that is not correlated with x (Bussgang 1952). Where levels are the
nearest ones, the quantiles are half-way between them, and g over the slope of these on the quantiles is the *gain*:
what becomes of lengths.

Values beyond the last level pile up on it, and may have been anywhere. The density of a rotated coordinate falls
towards its ends, so a first or last level that is fuller than its neighbours holds such values: it is *cut off*.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, pdtrc

from isobreach._arrays import FloatArray


@dataclass(frozen=True)
class Reading:
    """When values are levels.

    Attributes
    ----------
    most
        Levels: those of 12 bits.
    repeated
        Values for each level, at least, on average: a few values repeat in any table.
    few
        Levels up to which the normal law is asked for the error: 6 bits. With more, the law of the coordinates is not
        known well enough, and cells are narrow.
    same
        Share of the largest value within which two values are one: rounding in single precision.
    even
        Share of a step within which gaps between levels are multiples of it.
    beside, piled
        Neighbours of a last level whose mean it is held against, and the probability of so many values at which it is
        fuller than they are. A scale that is taken from the largest value puts one value there, or a few.
    """

    most: int = 4096
    repeated: int = 16
    few: int = 64
    same: float = 2.0**-20
    even: float = 1e-2
    beside: int = 4
    piled: float = 1e-6


READING = Reading()


@dataclass(frozen=True)
class Levels:
    """Values that the coordinates take.

    ``step``: their distance where it is always the same, else 0. ``deviation``: standard deviation of the error of
    rounding to them. ``gain``: what rounding does to lengths. ``count``: how many there are. ``cut_off``: values lie
    beyond the first or the last.
    """

    step: float
    deviation: float
    gain: float
    count: int
    cut_off: bool


def levels_of(values: FloatArray) -> Levels | None:
    """Levels of released values; None where there are too many to be any."""
    flat = values.ravel()
    flat = flat[np.isfinite(flat)]
    largest = float(np.abs(flat).max(initial=0.0))
    if not largest > 0:
        return None
    level, counts = _merged_levels(flat, largest * READING.same)
    if not 2 <= len(level) <= min(READING.most, len(flat) // READING.repeated):
        return None
    share, gaps = counts / len(flat), np.diff(level)
    step = float(gaps.min())
    uneven = np.abs(gaps / step - np.rint(gaps / step))
    step = float(np.median(gaps)) if (uneven <= READING.even).all() and np.median(gaps) < 1.5 * step else 0.0
    error, gain = _by_normal_law(level, share)
    if len(level) > READING.few:
        width = (gaps[1:] + gaps[:-1]) / 2
        # A gap that nothing fell into is no cell.
        error[1:-1] = (np.minimum(width, step) if step else width) ** 2 / 12
    return Levels(step, float(np.sqrt(share @ error)), gain, len(level), _piled(counts) or _piled(counts[::-1]))


def _piled(counts: FloatArray) -> bool:
    """Whether the last level is fuller than those before it, beyond chance."""
    before = counts[-1 - READING.beside : -1]
    return len(before) == READING.beside and bool(pdtrc(counts[-1] - 1, max(float(before.mean()), 1.0)) < READING.piled)


def _merged_levels(values: FloatArray, same: float) -> tuple[FloatArray, FloatArray]:
    """Distinct values, ascending, and how often each occurs; those within ``same`` of the one before are one.

    None are returned where they are far too many: among these, neighbours would merge into chains.
    """
    cells = np.sort(np.rint(values / same).astype(np.int32))  # several times as fast as sorting the values
    starts = np.concatenate([[0], 1 + np.flatnonzero(np.diff(cells))])
    if len(starts) > 4 * READING.most:
        return np.empty(0), np.empty(0)
    ordered = np.sort(values)
    starts = starts[np.diff(ordered[starts], prepend=-np.inf) > 2 * same]
    return ordered[starts], np.diff(starts, append=len(ordered)).astype(np.float64)


def _by_normal_law(level: FloatArray, share: FloatArray) -> tuple[FloatArray, float]:
    """Mean squared error within each cell, and the gain."""
    inner = ndtri(np.cumsum(share)[:-1])
    density = np.concatenate([[0.0], np.exp(-(inner**2) / 2) / np.sqrt(2 * np.pi), [0.0]])
    moment = np.concatenate([[0.0], inner, [0.0]]) * density
    mean = -np.diff(density) / share
    variance = np.maximum(1 - np.diff(moment) / share - mean**2, 0.0)
    centred = level - share @ level
    slope = float(share @ (centred * mean))
    error = (centred - slope * mean) ** 2 + slope**2 * variance
    middles, weight = (level[1:] + level[:-1]) / 2, density[1:-1]
    away = inner - float(weight @ inner / weight.sum())
    spread = float(weight @ away**2)
    nearest = float(weight @ (away * middles)) / spread if spread > 0 else slope
    return error, slope / nearest if nearest > 0 else 1.0
