# SPDX-License-Identifier: BSD-3-Clause
"""Figures as text, and the table of a page that holds them."""

import re
from collections.abc import Sequence

from isobreach._text import escape
from isobreach.audits import Sampled

Cell = tuple[str, float | None]  # text, and the number to sort by

_SHOWN = "95% interval"
_SHORT, _BROKEN, _PHONE = 12, 10, 47  # letters: never broken, least width of longer names, width of a phone


def share(value: float) -> str:
    """A share as a percentage that never rounds to none or all.

    >>> share(0.0), share(0.00004), share(0.0123), share(0.5), share(0.99999), share(1.0)
    ('0%', 'below 0.01%', '1.2%', '50%', 'above 99.99%', '100%')
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    if value < 0.0001:
        return "below 0.01%"
    if value > 0.9999:
        return "above 99.99%"
    return f"{100 * value:.2g}%" if value < 0.1 else f"{100 * value:.3g}%" if value < 0.99 else f"{100 * value:.2f}%"


def amount(value: float) -> str:
    """A number of records, or under noise an expected one.

    >>> amount(1234.0), amount(12.345)
    ('1,234', '12.3')
    """
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}" if value < 100 else f"{value:,.1f}"


def sampled_share(value: Sampled) -> str:
    """A sampled share with its interval."""
    return f"{share(value.value)} ({_SHOWN}: {share(value.low)} to {share(value.high)})"


def table(head: Sequence[str], rows: Sequence[Sequence[Cell]], *, sortable: bool = False) -> str:
    """A table; where it is too wide for a phone, its rows are stacked there, with the head's words before each figure.

    Roles are spelled out, because a stacked table is none to some screen readers.
    """

    def one_cell(name: str, text: str, number: float | None) -> str:
        label = f' data-label="{escape(name)}"' if name else ""
        if number is None:
            if len(text) <= _SHORT:
                return f'<td role="cell" class="name short"{label}>{escape(text)}</td>'
            parts = escape(text)
            if " " not in text:  # a long name: where a line had better end
                parts = re.sub(r"([_@-])(?=\w)", r"\1<wbr/>", parts)
            return f'<td role="cell" class="name"{label}>{parts}</td>'
        parts = " ".join(f"<span>{escape(part)}</span>" for part in _pieces(text))
        return f'<td role="cell" data-value="{number!r}"{label}>{parts}</td>'

    header = "".join(f'<th scope="col" role="columnheader">{escape(name)}</th>' for name in head)
    body = "".join(
        '<tr role="row">' + "".join(one_cell(name, *one) for name, one in zip(head, row, strict=True)) + "</tr>"
        for row in rows
    )
    kinds = [name for name, so in (("sortable", sortable), ("stack", _too_wide(head, rows))) if so]
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    top = f'<thead role="rowgroup"><tr role="row">{header}</tr></thead>' if any(head) else ""
    table = f'<table role="table"{kind}>{top}<tbody role="rowgroup">{body}</tbody></table>'
    return f'<div class="wide" tabindex="0">{table}</div>'


def _pieces(text: str) -> list[str]:
    """A number and its interval: a line may end between them, and nowhere else."""
    value, bracket, interval = text.partition(" [")
    return [value, f"[{interval}"] if bracket else [value]


def _too_wide(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether a phone would have to scroll sideways: by the longest part of each column that stays in one line."""

    def least(text: str, number: float | None) -> int:
        if number is not None:
            return max(map(len, _pieces(text)))
        return len(text) if len(text) <= _SHORT else _BROKEN

    columns = zip(*rows, strict=True)
    widths = [
        max(max(map(len, name.split()), default=0), *(least(*one) for one in column))
        for name, column in zip(head, columns, strict=False)
    ]
    return sum(widths) + len(widths) > _PHONE
