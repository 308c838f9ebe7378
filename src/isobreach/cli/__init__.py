# SPDX-License-Identifier: BSD-3-Clause
"""The command line: arguments, progress, exit codes. Nothing else, and nothing heavy before a command runs.

Exit codes: 0 fine, also where nothing is linked or claimed, which is an answer; 1 an audit's gate is closed, with the
reason in one line; 2 bad input, in one line on stderr with nothing written; 70 a defect of isobreach, which decides
nothing; 130 Ctrl-C and 143 SIGTERM, as shells count them.
"""

import atexit
import gc
import io
import os
import re
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from isobreach._naming import for_command_line
from isobreach._text import discreet

__all__ = ["GateError", "Interrupted", "main"]

_NOTHING_WRITTEN = "interrupted. Nothing was written."
_DEFECT = 70  # EX_SOFTWARE of sysexits.h: Python's own 1 would be a closed gate
_TRACEBACK = "ISOBREACH_TRACEBACK"
_NO_NUMBER = re.compile(r"Invalid value for '(?P<name>.+?)': (?P<got>'.*') is not a valid (?P<kind>float|integer)\.")
_YOUNG = 100_000  # objects between two collections: imports make some hundred thousand, and no garbage


class Interrupted(BaseException):
    """Ctrl-C or a polite kill; with a text where something was written before it.

    Parameters
    ----------
    message
        What is left, and how to go on; empty where nothing was written.
    by
        What interrupted: the number of a signal, or what was raised for it.
    """

    def __init__(self, message: str, by: int | BaseException) -> None:
        super().__init__(message)
        if isinstance(by, BaseException):
            by = signal.SIGTERM if isinstance(by, SystemExit) else getattr(by, "number", signal.SIGINT)
        self.number = by


class GateError(Exception):
    """An audit found more than was allowed: exit code 1, with the reason in one line."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command; every failure ends in one line and an exit code that says whose it is.

    Parameters
    ----------
    arguments
        Words of the command line; those of the process by default, which then does nothing else.
    """
    if arguments is None:
        gc.set_threshold(_YOUNG)
        atexit.register(_leave)
    interrupted = 0  # the signal
    sys.stdout, sys.stderr = (stream or io.StringIO() for stream in (sys.stdout, sys.stderr))  # closed by the caller

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        nonlocal interrupted
        interrupted = number
        raise Interrupted("", number)

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    sys.unraisablehook, hook = _once_more, sys.unraisablehook
    code, message = 0, None
    try:
        with for_command_line():
            code, message = _run(arguments)
    except BaseException as error:
        # Compiled code that is interrupted may raise something of its own instead.
        if isinstance(error, Interrupted):
            code, message = 128 + error.number, str(error) or _NOTHING_WRITTEN
        elif interrupted:
            code, message = 128 + interrupted, _NOTHING_WRITTEN
        elif isinstance(error, Exception):
            code, message = _DEFECT, _defect(error)
        else:
            raise
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
    if message is not None:
        with suppress(OSError):  # the code tells
            lines = f"isobreach: {message}".split("\n")  # more than one where help follows
            print("\n".join(map(discreet, lines)), file=sys.stderr, flush=True)
    sys.exit(code)


def _defect(error: Exception) -> str:
    """What is said of an error that nobody foresaw. Its own words may quote the table: they are shown on request."""
    import traceback

    if os.environ.get(_TRACEBACK):
        with suppress(OSError):
            traceback.print_exception(error)
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    *_, last = traceback.extract_tb(error.__traceback__)
    where = f"{type(error).__name__} in {os.path.basename(last.filename)}, line {last.lineno}"  # noqa: PTH119
    owner = _owner([str(frame.f_globals.get("__name__")).partition(".")[0] for frame in frames])
    return (
        f"stopped by a defect of {owner}, which decides nothing: {where}. Please report it. To see the traceback, "
        f"which may quote your data, run the same command with {_TRACEBACK}=1 before it."
    )


def _owner(packages: list[str]) -> str:
    """Whose code failed: of isobreach and the packages that add attacks or schemes to it, the last that was called."""
    from isobreach._registry import ATTACKS, SCHEMES

    ours = {"isobreach", *ATTACKS.guests, *SCHEMES.guests}
    return next((name for name in reversed(packages) if name in ours), "isobreach")


def _leave() -> None:
    """Have what libraries hold not searched for garbage when the process ends: 0.3 s. DuckDB prints what it misses."""
    if "duckdb" not in sys.modules:
        gc.freeze()


def _once_more(lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt again, a little later: the first time was in a callback of the interpreter, which drops exceptions."""
    if isinstance(lost.exc_value, Interrupted | KeyboardInterrupt | SystemExit):
        import threading

        timer = threading.Timer(0.05, os.kill, (os.getpid(), Interrupted("", lost.exc_value).number))
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(lost)


def _run(arguments: list[str] | None) -> tuple[int, str | None]:
    """Run a command and return the exit code, with a line for whatever is not fine."""
    try:
        error = _error(arguments)
    except GateError as closed:
        return 1, str(closed)
    return (0, None) if error is None else (2, error)


def _plain(message: str) -> str:
    """What the parser says of a number, as all other errors are written."""
    found = _NO_NUMBER.fullmatch(" ".join(message.split()))
    kind = {"float": "a number", "integer": "a whole number"}
    return message if found is None else f"{found['name']} must be {kind[found['kind']]}. Got {found['got']}."


def _error(arguments: list[str] | None) -> str | None:
    """Run a command and return its error, if any."""
    import click

    from isobreach.cli.app import app
    from isobreach.cli.interruption import leave_quietly
    from isobreach.errors import IsobreachError

    try:
        app.main(arguments, prog_name="isobreach", standalone_mode=False)
        sys.stdout.flush()  # here, where a full disk is still caught
    except click.exceptions.NoArgsIsHelpError as error:
        return f"a command is missing.\n\n{error.format_message()}"
    except click.MissingParameter as error:
        command = "isobreach" if error.ctx is None else error.ctx.command_path
        return f"{' '.join(error.format_message().split())} See {command} --help."
    except click.ClickException as error:
        return " ".join(_plain(error.format_message()).split())
    except IsobreachError as error:
        return " ".join(str(error).split())
    except BrokenPipeError:
        leave_quietly()
    except OSError as error:
        return f"{error.filename or 'output'}: {error.strerror}."
    except UnicodeError:
        return "a file name or a column name is no valid text. Rename it."
    except MemoryError:
        return "not enough memory for this table. Use fewer rows or columns."
    return None
