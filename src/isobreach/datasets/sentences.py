# SPDX-License-Identifier: BSD-3-Clause
"""A few thousand real sentences that every Python has: those of its own documentation.

They are read from where Python is installed (the documents behind ``help()`` and the docstrings of the standard
library), so that nothing has to be bundled or downloaded. Another version of Python has other sentences.
"""

import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from isobreach.errors import InputError

_DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
_PARAGRAPH = re.compile(r"\n\s*\n")
_END = re.compile(r"(?<=[a-z)])\.\s+(?=[A-Z])")
# Words and punctuation only: no code, no markup, no names with underscores.
_SENTENCE = re.compile(r"[A-Z][a-z]*(?:,?;? [A-Za-z']+(?:-[a-z]+)*){5,13}")
_WORD = re.compile(r"[A-Za-z]+|\S")
_NOT_READ = {"site-packages", "dist-packages", "test", "tests", "idlelib", "lib2to3", "turtledemo"}


@cache
def sentences() -> tuple[str, ...]:
    """Return sentences of 6 to 14 words, in the order in which they are found; no two have the same words.

    >>> texts = sentences()
    >>> len(texts) > 3500, len(texts) == len(set(texts))
    (True, True)
    """
    found: dict[tuple[str, ...], str] = {}
    for text in _documents():
        for one in _in(text):
            found.setdefault(tuple(sorted(_WORD.findall(one))), one)  # a mean of words does not know their order
    if not found:
        rule = "must have the sources of its standard library"
        raise InputError("this Python", rule, "none", "Use one that has its modules in files.")
    return tuple(found.values())


def _documents() -> Iterator[str]:
    from pydoc_data.topics import topics

    yield from topics.values()
    folder = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(folder.rglob("*.py")):
        if not _NOT_READ & set(path.relative_to(folder).parts):
            yield from _DOCSTRING.findall(path.read_text(encoding="utf-8", errors="ignore"))


def _in(text: str) -> Iterator[str]:
    """Sentences of a text."""
    for paragraph in _PARAGRAPH.split(text):
        for one in _END.split(" ".join(paragraph.split())):
            if _SENTENCE.fullmatch(plain := one.rstrip(".")):
                yield f"{plain}."
