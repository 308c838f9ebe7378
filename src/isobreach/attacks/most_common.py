# SPDX-License-Identifier: BSD-3-Clause
"""Guess the most common value of every attribute: a baseline that does not look at the release."""

from isobreach.attacks.baseline import Guess


class MostCommon(Guess):
    """The most common value of each attribute among the records that the attacker holds, for every released row."""

    name = "most-common"
    title = "most common values"
    guess = "most common value"


ATTACK = MostCommon()
