# SPDX-License-Identifier: BSD-3-Clause
"""The records of an audit's result.json: names and types of all fields, from which its schema is made."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from isobreach.report.schema import Rule

Share = Annotated[float, Rule(minimum=0, maximum=1)]
Amount = Annotated[float, Rule(minimum=0)]
Count = Annotated[int, Rule(minimum=0)]
Positive = Annotated[int, Rule(minimum=1)]


class Interval(TypedDict):
    """A sampled share with its 95% interval."""

    value: Share
    low: Share
    high: Share


class SchemeRecord(TypedDict):
    """The planned protection."""

    name: str
    parameters: dict[str, Any]
    motion: Literal["orthogonal", "rigid", "similarity", "none"]
    noise: bool
    unit_length: bool


class TableRecord(TypedDict):
    """The table's shape: rows that were audited, rows of the owner's table, attributes, columns of numbers.

    ``part``: records that were held in memory of a table that stays in its files; 0 for all.
    """

    rows: Positive
    rows_read: Positive
    part: Count
    attributes: Positive
    columns: Positive


class StepRecord(TypedDict):
    """What was done to a column, or to rows (null), before the table was protected."""

    column: str | None
    what: str
    sentence: str


class LengthRecord(TypedDict):
    """Share of an attribute in the squared length of all records."""

    attribute: str
    share: float


class GateRecord(TypedDict):
    """The gate's outcome."""

    limit: float
    criterion: Literal["share", "worst-record"]
    insiders: int
    open: bool
    reason: str


class RandomRecord(TypedDict):
    """Random coalitions of one size: means with intervals."""

    linked_share: Interval
    hidden_dimension: Amount
    worst_record: Interval
    mean: Interval
    breached_share: Interval
    certain_share: Interval
    quantiles: dict[str, Interval]


class FoundShare(TypedDict):
    """A probability or share, and the coalition that reaches it."""

    value: Share
    coalition: str


class FoundAmount(TypedDict):
    """A number of records, and the coalition that breaches them."""

    value: Amount
    coalition: str


class WorstRecord(TypedDict):
    """The worst of all coalitions tried."""

    worst_record: FoundShare
    mean: FoundShare
    breached: FoundAmount


class GuessedRecord(TypedDict):
    """The same coalitions, if they know all of their rows, which no guess of rows exceeds."""

    worst_record: FoundShare
    breached: FoundAmount


class BoundRecord(TypedDict):
    """Proved for every coalition of that size."""

    breached: Count
    mean: Share
    worst_record: Share


class SizeRecord(TypedDict):
    """Coalitions of one size."""

    size: Positive
    undecided: Count
    random: RandomRecord
    worst_found: WorstRecord
    worst_if_guessed: GuessedRecord
    bound: BoundRecord


class SmallestRecord(TypedDict):
    """How few insiders are enough; null where no size that was tried is."""

    target: str
    found: Positive | None
    certain: Positive | None
    if_guessed: Positive | None
    random: Positive | None
    random_low: Positive | None
    random_high: Positive | None


class BySizeRecord(TypedDict):
    """Share of others of whom random coalitions of a size learn an attribute."""

    size: Positive
    value: Share
    low: Share
    high: Share


class AttributeRecord(TypedDict):
    """An attribute and by whom it is learned; a tolerance of null is 5% of its range, which is not told."""

    name: str
    tolerance: Amount | None
    column_mean: Share
    blind_guess: Share
    best_attacker: Share
    best_attacker_low: Share
    best_attacker_high: Share
    attackers: dict[str, Share]
    by_size: list[BySizeRecord]


class Identity(TypedDict):
    """A record's row, and its id if it has one."""

    row: Count
    id: str | int | None


class ExposedRecord(TypedDict):
    """A record that no blind guess breaches: mean over all sizes, by which records are ordered, and the largest size.

    ``near_average``, ``large_values``: nearer to the column means, and longer, than nine tenths of all records.
    ``near_copies``: other records within epsilon of its length. ``sharing_rank``: records of the same rank, itself too.
    """

    row: Count
    id: str | int | None
    rank: Positive
    sharing_rank: Positive
    mean_exposure: Interval | None
    exposure: Interval | None
    breached_share: Share | None
    insiders_needed: Positive | None
    near_average: bool
    large_values: bool
    near_copies: Count


class PeopleRecord(TypedDict):
    """People whom half of the random groups breach from this number of insiders on; None: from none that was tried."""

    insiders: Positive | None
    people: Count


class InsiderRecord(TypedDict):
    """The single insider who exposes the most."""

    record: Identity | None
    expected_breaches: Amount
    tried: Count


class BaselinesRecord(TypedDict):
    """What is breached without an attack."""

    column_means: Share
    random_link: Interval
    random_link_right: Share
    no_known_record: Share | None
    blind_guess: Share


class ReaderRecord(TypedDict):
    """An attack without knowledge on one release; decided is false where its effort ended before it was through."""

    name: str
    claimed: bool
    reason: str
    share: Share
    named_share: Share
    decided: bool


class BlindRecord(TypedDict):
    """The best guess of one record for everybody."""

    breached_share: Share
    guess: str


class ReadRecord(TypedDict):
    """Shares of vectors whose own record is nearest to their estimate, and among the five nearest."""

    top_1: Interval
    top_5: Interval


class CellRecord(TypedDict):
    """The best attacker with at most so much knowledge; an attack of null is the blind guess."""

    insiders: Count
    sample: Count
    ranges: bool
    breached_share: Interval
    attack: str | None
    estimates: str | None
    closed_form: bool
    read_out: ReadRecord | None


class PlayedRecord(TypedDict):
    """An attack with so much knowledge."""

    attack: str
    insiders: Count
    sample: Count
    ranges: bool
    estimates: str
    breached_share: Interval


class RefusedRecord(TypedDict):
    """An attack that did not play with so much knowledge, on so many splits."""

    attack: str
    insiders: Count
    sample: Count
    ranges: bool
    splits: Positive
    reason: str


class MatrixRecord(TypedDict):
    """The best attacker for at most so many insiders and at most so large a public sample."""

    insiders: list[Count]
    samples: list[Count]
    ranges: bool
    splits: Count
    blind_guess: BlindRecord
    breached: list[CellRecord]
    attackers: list[PlayedRecord]
    not_played: dict[str, str]
    refused: list[RefusedRecord]


class StoppedRecord(TypedDict):
    """Who breaches most on one split, of all who were played against a remedy; playing ended above the limit."""

    attack: str
    insiders: Count
    sample: Count
    ranges: bool
    breached_share: Share
    splits: Count


class LeakRecord(TypedDict):
    """An attribute that is learned of more people than a blind guess is right for."""

    attribute: str
    learned: Interval
    blind_guess: Share


class NoiseRecord(TypedDict):
    """A level of noise; further fields NAME_breach_rate are of attacks without knowledge, null where not tried."""

    noise: Amount
    breach_rate: Interval
    played: StoppedRecord | None
    opens_gate: bool
    leaks: list[LeakRecord]
    neighbours: Interval
    clusters: float
    others_: NotRequired[Share | None]


class JitterRecord(TypedDict):
    """A level of jitter; further fields NAME_breach_rate are of attacks without knowledge."""

    jitter: Amount
    claimed: bool
    played: StoppedRecord | None
    opens_gate: bool
    leaks: list[LeakRecord]
    insiders_breach_rate: Interval
    neighbours: Interval
    clusters: float
    others_: NotRequired[Share | None]


class RemediesRecord(TypedDict):
    """What noise and jitter bring and cost."""

    insiders: Count
    insiders_know_rows: bool
    target: Share
    criterion: Literal["share", "worst-record"]
    repeats: Count
    smallest: Amount | None
    stability: float
    jitter: list[JitterRecord]
    smallest_jitter: Amount | None
    levels: list[NoiseRecord]


class AuditRecord(TypedDict):
    """Result of isobreach audit: figures that were sampled carry a 95% interval. No private value, no time."""

    schema: Literal["isobreach/audit/1"]
    verdict: str
    findings: list[str]
    threat_model: str
    caveats: list[str]
    kinds: dict[str, str]
    scheme: SchemeRecord
    table: TableRecord
    left_out: list[str]
    preparation: list[StepRecord]
    length_shares: list[LengthRecord]
    other_verdicts: dict[str, str]
    epsilon: Annotated[float, Rule(above=0)]
    level: Annotated[float, Rule(above=0, maximum=1)]
    trials: Annotated[int, Rule(minimum=2)]
    undecided: Count
    rows_known: bool
    seed: Count
    gate: GateRecord | None
    sizes: list[SizeRecord]
    smallest: list[SmallestRecord]
    attributes: list[AttributeRecord]
    people_by_insiders: list[PeopleRecord]
    most_exposed: list[ExposedRecord]
    insider: InsiderRecord
    greedy_coalitions: dict[str, list[Identity]]
    baselines: BaselinesRecord
    attackers: list[ReaderRecord]
    matrix: MatrixRecord
    remedies: RemediesRecord | None
