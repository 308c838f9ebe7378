# SPDX-License-Identifier: BSD-3-Clause
"""Attacks by name."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress, no_progress
from isobreach._validation import check_choice
from isobreach.attacks.kaplan import kaplan
from isobreach.attacks.known_input.attack import attack
from isobreach.attacks.lattice import lattice_attack
from isobreach.attacks.reconstruction import Knowledge, Reconstruction
from isobreach.blocks import Source
from isobreach.errors import InputError

Attack = Callable[..., Reconstruction]


def known_input(
    released: NDArray[Any] | Source, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
) -> Reconstruction:
    """The known-input attack (``isobreach.attacks.attack``), which also takes its settings; the motion is found out.

    Of what the attacker knows it uses known records and the noise.
    """
    _check_settings("known-input", attack, settings, but=("known", "released", "seed", "progress"))
    if knowledge.known is None:
        raise InputError("knowledge", "must have known records for this attack", "none", "Give Knowledge(known=...).")
    settings.setdefault("motion", "auto")
    settings.setdefault("noise", knowledge.noise)
    result = attack(np.asarray(knowledge.known), released, seed=seed, progress=progress, **settings)
    linked, total = len(result.linkage.linked), len(result.linkage.rows)
    return Reconstruction(
        claimed=linked > 0,
        reason=f"{linked} of {total} known records linked; {result.hidden_dimension} dimensions stay hidden.",
        estimates=result.estimates,
        breach_probability=result.breach_probability,
    )


ATTACKS: dict[str, Attack] = {"known-input": known_input, "lattice": lattice_attack, "kaplan": kaplan}

NEEDS_KNOWN = frozenset({"known-input", "kaplan"})  # attacks that can do nothing without known records


def reconstruct(
    name: str,
    released: NDArray[Any] | Source,
    knowledge: Knowledge | None = None,
    *,
    seed: int | None = None,
    progress: Progress = no_progress,
    **settings: Any,
) -> Reconstruction:
    """Run the attack of a name on a release, with what the attacker knows; ``settings`` are the attack's own."""
    run = ATTACKS[check_choice("name", name, ATTACKS)]
    _check_settings(name, run, settings, but=("released", "knowledge", "seed", "progress"))
    return run(released, Knowledge.of(knowledge), seed=seed, progress=progress, **settings)


def _check_settings(name: str, run: Callable[..., Any], settings: dict[str, Any], *, but: tuple[str, ...]) -> None:
    """Refuse settings that are no arguments of a function, or among some of them."""
    parameters = signature(run).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return  # it checks its settings itself
    allowed = [one.name for one in parameters if one.name not in but]
    for setting in settings:
        if setting not in allowed:
            raise InputError("settings", f"must be those of the {name} attack: {', '.join(allowed)}", repr(setting))
