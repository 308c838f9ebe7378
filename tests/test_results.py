# SPDX-License-Identifier: BSD-3-Clause
"""Results in Python and in a notebook: short, readable, drawn, and as frames."""

import json

import numpy as np
import pandas as pd
import pytest

import isobreach as ib

RECORDS = np.random.default_rng(0).normal(50, 20, (120, 4))
RELEASE = ib.perturb(RECORDS, "rigid", seed=1)


@pytest.fixture(scope="module")
def results():
    frame = pd.DataFrame(RECORDS, columns=["age", "<b>pay", "c", "d"])
    return {
        "audit": ib.audit(frame, coalition_sizes=[1, 3], trials=5, seed=0, attacks=["known-input"]),
        "attack": ib.attack(RECORDS[:3], RELEASE.data, seed=0),
        "link": ib.link(RECORDS[:3], RELEASE.data),
    }


@pytest.mark.parametrize("name", ["audit", "attack", "link"])
def test_a_result_is_one_line_and_says_more_when_asked(results, name):
    result = results[name]
    assert len(repr(result)) < 150
    assert "\n" not in repr(result)
    assert len(result.summary().splitlines()) > 2
    html = result._repr_html_()
    assert "<table" in html or "<li>" in html
    assert "<script" not in html
    assert "<b>pay" not in html


@pytest.mark.parametrize("name", ["audit", "attack", "link"])
def test_json_is_text_or_a_file(results, name, tmp_path):
    text = results[name].to_json()
    results[name].to_json(tmp_path / "a.json")
    assert json.loads(text) == json.loads((tmp_path / "a.json").read_text())


def test_frames(results):
    attackers = results["audit"].to_frame()
    assert list(attackers.columns[:3]) == ["insiders", "public_records", "ranges"]
    for size, breached in zip(attackers["insiders"], attackers["breached"], strict=True):
        assert breached == results["audit"].breached(int(size)).value
    assert len(results["audit"].to_frame("people")) == 120
    assert results["audit"].to_frame("attributes")["attribute"].tolist() == ["age", "<b>pay", "c", "d"]
    np.testing.assert_array_equal(
        results["attack"].to_frame()["breach_probability"], results["attack"].breach_probability
    )
    assert results["link"].to_frame()["released_row"].tolist() == RELEASE.key.order[:3].tolist()
    with pytest.raises(ib.InputError, match="of must be one of attackers, people, attributes"):
        results["audit"].to_frame("nobody")


@pytest.mark.parametrize(("name", "charts"), [("audit", ["risk", "attributes"]), ("attack", ["exposure"])])
def test_every_chart_is_a_figure(results, name, charts, tmp_path):
    for chart in charts:
        figure = results[name].plot(chart)
        figure.savefig(tmp_path / "a.png")
        assert figure.axes
    assert [text.get_text() for text in results[name].plot().axes[0].get_legend().get_texts()]
    with pytest.raises(ib.InputError, match=f"chart must be one of {', '.join(charts)}"):
        results[name].plot("none")


def test_a_key_and_a_release_do_not_show_the_secret():
    for shown in (repr(RELEASE.key), repr(RELEASE)):
        assert len(shown) < 150
        assert f"{RELEASE.key.rotation[0, 0]:.4f}"[:5] not in shown
