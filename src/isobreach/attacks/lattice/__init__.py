# SPDX-License-Identifier: BSD-3-Clause
"""The lattice attack: grid-valued tables fall with no known record."""
