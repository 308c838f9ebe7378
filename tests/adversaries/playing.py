# SPDX-License-Identifier: BSD-3-Clause
"""Who the adversaries are, what each of them gets, and how well each of them does.

They attack the very releases that an audit attacks, its splits of the table, with the insiders and the sample of these:
luck with a release is then nobody's, and what one of them gets beyond the audit is skill.

An adversary is a module of this folder with a function ``estimates(released, *, ...)``. The names of its arguments
say what he knows:

``insiders``, ``rows``
    Records of insiders, and their released rows, which the insiders know.
``partial``
    Records of as many insiders. Two of them know all of their attributes, each of the others misses two (NaN). Rows
    are not known.
``sample``
    Records of the same population that are not in the release.
``ranges``
    Least and greatest value of each attribute, n x 2, rounded outwards as those of the audit are.
``motion``, ``noise``, ``epsilon``
    The scheme is public: ``"orthogonal"`` or ``"rigid"``, the deviation of released coordinates; when he has won.
``seed``
    For his own random draws.
"""

import warnings
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import isobreach as ib
from isobreach.audits.playing import EFFORT, Cell, Game, dealt, public_ranges

TOLERANCE = 0.05  # of an attribute's range: the audit's default

FULL, MISSING = 2, 2  # of partial records: insiders who know all of their attributes, and how many the others miss


ADVERSARIES = {
    path.stem: import_module(f"adversaries.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if "\ndef estimates(" in path.read_text(encoding="utf-8")
}


def knows(adversary):
    """The names of what an adversary gets."""
    return set(signature(adversary.estimates).parameters)


@dataclass(frozen=True)
class Played:
    """Shares of other people's records, and of their values of each attribute, that an adversary got; a row a seed."""

    records: np.ndarray
    attributes: np.ndarray


def play(adversary, table, scheme, size, held_out=None, seed=0):
    """Let an adversary attack the splits of a table, each with other insiders, another sample and another key.

    ``held_out``: size of the largest sample in the audit; that of his own by default. Who has a smaller one, or none,
    meets the rows that he meets in the audit.
    """
    own = table.sample if "sample" in knows(adversary) else 0
    cells = Cell(0, own), Cell(0, own if held_out is None else held_out)
    game = Game(table.records, scheme, (), cells, table.epsilon, np.zeros(0), np.zeros(0), seed)
    deals = (dealt(split, game, game.releases[own]) for split in range(EFFORT.splits))
    got = [_play(adversary, table, scheme, size, deal) for deal in deals]
    return Played(np.array([records for records, _ in got]), np.array([attributes for _, attributes in got]))


def _play(adversary, table, scheme, size, deal):
    people, sample, asked = deal.published, deal.sample, knows(adversary)
    release = ib.perturb(people, scheme, seed=int(deal.draws.integers(2**62)))
    draws, seed = deal.draws, int(deal.draws.integers(2**31))
    if scheme.model.unit_length:  # lengths are not released, and nobody is asked for them
        people, sample = (values / np.linalg.norm(values, axis=1, keepdims=True) for values in (people, sample))
    order = release.key.order
    everybody = np.vstack([people, sample])
    knowledge = {
        "insiders": people[:size],
        "rows": order[:size],
        "partial": _partial(people[:size], draws),
        "sample": sample,
        "ranges": public_ranges(everybody),
        "motion": scheme.model.motion,
        "noise": release.key.noise,
        "epsilon": table.epsilon,
        "seed": seed,
    }
    with warnings.catch_warnings(), threadpool_limits(1):  # so small tables gain nothing from threads
        warnings.simplefilter("ignore")  # an adversary whose iteration has not converged goes on with what he has
        guess = adversary.estimates(release.data, **{name: knowledge[name] for name in asked - {"released"}})
    error = (guess[order] - people)[size:]
    breached = np.linalg.norm(error, axis=1) <= table.epsilon * np.linalg.norm(people[size:], axis=1)
    learned = np.abs(error) <= TOLERANCE * np.ptp(everybody, axis=0)
    return breached.mean(), learned.mean(axis=0)


def _partial(insiders, draws):
    partial = insiders.copy()
    for record in partial[FULL:]:
        record[draws.choice(len(record), MISSING, replace=False)] = np.nan
    return partial
