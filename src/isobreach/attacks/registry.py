# SPDX-License-Identifier: BSD-3-Clause
"""Attacks by name: those of this package and those of others (entry points of the group ``isobreach.attacks``)."""

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from isobreach import _registry
from isobreach._phrases import left_out
from isobreach._progress import Progress, no_progress
from isobreach.attacks import base
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.document import Document
from isobreach.engine import Engine, as_engine

ATTACKS: _registry.Registry[Attack] = _registry.ATTACKS


def reconstruct(
    name: str,
    released: NDArray[Any] | Engine,
    knowledge: Knowledge | None = None,
    *,
    seed: int | None = None,
    progress: Progress = no_progress,
    studied: Any = None,
    **settings: Any,
) -> Reconstruction:
    """Run the attack of a name on a release.

    Parameters
    ----------
    name
        One of ``ATTACKS``.
    released
        Released rows, m x N.
    knowledge
        What the attacker holds; nothing by default.
    seed
        Makes the attack repeatable.
    progress
        Called as ``progress(label, done, total)``.
    studied
        What the attack's ``study`` gave for this release, noise, seed and settings; None to study it anew.
    settings
        The attack's own. ``noise`` and ``dictionary``, which are knowledge, are taken here too.
    """
    attack = ATTACKS.named("name", name)
    held = {key: settings.pop(key) for key in ("noise", "dictionary") if key in settings}
    known = replace(Knowledge.of(knowledge), **held)
    return base.reconstruct(
        attack, as_engine(released), known, seed=seed, progress=progress, settings=settings, studied=studied
    )


def describe(found: Reconstruction) -> Document:
    """Return what there is to say of a result: what its attack says, and which columns were not used.

    Parameters
    ----------
    found
        What ``reconstruct`` gave back.
    """
    document, missed = ATTACKS[found.asked.attack].describe(found), found.asked.left_out
    return replace(
        document,
        findings=(*document.findings, *left_out(missed)),
        data={**document.data, "left_out": list(missed)},
    )
