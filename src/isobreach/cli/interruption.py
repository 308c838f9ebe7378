# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C and polite kills, whatever raises for them, and readers that leave."""

import os
from typing import Any, NoReturn

import click

from isobreach.cli import Interrupted
from isobreach.cli.command_line import Command

_BROKEN_PIPE = 128 + 13  # as shells count a death by SIGPIPE; 1 would be a closed gate


class Commands(click.Group):
    """Commands that end in ``Interrupted``, which nothing catches by mistake.

    Once compiled code has its own handlers (``geometry.lattice``), SIGINT raises KeyboardInterrupt, which click would
    turn into something else, and SIGTERM raises SystemExit without an exit code.
    """

    command_class = Command
    group_class = type

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would exit with 1
            leave_quietly()
        except (KeyboardInterrupt, SystemExit) as error:
            raise Interrupted("", error) from None


def leave_quietly() -> NoReturn:
    """The reader of our output has seen enough. At once: flushing what is left would fail again."""
    os._exit(_BROKEN_PIPE)
