# SPDX-License-Identifier: BSD-3-Clause
"""The engine that is used where none is given: arrays with threads, unless told otherwise for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from isobreach.engine.base import Engine
from isobreach.engine.local import LocalEngine
from isobreach.engine.workers import Workers

_stack: list[tuple[type[LocalEngine], dict[str, Any]]] = [(LocalEngine, {})]


def as_engine(rows: Any, **options: Any) -> Engine:
    """Return an engine as it is; for an array, an engine of the default kind that holds it.

    ``options``: as those of ``using``, which they override.
    """
    if isinstance(rows, Engine):
        return rows
    kind, usual = _stack[-1]
    return kind(np.asarray(rows), **{**usual, **options})


def default_workers(workers: int | None = None) -> Workers:
    """Return workers of the default kind for tasks without released rows.

    ``workers``: how many; None for as many as there are processors, or as ``using`` says.
    """
    kind, options = _stack[-1]
    return kind.crew(options.get("workers") if workers is None else workers)


@contextmanager
def using(kind: type[LocalEngine], **options: Any) -> Iterator[None]:
    """Make another kind of engine the default of the whole process, until the block ends.

    Parameters
    ----------
    kind
        Class of engine that holds arrays.
    options
        Arguments for it: ``workers``, ``block_rows``.

    >>> from isobreach.engine import LocalEngine
    >>> with using(LocalEngine, workers=1):
    ...     as_engine([[1.0, 2.0]]).shape
    (1, 2)
    """
    _stack.append((kind, options))
    try:
        yield
    finally:
        _stack.pop()
