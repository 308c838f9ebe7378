# SPDX-License-Identifier: BSD-3-Clause
"""An audit by name, with everything that the public function has no argument for."""

from inspect import signature

import isobreach as ib
from isobreach import audits
from isobreach._random import generator
from isobreach.audits.study import WATCHED

_NAMES = ("scheme", "epsilon", "coalition_sizes", "trials", "level", "tolerance", "noise_levels", "target")
_DEFAULTS = {name: signature(ib.audit).parameters[name].default for name in _NAMES}


def settings(**asked):
    return audits.Settings.checked(**{**_DEFAULTS, "others": (), "rows_known": False, **asked})


def orders(total, seed, trials, size):
    """The random coalitions of an audit with that seed, in their order."""
    draws = generator(seed, "coalition")
    return [draws.choice(total, min(total, size + WATCHED), replace=False)[:size] for _ in range(trials)]


def audit(records, *, seed=None, progress=lambda *_: None, store=None, threads=None, **asked):
    return audits.audit(records, settings(**asked), seed=seed, progress=progress, store=store, threads=threads)
