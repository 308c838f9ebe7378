# SPDX-License-Identifier: BSD-3-Clause
"""The bytes of a table: in a file, or read from the standard input; unpacked where gzip packed them."""

import io
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from isobreach.errors import InputError, OutputError

TEXT = (".csv", ".tsv")
ARROW = (".feather", ".arrow")
# What a table may be written as; the others are only read.
WRITTEN = (*TEXT, *(f"{suffix}.gz" for suffix in TEXT), ".parquet", *ARROW, ".npy")
READ = (*WRITTEN, ".xlsx", ".jsonl", ".jsonl.gz", ".npz", ".fvecs", ".faiss", ".index")

# How the bytes begin that are not text.
_BEGINNINGS = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",
    b"\x93NUMPY": ".npy",
    b"PK\x03\x04": ".xlsx",
    b"\x1f\x8b": ".csv.gz",
}


def form(path: Path) -> str:
    """Return the extension that tells the format, ``.gz`` with the one before it.

    >>> form(Path("people.2020.CSV.gz")), form(Path("people.v2.parquet"))
    ('.csv.gz', '.parquet')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    return "".join(suffixes) if suffixes[-1:] == [".gz"] else "".join(suffixes[-1:])


def listed(extensions: Sequence[str]) -> str:
    """Return extensions as a message lists them."""
    return f"{', '.join(extensions[:-1])} or {extensions[-1]}"


@dataclass(frozen=True)
class Content:
    """Where the bytes are, and which format they have.

    Parameters
    ----------
    place
        A file, or the bytes themselves.
    form
        One of ``READ``, or another extension, which no reader knows.
    """

    place: Path | bytes
    form: str

    @property
    def text(self) -> bool:
        """Whether it is CSV or a relative, packed or not."""
        return self.form.removesuffix(".gz") in TEXT

    @property
    def _packed(self) -> bool:
        return self.form.endswith(".gz")

    @property
    def raw(self) -> Any:
        """What readers of binary formats take: a path, or a file in memory."""
        return io.BytesIO(self.place) if isinstance(self.place, bytes) else self.place

    def stream(self) -> Any:
        """Return an Arrow stream of the bytes, unpacked."""
        import pyarrow as pa

        place = pa.py_buffer(self.place) if isinstance(self.place, bytes) else str(self.place)
        return pa.input_stream(place, compression="gzip" if self._packed else None)

    def open(self) -> IO[bytes]:
        """Return a file of the bytes, unpacked."""
        import gzip

        if self._packed:
            return cast(IO[bytes], gzip.open(self.raw, "rb"))
        return self.raw if isinstance(self.place, bytes) else self.place.open("rb")


def standard_input(name: str) -> Content:
    """Return what is piped in; its format shows in its first bytes, and is CSV otherwise."""
    file = sys.stdin
    if file is None or file.isatty():
        step = f"Pipe one in: isobreach ... - < table{TEXT[0]}"
        raise InputError(name, "must be piped in where it is -", "a terminal", step)
    content = file.buffer.read()
    return Content(
        content, next((suffix for start, suffix in _BEGINNINGS.items() if content.startswith(start)), ".csv")
    )


@contextmanager
def readable(path: Path, name: str) -> Iterator[None]:
    """Turn an operating system's error into the one line that names the input."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        # Arrow and gzip say by such errors that packed bytes are damaged.
        reason = os.strerror(error.errno) if error.errno else "damaged"
        raise InputError(name, "must be readable", f"{path}: {reason}") from None
    except (EOFError, zlib.error):
        raise InputError(name, "must be readable", f"{path}: damaged") from None
