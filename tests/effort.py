# SPDX-License-Identifier: BSD-3-Clause
"""How much is tried: a telling part in every run, the rest, and new examples, by ``make test-slow``."""

import os

import pytest
from hypothesis import HealthCheck, settings

# "repeat": the same few examples on every machine; "explore": new ones in each run, and more of them.
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "repeat")
_EXAMPLES = 25
_TIMES = {"repeat": 1, "explore": 4}[PROFILE]


def load_profile():
    """Settings of every property test that is imported from now on."""
    settings.register_profile(
        PROFILE,
        max_examples=_EXAMPLES * _TIMES,
        derandomize=PROFILE == "repeat",
        deadline=None,  # the first call of a kernel may compile it
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile(PROFILE)


def examples(number):
    """So many examples of a property; more of them in exploration."""
    return settings(max_examples=number * _TIMES)


def slow(*cases):
    """These cases of a parameter, each a value, or a tuple of values of several parameters: left to the slow tests."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]


# Of claims that are sampled: two seeds in every run, all eight in the slow tests.
EIGHT_SEEDS = pytest.mark.parametrize("seeds", [range(2), *slow(range(8))], ids=["two", "eight"])
