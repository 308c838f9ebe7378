# SPDX-License-Identifier: BSD-3-Clause
"""The public names: all there, all documented, and nothing heavy behind the import."""

import ast
import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import isobreach

NAMES = {
    "AttackResult",
    "InputError",
    "IsobreachError",
    "Key",
    "Linkage",
    "OutputError",
    "Release",
    "__version__",
    "attack",
    "attribute_breach_probability",
    "breach_probability",
    "datasets",
    "invert",
    "link",
    "perturb",
    "schemes",
}
HEAVY = {"numba", "scipy", "pyarrow", "matplotlib", "pandas", "polars", "rich", "click", "sklearn"}


def _fresh(code):
    """What the code prints in a new interpreter that sees this very package."""
    source = str(Path(isobreach.__file__).parents[1])
    command = [sys.executable, "-W", "error", "-c", f"import sys; sys.path.insert(0, {source!r}); {code}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def test_the_promised_names_are_public():
    assert set(isobreach.__all__) >= NAMES
    assert len(set(isobreach.__all__)) == len(isobreach.__all__)
    assert set(dir(isobreach)) >= set(isobreach.__all__)


@pytest.mark.parametrize("name", isobreach.__all__)
def test_a_public_name_resolves_and_is_documented(name):
    value = getattr(isobreach, name)
    assert isinstance(value, str) or inspect.getdoc(value)


def test_every_public_name_has_a_type():
    """A name that is only loaded late is Any to a type checker: each is imported for it, from its own home."""
    tree = ast.parse(inspect.getsource(isobreach))
    (declared,) = (part for part in tree.body if isinstance(part, ast.If))
    typed = {alias.name: node.module for node in declared.body for alias in node.names}
    assert set(typed) | {"__version__"} == set(isobreach.__all__)
    homes = isobreach._HOMES
    assert {name: typed[name] for name in homes} == {name: f"isobreach.{home}" for name, home in homes.items()}


def test_importing_the_package_imports_nothing_heavy():
    assert _fresh(f"import isobreach; print(sorted({HEAVY!r} & set(sys.modules)))") == "[]"


def test_every_name_can_be_the_first_one_used():
    """Lazy names do not depend on what was loaded before."""
    code = "import isobreach; [getattr(isobreach, n) for n in {0}]; from isobreach import *; print(link.__name__)"
    for names in (isobreach.__all__, isobreach.__all__[::-1]):
        assert _fresh(code.format(names)) == "link"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'isobreach' has no attribute 'decrypt'"):
        isobreach.decrypt  # noqa: B018


def test_the_version_is_a_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+([a-z.]+\d+)?", isobreach.__version__)


def test_errors_have_one_root_and_survive_a_process_boundary():
    assert issubclass(isobreach.InputError, isobreach.IsobreachError | ValueError)
    assert issubclass(isobreach.OutputError, OSError)
    error = isobreach.InputError("epsilon", "must be a finite number > 0", -1, "Try 0.1.")
    assert str(error) == "epsilon must be a finite number > 0. Got -1. Try 0.1."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    ("name", "positional"),
    [
        ("link", "known released"),
        ("attack", "known released epsilon"),
        ("perturb", "X scheme seed"),
        ("invert", "key released"),
    ],
)
def test_options_are_keyword_only_and_typed(name, positional):
    parameters = inspect.signature(getattr(isobreach, name)).parameters.values()
    assert [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD] == positional.split()
    assert all(p.annotation is not p.empty for p in parameters)
