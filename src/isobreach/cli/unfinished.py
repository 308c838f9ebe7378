# SPDX-License-Identifier: BSD-3-Clause
"""Work that a command has not finished: where it is kept, with which seed it goes on, and what an interruption says."""

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from isobreach.cli import Interrupted
from isobreach.errors import OutputError
from isobreach.io import FileStore


def unfinished(out: Path, which: str = "") -> Path:
    """Where finished work is kept until the folder of a result is complete; ``which``: the table, of several."""
    named = out if out.name else Path(os.path.realpath(out))  # the working folder has no name of its own
    return named.with_name(f".{named.name}.{which}{'.' if which else ''}unfinished.npz")


def partial_folder(out: Path) -> str:
    """Name of the folder, beside it, in which the output is put together."""
    return f".{Path(os.path.realpath(out)).name}.partial"


@contextmanager
def telling_what_is_left(*stores: FileStore | None) -> Iterator[None]:
    """Let an interruption, or an output that cannot be written, say what is left and how to go on."""
    try:
        yield
    except (Interrupted, KeyboardInterrupt, SystemExit) as error:
        raise Interrupted(f"interrupted. {_left(stores)}", error) from None
    except OutputError as error:
        raise OutputError(str(error).replace("Nothing was left behind.", _left(stores))) from None


def _left(stores: Sequence[FileStore | None]) -> str:
    kept = [store.name for store in stores if store is not None and store.kept]
    if not kept:
        return "Nothing was written."
    return f"Finished work is kept in {' and '.join(kept)}: the same command goes on from there."


def seed_of(given: int | None, store: FileStore | None) -> int:
    """The seed as given; else one that is drawn, or that of the work to go on with."""
    if given is not None:
        return given
    if store is not None and (saved := store.load()) is not None and "seed" in saved:
        return int(saved["seed"])
    return secrets.randbits(32)
