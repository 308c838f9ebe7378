# SPDX-License-Identifier: BSD-3-Clause
"""Formats in which vectors are exported: JSON lines, archives of NumPy arrays, .fvecs. Each becomes an Arrow table."""

from typing import Any

import numpy as np

from isobreach.errors import InputError
from isobreach.io.archives import unpacked
from isobreach.io.content import Content
from isobreach.io.vectors import from_rows

_BLOCK = 1 << 24  # bytes read at a time: no line may be longer, and one of 1,536 numbers has some 30,000


def read_json_lines(content: Content, name: str) -> Any:
    """Return the objects of JSON lines, one a row; a list of numbers is a vector."""
    import pyarrow as pa
    from pyarrow import json

    with content.stream() as stream:
        try:
            return json.read_json(stream, read_options=json.ReadOptions(block_size=_BLOCK))
        except pa.ArrowInvalid:  # its words may quote a value
            rule = "must be JSON lines: one object a line, each name with values of one type"
            raise InputError(name, rule, "a damaged file or another format") from None


def read_npz(content: Content, name: str) -> Any:
    """Return the arrays of a NumPy archive: vectors where an array has two dimensions, a column where it has one."""
    import pyarrow as pa

    with content.open() as file:
        arrays = unpacked(file)
    if arrays is None:
        rule = "must be an .npz archive of numbers and text"
        raise InputError(name, rule, "Python objects or a damaged file")
    rows = {len(array) for array in arrays.values() if array.ndim}
    odd = [label for label, array in arrays.items() if array.ndim not in (1, 2) or array.dtype.kind not in "biufU"]
    if not arrays or odd or len(rows) != 1:
        rule = "must be an .npz archive whose arrays hold the same rows, in one or two dimensions"
        got = f"{odd[0]!r}, which is another" if odd else f"arrays of {len(rows)} lengths" if arrays else "no array"
        raise InputError(name, rule, got, "Save the vectors alone: numpy.savez(file, embedding=vectors).")
    return pa.table({label: from_rows(a) if a.ndim == 2 else pa.array(a) for label, a in arrays.items()})


def read_fvecs(content: Content, name: str) -> Any:
    """Return the vectors of an .fvecs file: each is its length, as 32-bit integer, then as many 32-bit floats."""
    import pyarrow as pa

    with content.open() as file:
        words = np.frombuffer(file.read(), dtype="<i4") if _whole(content) else np.zeros(0, dtype="<i4")
    width = int(words[0]) if len(words) else 0
    if width < 1 or len(words) % (width + 1) or (words[:: width + 1] != width).any():
        rule = "must be an .fvecs file of vectors of one length"
        raise InputError(name, rule, "a damaged file, another format or other lengths")
    rows = words.reshape(-1, width + 1)[:, 1:].view("<f4")
    return pa.table({"vector": from_rows(rows)})


def _whole(content: Content) -> bool:
    size = len(content.place) if isinstance(content.place, bytes) else content.place.stat().st_size
    return size % 4 == 0
