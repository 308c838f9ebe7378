# SPDX-License-Identifier: BSD-3-Clause
"""What all largest valid assignments agree on, and the paper's maximal uniquely valid set.

*Backbone*: the records whose value is the same in every largest valid assignment. If all known records are in the
release, the true assignment is among these, so every backbone link is certain.

*Maximal uniquely valid set* (the goal of the paper's Algorithm 1): closed under union, hence unique, and reached
without a search over subsets: F(0) is all records, F(t+1) the records of F(t) whose value is the same in every valid
assignment of F(t), until nothing changes. F(1) is the backbone.
"""

from dataclasses import dataclass

import numpy as np

from isobreach._arrays import IntArray
from isobreach.linking.search.assignment import Search, SearchOutcome


@dataclass(frozen=True)
class Listing:
    """How far assignments are listed.

    Attributes
    ----------
    most
        Assignments that are listed; with more, agreement is asked record by record. Where there are thousands, most
        records differ in some of them, and a search for each record that is left costs less than the list.
    """

    most: int = 2048


_LISTING = Listing()


@dataclass(frozen=True, eq=False)
class Agreement:
    """Per record: the values it has in largest assignments, and whether it is in all of them.

    ``possible[i]`` is a superset of the true set where the assignments were too many to list. ``links[i]`` is the one
    value of a backbone record. Records that are in no largest assignment have no possible value. ``limit``: what there
    was too much of, where the search was cut short by memory.
    """

    links: dict[int, int]
    possible: dict[int, IntArray]
    size: int
    complete: bool
    limit: str = ""


def backbone(search: Search) -> Agreement:
    """What the largest valid assignments agree on."""
    found = _largest(search)
    if not found.complete:
        domains = search.domains
        possible = {int(r): domains.of(k) for k, r in enumerate(domains.records)}
        return Agreement({}, possible, found.size, complete=False)
    return _listed(found) if found.exhaustive else _asked(search, found)


def _largest(search: Search) -> SearchOutcome:
    # Usually every record that has a candidate is there: look for such an assignment first, it prunes most.
    found = search.largest(least=len(search.domains.records), cap=_LISTING.most)
    if found.assignments or not found.complete:
        return found
    return search.largest(least=1, cap=_LISTING.most)


def _listed(found: SearchOutcome) -> Agreement:
    if len(found.assignments) == 1:
        (only,) = found.assignments
        return Agreement(dict(only), {r: np.array([v]) for r, v in only.items()}, found.size, complete=True)
    images: dict[int, list[int]] = {}
    for assignment in found.assignments:
        for record, value in assignment.items():
            images.setdefault(record, []).append(value)
    everywhere = len(found.assignments)
    links = {r: v[0] for r, v in images.items() if len(v) == everywhere and len(set(v)) == 1}
    possible = {r: np.array(sorted(set(v))) for r, v in images.items()}
    return Agreement(links, possible, found.size, complete=True)


def _asked(search: Search, found: SearchOutcome) -> Agreement:
    """Too many assignments to list: ask of each record whether a largest one exists without its present value."""
    undecided = set(found.assignments[0].items())
    for assignment in found.assignments:
        undecided &= assignment.items()
    links: dict[int, int] = {}
    complete = True
    while undecided:
        record, value = min(undecided)
        undecided.discard((record, value))
        other = search.another(record, value, found.size)
        complete = complete and other.complete
        if other.assignments:
            undecided &= other.assignments[0].items()
        elif other.complete:
            links[record] = value
    possible = {}
    placed = set().union(*found.assignments)
    for k, record in enumerate(search.domains.records.tolist()):
        there, decided = (True, True) if record in placed else _placed(search, record, search.domains.of(k), found.size)
        complete = complete and decided
        if there:
            possible[record] = np.array([links[record]]) if record in links else search.domains.of(k)
    return Agreement(links, possible, found.size, complete)


def _placed(search: Search, record: int, values: IntArray, size: int) -> tuple[bool, bool]:
    """Whether some largest assignment contains the record (yes where unknown), and whether that could be decided."""
    for value in values.tolist():
        found = search.containing(record, value, size)
        if found.assignments or not found.complete:
            return True, found.complete
    return False, True


def uniquely_valid(search: Search, lists: dict[int, IntArray], first: Agreement) -> Agreement:
    """The maximal uniquely valid set, starting from the backbone ``first``; what is possible stays as it is there."""
    field, links = len(lists), first.links
    while links and len(links) < field:
        field = len(links)
        narrower = Search(search.geometry, {r: lists[r] for r in links}, search.budget)
        agreement = backbone(narrower)
        if not agreement.complete:
            return Agreement({}, first.possible, first.size, complete=False)
        links = agreement.links
    return Agreement(links, first.possible, first.size, first.complete)
