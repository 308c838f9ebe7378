# SPDX-License-Identifier: BSD-3-Clause
"""Free memory is that of the machine or of the container, whichever is less."""

import pytest

from isobreach.engine import free_memory, total_memory

GB = 10**9
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
V2 = ("memory.max", "memory.current", "inactive_file")


@pytest.fixture
def machine(tmp_path):
    """A machine with 16 GB that are free, and what it says of a process."""
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal: 1 kB\nMemAvailable: 15625000 kB\n")

    def member(line, folder=None, names=V2, limit="max", used=3 * GB, cached=GB):
        (tmp_path / "proc/self/cgroup").write_text(f"1:cpu:/x\n{line}\n")
        if folder is not None:
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / names[0]).write_text(f"{limit}\n")
            (tmp_path / folder / names[1]).write_text(f"{used}\n")
            (tmp_path / folder / "memory.stat").write_text(f"anon 5\n{names[2]} {cached}\n")
        return free_memory(tmp_path)

    return member


def test_without_a_container_it_is_the_machines(machine, tmp_path):
    assert free_memory(tmp_path) == 16 * GB
    assert machine("0::/user.slice") == 16 * GB
    assert machine("0::/", "sys/fs/cgroup") == 16 * GB  # no limit
    assert machine("9:memory:/", "sys/fs/cgroup/memory", V1, 9223372036854771712) == 16 * GB


def test_a_container_leaves_its_limit_less_what_it_cannot_give_up(machine):
    assert machine("0::/", "sys/fs/cgroup", V2, 4 * GB) == 2 * GB
    assert machine("0::/a/b", "sys/fs/cgroup/a/b", V2, 7 * GB) == 2 * GB  # the outer one is full before the inner one
    assert machine("9:memory:/docker/x", "sys/fs/cgroup/memory", V1, 4 * GB) == 2 * GB  # named as the host does
    assert machine("9:cpu,memory:/d", "sys/fs/cgroup/memory/d", V1, GB) == 0


def test_this_machine_has_some():
    assert 0 < free_memory() < 1e15


def test_all_memory_is_the_machines_or_what_its_containers_allow_whatever_is_used(machine, tmp_path):
    (tmp_path / "proc/meminfo").write_text("MemTotal: 31250000 kB\nMemAvailable: 15625000 kB\n")
    machine("0::/user.slice")
    assert total_memory(tmp_path) == 32 * GB
    machine("0::/", "sys/fs/cgroup", V2, 4 * GB)
    assert total_memory(tmp_path) == 4 * GB
