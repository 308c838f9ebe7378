# SPDX-License-Identifier: BSD-3-Clause
"""What goes to the terminal: the result to stdout, everything else to stderr."""

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from isobreach._progress import listening
from isobreach._text import json_text, visible

if TYPE_CHECKING:
    from isobreach.document import Document

_NAME = 24  # letters of a row's name that is never broken: a third of a usual terminal
_PADDING = 3  # columns of a terminal between those of a table
_WORDS = (18, 10)  # letters of words in other columns that stay whole where they can: names of attacks; figures
_DELAY = 1.0  # seconds of work before a bar appears
_PAUSE = 30.0  # seconds between lines where there is no terminal: two a minute in a log
_COMPILING = "compiling (first use)"


class Console:
    """Output of one command: ``json_only`` leaves stdout to the result, ``quiet`` silences stderr but for errors."""

    def __init__(self, *, json_only: bool, quiet: bool) -> None:
        self.json_only, self.quiet = json_only, quiet
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._state: dict[str, tuple[int, int | None]] = {}
        self._begun: dict[str, tuple[float, int]] = {}  # when each stage was first heard of, and how far it was
        self._lock = threading.Lock()

    def say(self, lines: str | Iterable[str]) -> None:
        """Result in words, on stdout; left out where the result is JSON."""
        if not self.json_only:
            for line in [lines] if isinstance(lines, str) else lines:
                print(visible(line))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Result as a table, on stdout."""
        if self.json_only:
            return
        from rich import box
        from rich.console import Console as RichConsole
        from rich.table import Table
        from rich.text import Text

        console = RichConsole(highlight=False)
        table = Table(box=box.SIMPLE_HEAD)
        room = console.width - _PADDING * len(head) - 1
        widths = _widths([head, *rows], room)
        for title, width in zip(head, widths, strict=True):
            table.add_column(title, overflow="fold", width=width)
        for row in rows:  # Text: brackets in a name are no markup
            table.add_row(*(Text(_folded(visible(cell), width)) for cell, width in zip(row, widths, strict=True)))
        with console.capture() as shown:
            console.print(table)
        print(shown.get(), end="")  # not by rich, which leaves the program when the reader of its output does

    def document(self, document: "Document") -> None:
        """Result in words and tables, on stdout."""
        from isobreach.report import Grid, spoken

        for one in spoken(document):
            if isinstance(one, Grid):
                self.table(one.head, one.rows)
            else:
                self.say(one)

    def result(self, value: dict[str, Any]) -> None:
        """Machine-readable result, the only thing on stdout with --json."""
        if self.json_only:
            print(json_text(value))

    def note(self, lines: str | Iterable[str]) -> None:
        """Remark on stderr."""
        if not self.quiet:
            for line in [lines] if isinstance(lines, str) else lines:
                print(visible(line), file=sys.stderr)

    @contextmanager
    def work(self, label: str) -> Iterator[None]:
        """A stage of unknown length: shown as such if it takes long."""
        self._update(label, 0, None)
        yield
        self._update(label, 1, 1)

    def progress(self, label: str, done: int, total: int) -> None:
        """Callback for computations."""
        self._update(label, done, total)

    @contextmanager
    def bars(self, delay: float = _DELAY) -> Iterator[None]:
        """Draw bars for what takes more than a second, on a terminal; elsewhere, write a line now and then."""
        if self.quiet:
            yield
            return
        if not sys.stderr.isatty():
            with self._lines():
                yield
            return
        timer = threading.Timer(delay, self._start)
        timer.daemon = True
        timer.start()
        try:
            with listening(self._compiling):
                yield
        finally:
            timer.cancel()
            with self._lock:
                if self._bars is not None:
                    self._bars.stop()
                    self._bars = None

    @contextmanager
    def _lines(self) -> Iterator[None]:
        """A line on stderr every half minute: what is being done, how much of it is, for how long, and what is left."""
        ended, stream, start = threading.Event(), sys.stderr, time.monotonic()

        def speak() -> None:
            while not ended.wait(_PAUSE):
                now = time.monotonic()
                with self._lock:
                    going = [(label, *state) for label, state in self._state.items() if state[0] != state[1]]
                    told = [_told(*one, _left(now, *self._begun[one[0]], *one[1:])) for one in going]
                with suppress(OSError, ValueError):  # a log that is full or closed stops no work
                    said = "; ".join(told) or "working"
                    print(f"... {said} [{_duration(now - start)} so far]", file=stream, flush=True)

        thread = threading.Thread(target=speak, daemon=True)
        thread.start()
        try:
            with listening(self._compiling):
                yield
        finally:
            ended.set()
            thread.join()

    def _compiling(self, begins: bool) -> None:
        self._update(_COMPILING, 0 if begins else 1, None if begins else 1)

    def _start(self) -> None:
        from rich.console import Console as RichConsole
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        with self._lock:
            self._bars = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeRemainingColumn(),
                console=RichConsole(stderr=True),
                transient=True,
            )
            self._bars.start()
            for label, (done, total) in self._state.items():
                if done != total:
                    self._tasks[label] = self._bars.add_task(label, completed=done, total=total)

    def _update(self, label: str, done: int, total: int | None) -> None:
        label = visible(label)
        with self._lock:
            if label not in self._begun or done < self._state[label][0]:  # a stage may come again
                self._begun[label] = (time.monotonic(), done)
            self._state[label] = (done, total)
            if self._bars is None:
                return
            if label not in self._tasks:
                self._tasks[label] = self._bars.add_task(label)
            self._bars.update(self._tasks[label], completed=done, total=total, visible=done != total)


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Widths of a table's columns that fit into a terminal, its title being the first row.

    Nothing is cut, for half a name may be another's. The widest column is broken first, between words; then long
    words; a short word, a figure or the name of a row only where there is no other way.

    >>> _widths([("attackers who know", "0", "1"), ("nothing", "20%", "100%")], 17)
    [10, 3, 4]
    """
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, cells)) for cells in columns]
    for letters in (*_WORDS, 0):
        floor = [_unbroken(cells, letters, named=letters > 0 and place == 0) for place, cells in enumerate(columns)]
        while sum(widths) > room and any(width > low for width, low in zip(widths, floor, strict=True)):
            widest = max(range(len(widths)), key=lambda place: (widths[place] > floor[place], widths[place]))
            widths[widest] -= 1
    return widths


def _folded(text: str, width: int) -> str:
    """Text in lines of a width; a word that is longer is broken behind a hyphen, if it has one.

    >>> _folded("known-input-output on all", 14).splitlines()
    ['known-input-', 'output on all']
    """
    return "\n".join(wrap(text, width, replace_whitespace=False)) if len(text) > width else text


def _unbroken(cells: Sequence[str], letters: int, *, named: bool) -> int:
    """Width at which words of so many letters stay whole; ``named``: the names of rows too."""
    words = [len(word) for text in cells for word in text.split()]
    names = [len(name) for name in cells[1:] if len(name) <= _NAME] if named else []
    return max([1, *names, *(word for word in words if word <= (_NAME if named else letters))])


def _told(label: str, done: int, total: int | None, left: float | None) -> str:
    """A stage in words, how far it is, and what is left, where that is known.

    >>> _told("attackers", 4, 8, 130.0), _told("attackers", 0, 8, None), _told("reading people.csv", 0, None, None)
    ('attackers: 4 of 8, about 2 min left', 'attackers: 0 of 8', 'reading people.csv')
    """
    how_far = f"{label}: {done:,} of {total:,}" if total else label
    return how_far if left is None else f"{how_far}, about {_duration(left)} left"


def _left(now: float, begun: float, first: int, done: int, total: int | None) -> float | None:
    """Seconds that a stage will still take at its pace so far; None before any of it was done since it was heard of.

    >>> _left(30.0, 10.0, 2, 4, 8), _left(30.0, 10.0, 2, 2, 8), _left(30.0, 10.0, 0, 0, None)
    (40.0, None, None)
    """
    return (now - begun) / (done - first) * (total - done) if total and done > first else None


def _duration(seconds: float) -> str:
    """Seconds in words, no finer than anyone needs.

    >>> _duration(0.2), _duration(59.0), _duration(130.0), _duration(7300.0)
    ('1 s', '59 s', '2 min', '2 h 2 min')
    """
    minutes = round(seconds / 60)
    if seconds < 99.5:
        return f"{max(1, round(seconds))} s"
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
