# SPDX-License-Identifier: BSD-3-Clause
"""The command line: arguments, progress, exit codes. Nothing else, and nothing heavy before a command runs."""

from isobreach.cli.app import main

__all__ = ["main"]
