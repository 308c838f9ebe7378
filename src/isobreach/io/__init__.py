# SPDX-License-Identifier: BSD-3-Clause
"""Tables, keys and records of runs, in and out of files, atomically.

pyarrow, pandas and polars load inside the functions that need them: importing this package costs NumPy alone.
"""

from isobreach.io.atomic import PRIVATE, alone, atomic_directory, atomic_file, check_free
from isobreach.io.cells import MISSING_MARKS
from isobreach.io.files import file_hash, matched_columns, read_toml, select_columns, selection
from isobreach.io.keys import pending_key, read_key, write_key
from isobreach.io.ranges import bounded_attributes, read_ranges
from isobreach.io.raw import RawColumn, RawTable, as_raw, frame_of, numbers_of, without_column
from isobreach.io.runs import pending_json, read_json, run_record, write_file, write_json
from isobreach.io.scans import Scan
from isobreach.io.sources import STANDARD_INPUT, Source, as_released, as_table, asks_nothing, read_table
from isobreach.io.store import FileStore
from isobreach.io.tables import NumericTable, TextColumnsError, default_columns, frame, like, numbers_hash
from isobreach.io.vectors import vector_label
from isobreach.io.writing import check_written, holds_vectors, write_columns, write_table

__all__ = [
    "MISSING_MARKS",
    "PRIVATE",
    "STANDARD_INPUT",
    "FileStore",
    "NumericTable",
    "RawColumn",
    "RawTable",
    "Scan",
    "Source",
    "TextColumnsError",
    "alone",
    "as_raw",
    "as_released",
    "as_table",
    "asks_nothing",
    "atomic_directory",
    "atomic_file",
    "bounded_attributes",
    "check_free",
    "check_written",
    "default_columns",
    "file_hash",
    "frame",
    "frame_of",
    "holds_vectors",
    "like",
    "matched_columns",
    "numbers_hash",
    "numbers_of",
    "pending_json",
    "pending_key",
    "read_json",
    "read_key",
    "read_ranges",
    "read_table",
    "read_toml",
    "run_record",
    "select_columns",
    "selection",
    "vector_label",
    "without_column",
    "write_columns",
    "write_file",
    "write_json",
    "write_key",
    "write_table",
]
