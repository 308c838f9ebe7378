# SPDX-License-Identifier: BSD-3-Clause
"""The public functions: tables of any kind in, names and ids out again, the work done by the packages below."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from isobreach import attacks, audits, linking, preparation, schemes
from isobreach._calls import Variable, call_again, table_text
from isobreach._progress import Progress, no_progress
from isobreach._reports import (
    AttackReport,
    AuditReport,
    ComparisonReport,
    LinkReport,
    ReconstructionReport,
    reconstruction_report,
)
from isobreach._validation import check_choice, check_integer
from isobreach.attacks import Knowledge
from isobreach.audits import EFFORT, INSIDERS, SHARE, ComparisonAsked, ComparisonTable, Criterion, Settings, Store
from isobreach.engine import Engine, as_engine
from isobreach.errors import InputError, LeftOutWarning, NothingLinkedWarning
from isobreach.geometry import Estimator
from isobreach.io import (
    Scan,
    Source,
    Table,
    as_raw,
    as_released,
    as_table,
    bounded_attributes,
    default_columns,
    like,
    matched_columns,
    numbers_of,
    read_ranges,
    without_column,
)
from isobreach.linking import Choice, Linkage, Noise, Rule
from isobreach.preparation import PreparedTable, done_words
from isobreach.schemes import AnyKey, Release, Scheme, scheme_by_name

Report = TypeVar("Report")

MOST_CLASSES = 100  # of a label: more are no categories
ENGINES = ("local",)  # where rows may be visited


def prepare(
    frame: Any,
    *,
    missing: str | None = None,
    categories: str = "leave-out",
    standardise: bool = False,
    columns: Sequence[str] | None = None,
    id_column: str | None = None,
) -> PreparedTable:
    """Turn a table as its owner has it into numbers, with every step recorded: ``table.steps``.

    Dates become days, amounts such as ``$1,234.50`` numbers, and truths 0 or 1. Columns that only name the rows, text,
    and columns of one value are left out. ``table.apply`` does the same to new rows, such as known records, and
    ``table.restore`` goes back. The table goes wherever tables go.

    Parameters
    ----------
    frame
        pandas, polars, Arrow or NumPy, anything else that narwhals reads, or a path.
    missing
        ``"drop"`` the rows with missing values, or fill them: with the ``"mean"`` of a column, or its most common
        category. Without a choice a missing value is an error that tells what both would leave.
    categories
        ``"one-hot"``: text becomes columns of 0 and 1, one attribute together. ``"leave-out"``: it is left out.
    standardise
        Subtract the mean of every number and divide by its standard deviation, both of the rows that are left;
        categories stay 0 or 1.
    columns
        Columns to keep; a column that is named is kept even if it seems to name the rows or has one value.
    id_column
        The column that names the records.

    >>> import isobreach as ib, pandas as pd
    >>> people = pd.DataFrame({"age": [30, 41, None], "pay": ["$1,200", "$950", "$2,000"], "sex": ["f", "m", "f"]})
    >>> table = ib.prepare(people, missing="drop", categories="one-hot")
    >>> table.values.tolist(), table.columns
    ([[30.0, 1200.0, 0.0], [41.0, 950.0, 1.0]], ('age', 'pay', 'sex=m'))
    >>> table.steps[-1].what, table.restore(table.values)["sex"].tolist()
    ('one-hot', ['f', 'm'])
    """
    return preparation.prepare(
        frame,
        missing=missing,
        categories=categories,
        standardise=standardise,
        columns=columns,
        id_column=id_column,
    )


def perturb(X: Any, scheme: str | Scheme = "rigid", seed: int | None = None) -> Release:
    """Protect a table: ``Release(data, key)``, rows shuffled, data in the same kind of container as ``X``.

    Released columns are called c1, c2, ...: each mixes all of the owner's, whose names stay in the key. A scheme that
    changes values in their columns keeps the names.

    Parameters
    ----------
    X
        The table: NumPy, pandas, polars, Arrow or a path. Columns without numbers, and what stands beside a column of
        vectors, are left out, with a warning.
    scheme
        A name, one of ``ib.schemes.SCHEMES``, or an object with parameters: ``ib.schemes.Noisy(noise=0.2)``.
    seed
        For experiments alone: whoever knows it can draw the key again. Without one the key comes from the operating
        system's secure source.

    >>> import numpy as np, isobreach as ib
    >>> X = np.arange(12.0).reshape(4, 3)
    >>> release = ib.perturb(X, "rigid", seed=0)
    >>> np.allclose(release.key.invert(release.data), X)
    True
    """
    table = _read(X, "X")
    scheme = scheme_by_name(scheme) if isinstance(scheme, str) else scheme
    release = schemes.perturb(table.values, scheme, seed)
    named = table.kind != "numpy"
    key = replace(release.key, columns=table.columns if named else None, ids=table.ids)
    # The owner's names over mixed values would mislead.
    columns = table.columns if scheme.in_place else default_columns(release.data.shape[1])
    return Release(like(table.kind, release.data, columns), key, table.left_out)


def invert(key: AnyKey, released: Any) -> Any:
    """Return the records behind a release, for the owner who has the key: in their own order, under their own names.

    Parameters
    ----------
    key
        The key of this release: ``release.key``, or one that ``read_key`` gave back.
    released
        The release: NumPy, pandas, polars, Arrow or a path.
    """
    table = _read(released, "released")
    records = key.invert(table.values)
    columns = key.columns if key.columns is not None else default_columns(records.shape[1])
    return like(table.kind, records, columns, key.ids)


def scan(
    path: str | Path, columns: Sequence[str] | None = None, engine: str = "local", *, id_column: str | None = None
) -> Scan:
    """Leave a table in its Parquet files: rows larger than memory, visited pass by pass.

    It goes in wherever a released table goes: ``link``, ``attack``, ``reconstruct``. Results are those of the same
    table in memory, bit for bit. A release that is given by its path and holds more than 128 MiB of numbers is scanned
    without being asked to.

    Parameters
    ----------
    path
        A Parquet file, a folder of parts, or a pattern such as ``"folder/*.parquet"``; parts in the order of their
        names. Numbers are columns, or one column of vectors of a fixed length.
    columns
        Those to use, in this order; all that hold numbers by default.
    engine
        ``"local"``: threads of this process.
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
    found = Source(path, "path").scanned(columns, id_column)
    if found is None:
        rule = "must be a .parquet file, a folder of parts or a pattern, with numbers or vectors of a fixed length"
        raise InputError("path", rule, str(path), "Give the path itself to link, attack or reconstruct.")
    if found.left_out:
        warnings.warn(LeftOutWarning("path", found.left_out), stacklevel=2)
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
        Standard deviation of random errors of the released coordinates, or ``"estimate"`` to find it from the release.
    dictionary
        Candidate records, of which most may be absent, with the columns of ``known``.
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
    candidates = _like_known("dictionary", dictionary, known_table)
    released_rows, table = _released(released)
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
    _warn_if_nothing_linked(linkage)
    return _as(LinkReport, _named(linkage, known_table, candidates, table))


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
    seed: int | None = None,
    progress: Progress = no_progress,
) -> AttackReport:
    """Estimate everyone else's record from known ones; no link at all is a valid outcome.

    Parameters
    ----------
    known, released, motion, rule, tolerance, noise, dictionary, progress
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
    candidates = _like_known("dictionary", dictionary, known_table)
    released_rows, table = _released(released)
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
        ids = None if table is None or table.ids is None else table.ids[rows]
        return like(known_table.kind, values, known_table.columns, ids)

    _warn_if_nothing_linked(result.linkage)
    linkage = _named(result.linkage, known_table, candidates, table)
    return _as(AttackReport, replace(result, linkage=linkage, container=container))


def audit(
    X: Any,
    scheme: str | Scheme = "rigid",
    epsilon: float = 0.1,
    coalition_sizes: Iterable[int] = range(1, 9),
    trials: int = 200,
    attacks: Sequence[str] | None = None,
    seed: int | None = None,
    progress: Progress = no_progress,
    *,
    level: float = 0.5,
    tolerance: float | Sequence[float] | None = None,
    noise_levels: Sequence[float] = (),
    target: float = 0.05,
    limit: float | None = None,
    criterion: str = SHARE,
    rows_known: bool = False,
    samples: Sequence[int] = (200, 1000),
    ranges: bool = False,
    splits: int = EFFORT.splits,
    store: Store | None = None,
) -> AuditReport:
    """Audit a table before it is published: how few insiders are enough, and how surely they succeed.

    Parameters
    ----------
    X
        The table: NumPy, pandas, polars, Arrow or a path.
    scheme
        How it is to be protected, a name or an object with parameters: ``ib.schemes.Noisy(noise=0.2)``.
    epsilon
        Relative error that counts as a breach: ``|estimate - x| <= epsilon |x|``.
    coalition_sizes
        Numbers of insiders who pool their records.
    trials
        Random orders of insiders; the beginnings of each are coalitions of all sizes.
    attacks
        Attackers, by name: ``"known-input"`` is the insiders, always there. By default all that audits play, if what
        they import is installed.
    seed
        Makes the audit repeatable; without one a seed is drawn and told.
    progress
        Called as ``progress(label, done, total)``.
    level
        Breach probability from which on a record counts as breached.
    tolerance
        Error within which an attribute counts as learned, one number or one a column; 5% of its range by default.
    noise_levels
        Noise to try as a remedy, relative to the table's spread.
    limit, criterion
        What may not be exceeded, for gate, remedies and verdict alike: ``"share"``, the share of other people's records
        that any attacker is expected to breach, or ``"worst-record"``, the probability with which the most exposed
        record is breached.
    target
        The limit of remedies where there is no gate.
    rows_known
        Suppose that insiders know their own rows, from whatever source, instead of having to find them: no linking
        could do better. With a scheme that adds noise they always are, because finding them takes too long.
    samples
        Sizes of public samples that attackers may have: records of the same population that are not released. They are
        held out of the table, so that those larger than half of it are not tried.
    ranges
        Whether attackers know the ranges of the attributes.
    splits
        How often the table is split into sample and release, and attackers are played on it; an even number, so that
        the best attacker is chosen on one half and told from the other.
    store
        Where finished work is kept: an interrupted audit goes on from there, to the same result bit for bit.

    >>> import numpy as np, isobreach as ib
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> report = ib.audit(X, scheme="orthogonal", coalition_sizes=range(1, 5), trials=20, seed=0)
    >>> report.at(4).random.worst.value, report.smallest[-1].random
    (1.0, 3)
    """
    table = _read(X, "X")
    settings = Settings.checked(
        scheme,
        epsilon,
        coalition_sizes,
        trials,
        level,
        tolerance,
        noise_levels,
        None if limit is None else Criterion.checked(limit, criterion),
        Criterion.checked(target, criterion, "target"),
        attackers_of(attacks, scheme),
        rows_known,
        samples,
        ranges,
        check_integer("splits", splits, least=2),
        groups=table.groups if isinstance(table, PreparedTable) else (),
    )
    result = audits.audit(table.values, settings, seed=seed, progress=progress, store=store)
    names = table.columns if table.kind != "numpy" or isinstance(X, Table) else None
    asked = {
        "scheme": scheme,
        "epsilon": epsilon,
        "coalition_sizes": settings.sizes,
        "trials": trials,
        "attacks": attacks,
        "level": level,
        "tolerance": tolerance,
        "noise_levels": noise_levels,
        "target": target,
        "limit": limit,
        "criterion": criterion,
        "rows_known": rows_known,
        "samples": samples,
        "ranges": ranges,
        "splits": splits,
        "seed": result.seed,
    }
    call = call_again(audit, _prepared_call(X), asked)
    named = replace(result, names=names, ids=table.ids, left_out=table.left_out, call=call)
    if isinstance(table, PreparedTable):
        steps = tuple({"column": one.column, "what": one.what, "sentence": one.sentence} for one in table.steps)
        named = replace(
            named,
            names=table.attributes,
            steps=steps,
            prepared=_prepared(table),
            rows_read=table.rows_read,
            ids_are_rows=np.array_equal(table.ids, table.rows) if table.ids is not None else False,
        )
    return _as(AuditReport, named)


def compare(
    X: Any,
    schemes: Sequence[str | Scheme] | None = None,
    attacks: Sequence[str] | None = None,
    epsilon: float = 0.1,
    known: int = 8,
    sample: int = 500,
    trials: int = 20,
    seed: int | None = 0,
    progress: Progress = no_progress,
    *,
    label: str | Sequence[Any] | NDArray[Any] | None = None,
    quick: bool = False,
    store: Store | None = None,
) -> ComparisonReport:
    """Play every attack against every scheme: who breaches what, and what each scheme leaves of the table.

    Parameters
    ----------
    X
        The table: NumPy, pandas, polars or Arrow, or a path.
    schemes
        Names or objects with parameters: ``ib.schemes.Noisy(noise=0.2)``. By default all that this package has.
    attacks
        Names. By default all that this package has; what cannot work on a scheme says why.
    epsilon
        Relative error that counts as a breach: ``|estimate - x| <= epsilon |x|``.
    known
        Records of the release that the attackers know.
    sample
        Records of the same population that they know besides: held out of the release.
    trials
        How often a part of the table is drawn, protected and attacked; attacks that take seconds play in fewer.
    seed
        Makes it repeatable, whatever the number of processors; None to draw one.
    progress
        Called as ``progress(label, done, total)``.
    label
        A column of ``X`` that is not protected but classified, or a class for each record: utility then includes the
        accuracy of a classifier.
    quick
        Smaller parts of the table and few trials: seconds instead of minutes.
    store
        Where finished trials are kept: an interrupted comparison goes on from there, to the same result.

    >>> import numpy as np, isobreach as ib
    >>> X = np.random.default_rng(0).standard_normal((200, 4)) + 5
    >>> table = ib.compare(X, ["rigid"], ["known-input"], known=6, sample=20, trials=2)
    >>> table.at("rigid", "known-input").breached.value, table.schemes[0].utility.neighbours
    (1.0, 1.0)
    """
    table, named, classes = _labelled(X, label)
    asked = ComparisonAsked.checked(
        schemes,
        attacks,
        epsilon,
        known,
        sample,
        trials,
        quick=quick,
        groups=table.groups if isinstance(table, PreparedTable) else (),
    )
    result = audits.compare(ComparisonTable(table.values, classes), asked, seed=seed, progress=progress, store=store)
    names = table.columns if table.kind != "numpy" or isinstance(X, Table) else None
    given = {
        "schemes": schemes,
        "attacks": attacks,
        "epsilon": epsilon,
        "known": known,
        "sample": sample,
        "trials": trials,
        "label": label if label is None or isinstance(label, str) else Variable("label"),
        "quick": quick,
        "seed": result.seed,
    }
    call = call_again(compare, _prepared_call(X), given)
    result = replace(result, names=names, left_out=table.left_out, label=named, call=call)
    if isinstance(table, PreparedTable):
        steps = tuple({"column": one.column, "what": one.what, "sentence": one.sentence} for one in table.steps)
        result = replace(result, names=table.attributes, steps=steps, prepared=_prepared(table))
    return _as(ComparisonReport, result)


def _labelled(X: Any, label: str | Sequence[Any] | NDArray[Any] | None) -> tuple[Table, str | None, NDArray[np.int64]]:
    """The table, the name of what is classified, and the class of every record; none without a label."""
    if label is None:
        return _read(X, "X", stacklevel=4), None, np.zeros(0, dtype=np.int64)
    if not isinstance(label, str):
        table = _read(X, "X", stacklevel=4)
        return table, "label", classes_of(np.asarray(label), len(table.values))
    rest, column = without_column(as_raw(X, "X"), "X", label)
    table = numbers_of(rest, "X")
    if table.left_out:
        warnings.warn(LeftOutWarning("X", table.left_out), stacklevel=3)
    return table, label, classes_of(column.values, len(table.values))


def classes_of(values: NDArray[Any], rows: int) -> NDArray[np.int64]:
    """Return whole numbers for the values of a label, one a record.

    Parameters
    ----------
    values
        Text or numbers.
    rows
        Records of the table.
    """
    if values.shape != (rows,):
        raise InputError("label", f"must have one class for each of {rows:,} records", f"shape {values.shape}")
    found, classes = np.unique(np.array([str(value) for value in values]), return_inverse=True)
    if not 2 <= len(found) <= MOST_CLASSES:
        rule = f"must have 2 to {MOST_CLASSES} different classes"
        raise InputError("label", rule, f"{len(found):,}", "Choose a column of categories.")
    return np.asarray(classes, dtype=np.int64)


def attackers_of(names: Sequence[str] | None, scheme: str | Scheme) -> list[str]:
    """Return the attackers beyond insiders; by default all that audits play and that have what they import.

    Behind a scheme that is no motion, or a weak one, all that suit it are played: each may be the strongest there.
    """
    model = (schemes.scheme_by_name(scheme) if isinstance(scheme, str) else scheme).model
    every = model is not None and (model.weak or not model.moves)
    if names is None:
        # Of other packages none is played unless it is named: one that does not load must not stop an audit.
        own = ((name, attacks.ATTACKS[name]) for name in attacks.ATTACKS if attacks.ATTACKS.built_in(name))
        usual = [(name, attack) for name, attack in own if attack.installed and name != INSIDERS]
        if model is None or not every:
            return [name for name, attack in usual if attack.audited]
        return [name for name, attack in usual if attack.suits(model) is None]
    for name in names:
        attack = attacks.ATTACKS.named("attacks", name)
        if not (every or attack.alone or attack.audited or name == INSIDERS):
            rule = f"must be attacks that an audit can play beside insiders, which {name} is not"
            raise InputError("attacks", rule, f"one that needs {', '.join(sorted(attack.needs))}", "Leave it out.")
    return [name for name in dict.fromkeys(names) if name != INSIDERS]


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
    rows, table = _released(released)
    names = next((one.columns for one in tables.values()), None)
    if isinstance(held.bounds, str | Path):
        ranges = read_ranges(str(held.bounds), "bounds")
        names, values["bounds"] = bounded_attributes(ranges, names, as_engine(rows).shape[1])
    found = attacks.reconstruct(name, rows, replace(held, **values), seed=seed, progress=progress, **settings)
    _warn_if_nothing_linked(getattr(found, "linkage", None))
    asked = replace(
        found.asked,
        names=names or (),
        known_ids=_ids(tables.get("known")),
        dictionary_ids=_ids(tables.get("dictionary")),
        released_ids=_ids(table),
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


def _as(kind: Callable[..., Report], result: Any) -> Report:
    """The same result, of a class that can describe it."""
    return kind(**{one.name: getattr(result, one.name) for one in fields(result)})


def _prepared_call(given: Any) -> str:
    """What names a table in a call: its file, or X, prepared where it was."""
    if not isinstance(given, PreparedTable) or not given.asked:
        return table_text(given)
    return call_again(prepare, "X", given.asked)


def _prepared(table: PreparedTable) -> tuple[str, ...]:
    """What was noted while a table was read, and done to it, in sentences."""
    return (*(f"{note[:1].upper()}{note[1:]}." for note in table.notes), *done_words(table.steps))


def _like_known(name: str, given: Any, known: Table) -> Table | None:
    """Another table of the attacker's, with the columns of the known records by their names; None for none."""
    return None if given is None else matched_columns(as_table(given, name), name, known, "known")


def _ids(table: Table | Scan | None) -> NDArray[Any] | None:
    return None if table is None else table.ids


def _named(linkage: Linkage, known: Table, candidates: Table | None, released: Table | Scan | None) -> Linkage:
    """A linkage with the names that its tables have."""
    entries, ids = linkage.dictionary, _ids(released)
    left_out = () if released is None else released.left_out
    if entries is not None and candidates is not None:
        entries = replace(entries, known_ids=candidates.ids, released_ids=ids, left_out=left_out)
    return replace(linkage, known_ids=known.ids, released_ids=ids, dictionary=entries, left_out=left_out)


def _warn_if_nothing_linked(linkage: Linkage | None) -> None:
    if linkage is not None and not len(linkage.linked):
        warnings.warn(NothingLinkedWarning(len(linkage.rows), linking.unlinked_reasons(linkage)), stacklevel=3)


def _released(released: Any) -> tuple[NDArray[Any] | Engine, Table | Scan | None]:
    """Released rows, and the table that they came in if it has names."""
    # An engine or a plain array goes as it is: linking checks its values in the pass that it makes anyway.
    if isinstance(released, Engine) or type(released) in (np.ndarray, np.memmap):
        return released, None
    table = as_released(released, "released")
    if table.left_out and table is not released:
        warnings.warn(LeftOutWarning("released", table.left_out), stacklevel=3)
    return table.values, table


def _read(given: Any, name: str, *, stacklevel: int = 3) -> Table:
    """A table whose columns without numbers are left out with a warning; one that was read before has had its own."""
    table = as_table(given, name)
    if table.left_out and table is not given:
        warnings.warn(LeftOutWarning(name, table.left_out), stacklevel=stacklevel)
    return table
