# SPDX-License-Identifier: BSD-3-Clause
"""The public functions: tables of any kind in, names and ids out again, the work done by the packages below."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach import attacks, linking, schemes
from isobreach._progress import Progress, no_progress
from isobreach.attacks import AttackResult
from isobreach.blocks import Source
from isobreach.geometry import Estimator
from isobreach.io import Table, as_table, fit_columns, like
from isobreach.linking import Choice, Linkage, Noise, Rule
from isobreach.schemes import Key, Release, Scheme


def perturb(X: Any, scheme: str | Scheme = "rigid", seed: int | None = None) -> Release:
    """Protect a table: ``Release(data, key)``, rows shuffled, data in the same kind of container as ``X``.

    A scheme is a name, one of ``ib.schemes.SCHEMES``, or an object with parameters: ``ib.schemes.Noisy(noise=0.2)``.
    Without a seed the key comes from the operating system's secure source; a seed is for experiments.

    >>> import numpy as np, isobreach as ib
    >>> X = np.arange(12.0).reshape(4, 3)
    >>> release = ib.perturb(X, "rigid", seed=0)
    >>> np.allclose(release.key.invert(release.data), X)
    True
    """
    table = as_table(X, "X")
    release = schemes.perturb(table.values, scheme, seed)
    named = table.kind != "numpy"
    key = replace(release.key, columns=table.columns if named else None, ids=table.ids)
    columns = fit_columns(table.columns, release.data.shape[1])
    return Release(like(table.kind, release.data, columns), key)


def invert(key: Key, released: Any) -> Any:
    """Records behind a release, for the owner who has the key: in their own order, under their own names."""
    table = as_table(released, "released")
    records = key.invert(table.values)
    columns = key.columns if key.columns is not None else fit_columns(table.columns, records.shape[1])
    return like(table.kind, records, columns, key.ids)


def link(
    known: Any,
    released: Any,
    *,
    motion: Choice = "orthogonal",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    noise: Noise = None,
    dictionary: Any = None,
    chance_limit: float = linking.CHANCE_LIMIT,
    node_limit: int = linking.NODE_LIMIT,
    progress: Progress = no_progress,
) -> Linkage:
    """Link known records to released rows: see ``isobreach.linking.link``.

    >>> import numpy as np, isobreach as ib
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> release = ib.perturb(X, "orthogonal", seed=1)
    >>> linkage = ib.link(X[:3], release.data)
    >>> bool((linkage.rows == release.key.order[:3]).all())
    True
    """
    known_table, released_rows, released_ids = _tables(known, released)
    candidates = None if dictionary is None else as_table(dictionary, "dictionary")
    linkage = linking.link(
        known_table.values,
        released_rows,
        motion=motion,
        rule=rule,
        tolerance=tolerance,
        noise=noise,
        dictionary=None if candidates is None else candidates.values,
        chance_limit=chance_limit,
        node_limit=node_limit,
        progress=progress,
    )
    return _named(linkage, known_table, candidates, released_ids)


def attack(
    known: Any,
    released: Any,
    epsilon: float = 0.1,
    *,
    motion: Choice = "orthogonal",
    estimator: Estimator = "optimal",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    noise: Noise = None,
    dictionary: Any = None,
    seed: int | None = None,
    progress: Progress = no_progress,
) -> AttackResult:
    """Attack a release with known records: see ``isobreach.attacks.attack``.

    >>> import numpy as np, isobreach as ib
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> release = ib.perturb(X, "orthogonal", seed=1)
    >>> result = ib.attack(X[:5], release.data, epsilon=0.1, seed=0)
    >>> result.hidden_dimension, float(result.breach_probability.min())
    (0, 1.0)
    """
    known_table, released_rows, released_ids = _tables(known, released)
    candidates = None if dictionary is None else as_table(dictionary, "dictionary")
    result = attacks.attack(
        known_table.values,
        released_rows,
        epsilon,
        motion=motion,
        estimator=estimator,
        rule=rule,
        tolerance=tolerance,
        noise=noise,
        dictionary=None if candidates is None else candidates.values,
        seed=seed,
        progress=progress,
    )

    def container(values: NDArray[np.float64], rows: NDArray[np.int64]) -> Any:
        ids = released_ids[rows] if released_ids is not None else None
        return like(known_table.kind, values, known_table.columns, ids)

    linkage = _named(result.linkage, known_table, candidates, released_ids)
    return replace(result, linkage=linkage, container=container)


def _named(linkage: Linkage, known: Table, candidates: Table | None, released_ids: NDArray[Any] | None) -> Linkage:
    entries = linkage.dictionary
    if entries is not None and candidates is not None:
        entries = replace(entries, known_ids=candidates.ids, released_ids=released_ids)
    return replace(linkage, known_ids=known.ids, released_ids=released_ids, dictionary=entries)


def _tables(known: Any, released: Any) -> tuple[Table, NDArray[Any] | Source, NDArray[Any] | None]:
    known_table = as_table(known, "known")
    # A source or a plain array goes as it is: linking checks its values in the pass that it makes anyway.
    if isinstance(released, Source) or type(released) in (np.ndarray, np.memmap):
        return known_table, released, None
    table = as_table(released, "released")
    return known_table, table.values, table.ids
