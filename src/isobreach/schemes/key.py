# SPDX-License-Identifier: BSD-3-Clause
"""What the owner keeps: the motion of a release, or whatever else a scheme drew."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray
from isobreach._registry import SCHEMES
from isobreach._validation import check_table
from isobreach.errors import InputError

# A rotation in single precision errs by 1e-7 in R'R, one in double precision by 1e-14. An error above 1e-6 would show
# in the sixth digit of the records that the key gives back.
_ORTHONORMAL = 1e-6


class KeyBase(ABC):
    """What both kinds of key share: how many records, attributes and released columns, their names and the way back."""

    scheme: str
    order: NDArray[np.int64]
    columns: tuple[str, ...] | None
    ids: NDArray[Any] | None
    scale: float
    noise: float

    @property
    @abstractmethod
    def attributes(self) -> int:
        """Number of columns of the table."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of columns of the release."""

    def __repr__(self) -> str:
        rows, columns = len(self.order), self.attributes
        return f"Key(scheme={self.scheme!r}, {rows} records x {columns} columns)"  # never the secret itself

    def invert(self, released: NDArray[Any]) -> FloatArray:
        """Return the records, in their own order; noise stays in them, divided by the scale.

        Parameters
        ----------
        released
            All released rows, m x N.
        """
        released = np.asarray(released)
        check_table("released", released)
        expected = (len(self.order), self.width)
        if released.shape != expected:
            got = " x ".join(map(str, released.shape))
            raise InputError("released", f"must be the table of this key: {expected[0]} x {expected[1]}", got)
        return self.back(released[self.order])

    def secret(self, name: str, *shape: int) -> FloatArray:
        """Return what a scheme drew, in the shape that it expects; a key without it is refused.

        Parameters
        ----------
        name
            By which the scheme calls it.
        shape
            Its size along each axis; -1 for any.
        """
        found = getattr(self, "secrets", {}).get(name)
        if (
            found is None
            or len(found.shape) != len(shape)
            or any(want not in (-1, got) for want, got in zip(shape, found.shape, strict=True))
        ):
            raise InputError("key", f"must hold what the scheme {self.scheme} drew: {name}", "another key")
        return np.asarray(found)

    @abstractmethod
    def moved(self, records: NDArray[Any]) -> FloatArray:
        """Return the images of any records, in their order, before the noise.

        Parameters
        ----------
        records
            As many as you like, n columns.
        """

    @abstractmethod
    def back(self, rows: NDArray[Any]) -> FloatArray:
        """Return the records behind any released rows, in the order of the rows.

        Parameters
        ----------
        rows
            As many as you like, N columns.
        """

    def _check_order(self) -> None:
        order = self.order
        if not isinstance(order, np.ndarray) or order.ndim != 1:
            raise InputError("key", "must have an order of its rows", "another shape")
        if order.dtype.kind not in "iu" or not np.array_equal(np.sort(order), np.arange(len(order))):
            raise InputError("key", "must order the rows 0, 1, ..., each once", "another order")

    def _check_sizes(self) -> None:
        sizes = np.array([self.scale, self.noise])
        if sizes.dtype.kind not in "fiu" or not np.isfinite(sizes).all() or not (self.scale > 0 and self.noise >= 0):
            raise InputError("key", "must have a finite scale > 0 and a finite noise >= 0", "other numbers")

    def _check_names(self) -> None:
        if not (isinstance(self.scheme, str) and self.scheme):
            raise InputError("key", "must name its scheme", "no text")
        for what, names, count in (
            ("column", self.columns, self.attributes),
            ("record", self.ids, len(self.order)),
        ):
            if names is not None and (len(names) != count or np.ndim(names) != 1):
                raise InputError("key", f"must have one name a {what}, {count}, or none", "other names")
        if self.columns is not None and not all(isinstance(name, str) for name in self.columns):
            raise InputError("key", "must name its columns in text", "other names")


@dataclass(frozen=True, eq=False, repr=False)
class Key(KeyBase):
    """Secret of a motion: ``released[order] = scale * X @ rotation.T + translation + noise``.

    Attributes
    ----------
    scheme
        Name of the scheme.
    rotation
        N x n with orthonormal columns: N = n, or more where the release is wider than the records.
    translation
        N numbers.
    order
        ``order[i]`` is the released row of record i.
    columns, ids
        The table's names, kept here because ids must not travel with the release.
    scale
        Factor of all distances.
    noise
        Standard deviation of the noise in one released coordinate; its draws are not kept.
    """

    scheme: str
    rotation: FloatArray
    translation: FloatArray
    order: NDArray[np.int64]
    columns: tuple[str, ...] | None = None
    ids: NDArray[Any] | None = None
    scale: float = 1.0
    noise: float = 0.0

    def __post_init__(self) -> None:
        self._check_shapes()
        if not (_real(self.rotation) and _real(self.translation)):
            raise InputError(
                "key", "must have a rotation and a translation of finite floating-point numbers", "other entries"
            )
        gram = self.rotation.T @ self.rotation
        if np.abs(gram - np.eye(len(gram))).max() > _ORTHONORMAL:
            rule = f"must have a rotation with orthonormal columns, within {_ORTHONORMAL:g}"
            raise InputError("key", rule, "another matrix")
        self._check_order()
        self._check_sizes()
        self._check_names()

    def _check_shapes(self) -> None:
        arrays = (self.rotation, self.translation, self.order)
        shapes = [array.shape for array in arrays if isinstance(array, np.ndarray | np.generic)]
        if len(shapes) < len(arrays) or [*map(len, shapes)] != [2, 1, 1] or shapes[1] != shapes[0][:1]:
            raise InputError("key", "must have a rotation and a translation of its width", "other shapes")
        if not shapes[0][0] >= shapes[0][1] > 0:
            raise InputError("key", "must have a rotation with at least as many rows as columns", "fewer")

    @property
    def attributes(self) -> int:
        """Number of columns of the table."""
        return int(self.rotation.shape[1])

    @property
    def width(self) -> int:
        """Number of columns of the release."""
        return len(self.translation)

    def apply(self, records: NDArray[Any]) -> FloatArray:
        """Return the released rows of the records this key was made for, before the noise.

        Parameters
        ----------
        records
            m x n, in the order in which they were protected.
        """
        released = np.empty((len(records), len(self.translation)))
        released[self.order] = self.moved(records)
        return released

    def moved(self, records: NDArray[Any]) -> FloatArray:
        """Return the images of any records, in their order, before the noise."""
        return np.asarray(self.scale * (records @ self.rotation.T) + self.translation)

    def back(self, rows: NDArray[Any]) -> FloatArray:
        """Return the records behind any released rows, in the order of the rows."""
        if rows.shape[1] != len(self.translation):
            rule = f"must have {len(self.translation)} columns, as the release of this key"
            raise InputError("released", rule, rows.shape[1])
        return np.asarray((rows - self.translation) @ self.rotation / self.scale)


@dataclass(frozen=True, eq=False, repr=False)
class SchemeKey(KeyBase):
    """Secret of a scheme that is no motion: its order, and the arrays that the scheme drew, by name.

    Attributes
    ----------
    scheme
        Name of the scheme, which knows what the secrets mean.
    order
        ``order[i]`` is the released row that stands for record i. Where records become a group, or are mixed, each has
        one of the group's rows.
    shape
        Number of columns of the table, and of the release.
    secrets
        Arrays by name; none for a scheme that keeps nothing but the order.
    columns, ids
        The table's names, kept here because ids must not travel with the release.
    scale
        Factor of all distances.
    noise
        Standard deviation of the noise in one released coordinate, the root mean square over all of them; its draws are
        not kept.
    """

    scheme: str
    order: NDArray[np.int64]
    shape: tuple[int, int]
    secrets: Mapping[str, FloatArray] = field(default_factory=dict)
    columns: tuple[str, ...] | None = None
    ids: NDArray[Any] | None = None
    scale: float = 1.0
    noise: float = 0.0

    def __post_init__(self) -> None:
        self._check_order()
        if len(self.shape) != 2 or not all(isinstance(one, int) and one >= 1 for one in self.shape):
            raise InputError("key", "must have two numbers of columns, whole and >= 1", "other numbers")
        if not all(isinstance(one, np.ndarray) and _real(one) for one in self.secrets.values()):
            raise InputError("key", "must have secrets of finite floating-point numbers", "other entries")
        self._check_sizes()
        self._check_names()

    @property
    def attributes(self) -> int:
        """Number of columns of the table."""
        return self.shape[0]

    @property
    def width(self) -> int:
        """Number of columns of the release."""
        return self.shape[1]

    def moved(self, records: NDArray[Any]) -> FloatArray:
        """Return the images of any records, in their order, before the noise."""
        return np.asarray(SCHEMES.named("scheme", self.scheme).moved(records, self))

    def back(self, rows: NDArray[Any]) -> FloatArray:
        """Return the records behind any released rows, in the order of the rows."""
        if rows.shape[1] != self.width:
            raise InputError("released", f"must have {self.width} columns, as the release of this key", rows.shape[1])
        return np.asarray(SCHEMES.named("scheme", self.scheme).undone(rows, self))


AnyKey = Key | SchemeKey


def _real(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "f" and bool(np.isfinite(array).all())


@dataclass(frozen=True, eq=False)
class Release:
    """A table as it is published, and the key that stays with the owner.

    Attributes
    ----------
    data
        The released rows, in the kind of container that the table came in.
    key
        What undoes it: keep it secret.
    left_out
        Columns of the owner's table that hold no numbers, and are in neither.
    """

    data: Any
    key: AnyKey
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        rows, columns = self.data.shape
        return f"Release({rows} x {columns}, {self.key!r})"
