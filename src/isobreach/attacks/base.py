# SPDX-License-Identifier: BSD-3-Clause
"""What any attack is, what it was asked, and what it gives back.

An attack is one object: its name, what it needs, on which releases it can work at all, how it runs, and how its result
is described. Command line, audit and report know nothing else of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._progress import Progress
from isobreach.attacks.knowledge import HELD_WORDS, Held, Knowledge
from isobreach.document import Document
from isobreach.engine import ONE_BLAS_THREAD, Engine
from isobreach.errors import InputError
from isobreach.release import ReleaseModel


@dataclass(frozen=True, eq=False)
class AttackAsked:
    """What an attack was asked: how much the attacker held, the seed and settings, and names for the result.

    Attributes
    ----------
    attack
        Its name.
    shape
        Rows and columns of the release.
    known, sample
        How many records the attacker held, None for no table.
    bounds
        Whether ranges of the attributes were known.
    seed, settings
        As given.
    names
        Of the attributes, in the order of the attacker's tables; empty where there are none.
    known_ids, released_ids, dictionary_ids
        Names of the rows, where the tables have any.
    left_out
        Columns of the released table that hold no numbers and were not used.
    """

    attack: str = ""
    shape: tuple[int, int] = (0, 0)
    known: int | None = None
    sample: int | None = None
    bounds: bool = False
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    known_ids: NDArray[Any] | None = None
    released_ids: NDArray[Any] | None = None
    dictionary_ids: NDArray[Any] | None = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """What an attack by name gives back.

    Attributes
    ----------
    claimed
        Whether the attack stands by its estimates. A miss is ``False``, never a guess.
    reason
        Why, in one sentence.
    estimates
        Estimate of every released row's record; columns that are not known hold NaN.
    breach_probability
        Of every released row, where the attack can tell.
    decided
        False where its effort ended before the attack was through, or where it found something that it cannot claim:
        with more effort or knowledge it might find more.
    variants
        Other estimates that the same attacker may prefer, by what was done to them: "rounded", "clipped, rounded", ...
        Without the truth he has to choose; whoever has it (an audit) takes the best.
    asked
        What the attacker was given, and the names of what the tables hold; set by ``reconstruct``.
    """

    claimed: bool
    reason: str
    estimates: Any = field(repr=False)
    # A factory leaves no attribute of the class behind: a subclass may compute it when it is asked for.
    breach_probability: FloatArray | None = field(default_factory=type(None), repr=False)
    decided: bool = True
    variants: Mapping[str, FloatArray] = field(default_factory=dict, repr=False)
    asked: AttackAsked = field(default_factory=AttackAsked, repr=False)

    def contained(self, container: Callable[[FloatArray, IntArray], Any]) -> "Reconstruction":
        """Return itself with estimates in a container.

        Parameters
        ----------
        container
            Function of values and released rows that gives back the kind of table that came in.
        """
        return replace(self, estimates=container(self.estimates, self.rows))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Released rows that the estimates are of: all of them."""
        return np.arange(len(self.estimates))


@dataclass(frozen=True)
class NoSettings:
    """For attacks that have none."""


class Attack(ABC):
    """A method: knowledge and a release in, estimates out.

    Subclass it, give it the attributes below, and register an instance: as ``ATTACK`` of a module in this package, or
    from another package as an entry point of the group ``isobreach.attacks``.

    Attributes
    ----------
    name
        By which it is called.
    title
        What it is called in sentences: "lattice attack".
    plain
        What an audit calls it, for owners: "grid attack"; the title by default.
    explained
        How it works, for owners, where the first sentence of its docstring does not say it.
    needs
        Knowledge that it cannot do without.
    needs_any
        Knowledge of which it needs at least one kind; empty where it can do without.
    uses
        Further knowledge that it can use.
    takes_partial
        Whether known records may lack attributes (NaN); otherwise such records are refused.
    takes_narrow
        Whether the release may have fewer columns than the records; otherwise such a release is refused.
    settings
        A frozen dataclass, each field made by ``setting``: checked, and offered on the command line.
    packages
        Optional packages that it imports.
    keeps_waiting
        Whether its compiled code keeps Python's other threads waiting: progress is then shown from the start.
    costly
        Whether a run takes seconds where others take milliseconds: comparisons play it in fewer trials.
    audited
        Whether audits play it without being asked; an attack of another package is played when it is named.
    baseline
        Whether it undoes nothing that a scheme does: figures stand beside it, and it tests no scheme.
    needs_grid
        Whether it needs values on a grid: audits then try jitter against it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    plain: ClassVar[str] = ""
    explained: ClassVar[str] = ""
    needs: ClassVar[frozenset[Held]] = frozenset()
    needs_any: ClassVar[frozenset[Held]] = frozenset()
    uses: ClassVar[frozenset[Held]] = frozenset()
    takes_partial: ClassVar[bool] = False
    takes_narrow: ClassVar[bool] = False
    settings: ClassVar[type] = NoSettings
    packages: ClassVar[tuple[str, ...]] = ()
    keeps_waiting: ClassVar[bool] = False
    costly: ClassVar[bool] = False
    audited: ClassVar[bool] = False
    needs_grid: ClassVar[bool] = False
    baseline: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for kind in ("needs", "needs_any", "uses"):
            held = getattr(cls, kind)
            if isinstance(held, str) or not set(held) <= set(get_args(Held)):
                rule = f"must be a set of kinds of knowledge, of {', '.join(get_args(Held))}"
                raise InputError(f"{kind} of {cls.__name__}", rule, repr(held))
            setattr(cls, kind, frozenset(held))

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why the attack cannot work on a release of this model, or None.

        Parameters
        ----------
        model
            The ``ReleaseModel`` of the scheme behind the release.
        """
        return None

    def study(
        self, release: Engine, *, noise: float | None, seed: int | None, progress: Progress, **settings: Any
    ) -> Any:
        """Return what the release alone gives, whatever else the attacker knows: ``run`` takes it as ``studied``.

        Whoever attacks one release with several kinds of knowledge studies it once. None where there is nothing to
        save; an attack that returns something else takes ``studied`` in ``run``, with the same result as without.

        Parameters
        ----------
        release
            The released rows.
        noise
            Standard deviation of random errors of released coordinates, where it is known.
        seed, progress, settings
            As for ``run``.
        """
        return None

    @abstractmethod
    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Attack a release; no claim is a valid outcome.

        Parameters
        ----------
        release
            The released rows.
        knowledge
            What the attacker holds, checked; it has what the attack needs.
        seed
            Makes the attack repeatable.
        progress
            Called as ``progress(label, done, total)``.
        settings
            The attack's own.
        """

    def describe(self, found: Reconstruction) -> Document:
        """Return what there is to say of a result; attacks with more to say than the reason have their own.

        Parameters
        ----------
        found
            What ``run`` gave back, with ``asked`` filled in.
        """
        asked = found.asked
        data = {
            "schema": f"isobreach/{self.name}/1",
            "claimed": found.claimed,
            "reason": found.reason,
            "rows": asked.shape[0],
            "columns": list(asked.names),
            "seed": asked.seed,
        }
        title = self.title[:1].upper() + self.title[1:]
        return Document(title, f"{title}: {found.reason}", data=data)

    def labels(self, found: Reconstruction) -> dict[int, str]:
        """Return a name for every column of the estimates that is worth writing, by its place.

        Parameters
        ----------
        found
            What ``run`` gave back.
        """
        names = found.asked.names
        return {j: names[j] if j < len(names) else f"c{j + 1}" for j in range(found.estimates.shape[1])}

    def interruptible(self) -> bool:
        """Let signals end compiled code that would ignore them, and return whether they do; before ``run``."""
        return True

    @property
    def installed(self) -> bool:
        """Whether its optional packages are there."""
        return all(find_spec(package) is not None for package in self.packages)

    @property
    def alone(self) -> bool:
        """Whether it can do without any knowledge."""
        return not self.needs and not self.needs_any

    def lacks(self, knowledge: Knowledge) -> tuple[Held, ...]:
        """Return what it needs and the attacker does not hold; of kinds of which one is enough, all if he has none."""
        one = set() if any(map(knowledge.has, self.needs_any)) else self.needs_any
        return tuple(held for held in get_args(Held) if held in self.needs | one and not knowledge.has(held))

    def checked(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return all settings, those that are not given at their defaults; names that it does not have are refused."""
        own = fields(self.settings)
        for name in settings:
            if name not in {one.name for one in own}:
                allowed = ", ".join(one.name for one in own) or "none"
                raise InputError("settings", f"must be those of the {self.name} attack: {allowed}", repr(name))
        given = self.settings(**settings)
        return {one.name: getattr(given, one.name) for one in own}


def reconstruct(
    attack: Attack,
    release: Engine,
    knowledge: Knowledge,
    *,
    seed: int | None,
    progress: Progress,
    settings: Mapping[str, Any],
    studied: Any = None,
) -> Reconstruction:
    """Run an attack after all checks that attacks have in common, and record what it was asked.

    ``studied``: what ``attack.study`` gave for this release, noise, seed and settings.
    """
    chosen = attack.checked(settings)
    held = knowledge.check(*reversed(release.shape), partial=attack.takes_partial, narrow=attack.takes_narrow)
    missing = attack.lacks(held)
    if missing:
        first = [one for one in missing if one in attack.needs][:1] or missing
        rule = f"must have {' or '.join(HELD_WORDS[one] for one in first)} for this attack"
        raise InputError("knowledge", rule, "none", f"Give Knowledge({first[0]}=...), or --{first[0]}.")
    saved = {} if studied is None else {"studied": studied}
    with ONE_BLAS_THREAD:  # as in an audit: of small products, threads that wait for more take longer than they do
        found = attack.run(release, held, seed=seed, progress=progress, **saved, **chosen)
    _check_found(attack, found, release.shape[0])
    known, sample = (None if table is None else len(table) for table in (held.known, held.sample))
    asked = AttackAsked(attack.name, release.shape, known, sample, held.bounds is not None, seed, chosen)
    return replace(found, asked=asked)


def _check_found(attack: Attack, found: object, rows: int) -> None:
    """Refuse what is no reconstruction of the released rows: attacks of other packages may give back anything."""
    rule = f"must give back a Reconstruction with a row of estimates for each of {rows:,} released rows"
    if not isinstance(found, Reconstruction):
        raise InputError(attack.name, rule, type(found).__name__)
    if "estimates" in vars(found):  # those that are computed when they are asked for are not asked for here
        shape = np.shape(found.estimates)
        if len(shape) != 2 or shape[0] != rows:
            raise InputError(attack.name, rule, f"estimates of shape {shape}")
