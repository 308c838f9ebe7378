# SPDX-License-Identifier: BSD-3-Clause
"""Settings of all tests; its place here also makes ``oracles`` importable.

Every test of linking and attacks runs on each engine: on arrays with threads, on worker processes, into which each
kernel is pickled with its parameters, on Parquet files, and some on a Dask cluster, where a pass takes twenty
milliseconds for the way there and back. The other ways than arrays are slow, except for a part that has a kernel of
every kind. On arrays runs everything; on processes every case that is not slow by itself; on files of these one for
every value of every parameter, seeds aside, because combinations of them show nothing of a file. Of tests that count
many draws one case is enough on both. Larger cases, slow by themselves, run on arrays only: their kernels are those of
the others, and engines give the same bits whatever the number of rows (``tests/engine``). ``make conformance``
(``ISOBREACH_CONFORMANCE=every``) leaves none out: every case on every engine.
"""

import os
import re
import signal
import time
from pathlib import Path

import pytest
import scipy.linalg  # noqa: F401  # its BLAS is loaded, and limited with NumPy's
from threadpoolctl import threadpool_limits

from effort import load_profile
from engine_files import ArrayInFiles, ArrayOnCluster
from isobreach.engine import LocalEngine, ProcessEngine, using
from postgres_server import pgvector, postgresql

__all__ = ["pgvector", "postgresql"]

load_profile()
# Some tests interrupt a program, which could not be where a shell had started all of them in the background.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

CONFORMING = ("linking", "attacks")
TELLING = {"test_linking_edges", "test_kaplan", "test_attacks_ranking"}  # files whose tests are quick on every engine
SPREAD = {  # files whose tests run on a cluster too, and whether that is slow
    "test_attacks_ranking": False,
    "test_linking_edges": True,
    "test_linking_dictionary": True,
    "test_kaplan": True,
}
DRAWS = ("seed", "seeds")  # parameters by which the same is tried again
EVERY = os.environ.get("ISOBREACH_CONFORMANCE") == "every"  # case on every engine
UNTIL = float(os.environ.get("ISOBREACH_UNTIL") or "inf")  # no test begins later, in seconds since 1970


@pytest.fixture(scope="session", autouse=True)
def _one_blas_thread():
    """Tests share the processors already: of small products, threads that wait for more took most of the time."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(scope="session", autouse=True)
def engine(request):
    """The default engine while a test runs."""
    with using(getattr(request, "param", LocalEngine)):
        yield


def pytest_generate_tests(metafunc):
    path = Path(metafunc.module.__file__)
    if path.parent.name in CONFORMING:
        if metafunc.config.option.markexpr == "not slow" and path.stem not in TELLING:
            return  # none of the others would run, and to make ten thousand cases takes its time
        marks = [] if path.stem in TELLING else [pytest.mark.slow]
        others = {"processes": ProcessEngine, "files": ArrayInFiles}
        kinds = [pytest.param(LocalEngine, id="arrays")]
        kinds += [pytest.param(kind, id=name, marks=marks) for name, kind in others.items()]
        if EVERY or path.stem in SPREAD:
            spread = [pytest.mark.slow] if SPREAD.get(path.stem, True) else []
            kinds.append(pytest.param(ArrayOnCluster, id="dask", marks=spread))
        metafunc.parametrize("engine", kinds, indirect=True, scope="session")


def pytest_collection_modifyitems(config, items):
    if float("inf") > UNTIL and items:  # each run begins elsewhere, so that it is not always the same that is left out
        start = int(UNTIL) % len(items)
        items[:] = items[start:] + items[:start]
    if EVERY:
        return
    left_out = [item for item, again in zip(items, _repeated(items), strict=True) if again]
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def pytest_runtest_setup(item):
    if time.time() > UNTIL:
        pytest.skip("the time was over (make test-slow has none)")


def _repeated(items):
    """Of each test, whether it would only repeat, on another engine than arrays, what other tests show there."""
    quick = {_case(item) for item in items if _engine(item) is LocalEngine and not item.get_closest_marker("slow")}
    shown = set()
    for item in items:
        engine = _engine(item)
        if engine is LocalEngine:
            yield False
            continue
        if _case(item) not in quick:
            yield True
            continue
        counted = item.get_closest_marker("counted")
        if engine is ProcessEngine and not counted:
            yield False
            continue
        test = item.path, item.originalname, engine
        varied = {} if counted else item.callspec.params
        values = ((name, repr(value)) for name, value in varied.items() if name not in (*DRAWS, "engine"))
        new = {test, *((*test, *value) for value in values)} - shown
        shown |= new
        yield not new


def _engine(item):
    return item.callspec.params.get("engine", LocalEngine) if hasattr(item, "callspec") else LocalEngine


def _case(item):
    """A test with the values of its parameters, whatever the engine, which is the first of them."""
    return item.path, re.sub(r"\[(arrays|processes|files|dask)\b", "[", item.name)
