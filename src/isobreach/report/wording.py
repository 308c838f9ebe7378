# SPDX-License-Identifier: BSD-3-Clause
"""An attack in plain words and in JSON: one source for the terminal, the page and the machine-readable result."""

from typing import Any

from isobreach._phrases import KINDS, count, percent, probability
from isobreach.attacks import AttackSummary
from isobreach.linking import dictionary_json, link_records, link_sentences, motion_json, no_link

SCHEMA = "isobreach/attack/1"


def verdict(summary: AttackSummary) -> str:
    """The outcome in one sentence."""
    if summary.best_row is None or summary.best_probability is None:
        return "Every released row is a known record: nothing else is left to estimate."
    nothing = no_link(summary.linkage, summary.released_rows, normalised=summary.normalised)
    if nothing is not None:
        return nothing
    rate = probability(summary.best_probability, summary.kind)
    outcome = f"the most exposed other record can be estimated within {percent(summary.epsilon)} of its length"
    if not summary.linked_records:
        if summary.baseline_probability is None:
            return "No known record could be linked with certainty: nothing can be said of the others."
        return f"No known record could be linked with certainty: {outcome} with probability {rate}, as without any."
    return f"With {count(summary.linked_records, 'linked record')} {outcome} with probability {rate}."


def sentences(summary: AttackSummary) -> list[str]:
    """What the attacker learned, a sentence each."""
    links = summary.links
    sure = "" if summary.linkage.posterior is not None else " with certainty"
    lines = [
        f"{links['linked']} of {count(summary.known_records, 'known record')} linked to a released row{sure}"
        + (f", {links['ambiguous']} ambiguous" if links["ambiguous"] else "")
        + (f", {links['absent']} absent from the release" if links["absent"] else "")
        + f"; the release holds {summary.linkage.precision.reason}.",
        *link_sentences(summary.linkage, summary.columns, summary.known_columns),
    ]
    if summary.normalised:
        lines.append("The known records were scaled to length one first: estimates are of that length too.")
    if summary.placed:
        dimensions = count(summary.known_columns, "dimension")
        lines.append(f"That leaves {summary.hidden_dimension} of {dimensions} of the secret motion hidden.")
        lines += _exposure(summary)
    if summary.estimator == "published":
        lines.append("Probabilities follow the paper's formula as printed, wrong for 3 or more hidden dimensions.")
    return lines


def _exposure(summary: AttackSummary) -> list[str]:
    """What follows for the other rows, and what kind of figures these are."""
    if summary.best_probability is None:
        return []
    at_least = summary.rows_at_least
    # An approximation is never a certainty, whatever it is rounded to.
    most = (
        f"{at_least[0.95]:,} with 0.95 or more"
        if summary.kind == "approximation"
        else f"{at_least[1.0]:,} with certainty"
    )
    first = (
        f"Of {count(summary.other_rows, 'other row')}, {at_least[0.5]:,} can be estimated within "
        f"{percent(summary.epsilon)} of the record's length with probability 0.5 or more, {most}. "
        "Columns with large values carry most of a record's length."
    )
    lines = [first]
    if summary.kind == "approximation":
        lines.append("The release is noisy: probabilities are approximations, to first order in the noise.")
    elif summary.kind == "lower bound" and summary.linked_records:
        lines.append(
            "The release's own precision limits what can be claimed: probabilities are lower bounds, "
            "and where none can be given the attack may still succeed."
        )
    if summary.linkage.motion != "orthogonal" and summary.hidden_dimension:
        lines.append(
            "A translation hides the records' lengths: probabilities are model-based, those of an attacker to whom all "
            "hidden directions are alike. For a given table they can be too high, with few links by a factor of two; "
            "the owner, who knows the lengths, can compute them without that assumption."
        )
    if summary.baseline_probability is not None:
        baseline = probability(summary.baseline_probability)
        lines.append(f"An attacker who knows no record succeeds with probability {baseline}.")
    return lines


def result_json(summary: AttackSummary, best_id: Any = None) -> dict[str, Any]:
    """The machine-readable result; holds no private value and no time."""
    linkage = summary.linkage
    return {
        "schema": SCHEMA,
        "verdict": verdict(summary),
        "kind": f"{KINDS[summary.kind]}, given the links",
        **motion_json(linkage),
        "released": {"rows": summary.released_rows, "columns": summary.columns, "precision": linkage.precision.reason},
        "known": {
            "records": summary.known_records,
            "columns": summary.known_columns,
            "normalised": summary.normalised,
            **summary.links,
            "search_complete": linkage.complete,
        },
        "dictionary": dictionary_json(linkage),
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
        "links": link_records(linkage),
    }
