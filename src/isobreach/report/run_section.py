# SPDX-License-Identifier: BSD-3-Clause
"""How to run it again, as a section of any document."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from isobreach.document import Document, Fact, Facts, Section


def with_run(document: Document, run: Mapping[str, Any]) -> Document:
    """Return the document with a last section: what the run was made of.

    Parameters
    ----------
    document
        What there is to say.
    run
        The record of the run.
    """
    again = Facts("What the run was made of", run_facts(run))
    return replace(document, sections=(*document.sections, Section("How to run it again", (again,))))


def run_facts(run: Mapping[str, Any]) -> tuple[Fact, ...]:
    """What a run was made of; parameters only where no command line says the same."""
    facts = [Fact("seed", str(run["seed"]))]
    if "command_line" not in run:
        facts.insert(0, Fact("command", str(run["command"])))
        facts += [Fact(name, str(value)) for name, value in run["parameters"].items() if value is not None]
    facts += [Fact(f"{role}: {entry['name']}", entry["hash"]) for role, entry in run["inputs"].items()]
    return (*facts, Fact("versions", ", ".join(f"{name} {value}" for name, value in run["versions"].items())))
