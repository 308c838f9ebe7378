# SPDX-License-Identifier: BSD-3-Clause
"""Speed as a ratio to a floor measured in the same run."""
