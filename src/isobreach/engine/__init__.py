# SPDX-License-Identifier: BSD-3-Clause
"""Where the released rows live, and where kernels run."""

from isobreach.engine.base import Engine, Kernel, tile_rows, tiles
from isobreach.engine.column import ArrayColumn, ColumnHandle
from isobreach.engine.dask import DaskEngine
from isobreach.engine.default import as_engine, default_workers, using
from isobreach.engine.local import LocalEngine
from isobreach.engine.mapped import long_array
from isobreach.engine.memory import free_memory, total_memory
from isobreach.engine.parquet import ParquetFiles
from isobreach.engine.processes import ProcessEngine
from isobreach.engine.scanning import FileEngine
from isobreach.engine.threads import ONE_BLAS_THREAD, processors
from isobreach.engine.workers import PAIR_TILE, Workers

__all__ = [
    "ONE_BLAS_THREAD",
    "PAIR_TILE",
    "ArrayColumn",
    "ColumnHandle",
    "DaskEngine",
    "Engine",
    "FileEngine",
    "Kernel",
    "LocalEngine",
    "ParquetFiles",
    "ProcessEngine",
    "Workers",
    "as_engine",
    "default_workers",
    "free_memory",
    "long_array",
    "processors",
    "tile_rows",
    "tiles",
    "total_memory",
    "using",
]
