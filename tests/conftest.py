# SPDX-License-Identifier: BSD-3-Clause
"""Settings of all tests; its place here also makes ``oracles`` importable.

Every test of linking and attacks runs on each engine: on arrays with threads, and on worker processes, into which each
kernel is pickled with its parameters. The second way is slow, except for a part that has a kernel of every kind. The
larger cases of a test, slow by themselves, run on arrays only.
"""

from pathlib import Path

import pytest

from effort import load_profile
from isobreach.engine import LocalEngine, ProcessEngine, using
from postgres_server import postgresql

__all__ = ["postgresql"]

load_profile()

CONFORMING = ("linking", "attacks")
TELLING = {"test_linking_edges", "test_kaplan", "test_attacks_ranking"}  # files whose tests on processes are not slow


@pytest.fixture(scope="session", autouse=True)
def engine(request):
    """The default engine while a test runs."""
    with using(getattr(request, "param", LocalEngine)):
        yield


def pytest_generate_tests(metafunc):
    path = Path(metafunc.module.__file__)
    if path.parent.name in CONFORMING:
        marks = [] if path.stem in TELLING else [pytest.mark.slow]
        kinds = [pytest.param(LocalEngine, id="arrays"), pytest.param(ProcessEngine, id="processes", marks=marks)]
        metafunc.parametrize("engine", kinds, indirect=True, scope="session")


def pytest_collection_modifyitems(config, items):
    def larger_on_processes(item):
        engine = item.callspec.params.get("engine") if hasattr(item, "callspec") else None
        return engine is ProcessEngine and len(list(item.iter_markers("slow"))) > 1

    config.hook.pytest_deselected(items=[item for item in items if larger_on_processes(item)])
    items[:] = [item for item in items if not larger_on_processes(item)]
