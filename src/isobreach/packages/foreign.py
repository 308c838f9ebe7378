# SPDX-License-Identifier: BSD-3-Clause
"""What schemes of other packages share: is the package there, secrets for it, and the key of what it released.

The package protects the rows; the key is read off by protecting unit vectors, through the same functions.
So a key says what was done and not what was meant.
"""

from abc import abstractmethod
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._phrases import place
from isobreach._random import RandomSource
from isobreach.errors import InputError, MissingExtraError
from isobreach.schemes import Key, Release, Scheme


@dataclass(frozen=True)
class Foreign(Scheme):
    """A scheme of another package, which must be installed for the scheme to be made.

    Attributes
    ----------
    package
        Its name on PyPI.
    module
        The module to import.
    extra
        The extra of isobreach that installs it.
    directions
        Whether it scales records to length one, so that records of zeros are refused.
    """

    package: ClassVar[str]
    module: ClassVar[str]
    extra: ClassVar[str] = "packages"
    directions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if find_spec(self.module) is None:
            raise MissingExtraError(f"The scheme {self.name}", self.package, self.extra)

    def check_size(self, records: NDArray[Any]) -> None:
        """Refuse a table that is too small, or that has records without a direction where one is needed."""
        super().check_size(records)
        zero = np.flatnonzero(~records.any(axis=1))
        if self.directions and len(zero):
            rule = f"must have records with a direction for the scheme {self.name}"
            got = f"{len(zero)} of zeros only; the first is {place(int(zero[0]))}"
            raise InputError("X", rule, got, "Leave them out.")

    def release(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return the released rows, shuffled, and their new key; what the package refuses is said in one line."""
        try:
            return self.protected(records, source)
        except InputError:
            raise
        except ImportError as error:  # it is there, and something that it needs is not
            raise MissingExtraError(f"The scheme {self.name}", self.package, self.extra) from error
        except (ArithmeticError, TypeError, ValueError) as error:
            rule = f"must be a table that {self.package} takes"
            raise InputError("X", rule, f"one that it refuses: {type(error).__name__}") from error

    @abstractmethod
    def protected(self, records: NDArray[Any], source: RandomSource) -> Release:
        """Return what the package makes of the records, shuffled, and the new key: see ``release``."""

    def keyed(
        self,
        records: NDArray[Any],
        rows: NDArray[Any],
        images: NDArray[Any],
        source: RandomSource,
        *,
        scale: float = 1.0,
        noise: float = 0.0,
    ) -> Release:
        """Return a release in a secret order, in the precision in which the package writes it.

        Parameters
        ----------
        records
            The table, m x n.
        rows
            Its protected rows, in the order of the records.
        images
            What the package makes of the n unit vectors, before scale and noise: the columns of the rotation.
        source
            Where the order comes from.
        scale, noise
            Factor of all distances; standard deviation of the noise in one released coordinate.
        """
        data, order = self.in_secret_order(rows, source)
        rotation = np.ascontiguousarray(np.asarray(images, dtype=np.float64).T)
        key = Key(self.name, rotation, np.zeros(len(rotation)), order, scale=scale, noise=noise)
        return Release(data, key)


def secret(source: RandomSource, count: int) -> bytes:
    """Return secret bytes, as a package wants its key.

    Parameters
    ----------
    source
        Where they come from.
    count
        How many.
    """
    return (256 * source.random((count,))).astype(np.uint8).tobytes()


def permuted(images: NDArray[Any]) -> tuple[FloatArray, float]:
    """Return the permutation behind images of unit vectors, one one in each row, and the factor of them all.

    Parameters
    ----------
    images
        Of the n unit vectors, without noise.
    """
    factor = float(np.abs(images).max())
    return np.rint(np.asarray(images, dtype=np.float64) / factor), factor
