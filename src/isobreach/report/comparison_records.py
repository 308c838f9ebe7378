# SPDX-License-Identifier: BSD-3-Clause
"""The records of a comparison's result.json: names and types of all fields, from which its schema is made."""

from typing import Annotated, Any, Literal, TypedDict

from isobreach.report.audit_records import Amount, Count, Interval, Positive, Share, StepRecord
from isobreach.report.schema import Rule


class ComparedTableRecord(TypedDict):
    """The table's shape: rows, attributes, columns of numbers."""

    rows: Positive
    attributes: Positive
    columns: Positive


class SampledRecord(TypedDict):
    """What was sampled: records that a trial publishes, and those whose distances are compared; trials of costly
    attacks and of utility; evaluations that a search may make."""

    published: Positive
    compared: Positive
    costly_trials: Positive
    utility_trials: Positive
    effort: Positive


class ClassifierRecord(TypedDict):
    """Accuracy of a vote of five neighbours, on the table and on the release."""

    before: Share
    after: Share


class UtilityRecord(TypedDict):
    """What a release keeps, 1 for everything; the adjusted Rand indices may be below 0."""

    distances: Share
    neighbours: Share
    k_means: float
    single_link: float
    classifier: ClassifierRecord | None


class ComparedSchemeRecord(TypedDict):
    """A scheme: how it fared, against whom, and what it leaves; refusal: why it cannot protect this table; unfolds:
    whether rows of a motion can be computed from its release, which its cells do not show; blind_guess: share that the
    best guess of one record for everybody breaches, of directions where the scheme gives all records one length."""

    scheme: str
    name: str
    parameters: dict[str, Any]
    keeps: list[str]
    refusal: str | None
    standing: Literal["undone", "given away", "guessed", "weakened", "held", "refused"]
    strongest: str | None
    utility: UtilityRecord | None
    unfolds: bool
    blind_guess: Share


class ComparedCellRecord(TypedDict):
    """An attack against a scheme; reason: why it cannot work, and then all figures are null."""

    scheme: str
    attack: str
    reason: str | None
    estimates: str | None
    trials: Count
    breached_share: Interval | None
    median_relative_error: Amount | None
    learned_share: Share | None
    least_privacy: Amount | None
    mean_privacy: Amount | None
    least_private_attribute: str | None
    claimed_share: Share | None
    refused_share: Share | None
    refusal: str | None


class ComparisonRecord(TypedDict):
    """Result of isobreach compare: sampled figures carry a 95% interval. No private value, no time."""

    schema: Literal["isobreach/compare/1"]
    verdict: str
    findings: list[str]
    caveats: list[str]
    table: ComparedTableRecord
    left_out: list[str]
    preparation: list[StepRecord]
    epsilon: Annotated[float, Rule(above=0)]
    known: Count
    sample: Count
    trials: Positive
    seed: Count
    sampled: SampledRecord
    label: str | None
    blind_guess: Share
    schemes: list[ComparedSchemeRecord]
    attacks: list[str]
    cells: list[ComparedCellRecord]
