# SPDX-License-Identifier: BSD-3-Clause
"""Links that several attacks ask for of one release, found once: attacks need not know of each other for that."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

import numpy as np

from isobreach.engine import Engine
from isobreach.linking.linkage import Linkage

P = ParamSpec("P")


class SharedLinks:
    """Links by release, known records and everything else that was asked.

    Attributes
    ----------
    saved
        Processor time, in seconds, of links that were found before they were asked for again.
    """

    def __init__(self) -> None:
        self.saved = 0.0
        self._found: dict[Any, tuple[Linkage, float, Engine]] = {}

    def found(self, key: Any, release: Engine, make: Callable[[], Linkage]) -> Linkage:
        """Return links from before, or those that ``make`` finds.

        Parameters
        ----------
        key
            What was asked.
        release
            The released rows, which are held on to: another release may not take their place in memory.
        make
            Finds the links.
        """
        place = (id(release), key)
        if place in self._found:
            self.saved += self._found[place][1]
        else:
            started = time.process_time()
            linkage = make()
            self._found[place] = linkage, time.process_time() - started, release
        return self._found[place][0]


_stack: list[SharedLinks] = []


@contextmanager
def sharing_links() -> Iterator[SharedLinks]:
    """Find links once that are asked for again, in this process, until the block ends."""
    _stack.append(SharedLinks())
    try:
        yield _stack[-1]
    finally:
        _stack.pop()


def shareable(link: Callable[P, Linkage]) -> Callable[P, Linkage]:
    """Let a function of known records, a release and options share what it finds.

    Parameters
    ----------
    link
        Finds links, the same whenever it is asked the same.
    """

    usual = signature(link)

    @wraps(link)
    def shared(*args: P.args, **kwargs: P.kwargs) -> Linkage:
        asked = usual.bind(*args, **kwargs)
        asked.apply_defaults()
        options = dict(asked.arguments)
        records, release = np.asarray(options.pop("known")), options.pop("released")
        if not _stack or not isinstance(release, Engine) or options["dictionary"] is not None:
            return link(*args, **kwargs)
        del options["progress"]
        key = records.dtype.str, records.shape, records.tobytes(), repr(options)
        return _stack[-1].found(key, release, lambda: link(*args, **kwargs))

    return shared
