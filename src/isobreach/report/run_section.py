# SPDX-License-Identifier: BSD-3-Clause
"""How to run it again, as a section of any document."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from isobreach._phrases import day
from isobreach.document import Document, Fact, Facts, Section


def with_run(document: Document, run: Mapping[str, Any], table: str, when: date) -> Document:
    """Return the document as a page: called by its table and day, with what the run was made of as its last section.

    Parameters
    ----------
    document
        What there is to say.
    run
        The record of the run.
    table, when
        What the table is called, and the day of the run.
    """
    again = Facts("What the run was made of", run_facts(run))
    sections = (*document.sections, Section("How to run it again", (again,)))
    return replace(document, title=f"{table}, {day(when)}", kind=document.title, sections=sections)


def run_facts(run: Mapping[str, Any]) -> tuple[Fact, ...]:
    """What a run was made of; parameters only where no command line says the same."""
    facts = [Fact("seed", str(run["seed"]))]
    if "command_line" not in run:
        facts.insert(0, Fact("command", str(run["command"])))
        facts += [Fact(name, str(value)) for name, value in run["parameters"].items() if value is not None]
    facts += [Fact(f"{role}: {entry['name']}", entry["hash"]) for role, entry in run["inputs"].items()]
    return (*facts, Fact("versions", ", ".join(f"{name} {value}" for name, value in run["versions"].items())))
