# SPDX-License-Identifier: BSD-3-Clause
"""Link known records, and attack a release."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach import attacks, linking
from isobreach._interface.containers import (
    as_report,
    ids_of,
    like_known,
    named_linkage,
    rows_of,
    warn_if_nothing_linked,
)
from isobreach._progress import Progress, no_progress
from isobreach._reports import AttackReport, LinkReport, ReconstructionReport, reconstruction_report
from isobreach._validation import check_choice
from isobreach.attacks import Knowledge
from isobreach.engine import as_engine
from isobreach.errors import InputError, LeftOutWarning
from isobreach.geometry import Estimator
from isobreach.io import Scan, Source, as_table, bounded_attributes, like, matched_columns, read_ranges
from isobreach.linking import Choice, Noise, Rule

ENGINES = ("local", "dask")  # where rows may be visited


def scan(
    path: str | Path,
    columns: Sequence[str] | None = None,
    engine: str = "local",
    *,
    scheduler: Any = None,
    id_column: str | None = None,
) -> Scan:
    """Leave a table in its files: rows larger than memory, visited pass by pass.

    It goes in wherever a released table goes: ``link``, ``attack``, ``reconstruct``. Results are those of the same
    table in memory, bit for bit. A release that is given by its path and holds more than 128 MiB of numbers is scanned
    without being asked to.

    Parameters
    ----------
    path
        A Parquet file, a folder of parts, or a pattern such as ``"folder/*.parquet"``; parts in the order of their
        names. Numbers are columns, or one column of vectors of a fixed length. Or a CSV file, packed or not: it is
        parsed once, into a temporary file of eight bytes a number (in ``TMPDIR``), which ends with the scan.
    columns
        Those to use, in this order; all that hold numbers by default.
    engine
        ``"local"``: threads of this process. ``"dask"``: workers of a Dask cluster (``isobreach[dask]``), who read the
        files under the same paths.
    scheduler
        Address of the cluster's scheduler, or a ``distributed.Client`` of it. By default a cluster of as many processes
        as this machine has processors; it ends with the program.
    id_column
        The column that names the rows; it is read into memory.

    >>> import isobreach as ib, numpy as np, pyarrow as pa, tempfile
    >>> from pyarrow import parquet
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parquet.write_table(pa.table(dict(zip("abc", X.T))), f"{folder}/part-1.parquet")
    ...     released = ib.scan(f"{folder}/*.parquet")
    ...     released, ib.link(X[:2], released).rows.tolist()
    (Scan(100 x 3, 1 file), [0, 1])
    """
    check_choice("engine", engine, ENGINES)
    if engine != "dask" and scheduler is not None:
        raise InputError("scheduler", "must be left out unless engine is dask", repr(engine))
    source = Source(path, "released")
    found = source.spread(scheduler, columns, id_column) if engine == "dask" else source.scanned(columns, id_column)
    if found is None:
        rule = (
            "must be Parquet (a file, a folder of parts or a pattern; numbers, or vectors of a fixed length) "
            "or CSV whose numbers have a decimal point"
        )
        raise InputError("path", rule, str(path), "Give the path itself to link, attack or reconstruct.")
    if found.left_out:
        warnings.warn(LeftOutWarning("released", found.left_out), stacklevel=2)
    return found


def link(
    known: Any,
    released: Any,
    *,
    motion: Choice = "auto",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    noise: Noise = None,
    dictionary: Any = None,
    sample: Any = None,
    chance_limit: float = linking.CHANCE_LIMIT,
    node_limit: int = linking.NODE_LIMIT,
    progress: Progress = no_progress,
) -> LinkReport:
    """Find the released row of each known record, where no other row is possible.

    Parameters
    ----------
    known
        Records that the attacker holds: NumPy, pandas, polars, Arrow or a path, numbers in every column. Missing cells
        (NaN, null) are attributes that are not known: the links of complete records complete such partial records
        where exactly one row fits and strangers would not. Noise takes complete records only.
    released
        The release, with as many columns or more.
    motion
        What the release keeps: ``"orthogonal"`` norms and distances, ``"rigid"`` distances, ``"similarity"`` ratios
        of distances; ``"auto"`` decides between them and says why. It rules out chance for every link: where known
        records are few or the release is coarse, a motion that is named may link more.
    rule
        ``"backbone"``: the links that every largest valid assignment agrees on. ``"uniquely-valid"``: the paper's
        maximal uniquely valid set, which is contained in it.
    tolerance
        Largest error of a released coordinate; None derives it from the release's own precision.
    noise
        Standard deviation of independent random errors of the released coordinates, or ``"estimate"`` to find it from
        the release. Links then come with posteriors, and count where these leave at most ``chance_limit`` open;
        ``rule`` and ``node_limit`` do not matter.
    dictionary
        Candidate records, of which most may be absent, with the columns of ``known``.
    sample
        Records of the same population, with the columns of ``known``. Where a release of unknown norms has too many
        pairs of rows to compare them all, they propose rows, which exact distances confirm.
    chance_limit
        With an absent record among the known ones, links with more expected chance matches than this are ambiguous.
    node_limit
        Search nodes after which the rest is left ambiguous and ``complete`` is False.
    progress
        Called as ``progress(label, done, total)``.

    >>> import numpy as np, isobreach as ib
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> release = ib.perturb(X, seed=1)
    >>> linkage = ib.link(X[:3], release.data)
    >>> bool((linkage.rows == release.key.order[:3]).all())
    True
    """
    known_table = as_table(known, "known")
    candidates = like_known("dictionary", dictionary, known_table)
    others = like_known("sample", sample, known_table)
    released_rows, table = rows_of(released)
    linkage = linking.link(
        known_table.values,
        released_rows,
        motion=motion,
        rule=rule,
        tolerance=tolerance,
        noise=noise,
        dictionary=None if candidates is None else candidates.values,
        sample=None if others is None else others.values,
        chance_limit=chance_limit,
        node_limit=node_limit,
        progress=progress,
    )
    warn_if_nothing_linked(linkage)
    return as_report(LinkReport, named_linkage(linkage, known_table, candidates, table))


def attack(
    known: Any,
    released: Any,
    epsilon: float = 0.1,
    *,
    motion: Choice = "auto",
    estimator: Estimator = "optimal",
    rule: Rule = "backbone",
    tolerance: float | None = None,
    noise: Noise = None,
    dictionary: Any = None,
    sample: Any = None,
    seed: int | None = None,
    progress: Progress = no_progress,
) -> AttackReport:
    """Estimate everyone else's record from known ones; no link at all is a valid outcome.

    Parameters
    ----------
    known, released, motion, rule, tolerance, noise, dictionary, sample, progress
        As for ``link``.
    epsilon
        Relative error that counts as a breach: ``|estimate - x| <= epsilon |x|``.
    estimator
        ``"optimal"``; ``"uniform"``, the paper's; ``"published"``, the paper's with its formula as printed.
    seed
        Of the random direction in the hidden dimensions.

    >>> import numpy as np, isobreach as ib
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> release = ib.perturb(X, seed=1)
    >>> result = ib.attack(X[:6], release.data, epsilon=0.1, seed=0)
    >>> result.hidden_dimension, float(result.breach_probability.min())
    (0, 1.0)
    """
    known_table = as_table(known, "known")
    candidates = like_known("dictionary", dictionary, known_table)
    others = like_known("sample", sample, known_table)
    released_rows, table = rows_of(released)
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
        sample=None if others is None else others.values,
        seed=seed,
        progress=progress,
    )

    def container(values: NDArray[np.float64], rows: NDArray[np.int64]) -> Any:
        ids = None if table is None or table.ids is None else table.ids[rows]
        return like(known_table.kind, values, known_table.columns, ids)

    warn_if_nothing_linked(result.linkage)
    linkage = named_linkage(result.linkage, known_table, candidates, table)
    return as_report(AttackReport, replace(result, linkage=linkage, container=container))


def reconstruct(
    name: str,
    released: Any,
    knowledge: Knowledge | None = None,
    *,
    seed: int | None = None,
    progress: Progress = no_progress,
    **settings: Any,
) -> ReconstructionReport:
    """Run an attack by its name, with what the attacker knows.

    Parameters
    ----------
    name
        An attack: ``"known-input"``, ``"kaplan"``, ``"lattice"``, ..., or that of another package.
    released
        The release: NumPy, pandas, polars, Arrow or a path.
    knowledge
        What the attacker holds; nothing by default. Each attack says what it needs. Its tables may be of any kind too,
        ``Knowledge(known="insiders.csv")``, and its ranges a file or text such as ``"0:15"``.
    seed
        Makes the attack repeatable.
    progress
        Called as ``progress(label, done, total)``.
    settings
        The attack's own: ``isobreach attack METHOD --help`` lists them.

    >>> import numpy as np, isobreach as ib
    >>> X = np.random.default_rng(0).integers(0, 100, (500, 5))
    >>> release = ib.perturb(X, "orthogonal", seed=1)
    >>> found = ib.reconstruct("lattice", release.data, ib.Knowledge(bounds=(0, 100)), seed=0)
    >>> found.claimed, sorted(map(int, found.estimates.sum(axis=0))) == sorted(map(int, X.sum(axis=0)))
    (True, True)
    """
    attack = attacks.ATTACKS.named("name", name)
    given = {key: settings.pop(key) for key in ("noise", "dictionary") if key in settings}
    held = replace(Knowledge.of(knowledge), **given)
    tables = {
        key: as_table(value, key)
        for key in ("known", "sample", "dictionary")
        if (value := getattr(held, key)) is not None
    }
    first = next(iter(tables), "")
    tables = {key: matched_columns(table, key, tables[first], first) for key, table in tables.items()}
    values: dict[str, Any] = {key: table.values for key, table in tables.items()}
    rows, table = rows_of(released)
    names = next((one.columns for one in tables.values()), None)
    if isinstance(held.bounds, str | Path):
        ranges = read_ranges(str(held.bounds), "bounds")
        names, values["bounds"] = bounded_attributes(ranges, names, as_engine(rows).shape[1])
    found = attacks.reconstruct(name, rows, replace(held, **values), seed=seed, progress=progress, **settings)
    warn_if_nothing_linked(getattr(found, "linkage", None))
    asked = replace(
        found.asked,
        names=names or (),
        known_ids=ids_of(tables.get("known")),
        dictionary_ids=ids_of(tables.get("dictionary")),
        released_ids=ids_of(table),
        left_out=() if table is None else table.left_out,
    )
    found = replace(found, asked=asked)
    if table is None:
        return reconstruction_report(found, found)
    labels = attack.labels(found)

    def container(values: NDArray[np.float64], places: NDArray[np.int64]) -> Any:
        columns = [labels.get(j, f"open_{j + 1}") for j in range(values.shape[1])]
        return like(table.kind, values, columns, None if table.ids is None else table.ids[places])

    return reconstruction_report(found, found.contained(container))
