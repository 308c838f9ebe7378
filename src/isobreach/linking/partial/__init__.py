# SPDX-License-Identifier: BSD-3-Clause
"""Partial records: known records some of whose attributes are not known."""

from isobreach.linking.partial.completion import with_partial

__all__ = ["with_partial"]
