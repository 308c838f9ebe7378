# SPDX-License-Identifier: BSD-3-Clause
"""How much memory there is."""

import os
from pathlib import Path


def free_memory() -> float:
    """Bytes of memory that programs may still use; all there is where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return 1024.0 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
