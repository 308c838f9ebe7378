# SPDX-License-Identifier: BSD-3-Clause
"""An audit as words, JSON and a page: what is said is what was found, whole and escaped."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import isobreach as ib
from isobreach.audits import AttackerFigures, Cell, Criterion, NoiseFigures, Remedies, Sampled, Stopped
from isobreach.report import audit_document, audit_schema, audit_verdict
from isobreach.report.audit_file import not_tested
from isobreach.report.audit_people import people
from isobreach.report.audit_remedies import _exceeds, no_reliance, remedies_section
from isobreach.report.numbers import sampled
from json_schema import violations

RNG = np.random.default_rng(0)
SCHEMA = json.loads(files("isobreach.report").joinpath("audit.schema.json").read_text(encoding="utf-8"))
SCRIPT = "<script>alert(1)</script>"


def _frame(rows=80):
    values = RNG.standard_normal((rows, 3)) + 1
    return pd.DataFrame(values, columns=["a", SCRIPT, "b & 'c'"], index=[f'"{k}"><b>' for k in range(rows)])


CASES = {
    "orthogonal": lambda: ib.audit(
        RNG.standard_normal((60, 4)), scheme="orthogonal", trials=5, splits=2, samples=(), seed=0
    ),
    "rigid": lambda: ib.audit(RNG.standard_normal((60, 4)), coalition_sizes=[1, 3], trials=5, splits=2, seed=0),
    "named, with noise": lambda: ib.audit(
        _frame(), "rigid", 0.3, [2], trials=5, noise_levels=[0.0, 0.5], rows_known=True, splits=2, seed=0
    ),
    "hardly any records": lambda: ib.audit(np.eye(3), coalition_sizes=[2], trials=2, seed=0),
    "many attributes": lambda: ib.audit(
        RNG.standard_normal((50, 30)), coalition_sizes=[1, 5], trials=4, splits=2, seed=0
    ),
}


@pytest.fixture(scope="module")
def reports():
    return {name: case() for name, case in CASES.items()}


class Page(HTMLParser):
    """Elements and text of a page; complains about what is not closed."""

    VOID = frozenset({"meta", "link", "br", "line", "polyline", "polygon"})

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self.open = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)


def _page(report, tmp_path):
    report.to_html(tmp_path / "report.html")
    return (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_the_json_is_as_its_schema_says(reports, tmp_path, name):
    reports[name].to_json(tmp_path / "result.json")
    written = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert violations(written, SCHEMA) == []
    assert written["schema"] == "isobreach/audit/1"
    assert len(written["sizes"]) == len(reports[name].sizes)


def test_the_schema_would_notice():
    report = CASES["hardly any records"]()

    for spoil in (
        lambda value: value.pop("verdict"),
        lambda value: value.update(seconds=3.0),
        lambda value: value["sizes"][0]["random"]["mean"].update(value=1.5),
        lambda value: value["smallest"][0].update(found="two"),
        lambda value: value.update(trials=True),
    ):
        value = json.loads(report.to_json())
        assert violations(value, SCHEMA) == []
        spoil(value)
        assert len(violations(value, SCHEMA)) == 1


def test_the_schema_is_that_of_the_records():
    """``python tools/audit_schema.py`` writes the file."""
    assert audit_schema() == SCHEMA


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_whole_and_small_and_loads_nothing(reports, tmp_path, name):
    text = _page(reports[name], tmp_path)
    page = Page(text)
    assert not any("\\x" in part for part in page.text)  # text of this page itself is not shown by numbers
    assert len(text.encode()) < 3_000_000
    assert not [a for _, a in page.elements if any(k in a for k in ("src", "srcset", "action"))]
    assert {a["href"] for _, a in page.elements if "href" in a} == {"data:,"}
    assert not re.search(r"https?://|@import|url\(", text)
    charts = [a for tag, a in page.elements if tag == "svg" and a.get("role") == "img"]
    assert len(charts) == 2  # one chart, wide and narrow
    identifiers = [a["id"] for _, a in page.elements if "id" in a]
    assert len(set(identifiers)) == len(identifiers)
    assert {a["aria-labelledby"] for a in charts} <= set(identifiers)


@pytest.mark.parametrize("name", CASES)
def test_the_outline_is_that_of_the_mock(reports, tmp_path, name):
    """Decision, matrix, risk, people, attributes, remedies, the file, details; one h1, no level left out."""
    text = _page(reports[name], tmp_path)
    headings = re.findall(r"<h([1-6])[^>]*>(?:<svg.*?</svg>)?(.*?)</h", text, re.DOTALL)
    levels = [int(level) for level, _ in headings]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    expected = [
        *("Who can do what", "How the risk grows with insiders", "Who is exposed", "Which attributes leak"),
        *(["What would help"] if reports[name].remedies else []),
        *("For the file", "Details"),
    ]
    assert [title for level, title in headings if level == "2"][1:] == expected
    assert text.count("<table") == text.count("<caption")


@pytest.mark.parametrize("name", CASES)
def test_page_terminal_and_json_say_the_same(reports, tmp_path, name):
    report = reports[name]
    page, value, spoken = Page(_page(report, tmp_path)), json.loads(report.to_json()), report.summary()
    text = " ".join(" ".join(page.text).split())
    decision = audit_document(report).decision
    assert report.verdict == value["verdict"] == " ".join([decision.said, *decision.also])
    assert spoken.startswith(report.verdict)
    assert all(line in text for line in [decision.headline, decision.why, *decision.also, *report.findings])
    said = audit_document(report).findings  # in the terminal: few, and the decision stands for the matrix
    assert all(line in spoken for line in said)
    assert set(said) < set(report.findings)
    assert len(said) <= 8
    assert all(line in text for line in [*value["caveats"], value["threat_model"]])
    assert text.index(decision.why) < text.index("What to do next") < text.index("Who can do what")
    assert "no proof of safety" in text


@pytest.mark.parametrize("name", CASES)
def test_the_page_uses_the_words_for_owners(reports, tmp_path, name):
    text = " ".join(Page(_page(reports[name], tmp_path)).text)
    assert not re.search(r"[Cc]oalition(?!_sizes=)|[Bb]aseline|\bcell\b.*\bsigma\b", text)
    assert "distance attack" in text
    assert not re.search(r"(?<!--)\btrials?\b(?!=)", text)
    assert "blind guess" in text


def test_names_are_text_and_nothing_else(reports, tmp_path):
    text = _page(reports["named, with noise"], tmp_path)
    page = Page(text)
    assert SCRIPT not in text
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert not re.search(r'"\d+"><b>', text)
    assert SCRIPT in " ".join(page.text)
    assert re.search(r'"\d+"><b>', " ".join(page.text))


def test_ids_and_names_come_out_again(reports):

    report = reports["named, with noise"]
    value = json.loads(report.to_json())
    assert [one["name"] for one in value["attributes"]] == ["a", SCRIPT, "b & 'c'"]
    row = value["most_exposed"][0]["row"]
    assert value["most_exposed"][0]["id"] == f'"{row}"><b>'


def test_no_private_value_is_written(tmp_path):
    """Values that would be recognised anywhere."""
    secret = 7_777_777.125
    records = np.full((12, 3), secret) + np.arange(36).reshape(12, 3)
    report = ib.audit(records, coalition_sizes=[2], trials=3, splits=2, samples=(), seed=0)
    report.to_json(tmp_path / "result.json")
    assert "77777" not in (tmp_path / "result.json").read_text() + _page(report, tmp_path)


def test_a_default_tolerance_does_not_tell_the_range(tmp_path):
    records = np.random.default_rng(0).permuted(np.linspace(0, 20 * 31.4159, 90).reshape(30, 3), axis=0)
    for tolerance, told in ((None, False), (0.05 * np.ptp(records, axis=0), True)):
        report = ib.audit(records, coalition_sizes=[2], trials=3, tolerance=tolerance, splits=2, samples=(), seed=0)
        report.to_json(tmp_path / "result.json")
        written = (tmp_path / "result.json").read_text() + _page(report, tmp_path)
        numbers = [f"{one:g}" for one in report.attributes.tolerance]
        assert [number in written for number in numbers] == [told] * 3
        assert ("5% of its range" in written) is not told


def test_where_everyone_is_breached_those_who_are_so_by_few_come_first():
    """Records along one direction and others anywhere: one insider of the line breaches the line."""
    rng = np.random.default_rng(0)
    line = np.outer(rng.uniform(1, 2, 40), [3.0, 1.0, 2.0, 1.0]) + 0.001 * rng.standard_normal((40, 4))
    records = rng.permutation(np.concatenate([line, 5 * rng.standard_normal((20, 4))]))
    report = ib.audit(
        records, "orthogonal", coalition_sizes=[1, 4], trials=30, rows_known=True, splits=2, samples=(), seed=0
    )
    assert (report.records.exposure[-1] == 1).all()
    first = report.most_exposed(40)
    along = records[first] / records[first, :1]
    np.testing.assert_allclose(along, along[:1] * np.ones((40, 1)), atol=0.02)
    assert (report.records.needed[first] == 0).all()
    assert (report.records.needed[report.most_exposed(60)[40:]] == 1).all()
    assert report.most_exposed(60, size=4).tolist() == list(range(60))


def test_a_coin_flip_is_not_called_certain(reports):

    records = RNG.standard_normal((50, 3))
    report = ib.audit(
        records, "orthogonal", coalition_sizes=[1, 2, 3], trials=9, rows_known=True, splits=2, samples=(), seed=0
    )
    everyone = report.smallest[-1]
    assert (everyone.found, everyone.certain) == (2, 3)
    document = audit_document(report)
    rows = next(block for block in document.blocks() if getattr(block, "caption", "").startswith("How few")).rows
    assert rows[-1][1:3] == ("2", "3")


def test_repeated_ids_are_told():
    import pandas as pd

    table = pd.DataFrame(RNG.standard_normal((30, 3)), index=[f"p{i // 2}" for i in range(28)] + ["x", "y"])
    told = [
        ib.audit(one, coalition_sizes=[2], trials=3, splits=2, samples=(), seed=0).findings
        for one in (table, table[::2])
    ]
    assert ["Ids repeat (14 of them)" in " ".join(lines) for lines in told] == [True, False]


def test_an_attack_that_ran_out_of_time_is_in_the_verdict(reports):
    report = replace(reports["many attributes"], criterion=Criterion.checked(0.9))  # which nobody exceeds
    late = replace(report.readers[0], claimed=False, share=0.0, named=0.0, decided=False)
    assert "came to no decision" in audit_verdict(replace(report, readers=(late,)))
    actions = dict(audit_document(replace(report, readers=(late,))).decision.actions)
    assert "run isobreach attack lattice on the release, with more --effort" in actions["Let it finish:"]
    assert re.search(r"attacks=\[('alignment', )?'known-input'\] leaves it out", actions["Or audit without it:"])
    assert "came to no decision" not in audit_verdict(replace(report, readers=(replace(late, decided=True),)))


@pytest.mark.parametrize("criterion", ["share", "worst-record"])
def test_an_attack_that_ran_out_of_time_hides_nobody_who_exceeds_the_limit(reports, criterion):
    """The decision is no question of time where insiders breach more than the limit beyond doubt."""
    report = reports["rigid"]
    report = replace(report, criterion=Criterion.checked(0.01, criterion), readers=())
    late = AttackerFigures("lattice", False, "", 0.0, 0.0, False, np.zeros(report.attribute_count))
    without, beside = (audit_document(replace(report, readers=one)).decision for one in ((), (late,)))
    assert (without.headline, without.status) == (beside.headline, beside.status) == ("Do not publish", "stop")
    assert "came to no decision" in " ".join(beside.also)
    assert "Let it finish:" not in dict(beside.actions)


def test_the_verdict_never_promises_safety():
    records = RNG.standard_normal((200, 40))
    report = ib.audit(records, epsilon=0.01, coalition_sizes=[1], trials=3, attacks=["known-input"], samples=(), seed=0)

    assert report.verdict.startswith("No attack that was tried succeeds. ")
    assert report.verdict.endswith("That is no proof of safety.")


def test_undecided_links_are_in_the_verdict(reports):
    from dataclasses import replace

    report = replace(reports["rigid"], undecided=2)
    assert "Links were undecided for 2 of 5 random groups: it may be worse." in audit_verdict(report)


def test_writing_again_replaces_the_file(reports, tmp_path):
    for _ in range(2):
        reports["rigid"].to_json(tmp_path / "result.json")
        reports["rigid"].to_html(tmp_path / "report.html")
    with pytest.raises(ib.OutputError):
        reports["rigid"].to_json(tmp_path / "result.json", force=False)


def test_people_whom_a_blind_guess_breaches_are_left_out_and_counted():
    rng = np.random.default_rng(0)
    near, far = rng.normal(10, 0.1, (40, 4)), rng.normal(10, 8, (40, 4))
    records = np.concatenate([near, far])
    report = ib.audit(
        records, "orthogonal", 0.1, coalition_sizes=[2, 4], trials=20, rows_known=True, splits=2, samples=(), seed=0
    )
    assert report.baselines.blind_records.sum() >= 40
    assert report.baselines.blind_records[:40].all()
    document = audit_document(report)
    people = next(block for block in document.blocks() if getattr(block, "caption", "") == "The most exposed people")
    assert people.rows
    assert not report.baselines.blind_records[[int(row) for line in people.rows for row in line[0].split(", ")]].any()
    left = f"Not listed here: {report.baselines.blind_records.sum()} people"
    assert any(getattr(block, "text", "").startswith(left) for block in document.blocks())


@pytest.mark.parametrize("seed", range(8))
def test_attributes_are_ranked_by_what_the_release_adds(seed):
    rng = np.random.default_rng(seed)
    report = ib.audit(rng.normal(5, 2, (60, 5)), coalition_sizes=[2, 4], trials=4, splits=2, samples=(), seed=seed)
    bars = next(block for block in audit_document(report).charts if block.name == "attributes").bars
    gains = [bar.value - bar.base for bar in bars]
    assert gains == sorted(gains, reverse=True)
    assert min(gains) >= 0


def test_a_limit_inside_the_interval_is_said_to_leave_the_decision_open(reports):
    report = reports["orthogonal"]
    reached = report.reached(report.sizes[-1], report.matrix.samples[-1]).breached
    inside, below = (reached.low + reached.high) / 2, reached.low - 1e-6
    assert reached.low < inside < reached.high
    said = {
        limit: replace(report, criterion=Criterion.checked(limit, "share"), readers=()).verdict
        for limit in (inside, below)
    }
    assert "lies in the interval of the figure that decides, " in said[inside]
    assert "lies in the interval" not in said[below]


def test_a_limit_that_an_interval_reaches_closes_the_gate_and_says_how_to_narrow_it_down(reports):
    """Few random groups do not exclude more than their mean."""
    report = reports["rigid"]
    report = replace(report, matrix=replace(report.matrix, best={}), readers=())
    reached = report.reached(report.sizes[-1]).breached
    assert reached.value < reached.high
    decided = replace(report, criterion=Criterion.checked((reached.value + reached.high) / 2, "share"))
    assert decided.gate().closed
    assert decided.gate().unsure
    shown = audit_document(decided).decision
    assert (shown.status, shown.headline, shown.gate[-1].value) == ("condition", "Do not publish yet", "Closed")
    assert re.fullmatch(r"run the audit again with trials=\d+: likely enough if .*", shown.actions[0][1])
    assert decided.verdict.count(sampled(reached, near=decided.criterion.limit)) == 1
    surely = replace(report, criterion=Criterion.checked(reached.high, "share"))
    assert not surely.gate().closed


def test_where_a_blind_guess_exceeds_the_limit_no_other_protection_is_the_first_advice(reports):
    report = reports["rigid"]
    guessed = replace(report, baselines=replace(report.baselines, blind=0.2), criterion=Criterion(0.1))
    actions = audit_document(guessed).decision.actions
    assert actions[0] == (
        "Run the audit again with a smaller epsilon.",
        "At 0.1 a blind guess breaches 20% of all people, more than the limit of 10%, whatever the protection.",
    )


def test_rows_and_attributes_are_counted_once_and_named(tmp_path):
    frame = _frame(60).assign(town=["Ulm", "Graz", "Linz"] * 20)
    frame.iloc[:7, 0] = np.nan
    table = ib.prepare(frame, missing="drop", categories="one-hot")
    report = ib.audit(table, trials=4, coalition_sizes=[2], seed=0, attacks=["known-input"], samples=(), splits=2)
    text = " ".join(Page(_page(report, tmp_path)).text)
    assert "53 rows × 4 attributes" in text
    assert "7 of 60 rows with missing values dropped" in text
    assert "in 6 columns of numbers" in text
    assert "Each split releases 53 of 53 rows" in text
    assert "× 6" not in text
    size = {"rows": 53, "rows_read": 60, "part": 0, "attributes": 4, "columns": 6}
    assert json.loads(report.to_json())["table"] == size


def test_rows_of_people_are_those_of_the_owners_table():
    """Seven rows are dropped: whoever has no name is told by the row that the owner can look up."""
    frame = _frame(60).reset_index(drop=True)
    frame.iloc[:7, 0] = np.nan
    table = ib.prepare(frame, missing="drop")
    report = ib.audit(table, epsilon=0.3, trials=4, coalition_sizes=[2], seed=0, attacks=[], samples=(), splits=2)
    shown = people(report)
    assert [head.title for head in shown.heads].count("Row") == 1
    assert (shown.heads[0].title, shown.heads[0].kind) == ("Row", "of your table, counted from 0")
    listed = [int(row) for line in shown.rows for row in line[0].split(", ")]
    assert listed == [one.row + 7 for one in report.exposed[: len(listed)]]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ((0.83, 0.813, 0.846), "83% (81 to 85%)"),
        ((0.0314, 0.0301, 0.0329), "3.1% (3.0 to 3.3%)"),
        ((0.9999, 0.98, 1.0), "over 99% (98 to 100%)"),
        ((0.0001, 0.0, 0.02), "under 1% (0 to 2%)"),
        ((0.5, 0.0, 1.0), "50% (0 to 100%)"),
        ((0.5, 0.5, 0.5), "50%"),
    ],
)
def test_numbers_have_the_digits_that_their_interval_supports(value, said):
    from isobreach.audits import Sampled

    assert sampled(Sampled(*value)) == said


def test_the_decision_follows_the_limit():
    """Below what is reached the page says not to publish; above it, it does not."""
    rng = np.random.default_rng(0)
    records = rng.normal(5, 2, (80, 6))
    options = {"coalition_sizes": [1, 2], "trials": 6, "seed": 0, "attacks": ["known-input"]}
    reached = ib.audit(records, **options).breached(2).value
    assert 0 < reached < 0.9
    closed, open_ = (ib.audit(records, **options, limit=limit) for limit in (reached / 2, 0.95))
    first, second = (audit_document(one).decision for one in (closed, open_))
    assert (first.status, first.headline) == ("stop", "Do not publish")
    assert second.status in ("condition", "open")
    assert [one.gate[-1].value for one in (first, second)] == ["Closed", "Open"]
    assert [one.gate().closed for one in (closed, open_)] == [True, False]


ON_A_SPLIT = "on one of 3 splits played"


@pytest.mark.parametrize(
    ("blind", "rate", "readers", "played", "said"),
    [
        (0.2, 0.0, {}, None, "a blind guess still breaches 20% of all people"),
        (0.0, 0.2, {}, None, "8 insiders still breach 20% of the other people by the distance attack"),
        (0.0, 0.0, {"lattice": 0.5}, None, "the grid attack still reads 50% of the records without any insider"),
        (
            0.0,
            0.0,
            {},
            0.5,
            f"{ON_A_SPLIT}, a single insider who has 200 public records breaches 50% of the other people",
        ),
        (0.0, 0.0, {}, 0.0, "no figure exceeds the limit, but intervals do not exclude it"),
    ],
)
def test_where_no_noise_is_enough_the_page_says_who_exceeds_the_limit(blind, rate, readers, played, said):
    sure = lambda value: Sampled(value, value, value)  # noqa: E731
    stopped = None if played is None else Stopped("alignment", Cell(1, 200), played, 3, 130)
    level = NoiseFigures(1.0, sure(rate), sure(0.1), 0.3, readers, stopped)
    tried = Remedies(8, 0.05, 100, (level,), None, 1.0, blind, "the column means", ())
    assert _exceeds(tried, level) == said
    if played == 0:
        by_record = replace(tried, criterion="worst-record")
        assert _exceeds(by_record, level).startswith("the gate stays closed, by the most exposed record or the upper")
        assert no_reliance(tried)[1].startswith("Of no level of noise or jitter that was tried it is sure")
        assert no_reliance(by_record)[1].startswith("No level of noise or jitter that was tried meets")


@pytest.mark.parametrize(("hits", "sure"), [(8, False), (60, True)])
def test_a_share_on_one_split_is_not_told_as_a_figure(reports, hits, sure):
    """Eight of 130 on one split were told as "still breach 6.2%"; the audit of that noise said 3%, and not yet."""
    one = Stopped("known-input", Cell(8), hits / 130, 2, 130)
    level = NoiseFigures(1.0, Sampled(0.012, 0.011, 0.014), Sampled(0.1, 0.09, 0.11), 0.3, {}, one)
    tried = Remedies(8, 0.05, 100, (level,), None, 1.0, 0.0, "the column means", ())
    said = no_reliance(tried)[1]
    assert f"on one of 2 splits played, 8 insiders who pool their own records breach {100 * hits / 130:.2g}%" in said
    assert said.startswith("No level of noise or jitter that was tried meets" if sure else "Of no level of noise or")
    assert ("an audit of that plan (ib.schemes.Noisy(noise=1)) tells the mean over all splits" in said) is not sure
    section = remedies_section(replace(reports["rigid"], remedies=tried))
    assert section.blocks[0].rows[0][-1] == ("no" if sure else "not sure")
    assert "Distance attack, 8 insiders" in str(section.blocks[0])
    assert "All attacks played" in str(section.blocks[0])


def test_the_file_says_who_was_not_asked_for():
    records = np.random.default_rng(0).exponential(1, (60, 3))
    report = ib.audit(records, coalition_sizes=[1], trials=2, samples=(), attacks=["known-input"], seed=0)
    text = " ".join(not_tested(report))
    assert "The alignment attack, which was not played: it was not asked for." in text
    assert "Attackers who have public records of the same kind." in text
    usual = ib.audit(records, coalition_sizes=[1], trials=2, samples=(20,), splits=2, seed=0)
    assert "not asked for" not in " ".join(not_tested(usual))
    assert "Attackers who have public records" not in " ".join(not_tested(usual))
