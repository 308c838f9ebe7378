# SPDX-License-Identifier: BSD-3-Clause
"""Audit a table before it is published, and compare schemes."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach import attacks, audits, schemes
from isobreach._calls import Variable, call_again, table_text, table_title
from isobreach._interface.containers import as_report, preparation_words, read
from isobreach._interface.protecting import prepare
from isobreach._progress import Progress, no_progress
from isobreach._reports import AuditReport, ComparisonReport
from isobreach._validation import check_integer
from isobreach.audits import EFFORT, INSIDERS, SHARE, ComparisonAsked, ComparisonTable, Criterion, Settings, Store
from isobreach.errors import InputError, LeftOutWarning
from isobreach.io import NumericTable, Scan, Source, as_raw, numbers_of, without_column
from isobreach.preparation import PreparedTable
from isobreach.schemes import Scheme

MOST_CLASSES = 100  # of a label: more are no categories


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
    fail_size: int | None = None,
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
        The table: NumPy, pandas, polars, Arrow or a path. One of ``ib.scan`` stays in its files, as one in Parquet
        files does that does not fit into memory: see docs/scaling.md.
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
        record is breached. Of what was sampled the upper end of the 95% interval counts.
    fail_size
        One of ``coalition_sizes``: the limit is about coalitions of up to so many, all by default.
    target
        The limit of remedies where there is no gate.
    rows_known
        Suppose that insiders know their own rows, from whatever source, instead of having to find them: no linking
        could do better. With a scheme that adds noise they always are, because finding them takes too long.
    samples
        Sizes of public samples that attackers may have: records of the same population that are not released. They are
        held out of the table, so that those larger than half of it are not tried; where all are larger, a third of the
        table is held out instead. An empty list for none.
    ranges
        Whether attackers know the ranges of the attributes.
    splits
        How often the table is split into sample and release, and attackers are played on it; an even number, so that
        the best attacker is chosen on one half and told from the other.
    store
        Where finished work is kept: an interrupted audit goes on from there, to the same result bit for bit.

    >>> import numpy as np, isobreach as ib
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> report = ib.audit(X, scheme="orthogonal", coalition_sizes=range(1, 5), trials=20, samples=(), seed=0)
    >>> report.at(4).random.worst.value, report.smallest[-1].random
    (1.0, 3)
    """
    sizes = tuple(coalition_sizes)
    table = _on_files(X, len(sizes)) or read(X, "X")
    settings = Settings.checked(
        scheme,
        epsilon,
        sizes,
        trials,
        level,
        tolerance,
        noise_levels,
        None if limit is None else Criterion.checked(limit, criterion, insiders=fail_size),
        Criterion.checked(target, criterion, "target"),
        attackers_of(attacks, scheme),
        rows_known,
        samples,
        ranges,
        check_integer("splits", splits, least=2),
        groups=table.groups if isinstance(table, PreparedTable) else (),
    )
    if isinstance(table, Scan):
        result = audits.audit_files(table.values, settings, seed=seed, progress=progress, store=store)
    else:
        result = audits.audit(table.values, settings, seed=seed, progress=progress, store=store)
    names = table.columns if table.kind != "numpy" or isinstance(X, NumericTable) else None
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
        "fail_size": fail_size,
        "rows_known": rows_known,
        "samples": samples,
        "ranges": ranges,
        "splits": splits,
        "seed": result.seed,
    }
    call = call_again(audit, _prepared_call(X), asked)
    named = replace(result, names=names, ids=table.ids, left_out=table.left_out, call=call, title=table_title(X))
    if isinstance(table, PreparedTable):
        steps = tuple({"column": one.column, "what": one.what, "sentence": one.sentence} for one in table.steps)
        named = replace(
            named,
            names=table.attributes,
            steps=steps,
            prepared=preparation_words(table),
            rows_read=table.rows_read,
            ids_are_rows=np.array_equal(table.ids, table.rows) if table.ids is not None else False,
        )
    return as_report(AuditReport, named)


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
    names = table.columns if table.kind != "numpy" or isinstance(X, NumericTable) else None
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
    result = replace(
        result, names=names, left_out=table.left_out, label=named, unlabelled=int((classes < 0).sum()), call=call
    )
    if isinstance(table, PreparedTable):
        steps = tuple({"column": one.column, "what": one.what, "sentence": one.sentence} for one in table.steps)
        result = replace(result, names=table.attributes, steps=steps, prepared=preparation_words(table))
    return as_report(ComparisonReport, result)


def _on_files(given: Any, sizes: int) -> Scan | None:
    """The table where it stays in its files: as was asked for, or because its audit does not fit into memory."""
    if isinstance(given, Scan):
        return given
    source = Source(given, "X") if isinstance(given, str | Path) else None
    size = None if source is None else source.size()
    if source is None or size is None or audits.fits_into_memory(*size, sizes):
        return None
    found = source.scanned()
    if found is None:
        audits.check_memory("X", *size, sizes)
    elif found.left_out:
        warnings.warn(LeftOutWarning("X", found.left_out), stacklevel=3)
    return found


def _prepared_call(given: Any) -> str:
    """What names a table in a call: its file, or X, prepared where it was."""
    if not isinstance(given, PreparedTable) or not given.asked:
        return table_text(given)
    return call_again(prepare, "X", given.asked)


def _labelled(
    X: Any, label: str | Sequence[Any] | NDArray[Any] | None
) -> tuple[NumericTable, str | None, NDArray[np.int64]]:
    """The table, the name of what is classified, and the class of every record; none without a label."""
    if label is None:
        return read(X, "X", stacklevel=4), None, np.zeros(0, dtype=np.int64)
    if not isinstance(label, str):
        table = read(X, "X", stacklevel=4)
        return table, "label", classes_of(np.asarray(label), len(table.values))
    rest, column = without_column(as_raw(X, "X"), "X", label)
    table = numbers_of(rest, "X")
    if table.left_out:
        warnings.warn(LeftOutWarning("X", table.left_out), stacklevel=3)
    return table, label, classes_of(column.values, len(table.values))


def classes_of(values: NDArray[Any], rows: int) -> NDArray[np.int64]:
    """Return whole numbers for the values of a label, one a record; -1 where it is missing.

    Parameters
    ----------
    values
        Text or numbers.
    rows
        Records of the table.
    """
    if values.shape != (rows,):
        raise InputError("label", f"must have one class for each of {rows:,} records", f"shape {values.shape}")
    missing = np.array([_is_missing(value) for value in values], dtype=np.bool_)
    classes = np.full(rows, -1, dtype=np.int64)
    found, classes[~missing] = np.unique(np.array([str(one) for one in values[~missing]]), return_inverse=True)
    if not 2 <= len(found) <= MOST_CLASSES:
        rule = f"must have 2 to {MOST_CLASSES} different classes"
        raise InputError("label", rule, f"{len(found):,}", "Choose a column of categories.")
    return classes


def _is_missing(value: Any) -> bool:
    """Whether a value is None, not a number, or what pandas has for that."""
    return value is None or str(value) in ("nan", "NaT", "<NA>")


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
        seen = audits.models(model)
        return [
            name
            for name, attack in usual
            if attack.suits(model) is None or (attack.audited and audits.why_not(attack, seen) is None)
        ]
    for name in names:
        attack = attacks.ATTACKS.named("attacks", name)
        if not (every or attack.alone or attack.audited or name == INSIDERS):
            rule = f"must be attacks that an audit can play beside insiders, which {name} is not"
            needed = f"one that needs {', '.join(sorted(attack.needs | attack.needs_any))} and is not marked as audited"
            raise InputError("attacks", rule, needed, "Leave it out, or play it in isobreach compare.")
    return [name for name in dict.fromkeys(names) if name != INSIDERS]
