# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in Parquet files, as an engine that tests use wherever they have an array."""

import shutil
import tempfile
import weakref
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from isobreach._validation import check_shape
from isobreach.engine import DaskEngine, FileEngine, ParquetFiles


def written(folder, rows, *, parts=3, group=None, vectors=False):
    """Write an array to so many files, with so many rows in a row group; neither divides the rows evenly."""
    rows = np.asarray(rows)
    cuts = np.unique(np.linspace(0, len(rows), parts + 1).astype(int)[1:-1] + 1).clip(0, len(rows))
    names = [f"c{j + 1}" for j in range(rows.shape[1])]
    for place, part in enumerate(np.split(rows, cuts)):
        if vectors:
            flat = pa.array(np.ascontiguousarray(part).reshape(-1))
            table = pa.table({"vector": pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])})
        else:
            table = pa.table([np.ascontiguousarray(column) for column in part.T], names)
        parquet.write_table(table, folder / f"part-{place}.parquet", row_group_size=group or max(1, len(part) // 2 + 1))
    return sorted(folder.glob("*.parquet"))


class _Array:
    """Rows that were an array: the files are written first, and removed with the engine."""

    def __init__(self, rows, *, name="released", parts=3, group=None, **options):
        check_shape(name, rows)
        folder = Path(tempfile.mkdtemp(prefix="isobreach-test-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        files = ParquetFiles.of(written(folder, rows, parts=parts, group=group), name)
        super().__init__(files, [f"c{j + 1}" for j in range(rows.shape[1])], **options)


class ArrayInFiles(_Array, FileEngine):
    """Files that threads of this process read."""


class ArrayOnCluster(_Array, DaskEngine):
    """Files that workers of a local cluster read, one for all tests of a process."""
