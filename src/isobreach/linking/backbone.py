# SPDX-License-Identifier: BSD-3-Clause
"""What all largest valid assignments agree on, and the paper's maximal uniquely valid set.

*Backbone*: the records whose value is the same in every largest valid assignment. If all known records are in the
release, the true assignment is among these, so every backbone link is certain.

*Maximal uniquely valid set* (the goal of the paper's Algorithm 1): closed under union, hence unique, and reached without
a search over subsets: F(0) is all records, F(t+1) the records of F(t) whose value is the same in every valid assignment
of F(t), until nothing changes. F(1) is the backbone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isobreach.linking.assignment import Budget, Domains, Geometry, Outcome, largest_assignments

IntArray = NDArray[np.int64]

# Assignments listed before agreement is asked record by record instead.
_CAP = 2048


@dataclass(frozen=True)
class Agreement:
    """Per record: the values it has in largest assignments, and whether it is in all of them.

    ``possible[i]`` is a superset of the true set where the assignments were too many to list. ``links[i]`` is the one
    value of a backbone record. Records that are in no largest assignment have no possible value.
    """

    links: dict[int, int]
    possible: dict[int, IntArray]
    size: int
    complete: bool


def backbone(geometry: Geometry, lists: dict[int, IntArray], budget: Budget) -> Agreement:
    """Agreement of the largest valid assignments of the records in ``lists`` (record -> candidate values)."""
    domains = Domains.from_lists(lists)
    found = _largest(geometry, domains, budget)
    if not found.complete:
        return Agreement({}, {r: v for r, v in lists.items() if len(v)}, found.size, complete=False)
    if found.exhaustive:
        return _listed(found)
    return _asked(geometry, lists, found, budget)


def _largest(geometry: Geometry, domains: Domains, budget: Budget) -> Outcome:
    # Usually every record that has a candidate is there: look for such an assignment first, it prunes most.
    found = largest_assignments(geometry, domains, least=len(domains.records), cap=_CAP, budget=budget)
    if found.assignments or not found.complete:
        return found
    return largest_assignments(geometry, domains, least=1, cap=_CAP, budget=budget)


def _listed(found: Outcome) -> Agreement:
    possible: dict[int, IntArray] = {}
    links: dict[int, int] = {}
    for record in sorted(set().union(*found.assignments)):
        images = [assignment.get(record, -1) for assignment in found.assignments]
        values = np.unique([v for v in images if v >= 0])
        possible[record] = values
        if len(values) == 1 and min(images) >= 0:
            links[record] = int(values[0])
    return Agreement(links, possible, found.size, complete=True)


def _asked(geometry: Geometry, lists: dict[int, IntArray], found: Outcome, budget: Budget) -> Agreement:
    """Too many assignments to list: ask of each record whether a largest one exists without its present value."""
    undecided = set(found.assignments[0].items())
    for assignment in found.assignments:
        undecided &= assignment.items()
    links: dict[int, int] = {}
    complete = True
    while undecided:
        record, value = min(undecided)
        undecided.discard((record, value))
        others = Domains.from_lists({**lists, record: lists[record][lists[record] != value]})
        other = largest_assignments(geometry, others, least=found.size, cap=1, budget=budget)
        complete = complete and other.complete
        if other.assignments:
            undecided &= other.assignments[0].items()
        elif other.complete:
            links[record] = value
    placed = set().union(*found.assignments)
    possible = {}
    for record, values in lists.items():
        there, decided = (True, True) if record in placed else _placed(geometry, lists, record, found.size, budget)
        complete = complete and decided
        if len(values) and there:
            possible[record] = np.array([links[record]]) if record in links else values
    return Agreement(links, possible, found.size, complete)


def _placed(geometry: Geometry, lists: dict[int, IntArray], record: int, size: int, budget: Budget) -> tuple[bool, bool]:
    """Whether some largest assignment contains the record (yes where unknown), and whether that could be decided."""
    domains = Domains.from_lists(lists)
    for value in lists[record]:
        rest = domains.agreeing(geometry, record, int(value))
        found = largest_assignments(geometry, rest, least=size - 1, cap=1, budget=budget)
        if found.assignments or not found.complete:
            return True, found.complete
    return False, True


def uniquely_valid(geometry: Geometry, lists: dict[int, IntArray], first: Agreement, budget: Budget) -> Agreement:
    """The maximal uniquely valid set, starting from the backbone ``first``; what is possible stays as it is there."""
    field, links = len(lists), first.links
    while links and len(links) < field:
        field = len(links)
        narrower = backbone(geometry, {r: lists[r] for r in links}, budget)
        if not narrower.complete:
            return Agreement({}, first.possible, first.size, complete=False)
        links = narrower.links
    return Agreement(links, first.possible, first.size, first.complete)
