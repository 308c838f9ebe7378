# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the public functions as text: what has to be typed in Python to get the same result again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

_FEW = 3  # whole numbers in a row, from which on they are a range


def call_again(function: Callable[..., Any], table: str, given: Mapping[str, Any]) -> str:
    """Return a call with the arguments that differ from their defaults.

    Parameters
    ----------
    function
        A public function of ``isobreach``.
    table
        Its first argument, as text.
    given
        Its other arguments, by name.

    >>> import isobreach as ib
    >>> call_again(ib.audit, "X", {"epsilon": 0.1, "coalition_sizes": [1, 2, 3], "seed": 7})
    'ib.audit(X, coalition_sizes=range(1, 4), seed=7)'
    """
    usual = {name: one.default for name, one in signature(function).parameters.items()}
    named = [f"{name}={_text(value)}" for name, value in given.items() if _plain(value) != _plain(usual[name])]
    return f"ib.{function.__name__}({', '.join([table, *named])})"


def table_text(given: Any) -> str:
    """Return what a call names a table by: its file, or X."""
    return repr(Path(given).name) if _is_path(given) else "X"


def table_title(given: Any) -> str:
    """Return what a report calls a table: the name of its file without the ending, empty for others.

    >>> table_title("data/people.csv.gz"), table_title([[1.0]])
    ('people', '')
    """
    return Path(Path(given).name.removesuffix(".gz")).stem if _is_path(given) else ""


def _is_path(given: Any) -> bool:
    return isinstance(given, str | Path) and "://" not in str(given)


class Variable(str):
    """A value that a call names instead of spelling it out."""

    __slots__ = ()


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _text(value: Any) -> str:
    plain = _plain(value)
    if isinstance(plain, Variable):
        return str(plain)
    if is_dataclass(plain) and type(plain).__module__.startswith("isobreach.schemes"):
        return f"ib.schemes.{plain!r}"
    if not isinstance(plain, list):
        return repr(plain)
    whole = len(plain) >= _FEW and all(isinstance(one, int) for one in plain)
    if whole and plain == list(range(plain[0], plain[0] + len(plain))):
        return f"range({plain[0]}, {plain[-1] + 1})"
    return f"[{', '.join(map(_text, plain))}]"
