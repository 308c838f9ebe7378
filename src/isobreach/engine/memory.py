# SPDX-License-Identifier: BSD-3-Clause
"""How much memory there is: of the machine, and of the container that the process is in."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_ROOT = Path("/")
# Of both versions of control groups: where they are mounted, what limits a group, what it uses, and the part of that
# which the system gives up first: pages of files that were read once.
_GROUPS = {
    "": ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    "memory": ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def free_memory(root: Path = _ROOT) -> float:
    """Return the bytes of memory that programs may still use: all there is where the system does not tell.

    Parameters
    ----------
    root
        Where ``proc`` and ``sys`` are.
    """
    return min([_machine(root), *_containers(root)])


def total_memory(root: Path = _ROOT) -> float:
    """Return the bytes of memory that programs could use if no other did: the same whatever the others do.

    Parameters
    ----------
    root
        Where ``proc`` and ``sys`` are.
    """
    return min([_machine(root, "MemTotal"), *_containers(root, free=False)])


def _machine(root: Path, what: str = "MemAvailable") -> float:
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
        return 1024.0 * next(int(line.split()[1]) for line in lines if line.startswith(what))
    except (OSError, StopIteration):
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def _containers(root: Path, *, free: bool = True) -> Iterator[float]:
    """What the control groups of this process allow, or leave: its own, and those that contain it."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        for controller in set(controllers.split(",")) & _GROUPS.keys():
            mount, *names = _GROUPS[controller]
            own = PurePosixPath(path)
            for group in (own, *own.parents):  # a container sees its own group as the root, under any name
                left = _left(root / mount / str(group).lstrip("/"), *names, free=free)
                if left is not None:
                    yield left


def _left(group: Path, limit: str, used: str, given_up: str, *, free: bool) -> float | None:
    """What a control group leaves, or allows in all; None where it sets no limit."""
    try:
        most, now = float((group / limit).read_text()), float((group / used).read_text())
        told = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):  # not there, or "max"
        return None
    return max(most - now + float(told.get(given_up, 0)), 0.0) if free else most
