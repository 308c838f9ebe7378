# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of a public transform in a secret order: one linked record, or a sample, gives the order away."""

import numpy as np
import pytest

import isobreach as ib
from isobreach.geometry import TRANSFORMS, public_transform
from isobreach.schemes import scheme_by_name


def table(seed, rows=400):
    """Six attributes that resemble each other as neighbours in a series do, with means of their own."""
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.standard_normal((rows, 6)), axis=1) + [9, 4, 7, 1, 6, 2] * rng.gamma(3, 0.3, (rows, 1))


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_transforms_are_orthonormal(name, n):
    matrix = public_transform(name, n)
    assert matrix @ matrix.T == pytest.approx(np.eye(n), abs=1e-12)


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("seed", range(4))
def test_one_linked_record_undoes_the_order_and_two_prove_it(name, seed):
    records = table(seed)
    release = ib.perturb(records, name, seed=seed)
    one, two = (ib.Knowledge(known=records[:k], rows=release.key.order[:k]) for k in (1, 2))
    found = ib.reconstruct("permutation", release.data, one, transform=name, seed=0)
    assert found.variants["all columns"][release.key.order] == pytest.approx(records, abs=1e-9)
    found = ib.reconstruct("permutation", release.data, two, transform=name, seed=0)
    assert found.claimed
    assert found.estimates[release.key.order] == pytest.approx(records, abs=1e-9)
    other = next(one for one in TRANSFORMS if one != name)
    assert not ib.reconstruct("permutation", release.data, two, transform=other, seed=0).claimed


@pytest.mark.parametrize("name", TRANSFORMS)
def test_fewer_coefficients_give_back_what_these_hold(name):
    records = table(9)
    release = ib.perturb(records, scheme_by_name(name, coefficients=4), seed=1)
    knowledge = ib.Knowledge(known=records[:2], rows=release.key.order[:2], sample=table(10, 300))
    found = ib.reconstruct("permutation", release.data, knowledge, transform=name, seed=0)
    coefficients = records @ public_transform(name, 6).T
    kept = np.argsort(-(coefficients**2).sum(axis=0))[:4]
    told = np.asarray(found.variants["all columns"])[release.key.order] @ public_transform(name, 6).T
    assert told[:, kept] == pytest.approx(coefficients[:, kept], abs=1e-9)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_audit_plays_who_knows_the_transform(name):
    report = ib.audit(table(3, 200), name, 0.1, [1], 4, seed=0, samples=(), splits=2)
    assert report.breached(1).value == 1
