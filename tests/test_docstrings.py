# SPDX-License-Identifier: BSD-3-Clause
"""Every parameter of every public callable is described where it is defined."""

import inspect
import re
import types

import pytest

import isobreach


def public():
    """What the package exports, what its exported modules export, and public methods: an object and where it is from.

    Where a class or a method says nothing of a parameter, the class that it inherits from may.
    """
    found = {name: getattr(isobreach, name) for name in isobreach.__all__}
    for module, value in list(found.items()):
        if isinstance(value, types.ModuleType):
            found |= {f"{module}.{name}": getattr(value, name) for name in value.__all__}
    functions = {name: (value, [value]) for name, value in found.items() if inspect.isfunction(value)}
    classes = {name: (value, value.__mro__) for name, value in found.items() if inspect.isclass(value)}
    methods = {
        f"{owner}.{name}": (method, [vars(base)[name] for base in bases if name in vars(base)])
        for owner, (value, bases) in classes.items()
        for name, method in inspect.getmembers(value, lambda one: inspect.isfunction(one) or inspect.ismethod(one))
        if not name.startswith("_") and ours(value, name)
    }
    return functions | classes | methods


def ours(value, name):
    """Whether a member is a method that this project wrote: no field of a record, nothing that exceptions have."""
    home = next(base for base in value.__mro__ if name in vars(base))
    return home.__module__.startswith("isobreach") and name not in getattr(value, "__dataclass_fields__", ())


PUBLIC = public()


def parameters(value):
    """Names that a caller may use; none where the constructor is Python's own."""
    if inspect.isclass(value) and value.__init__ in (object.__init__, Exception.__init__):
        return []
    names = inspect.signature(value).parameters
    return [name for name in names if name != "self" and not name.startswith("_")]


def described(doc):
    """Names in the sections of parameters or attributes: a line at the margin, alone or by commas."""
    sections = re.findall(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", doc, flags=re.S | re.M)
    lines = [line for section in sections for line in section.splitlines() if re.fullmatch(r"\w+(, \w+)*", line)]
    return {name for line in lines for name in line.split(", ")}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_is_described(name):
    value, homes = PUBLIC[name]
    assert len((inspect.getdoc(value) or "").split()) > 2, "says nothing"
    texts = (inspect.cleandoc(home.__doc__ or "") for home in homes)
    assert set(parameters(value)) - set().union(*map(described, texts)) == set()


def test_the_check_would_notice():
    def described_in_part(X, *, seed):
        """Do a thing.

        Parameters
        ----------
        X
            A table; its seed is another matter.
        """

    assert described(inspect.getdoc(described_in_part)) == {"X"}
    assert parameters(described_in_part) == ["X", "seed"]
    assert len(PUBLIC) > 30
