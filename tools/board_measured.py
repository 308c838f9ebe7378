# SPDX-License-Identifier: BSD-3-Clause
"""What is measured for the board: known sentences, a dictionary, a public sample and nothing, on real sentences."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import isobreach as ib
from isobreach.attacks import attack
from isobreach.datasets import SentenceStore
from isobreach.linking import link
from isobreach.schemes import Release, Scheme, perturb, scheme_by_name

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "board"
DEALS = 8
ROWS, PRESENT, ABSENT, SAMPLE = 3000, 500, 500, 1000
TABLES = "pymasq"  # the package that protects tables of few columns
LINKED = (20, 40, 100)  # linked records of a table that are tried
LADDER = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20)  # known sentences that are tried
NOISY = (8, 20)  # the same where noise hides most of what few sentences tell: a search takes up to a minute
READ = 100  # other sentences whose words are looked for
EXACT = 1e-4


@dataclass(frozen=True)
class Case:
    """A package with parameters, and how it is attacked.

    Attributes
    ----------
    title
        Its row on the board.
    package, parameters
        The scheme.
    motion
        What an attacker takes it for, from its documents.
    sampled
        Attack by a public sample.
    samples
        Deals in which it is played; 0 where it is not.
    ladder, deals
        Numbers of known sentences that are tried, and deals in which they are.
    """

    title: str
    package: str
    parameters: tuple[tuple[str, Any], ...] = ()
    motion: str = "orthogonal"
    sampled: str = "alignment"
    samples: int = DEALS
    ladder: tuple[int, ...] = LADDER
    deals: int = DEALS

    @property
    def scheme(self) -> Scheme:
        """The scheme."""
        return scheme_by_name(f"foreign:{self.package}", **dict(self.parameters))


CASES = {
    "turboquant": Case("turboquant-vectors, rotated", "turboquant-vectors", samples=1),
    "turboquant-4": Case(
        "turboquant-vectors, 4 bits", "turboquant-vectors", (("bits", 4),), samples=1, ladder=NOISY, deals=2
    ),
    "hadamask": Case("hadamask, hadamard", "hadamask", samples=1),
    "hadamask-dense": Case("hadamask, dense", "hadamask", (("transform", "dense"),), samples=1),
    "privrag": Case("privrag-guard, noise 0.1", "privrag-guard", samples=1, ladder=NOISY, deals=2),
    "alloy": Case(
        "ironcore-alloy, factor sqrt(largest entry)", "ironcore-alloy", sampled="permutation", ladder=NOISY, deals=2
    ),
    "alloy-2": Case(
        "ironcore-alloy, factor 2",
        "ironcore-alloy",
        (("beta", 2.0),),
        sampled="permutation",
        samples=3,
        ladder=NOISY,
        deals=2,
    ),
    "quiver": Case(
        "quiver-client, factor 0.02", "quiver-client", (), "similarity", "permutation", ladder=(3, 5, 8, 20), deals=2
    ),
}


@cache
def dealt(seed: int) -> SentenceStore:
    """Return the sentences of a deal, the same for every package."""
    return SentenceStore.drawn(seed, ROWS, ABSENT, SAMPLE)


@dataclass(frozen=True)
class Deal:
    """Sentences dealt by a seed and protected: what owner and attacker hold."""

    case: Case
    seed: int

    @property
    def store(self) -> SentenceStore:
        """The sentences."""
        return dealt(self.seed)

    @cached_property
    def release(self) -> Release:
        """Their protected vectors."""
        return perturb(self.store.stored, self.case.scheme, self.seed)

    def known(self, count: int) -> dict[str, float]:
        """How many of so many known sentences are found, rightly and wrongly."""
        store, release = self.store, self.release
        linkage = link(store.stored[:count], release.data, motion=self.case.motion, noise=release.key.noise or None)  # type: ignore[arg-type]
        right, wrong = store.found(np.arange(count), linkage.rows, release.key.order)
        return {"right": right, "wrong": wrong}

    def dictionary(self, count: int) -> dict[str, float]:
        """What so many known sentences and a dictionary open."""
        store, release, places = self.store, self.release, self.store.candidates(count, PRESENT)
        found = attack(
            store.stored[:count],
            release.data,
            motion=self.case.motion,  # type: ignore[arg-type]
            noise=release.key.noise or None,
            dictionary=store.vectors[places],
            seed=self.seed,
        )
        rows = np.full(len(places), -1) if found.linkage.dictionary is None else found.linkage.dictionary.rows
        right, wrong = store.found(places, rows, release.key.order)
        return {"right": right, "wrong": wrong, **self._opened(found.estimates)}

    def sample(self) -> dict[str, float]:
        """What a public sample gives, nobody of which is in the store."""
        level = self.release.key.noise or None
        if self.case.sampled == "alignment":
            found = self._reconstructed(level, motion="orthogonal")
        else:
            found = self._reconstructed(level)
            if not np.all(found.confirmed):  # without the level of the noise, if that confirms more columns
                found = max(found, self._reconstructed(None), key=lambda one: np.count_nonzero(one.confirmed))
        return {"claimed": float(found.claimed), **self._opened(found.estimates)}

    def _reconstructed(self, level: float | None, **settings: Any) -> Any:
        held = ib.Knowledge(sample=self.store.sample, noise=level)
        return ib.reconstruct(self.case.sampled, self.release.data, held, seed=self.seed, **settings)

    def nothing(self) -> dict[str, float]:
        """Whether anything is claimed without any knowledge."""
        return {"claimed": float(ib.reconstruct("lattice", self.release.data, seed=self.seed).claimed)}

    def _opened(self, estimates: Any) -> dict[str, float]:
        """How near estimates are: cosine, the nearest of all sentences of the store, and words read in full."""
        store = self.store
        if estimates is None:
            return {"cosine": 0.0, "nearest": 0.0, "read": 0.0}
        # Columns that an attack leaves open are guessed at their mean.
        unit = np.where(np.isnan(estimates), store.sample.mean(axis=0), estimates)[self.release.key.order]
        unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
        agree = unit @ store.stored.T
        others = np.arange(ROWS - READ, ROWS)  # in no list of the attacker
        close = max(EXACT, self.release.key.noise / self.release.key.scale * np.sqrt(unit.shape[1]))
        read = store.model.words(unit[others], close)
        full = [set(one.words) == set(store.model.pieces(store.texts[i])) for i, one in zip(others, read, strict=True)]
        return {
            "cosine": float(np.diagonal(agree).mean()),
            "nearest": float((agree.argmax(axis=1) == np.arange(ROWS)).mean()),
            "read": float(np.mean(full)),
        }


@dataclass(frozen=True)
class TableDeal:
    """Records of Letter protected by pymasq, whose map is no motion: records must be linked, and are regressed upon."""

    seed: int

    @cached_property
    def records(self) -> NDArray[np.float64]:
        """The records."""
        letter = ib.datasets.load("letter").values
        return letter[np.random.default_rng(self.seed).permutation(len(letter))[:ROWS]].astype(np.float64)

    @cached_property
    def release(self) -> Release:
        """Their protected rows."""
        return perturb(self.records, "foreign:pymasq", self.seed)

    def linked(self, count: int) -> dict[str, float]:
        """Median relative error of the other records, given so many linked ones; and of their mean as a guess."""
        order = self.release.key.order
        held = ib.Knowledge(known=self.records[:count], rows=order[:count])
        found = ib.reconstruct("regression", self.release.data, held, seed=self.seed)
        others, lengths = self.records[count:], np.linalg.norm(self.records[count:], axis=1)
        errors = np.linalg.norm(found.estimates[order][count:] - others, axis=1) / lengths
        blind = np.linalg.norm(self.records[:count].mean(axis=0) - others, axis=1) / lengths
        return {"error": float(np.median(errors)), "blind": float(np.median(blind))}


@dataclass(frozen=True)
class Measured:
    """All that was measured of a case, kept in a file as soon as it is known."""

    name: str

    @property
    def case(self) -> Case:
        """What was measured."""
        return CASES[self.name]

    @cached_property
    def _file(self) -> Path:
        KEPT.mkdir(parents=True, exist_ok=True)
        return KEPT / f"{self.name}.json"

    @cached_property
    def _kept(self) -> dict[str, dict[str, float]]:
        return dict(json.loads(self._file.read_text())) if self._file.exists() else {}

    @cached_property
    def _deals(self) -> tuple[Any, ...]:
        if self.name == TABLES:
            return tuple(TableDeal(seed) for seed in range(DEALS))
        return tuple(Deal(self.case, seed) for seed in range(DEALS))

    def of(self, seed: int, label: str, measure: Callable[[Any], dict[str, float]]) -> dict[str, float]:
        """Return figures of one deal, with the CPU seconds they took; measured once."""
        name = f"{label}/{seed}"
        if name not in self._kept:
            deal = self._deals[seed]
            deal.release  # noqa: B018  # the owner's work is not counted
            before = time.process_time()
            try:
                figures = measure(deal)
            except ib.IsobreachError as error:
                figures = {"refused": 1.0}
                print(f"{self.name} {name}: {error}", file=sys.stderr)
            self._kept[name] = {**figures, "seconds": time.process_time() - before}
            self._file.write_text(json.dumps(self._kept, indent=1))
            print(f"{self.name} {name}: {self._kept[name]}", file=sys.stderr)
        return self._kept[name]

    def every(self, label: str, measure: Callable[[Any], dict[str, float]], deals: int) -> list[dict[str, float]]:
        """Return figures of so many deals."""
        return [self.of(seed, label, measure) for seed in range(min(deals, DEALS))]

    @cached_property
    def fewest(self) -> int | None:
        """Fewest known sentences, of those tried, all of which are found in every deal."""
        for count in self.case.ladder:
            for seed in range(min(self.case.deals, DEALS)):
                found = self.of(seed, f"known {count}", lambda deal, count=count: deal.known(count))  # type: ignore[misc]
                if found.get("right") != count:
                    break
            else:
                return count
        return None

    @cached_property
    def wrong(self) -> int:
        """Wrong links in all that was tried."""
        return int(sum(one.get("wrong", 0) for one in self._kept.values()))

    @cached_property
    def opened(self) -> list[dict[str, float]]:
        """What the fewest known sentences and a dictionary open; the most that were tried where none are enough."""
        count = self.fewest or self.case.ladder[-1]
        return self.every(f"dictionary {count}", lambda deal: deal.dictionary(count), self.case.deals)

    @cached_property
    def sampled(self) -> list[dict[str, float]]:
        """What a public sample gives."""
        return [self.of(seed, "sample", Deal.sample) for seed in range(min(self.case.samples, DEALS))]

    @cached_property
    def alone(self) -> dict[str, float]:
        """What nobody's knowledge gives, on one deal."""
        return self.of(0, "nothing", Deal.nothing)

    def linked(self, count: int) -> list[dict[str, float]]:
        """What linked records of a table give."""
        return self.every(f"linked {count}", lambda deal: deal.linked(count), DEALS)
