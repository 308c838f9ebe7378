# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that are whole or absent.

Work goes to a hidden sibling of the target, on the same file system, and takes the target's name only when it
is complete and on the disk. Whatever ends the work early, a full disk or Ctrl-C, removes the sibling.
Nothing that exists is replaced unless asked, not even when it appears while the work is under way.
"""

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from isobreach._naming import way
from isobreach._text import visible
from isobreach.errors import OutputError

# How file systems without hard links (FAT, some network shares) refuse one.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL}

# For files that tell of single records: who is exposed is nobody's business but the owner's.
PRIVATE = 0o600

_TEMPORARY = re.compile(r"\.[0-9a-f]{16}(\.\w+)?")  # see _sibling

# Marks a directory as an earlier output of this program, which --force may replace.
RUN_FILE = "run.json"
_OUR_FILES = {
    RUN_FILE,
    "result.json",
    "per_record.parquet",
    "per_attribute.parquet",
    "dictionary.parquet",
    "report.html",
    "figures",
    "estimates.parquet",
    "cells.csv",
    "schemes.csv",
    "times.csv",
}


@contextmanager
def atomic_file(
    path: str | Path, *, mode: int = 0o644, force: bool = False, temporary: Path | None = None
) -> Iterator[Path]:
    """Give a temporary path to write to; on success it becomes ``path``.

    The temporary has the final mode (less the umask) before its first byte: a key is never open to others.
    ``temporary``: its name, where a later run is to find and replace what a killed one left.
    """
    path = Path(path)
    _check_parent(path)
    if os.path.lexists(path):
        if not force:
            raise _exists(path)
        if not path.is_file():
            raise OutputError(f"{path} is not a regular file. Choose another path.")
    temporary = _sibling(path) if temporary is None else temporary
    with _one_line(path), _parents(path):
        try:
            if temporary.is_file():
                temporary.unlink()
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
            yield temporary
            _sync(temporary)
            if force:
                temporary.replace(path)
            else:
                _publish(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync(path.parent)


@contextmanager
def atomic_directory(path: str | Path, *, force: bool = False, temporary: str | None = None) -> Iterator[Path]:
    """Give a temporary directory to fill; on success it becomes ``path``.

    ``force`` replaces an earlier output of this program and nothing else. ``temporary``: name of the directory beside
    it, where a later run is to replace what a killed one left.
    """
    check_free(path, force=force, temporary=temporary)
    path = Path(os.path.realpath(path))
    sibling = _sibling(path) if temporary is None else path.with_name(temporary)
    with _one_line(path), _parents(path):
        try:
            if sibling.is_dir():
                shutil.rmtree(sibling)
            sibling.mkdir()
            try:
                yield sibling
            except OutputError as error:  # of a file inside: name the output that was asked for
                raise OutputError(str(error).replace(visible(str(sibling)), visible(str(path)))) from error
            for entry in [*sibling.rglob("*"), sibling]:
                _sync(entry)
            if path.exists() and force:
                _swap(sibling, path)
            else:
                sibling.rename(path)
        finally:
            shutil.rmtree(sibling, ignore_errors=True)
        _sync(path.parent)


@contextmanager
def alone(path: str | Path) -> Iterator[None]:
    """Refuse to work on ``path`` while another run does; a run that was killed is none."""
    path = Path(os.path.realpath(path))
    lock = path.with_name(f".{path.name}.lock")
    try:
        import fcntl
    except ImportError:  # where there are no such locks
        yield
        return
    if os.path.lexists(lock) and (lock.is_symlink() or not lock.is_file()):
        raise OutputError(f"{lock} is in the way. Remove it, or choose another path.")
    _check_parent(path)
    with ExitStack() as entered:
        with _one_line(path):
            entered.enter_context(_parents(path))
            file = entered.enter_context(lock.open("a"))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(f"{path} is being written by another run. Wait for it, or choose another path.") from None
        except OSError:  # a file system without locks
            pass
        try:
            yield
        finally:
            if lock.is_file() and not lock.stat().st_size:  # ours is empty
                lock.unlink(missing_ok=True)


def check_free(path: str | Path, *, force: bool = False, temporary: str | None = None) -> None:
    """Refuse a directory that exists, or with ``force`` one that is not an earlier output: before the work starts.

    ``temporary``: see ``atomic_directory``; one that is not ours is refused too.
    """
    path = Path(path)
    _check_parent(path)
    if temporary is not None:
        _check_ours(Path(os.path.realpath(path)).with_name(temporary))
    if os.path.lexists(path):
        if not force:
            raise _exists(path)
        if not path.is_dir() or not (path / RUN_FILE).is_file():
            raise OutputError(f"{path} is not an earlier output: it has no {RUN_FILE}. Choose another path.")
        if foreign := sorted({entry.name for entry in path.iterdir()} - _OUR_FILES):
            raise OutputError(f"{path} holds other files, such as {foreign[0]!r}. Choose another path.")


def _check_ours(temporary: Path) -> None:
    """Refuse a temporary directory that holds anything but files of an output, or temporaries of these."""
    if not os.path.lexists(temporary):
        return
    if temporary.is_symlink() or not temporary.is_dir():
        raise OutputError(f"{temporary} is in the way. Remove it, or choose another path.")
    for one in sorted(temporary.iterdir()):
        if one.is_dir() or not (one.name in _OUR_FILES or _TEMPORARY.fullmatch(one.name)):
            raise OutputError(f"{temporary} holds other files, such as {one.name!r}. Choose another path.")


def _publish(temporary: Path, path: Path) -> None:
    """Give a file its name unless the name is taken."""
    try:
        path.hardlink_to(temporary)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        path.touch(exist_ok=False)  # claims the name; other processes see an empty file for a moment
        try:
            temporary.replace(path)
        except BaseException:
            path.unlink()
            raise


def _swap(temporary: Path, path: Path) -> None:
    """Put a directory in the place of another one, which stays if that fails."""
    old = _sibling(path)
    path.rename(old)
    try:
        temporary.rename(path)
    except BaseException:
        old.rename(path)
        raise
    shutil.rmtree(old)


def _sibling(path: Path) -> Path:
    # The suffix stays: some writers choose the format by it.
    return path.with_name(f".{secrets.token_hex(8)}{path.suffix}")


def _check_parent(path: Path) -> None:
    """Refuse an output below something that is not a folder; folders that are missing are made when it is written."""
    with _one_line(path), suppress(FileNotFoundError, NotADirectoryError):
        os.lstat(path)  # a name that is too long, say
    nearest = next((parent for parent in path.parents if os.path.lexists(parent)), Path())
    if not nearest.is_dir():
        raise OutputError(f"{path} cannot be written: {nearest} is not a folder. Choose another path.")


@contextmanager
def _parents(path: Path) -> Iterator[None]:
    """Make the folders above an output, and remove those again if it is not written."""
    missing = [parent for parent in path.parents if not parent.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for parent in missing:
            with suppress(OSError):  # another run may use it by now
                parent.rmdir()
        raise


def _exists(path: Path) -> OutputError:
    return OutputError(f"{path} exists. Use {way('--force', 'force=True')} to replace it.")


def _sync(path: Path) -> None:
    """Have the operating system put a file or a directory on the disk."""
    with suppress(PermissionError):  # Windows opens no directories
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)  # Windows syncs what it may write
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _one_line(path: Path) -> Iterator[None]:
    """Turn an operating system's error into the one that names the output."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY) and path.exists():
            raise _exists(path) from None
        # NumPy raises a short write without its cause.
        reason = os.strerror(error.errno) if error.errno else "the disk may be full"
        raise OutputError(f"{path} cannot be written: {reason}. Nothing was left behind.") from error
