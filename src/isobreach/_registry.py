# SPDX-License-Identifier: BSD-3-Clause
"""Attacks and schemes by name: those of this package, one module each, and those of other packages.

A module (or folder) of ``isobreach/attacks`` that is not one of the package's own parts *is* an attack: its name with
hyphens is the attack's, its docstring's first sentence the line in a list, and its ``ATTACK`` the attack itself. Other
packages announce theirs as entry points of the group ``isobreach.attacks``. Schemes likewise. Names can be listed
without importing anything: ``--help`` must not wait for compiled code.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Generic, TypeVar

from isobreach._phrases import did_you_mean
from isobreach.errors import InputError, IsobreachError

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Objects by name, loaded when they are asked for; a name of this package cannot be taken by another.

    Parameters
    ----------
    package
        Name of the package below ``isobreach``, and of the group of entry points ``isobreach.<package>``.
    attribute
        Name under which a module holds its object.
    kind
        Class of all entries, as ``module:name``: looked up only when another package's entry is loaded.
    parts
        Modules of the package that are not entries.
    first
        Names that come first in a list; the others follow in alphabetical order.
    """

    def __init__(
        self, package: str, attribute: str, kind: str, parts: frozenset[str], first: tuple[str, ...] = ()
    ) -> None:
        self.package, self.attribute, self.kind = package, attribute, kind
        self._parts, self._first = parts, first
        self._loaded: dict[str, T] = {}

    @cached_property
    def _modules(self) -> dict[str, Traversable]:
        """Source of each entry of this package, by name."""
        found = {}
        for entry in (files("isobreach") / self.package).iterdir():
            module = entry.name.removesuffix(".py")
            source = entry / "__init__.py" if entry.is_dir() else entry
            if module.isidentifier() and not module.startswith("_") and module not in self._parts and source.is_file():
                found[module.replace("_", "-")] = source
        return {name: found[name] for name in (*self._first, *sorted(set(found) - set(self._first)))}

    @cached_property
    def _foreign(self) -> dict[str, EntryPoint]:
        group = entry_points(group=f"isobreach.{self.package}")
        return {
            point.name: point for point in sorted(group, key=lambda one: one.name) if point.name not in self._modules
        }

    def __iter__(self) -> Iterator[str]:
        return iter((*self._modules, *self._foreign))

    def __len__(self) -> int:
        return len(self._modules) + len(self._foreign)

    def __contains__(self, name: object) -> bool:
        return name in self._modules or name in self._foreign

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise KeyError(name)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def built_in(self, name: str) -> bool:
        """Return whether an entry is one of this package's own."""
        return name in self._modules

    @property
    def guests(self) -> frozenset[str]:
        """Top-level names of the packages whose entries these are, this one aside."""
        return frozenset(point.module.partition(".")[0] for point in self._foreign.values()) - {"isobreach"}

    def named(self, argument: str, name: object) -> T:
        """Return the object of a name that was given as an argument; anything else is refused with the names there are.

        Parameters
        ----------
        argument
            Name of the argument, for the message.
        name
            The name given.
        """
        if not isinstance(name, str) or name not in self:
            hint = did_you_mean(name, list(self)) if isinstance(name, str) else ""
            raise InputError(argument, f"must be one of {', '.join(self)}", repr(name), hint)
        return self[name]

    def summary(self, name: str) -> str:
        """Return the first sentence of what an entry says of itself."""
        if name in self._modules:
            said = ast.get_docstring(ast.parse(self._modules[name].read_text(encoding="utf-8"))) or ""
        else:
            try:
                said = type(self[name]).__doc__ or ""
            except IsobreachError as error:
                said = str(error)
        return " ".join(said.split("\n\n")[0].split()).split(". ")[0].rstrip(".")

    def _load(self, name: str) -> T:
        if name in self._modules:
            module = import_module(f"isobreach.{self.package}.{name.replace('-', '_')}")
            loaded: Any = getattr(module, self.attribute)
        else:
            point = self._foreign[name]
            package = point.dist.name if point.dist is not None else point.module
            rule, step = f"must be a working entry of the installed package {package}", f"Repair or remove {package}."
            try:
                loaded = point.load()
                loaded = loaded() if isinstance(loaded, type) else loaded
            except IsobreachError:  # says itself what is missing
                raise
            except (Exception, SystemExit) as error:  # whatever another package raises is said in one line
                raise InputError(name, rule, f"{type(error).__name__}", step) from error
            wrong = self._wrong(loaded)
            if wrong:
                raise InputError(name, rule, wrong, step)
        if getattr(loaded, "name", None) != name:
            raise InputError(name, "must be the name of the object behind it", repr(getattr(loaded, "name", None)))
        return loaded  # type: ignore[no-any-return]

    def _wrong(self, loaded: Any) -> str:
        """What another package's object lacks that every entry has; empty where nothing does."""
        module, _, name = self.kind.partition(":")
        kind = getattr(import_module(module), name)
        if not isinstance(loaded, kind):
            return f"an object that is no {name}"
        settings = getattr(loaded, "settings", type(loaded))
        if not is_dataclass(settings):
            return "settings that are no dataclass"
        bare = [one.name for one in fields(settings) if one.default is MISSING]
        return f"a setting without a default, {bare[0]}" if bare else ""


ATTACKS: Registry[Any] = Registry(
    "attacks",
    "ATTACK",
    "isobreach.attacks:Attack",
    frozenset(
        {
            "base",
            "knowledge",
            "registry",
            "refine",
            "baseline",
            "column_pairs",
            "components",
            "moments",
            "sample_prior",
            "pairs",
            "readout",
        }
    ),
    ("known-input",),
)
SCHEMES: Registry[Any] = Registry(
    "schemes",
    "SCHEME",
    "isobreach.schemes:Scheme",
    frozenset({"scheme", "key", "rotation", "linear", "spectral", "in_place"}),
    ("orthogonal", "rigid", "noisy", "ball", "orthogonal-noise"),
)
