# SPDX-License-Identifier: BSD-3-Clause
"""Numbers in words: never more certain than they are."""

from collections.abc import Sequence

MOTIONS = {"orthogonal": "an orthogonal motion", "rigid": "a rigid motion", "similarity": "a similarity"}
KINDS = {
    "exact": "closed-form",
    "model-based": "model-based",
    "lower bound": "lower bound",
    "approximation": "approximation",
}


def probability(value: float, kind: str = "exact") -> str:
    """A probability in words and figures that never round to a certainty which is none.

    >>> probability(1.0), probability(0.99999), probability(0.8251), probability(3.2e-9), probability(0.0)
    ('1 (certain)', 'above 0.9999', '0.825', '3.2e-09', '0 (below 1e-300)')
    >>> probability(0.2, "lower bound"), probability(0.0, "lower bound")
    ('at least 0.200', 'unknown')
    >>> probability(0.2, "model-based"), probability(1.0, "model-based"), probability(0.0, "model-based")
    ('0.200 (model-based)', '1 (certain)', 'unknown')
    >>> probability(0.2, "approximation"), probability(1.0, "approximation"), probability(0.0, "approximation")
    ('about 0.200', 'above 0.9999', '0 (below 1e-300)')
    """
    if kind == "approximation":
        return f"about {value:.3f}" if 0.001 <= value <= 0.9999 else probability(min(value, 1 - 1e-9))
    if value == 1.0:
        return "1 (certain)"
    if kind in ("lower bound", "model-based") and value <= 0:
        return "unknown"
    if kind == "lower bound":
        return f"at least {probability(value)}"
    if kind == "model-based":
        return f"{probability(value)} (model-based)"
    if value > 0.9999:
        return "above 0.9999"
    if value >= 0.001:
        return f"{value:.3f}"
    return f"{value:.2g}" if value > 0 else "0 (below 1e-300)"


def expected(number: float) -> str:
    """An expected number, which may be far below one.

    >>> expected(3e-93), expected(0.00042), expected(0.62), expected(1234.5), expected(4e30)
    ('fewer than 1e-9', '4.2e-04', '0.62', '1,234', '4.0e+30')
    """
    if number < 1e-9:
        return "fewer than 1e-9"
    if number < 0.01 or number >= 1e6:
        return f"{number:.1e}"
    return f"{number:.2g}" if number < 100 else f"{number:,.0f}"


def cell(said: str) -> str:
    """A number in words, short enough for a table.

    >>> cell("fewer than 1e-9"), cell("above 0.9999"), cell("1 (certain)"), cell("0 (below 1e-300)"), cell("0.62")
    ('< 1e-9', '> 0.9999', '1', '0', '0.62')
    """
    said = said.removesuffix(" (certain)").removesuffix(" (below 1e-300)")
    for words, sign in (("fewer than", "<"), ("below", "<"), ("above", ">")):
        said = said.replace(words, sign)
    return said


def percent(epsilon: float) -> str:
    """A relative error as a percentage.

    >>> percent(0.15), percent(0.0725)
    ('15%', '7.25%')
    """
    return f"{100 * epsilon:.6g}%"


def count(number: int, noun: str, nouns: str = "") -> str:
    """A number with its noun, whose plural has an s unless it is given.

    >>> count(1, "record"), count(18668, "record"), count(2, "person", "people")
    ('1 record', '18,668 records', '2 people')
    """
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def left_out(columns: Sequence[str]) -> list[str]:
    """A sentence on the columns of a table that were left out, none if there are none.

    >>> left_out(["name", "town"])
    ["Columns were left out: 'name', 'town'. No figure is about them."]
    """
    listed = ", ".join(map(repr, columns))
    return [f"Columns were left out: {listed}. No figure is about them."] if columns else []
