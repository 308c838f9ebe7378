# SPDX-License-Identifier: BSD-3-Clause
"""Independent answers to compare with: slow, literal, and written from the definitions alone.

Nothing here imports isobreach. Records are rows; a released table is ``X @ M.T`` in another row order.
"""

from functools import cache
from itertools import combinations
from math import acos, pi, sqrt

import numpy as np
from scipy.stats import beta

# --- spheres ---------------------------------------------------------------------------------------------------------


def sphere_points(h, count, rng):
    """Points drawn uniformly from the unit sphere in h dimensions."""
    points = rng.standard_normal((count, h))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def guess_probability(radius, d, c, h):
    """P(|guess - u| <= c) for u uniform on the sphere of radius d in h dimensions and a guess at the given radius.

    |guess - u|^2 = radius^2 + d^2 - 2 radius d t with t = cos of their angle, and (1 + t)/2 ~ Beta((h-1)/2, (h-1)/2).
    """
    if radius == 0:
        return float(d <= c)
    t = (radius**2 + d**2 - c**2) / (2 * radius * d)
    if h == 1:
        return 0.5 * (t <= 1) + 0.5 * (t <= -1)
    return beta.sf((1 + t) / 2, (h - 1) / 2, (h - 1) / 2)


@cache
def _gr(m):
    return {1: sqrt(pi) / 2, 2: 2 / sqrt(pi)}.get(m) or m / (m - 1) * _gr(m - 2)


def _si(z, m):
    if m == 1:
        return acos(z)
    if m == 2:
        return 1 - z
    return (m - 2) / (m - 1) * _si(z, m - 2) - z * (1 - z**2) ** ((m - 2) / 2) / (m - 1)


def printed_rho(residual, norm, h, epsilon):
    """The paper's closed form with its recursions GR and SI, as printed on its last pages."""
    c, d = norm * epsilon, residual
    if h == 0 or c >= 2 * d:
        return 1.0
    if h == 1:
        return 0.5
    t = (c / (d * sqrt(2))) ** 2
    upper = d * sqrt(2) < c
    z = t - 1 if upper else 1 - t
    small = acos(z) / pi if h == 2 else (h - 1) * _gr(h) / (h * sqrt(pi)) * _si(z, h)
    return 1 - small if upper else small


# --- planted motions -------------------------------------------------------------------------------------------------


def rotation(n, rng):
    """An orthogonal matrix of order n."""
    return np.linalg.qr(rng.standard_normal((n, n)))[0]


def plant(records, rng):
    """Release the records through a random rotation, shuffled: (released, order), record i in row order[i]."""
    order = rng.permutation(len(records))
    released = np.empty(records.shape)
    released[order] = records @ rotation(records.shape[1], rng).T
    return released, order


# --- linking ---------------------------------------------------------------------------------------------------------


def integer_case(seed):
    """A small coarse table and known records: duplicates in both; in every other case records that may be absent.

    Half of the cases are larger and of few values: many symmetries, hence many valid assignments.
    """
    rng = np.random.default_rng(seed)
    if seed % 4 < 2:
        n, m, a, low, top = rng.integers(2, 5), rng.integers(5, 10), rng.integers(3, 6), -rng.integers(2), 1
    else:
        n, m, a, low, top = rng.integers(1, 5), rng.integers(2, 10), rng.integers(1, 6), 0, rng.integers(1, 4)
    table = rng.integers(low, top + 1, (m, n))
    if seed % 3 == 0:
        table[rng.integers(0, m, 2)] = table[rng.integers(0, m, 2)]
    known = table[rng.permutation(m)[:a] if seed % 5 else rng.integers(0, m, a)]
    if seed % 2:
        strange = rng.random(len(known)) < 0.4
        known[strange] = rng.integers(low, top + 1, known.shape)[strange]
    return known, table


def all_present(known, table):
    return {tuple(row) for row in known.tolist()} <= {tuple(row) for row in table.tolist()}


def _distinct(table):
    """Distinct rows, first come first, and the places where each stands."""
    places = {}
    for i, row in enumerate(table.tolist()):
        places.setdefault(tuple(row), []).append(i)
    return np.array(list(places)), list(places.values())


def _squares(rows):
    return ((rows[:, None] - rows[None]) ** 2).sum(axis=2).tolist()


class Assignments:
    """Valid assignments between distinct integer rows, by enumeration; by distances alone if norms are not kept."""

    def __init__(self, known, released, *, norms_kept=True):
        self.known_norms, self.norms = (norms_kept * (rows**2).sum(axis=1) for rows in (known, released))
        self.known_gaps, self.gaps = _squares(known), _squares(released)

    def largest(self, records):
        """All valid assignments of the largest possible number of the records, each as {record: value}."""
        best, found = 0, []

        def extend(place, chosen):
            nonlocal best, found
            if len(chosen) + len(records) - place < best:
                return
            if place == len(records):
                if len(chosen) > best:
                    best, found = len(chosen), []
                found.append(dict(chosen))
                return
            record = records[place]
            for value, norm in enumerate(self.norms):
                if norm == self.known_norms[record] and all(
                    self.gaps[value][v] == self.known_gaps[record][r] for r, v in chosen.items()
                ):
                    extend(place + 1, {**chosen, record: value})
            extend(place + 1, chosen)

        extend(0, {})
        return found

    def agreed(self, records):
        """What all largest assignments of the records agree on."""
        found = self.largest(records)
        return dict(set(found[0].items()).intersection(*(f.items() for f in found)))

    def fixpoint(self, records):
        """F(t+1) = the records of F(t) on which all largest assignments of F(t) agree, until nothing changes."""
        links = self.agreed(records)
        while len(links) < len(records):
            records = sorted(links)
            links = self.agreed(records)
        return links

    def uniquely_valid_by_subsets(self, count):
        """The paper's definition: the largest subset with exactly one valid assignment, by search over all subsets."""
        for size in range(count, 0, -1):
            unique = []
            for subset in combinations(range(count), size):
                whole = [f for f in self.largest(subset) if len(f) == size]
                if len(whole) == 1:
                    unique.append(whole[0])
            if unique:
                assert len(unique) == 1, "the maximal uniquely valid set is unique"
                return unique[0]
        return {}


def link_by_enumeration(known, released, rule, *, norms_kept=True):
    """(rows, status, candidates as sets) of the known records, integer tables, exact arithmetic."""
    values, places = _distinct(released)
    records, which = _distinct(known)
    search = Assignments(records, values, norms_kept=norms_kept)
    everyone = list(range(len(records)))
    links = search.agreed(everyone) if rule == "backbone" else search.fixpoint(everyone)
    possible = {r: {f[r] for f in search.largest(everyone) if r in f} for r in everyone}
    rows, status, candidates = ([None] * len(known) for _ in range(3))
    for record in everyone:
        for i in which[record]:
            rows[i] = places[links[record]][0] if record in links else -1
            status[i] = "linked" if record in links else "ambiguous" if possible[record] else "absent"
            candidates[i] = {row for value in possible[record] for row in places[value]}
    return rows, status, candidates


def uniquely_valid_rows(known, released):
    """Rows of the paper's maximal uniquely valid set, -1 elsewhere, by its own definition."""
    values, places = _distinct(released)
    records, which = _distinct(known)
    links = Assignments(records, values).uniquely_valid_by_subsets(len(records))
    rows = [-1] * len(known)
    for record, value in links.items():
        for i in which[record]:
            rows[i] = places[value][0]
    return rows


# --- releases that keep no distances ---------------------------------------------------------------------------------


def row_mixed(records, rng):
    """Random orthogonal matrix masking (Ting 2008): Y = T X, T orthogonal of order m with T 1 = 1, uniformly.

    Keeps column means and covariances; a released row is a mixture of all records, and distances are gone.
    """
    m = len(records)
    centred = np.linalg.qr(np.column_stack([np.ones(m), np.eye(m)[:, 1:]]))[0][:, 1:]  # a basis of 1's complement
    q, r = np.linalg.qr(rng.standard_normal((m - 1, m - 1)))
    return records.mean(axis=0) + centred @ ((q * np.sign(np.diag(r))) @ (centred.T @ records))


def aspe(records, rng):
    """ASPE (Wong 2009): rows (p, -|p|^2 / 2) M in another order, M an invertible matrix of order n + 1.

    Answers which of two records is nearer to an encrypted query; keeps neither norms nor distances.
    """
    wide = np.column_stack([records, -(records**2).sum(axis=1) / 2])
    return rng.permutation(wide @ rng.standard_normal((wide.shape[1], wide.shape[1])))


# --- partial records -------------------------------------------------------------------------------------------------


def possible_rows(record, linked, linked_rows, released, motion, tolerance=1e-7):
    """(rows that a record with NaN could be, whether links determine it): try every row.

    A row is possible if the unknown numbers can be chosen so that its inner products with all linked rows, and its
    norm, are those of the record with the linked records. Behind a translation: of differences from the first link.
    """
    if motion != "orthogonal" and len(linked):
        record, linked = record - linked[0], linked[1:] - linked[0]
        released, linked_rows = released - linked_rows[0], linked_rows[1:] - linked_rows[0]
    unknown = np.isnan(record)
    if not len(linked):
        return [], False
    coefficients, has = linked[:, unknown], record[~unknown]
    strength = np.linalg.svd(coefficients, compute_uv=False)
    determined = len(linked) >= unknown.sum() and strength[-1] > 0.02 * np.linalg.norm(linked, 2)
    possible = []
    for number, row in enumerate(released):
        wanted = linked_rows @ row - linked[:, ~unknown] @ has
        solution = np.linalg.lstsq(coefficients, wanted, rcond=1e-9)[0]
        scale = np.linalg.norm(linked, 2) * max(np.linalg.norm(row), np.linalg.norm(has), 1.0)
        left = row @ row - has @ has - solution @ solution
        length = max(row @ row, has @ has, solution @ solution, 1.0)
        holds = abs(left) <= tolerance * length if determined else left >= -tolerance * length
        if holds and np.linalg.norm(coefficients @ solution - wanted) <= tolerance * scale:
            possible.append(number)
    return possible, bool(determined)
