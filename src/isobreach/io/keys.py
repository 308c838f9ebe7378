# SPDX-License-Identifier: BSD-3-Clause
"""Keys in files: whoever reads one undoes the release, so only its owner may.

A key file is NumPy's .npz, plain arrays without pickled objects: reading one runs no code. It carries a
version number, so that a later layout is refused by name and not misread.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isobreach.errors import InputError
from isobreach.io.archives import read_arrays
from isobreach.io.atomic import PRIVATE, atomic_file
from isobreach.io.tables import as_ids

if TYPE_CHECKING:
    from isobreach.schemes import AnyKey

# The key of a motion; 1 had no scale and no noise, and is still read. And the key of any other scheme: a version of its
# own, so that programs which know motions alone refuse it by its number.
_MOTION, _OTHER = 2, 3
_VERSIONS = (1, _MOTION, _OTHER)
_REQUIRED = ("scheme", "order")
_ARRAYS = {_MOTION: ("rotation", "translation"), _OTHER: ("shape",)}
_SECRET = "secret."  # before the names of what the scheme drew
_NUMBERS = ("scale", "noise")


def write_key(path: str | Path, key: "AnyKey", *, force: bool = False) -> None:
    """Write a key, readable by its owner alone (mode 0600).

    Parameters
    ----------
    path
        The file.
    key
        What to write: ``release.key``.
    force
        Replace a file that is there.
    """
    with pending_key(path, key, force=force):
        pass


@contextmanager
def pending_key(path: str | Path, key: "AnyKey", *, force: bool = False) -> Iterator[None]:
    """Write a key that takes its name only if the block succeeds: no key without its release, no release without."""
    secrets = getattr(key, "secrets", None)
    version = _MOTION if secrets is None else _OTHER
    fields: dict[str, Any] = {field: getattr(key, field) for field in (*_REQUIRED, *_ARRAYS[version], *_NUMBERS)}
    fields |= {_SECRET + name: secret for name, secret in (secrets or {}).items()}
    if key.columns is not None:
        fields["columns"] = np.array(key.columns, dtype=str)
    if key.ids is not None:
        fields["ids"] = as_ids(key.ids)
    with atomic_file(path, mode=PRIVATE, force=force) as temporary:
        with temporary.open("wb") as file:
            np.savez(file, isobreach_key=version, **fields)
        yield


def read_key(path: str | Path) -> "AnyKey":
    """Return the key in a file; reading one runs no code, and a damaged one is refused.

    Parameters
    ----------
    path
        A file that ``write_key`` or ``isobreach perturb --key`` wrote.
    """
    from isobreach.schemes import Key, SchemeKey  # not above: numeric packages load only for commands that compute

    path = Path(path)
    if not path.is_file():
        raise InputError("key", "must be an existing file", str(path))
    fields = read_arrays(path, "key") or {}
    if not {"isobreach_key", *_REQUIRED} <= fields.keys():
        raise InputError("key", "must be a file that isobreach perturb --key wrote", str(path))
    version = fields["isobreach_key"]
    if version.dtype.kind != "i" or version.ndim or version not in _VERSIONS:
        got = version.item() if version.dtype.kind == "i" and not version.ndim else "no whole number"
        rule = f"must have format version {', '.join(map(str, _VERSIONS[:-1]))} or {_VERSIONS[-1]}"
        raise InputError("key", rule, got, "Update isobreach.")
    arrays = _ARRAYS[max(int(version), _MOTION)]
    if not set(arrays) <= fields.keys():
        raise InputError("key", "must be a file that isobreach perturb --key wrote", str(path))
    columns = fields.get("columns")
    common: dict[str, Any] = {
        "scheme": fields["scheme"].item() if not fields["scheme"].ndim else "",
        "order": fields["order"],
        "columns": None if columns is None else tuple(columns.tolist()),
        "ids": fields.get("ids"),
        **{field: _number(fields[field]) for field in _NUMBERS if field in fields},
    }
    if version == _OTHER:
        secrets = {name.removeprefix(_SECRET): one for name, one in fields.items() if name.startswith(_SECRET)}
        return SchemeKey(shape=tuple(np.atleast_1d(fields["shape"]).tolist()), secrets=secrets, **common)
    return Key(rotation=fields["rotation"], translation=fields["translation"], **common)


def _number(value: NDArray[Any]) -> float:
    """One real number, or NaN, which no key takes."""
    return float(value) if value.ndim == 0 and value.dtype.kind in "fiu" else math.nan
