# SPDX-License-Identifier: BSD-3-Clause
"""Guess the mean of every attribute: a baseline that does not look at the release."""

from isobreach.attacks.baseline import Guess


class ColumnMeans(Guess):
    """The mean of the records that the attacker holds, for every released row."""

    name = "column-means"
    title = "column means"
    guess = "mean"


ATTACK = ColumnMeans()
