# SPDX-License-Identifier: BSD-3-Clause
"""The version, read by the build and by run records."""

__version__ = "0.1.0"
