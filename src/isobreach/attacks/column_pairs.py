# SPDX-License-Identifier: BSD-3-Clause
r"""Rotations of pairs of columns (Oliveira and Zaiane 2004) fall to a single linked record.

The scheme leaves every attribute in its column and rotates columns by twos, each pair by an angle of its own; of an odd
number of columns, one is rotated twice. So columns fall into blocks of one, two or three, and each keeps its sum of
squares. One linked record (x, y) shows the blocks,

    x_i^2 + x_j^2 = y_i^2 + y_j^2,

and the angle of each: arg(y_i + i y_j) - arg(x_i + i x_j). Three columns take two linked records. Nothing is said where
a column could belong to several blocks, or where records are zero in a block.

By chance a sum of squares agrees within an error of t with a probability of about t / |y|^2 for each sum that was
tried. What is found is believed where that makes less than 1e-3 for all blocks together.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._phrases import count
from isobreach.attacks.pairs import AS_FITTED, Affine, Estimates, Pairs, PairsReconstruction, named_recipes
from isobreach.attacks.refine import Evidence, every_step
from isobreach.engine import Engine
from isobreach.linking import CHANCE_LIMIT
from isobreach.release import Precision


@dataclass(frozen=True, eq=False)
class ColumnPairs:
    """Blocks of columns and the map back; columns of blocks whose angle is open give NaN.

    Attributes
    ----------
    blocks
        Columns of each block.
    affine
        x = y matrix + shift, the shift NaN for attributes that are open.
    open
        Number of attributes that are open.
    """

    blocks: tuple[tuple[int, ...], ...]
    affine: Affine
    open: int


def column_pairs(pairs: Pairs, precision: Precision) -> ColumnPairs | None:
    """Return the blocks that linked pairs show; None where they show none, or several ways.

    Parameters
    ----------
    pairs
        Linked records and their rows.
    precision
        How far a released number may err.
    """
    n = pairs.records.shape[1]
    if pairs.rows.shape[1] != n or n < 2:
        return None
    gaps = pairs.rows**2 - pairs.records**2  # p x n; their sum over a block is zero
    sizes = np.sqrt((pairs.rows**2).sum(axis=1))
    errors = precision.length_error(sizes, n) + 1e-12 * sizes
    allowed = 2 * sizes * errors + errors**2
    blocks = _blocks(gaps, allowed)
    if blocks is None or all(len(block) == 1 for block in blocks):
        return None
    scale = np.maximum((pairs.rows**2).mean(axis=1), np.finfo(np.float64).tiny)
    chance = np.log10(np.minimum(allowed / scale, 1.0)).sum() * len(blocks) + len(blocks) * np.log10(n**2)
    if chance > np.log10(CHANCE_LIMIT):
        return None
    matrix, shift, missing = np.zeros((n, n)), np.zeros(n), 0
    for block in blocks:
        columns = list(block)
        turn = _rotation(pairs.records[:, columns], pairs.rows[:, columns])
        if turn is None:
            shift[columns] = np.nan
            missing += len(columns)
        else:
            matrix[np.ix_(columns, columns)] = turn
    return ColumnPairs(blocks, Affine(matrix, shift), missing)


def by_column_pairs(
    release: Engine, pairs: Pairs, evidence: Evidence, precision: Precision
) -> PairsReconstruction | None:
    """Return estimates by the blocks that linked pairs show; None where they show none.

    Parameters
    ----------
    release, pairs
        The released rows; linked records and their rows.
    evidence
        What the attacker knows.
    precision
        How far a released number may err.
    """
    found = column_pairs(pairs, precision)
    if found is None:
        return None
    maps = {"": found.affine}
    estimates = Estimates(release, pairs, maps, evidence)
    choice = every_step(named_recipes(maps, evidence)) if found.open else ""
    twos = sum(len(block) > 1 for block in found.blocks)
    shown = f"{count(len(pairs), 'linked pair')} show{'s' if len(pairs) == 1 else ''}"
    reason = f"{shown} that columns were rotated in {count(twos, 'block')}"
    left = f"; {count(found.open, 'attribute')} stay open." if found.open else ", each by a known angle."
    return PairsReconstruction(
        True, reason + left, estimates[choice or AS_FITTED], variants=estimates, pairs=len(pairs), choice=choice
    )


def _blocks(gaps: FloatArray, allowed: FloatArray) -> tuple[tuple[int, ...], ...] | None:
    """The only way to part columns into ones and twos, and one three at most, whose gaps add up to zero."""
    n = gaps.shape[1]

    def closed(columns: tuple[int, ...]) -> bool:
        return bool((np.abs(gaps[:, columns].sum(axis=1)) <= allowed).all())

    found: list[tuple[int, ...]] = [(j,) for j in range(n) if closed((j,))]
    left = [j for j in range(n) if (j,) not in found]
    partners = {i: [j for j in left if j != i and closed(tuple(sorted((i, j))))] for i in left}
    if any(len(several) > 1 for several in partners.values()):
        return None
    found += [(i, partners[i][0]) for i in left if partners[i] and i < partners[i][0]]
    alone = [i for i in left if not partners[i]]
    if not alone:
        return tuple(sorted(found))
    if len(alone) != 3 or n % 2 == 0:
        return None
    triples = [three for three in combinations(alone, 3) if closed(three)]
    return tuple(sorted([*found, *triples])) if triples else None


def _rotation(records: FloatArray, rows: FloatArray) -> FloatArray | None:
    """The proper rotation with records = rows @ rotation; None where pairs leave several."""
    size = records.shape[1]
    left, strength, right = np.linalg.svd(rows.T @ records)
    if size > 1 and strength[size - 2] <= 1e-9 * max(strength[0], np.finfo(np.float64).tiny):
        return None
    left[:, -1] *= np.sign(np.linalg.det(left @ right))
    return np.asarray(left @ right) if size > 1 else np.ones((1, 1))
