# SPDX-License-Identifier: BSD-3-Clause
"""An audit's figures as named columns: the best attackers, every record, every attribute."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isobreach.audits import AuditResult
from isobreach.report.audit_matrix import public_knowledge
from isobreach.report.audit_words import column

Columns = dict[str, NDArray[Any]]

_ALL = slice(None)
_ROWS = 1 << 20  # that are written at a time


def attackers_columns(result: AuditResult) -> Columns:
    """The best attacker for so much knowledge; an empty name is the blind guess."""
    found = [
        (size, sample, ranges, result.reached(size, sample, ranges=ranges))
        for sample, ranges in public_knowledge(result)
        for size in result.matrix.sizes
    ]
    read = [result.read_out(size, sample, ranges=ranges) for size, sample, ranges, _ in found]
    told = {
        "top_1": np.array([np.nan if one is None else one.top_1.value for one in read]),
        "top_5": np.array([np.nan if one is None else one.top_5.value for one in read]),
    }
    return {
        "insiders": np.array([size for size, *_ in found]),
        "public_records": np.array([sample for _, sample, *_ in found]),
        "ranges": np.array([ranges for _, _, ranges, _ in found]),
        "breached": np.array([one.breached.value for *_, one in found]),
        "low": np.array([one.breached.low for *_, one in found]),
        "high": np.array([one.breached.high for *_, one in found]),
        "attack": np.array([one.attack or "" for *_, one in found]),
        "closed_form": np.array([one.closed_form for *_, one in found]),
        **(told if any(one is not None for one in read) else {}),
    }


def record_columns(result: AuditResult, rows: slice = _ALL) -> Columns:
    """Exposure of every record, or of some, at every size."""
    figures = result.records.some(rows)
    columns: Columns = {"row": np.arange(*rows.indices(result.rows))}
    if result.ids is not None:
        columns["id"] = result.ids[rows]
    columns["mean_exposure"] = np.where(figures.mean < 0, np.nan, figures.mean)
    columns["mean_exposure_low"], columns["mean_exposure_high"] = figures.limits()
    columns["blind_guess"] = result.baselines.blind_records[rows]
    for place, size in enumerate(result.sizes):
        columns[f"exposure_{size}"] = figures.exposure[place]
        columns[f"breached_share_{size}"] = figures.breached[place]
    return columns


def record_parts(result: AuditResult) -> Iterator[Columns]:
    """The same, some rows at a time."""
    for start in range(0, result.rows, _ROWS):
        yield record_columns(result, slice(start, start + _ROWS))


def attribute_columns(result: AuditResult) -> Columns:
    """By whom each attribute is learned; a tolerance of 5% is left out, because it would tell the range."""
    figures, total = result.attributes, result.attribute_count
    best = result.learned_shares(result.sizes[-1], result.matrix.samples[-1])
    columns: Columns = {
        "attribute": np.array([column(result, place) for place in range(total)]),
        "tolerance": figures.tolerance if figures.given else np.full(total, np.nan),
        "column_mean": result.baselines.attributes,
        "blind_guess": result.baselines.blind_attributes,
        "best_attacker": best.value,
        "best_attacker_low": best.low,
        "best_attacker_high": best.high,
        **{f"{one.name}_attack": one.attributes for one in result.readers},
    }
    for place, size in enumerate(result.sizes):
        for name, part in (("learned", figures.value), ("low", figures.low), ("high", figures.high)):
            columns[f"{name}_{size}"] = part[place]
    return columns
