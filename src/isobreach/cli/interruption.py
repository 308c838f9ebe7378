# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C and polite kills, whatever raises for them."""

from typing import Any

import click

from isobreach.cli import Interrupted


class Commands(click.Group):
    """Commands that end in ``Interrupted``, which nothing catches by mistake.

    Once compiled code has its own handlers (``geometry.lattice``), SIGINT raises KeyboardInterrupt, which click would
    turn into something else, and SIGTERM raises SystemExit without an exit code.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, SystemExit):
            raise Interrupted from None
