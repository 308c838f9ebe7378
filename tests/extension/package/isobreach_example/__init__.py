# SPDX-License-Identifier: BSD-3-Clause
"""A scheme and an attack that isobreach finds when this package is installed."""
