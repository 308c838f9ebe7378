# SPDX-License-Identifier: BSD-3-Clause
"""Packages from PyPI that protect vectors by a secret rotation, on scikit-learn's digits: known records open the rest.

The digits are 1,797 x 64, of rank 61: three pixels are never set. So at most 61 links count, and in the three hidden
dimensions no record has a part.
"""

from dataclasses import replace

import numpy as np
import pytest
from hadamask import MasterKey, Protector
from privrag import PrivRAGGuard
from scipy.linalg import qr
from sklearn.datasets import load_digits
from turboquant_vectors import PrivateEncoder

from effort import slow
from isobreach.attacks import attack, attack_linked
from isobreach.geometry import row_norms
from isobreach.linking import link

SINGLE = 2.0**-24
RANK = 61


@pytest.fixture(scope="module")
def digits():
    return load_digits().data


def _unit(records):
    return records / row_norms(records)[:, None]


def _shuffled(rows, seed):
    """Rows in another order, and the place of each."""
    order = np.random.default_rng(seed).permutation(len(rows))
    shuffled = np.empty_like(rows)
    shuffled[order] = rows
    return shuffled, order


def _spanning(records, rank):
    """As many records as the rank is, as independent as a greedy choice finds them."""
    return qr(records.T, mode="r", pivoting=True)[1][:rank]


def _opens(records, released, order, rank, tolerance=None):
    """Linked are the spanning records; every other is reconstructed, as exactly as single precision lets it be.

    Each linked row is off by up to e = (4 + sqrt(64)) units in the last place (``linking.precision``), all of them by
    |E| <= sqrt(q) e |x|, and the weakest direction has the strength s: a fitted motion errs by at most about
    2 |E| / s (``fit_motions``) and a record by that share of its length, besides its own e.
    """
    known = _spanning(records, rank)
    result = attack(records[known], released, 0.05, motion="orthogonal", tolerance=tolerance, seed=0)
    assert result.linkage.motion == "orthogonal"
    np.testing.assert_array_equal(result.linkage.rows, order[known])
    assert result.hidden_dimension == records.shape[1] - rank
    longest, weakest = row_norms(records).max(), np.linalg.svd(records[known], compute_uv=False)[-1]
    own = (4 + np.sqrt(released.shape[1])) * SINGLE
    errors = row_norms(result.estimates[order] - records)
    assert (errors <= own * longest * (1 + 2 * np.sqrt(rank) * longest / weakest)).all()
    assert (errors <= 3e-5 * row_norms(records)).all()
    assert (result.breach_probability == 1).all()


def test_turboquant_vectors(digits):
    """The package scales records to length one: so does the attacker. Norms then say nothing."""
    records = _unit(digits)
    encoder = PrivateEncoder.from_seed(64, seed=2**64 + 12345)
    released, order = _shuffled(encoder.rotate(digits), 1)
    assert released.dtype == np.float32
    linkage = link(records[:3], released, motion="orthogonal")
    np.testing.assert_array_equal(linkage.rows, order[:3])
    _opens(records, released, order, RANK)


@pytest.mark.parametrize(("columns", "rank"), [(50, 47), *slow((61, 58), (64, RANK))])
def test_hadamask_pads_to_a_power_of_two(digits, columns, rank):
    """The release has 64 columns whatever the records have; nothing tells which are the padding."""
    records = _unit(digits[:, :columns])
    released, order = _shuffled(Protector(MasterKey(b"k" * 32)).encode(records), 2)
    assert released.shape == (len(digits), 64)
    linkage = link(records[:3], released, motion="orthogonal")
    np.testing.assert_array_equal(linkage.rows, order[:3])
    _opens(records, released, order, rank)


def test_hadamask_of_whole_numbers(digits):
    """Sums of whole numbers over 64 need no rounding, and look like a coarse table: the attacker says otherwise."""
    released, order = _shuffled(Protector(MasterKey(b"k" * 32)).encode(digits[:, :50]), 3)
    assert (np.rint(64 * released) == 64 * released).all()
    cautious = link(digits[:3, :50], released, motion="orthogonal")
    assert np.isin(cautious.rows, [-1, *order[:3]]).all()
    _opens(digits[:, :50], released, order, 47, tolerance=1e-6)


def test_hadamask_with_a_dense_rotation(digits):
    """Records of their own lengths: norms tell."""
    released, order = _shuffled(Protector(MasterKey(b"k" * 32), transform="dense").encode(digits), 4)
    assert released.shape == digits.shape
    np.testing.assert_array_equal(link(digits[:3], released, motion="orthogonal").rows, order[:3])
    _opens(digits, released, order, RANK)


ROWS, KNOWN, TURN = 700, 64, 0.10


@pytest.fixture(scope="module")
def turned(digits):
    """What privrag-guard makes of 700 digits: records of length one, released rows, and the place of each.

    Its noise is orthogonal to a record, a tenth as long; made length one again, y = s M x + e with s = 1 / sqrt(1.01)
    and a squared length of e of 0.01 / 1.01.
    """
    chosen = np.random.default_rng(5).permutation(len(digits))[:ROWS]
    guard = PrivRAGGuard(passphrase="correct horse battery staple", random_state=5)
    released, order = _shuffled(guard.protect_batch(digits[chosen]), 6)
    return _unit(digits[chosen]), released, order


@pytest.mark.parametrize("noise", slow("estimate", TURN / np.hypot(1, TURN) / 8))
def test_privrag_guard(turned, noise):
    """64 known records are linked, and the rest opened: what stays is the noise, and what the links do not reach.

    Links fix k directions; the rest of a record, d, is guessed at. So the mean squared error is k sigma^2 + d^2, but
    for the errors of the fitted directions and for guesses off the centre: together within a fifth of its root.
    """
    records, released, order = turned
    result = attack(records[:KNOWN], released, 0.25, motion="orthogonal", noise=noise, seed=0)
    linkage = result.linkage
    np.testing.assert_array_equal(linkage.rows, order[:KNOWN])
    assert (linkage.posterior >= 0.999).all()
    sigma = TURN / np.hypot(1, TURN) / 8
    assert linkage.noise == pytest.approx(sigma, rel=0.05)
    assert linkage.scale == pytest.approx(1 / np.hypot(1, TURN), abs=2e-3)
    assert result.kind == "approximation"
    for epsilon in (0.2, 0.25, 0.3):
        again = attack_linked(records[:KNOWN], released, linkage, epsilon, seed=0)
        errors = row_norms(again.estimates[order] - records)[KNOWN:]
        claimed = again.breach_probability[order][KNOWN:]
        # Rows are no sample of a normal spread: the approximation is within a tenth on the whole.
        assert abs(claimed.mean() - (errors <= epsilon).mean()) <= 0.1
    seen = 64 - result.hidden_dimension
    hidden = records[KNOWN:] - records[KNOWN:] @ result._motions.known @ result._motions.known.T
    expected = np.sqrt(seen * sigma**2 + (hidden**2).sum(axis=1).mean())
    errors = row_norms(result.estimates[order] - records)[KNOWN:]
    assert expected <= np.sqrt((errors**2).mean()) <= 1.2 * expected <= 0.15
    assert (row_norms(result.estimates[order] - records)[:KNOWN] == 0).all()


def test_privrag_guard_opened_by_many(turned):
    """Half of the records known, links given: the error comes down to the noise, about a tenth of a record."""
    records, released, order = turned
    known = 350
    links = replace(
        link(records[:1], released, motion="orthogonal"),
        rows=order[:known],
        status=np.full(known, "linked"),
        candidates=tuple(order[:known, None]),
        radius=np.zeros(known),
        noise=TURN / np.hypot(1, TURN) / 8,
        scale=1 / np.hypot(1, TURN),
    )
    result = attack_linked(records[:known], released, links, 0.15, seed=0)
    errors = row_norms(result.estimates[order] - records)[known:]
    assert 0.07 <= errors.mean() <= 0.13
    assert abs(result.breach_probability[order][known:].mean() - (errors <= 0.15).mean()) <= 0.1
