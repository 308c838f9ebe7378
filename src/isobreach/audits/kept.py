# SPDX-License-Identifier: BSD-3-Clause
"""Finished work of an audit or a comparison, by name: in a store, if there is one, to go on from after a kill."""

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isobreach.errors import InputError

Arrays = Mapping[str, NDArray[Any]]


class Store(Protocol):
    """Where finished work is kept, so that an audit can go on after an interruption.

    ``name``: how an error calls it.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    def load(self) -> Arrays | None:
        """What was saved last, None if nothing was."""

    def due(self) -> bool:
        """Whether enough was done since to be saved again."""

    def keep(self, arrays: Arrays) -> None:
        """Keep this in place of what was saved before, whole or not at all."""


class Kept:
    """Work that is done, each part under a name of its own."""

    def __init__(self, store: Store | None, fingerprint: str, seed: int, *, of: str = "audit") -> None:
        self._store = store
        self._mark = {"fingerprint": np.frombuffer(fingerprint.encode(), dtype=np.uint8), "seed": np.array(seed)}
        saved = None if store is None else store.load()
        if store is not None and saved is not None and not _same(saved.get("fingerprint"), self._mark["fingerprint"]):
            rule = f"must hold the unfinished work of this very {of}"
            raise InputError(store.name, rule, "that of another", "Remove it, or choose another output.")
        self._parts: dict[str, Arrays] = {}
        self._label = ""
        for name, array in (saved or {}).items():
            part, dot, own = name.rpartition(".")
            if dot:
                self._parts[part] = {**self._parts.get(part, {}), own: array}

    def part(self, name: str) -> Arrays | None:
        """A part that was kept before, None if it was not."""
        return self._parts.get(self._label + name)

    def under(self, label: str) -> "Kept":
        """The same store for work of the same names on something else."""
        other = copy(self)
        other._label = f"{self._label}{label}: "
        return other

    def done(self, name: str, arrays: Callable[[], Arrays], *, whole: bool = False) -> None:
        """Keep a part as it is now: at once where it is ``whole``, else if that is due."""
        if self._store is None or not (whole or self._store.due()):
            return
        self._parts[self._label + name] = arrays()
        every = {f"{part}.{own}": array for part, kept in self._parts.items() for own, array in kept.items()}
        self._store.keep({**every, **self._mark})


def _same(one: NDArray[Any] | None, other: NDArray[Any]) -> bool:
    return one is not None and np.array_equal(one, other)
