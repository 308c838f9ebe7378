# SPDX-License-Identifier: BSD-3-Clause
"""What a report says of an attack: the kind of its probabilities, and nothing that was not found."""

from datetime import date

import numpy as np
import pytest

from isobreach.attacks import attack_linked, summarise
from isobreach.attacks.known_input.describe import document, result_json, sentences, verdict
from isobreach.report import document_page, with_run
from planted import Release


def _attacked(motion, q, noise=0.0, wide=4, store=None, precision=None):
    rng = np.random.default_rng(0)
    records = rng.standard_normal((40, 4)) + 1
    release = Release(records, rng, motion, noise=noise, wide=wide, store=store)
    links = release.linkage(range(q)) if precision is None else release.linkage(range(q), precision)
    result = attack_linked(records[:q], release.released, links, 0.12, seed=0)
    return result, summarise(result)


def _summary(*arguments, **more):
    return _attacked(*arguments, **more)[1]


@pytest.mark.parametrize(
    ("motion", "noise", "kind", "said"),
    [
        ("orthogonal", 0.0, "closed-form, given the links", "with probability 0."),
        ("rigid", 0.0, "model-based, given the links", "(model-based)."),
        ("rigid", 0.05, "approximation, given the links", "with probability about 0."),
    ],
)
def test_the_kind_of_a_probability_is_told(motion, noise, kind, said):
    result, summary = _attacked(motion, 2, noise)
    told = result_json(summary)
    assert told["kind"] == kind
    assert told["motion"] == motion
    assert said in verdict(summary)
    run = {"command": "", "seed": 0, "parameters": {}, "inputs": {}, "versions": {}}
    page = document_page(with_run(document(result, summary), run, "people", date(2026, 11, 7)))
    assert "<h1>people, 7 November 2026</h1>" in page
    assert kind.capitalize() in page
    assert any("noisy" in line for line in sentences(summary)) == (noise > 0)


@pytest.mark.parametrize(("motion", "noise"), [("orthogonal", 0.0), ("rigid", 0.0), ("orthogonal", 0.05)])
@pytest.mark.parametrize("store", [None, np.float16])
def test_several_errors_at_once_are_each_of_them_alone(motion, noise, store):
    result, _ = _attacked(motion, 2, noise, store=store)
    epsilons = [0.01, 0.3, 0.12, 2.0]
    for estimator in ("optimal", "uniform"):
        alone = [result.probability(epsilon, result.best, estimator)[0] for epsilon in epsilons]
        assert result.by_epsilon(result.best, epsilons, estimator) == pytest.approx(alone, rel=1e-12)


def test_a_translation_leaves_no_baseline():
    """A random direction is no attacker's best guess: the sentence about it says that others may do better."""
    plain, rigid = _summary("orthogonal", 2), _summary("rigid", 2)
    assert plain.baseline_probability > 0
    assert rigid.baseline_probability is None
    said = ["A guess of common values may do better" in " ".join(sentences(one)) for one in (plain, rigid)]
    assert said == [True, False]
    assert not any("succeeds with probability" in line for line in sentences(plain))


def test_without_a_link_a_translation_leaves_nothing_to_say():
    summary = _summary("rigid", 0)
    assert summary.kind == "lower bound"
    assert summary.best_probability == 0


def test_dimensions_are_those_of_the_records():
    summary = _summary("rigid", 3, wide=9)
    assert (summary.columns, summary.known_columns, summary.hidden_dimension) == (9, 4, 2)
    assert any("That leaves 2 of 4 dimensions" in line for line in sentences(summary))


@pytest.mark.parametrize(("motion", "q", "told"), [("orthogonal", 2, False), ("rigid", 2, True), ("rigid", 5, False)])
def test_what_a_translation_makes_the_attacker_assume_is_told(motion, q, told):
    """With nothing hidden there is nothing to assume."""
    assert any("all hidden directions are alike" in line for line in sentences(_summary(motion, q))) == told
