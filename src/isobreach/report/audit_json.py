# SPDX-License-Identifier: BSD-3-Clause
"""An audit as JSON: no private value, no time. ``audit_records`` says what is in it, and gives its schema."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._registry import ATTACKS
from isobreach.audits import AuditResult, ExposedPerson, Leak, Sampled, SizeFigures, Stopped, gate
from isobreach.report.audit_caveats import caveats, kinds
from isobreach.report.audit_file import assumed
from isobreach.report.audit_gate import gate_sentence
from isobreach.report.audit_matrix import public_knowledge
from isobreach.report.audit_records import (
    AttributeRecord,
    AuditRecord,
    CellRecord,
    ExposedRecord,
    GateRecord,
    Identity,
    Interval,
    JitterRecord,
    LeakRecord,
    MatrixRecord,
    NoiseRecord,
    RemediesRecord,
    SizeRecord,
    StepRecord,
    StoppedRecord,
)
from isobreach.report.audit_words import column
from isobreach.report.schema import schema_of

SCHEMA: Literal["isobreach/audit/1"] = "isobreach/audit/1"
_Criterion = Literal["share", "worst-record"]


def audit_schema() -> dict[str, Any]:
    """Return the JSON Schema of result.json."""
    return schema_of(AuditRecord, SCHEMA)


def audit_data(result: AuditResult, verdict: str, findings: Sequence[str]) -> AuditRecord:
    """The machine-readable result."""
    return {
        "schema": SCHEMA,
        "verdict": verdict,
        "findings": list(findings),
        "threat_model": assumed(result),
        "caveats": caveats(result),
        "kinds": kinds(result),
        "scheme": {
            "name": result.scheme,
            "parameters": dict(result.scheme_parameters),
            "motion": cast(Literal["orthogonal", "rigid", "similarity", "none"], result.motion),
            "noise": result.noise,
            "unit_length": result.unit_length,
        },
        "table": {
            "rows": result.rows,
            "rows_read": max(result.rows, result.rows_read),
            "part": result.part,
            "attributes": result.attribute_count,
            "columns": result.columns,
        },
        "left_out": list(result.left_out),
        "preparation": [cast(StepRecord, dict(step)) for step in result.steps],
        "length_shares": [
            {"attribute": column(result, place), "share": float(value)}
            for place, value in enumerate(result.length_shares)
        ],
        "other_verdicts": dict(result.beside),
        "epsilon": result.epsilon,
        "level": result.level,
        "trials": result.trials,
        "undecided": result.undecided,
        "rows_known": result.rows_known,
        "seed": result.seed,
        "gate": _gate(result),
        "sizes": [_size(one) for one in result.per_size],
        "smallest": [
            {
                "target": one.target,
                "found": one.found,
                "certain": one.certain,
                "if_guessed": one.guessed,
                "random": one.random,
                "random_low": one.low,
                "random_high": one.high,
            }
            for one in result.smallest
        ],
        "attributes": [_attribute(result, place) for place in range(result.attribute_count)],
        "people_by_insiders": [
            {"insiders": size, "people": people}
            for size, people in zip((*result.sizes, None), result.people_by_insiders.tolist(), strict=True)
        ],
        "most_exposed": [_record(result, one) for one in result.exposed],
        "insider": {
            "record": None if result.insider.record is None else _identity(result, result.insider.record),
            "expected_breaches": result.insider.expected,
            "tried": result.insider.tried,
        },
        "greedy_coalitions": {
            name: [_identity(result, int(row)) for row in order] for name, order in result.greedy.items()
        },
        "baselines": {
            "column_means": result.baselines.column_means,
            "random_link": _sampled(result.baselines.random_link),
            "random_link_right": result.baselines.random_link_right,
            "no_known_record": result.baselines.no_known_record,
            "blind_guess": result.baselines.blind,
        },
        "attackers": [
            {
                "name": one.name,
                "claimed": one.claimed,
                "reason": one.reason,
                "share": one.share,
                "named_share": one.named,
                "decided": one.decided,
            }
            for one in result.readers
        ],
        "matrix": _matrix(result),
        "remedies": _remedies(result),
    }


def _size(one: SizeFigures) -> SizeRecord:
    random = one.random
    return {
        "size": one.size,
        "undecided": one.undecided,
        "random": {
            "linked_share": _sampled(random.linked),
            "hidden_dimension": random.hidden_dimension,
            "worst_record": _sampled(random.worst),
            "mean": _sampled(random.mean),
            "breached_share": _sampled(random.breached),
            "certain_share": _sampled(random.certain),
            "quantiles": {f"{q:g}": _sampled(value) for q, value in random.quantiles.items()},
        },
        "worst_found": {
            "worst_record": {"value": one.worst_record.value, "coalition": one.worst_record.coalition},
            "mean": {"value": one.worst_mean.value, "coalition": one.worst_mean.coalition},
            "breached": {"value": _count(one.worst_breached.value), "coalition": one.worst_breached.coalition},
        },
        "worst_if_guessed": {
            "worst_record": {"value": one.guessed_record.value, "coalition": one.guessed_record.coalition},
            "breached": {"value": _count(one.guessed_breached.value), "coalition": one.guessed_breached.coalition},
        },
        "bound": {"breached": one.bound.records, "mean": one.bound.mean, "worst_record": one.bound.worst},
    }


def _count(value: float) -> float:
    """A number of records: a whole one, or under noise an expected one."""
    return int(value) if value == int(value) else value


def _sampled(value: Sampled) -> Interval:
    return {"value": value.value, "low": value.low, "high": value.high}


def _attribute(result: AuditResult, place: int) -> AttributeRecord:
    figures, best = result.attributes, result.learned_shares(result.sizes[-1], result.matrix.samples[-1])
    within = figures.tolerance[place]
    return {
        "name": column(result, place),
        "tolerance": float(within) if figures.given and np.isfinite(within) else None,
        "column_mean": float(result.baselines.attributes[place]),
        "blind_guess": float(result.baselines.blind_attributes[place]),
        "best_attacker": float(best.value[place]),
        "best_attacker_low": float(best.low[place]),
        "best_attacker_high": float(best.high[place]),
        "attackers": {one.name: float(one.attributes[place]) for one in result.readers},
        "by_size": [
            {
                "size": size,
                "value": float(figures.value[k, place]),
                "low": float(figures.low[k, place]),
                "high": float(figures.high[k, place]),
            }
            for k, size in enumerate(result.sizes)
        ],
    }


def _identity(result: AuditResult, row: int) -> Identity:
    return {"row": row, "id": None if result.ids is None else result.ids[row].item()}


def _record(result: AuditResult, one: ExposedPerson) -> ExposedRecord:
    figures, row = result.records, one.row
    breached = float(figures.breached[-1, row])
    return {
        **_identity(result, row),
        "rank": one.rank,
        "sharing_rank": one.alike,
        "mean_exposure": _sampled(one.exposure),
        "exposure": _exposure(figures.exposure[-1, row], figures.limits(len(result.sizes) - 1), row),
        "breached_share": None if np.isnan(breached) else breached,
        "insiders_needed": one.needed,
        "near_average": one.near_average,
        "large_values": one.large,
        "near_copies": one.copies,
    }


def _exposure(value: float, limits: tuple[FloatArray, FloatArray], row: int) -> Interval | None:
    if not value >= 0:
        return None
    return {"value": float(value), "low": float(limits[0][row]), "high": float(limits[1][row])}


def _by_attack(rates: Mapping[str, float]) -> dict[str, float | None]:
    """Breach rates by attack; those that audits usually play have one anyway, None where it was not tried."""
    usual = [
        name
        for name in ATTACKS
        if name in rates or (ATTACKS.built_in(name) and ATTACKS[name].audited and ATTACKS[name].alone)
    ]
    return {f"{name}_breach_rate": rates.get(name) for name in usual}


def _gate(result: AuditResult) -> GateRecord | None:
    """The gate's outcome; None where no limit was given."""
    if result.criterion is None:
        return None
    found = gate(result, result.criterion)
    return {
        "limit": found.limit,
        "criterion": cast(_Criterion, found.criterion),
        "insiders": found.insiders,
        "open": not found.closed,
        "reason": gate_sentence(result, found),
    }


def _remedies(result: AuditResult) -> RemediesRecord | None:
    tried = result.remedies
    if tried is None:
        return None
    return {
        "insiders": tried.insiders,
        "insiders_know_rows": True,
        "target": tried.target,
        "criterion": cast(_Criterion, tried.criterion),
        "repeats": tried.repeats,
        "smallest": tried.smallest,
        "stability": tried.stability,
        "jitter": [
            cast(
                JitterRecord,
                {
                    "jitter": one.jitter,
                    "claimed": one.claimed,
                    **_by_attack(one.attackers),
                    "played": _stopped(one.played),
                    "opens_gate": one.opens,
                    "leaks": [_leak(result, leak) for leak in one.leaks],
                    "insiders_breach_rate": _sampled(one.insiders),
                    "neighbours": _sampled(one.neighbours),
                    "clusters": one.clusters,
                },
            )
            for one in tried.jitter
        ],
        "smallest_jitter": tried.smallest_jitter,
        "levels": [
            cast(
                NoiseRecord,
                {
                    "noise": one.noise,
                    "breach_rate": _sampled(one.breach_rate),
                    **_by_attack(one.attackers),
                    "played": _stopped(one.played),
                    "opens_gate": one.opens,
                    "leaks": [_leak(result, leak) for leak in one.leaks],
                    "neighbours": _sampled(one.neighbours),
                    "clusters": one.clusters,
                },
            )
            for one in tried.levels
        ],
    }


def _leak(result: AuditResult, one: Leak) -> LeakRecord:
    return {
        "attribute": column(result, one.place),
        "learned": _sampled(one.learned),
        "blind_guess": one.blind,
    }


def _stopped(one: Stopped | None) -> StoppedRecord | None:
    """Who breaches most of all who were played against a remedy."""
    if one is None:
        return None
    return {
        "attack": one.attack,
        "insiders": one.cell.insiders,
        "sample": one.cell.sample,
        "ranges": one.cell.ranges,
        "breached_share": one.share,
        "splits": one.splits,
    }


def _matrix(result: AuditResult) -> MatrixRecord:
    """The matrix and the attackers behind it."""
    found = result.matrix
    return {
        "insiders": list(found.sizes),
        "samples": list(found.samples),
        "ranges": found.ranges,
        "splits": found.splits,
        "blind_guess": {"breached_share": result.baselines.blind, "guess": result.baselines.guess},
        "breached": [
            _cell(result, size, sample, ranges) for sample, ranges in public_knowledge(result) for size in found.sizes
        ],
        "attackers": [
            {
                "attack": one.name,
                "insiders": one.insiders,
                "sample": one.sample,
                "ranges": one.ranges,
                "estimates": one.variant,
                "breached_share": _sampled(one.breached),
            }
            for one in found.attackers
        ],
        "not_played": found.never_played,
        "refused": [
            {
                "attack": one.name,
                "insiders": one.cell.insiders,
                "sample": one.cell.sample,
                "ranges": one.cell.ranges,
                "splits": one.splits,
                "reason": one.reason,
            }
            for one in found.refused
        ],
    }


def _cell(result: AuditResult, size: int, sample: int, ranges: bool) -> CellRecord:
    one, read = result.reached(size, sample, ranges=ranges), result.read_out(size, sample, ranges=ranges)
    return {
        "insiders": size,
        "sample": sample,
        "ranges": ranges,
        "breached_share": _sampled(one.breached),
        "attack": one.attack,
        "estimates": one.variant or None,
        "closed_form": one.closed_form,
        "read_out": None if read is None else {"top_1": _sampled(read.top_1), "top_5": _sampled(read.top_5)},
    }
