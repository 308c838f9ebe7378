# SPDX-License-Identifier: BSD-3-Clause
"""An attack in plain words and in JSON: one source for the terminal, the page and the machine-readable result."""

from collections.abc import Mapping, Sequence
from typing import Any

from isobreach.attacks import AttackSummary, Kind

SCHEMA = "isobreach/attack/1"
LINK_HEAD = ("known record", "status", "released row", "candidates")  # rows are counted from 0


MOTIONS = {"orthogonal": "an orthogonal motion", "rigid": "a rigid motion", "similarity": "a similarity"}
KINDS: dict[Kind, str] = {"exact": "closed-form", "lower bound": "lower bound", "approximation": "approximation"}


def probability(value: float, kind: Kind = "exact") -> str:
    """A probability in words and figures that never round to a certainty which is none.

    >>> probability(1.0), probability(0.99999), probability(0.8251), probability(3.2e-9), probability(0.0)
    ('1 (certain)', 'above 0.9999', '0.825', '3.2e-09', 'below 1e-300')
    >>> probability(0.2, "lower bound"), probability(0.0, "lower bound")
    ('at least 0.200', 'unknown')
    >>> probability(0.2, "approximation"), probability(1.0, "approximation"), probability(0.0, "approximation")
    ('about 0.200', 'above 0.9999', 'below 1e-300')
    """
    if kind == "approximation":
        return f"about {value:.3f}" if 0.001 <= value <= 0.9999 else probability(min(value, 1 - 1e-9))
    if value == 1.0:
        return "1 (certain)"
    if kind == "lower bound":
        return f"at least {probability(value)}" if value > 0 else "unknown"
    if value > 0.9999:
        return "above 0.9999"
    if value >= 0.001:
        return f"{value:.3f}"
    return f"{value:.2g}" if value > 0 else "below 1e-300"


def percent(epsilon: float) -> str:
    """A relative error as a percentage.

    >>> percent(0.15), percent(0.0725)
    ('15%', '7.25%')
    """
    return f"{100 * epsilon:.6g}%"


def verdict(summary: AttackSummary) -> str:
    """The outcome in one sentence."""
    if summary.best_row is None or summary.best_probability is None:
        return "Every released row is a known record: nothing else is left to estimate."
    if summary.links["absent"] == summary.known_records:
        return f"None of the known records is in this release, or it is not {MOTIONS[summary.motion]} of them." + (
            " To this attack a translation (scheme rigid) looks the same." if summary.motion == "orthogonal" else ""
        )
    rate = probability(summary.best_probability, summary.kind)
    outcome = f"the most exposed other record can be estimated within {percent(summary.epsilon)} of its length"
    if not summary.links["linked"]:
        if summary.baseline_probability is None:
            return "No known record could be linked with certainty: nothing can be said of the others."
        return f"No known record could be linked with certainty: {outcome} with probability {rate}, as without any."
    return f"With {count(summary.links['linked'], 'linked record')} {outcome} with probability {rate}."


def sentences(summary: AttackSummary) -> list[str]:
    """What the attacker learned, a sentence each."""
    links, dimensions = summary.links, count(summary.known_columns, "dimension")
    lines = [
        f"{links['linked']} of {count(summary.known_records, 'known record')} linked to a released row with certainty"
        + (f", {links['ambiguous']} ambiguous" if links["ambiguous"] else "")
        + (f", {links['absent']} absent from the release" if links["absent"] else "")
        + f"; the release holds {summary.precision}.",
        f"That leaves {summary.hidden_dimension} of {dimensions} of the secret motion hidden.",
    ]
    if not summary.complete:
        lines.append("The search for links reached its limit: what it left open counts as ambiguous.")
    if summary.best_probability is not None:
        half, sure = summary.rows_at_least[0.5], summary.rows_at_least[1.0]
        lines.append(
            f"Of {count(summary.other_rows, 'other row')}, {half:,} can be estimated within {percent(summary.epsilon)} "
            f"of the record's length with probability 0.5 or more, {sure:,} with certainty. Columns with large values "
            "carry most of a record's length."
        )
        if summary.kind == "approximation":
            lines.append("The release is noisy: probabilities are approximations, to first order in the noise.")
        elif summary.kind == "lower bound" and links["linked"]:
            lines.append(
                "The release's own precision limits what can be claimed: probabilities are lower bounds, "
                "and where none can be given the attack may still succeed."
            )
        if summary.motion != "orthogonal" and summary.hidden_dimension and links["linked"]:
            lines.append(
                "A translation hides the records' lengths: probabilities are those of an attacker to whom all hidden "
                "directions are alike. For a given table they can be too high, with few links by a factor of two; the "
                "owner, who knows the lengths, can compute them without that assumption."
            )
        if summary.baseline_probability is not None:
            baseline = probability(summary.baseline_probability)
            lines.append(f"An attacker who knows no record succeeds with probability {baseline}.")
    if summary.estimator == "published":
        lines.append("Probabilities follow the paper's formula as printed, wrong for 3 or more hidden dimensions.")
    return lines


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "record"), count(18668, "record")
    ('1 record', '18,668 records')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def link_rows(links: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Links as cells under ``LINK_HEAD``; ids stand in for row numbers where there are any."""
    return [
        (
            str(link["known"] if link["id"] is None else link["id"]),
            link["status"],
            "" if link["row"] is None else str(link["row"] if link["released_id"] is None else link["released_id"]),
            f"{link['candidates']:,}",
        )
        for link in links
    ]


def result_json(summary: AttackSummary, links: list[dict[str, Any]], best_id: Any = None) -> dict[str, Any]:
    """The machine-readable result; holds no private value and no time."""
    return {
        "schema": SCHEMA,
        "verdict": verdict(summary),
        "kind": f"{KINDS[summary.kind]}, given the links",
        "motion": summary.motion,
        "released": {"rows": summary.released_rows, "columns": summary.columns, "precision": summary.precision},
        "known": {"records": summary.known_records, **summary.links, "search_complete": summary.complete},
        "hidden_dimension": summary.hidden_dimension,
        "epsilon": summary.epsilon,
        "estimator": summary.estimator,
        "best": {"row": summary.best_row, "id": best_id, "breach_probability": summary.best_probability},
        "other_rows": {
            "rows": summary.other_rows,
            "mean": summary.mean_probability,
            "quantiles": {f"{q:g}": v for q, v in summary.quantiles.items()},
            "rows_at_least": {f"{level:g}": number for level, number in summary.rows_at_least.items()},
        },
        "baseline": {"no_known_record": summary.baseline_probability},
        "links": links,
    }
