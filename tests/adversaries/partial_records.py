# SPDX-License-Identifier: BSD-3-Clause
"""Insiders most of whom know only a part of their own record.

Nobody knows a row. Whoever knows all attributes finds the own row by its length. These links are equations for what
the others do not know: for every released row they give the missing values, and the length says whether the row can
be theirs. If one row only can be, the completed record is a link more.
"""

import numpy as np

from adversaries.motion import fitted

SCHEMES = {"orthogonal"}
SUCCEEDS = ("letter jitter", "orthogonal", 18, 0.9)


def estimates(released, *, partial, motion):
    squares = (released**2).sum(axis=1)
    known, rows, waiting = [], [], []
    for record in partial:
        near = np.flatnonzero(np.abs(squares - (record**2).sum()) < 1e-8 * squares.max())  # none where it holds NaN
        if len(near) == 1:
            known, rows = [*known, record], [*rows, near[0]]
        elif np.isnan(record).any():
            waiting.append(record)
    for _ in range(len(waiting)):
        for record in list(waiting):
            open_, links = np.isnan(record), np.array(known)
            if open_.sum() > len(known):
                continue
            rest = released @ released[rows].T - links[:, ~open_] @ record[~open_]
            missing = rest @ np.linalg.pinv(links[:, open_]).T
            square = (record[~open_] ** 2).sum() + (missing**2).sum(axis=1)
            wrong = np.abs(square - squares) + ((missing @ links[:, open_].T - rest) ** 2).sum(axis=1)
            near = np.flatnonzero(wrong < 1e-8 * squares.max())
            if len(near) == 1:
                known, rows = [*known, np.where(open_, 0, record)], [*rows, near[0]]
                known[-1][open_] = missing[near[0]]
                waiting = [other for other in waiting if other is not record]
    if not known:
        return np.tile(np.nanmean(partial, axis=0), (len(released), 1))
    return fitted(released, np.array(known), np.array(rows), motion)
