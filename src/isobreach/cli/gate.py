# SPDX-License-Identifier: BSD-3-Clause
"""The gate of an audit: what a pipeline stops at."""


class GateError(Exception):
    """The audit found more than was allowed: exit code 1, with the reason in one line."""
