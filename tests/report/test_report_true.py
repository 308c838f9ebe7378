# SPDX-License-Identifier: BSD-3-Clause
"""What an audit's page says is true: each sentence here was once read by an owner and was not, or led nowhere."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import isobreach as ib
from isobreach._naming import for_command_line
from isobreach.audits import AttackerFigures, Best, Cell, Criterion, Leak, Reached, Sampled, Smallest
from isobreach.audits.intervals import SampledShares
from isobreach.document import Line, Panel
from isobreach.report import audit_document
from isobreach.report.audit_charts import attributes_chart, attributes_lead, risk_chart, risk_lead
from isobreach.report.audit_file import _inference, _singling_out
from isobreach.report.audit_matrix import matrix_section
from isobreach.report.audit_people import needed_chart, people, people_lead, people_section
from isobreach.report.audit_preparation import header_texts
from isobreach.report.audit_remedies import _remedies_note, advised, remedies_lead
from isobreach.report.audit_words import typical_number
from isobreach.report.drawing import SHEETS, _Axes
from isobreach.report.numbers import share


def audited(records, **asked):
    usual = {"scheme": "orthogonal", "coalition_sizes": [1, 2, 4], "trials": 5, "splits": 2, "samples": (), "seed": 0}
    return ib.audit(records, attacks=["known-input"], **{**usual, **asked})


@pytest.fixture(scope="module")
def hidden():
    """An audit in which nobody is breached: many columns, and a small epsilon."""
    return audited(np.random.default_rng(0).standard_normal((60, 30)), epsilon=0.01)


@pytest.fixture(scope="module")
def alike():
    """An audit in which a blind guess breaches many, and one column carries the length."""
    records = np.random.default_rng(1).normal([1000, 1, 1], [60, 1, 1], (80, 3))
    return audited(pd.DataFrame(records, columns=["pay", "age", "rank"]), limit=0.05)


def advice(report):
    return " ".join(f"{title} {said}" for title, said in audit_document(report).decision.actions)


def told(report, value, *, low=0.0, high=1.0):
    """The report, if whoever is played learned so much of every attribute, in such intervals."""
    shares = SampledShares(*(np.full(report.attribute_count, one) for one in (value, low, high)))
    best = Best("known-input", "as it is", Sampled(value, low, high), shares)
    figures = replace(report.attributes, **dict.fromkeys(("value", "low", "high"), 0 * report.attributes.value))
    return replace(report, matrix=replace(report.matrix, best={Cell(1): best}), attributes=figures, readers=())


def test_who_breaches_nobody_is_not_said_to_breach_more(hidden):
    hardly = [replace(one, random=replace(one.random, mean=Sampled(1e-10, 1e-11, 2e-10))) for one in hidden.per_size]
    found = replace(hidden, matrix=replace(hidden.matrix, best={}), per_size=tuple(hardly))
    assert found.reached(4) == Reached(Sampled(1e-10, 1e-11, 2e-10), "known-input", Cell(1), closed_form=True)
    assert people_lead(found).startswith("With the distance attack alone, half of the random groups")
    assert people_lead(found).count(".") == 1
    assert _singling_out(found)[0] == "Not by the attacks that were tried."
    more = told(found, 0.3, low=0.25, high=0.35)
    assert people_lead(more).startswith("The best attacker breaches 30% (25 to 35%) of the other people. With the")


@pytest.mark.parametrize(("kept", "headline"), [(0.9, "Publish only with noise of 0.1"), (0.14, "Do not publish")])
def test_a_remedy_that_leaves_little_use_is_no_advice(kept, headline):
    """Noise of 1 opened the gate with 14% of the neighbours left, and was the headline."""
    report = audited(np.random.default_rng(0).normal(50, 20, (60, 3)), noise_levels=[0.1], limit=0.05)
    level = replace(report.remedies.levels[0], neighbours=Sampled(kept, kept - 0.02, kept + 0.02))
    found = replace(report, remedies=replace(report.remedies, levels=(level,), smallest=0.1, jitter=(), blind=0.0))
    said = audit_document(found)
    assert said.decision.headline.startswith(headline)
    assert f"{100 * kept:.0f}% ({100 * kept - 2:.0f} to {100 * kept + 2:.0f}%) of the nearest neigh" in advice(found)
    assert ("keeps only 14%" in " ".join(said.findings)) is (kept < 0.5)


def test_the_chart_of_the_risk_begins_with_its_highest_curve(hidden):
    """Two insiders breached everyone, and the lead said that no group of up to eight breached half of the others."""
    assert risk_lead(hidden).startswith("With the distance attack alone, no group of up to 4 insiders")
    assert risk_lead(told(hidden, 0.6, low=0.55, high=0.65)).startswith(
        "Without public records, a typical insider breaches half of the other people. With the distance attack alone, "
    )


def test_advice_of_a_smaller_epsilon_names_one_that_helps(alike):
    """At the epsilon that is named the blind guess breaches what is said, and no more than the limit."""
    epsilon = float(re.search(r"Run the audit again with epsilon=([0-9.]+)\.", advice(alike)).group(1))
    finer = audited(np.random.default_rng(1).normal([1000, 1, 1], [60, 1, 1], (80, 3)), limit=0.05, epsilon=epsilon)
    assert alike.baselines.blind > 0.05 >= finer.baselines.blind
    assert dict(alike.baselines.finer)[epsilon] == finer.baselines.blind
    assert f"At 0.1 a blind guess breaches {100 * alike.baselines.blind:.0f}% of all people" in advice(alike)


def test_where_many_have_the_same_record_no_epsilon_is_advised():
    records = np.random.default_rng(0).normal(5, 2, (60, 4))
    records[:20] = 7.0
    found = audited(records, limit=0.05, epsilon=0.05)
    assert "No smaller epsilon helps. At 0.05 a blind guess breaches" in advice(found)
    assert "at 0.001 it is still 33%, because so many have nearly the same record." in advice(found)


def test_one_column_that_carries_the_length_is_in_the_advice(alike):
    again = "If all attributes matter alike, run the audit again with a table of ib.prepare(..., standardise=True)."
    assert again in advice(alike)
    with for_command_line():
        assert "run the audit again with --standardise (--both shows both verdicts)." in advice(alike)
    both = {"as it is": "Do not publish. So.", "standardised": "Publish only with noise of 0.1 times the spread. So."}
    found = replace(alike, beside=both)
    assert "If all attributes matter alike, go by the verdict on the table standardised" in advice(found)
    assert found.verdict.endswith(
        "This decision is about the table as it is. On the table standardised it is: Publish only with noise of 0.1 "
        "times the spread."
    )
    assert "standardise" not in advice(replace(alike, length_shares=np.array([0.4, 0.3, 0.3])))


def test_who_must_not_publish_is_told_of_other_schemes():
    found = audited(np.random.default_rng(0).normal(5, 2, (60, 3)), limit=0.05)
    assert audit_document(found).decision.headline == "Do not publish"
    assert "ib.compare(X, epsilon=0.1) plays the attacks against every other scheme" in advice(found)


def test_groups_of_records_are_not_told_of_noise():
    """Behind k-anonymity more noise was advised, and "the suitable attacks" were not named."""
    asked = {"coalition_sizes": [1, 2], "trials": 5, "splits": 2, "samples": (), "seed": 0}
    found = ib.audit(np.random.default_rng(0).normal(5, 2, (60, 3)), "k-anonymity", **asked)
    leak = _leaking(replace(found, criterion=None), 1, (1.0, 0.99, 1.0))
    leak = replace(
        leak,
        per_size=tuple(
            replace(one, random=replace(one.random, mean=Sampled(0.0, 0.0, 0.001))) for one in leak.per_size
        ),
    )
    leak = replace(leak, baselines=replace(leak.baselines, blind=0.0, no_known_record=None))
    assert "Larger groups hide more of them." in advice(leak)
    assert "oise" not in advice(leak)
    leak = replace(leak, smallest=(replace(leak.smallest[0], found=1), *leak.smallest[1:]))
    named = "the suitable attacks, the naive reading or the regression attack"
    assert f"A single insider can breach another person with {named} (worst group found)." in leak.verdict


def test_nothing_is_said_to_be_learned_that_an_interval_leaves_open(hidden):
    blind = float(hidden.baselines.blind_attributes.max())
    unsure, sure = told(hidden, blind + 0.2, low=0.0, high=0.99), told(hidden, blind + 0.2, low=blind + 0.1, high=0.99)
    assert attributes_lead(unsure).startswith("Of no attribute is it beyond doubt that an attacker learns more")
    assert attributes_lead(sure).startswith("The release adds most to the attribute ")
    assert _inference(unsure)[0] == "Not beyond doubt more than a blind guess tells."
    assert _inference(sure)[0].startswith("Yes. Of 30 of 30 attributes more is learned")
    assert {bar.said[-1][-1] for bar in attributes_chart(unsure).bars} == {"?"}
    assert "?" not in "".join(bar.said[-1] for bar in attributes_chart(sure).bars)


@pytest.mark.parametrize("seed", range(4))
def test_nobody_in_the_chart_of_risks_is_better_than_the_best(seed):
    """A record that is breached with probability 0.6 is 0.6 expected people, in every curve."""
    records = np.random.default_rng(seed).normal(5, 2, (60, 4))
    best, worst, typical, _ = risk_chart(audited(records, coalition_sizes=[1, 2, 3, 4, 5], seed=seed)).panels[0].lines
    reached = dict(zip(best.x, best.y, strict=True))
    assert all(reached[size] >= share for size, share in zip(typical.x, typical.y, strict=True))
    assert all(high >= low for high, low in zip(worst.y, typical.y, strict=True))


def test_an_open_gate_says_that_chosen_insiders_exceed_the_limit(hidden):
    """Random groups meet a limit that the worst group does not: who reads that nobody exceeds it is misled."""
    worst = [replace(one, worst_mean=replace(one.worst_mean, value=0.15)) for one in hidden.per_size]
    alone = replace(hidden.matrix, best={})
    found = replace(hidden, per_size=tuple(worst), criterion=Criterion(0.1), readers=(), matrix=alone)
    assert not found.gate().closed
    said = "But the worst single insider that was found breaches 15% of them with the distance attack."
    assert audit_document(found).data["gate"]["reason"].endswith(said)
    assert said in found.verdict
    assert said not in replace(found, criterion=Criterion(0.2)).verdict


def _leaking(report, place, learned):
    """The report, if nobody breaches a record and one attribute is learned of so many people, far above a guess."""
    blind = report.baselines.blind_attributes
    shares = SampledShares(*(np.where(np.arange(len(blind)) == place, end, blind) for end in learned))
    best = Best("alignment", "as fitted", Sampled(0.0, 0.0, 0.001), shares)
    none = replace(report.attributes, **dict.fromkeys(("value", "low", "high"), 0 * report.attributes.value))
    matrix = replace(report.matrix, best={Cell(1): best})
    return replace(report, matrix=matrix, attributes=none, readers=(), criterion=Criterion(0.05))


def test_an_open_gate_says_which_attributes_are_learned(hidden):
    """Noise hid whole records, and the page said that no attack succeeds; of everyone the treatment was learned."""
    found = _leaking(hidden, 3, (1.0, 0.99, 1.0))
    assert not found.gate().closed
    assert [leak.place for leak in found.leaks(more=0.05)] == [3]
    guess = found.baselines.blind_attributes[3]
    said = "But the best attacker learns 'c4' of 100% (99 to 100%) of the other people, where a blind guess is right"
    said = f"{said} for {guess:.0%}."
    assert audit_document(found).decision.headline == "Publish only if single attributes may be learned"
    assert audit_document(found).decision.status == "condition"
    assert said in found.verdict
    assert audit_document(found).data["gate"]["reason"].endswith(said)
    for limit in (0.5, 0.02):  # a probability of the most exposed record limits no share of people
        worst = replace(
            _leaking(hidden, 3, (guess + 0.2, guess + 0.1, 1.0)), criterion=Criterion(limit, "worst-record")
        )
        assert worst.gate().closed or worst.verdict.startswith("Publish only if single attributes may be learned")
    for little in (guess + 0.06, guess - 0.01, 1.0), (guess + 0.04, guess + 0.03, guess + 0.05):
        assert "learns" not in _leaking(hidden, 3, little).verdict


def test_a_remedy_says_what_is_learned_in_spite_of_it(hidden):
    leak = Leak(2, Sampled(0.9, 0.8, 1.0), 0.2)
    level = SimpleNamespace(noise=0.1, neighbours=Sampled(0.9, 0.88, 0.92), leaks=(leak,))
    remedy = advised(SimpleNamespace(levels=(level,), smallest=0.1, jitter=(), smallest_jitter=None))
    said = dict(remedy.actions(hidden))["Decide whether single attributes may be known."]
    assert said.startswith("With it the best attacker still learns 'c3' of 90% (80 to 100%) of the other people, where")


def test_insiders_are_counted_in_whole_numbers(hidden):
    assert all(tick.is_integer() for tick in hidden.plot("risk").axes[0].get_xticks())


def test_no_band_of_the_best_attacker_lies_below_the_blind_guess(alike):
    found = told(alike, 0.9, low=0.0, high=0.99)
    best = risk_chart(found).panels[0].lines[0]
    assert best.label.startswith("Best attacker")
    assert min(best.low) >= found.baselines.blind > 0
    shares = found.learned_shares(4, 0)
    assert (shares.low >= found.baselines.blind_attributes).all()


def test_everybody_is_in_the_chart_of_people_once(alike, hidden):
    for report in (alike, hidden):
        bars = needed_chart(report).bars
        counts = [int(bar.said[0].replace(",", "")) for bar in bars]
        assert sum(counts) == report.rows
        assert [bar.value for bar in bars] == [one / report.rows for one in counts]
        assert {"people"} < {chart.name for chart in audit_document(report).charts}
    assert needed_chart(alike).bars[0].label == "none: blind guess"
    assert [bar.label for bar in needed_chart(hidden).bars] == ["1 to 4", "more than 4"]
    assert hidden.plot("people").axes


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((4, 3, 4), "4 (3 to 4; not tried: 3)"),
        ((4, 4, 4), "4"),
        ((2, 1, 4), "2 (1 to 4; not tried: 3)"),
        ((8, 3, None), "8 (3 to more than 16; not tried: 3, 5 to 7, 9 to 15)"),
        ((2, 1, 2), "2 (1 to 2)"),
        ((None, None, None), "more than 16"),
    ],
)
def test_numbers_of_insiders_that_were_not_tried_are_said_to_be(found, said):
    assert typical_number(Smallest("half", *found, None, None, None), (1, 2, 4, 8, 16)) == said


def test_people_of_whom_the_same_is_said_share_a_line():
    records = np.repeat(np.random.default_rng(0).normal(5, 2, (15, 3)), 4, axis=0)
    report = audited(records, epsilon=0.02, rows_known=True)
    shown = people(report)
    assert len(shown.rows) < 10
    assert shown.note.startswith("People who share a line have about the same figures.")
    listed = [int(row) for line in shown.rows for row in line[0].split(", ")]
    assert sorted(listed) == sorted(one.row for one in report.exposed[:10])
    assert shown.heads[-1].kind == "mean over groups of 1, 2, 4; sampled, 95% interval"


@pytest.mark.parametrize("criterion", ["share", "worst-record"])
def test_a_limit_is_written_in_one_way(criterion):
    records = np.random.default_rng(0).normal(5, 2, (60, 3))
    report = audited(records, noise_levels=[0.1], limit=0.0725, criterion=criterion)
    document = audit_document(report)
    facts = {fact.name: fact.value for fact in document.decision.gate}
    assert facts["Limit"] == "7.25%"
    gate = [*facts.values(), document.data["gate"]["reason"]]
    said = " ".join([report.verdict, *report.findings, advice(report), *gate])
    assert set(re.findall(r"(?:limit of|limit is) ([0-9.]+%?)", said)) == {"7.25%"}
    assert "0.07" not in said


@pytest.mark.parametrize(("stability", "says_little"), [(0.45, True), (0.97, False)])
def test_agreement_of_clusters_is_explained(stability, says_little):
    tried = audited(np.random.default_rng(0).normal(5, 2, (60, 3)), noise_levels=[0.1]).remedies
    note = _remedies_note(replace(tried, stability=stability))
    assert ("so that this column says little" in note) is says_little
    assert ("agreement 0.45" in note) is says_little
    assert "two runs" not in note


def test_the_header_counts_what_was_done_to_columns_and_rows(hidden):
    """What is missing from the figures comes first, and no list is longer than a line."""
    steps = [{"column": f"n{k}", "what": "read as numbers"} for k in range(2)] + [{"column": "d", "what": "one-hot"}]
    steps += [{"column": f"c{k}", "what": "left out"} for k in range(6)] + [{"column": None, "what": "dropped rows"}]
    said = header_texts(replace(hidden, steps=tuple(steps), rows_read=hidden.rows + 7))[0]
    assert said.title == "Done to the table:"
    assert said.text.startswith(
        f"6 columns left out ('c0', 'c1', 'c2', 'c3', ...); 7 of {hidden.rows + 7} rows with missing values dropped; "
        "1 column of text as categories; 2 columns of amounts as numbers. All steps are under Details. "
    )
    untouched = header_texts(replace(hidden, steps=()))[0]
    assert (untouched.title, untouched.text.partition(".")[0]) == ("Left out:", "No column")


def test_no_curve_hides_another_and_labels_stay_in_the_drawing():
    """Two curves that coincide are both seen: dashes lie above what is drawn through."""
    x, y = np.arange(4), np.linspace(0, 1, 4)
    lines = tuple(Line(f"curve {style}", x, y, style=style) for style in ("main", "second", "third", "base"))
    drawing = _Axes(Panel("", "", "", lines), SHEETS[0]).drawing("")
    assert [style for style, _ in drawing.lines] == ["main", "third", "second", "base"]


def test_an_interval_is_of_whoever_is_named(hidden):
    """Two insiders breached everyone in 2 splits, eight in more: the gate named two, with the interval of eight."""
    best = told(hidden, 1.0, low=0.6, high=1.0).matrix.best[Cell(1)]
    surer = replace(best, breached=Sampled(1.0, 0.98, 1.0))
    found = replace(hidden, matrix=replace(hidden.matrix, best={Cell(1): best, Cell(4): surer}), readers=())
    found = replace(found, criterion=Criterion(0.05))
    facts = {fact.name: fact.value for fact in audit_document(found).decision.gate}
    assert found.reached(4) == Reached(Sampled(1.0, 0.98, 1.0), "known-input", Cell(1), "as it is")
    assert facts["Found"] == "100% (60 to 100%): 1 insider"
    assert _singling_out(found)[1].startswith("100% (60 to 100%) of people (1 insider); blind guess")


@pytest.mark.parametrize(("low", "listed"), [(2.0, True), (0.0, False)])
def test_people_who_do_not_stand_out_are_not_listed(low, listed):
    """Ten of 266 people whose intervals overlap are any ten."""
    report = audited(np.random.default_rng(0).normal(50, 20, (60, 3)))
    first = replace(report.exposed[0], exposure=Sampled(1.0, low, 1.0))
    blocks = people_section(replace(report, exposed=(first, *report.exposed[1:]))).blocks
    assert any(type(block).__name__ == "Table" for block in blocks) is listed
    assert blocks[1].text.startswith("The most exposed person" if listed else "Nobody stands out: any of ")


def test_a_page_is_called_by_its_table(tmp_path):
    records = np.random.default_rng(0).normal(50, 20, (30, 2))
    path = tmp_path / "wards.csv"
    pd.DataFrame(records, columns=["a", "b"]).to_csv(path, index=False)
    for report, title in ((audited(path), "wards, "), (audited(records), "Audit before publishing, ")):
        report.to_html(tmp_path / "page.html")
        assert f"<title>{title}" in (tmp_path / "page.html").read_text()
        report.to_html(tmp_path / "page.html", title="Patients of 2024")
        assert "Table: Patients of 2024, 30 rows" in (tmp_path / "page.html").read_text()


def test_nobody_is_not_told_as_a_breach(hidden):
    """A probability of 3.3e-19 was "breach under 1% of the other people", and "< 1%" beside "0%" in the matrix."""
    hardly = Sampled(3.3e-19, 3.3e-19, 0.01)
    sizes = tuple(replace(one, random=replace(one.random, mean=hardly)) for one in hidden.per_size)
    found = replace(hidden, matrix=replace(hidden.matrix, best={}), per_size=sizes)
    found = replace(found, baselines=replace(found.baselines, blind=0.0, no_known_record=3.3e-19))
    assert found.reached(4).breached == hardly
    for asked in (found, replace(found, criterion=Criterion(0.001)), replace(found, criterion=Criterion(0.5))):
        said = f"{asked.verdict} {asked.summary()}"
        assert "under 1%" not in said
        assert "< 1%" not in said
    assert "breaches nobody with the distance attack" in found.verdict
    few = replace(sizes[0], worst_mean=replace(sizes[0].worst_mean, value=0.02))
    smallest = (replace(hidden.smallest[0], found=1), *hidden.smallest[1:])
    single = replace(found, per_size=(few, *sizes[1:]), smallest=smallest, criterion=Criterion(0.5))
    assert "A single insider can breach another person" in single.verdict
    assert "nobody" not in single.verdict.replace("nobody who was tried", "")
    assert share(3.3e-19, near=0.0) == "under 0.0001%"  # above a limit of 0


def _between(report, figure):
    """The report, if random groups breach so much, and nobody else anything."""
    sizes = tuple(replace(one, random=replace(one.random, mean=figure)) for one in report.per_size)
    baselines = replace(report.baselines, blind=0.0, no_known_record=0.0)
    matrix = replace(report.matrix, best={})
    return replace(report, per_size=sizes, baselines=baselines, matrix=matrix, criterion=Criterion(0.05), readers=())


def test_who_must_narrow_a_figure_down_is_told_how_far(hidden):
    """ "May breach more than 5%: 5% (3 to 6%)", three times in one box, and "more splits" without a number."""
    found = _between(hidden, Sampled(0.046, 0.031, 0.062))
    said = audit_document(found).decision
    assert (found.gate().closed, said.headline) == (True, "Do not publish yet")
    assert "may breach more than 5% of the other people with the distance attack: 4.6% (3.1 to 6.2%)." in said.why
    assert found.verdict.count("4.6%") == 1
    trials = 5 * ((0.062 - 0.046) / (0.05 - 0.046)) ** 2  # an interval shrinks as the root of what is sampled
    asked = int(
        re.search(
            r"run the audit again with trials=(\d+): likely enough if the figure stays as it is", advice(found)
        ).group(1)
    )
    assert trials <= asked <= 1.25 * trials
    assert "trials=10: likely" in advice(_between(hidden, Sampled(0.025, 0.02, 0.051)))  # not 6, of 5
    near = advice(_between(hidden, Sampled(0.04999, 0.031, 0.062)))
    assert "run the audit again" not in near.replace("run the audit again on the new table", "")
    assert "Take the limit for exceeded: the figure is so near to it that" in near
    above = _between(hidden, Sampled(0.054, 0.031, 0.062))
    assert "The limit of 5% lies in the interval of the figure that decides: an audit with trials=" in above.verdict
    assert above.verdict.count("5.4%") == 1


def test_no_remedy_is_refused_for_every_epsilon(alike):
    """ "No noise or jitter can help" was said of an epsilon, and two reruns were advised without a word on both."""
    tried = audited(np.random.default_rng(0).normal(5, 2, (60, 3)), noise_levels=[0.1]).remedies
    found = replace(alike, remedies=replace(tried, blind=alike.baselines.blind))
    assert remedies_lead(found).startswith("At an epsilon of 0.1 no noise or jitter can help: guessing ")
    assert "Run the audit again with epsilon=" in advice(alike)
    assert "Keep the epsilon of 0.1 there." in advice(alike)
    guessed = replace(alike, baselines=replace(alike.baselines, blind=0.0))
    assert "If all attributes matter alike" in advice(guessed)
    assert "Keep the epsilon" not in advice(guessed)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        (
            [0.88, *[0.01] * 12],
            "'c1' carries 88% of the squared length of all records: a breach is mostly about it, and",
        ),
        (
            [0.01, 0.88, 0.05, 0.04, *[0.002] * 10],
            "'c2', 'c3' and 'c4' carry 97% of the squared length of all records ('c2' alone 88%): a breach is almost",
        ),
        (
            [0.5, 0.46, 0.02, 0.02],
            "'c1' and 'c2' carry 96% of the squared length of all records: a breach is almost only",
        ),
        ([0.4, 0.3, 0.28, 0.02], None),  # three of four are not few
        ([0.1] * 10, None),
    ],
)
def test_who_carries_the_length_is_said(hidden, shares, said):
    """A cost carried 88% of the length: "4 insiders breach 97%" was about it alone, and no finding said so."""
    found = replace(hidden, length_shares=np.array(shares))
    lines = [line for line in found.findings if "squared length" in line]
    assert [line.startswith(said) for line in lines] == ([] if said is None else [True])
    assert ("If all attributes matter alike" in advice(found)) is (said is not None)


def test_cells_have_the_colour_of_the_part_that_is_read(hidden):
    """Three of 23 attributes were read, and every cell had the colour of 90% or more."""
    none = replace(hidden, matrix=replace(hidden.matrix, best={}), baselines=replace(hidden.baselines, blind=0.0))
    read = np.where(np.arange(30) < 4, 1.0, 0.0)
    levels = []
    for attributes in (read, np.ones(30)):
        reader = AttackerFigures("lattice", True, "", 0.0, 0.0, True, attributes)
        block = matrix_section(replace(none, readers=(reader,))).blocks[0]
        levels.append({cell.level for row in block.rows for cell in row.cells})
        assert all(cell.text.endswith("†") for row in block.rows for cell in row.cells)
    assert levels == [{2}, {4}]  # 13% of all values: 10 to 50%; and all


def test_a_part_is_of_the_people(hidden):
    """ "A part of them is rebuilt" might be of each record."""
    few = told(hidden, 0.3, low=0.25, high=0.35)
    assert _singling_out(few)[0] == "For a part of the people: insiders rebuild their records."
