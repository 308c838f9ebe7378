# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the architecture, checked on the source: who imports whom, and what is done where."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import isobreach
from isobreach._registry import ATTACKS, SCHEMES

ROOT = Path(isobreach.__file__).parent

FOUNDATION = {
    "errors",
    "_validation",
    "_random",
    "_progress",
    "_phrases",
    "_naming",
    "_calls",
    "_registry",
    "_settings",
    "_text",
    "_arrow",
    "_interleaved",
    "_lazy",
    "_compiled",
    "_arrays",
    "_columns",
    "_version",
    "document",
}
CORE = FOUNDATION | {"geometry", "release", "engine", "linking", "attacks", "schemes"}

# Each package and what it may import, besides itself.
MAY_IMPORT = {
    **dict.fromkeys(FOUNDATION, FOUNDATION),
    "geometry": FOUNDATION,
    "engine": FOUNDATION,
    "release": FOUNDATION | {"engine"},
    "linking": FOUNDATION | {"geometry", "engine", "release"},
    "attacks": FOUNDATION | {"geometry", "release", "engine", "linking"},
    "schemes": FOUNDATION | {"geometry", "release"},
    "packages": FOUNDATION | {"schemes"},
    "datasets": FOUNDATION,
    "io": FOUNDATION | {"schemes", "engine"},
    "preparation": FOUNDATION | {"io"},
    "audits": CORE | {"datasets"},
    "report": FOUNDATION | {"geometry", "linking", "attacks", "audits"},
    "reproduction": CORE | {"datasets", "audits", "report"},
    "transformers": FOUNDATION | {"schemes"},
    "_reports": CORE | {"io", "audits", "report"},
    "_interface": CORE | {"_reports", "io", "preparation", "audits", "report"},
    "__main__": {"cli"},
    "cli": CORE | {"_reports", "datasets", "io", "preparation", "audits", "report", "reproduction", "_interface"},
}

# Each dependency and the packages that may use it; NumPy is everyone's, the standard library too.
DEPENDENCIES = {
    "scipy": {"_random", "geometry", "release", "schemes", "linking", "attacks", "audits", "datasets"},
    "numba": {"_compiled", "geometry"},
    "threadpoolctl": {"engine"},
    "dask": {"engine"},
    "distributed": {"engine"},
    "pyarrow": {"_arrow", "io", "engine"},
    "narwhals": {"io"},
    "pandas": {"io", "packages.pymasq"},
    "polars": {"io"},
    "duckdb": {"io"},
    "lancedb": {"io"},
    "chromadb": {"io"},
    "qdrant_client": {"io"},
    "faiss": {"io"},
    "adbc_driver_sqlite": {"io"},
    "adbc_driver_postgresql": {"io"},
    "python_calamine": {"io"},
    "hadamask": {"packages.hadamask"},
    "ironcore_alloy": {"packages.ironcore_alloy"},
    "privrag": {"packages.privrag_guard"},
    "pymasq": {"packages.pymasq"},
    "quiver": {"packages.quiver_client"},
    "turboquant_vectors": {"packages.turboquant_vectors"},
    "wordllama": {"datasets"},
    "sklearn": {"preparation", "schemes", "transformers", "attacks", "audits"},
    "matplotlib": {"report", "reproduction"},
    "jinja2": {"report"},
    "markupsafe": {"report"},
    "rich": {"cli"},
    "click": {"cli"},
    "fpylll": {"geometry.lattice"},
    "cysignals": {"geometry.lattice"},
}

# Parts of the standard library that only engines use, and the packages whose passes go through an engine.
MACHINERY = {"concurrent": {"engine"}, "multiprocessing": {"engine"}, "subprocess": {"engine"}}
KERNELS = {"linking", "attacks", "audits", "reproduction"}

# Modules that are doors of their own: one needs an optional package, and both serve what seeks whole numbers alone.
OPEN = {"geometry.lattice", "geometry.integers"}

PRINTS, WRITES = {"cli"}, {"io", "engine"}
WRITERS = {"open", "write_text", "write_bytes", "mkdir", "rmdir", "touch", "unlink", "save", "savetxt", "tofile"}
WASTEBASKETS = {"utils", "helpers", "common", "misc", "util", "tools"}


def _module(path):
    """Dotted name inside the package: ``linking.chance``; ``linking`` for its __init__; empty for the package's own."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


_tree = cache(ast.parse)  # every rule looks at every module
SOURCES = {_module(path): path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
MODULES = sorted(set(SOURCES) - {""})


def _imports(tree):
    """Dotted names that the nodes of a tree import, relative ones with their dots."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            # "from isobreach import linking" imports the package linking, "from isobreach.linking import link" does not
            # say whether link is a module: either way the first name after isobreach is the package.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _top_level_imports(source):
    """What is imported as soon as the module is."""
    body = _tree(source).body
    return {name for node in body if isinstance(node, ast.Import | ast.ImportFrom) for name in _imports(node)}


def _calls(tree):
    """Names that are called, methods by their last name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _travellers(tree):
    """What is passed to an engine or its workers as kernel or task: the first argument, as a node."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            verb, owner = node.func.attr, ast.unparse(node.func.value)
            if verb in ("scan", "column", "derived") or (verb in ("run", "join") and "workers" in owner):
                yield node.args[0]


def _stays_behind(tree):
    """Kernels and tasks that cannot leave the process: all but names, and names of functions within functions."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    parts = (one for outer in functions for one in ast.walk(outer) if one is not outer)
    inner = {one.name for one in parts if isinstance(one, ast.FunctionDef)}
    for node in _travellers(tree):
        if not isinstance(node, ast.Name) or node.id in inner:
            yield ast.unparse(node)


def _constants(tree):
    """Text in the code of a module, its docstrings left out."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return {node.value for node in constants if isinstance(node.value, str)}


def _gathered_whole(tree):
    """Engines of which all rows are gathered, as if they were few."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "gather":
            owner = ast.unparse(node.func.value)
            if ast.unparse(node.args[0]) == f"np.arange({owner}.shape[0])":
                yield owner


@cache
def _exported(package):
    """Names that a package's __init__ imports or defines."""
    tree = _tree(SOURCES[package])
    later = [node for part in tree.body if isinstance(part, ast.If) for node in part.body]  # for the type checker
    imports = [node for node in [*tree.body, *later] if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in imports for alias in node.names}
    return imported | {node.name for node in tree.body if hasattr(node, "name")}


def _behind_a_door(module, name):
    """The package whose inside is imported from outside of it: its names are to be had from its __init__ alone."""
    base, _, last = name.rpartition(".")
    found = base if (base in SOURCES and last in _exported(base)) or name not in SOURCES else name
    while found in SOURCES and (package := found.rpartition(".")[0]):
        if not f"{module}.".startswith(f"{package}."):
            return None if found in OPEN else package
        found = package
    return None


def violations(module, source):
    """Sentences, one for each rule that the module breaks."""
    tree = _tree(source)
    package = module.partition(".")[0]
    found = []
    for name in _imports(tree):
        top, _, rest = name.partition(".")
        if not top:
            found.append("imports relatively")
        elif top == "isobreach":
            inner = rest.partition(".")[0]
            if inner not in MAY_IMPORT[package] | {package}:
                found.append(f"imports {inner}")
            elif door := _behind_a_door(module, rest):
                found.append(f"imports what is behind {door}")
        elif top in MACHINERY and package not in MACHINERY[top]:
            found.append(f"imports {top}: use an engine's workers")
        elif top in DEPENDENCIES:
            if not {module, package} & DEPENDENCIES[top]:
                found.append(f"imports {top}")
        elif top != "numpy" and top not in sys.stdlib_module_names:
            found.append(f"imports {top}, which is no dependency")
    if package in KERNELS:
        found += [f"passes {name}, which cannot leave the process" for name in _stays_behind(tree)]
        found += [f"gathers all rows of {name}: use everything" for name in _gathered_whole(tree)]
    called = set(_calls(tree))
    if "print" in called and package not in PRINTS:
        found.append("prints")
    if package not in WRITES:
        found += [f"touches files: {name}()" for name in sorted(called & WRITERS)]
    if WASTEBASKETS & set(module.split(".")):
        found.append("has a name that says nothing")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_a_module_keeps_the_rules(module):
    assert violations(module, SOURCES[module]) == []


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("geometry.sphere", "import scipy.special\nfrom isobreach.errors import InputError", []),
        ("geometry.sphere", "from isobreach.linking import link", ["imports linking"]),
        ("geometry.sphere", "from isobreach import engine", ["imports engine"]),
        ("attacks.known_input", "def f():\n    from isobreach.schemes.key import Key", ["imports schemes"]),
        ("schemes.key", "import isobreach.attacks.known_input.summary", ["imports attacks"]),
        ("linking.chance", "from . import candidates", ["imports relatively"]),
        ("linking.chance", "import pandas as pd", ["imports pandas"]),
        ("linking.chance", "import requests", ["imports requests, which is no dependency"]),
        ("geometry.lattice", "import fpylll", []),
        ("geometry.motion", "import fpylll", ["imports fpylll"]),
        ("report.page", "import rich", ["imports rich"]),
        ("report.page", "from isobreach import reproduction", ["imports reproduction"]),
        ("_interface", "from isobreach.reproduction import experiment", ["imports reproduction"]),
        ("linking.chance", "print(1)", ["prints"]),
        ("cli.console", "print(1)", []),
        ("report.page", "open(p).read(); p.write_text(q)", ["touches files: open()", "touches files: write_text()"]),
        ("io.files", "open(p)", []),
        ("linking.utils", "", ["has a name that says nothing"]),
        ("audits.study", "from isobreach.engine import tiles", []),
        ("audits.study", "from isobreach.engine.threads import run_in_order", ["imports what is behind engine"]),
        ("audits.study", "from isobreach.linking.chance import Rates", ["imports what is behind linking"]),
        ("linking.linker", "from isobreach.linking.chance import Rates", []),
        (
            "linking.linker",
            "from isobreach.linking.chance.rates import Rates",
            ["imports what is behind linking.chance"],
        ),
        ("linking.chance.matches", "from isobreach.linking.chance.rates import Rates", []),
        ("linking.problem", "from isobreach.linking.search import backbone", []),
        ("attacks.kaplan", "e.gather(np.arange(e.shape[0]))", ["gathers all rows of e: use everything"]),
        ("attacks.kaplan", "e.gather(np.arange(5))", []),
        ("audits.study", "import concurrent.futures", ["imports concurrent: use an engine's workers"]),
        ("linking.pairs", "def k(b, f, p): ...\ndef g(e): e.scan(k, 1, 'x')", []),
        (
            "linking.pairs",
            "def g(e):\n    def k(b, f, p): ...\n    e.column(k, 1, 'x')",
            ["passes k, which cannot leave the process"],
        ),
        (
            "attacks.kaplan",
            "default_workers().run(partial(f, 1), [])\nself.workers.join(self.f, 1)\ne.scan(lambda b: b, 1, 'x')",
            [
                "passes partial(f, 1), which cannot leave the process",
                "passes self.f, which cannot leave the process",
                "passes lambda b: b, which cannot leave the process",
            ],
        ),
    ],
)
def test_the_rules_catch_what_they_should(module, source, found):
    assert violations(module, source) == found


def test_every_package_has_its_rule():
    assert {module.partition(".")[0] for module in MODULES} <= set(MAY_IMPORT)


def test_the_package_itself_imports_nothing_when_it_is_imported():
    """Its names are loaded when first used; the imports for type checkers do not run."""
    names = _top_level_imports(SOURCES[""]) - {"isobreach._version.__version__"}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


# One file a scheme or an attack, each by its own name: a list of them would only repeat the folder.
LISTED_BY_FOLDER = {"schemes", "packages"}


def test_the_architecture_page_names_every_module():
    page = (ROOT.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    attacks = {f"attacks.{name.replace('-', '_')}" for name in ATTACKS}
    names = {
        module: module.rpartition(".")[2]
        for module in set(MODULES) - attacks - {"__main__"}
        if module.partition(".")[0] not in LISTED_BY_FOLDER
    }
    assert sorted(module for module, name in names.items() if not re.search(rf"\b{name}\b", page)) == []


def _classes(sources):
    """Names of classes that others may import, and the modules that define them."""
    found = {}
    for module, source in sources.items():
        for node in _tree(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(module)
    return found


def test_the_name_of_a_class_stands_for_one_thing():
    assert [(name, modules) for name, modules in _classes(SOURCES).items() if len(modules) > 1] == []


def test_two_classes_of_one_name_are_noticed():
    assert _classes({"io.tables": "class Table: ...", "document": "class Table: ...\nclass _Own: ..."}) == {
        "Table": ["io.tables", "document"]
    }


# Who holds all released rows at once, as ARCHITECTURE.md lists them; everyone else looks at blocks of them.
HOLD_ALL_ROWS = {
    "linking.candidates.by_norm",
    "attacks.lateration",
    "attacks.alignment.refitting",
    "attacks.known_input.refining",
    "io.scans",
}


def _holds_all_rows(tree):
    """Whether an engine is asked for all of its rows, or a kernel hands over the blocks themselves."""
    kernels = {node.id for node in _travellers(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "everything" and node.args:
            return True
        if isinstance(node, ast.FunctionDef) and node.name in kernels:
            block = node.args.args[0].arg
            ends = [one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value is not None]
            if any(ast.unparse(end) in (block, f"{block}.copy()", f"np.array({block})") for end in ends):
                return True
    return False


def test_all_rows_are_held_at_once_only_where_the_architecture_says_so():
    outside = [module for module in MODULES if module.partition(".")[0] != "engine"]
    assert {module for module in outside if _holds_all_rows(_tree(SOURCES[module]))} == HOLD_ALL_ROWS


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        ("def f(e): return e.everything('a reason')", True),
        ("def k(block, first_row, params): return block\ndef f(e): return list(e.scan(k, None, 'x'))", True),
        ("def k(block, first_row, params): return block.sum()\ndef f(e): return list(e.scan(k, None, 'x'))", False),
    ],
)
def test_holding_all_rows_is_noticed(source, holds):
    assert _holds_all_rows(_tree(source)) == holds


def test_imports_between_modules_have_no_cycle():
    graph = {}
    for module in MODULES:
        needs = {name.removeprefix("isobreach.") for name in _top_level_imports(SOURCES[module])}
        # A name may be a module or something in one; a package's own modules do not wait for its __init__.
        needs = {name if name in SOURCES else name.rpartition(".")[0] for name in needs}
        graph[module] = {name for name in needs if name in SOURCES and not module.startswith(f"{name}.")} - {module, ""}
    assert set(TopologicalSorter(graph).static_order()) >= set(MODULES)


# The attack that audits always play by insiders, and that the command line takes where no method is named.
INSIDERS = "known-input"
# Random streams and extras have names of their own, and the figures of the paper are called by what they compare.
NAMED_FOR_OTHER_REASONS = {"_random", "reproduction", "geometry"}
# Where Kaplan's descent is handed out, which the paper is compared with; and an estimate by regression.
FAMILIAR = {"attacks": {"kaplan"}, "attacks.refine.recipes": {"regression"}}


@pytest.mark.parametrize("module", [name for name in MODULES if name.partition(".")[0] not in NAMED_FOR_OTHER_REASONS])
def test_no_attack_is_named_outside_its_own_module(module):
    """A new attack is one file: whoever names one elsewhere would have to be changed for the next."""
    package, _, inner = module.partition(".")
    own = inner.partition(".")[0].replace("_", "-") if package == "attacks" else ""
    attacks = [ATTACKS[name] for name in ATTACKS if ATTACKS.built_in(name) and name not in (INSIDERS, own)]
    names = {attack.name for attack in attacks} - {*SCHEMES} - FAMILIAR.get(module, set())
    said = _constants(_tree(SOURCES[module]))
    assert not names & said
    if package != "attacks":  # one may say that another suits a release better
        titles = {title for attack in attacks for title in (attack.title, attack.plain) if title.endswith(" attack")}
        assert not [title for title in titles if any(title.lower() in text.lower() for text in said)]


# Motions, a kind of noise and public transforms have the names of schemes, and an attack that of one.
MEANT_OTHERWISE = {"orthogonal", "rigid", "ball", "dct", "dft", "permutation"}
DECIDES = {"geometry", "release", "engine", "linking", "attacks", "audits", "report", "_reports", "_interface", "cli"}


def _schemes_named(source):
    """Schemes whose name stands in the code, or whose class is asked for: the release model is what decides."""
    tree = _tree(source)
    classes = {type(SCHEMES[name]).__name__ for name in SCHEMES if SCHEMES.built_in(name)}
    asked = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"]
    names = {getattr(one, "id", "") for node in asked for one in ast.walk(node.args[1])}
    for node in ast.walk(tree):  # what a scheme is called, compared with a name that may mean a motion elsewhere
        sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        if any(re.search(r"\bscheme(\.name|\.label)?$", ast.unparse(side)) for side in sides):
            names |= {one.value for side in sides for one in ast.walk(side) if isinstance(one, ast.Constant)} & {
                *SCHEMES
            }
    return (_constants(tree) & {*SCHEMES} - MEANT_OTHERWISE) | (names & {*classes, *SCHEMES})


@pytest.mark.parametrize("module", [name for name in MODULES if name.partition(".")[0] in DECIDES])
def test_nothing_asks_which_scheme_it_was(module):
    assert _schemes_named(SOURCES[module]) == set()


def test_asking_for_a_scheme_is_noticed():
    source = (
        "Rigid()\nif scheme.name == 'k-anonymity' or isinstance(scheme, Noisy) or result.scheme in ('rigid', 'x'): y"
    )
    assert _schemes_named(source) == {"k-anonymity", "Noisy", "rigid"}
    assert _schemes_named("if motion == 'rigid' and scheme.noise: x") == set()


CALCULATES = {"geometry", "release", "linking", "attacks", "audits", "schemes", "engine"}


def _numbers(source):
    """Assignments of plain numbers, or of tuples of them, at the top of a module."""
    for node in _tree(source).body:
        if isinstance(node, ast.Assign) and all(
            isinstance(one, ast.Constant | ast.UnaryOp | ast.BinOp | ast.Tuple | ast.operator | ast.unaryop | ast.Load)
            and not (isinstance(one, ast.Constant) and not isinstance(one.value, int | float))
            for one in ast.walk(node.value)
        ):
            yield node


def _without_reason(source):
    """Numbers at the top of a module that no comment explains, on their line or above: a block may share one."""
    lines, explained, found, last = source.splitlines(), False, [], 0
    for node in _numbers(source):
        above = lines[node.lineno - 2].startswith("#")
        explained = above or (explained and node.lineno == last + 1)
        last = node.end_lineno
        if not explained and "  # " not in lines[last - 1]:
            found.append(ast.unparse(node))
    return found


NUMBERS = {"int", "float", "tuple"}


def _fields_without_reason(source):
    """Fields of records of numbers that neither a comment nor the docstring explains; a block may share a comment."""
    lines, found = source.splitlines(), []
    for record in (node for node in _tree(source).body if isinstance(node, ast.ClassDef)):
        fields = [node for node in record.body if isinstance(node, ast.AnnAssign)]
        names = {one.id for field in fields for one in ast.walk(field.annotation) if isinstance(one, ast.Name)}
        values = [field.value for field in fields]
        if not fields or any(one is None or isinstance(one, ast.Call) for one in values) or not names <= NUMBERS:
            continue
        text, explained, last = ast.get_docstring(record) or "", False, 0
        for field in fields:
            above = lines[field.lineno - 2].strip().startswith("#")
            explained = above or (explained and field.lineno == last + 1)
            last, name = field.end_lineno, field.target.id
            beside = any("  # " in line for line in lines[field.lineno - 1 : last])
            if not (explained or beside or re.search(rf"^(\w+, )*{name}(, \w+)*$|``{name}``", text, flags=re.M)):
                found.append(f"{record.name}.{name}")
    return found


TUNED = {"linking", "attacks", "release", "preparation"}


@pytest.mark.parametrize("module", [name for name in MODULES if name.partition(".")[0] in TUNED])
def test_numbers_that_tune_one_algorithm_are_a_record(module):
    """Two may be of two things; more are one thing's."""
    assert len([one for one in _numbers(SOURCES[module]) if not isinstance(one.value, ast.Tuple)]) < 3


@pytest.mark.parametrize("module", [name for name in MODULES if name.partition(".")[0] in CALCULATES])
def test_every_tuning_constant_has_its_reason(module):
    assert _without_reason(SOURCES[module]) == []
    assert _fields_without_reason(SOURCES[module]) == []


def test_a_number_without_a_reason_is_noticed():
    source = "A = 5\n# Set by hand.\nB = 1\nC = 2.0**-3\n\nD = (1, 2)\nE = 1e-3  # of a step\nF = 'x'\n"
    assert _without_reason(source) == ["A = 5", "D = (1, 2)"]
    fields = ("a: int = 5", "# Of all.", "b: int = 1", "c: int = 2", "", "d: int = 3  # set by hand", "e: int = 4")
    source = "\n    ".join(["class Tuning:", '"""See ``e``."""', *fields])
    assert _fields_without_reason(source) == ["Tuning.a"]
    assert _fields_without_reason("class Found:\n    rows: int\n    noise: float = 0.0\n") == []


def test_every_attack_and_scheme_is_listed_without_being_imported():
    code = (
        "import sys; from isobreach._registry import ATTACKS, SCHEMES\n"
        "for all in (ATTACKS, SCHEMES): assert [all.summary(name) for name in all if all.built_in(name)]\n"
        "print(sorted({'numpy', 'numba', 'isobreach.attacks', 'isobreach.schemes'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("package", ["attacks", "report"])
def test_names_that_are_loaded_late_are_those_that_are_declared(package):
    """In a process that has loaded nothing yet; none is the module of the same name."""
    code = f"""
from isobreach import {package}
import ast, inspect, types
tree = ast.parse(inspect.getsource({package}))
declared = {{a.name for part in tree.body if isinstance(part, ast.If) for one in part.body for a in one.names}}
assert declared <= set({package}.__all__), declared
for name in sorted({package}.__all__):
    assert not isinstance(getattr({package}, name), types.ModuleType), name
try:
    {package}.no_such_name
except AttributeError:
    print("fine")
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "fine\n"
