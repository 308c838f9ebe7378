# SPDX-License-Identifier: BSD-3-Clause
"""Kernels and tasks for tests of engines: worker processes import them from here."""

import os
import time
from pathlib import Path

import numpy as np

from isobreach._columns import takes_columns
from isobreach.engine import as_engine, default_workers
from isobreach.errors import InputError


class PickyError(Exception):
    """An error that does not come out of a pickle."""

    def __init__(self, first, second):
        super().__init__(first + second)


def sums(block, first_row, params):
    return block.sum(axis=1) * params


def doubled(block, first_row, params):
    return np.stack([block[:, 0], 2 * block[:, 0]], axis=1)


def seen(block, first_row, params):
    return first_row, len(block), block.flags.c_contiguous, str(block.dtype), float(block[0, 0])


def kept(block, first_row, params):
    return block[:]


def with_column(block, first_row, params, part):
    return block[:, 0] + part


def refusing(block, first_row, params):
    if first_row >= params:
        raise InputError("rows", "must end before", first_row)
    return first_row


def power(item, params):
    return item**params


def process(item, params):
    return os.getpid()


def length(item, params):
    return len(params)


def picky(item, params):
    raise PickyError("not ", "picklable")


def leaving(item, params):
    raise SystemExit(item)


def dying(item, params):
    os._exit(1)


def unpicklable(item, params):
    return lambda: item


def nested(item, params):
    rows = as_engine(np.full((3, 2), float(item)))
    return type(rows).__name__, float(sum(default_workers().run(power, [1, 2, 3], item)))


def tile(places, params):
    rows, columns = places
    return [(i, j) for i in range(rows.start, rows.stop) for j in range(columns.start, columns.stop) if i <= j]


def waiting_for_a_file(item, params):
    """Wait, as the first of two, for a file."""
    deadline = time.monotonic() + 60
    while item == 0 and not Path(params).exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return item


def sleeping(item, params):
    """Tell who works, then work for longer than anybody waits."""
    Path(params, str(os.getpid())).touch()
    time.sleep(600)


def first(block, first_row, params):
    return block[:, 0].copy()


def shifted(values, params):
    return np.abs(values - params)


def dying_once(block, first_row, params):
    """End the worker that comes first to a tile which is not the first; the process that asks is left alone."""
    place, asking = params
    if first_row and os.getpid() != asking and not Path(place).exists():
        Path(place).touch()
        os._exit(1)
    return block.sum(axis=1)


def slept(item, params):
    time.sleep(params)
    return item


@takes_columns
def as_found(block, first_row, params):
    """The kind of block, and its rows."""
    return type(block).__name__, np.array(block[:])
