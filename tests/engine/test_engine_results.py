# SPDX-License-Identifier: BSD-3-Clause
"""Links, probabilities and estimates have the same bits on every engine, whatever the blocks and the workers."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import slow
from engine_files import ArrayInFiles, ArrayOnCluster
from isobreach.attacks import attack
from isobreach.engine import LocalEngine, ProcessEngine
from oracles import rotation

ROWS = 350
WIDTHS = (5, 400)  # one tile, and three
ASKED = {
    "orthogonal": {"motion": "orthogonal"},
    "rigid": {"motion": "rigid"},
    "similarity": {"motion": "similarity"},
    "auto": {"motion": "auto"},
    "noise": {"motion": "orthogonal", "noise": 0.01},
    "noise behind a translation": {"motion": "rigid", "noise": 0.01},
    "dictionary": {"motion": "orthogonal"},
    "dictionary behind a translation": {"motion": "rigid"},
}
KINDS = {
    "normal": lambda rows: rows,
    "float32": lambda rows: rows.astype(np.float32),
    "rounded": lambda rows: rows.round(3),
    "integer": lambda rows: rows,
}


def _case(asked, kind, width, seed):
    """Known records, released rows, and what is asked."""
    draws = np.random.default_rng(seed)
    table = draws.integers(0, 7, (ROWS, width)) if kind == "integer" else draws.standard_normal((ROWS, width)) + 1
    released, arguments = table @ rotation(width, draws).T, dict(ASKED[asked])
    if arguments["motion"] != "orthogonal":
        released = released + draws.standard_normal(width)
    if arguments["motion"] == "similarity":
        released = 1.7 * released
    if "noise" in arguments:
        released = released + 0.01 * draws.standard_normal(released.shape)
    if "dictionary" in asked:
        arguments["dictionary"] = np.concatenate([table[6:20], draws.standard_normal((10, width))])
    return table[:6], KINDS[kind](released), arguments


def _bits(linkage):
    yield from (linkage.rows, linkage.status.astype("U"), *linkage.candidates, linkage.radius)
    yield from (part for part in (linkage.chance, linkage.posterior) if part is not None)
    yield np.array([linkage.scale, linkage.noise])
    if linkage.dictionary is not None:
        yield from _bits(linkage.dictionary)


def _found(engine, known, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where nothing is linked
        result = attack(known, engine, 0.3, seed=0, **arguments)
    rows = [result.relative_residual, result.breach_probability, result.estimates, result.top(20)]
    return [np.ascontiguousarray(part).tobytes() for part in (*_bits(result.linkage), *rows)], len(
        result.linkage.linked
    )


def _same(asked, kind, width, seed, block_rows, workers):
    known, released, arguments = _case(asked, kind, width, seed)
    plain, linked = _found(LocalEngine(released, workers=1), known, arguments)
    for engine in (LocalEngine, ProcessEngine, ArrayInFiles, ArrayOnCluster):
        assert _found(engine(released, block_rows=block_rows, workers=workers), known, arguments)[0] == plain
    return linked


# Under auto all motions are tried; the others are left to the slow tests.
QUICK = ("auto",)


@pytest.mark.parametrize("asked", [*QUICK, *slow(*(name for name in ASKED if name not in QUICK))])
def test_every_engine_gives_the_same_bits(asked, monkeypatch):
    monkeypatch.setattr("isobreach.engine.local.SERIAL_BYTES", 0)
    for width in WIDTHS:
        assert _same(asked, "normal", width, 0, 100, 2), width  # blocks of one row are left to the slow tests


@pytest.mark.slow
@settings(max_examples=12)  # others in every run
@given(
    st.sampled_from(sorted(ASKED)),
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(WIDTHS),
    st.integers(0, 1000),
    st.sampled_from([1, 200, None]),
    st.integers(1, 3),
)
def test_engines_blocks_and_workers_change_no_bit(asked, kind, width, seed, block_rows, workers):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isobreach.engine.local.SERIAL_BYTES", 0)
        _same(asked, kind, width, seed, block_rows, workers)
