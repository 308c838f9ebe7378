# SPDX-License-Identifier: BSD-3-Clause
"""An attack that plays against one release, and what it holds to guess by."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._progress import no_progress
from isobreach.attacks import Attack, Knowledge, Reconstruction, reconstruct
from isobreach.engine import Engine
from isobreach.errors import InputError
from isobreach.release import ReleaseModel

PLAIN = "as it is"  # estimates as the attack gives them
FITTED = "as fitted"  # how an attack calls those of one of its objectives before anything is done to them


def public_settings(model: ReleaseModel, epsilon: float) -> dict[str, Any]:
    """Settings of attacks that follow from what anyone knows of a scheme, by their names."""
    known = {
        "motion": model.motion if model.moves else None,
        "transform": model.coefficients,
        "noise_kind": model.noise if model.noise in ("components", "multiplicative") else None,
    }
    return {"epsilon": epsilon, **{name: value for name, value in known.items() if value is not None}}


@dataclass(frozen=True, eq=False)
class Player:
    """An attack on one release, which is studied when first needed; ``given``: settings, of which it takes its own."""

    attack: Attack
    release: Engine
    noise: float | None
    seed: int
    given: Mapping[str, Any]

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Those of the given settings that the attack has."""
        own = {one.name for one in fields(self.attack.settings)}
        return {name: value for name, value in self.given.items() if name in own}

    @cached_property
    def studied(self) -> Any:
        """What the release alone gives."""
        settings = self.attack.checked(self.settings)
        return self.attack.study(self.release, noise=self.noise, seed=self.seed, progress=no_progress, **settings)

    def informed(self, knowledge: Knowledge) -> bool:
        """Whether the attack can do anything with such knowledge."""
        return any(knowledge.has(held) for held in self.attack.uses | self.attack.needs | self.attack.needs_any)

    def found(self, knowledge: Knowledge) -> tuple[Reconstruction, dict[str, Any]]:
        """What the attack gives back, and its estimates by what was done to them; an error where it refuses."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nothing linked, or no fit found: a share of 0 says so
            found = reconstruct(
                self.attack.name, self.release, knowledge, seed=self.seed, studied=self.studied, **self.settings
            )
            return found, {PLAIN: found.estimates, **found.variants}

    def tried(self, knowledge: Knowledge) -> tuple[dict[str, Any], str]:
        """Estimates by what was done to them, and why there are none where the attack refuses this release.

        An attack that lacks knowledge has neither: it does not play.
        """
        if self.attack.lacks(knowledge):
            return {}, ""
        try:
            return self.found(knowledge)[1], ""
        except InputError as error:
            return {}, refusal(error)

    def estimates(self, knowledge: Knowledge) -> dict[str, Any]:
        """Estimates by what was done to them; none where the attack lacks knowledge, or refuses this release."""
        return self.tried(knowledge)[0]


def refusal(error: InputError) -> str:
    """Why an attack refuses, as a clause without values."""
    return f"{error.name} {error.rule}"


def filled(estimates: FloatArray, guess: FloatArray | None) -> FloatArray:
    """Attributes without an estimate are guessed at the mean of the records that the attacker holds."""
    if guess is None or estimates.shape[1] != len(guess) or not np.isnan(estimates).any():
        return estimates
    return np.where(np.isnan(estimates), guess, estimates)
