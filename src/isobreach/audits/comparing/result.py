# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison gives back: a figure for every scheme and attack, and what every scheme leaves of the table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isobreach.audits.comparing.usefulness import Utility
from isobreach.audits.intervals import Sampled
from isobreach.errors import InputError

FloatArray = NDArray[np.float64]

Standing = Literal["undone", "given away", "guessed", "weakened", "held", "refused"]

HALF, BEYOND = 0.5, 0.01  # share breached from which on a scheme is undone; beyond the blind guess, weakened


@dataclass(frozen=True, eq=False)
class CellFigures:
    """One attack against one scheme.

    Attributes
    ----------
    scheme, attack
        Which they are.
    reason
        Why the attack cannot work on the scheme, in one sentence; None where it was played.
    variant
        What was done to its estimates: the best choice on all trials. Figures are told from trials that did not choose.
    trials
        In how many it was played.
    breached
        Share of other people's records estimated within epsilon, with its 95% interval.
    error
        Median relative error; None where there is no estimate.
    learned
        Of each attribute, the share of others of whom it is learned.
    privacy
        Of each attribute, the standard deviation of the error on standardised data; NaN where there is none.
    claimed
        Share of trials in which the attack stood by its estimates.
    refused
        Share of trials in which it refused to work, and guessed instead.
    refusal
        Why it did, the first time.
    seconds
        Processor time of a trial, mean.
    """

    scheme: str
    attack: str
    reason: str | None
    variant: str = ""
    trials: int = 0
    breached: Sampled | None = None
    error: float | None = None
    learned: FloatArray = field(default_factory=lambda: np.zeros(0), repr=False)
    privacy: FloatArray = field(default_factory=lambda: np.zeros(0), repr=False)
    claimed: float = 0.0
    refused: float = 0.0
    refusal: str | None = None
    seconds: float = 0.0

    @property
    def played(self) -> bool:
        """Whether the attack was played on the scheme."""
        return self.reason is None

    @property
    def learned_share(self) -> float | None:
        """Share of attributes learned, mean over attributes."""
        return float(self.learned.mean()) if len(self.learned) else None

    @property
    def least_privacy(self) -> float | None:
        """Privacy of the attribute that is known best."""
        return float(np.nanmin(self.privacy)) if np.isfinite(self.privacy).any() else None

    @property
    def mean_privacy(self) -> float | None:
        """Privacy, mean over attributes."""
        return float(np.nanmean(self.privacy)) if np.isfinite(self.privacy).any() else None


@dataclass(frozen=True, eq=False)
class SchemeFigures:
    """A scheme and what it leaves.

    Attributes
    ----------
    label, name, parameters
        How it is called here, its own name, and its parameters.
    keeps
        What released rows have in common with the records, exactly.
    refusal
        Why it cannot protect this table, in one sentence; None where it can.
    utility
        What is left of the table's use; None where there is no release.
    unfolds
        Whether rows of a motion can be computed from the release: its cells show attacks on the release as it is.
    blind
        Share of records that the best guess of one record for everybody breaches: of their directions where the scheme
        gives all records the same length; None for that of the whole comparison.
    """

    label: str
    name: str
    parameters: Mapping[str, Any]
    keeps: tuple[str, ...]
    refusal: str | None = None
    utility: Utility | None = None
    unfolds: bool = False
    blind: float | None = None


@dataclass(frozen=True, eq=False)
class ComparisonResult:
    """Every scheme against every attack.

    Attributes
    ----------
    rows, columns
        Of the table.
    published, compared
        Records that one trial publishes, and those whose distances are compared for utility.
    epsilon, known, sample, sample_asked, trials, seed
        What was asked; ``sample`` is at most half of the table, which ``sample_asked`` may exceed.
    costly_trials, utility_trials, effort
        Trials of attacks that take seconds, trials in which utility is measured, evaluations that a search may make.
    schemes, attacks
        Who met, in the order asked for.
    cells
        A figure for every pair, scheme by scheme.
    blind
        Share of records that the best guess of one record for everybody breaches.
    names
        Of the attributes, where the table has any.
    label, unlabelled
        The column that was classified, None without one; records that have no value there.
    left_out, steps, prepared
        What was done to the owner's table before: see ``AuditResult``.
    call
        What has to be typed in Python to get the same result.
    """

    rows: int
    columns: int
    published: int
    compared: int
    epsilon: float
    known: int
    sample: int
    sample_asked: int
    trials: int
    seed: int
    costly_trials: int
    utility_trials: int
    effort: int
    schemes: tuple[SchemeFigures, ...]
    attacks: tuple[str, ...]
    cells: tuple[CellFigures, ...] = field(repr=False)
    blind: float
    names: tuple[str, ...] | None = None
    label: str | None = None
    unlabelled: int = 0
    left_out: tuple[str, ...] = ()
    steps: tuple[Mapping[str, Any], ...] = ()
    prepared: tuple[str, ...] = ()
    call: str = field(default="", repr=False)

    @property
    def attribute_count(self) -> int:
        """Number of attributes: a category in several columns is one."""
        return self.columns if self.names is None else len(self.names)

    @cached_property
    def _places(self) -> dict[tuple[str, str], CellFigures]:
        return {(one.scheme, one.attack): one for one in self.cells}

    def at(self, scheme: str, attack: str) -> CellFigures:
        """Return the figures of one attack against one scheme.

        Parameters
        ----------
        scheme, attack
            Names, as in ``schemes`` and ``attacks``.
        """
        if (scheme, attack) not in self._places:
            known = f"must be a scheme and an attack that were compared: {', '.join(one.label for one in self.schemes)}"
            raise InputError("at", f"{known}; {', '.join(self.attacks)}", f"{scheme}, {attack}")
        return self._places[scheme, attack]

    def strongest(self, scheme: str) -> CellFigures | None:
        """Return the attack that breaches the most of a scheme, None where none was played.

        Of equals, the one that learns more, then the one with the smaller error.

        Parameters
        ----------
        scheme
            Its label.
        """
        played = [self.at(scheme, attack) for attack in self.attacks if self.at(scheme, attack).breached is not None]
        return max(played, key=_danger, default=None)

    def standing(self, scheme: str) -> Standing:
        """Return how a scheme fared against the attacks that were played.

        ``"undone"``: one breaches half of the others or more, and exceeds a blind guess by more than one in a hundred.
        ``"given away"``: none does, but a motion of the records can be computed from the release, so that whatever
        undoes a motion undoes it too. ``"guessed"``: a blind guess breaches half or more, and shares breached say
        nothing of the scheme. ``"held"``: none exceeds the blind guess by more than one in a hundred. ``"weakened"``:
        in between. ``"refused"``: it cannot protect this table.

        Parameters
        ----------
        scheme
            Its label.
        """
        figures = next(one for one in self.schemes if one.label == scheme)
        worst = self.strongest(scheme)
        if figures.refusal is not None:
            return "refused"
        breached = 0.0 if worst is None or worst.breached is None else worst.breached.value
        blind = self.blind_against(scheme)
        beyond = breached > blind + BEYOND
        if breached >= HALF and beyond:
            return "undone"
        if figures.unfolds:
            return "given away"
        if blind >= HALF:
            return "guessed"
        return "weakened" if beyond else "held"

    def blind_against(self, scheme: str) -> float:
        """Return the share of people that the best guess of one record for everybody breaches.

        Parameters
        ----------
        scheme
            Its label: one that gives all records the same length leaves their directions to guess.
        """
        own = next(one.blind for one in self.schemes if one.label == scheme)
        return self.blind if own is None else own


def _danger(cell: CellFigures) -> tuple[float, float, float]:
    error = np.inf if cell.error is None else cell.error
    return (0.0 if cell.breached is None else cell.breached.value), cell.learned_share or 0.0, -error
