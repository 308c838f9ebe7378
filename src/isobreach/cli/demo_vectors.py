# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration of a vector store: real sentences, protected by a package, opened with a few of them."""

from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from isobreach._phrases import count
from isobreach._random import generator
from isobreach._validation import check_choice, check_integer
from isobreach.attacks import attack
from isobreach.cli.console import Console
from isobreach.datasets import SentenceStore
from isobreach.errors import InputError
from isobreach.schemes import SCHEMES, Release, perturb, scheme_by_name

_PREFIX = "foreign:"
_PRESENT = 500  # candidates that are in the store; as many are not
_MOST_KNOWN = 1000  # sentences in no list must be left
_READ = 200  # other sentences whose words are looked for
_SHOWN = 4  # of each kind
_EPSILON = 0.05
_EXACT = 1e-4  # of a vector in single precision, less is left when all words are found


@dataclass(frozen=True)
class Opened:
    """What the attacker found, counted by the owner.

    Attributes
    ----------
    known, known_wrong
        Known sentences that were found, and found in a wrong row.
    candidates, candidates_wrong
        The same of candidates; those that are absent can only be found wrongly.
    cosine, least_cosine
        Of opened vectors with the true ones: mean, and least.
    read
        Sentences in no list of the attacker, of ``_READ``, all of whose words were read.
    shown
        A few of both kinds: found as, recovered, true.
    """

    known: int
    known_wrong: int
    candidates: int
    candidates_wrong: int
    cosine: float
    least_cosine: float
    read: int
    shown: tuple[tuple[str, str, str], ...]


def run_vectors(console: Console, package: str, known: int, seed: int) -> None:
    """Protect sentence vectors with a package, open them, and print recovered sentences beside the true ones."""
    check_choice("--package", package, [one.removeprefix(_PREFIX) for one in SCHEMES if one.startswith(_PREFIX)])
    check_integer("--seed", seed, least=0)
    if check_integer("--known", known, least=1) > _MOST_KNOWN:
        raise InputError("--known", f"must be at most {_MOST_KNOWN:,}", known)
    scheme = scheme_by_name(_PREFIX + package)
    with console.bars():
        with console.work("embedding"):
            store = SentenceStore.drawn(seed)
        with console.work("protecting"):
            release = perturb(store.stored, scheme, seed)
        opened = _opened(store, release, known, seed, console)
    columns = store.vectors.shape[1]
    console.say(_told(opened, store, package, known))
    console.table(["found as", "recovered from a protected vector", "what it was"], opened.shown)
    console.say("The order of the words is not in a vector; a hyphen marks a piece within a word.")
    asked = {"package": package, "version": version(package), "known_given": known, "seed": seed, "rows": store.rows}
    asked |= {"columns": columns, "candidates_present": _PRESENT, "candidates_absent": store.absent, "read_of": _READ}
    console.result({"schema": "isobreach/demo-vectors/1", **asked, **asdict(opened)})


def _told(opened: Opened, store: SentenceStore, package: str, known: int) -> list[str]:
    """The story, a line each."""
    what = f"{store.rows:,} sentences of Python's documentation, as vectors of {store.vectors.shape[1]} numbers"
    held = f"{count(known, 'sentence')} of the store and {_PRESENT + store.absent:,} candidates"
    found = f"{opened.candidates} of {_PRESENT} in the store were found, {opened.candidates_wrong} in a wrong row"
    cosines = f"{opened.cosine:.4f} on average and {opened.least_cosine:.4f} at least"
    return [
        f"{what} (wordllama {version('wordllama')}),",
        f"are protected by {package} {version(package)} and shuffled.",
        f"The attacker holds the protected vectors, {held}, {store.absent} of which are absent.",
        "Nobody says which row is whose.",
        "",
        f"Known sentences: {opened.known} of {known} were found, {opened.known_wrong} in a wrong row.",
        f"Candidates: {found}.",
        f"All {store.rows:,} vectors were then turned back: their cosine with the true ones is {cosines}.",
        f"Of {_READ} sentences in no list of the attacker, all words of {opened.read} were read from the vectors.",
    ]


def _opened(store: SentenceStore, release: Release, known: int, seed: int, console: Console) -> Opened:
    """The attack, and what came of it."""
    places, order, noise = store.candidates(known, _PRESENT), release.key.order, release.key.noise
    result = attack(
        store.stored[:known],
        release.data,
        _EPSILON,
        motion="orthogonal",
        noise=noise or None,
        dictionary=store.vectors[places],
        seed=seed,
        progress=console.progress,
    )
    found = result.linkage.dictionary
    rows = np.full(len(places), -1) if found is None else found.rows
    estimates = result.estimates[order]
    cosines = np.sum(estimates * store.stored, axis=1) / np.linalg.norm(estimates, axis=1)
    others = known + _PRESENT + generator(seed, "trial").permutation(store.rows - known - _PRESENT)[:_READ]
    texts = [store.texts[place] for place in others.tolist()]
    read = store.model.words(estimates[others], max(_EXACT, noise * np.sqrt(store.vectors.shape[1])))
    shown = _sentences(store, places, rows, order)
    shown += [("words", " ".join(one.words), text) for one, text in zip(read[:_SHOWN], texts, strict=False)]
    linked, wrong = store.found(np.arange(known), result.linkage.rows, order)
    right, false = store.found(places, rows, order)
    return Opened(
        known=linked,
        known_wrong=wrong,
        candidates=right,
        candidates_wrong=false,
        cosine=float(cosines.mean()),
        least_cosine=float(cosines.min()),
        read=sum(set(one.words) == set(store.model.pieces(text)) for one, text in zip(read, texts, strict=True)),
        shown=tuple(shown),
    )


def _sentences(store: SentenceStore, places: Any, rows: Any, order: Any) -> list[tuple[str, str, str]]:
    """The first candidates that were found, beside what was really in their rows."""
    behind = np.argsort(order)
    hits = np.flatnonzero(rows >= 0)[:_SHOWN]
    return [("candidate", store.texts[places[hit]], store.texts[behind[rows[hit]]]) for hit in hits.tolist()]
