# SPDX-License-Identifier: BSD-3-Clause
"""Names of a package that are loaded when they are first used: a command waits only for the modules that it needs."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loading(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package.

    Parameters
    ----------
    package
        Its ``__name__``.
    homes
        Names by the module of the package that they are in.
    """
    home_of = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(f"{package}.{home_of[name]}")
        for other in homes[home_of[name]]:  # all at once: one of them may have the module's own name
            setattr(sys.modules[package], other, getattr(home, other))
        return getattr(home, name)

    return get
