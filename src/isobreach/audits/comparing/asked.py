# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison is asked: which schemes and attacks meet, on how much of the table, with what knowledge."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._validation import check_epsilon, check_integer
from isobreach.attacks import ATTACKS
from isobreach.errors import InputError
from isobreach.schemes import SCHEMES, Scheme

LEAST_OTHERS = 20  # people beside sample and known records: below, shares and clusters of them mean nothing


@dataclass(frozen=True)
class Extent:
    """How much of a table is played, and how often.

    Attributes
    ----------
    rows
        Records that are published in a trial, at most: twenty trials know a share of 1,000 to a percent.
    sample
        Records of the public sample, at most.
    trials
        Trials, at most.
    costly_trials
        Trials of attacks that take seconds instead of milliseconds, at most; an even number, for they are halved.
    effort
        Evaluations that a search may make, where an attack counts them: a limit in seconds would not repeat.
    utility_trials, utility_rows
        Trials in which utility is measured, and records whose distances are compared, at most: they are all pairs.
    """

    rows: int = 1_000
    sample: int = 1_000_000
    trials: int = 1_000_000
    costly_trials: int = 4
    effort: int = 1_000
    utility_trials: int = 4
    utility_rows: int = 1_000


FULL = Extent()
QUICK = Extent(rows=200, sample=100, trials=2, costly_trials=1, effort=100, utility_trials=1, utility_rows=200)


@dataclass(frozen=True)
class Contestant:
    """A scheme with its parameters; ``label`` tells it from others of the same name."""

    label: str
    scheme: Scheme

    @property
    def parameters(self) -> dict[str, Any]:
        """The scheme's own."""
        return asdict(self.scheme)

    @property
    def gives_one_length(self) -> bool:
        """Whether all released records have the same length, so that directions are all that can be breached."""
        return self.scheme.model is not None and self.scheme.model.unit_length


@dataclass(frozen=True)
class ComparisonAsked:
    """Arguments of ``isobreach.compare`` that its result depends on.

    ``groups``: columns that are one attribute together.
    """

    schemes: tuple[Contestant, ...]
    attacks: tuple[str, ...]
    epsilon: float
    known: int
    sample: int
    trials: int
    extent: Extent
    groups: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def checked(
        cls,
        schemes: Sequence[str | Scheme] | None,
        attacks: Sequence[str] | None,
        epsilon: float,
        known: int,
        sample: int,
        trials: int,
        *,
        quick: bool = False,
        groups: Sequence[Sequence[int]] = (),
    ) -> "ComparisonAsked":
        """What a user gives, or what is wrong with that as far as it can be told without the table."""
        extent = QUICK if quick else FULL
        return cls(
            schemes=_contestants(schemes),
            attacks=_attacks(attacks),
            epsilon=check_epsilon(epsilon),
            known=check_integer("known", known, least=0),
            sample=check_integer("sample", sample, least=0),
            trials=min(check_integer("trials", trials, least=1), extent.trials),
            extent=extent,
            groups=tuple(tuple(group) for group in groups),
        )

    def fitted(self, rows: int) -> "Fitted":
        """How a table of so many rows is divided; refused where nobody is left to attack."""
        sample = min(self.sample, self.extent.sample, rows // 2)
        if self.known + sample + LEAST_OTHERS > rows:
            rule = f"must leave {LEAST_OTHERS} of {rows:,} records beside known records and a sample of {sample:,}"
            raise InputError("known", rule, self.known, "Take fewer, or a smaller sample.")
        published = min(rows - sample, max(self.extent.rows, self.known + LEAST_OTHERS))
        return Fitted(sample, published, min(self.extent.utility_rows, published))

    def plays(self, attack: str, trial: int) -> bool:
        """Whether an attack is played in a trial: a costly one only in the first ones."""
        return trial < self.trials_of(attack)

    def trials_of(self, attack: str) -> int:
        """Trials in which an attack is played."""
        return min(self.trials, self.extent.costly_trials) if ATTACKS[attack].costly else self.trials


@dataclass(frozen=True)
class Fitted:
    """Records of the sample, at most half of the table; of a trial's release; and of those compared for utility."""

    sample: int
    published: int
    compared: int


@dataclass(frozen=True, eq=False)
class ComparisonTable:
    """The owner's records, and a class of each where utility is to be measured by a classifier.

    Attributes
    ----------
    records
        Numbers, m x n.
    classes
        Whole numbers, one a record, below zero for those without a class; empty where there are none.
    """

    records: NDArray[Any]
    classes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def _contestants(given: Sequence[str | Scheme] | None) -> tuple[Contestant, ...]:
    """Schemes by name or as objects; by default all of this package, as they are."""
    if given is None:
        given = [name for name in SCHEMES if SCHEMES.built_in(name)]
    _listed("schemes", given)
    found: dict[str, Contestant] = {}
    for one in given:
        scheme = one if isinstance(one, Scheme) else SCHEMES.named("schemes", one)
        label = _label(scheme)
        found.setdefault(label, Contestant(label, scheme))
    return tuple(found.values())


def _label(scheme: Scheme) -> str:
    """The name, with the parameters that differ from their defaults."""
    own = {one.name: getattr(scheme, one.name) for one in fields(scheme)}
    usual: Mapping[str, Any] = {one.name: one.default for one in fields(scheme)}
    changed = ", ".join(f"{name}={value}" for name, value in own.items() if value != usual[name])
    return f"{scheme.name} ({changed})" if changed else scheme.name


def _attacks(given: Sequence[str] | None) -> tuple[str, ...]:
    """Attacks by name; by default all of this package: one of another that does not load must not stop the rest."""
    if given is None:
        given = [name for name in ATTACKS if ATTACKS.built_in(name)]
    _listed("attacks", given)
    for name in given:
        ATTACKS.named("attacks", name)
    return tuple(dict.fromkeys(given))


def _listed(name: str, given: Sequence[Any]) -> None:
    if isinstance(given, str) or not len(given):
        raise InputError(name, "must be a list with at least one name", repr(given))
