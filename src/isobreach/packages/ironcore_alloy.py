# SPDX-License-Identifier: BSD-3-Clause
"""Permute the columns and add noise from a ball, as the package ironcore-alloy does in its standalone mode."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from threading import Thread
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._random import RandomSource
from isobreach._settings import setting
from isobreach._validation import check_not_negative
from isobreach.packages.foreign import Foreign, permuted, secret
from isobreach.schemes import Release, ReleaseModel


@dataclass(frozen=True)
class IroncoreAlloy(Foreign):
    """Permute, scale and perturb, as ironcore-alloy does: ``y = s P x + e``, e uniform in a ball, in float32.

    Its standalone vector client, without a service. The ball has radius ``s * beta / 4``. The package is under the AGPL
    and is imported only when a table is released by this scheme.

    Parameters
    ----------
    beta
        Its ``approximation_factor``. By default the square root of the largest entry, where its documents say to start.
    scaled
        Whether s is secret as well (``new_with_scaling_factor``); about 1 otherwise.
    """

    beta: float | None = setting(None, "Distances that differ by more keep their order.", type=float)
    scaled: bool = setting(False, "Multiply all vectors by a secret factor as well.")

    name: ClassVar[str] = "foreign:ironcore-alloy"
    package: ClassVar[str] = "ironcore-alloy"
    module: ClassVar[str] = "ironcore_alloy"
    extra: ClassVar[str] = "packages-agpl"
    least_columns: ClassVar[int] = 2
    model: ClassVar[ReleaseModel] = ReleaseModel("orthogonal", noise="ball", scale=True, permutation=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta is not None:
            check_not_negative("beta", self.beta)

    def protected(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key."""
        n = records.shape[1]
        beta = float(np.sqrt(np.abs(records).max())) if self.beta is None else float(self.beta)
        key, drawn = secret(source, 64), int.from_bytes(secret(source, 3), "big")
        images, scale = permuted(self._encrypted(np.eye(n), 0.0, key, drawn))
        rows = self._encrypted(records, beta, key, drawn)
        return self.keyed(records, rows, images, source, scale=scale, noise=scale * beta / 4 / float(np.sqrt(n + 2)))

    def _encrypted(self, records: NDArray[Any], beta: float, key: bytes, drawn: int) -> NDArray[np.float32]:
        """Return what the package makes of records, in their order; ``drawn`` seeds its noise."""
        from ironcore_alloy import (
            AlloyMetadata,
            PlaintextVector,
            RotatableSecret,
            Secret,
            Standalone,
            StandaloneConfiguration,
            StandaloneSecret,
            StandardSecrets,
            VectorSecret,
        )

        rotatable = RotatableSecret(StandaloneSecret(1, Secret(key)), None)
        made = VectorSecret.new_with_scaling_factor if self.scaled else VectorSecret
        vectors = {"": made(beta, rotatable)}
        configured = StandaloneConfiguration.new_seeded_for_testing(StandardSecrets(None, []), {}, vectors, drawn)
        client, metadata = Standalone(configured).vector(), AlloyMetadata.new_simple("tenant")

        async def encrypted() -> list[list[float]]:
            found = []
            for record in records.tolist():  # one after the other: the order in which noise is drawn counts
                plain = PlaintextVector(plaintext_vector=record, secret_path="", derivation_path="")
                found.append((await client.encrypt(plain, metadata)).encrypted_vector)
            return found

        return np.array(_awaited(encrypted()), dtype=np.float32)


def _awaited(task: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine gives, from a loop in a thread of its own: that of a notebook has a running one."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        return asyncio.run_coroutine_threadsafe(task, loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
