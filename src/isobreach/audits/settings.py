# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of an audit, checked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach._naming import way
from isobreach._validation import check_epsilon, check_integer, check_not_negative, check_probability
from isobreach.audits.criterion import Criterion
from isobreach.audits.declared import playable
from isobreach.errors import InputError
from isobreach.geometry import row_norms
from isobreach.release import Motion
from isobreach.schemes import Scheme, scheme_by_name

FloatArray = NDArray[np.float64]

_SHORTEST, _LONGEST = 1e-70, 1e70  # fourth powers of lengths must be numbers
_MOST_NOISE = 1e6  # times the spread: beyond, nothing of a table shows
RANGE_SHARE = 0.05  # of an attribute's range, within which it counts as learned unless told otherwise


@dataclass(frozen=True)
class Settings:
    """Arguments of ``isobreach.audit`` that its result depends on.

    ``attackers``: attacks beyond that of insiders. ``samples``, ``ranges``: what else attackers know who are played.
    ``splits``: how often they are played, 0 for not at all. ``groups``: columns that are one attribute together.
    ``criterion``: what may not be exceeded, if a limit was given; ``target``: what a remedy has to meet otherwise.
    ``widths``: ranges of the attributes, where the table is a part of another one; its own by default.
    """

    scheme: Scheme
    epsilon: float
    sizes: tuple[int, ...]
    trials: int
    level: float
    tolerance: float | tuple[float, ...] | None
    noise_levels: tuple[float, ...]
    criterion: Criterion | None
    target: Criterion
    attackers: tuple[str, ...]
    rows_known: bool
    samples: tuple[int, ...] = ()
    ranges: bool = False
    splits: int = 0
    groups: tuple[tuple[int, ...], ...] = ()
    widths: tuple[float, ...] | None = None

    @property
    def met(self) -> Criterion:
        """What a remedy has to meet."""
        return self.target if self.criterion is None else self.criterion

    @property
    def limited(self) -> int:
        """The largest number of insiders that it is about."""
        return self.met.insiders or self.sizes[-1]

    @property
    def motion(self) -> Motion | None:
        """The motion that the scheme declares; None where it moves no record."""
        model = playable(self.scheme)
        return model.motion if model.moves else None

    @property
    def covered(self) -> tuple[int, ...]:
        """Sizes at which greedy coalitions are played: those asked for, the single insider, and a ladder under noise.

        Insiders may leave some of their records out, so the worst of smaller coalitions counts for larger ones. Behind
        a motion without noise more records never expose less of anyone else.
        """
        model = playable(self.scheme)
        smaller = (1,) if model.moves and model.noise is None else ladder(self.sizes[-1])
        return tuple(sorted({*smaller, *self.sizes}))

    @classmethod
    def checked(
        cls,
        scheme: str | Scheme,
        epsilon: float,
        coalition_sizes: Iterable[int],
        trials: int,
        level: float,
        tolerance: float | Sequence[float] | None,
        noise_levels: Sequence[float],
        criterion: Criterion | None,
        target: Criterion,
        attackers: Sequence[str],
        rows_known: bool,
        samples: Sequence[int] = (),
        ranges: bool = False,
        splits: int = 0,
        groups: Sequence[Sequence[int]] = (),
    ) -> "Settings":
        """Settings from what a user gives, or what is wrong with that as far as it can be told without the table."""
        scheme = scheme_by_name(scheme) if isinstance(scheme, str) else scheme
        playable(scheme)
        sizes = sorted({check_integer("coalition_sizes", size, least=1) for size in coalition_sizes})
        if not sizes:
            raise InputError("coalition_sizes", "must have at least one size", "none")
        if criterion is not None and criterion.insiders is not None and criterion.insiders not in sizes:
            step = "See coalition_sizes."
            raise InputError("fail_size", "must be one of the coalition sizes", criterion.insiders, step)
        return cls(
            scheme=scheme,
            epsilon=check_epsilon(epsilon),
            sizes=tuple(sizes),
            trials=check_integer("trials", trials, least=2),
            level=check_probability("level", level),
            tolerance=_numbers(tolerance),
            noise_levels=tuple(sorted({_level(one) for one in noise_levels})),
            criterion=criterion,
            target=target,
            attackers=tuple(attackers),
            rows_known=bool(rows_known),
            samples=tuple(sorted({check_integer("samples", one, least=1) for one in samples})),
            ranges=bool(ranges),
            splits=check_integer("splits", splits, least=0),
            groups=tuple(tuple(group) for group in groups),
        )

    def held_out(self, rows: int) -> tuple[int, ...]:
        """Samples that a table can spare: at most half of it, and somebody must be left beside the insiders.

        Of a table that can spare none of those asked for a third is held out: nobody may read its page without the
        attacker who has a public sample, and those who have none still meet most of the table.
        """
        spared = tuple(one for one in self.samples if 2 * one <= rows and one + self.sizes[-1] < rows)
        third = min(rows // 3, rows - self.sizes[-1] - 1)
        return spared if spared or not self.samples or third < 1 else (third,)

    def check_table(self, records: NDArray[Any]) -> None:
        """Refuse, before the work starts, coalitions that leave nobody else, and noise relative to no spread."""
        norms = row_norms(records.astype(np.float64))
        norms = norms[norms > 0]
        self.check_lengths(len(records), *((norms.min(), norms.max()) if len(norms) else (1.0, 1.0)))
        if self.noise_levels and (records == records[0]).all():
            rule = "must have records that differ: noise_levels are relative to their spread"
            raise InputError("X", rule, "equal records", "Leave noise_levels out.")

    def check_lengths(self, total: int, shortest: float, longest: float) -> None:
        """Refuse coalitions that leave nobody else, and lengths whose fourth powers are no numbers."""
        if self.sizes[-1] >= total:
            sizes = f"1-{total - 1}", f"range(1, {total})"
            step = f"Ask for {way(f'--coalitions {sizes[0]}', f'coalition_sizes={sizes[1]}')}." if total > 1 else ""
            raise InputError("coalition_sizes", f"must be below the number of records, {total}", self.sizes[-1], step)
        if not (shortest >= _SHORTEST and longest <= _LONGEST):
            rule = f"must have records whose lengths, where not 0, are between {_SHORTEST:g} and {_LONGEST:g}"
            raise InputError("X", rule, "another length", "Rescale it.")

    def tolerances(self, values: FloatArray) -> FloatArray:
        """Error within which each attribute counts as learned: as given, or 5% of its range."""
        columns = values.shape[1]
        if self.tolerance is None:
            return np.asarray(RANGE_SHARE * (np.ptp(values, axis=0) if self.widths is None else np.array(self.widths)))
        given = np.asarray(self.tolerance, dtype=np.float64)
        if given.shape not in ((), (columns,)):
            rule = f"must be one number or one for each of the {columns} columns"
            raise InputError("tolerance", rule, f"{given.size} numbers")
        return np.array(np.broadcast_to(given, (columns,)))


def ladder(size: int) -> tuple[int, ...]:
    """Sizes to play where smaller coalitions may do more harm: 1, 2, 4, 8, ... and ``size``.

    As many as its logarithm, so that they are cheap, and no size is more than twice one that is played.
    """
    return (*(2**k for k in range((size - 1).bit_length())), size)


def _level(value: float) -> float:
    level = check_not_negative("noise_levels", value)
    if level > _MOST_NOISE:
        raise InputError("noise_levels", f"must be at most {_MOST_NOISE:g} times the table's spread", level)
    return level


def _numbers(tolerance: float | Sequence[float] | None) -> float | tuple[float, ...] | None:
    if tolerance is None:
        return None
    rule = "must be one number or one for each column"
    try:
        given = np.asarray(tolerance, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("tolerance", rule, type(tolerance).__name__) from None
    if given.ndim > 1:
        raise InputError("tolerance", rule, f"{given.ndim} dimensions")
    if not (np.isfinite(given) & (given >= 0)).all():
        raise InputError("tolerance", "must be finite and >= 0", "another number")
    return tuple(given.tolist()) if given.ndim else float(given)
