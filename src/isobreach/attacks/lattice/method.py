# SPDX-License-Identifier: BSD-3-Clause
"""The lattice attack under the protocol that all attacks share."""

from dataclasses import dataclass
from typing import Any

from isobreach._progress import Progress
from isobreach._settings import setting
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.lattice.attack import EFFORT, LatticeReconstruction, lattice_attack
from isobreach.attacks.lattice.describe import LatticeFindings, document
from isobreach.attacks.lattice.reading import Study, study
from isobreach.document import Document
from isobreach.engine import Engine
from isobreach.geometry.lattice import interruptible_fpylll
from isobreach.release import ReleaseModel


@dataclass(frozen=True)
class LatticeSettings:
    """Settings of the lattice attack."""

    effort: int = setting(EFFORT, "Work that the search may do, counted: the same on every machine.")
    budget: float | None = setting(
        None, "Seconds after which no new reduction begins, whatever the effort is.", type=float, metavar="SECONDS"
    )


class Lattice(Attack):
    """Rows of a rotated table of whole numbers or decimals lie on a lattice whose axes are the secret rotation."""

    name = "lattice"
    title = "lattice attack"
    plain = "grid attack"
    explained = (
        "Whole numbers and decimals lie on a grid, and after a rotation on a rotated grid. Lattice reduction finds its "
        "axes, and so the values, without any known record. Names and directions of the columns come from ranges, a "
        "public sample, or insiders' records."
    )
    uses = frozenset({"known", "rows", "sample", "bounds", "noise"})
    settings = LatticeSettings
    packages = ("fpylll", "cysignals")
    keeps_waiting = True
    costly = True
    audited = True
    needs_grid = True

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why the rows cannot lie on a turned grid, or None."""
        return model.unmoved

    def study(
        self, release: Engine, *, noise: float | None, seed: int | None, progress: Progress, **settings: Any
    ) -> Study:
        """Find the axes and check them on every row: all but the names."""
        return study(release, noise=noise, seed=seed, progress=progress, **settings)

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> LatticeReconstruction:
        """Find the axes, check them on every row, name them as far as the knowledge goes."""
        return lattice_attack(release, knowledge, seed=seed, progress=progress, **settings)

    def describe(self, found: Reconstruction) -> Document:
        """Return what was read, what settled it, and what a claim assumes."""
        assert isinstance(found, LatticeReconstruction)
        return document(found)

    def labels(self, found: Reconstruction) -> dict[int, str]:
        """Return the attributes' names, open_1, open_2, ... where they are open, of the columns that were read."""
        assert isinstance(found, LatticeReconstruction)
        return LatticeFindings.of(found).labels

    def interruptible(self) -> bool:
        """Let signals end a reduction, which runs in compiled code."""
        interruptible_fpylll()
        return True
