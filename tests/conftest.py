# SPDX-License-Identifier: BSD-3-Clause
"""Settings of all tests; its place here also makes ``oracles`` importable.

Every test of linking and attacks runs on each engine: on arrays with threads, on worker processes, into which each
kernel is pickled with its parameters, on Parquet files, and some on a Dask cluster, where a pass takes twenty
milliseconds for the way there and back. The other ways than arrays are slow, except for a part that has a kernel of
every kind. The larger cases of a test, slow by themselves, run on arrays only.
"""

from pathlib import Path

import pytest

from effort import load_profile
from engine_files import ArrayInFiles, ArrayOnCluster
from isobreach.engine import LocalEngine, ProcessEngine, using
from postgres_server import pgvector, postgresql

__all__ = ["pgvector", "postgresql"]

load_profile()

CONFORMING = ("linking", "attacks")
TELLING = {"test_linking_edges", "test_kaplan", "test_attacks_ranking"}  # files whose tests are quick on every engine
SPREAD = {  # files whose tests run on a cluster too, and whether that is slow
    "test_attacks_ranking": False,
    "test_linking_edges": True,
    "test_linking_dictionary": True,
    "test_kaplan": True,
}


@pytest.fixture(scope="session", autouse=True)
def engine(request):
    """The default engine while a test runs."""
    with using(getattr(request, "param", LocalEngine)):
        yield


def pytest_generate_tests(metafunc):
    path = Path(metafunc.module.__file__)
    if path.parent.name in CONFORMING:
        marks = [] if path.stem in TELLING else [pytest.mark.slow]
        others = {"processes": ProcessEngine, "files": ArrayInFiles}
        kinds = [pytest.param(LocalEngine, id="arrays")]
        kinds += [pytest.param(kind, id=name, marks=marks) for name, kind in others.items()]
        if path.stem in SPREAD:
            kinds.append(pytest.param(ArrayOnCluster, id="dask", marks=[pytest.mark.slow] if SPREAD[path.stem] else []))
        metafunc.parametrize("engine", kinds, indirect=True, scope="session")


def pytest_collection_modifyitems(config, items):
    def larger_elsewhere(item):
        engine = item.callspec.params.get("engine", LocalEngine) if hasattr(item, "callspec") else LocalEngine
        return engine is not LocalEngine and len(list(item.iter_markers("slow"))) > 1

    config.hook.pytest_deselected(items=[item for item in items if larger_elsewhere(item)])
    items[:] = [item for item in items if not larger_elsewhere(item)]
