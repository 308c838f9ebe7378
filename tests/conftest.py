# SPDX-License-Identifier: BSD-3-Clause
"""Settings of all tests; its place here also makes ``oracles`` importable."""

from hypothesis import HealthCheck, settings

# The same examples on every machine; no deadline, because the first call of a kernel may compile it.
settings.register_profile(
    "isobreach", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("isobreach")
