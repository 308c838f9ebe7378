# SPDX-License-Identifier: BSD-3-Clause
"""The first use: kernels are compiled once for each user, in as little time as can be, and the user is told."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba as nb
import numpy as np
import pytest

import isobreach
from isobreach._compiled import copy, fill, first_from, grown, grown_rows
from isobreach._progress import listening
from isobreach.cli.console import Console

PACKAGE = Path(isobreach.__file__).parent


def _fresh():
    """A kernel that was never compiled, made of two."""

    @nb.njit
    def inner(x):
        return x + 1

    @nb.njit
    def outer(x):
        return inner(x) * 2

    return outer


def test_compilation_is_heard_of_once_however_many_kernels_it_needs():
    heard, kernel = [], _fresh()
    with listening(heard.append):
        assert kernel(1) == 4
        assert heard == [True, False]
        assert kernel(2) == 6
    _fresh()(1)
    assert heard == [True, False]


def test_the_progress_line_says_so(monkeypatch):
    console = Console(json_only=False, quiet=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = []
    monkeypatch.setattr(console, "_update", lambda *update: shown.append(update))
    with console.bars(delay=60):
        _fresh()(1)
    assert shown == [("compiling (first use)", 0, None), ("compiling (first use)", 1, 1)]


# What kernels take of NumPy without having anything compiled for it; and what is worth its compilation.
CHEAP = {"bool_", "empty", "float32", "inf", "int32", "int64", "sqrt", "uint64", "uintp"}
WORTH_IT = {"rays.py": {"exp"}, "residual.py": {"dot"}, "scales.py": {"argsort", "max"}}


def _kernels(path):
    """Compiled functions of a file."""
    for function in ast.walk(ast.parse(path.read_text())):
        if any("compiled" in ast.unparse(one) for one in getattr(function, "decorator_list", ())):
            yield function


def _costly(path):
    """What compiled functions of a file take of NumPy besides, and slices that they assign to."""
    for function in _kernels(path):
        body = [node for statement in function.body for node in ast.walk(statement)]
        used = (node for node in body if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
        yield from (node.attr for node in used if node.value.id == "np" and node.attr not in CHEAP)
        targets = (node.targets for node in body if isinstance(node, ast.Assign))
        subscripts = (one for several in targets for one in several if isinstance(one, ast.Subscript))
        yield from (ast.unparse(one) for one in subscripts if any(isinstance(x, ast.Slice) for x in ast.walk(one)))


def test_kernels_use_nothing_that_takes_long_to_compile():
    found = {path.name: set(_costly(path)) for path in PACKAGE.rglob("*.py")}
    assert {name: costly for name, costly in found.items() if costly} == WORTH_IT


def test_small_kernels_are_as_what_they_stand_for():
    numbers = np.random.default_rng(0).integers(0, 9, 6)
    longer = grown(numbers)
    np.testing.assert_array_equal(longer[:6], numbers)
    assert (len(longer), longer.dtype) == (12, numbers.dtype)
    rows = numbers.reshape(3, 2)
    longer = grown_rows(rows)
    np.testing.assert_array_equal(longer[:3], rows)
    assert (longer.shape, longer.dtype) == ((6, 2), rows.dtype)
    into = np.zeros(9)
    copy(into, numbers)
    np.testing.assert_array_equal(into, [*numbers, 0, 0, 0])
    fill(into, -1)
    assert (into == -1).all()
    for length in range(5):
        ascending = np.sort(np.random.default_rng(length).integers(0, 4, length)).astype(float)
        for least in (-1.0, 0.0, 1.0, 1.5, 3.0, 4.0):
            assert first_from(ascending, least) == np.searchsorted(ascending, least)


@pytest.mark.slow
def test_where_the_package_cannot_be_written_to_the_user_compiles_once(tmp_path):
    """Files in the place of the folders for compiled code keep out root too."""
    code = """
import numpy as np, isobreach as ib
from isobreach._progress import listening
heard, X = [], np.random.default_rng(0).normal(50, 20, (276, 6)).round(1)
release = ib.perturb(X, "rigid", seed=0)
with listening(heard.append):
    ib.link(X[:4], release.data)
print(len(heard) > 0)
"""
    package, home = tmp_path / "package" / "isobreach", tmp_path / "home"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in {path.parent for path in package.rglob("*.py")}:
        (folder / "__pycache__").touch()
    home.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(package.parent)}
    compiled = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment).stdout
        for _ in range(2)
    ]
    assert compiled == ["True\n", "False\n"]
    assert list(home.rglob("*.nbc"))
