# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration of a vector store tells the truth: 3 known sentences and a dictionary open 3,000 vectors."""

import pytest

from effort import slow


@pytest.mark.parametrize("package", slow("turboquant-vectors", "hadamask"))
def test_three_known_sentences_and_a_dictionary_open_the_store(run, package):
    """1,000 candidates, 500 of them absent: those in the store are found, no other is taken for one."""
    done = run("demo", "vectors", "--package", package, "--seed", 1, "--json")
    assert done.code == 0, done.err
    found = done.json
    assert (found["rows"], found["known_given"], found["known"], found["known_wrong"]) == (3000, 3, 3, 0)
    assert (found["candidates_present"], found["candidates_absent"]) == (500, 500)
    assert (found["candidates"], found["candidates_wrong"]) == (500, 0)
    assert found["least_cosine"] > 0.999999
    assert found["read"] >= 0.9 * found["read_of"]
    for how, recovered, true in found["shown"]:
        assert how in ("candidate", "words")
        assert how == "words" or recovered == true


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--package", "rot13"), "--package must be one of hadamask, ironcore-alloy, privrag-guard, pymasq, "),
        (("--known", 0), "--known must be a whole number >= 1. Got 0."),
        (("--known", 1001), "--known must be at most 1,000. Got 1001."),
        (("--seed", -1), "--seed must be a whole number >= 0. Got -1."),
    ],
)
def test_what_cannot_be_asked_for_is_said_in_one_line(run, arguments, message):
    done = run("demo", "vectors", *arguments)
    assert done.code == 2
    assert done.err.startswith(f"isobreach: {message}")
    assert done.err.count("\n") == 1
