# SPDX-License-Identifier: BSD-3-Clause
"""Text that others wrote, such as ids, column names and file names, made harmless before anyone sees it.

A terminal obeys escape sequences, an editor obeys marks that turn the direction of writing, and a line break makes one
line look like two. One rule covers all of them: what Python's ``str.isprintable`` does not count as printable is shown
by its number, as ``repr`` shows it; only a space that keeps words on one line stays, which no reader obeys.
"""

import html
import json
import re
from collections.abc import Callable
from typing import Any

# What stands between a user and the last @, or after password=; also behind a single slash, as paths are written.
_PASSWORD = re.compile(r"(:/+[^\s/:@]*:)\S*(?=@)|(?<=[?&])(password=)[^\s&#'\")]*")
_JOINING = "\N{NO-BREAK SPACE}"  # pages keep the ends of an interval on one line by it


def visible(text: str) -> str:
    r"""Return text for a terminal or a message: one line, every character of which can be seen.

    Parameters
    ----------
    text
        Anything, also what others wrote.

    >>> print(visible("a\x1b[31m\nb\u202e"), visible("Größe [cm]"))
    a\x1b[31m\nb\u202e Größe [cm]
    """
    return _shown(text, lambda character: repr(character)[1:-1])


def discreet(text: str) -> str:
    """Return text for a message, visible, and without passwords of URLs, wherever they were typed.

    Parameters
    ----------
    text
        Anything, also what others wrote.

    >>> discreet("Got postgresql://reader:secret@host/hospital?password=secret.")
    'Got postgresql://reader:***@host/hospital?password=***'
    """
    return visible(_PASSWORD.sub(lambda found: f"{found[1] or found[2]}***", text))


def escape(text: str) -> str:
    r"""Return text for an HTML page, in an element or in an attribute with quotes.

    Parameters
    ----------
    text
        Anything, also what others wrote.

    >>> print(escape('<b title="\x1b">'))
    &lt;b title=&quot;\x1b&quot;&gt;
    """
    return html.escape(visible(text))


def json_text(value: object) -> str:
    r"""Return JSON that every parser accepts and every terminal may show, indented; arrays of NumPy as lists.

    Parameters
    ----------
    value
        Dictionaries, lists, text and numbers; NaN and infinity are refused, because JSON has neither.

    >>> print(json_text({"id": "Zoë\u202e\x7f"}))
    {
      "id": "Zoë\u202e\u007f"
    }
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=_plain)
    return "\n".join(_shown(line, lambda character: json.dumps(character)[1:-1]) for line in text.split("\n"))


def _shown(text: str, number: Callable[[str], str]) -> str:
    if text.isprintable():
        return text
    plain = (character.isprintable() or character == _JOINING for character in text)
    return "".join(one if kept else number(one) for one, kept in zip(text, plain, strict=True))


def _plain(value: object) -> Any:
    if hasattr(value, "tolist"):  # an array or a number of NumPy, which is not worth importing for an error message
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")
