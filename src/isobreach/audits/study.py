# SPDX-License-Identifier: BSD-3-Clause
"""The audit itself: coalitions drawn and chosen, played at every size, summed up.

One trial is one random order of insiders; its beginnings are coalitions of all sizes. Greedy orders are played beside
them. A trial's figures depend on the table, the seed and its number alone: not on threads, nor on where an
interrupted audit was taken up again.
"""

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isobreach._progress import Progress, no_progress
from isobreach._random import generator
from isobreach._validation import (
    check_epsilon,
    check_integer,
    check_not_negative,
    check_probability,
    check_seed,
    check_table,
)
from isobreach._version import __version__
from isobreach.audits.attackers import attackers
from isobreach.audits.baselines import baselines
from isobreach.audits.exposure import OwnersTable
from isobreach.audits.greedy import CANDIDATES, by_breaches, by_energy
from isobreach.audits.remedies import remedies
from isobreach.audits.result import AuditResult, SingleInsider
from isobreach.audits.summary import Played, summarise
from isobreach.audits.trial import Figures, Trial, play
from isobreach.blocks import processors, run_in_order
from isobreach.errors import InputError
from isobreach.linking import GrowingLinks, Growth, Motion
from isobreach.schemes import Scheme, perturb, scheme_by_name

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

GREEDY = ("greedy, by directions", "greedy, by breaches")
_RANGE_SHARE = 0.05


class Linker(Protocol):
    """Tells which insiders of a growing coalition know their released rows: ``GrowingLinks`` or ``RowsKnown``."""

    def batches(self, orders: Sequence[IntArray], progress: Progress) -> Iterator[tuple[range, Any]]:
        """Coalitions to be linked together."""

    def grow(self, order: IntArray, joined: Any = None) -> Growth:
        """Links of the coalitions order[:1], order[:2], ..."""


class RowsKnown:
    """Every insider knows the own row, from whatever source: nothing has to be found out."""

    def batches(self, orders: Sequence[IntArray], progress: Progress) -> Iterator[tuple[range, Any]]:
        """All at once."""
        yield range(len(orders)), None

    def grow(self, order: IntArray, joined: Any = None) -> Growth:
        """Each is linked as soon as there."""
        return Growth(np.arange(len(order)) + 1, np.ones(len(order), dtype=np.bool_))


class Store(Protocol):
    """Where finished work is kept, so that an audit can go on after an interruption.

    ``name``: how an error calls it.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    def load(self) -> Mapping[str, NDArray[Any]] | None:
        """What was saved last, None if nothing was."""

    def due(self) -> bool:
        """Whether enough was done since to be saved again."""

    def keep(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep this in place of what was saved before, whole or not at all."""


@dataclass
class _Sums:
    """What has been played so far: figures of each coalition, sums over random ones for each record."""

    figures: list[Figures]
    exposure: FloatArray
    breached: IntArray
    absent: IntArray

    def add(self, trial: Trial, order: IntArray, sizes: tuple[int, ...], level: float, *, random: bool) -> None:
        self.figures.append(trial.figures)
        if not random:
            return
        self.exposure += trial.probability
        self.breached += trial.probability >= level
        for place, size in enumerate(sizes):
            self.absent[place, order[:size]] += 1

    def arrays(self) -> dict[str, NDArray[Any]]:
        """For the store."""
        stacked = Figures.stacked(self.figures)
        kept = {f"figures_{f.name}": getattr(stacked, f.name) for f in fields(stacked)}
        return {**kept, "exposure": self.exposure, "breached": self.breached, "absent": self.absent}

    @classmethod
    def restored(cls, arrays: Mapping[str, NDArray[Any]]) -> "_Sums":
        names = [f.name for f in fields(Figures)]
        count = len(arrays["figures_linked"])
        figures = [Figures(**{name: arrays[f"figures_{name}"][i] for name in names}) for i in range(count)]
        return cls(figures, arrays["exposure"], arrays["breached"], arrays["absent"])


def audit(
    records: NDArray[Any],
    *,
    scheme: str | Scheme = "rigid",
    epsilon: float = 0.1,
    coalition_sizes: Iterable[int] = range(1, 9),
    trials: int = 200,
    level: float = 0.5,
    tolerance: float | Sequence[float] | None = None,
    noise_levels: Sequence[float] = (),
    target: float = 0.05,
    others: Sequence[str] = (),
    rows_known: bool = False,
    seed: int | None = None,
    progress: Progress = no_progress,
    store: Store | None = None,
    threads: int | None = None,
) -> AuditResult:
    """Audit a table before it is published: see ``isobreach.audit``. ``others``: attackers beyond insiders."""
    check_table("X", records)
    chosen = scheme_by_name(scheme) if isinstance(scheme, str) else scheme
    motion = _motion(chosen)
    epsilon = check_epsilon(epsilon)
    total, columns = records.shape
    sizes = _sizes(coalition_sizes, total)
    trials = check_integer("trials", trials, least=2)
    level = check_probability("level", level)
    target = check_probability("target", target)
    seed = check_seed(seed)
    seed = secrets.randbits(32) if seed is None else seed
    values = np.ascontiguousarray(records, dtype=np.float64)
    allowed = _tolerance(tolerance, values)

    release = perturb(records, chosen, seed)
    links = GrowingLinks(records, release.data, release.key.order, motion=motion)
    table = OwnersTable(values, links.radius, motion != "orthogonal", epsilon, allowed)
    draws = generator(seed, "coalition")
    linker: Linker = RowsKnown() if rows_known else links
    insider = _alone(table, linker, generator(seed, "insider"), progress)
    greedy = _greedy(table, sizes[-1], insider.record, seed)
    orders = [*greedy.values(), *(draws.choice(total, sizes[-1], replace=False) for _ in range(trials))]
    state = _fingerprint(values, chosen, motion, epsilon, sizes, trials, level, allowed, seed, rows_known)
    sums = _played(table, linker, orders, sizes, level, len(greedy), seed, state, store, progress, threads)

    played = Played(Figures.stacked(sums.figures), sums.exposure, sums.breached, sums.absent, len(greedy))
    kept = baselines(
        values, table.norms, epsilon, allowed, norms_kept=motion == "orthogonal", draws=generator(seed, "baseline")
    )
    tried = None
    if len(noise_levels):
        tried = remedies(
            values,
            _noise_levels(noise_levels),
            insiders=sizes[-1],
            epsilon=epsilon,
            target=target,
            column_means=kept.column_means,
            lattice="lattice" in others,
            scheme=chosen,
            draws=generator(seed, "remedy"),
            progress=progress,
        )
    per_size, smallest, per_record, per_attribute = summarise(played, table, sizes, level, tuple(greedy))
    return AuditResult(
        scheme=chosen.name,
        scheme_parameters=asdict(chosen),
        motion=motion,
        epsilon=epsilon,
        level=level,
        sizes=sizes,
        trials=trials,
        seed=seed,
        rows=total,
        columns=columns,
        per_size=per_size,
        smallest=smallest,
        records=per_record,
        attributes=per_attribute,
        insider=insider,
        greedy=greedy,
        baselines=kept,
        attackers=attackers(others, values, release.data, release.key.order, epsilon, seed),
        remedies=tried,
        rows_known=rows_known,
        undecided=int((~played.random.complete).any(axis=1).sum()),
    )


def _played(
    table: OwnersTable,
    links: Linker,
    orders: Sequence[IntArray],
    sizes: tuple[int, ...],
    level: float,
    greedy: int,
    seed: int,
    fingerprint: str,
    store: Store | None,
    progress: Progress,
    threads: int | None,
) -> _Sums:
    """Play all coalitions that are not in the store yet, in order."""
    shape = (len(sizes), len(table.records))
    sums = _Sums([], np.zeros(shape), np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32))
    saved = None if store is None else store.load()
    mark = np.frombuffer(fingerprint.encode(), dtype=np.uint8)
    if store is not None and saved is not None:
        if not np.array_equal(saved["fingerprint"], mark):
            rule = "must hold the unfinished work of this very audit"
            raise InputError(store.name, rule, "that of another", "Remove it, or choose another output.")
        sums = _Sums.restored(saved)
    done = len(sums.figures)
    progress("coalitions", done, len(orders))
    rest = orders[done:]
    for part, joined in links.batches(rest, progress):

        def run(i: int, joined: Any = joined) -> Trial:
            return play(table, rest[i], links.grow(rest[i], joined), sizes, level)

        for i, trial in zip(part, run_in_order(run, part, threads or processors(), ahead=0), strict=True):
            sums.add(trial, rest[i], sizes, level, random=done + i >= greedy)
            progress("coalitions", done + i + 1, len(orders))
            if store is not None and store.due():
                store.keep({**sums.arrays(), "fingerprint": mark, "seed": np.array(seed)})
    if store is not None and len(rest):
        store.keep({**sums.arrays(), "fingerprint": mark, "seed": np.array(seed)})
    return sums


def _greedy(table: OwnersTable, size: int, first: int | None, seed: int) -> dict[str, IntArray]:
    """The greedy orders by name; with one BLAS thread, so that no sum depends on how many there are."""

    def run(name: str) -> IntArray:
        if name == GREEDY[0]:
            return by_energy(table, size)
        return by_breaches(table, size, first, generator(seed, "greedy"))

    return dict(zip(GREEDY, run_in_order(run, GREEDY, processors()), strict=True))


def _alone(table: OwnersTable, links: Linker, draws: np.random.Generator, progress: Progress) -> SingleInsider:
    """The insider out of a sample who alone breaches the most others."""
    total = len(table.records)
    pool = np.sort(draws.choice(total, min(total, CANDIDATES), replace=False))
    if total < 2:
        return SingleInsider(None, 0.0, len(pool))

    def run(record: int) -> float:
        order = np.array([record])
        growth = links.grow(order)
        if not len(growth.linked(1)):
            return -1.0
        return float(np.delete(table.exposed(order, growth, (1,)).probability[0], record).sum())

    expected = []
    for one in run_in_order(run, pool.tolist(), processors()):
        expected.append(one)
        progress("insiders alone", len(expected), len(pool))
    best = int(np.argmax(expected))
    if expected[best] < 0:
        return SingleInsider(None, 0.0, len(pool))
    return SingleInsider(int(pool[best]), expected[best], len(pool))


def _motion(scheme: Scheme) -> Motion:
    if "norms" in scheme.keeps:
        return "orthogonal"
    if "distances" in scheme.keeps:
        return "rigid"
    rule = "must keep distances exactly, as orthogonal and rigid do"
    raise InputError(
        "scheme", rule, repr(scheme.name), "What noise brings is tried with noise_levels (--noise-levels)."
    )


def _sizes(sizes: Iterable[int], total: int) -> tuple[int, ...]:
    found = sorted({check_integer("coalition_sizes", size, least=1) for size in sizes})
    if not found:
        raise InputError("coalition_sizes", "must have at least one size", "none")
    if found[-1] >= total:
        raise InputError("coalition_sizes", f"must be below the number of records, {total}", found[-1])
    return tuple(found)


def _noise_levels(levels: Sequence[float]) -> tuple[float, ...]:
    return tuple(sorted({check_not_negative("noise_levels", level) for level in levels}))


def _tolerance(tolerance: float | Sequence[float] | None, values: FloatArray) -> FloatArray:
    """Error within which each attribute counts as learned: as given, or 5% of its range."""
    columns = values.shape[1]
    if tolerance is None:
        return np.asarray(_RANGE_SHARE * np.ptp(values, axis=0))
    try:
        given = np.broadcast_to(np.asarray(tolerance, dtype=np.float64), (columns,))
    except (TypeError, ValueError):
        rule = f"must be one number or one for each of the {columns} columns"
        raise InputError("tolerance", rule, type(tolerance).__name__) from None
    if not (np.isfinite(given) & (given >= 0)).all():
        raise InputError("tolerance", "must be finite and >= 0", "another number")
    return np.array(given)


def _fingerprint(values: FloatArray, *asked: object) -> str:
    """Hash of the table and of everything that a trial depends on."""
    text = repr([one.tolist() if isinstance(one, np.ndarray) else one for one in asked])
    digest = hashlib.sha256(f"isobreach {__version__} audit 1 {values.shape} {text}".encode())
    digest.update(values.tobytes())
    return digest.hexdigest()
