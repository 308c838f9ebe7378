# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as JSON and as columns: no private value; times only in columns of their own."""

from collections.abc import Sequence
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from isobreach.audits import CellFigures, ComparisonResult, SchemeFigures, Utility
from isobreach.report.audit_records import StepRecord
from isobreach.report.comparison_records import (
    ComparedCellRecord,
    ComparedSchemeRecord,
    ComparisonRecord,
    UtilityRecord,
)
from isobreach.report.schema import schema_of

Columns = dict[str, NDArray[Any]]

SCHEMA: Literal["isobreach/compare/1"] = "isobreach/compare/1"


def comparison_schema() -> dict[str, Any]:
    """Return the JSON Schema of result.json."""
    return schema_of(ComparisonRecord, SCHEMA)


def comparison_data(
    result: ComparisonResult, verdict: str, findings: Sequence[str], caveats: Sequence[str]
) -> ComparisonRecord:
    """The machine-readable result."""
    return {
        "schema": SCHEMA,
        "verdict": verdict,
        "findings": list(findings),
        "caveats": list(caveats),
        "table": {"rows": result.rows, "attributes": result.attribute_count, "columns": result.columns},
        "left_out": list(result.left_out),
        "preparation": [cast(StepRecord, dict(step)) for step in result.steps],
        "epsilon": result.epsilon,
        "known": result.known,
        "sample": result.sample,
        "trials": result.trials,
        "seed": result.seed,
        "sampled": {
            "published": result.published,
            "compared": result.compared,
            "costly_trials": result.costly_trials,
            "utility_trials": result.utility_trials,
            "effort": result.effort,
        },
        "label": result.label,
        "blind_guess": result.blind,
        "schemes": [_scheme(result, one) for one in result.schemes],
        "attacks": list(result.attacks),
        "cells": [_cell(result, one) for one in result.cells],
    }


def _scheme(result: ComparisonResult, one: SchemeFigures) -> ComparedSchemeRecord:
    strongest = result.strongest(one.label)
    return {
        "scheme": one.label,
        "name": one.name,
        "parameters": dict(one.parameters),
        "keeps": list(one.keeps),
        "refusal": one.refusal,
        "standing": result.standing(one.label),
        "strongest": None if strongest is None else strongest.attack,
        "utility": None if one.utility is None else _utility(one.utility),
        "unfolds": one.unfolds,
        "blind_guess": result.blind_against(one.label),
    }


def _utility(one: Utility) -> UtilityRecord:
    before, after = one.classifier_before, one.classifier
    return {
        "distances": one.distances,
        "neighbours": one.neighbours,
        "k_means": one.k_means,
        "single_link": one.single_link,
        "classifier": None if before is None or after is None else {"before": before, "after": after},
    }


def least_private(result: ComparisonResult, one: CellFigures) -> str | None:
    """Name of the attribute that an attack knows best."""
    if one.least_privacy is None:
        return None
    place = int(np.nanargmin(one.privacy))
    return f"column {place + 1}" if result.names is None else result.names[place]


def _cell(result: ComparisonResult, one: CellFigures) -> ComparedCellRecord:
    told = one.breached
    return {
        "scheme": one.scheme,
        "attack": one.attack,
        "reason": one.reason,
        "estimates": one.variant or None,
        "trials": one.trials,
        "breached_share": None if told is None else {"value": told.value, "low": told.low, "high": told.high},
        "median_relative_error": one.error,
        "learned_share": one.learned_share,
        "least_privacy": one.least_privacy,
        "mean_privacy": one.mean_privacy,
        "least_private_attribute": least_private(result, one),
        "claimed_share": one.claimed if one.played else None,
        "refused_share": one.refused if one.played else None,
        "refusal": one.refusal,
    }


def cell_columns(result: ComparisonResult) -> Columns:
    """Every cell, a row each."""
    cells = result.cells
    return {
        "scheme": _texts([one.scheme for one in cells]),
        "attack": _texts([one.attack for one in cells]),
        "breached": _numbers([None if one.breached is None else one.breached.value for one in cells]),
        "breached_low": _numbers([None if one.breached is None else one.breached.low for one in cells]),
        "breached_high": _numbers([None if one.breached is None else one.breached.high for one in cells]),
        "median_relative_error": _numbers([one.error for one in cells]),
        "learned_share": _numbers([one.learned_share for one in cells]),
        "least_privacy": _numbers([one.least_privacy for one in cells]),
        "mean_privacy": _numbers([one.mean_privacy for one in cells]),
        "estimates": _texts([one.variant for one in cells]),
        "trials": np.array([one.trials for one in cells], dtype=np.int64),
        "reason": _texts([one.reason or "" for one in cells]),
    }


def time_columns(result: ComparisonResult) -> Columns:
    """Processor time of a trial, for every cell that was played."""
    played = [one for one in result.cells if one.played]
    return {
        "scheme": _texts([one.scheme for one in played]),
        "attack": _texts([one.attack for one in played]),
        "seconds": _numbers([one.seconds for one in played]),
    }


def scheme_columns(result: ComparisonResult) -> Columns:
    """Every scheme, a row each: how it fared, and what it leaves."""
    worst = [result.strongest(one.label) for one in result.schemes]
    used = [one.utility for one in result.schemes]
    names = ("distances", "neighbours", "k_means", "single_link", "classifier", "classifier_before")
    return {
        "scheme": _texts([one.label for one in result.schemes]),
        "standing": _texts([result.standing(one.label) for one in result.schemes]),
        "strongest": _texts(["" if one is None else one.attack for one in worst]),
        "breached": _numbers([None if one is None or one.breached is None else one.breached.value for one in worst]),
        **{name: _numbers([None if one is None else getattr(one, name) for one in used]) for name in names},
    }


def _texts(values: Sequence[str]) -> NDArray[Any]:
    return np.array(values, dtype=np.str_)


def _numbers(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if one is None else one for one in values], dtype=np.float64)
