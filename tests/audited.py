# SPDX-License-Identifier: BSD-3-Clause
"""An audit by name, with everything that the public function has no argument for."""

from inspect import signature

import numpy as np

import isobreach as ib
from isobreach import audits
from isobreach._random import generator
from isobreach.audits.coalition_trials import WATCHED
from isobreach.geometry import row_norms
from isobreach.linking import Linkage
from isobreach.release import EXACT

_NAMES = ("scheme", "epsilon", "coalition_sizes", "trials", "level", "tolerance", "noise_levels")
_DEFAULTS = {name: signature(ib.audit).parameters[name].default for name in _NAMES}


def settings(**asked):
    target = audits.Criterion.checked(asked.pop("target", 0.05), asked.pop("criterion", audits.SHARE))
    usual = {"attackers": (), "rows_known": False, "samples": (), "splits": 0, "criterion": None, "target": target}
    return audits.Settings.checked(**{**_DEFAULTS, **usual, **asked})


def orders(total, seed, trials, size):
    """The random coalitions of an audit with that seed, in their order."""
    draws = generator(seed, "coalition")
    return [draws.choice(total, min(total, size + WATCHED), replace=False)[:size] for _ in range(trials)]


def given(release, insiders, noise):
    """The linkage of insiders who know their own rows."""
    rows = release.key.order[insiders]
    return Linkage(
        rows=rows,
        status=np.full(len(rows), "linked", dtype="U9"),
        candidates=tuple(row[None] for row in rows),
        complete=True,
        chance=None,
        precision=EXACT,
        radius=EXACT.radius(row_norms(release.data[rows]), release.data.shape[1]),
        rule="backbone",
        motion="orthogonal",
        noise=noise,
    )


def audit(records, *, seed=None, progress=lambda *_: None, store=None, threads=None, **asked):
    return audits.audit(records, settings(**asked), seed=seed, progress=progress, store=store, threads=threads)
