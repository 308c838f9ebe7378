# SPDX-License-Identifier: BSD-3-Clause
"""Judges of the lattice attack: what it claims against the records and the key that nobody gave it."""

from types import SimpleNamespace

import numpy as np

import isobreach as ib

letter = ib.datasets.load("letter").values


def release_of(records, *, translate, seed, decimals=None, single=False, noise=0.0):
    """Records behind a secret motion: released rows, the records in their order, the rotation."""
    release = ib.perturb(records, "rigid" if translate else "orthogonal", seed=seed)
    rows = release.data + noise * np.random.default_rng(seed).standard_normal(records.shape)
    rows = rows if decimals is None else np.round(rows, decimals)
    rows = rows.astype(np.float32) if single else rows
    return SimpleNamespace(rows=rows, records=records[np.argsort(release.key.order)], rotation=release.key.rotation)


def attribute_of(found, column, release, tolerance=1e-5):
    """Attribute that a recovered column is, up to its sign and a constant; None where it is none."""
    estimate = found.estimates[:, column]
    for attribute in np.argsort(-np.abs(found.axes[column] @ release.rotation)):
        for sign in (1, -1):
            if np.ptp(sign * estimate - release.records[:, attribute]) <= tolerance * max(found.steps[column], 1e-9):
                return int(attribute)
    return None


def wrong_claims(found, release, *, dependent=False, tolerance=1e-4):
    """What is wrong with a claim, as a list of sentences: empty for one that is right.

    ``dependent``: attributes that depend on each other have no axes of their own; their values decide.
    """
    wrong = []
    if not found.claimed:
        return ["recovered without a claim"] if found.recovered.any() else wrong
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(len(found.axes)), atol=1e-9)
    cosines = np.abs(found.axes[found.recovered] @ release.rotation)
    if not dependent and np.abs(cosines - np.rint(cosines)).max() > 1e-2:
        wrong.append("an axis is no attribute's")
    taken = [attribute_of(found, column, release, tolerance) for column in np.flatnonzero(found.recovered)]
    if None in taken:
        wrong.append("the values of a column are no attribute's")
    elif not dependent and len(set(taken)) < len(taken):
        wrong.append("two columns are the same attribute")
    for column in np.flatnonzero(found.recovered):
        named = found.column_by[column] != ""
        exact = named and found.sign_by[column] and found.offset_by[column]
        scale = tolerance * found.steps[column]
        truth = release.records[:, column]
        signed = found.estimates[:, column] * (np.nan if not found.sign_by[column] else 1)
        if exact and np.abs(found.estimates[:, column] - truth).max() > scale:
            wrong.append(f"column {column} is settled and wrong")
        elif named and found.sign_by[column] and np.ptp(signed - truth) > scale:
            wrong.append(f"the attribute or sign of column {column} is settled and wrong")
    return wrong
